"""Finds values that one JSON Schema allows and another one rejects.

Of objects, one assumption is made that JSON Schema does not make: what the sender's schema leaves
open but does not name is not sent. So a parameter that is added breaks only if it is required.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, final

from vcr_gen.boundaries.mcp.listings.schema_contents import compare_arrays, compare_objects
from vcr_gen.boundaries.mcp.listings.schema_findings import Finding, doubtful
from vcr_gen.boundaries.mcp.listings.schema_forms import (
    ALL_TYPES,
    Document,
    Flat,
    Schema,
    UndecidableError,
    alternatives,
    names_of,
    text_of,
    types_of,
    values_of,
)
from vcr_gen.boundaries.mcp.listings.schema_limits import compare_limits
from vcr_gen.runtime.codec import MISSING

_OPAQUE: Final = (
    ("not",),
    ("if", "then", "else"),
    ("contains", "minContains", "maxContains"),
    ("dependentSchemas", "dependencies"),
    ("unevaluatedProperties",),
    ("unevaluatedItems",),
    ("$dynamicRef", "$recursiveRef"),
)
"""Assertions that are compared as texts only."""
_NUMBER: Final = frozenset({"integer", "fraction"})
_GROUPS: Final = (_NUMBER, *(frozenset({name}) for name in sorted(ALL_TYPES - _NUMBER)))


def find_refused(sent: Schema, received: Schema, path: str) -> list[Finding]:
    """The places where a value that `sent` allows may be refused by `received`."""
    if text_of(sent) == text_of(received):
        return []
    return _Comparison(Document(sent), Document(received)).compare(sent, received, path)


@final
class _Comparison:
    """Compares the parts of two documents."""

    def __init__(self, sent: Document, received: Document) -> None:
        self._sent = sent
        self._received = received
        self._same_definitions = sent.definitions == received.definitions
        self._under_way: set[tuple[str, str]] = set()

    def compare(self, sent: Schema, received: Schema, path: str) -> list[Finding]:
        """The findings of two schemas and all within them."""
        if self._same(sent, received):
            return []
        key = text_of(sent), text_of(received)
        if key in self._under_way:  # a recursive type: what differs is found further out
            return []
        self._under_way.add(key)
        try:
            flat, wanted = self._sent.flat(sent), self._received.flat(received)
            found = self._flat(flat, wanted, path)
            types = _type_names(flat, self._sent), _type_names(wanted, self._received)
            return [
                (
                    Finding(path, "type", each.level, *types)
                    if (each.path, each.keyword) == (path, "type")
                    else each
                )
                for each in found
            ]
        except UndecidableError as error:
            return [Finding(path, "schema", "review", reason=str(error))]
        except (TypeError, ValueError, AttributeError, re.error) as error:
            return [Finding(path, "schema", "review", reason=f"not a valid schema: {error}")]
        finally:
            self._under_way.discard(key)

    def _same(self, sent: Any, received: Any) -> bool:
        """Whether both say the same, as far as their texts tell."""
        text = text_of(sent)
        return text == text_of(received) and ('"$ref"' not in text or self._same_definitions)

    def _flat(self, sent: Flat, received: Flat, path: str) -> list[Finding]:
        if "anyOf" in sent or "oneOf" in sent:
            return self._all_sent(alternatives(sent), received, path)
        values = values_of(sent, self._sent)
        if values is not None:
            return self._listed_values(values, sent, received, path)
        found: list[Finding] = []
        for part in received.get("allOf", ()):
            found += self.compare(sent, part, path)
        if "anyOf" in received or "oneOf" in received:
            base = {name: received[name] for name in received if name not in ("anyOf", "oneOf")}
            found += [each for each in self._flat(sent, base, path) if each.keyword != "property"]
            if all(each.level == "compatible" for each in found):
                keyword = "anyOf" if "anyOf" in received else "oneOf"
                found = self._any_received(sent, alternatives(received), keyword, path)
            return found
        found += self._plain(sent, received, path)
        found += self._opaque(sent, received, path)
        if self._has_more_to_say(sent, received):
            found = [doubtful(each) for each in found]
        return found

    def _plain(self, sent: Flat, received: Flat, path: str) -> Iterator[Finding]:
        """Compare without what is composed."""
        extra = types_of(sent) - types_of(received)
        if extra:
            types = names_of(types_of(sent)), names_of(types_of(received))
            yield Finding(path, "type", "breaking", *types)
        if "enum" in received:
            if not extra or types_of(sent) - extra:
                yield Finding(path, "values", "breaking", MISSING, received["enum"])
            return
        yield from compare_limits(sent, received, path)
        shared = types_of(sent) & types_of(received)
        if "array" in shared:
            yield from compare_arrays(sent, received, path, self.compare)
        if "object" in shared:
            yield from compare_objects(sent, received, path, self.compare)

    def _listed_values(
        self, values: Sequence[Any], sent: Flat, received: Flat, path: str
    ) -> list[Finding]:
        refused = [value for value in values if self._received.errors(value, received)]
        if not refused:
            return []
        if "enum" in sent and "enum" in received:
            return [Finding(path, "values", "breaking", sent["enum"], received["enum"])]
        types = names_of(types_of(sent)), names_of(types_of(received))
        if "enum" not in sent and types[0] != types[1]:
            return [Finding(path, "type", "breaking", *types)]
        accepted = [value for value in values if value not in refused]
        return [Finding(path, "values", "breaking", list(values), accepted)]

    def _all_sent(self, sent: Sequence[Schema], received: Flat, path: str) -> list[Finding]:
        """Each alternative of the sender must be accepted."""
        found: list[Finding] = []
        for each in sent:
            for finding in self.compare(each, received, path):
                if finding not in found:
                    found.append(finding)
        return found

    def _any_received(
        self, sent: Flat, branches: Sequence[Schema], keyword: str, path: str
    ) -> list[Finding]:
        """What is sent must be accepted by an alternative, with `oneOf` by exactly one."""
        flats = [self._received.flat(branch) for branch in branches]
        near = [flat for flat in flats if not self._apart(sent, flat)]
        if not near and not any(types_of(sent) & types_of(flat) for flat in flats):
            return [Finding(path, "type", "breaking")]
        if not near:
            return [Finding(path, "alternatives", "breaking", _summary(sent), MISSING)]
        attempts = [self._flat(sent, flat, path) for flat in near]
        covered = [found for found in attempts if all(each.level == "compatible" for each in found)]
        if covered and (keyword == "anyOf" or len(near) == 1):
            return covered[0]
        if len(near) == 1:
            return attempts[0]
        parts = [types_of(sent) & group for group in _GROUPS if types_of(sent) & group]
        if not covered and len(parts) > 1:
            found: list[Finding] = []
            for part in parts:
                one = {**sent, "type": names_of(part)}
                found += self._any_received(one, branches, keyword, path)
            return found
        reason = "more than one alternative may accept it" if covered else "no single one fits"
        return [Finding(path, keyword, "review", reason=reason)]

    def _apart(self, one: Flat, other: Flat, depth: int = 0) -> bool:
        """Whether no value can be sent by the one and accepted by the other."""
        shared = types_of(one) & types_of(other)
        values = None if depth > 5 else values_of(one, self._sent)
        if values is not None:
            return all(self._received.errors(value, other) for value in values)
        if shared != {"object"} or depth > 5:
            return not shared
        ours, theirs = one.get("properties", {}), other.get("properties", {})
        needed = set(other.get("required", ()))
        if any(name not in ours for name in needed if "patternProperties" not in one):
            return True
        return any(
            self._apart(self._sent.flat(ours[name]), self._received.flat(theirs[name]), depth + 1)
            for name in needed & set(one.get("required", ())) & set(theirs)
        )

    def _opaque(self, sent: Flat, received: Flat, path: str) -> Iterator[Finding]:
        """Assertions of the receiver that cannot be compared."""
        for keywords in _OPAQUE:
            theirs = {name: received[name] for name in keywords if name in received}
            ours = {name: sent[name] for name in keywords if name in sent}
            if theirs and not self._same(ours, theirs):
                reason = "cannot be compared"
                yield Finding(path, next(iter(theirs)), "review", reason=reason)
        needed: Mapping[str, Any] = received.get("dependentRequired", {})
        for name, others in needed.items():
            ours = sent.get("dependentRequired", {}).get(name, ())
            missing = set(others) - {*ours, *sent.get("required", ())}
            if missing and name in sent.get("properties", ()):
                yield Finding(
                    path, "dependentRequired", "breaking", sorted(ours) or MISSING, sorted(others)
                )

    def _has_more_to_say(self, sent: Flat, received: Flat) -> bool:
        """Whether the sender has assertions that were not looked at, and are not in both."""
        names = ("allOf", *(name for keywords in _OPAQUE for name in keywords))
        return any(
            name in sent and not self._same(sent[name], received.get(name)) for name in names
        )


def _type_names(flat: Flat, document: Document) -> Any:
    """The types that a schema or its alternatives allow, as a tuple; MISSING for all types."""
    types = {name for each in alternatives(flat) for name in types_of(document.flat(each))}
    return MISSING if types == ALL_TYPES else tuple(names_of(types))


def _summary(flat: Flat) -> Any:
    """What tells an alternative from the others."""
    named = flat.get("properties", {})
    kinds = {
        name: item["const"]
        for name, item in named.items()
        if isinstance(item, Mapping) and "const" in item
    }
    return kinds or (tuple(named) if named else tuple(names_of(types_of(flat))))
