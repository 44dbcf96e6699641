"""Compares two schemas of the items of arrays and the properties of objects."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from vcr_gen.boundaries.mcp.listings.schema_findings import Finding, doubtful
from vcr_gen.boundaries.mcp.listings.schema_forms import Flat, Schema, is_trivial
from vcr_gen.runtime.codec import MISSING

Compare: TypeAlias = Callable[[Schema, Schema, str], list[Finding]]
"""Compares what is sent with what is accepted, at a path."""


def compare_arrays(sent: Flat, received: Flat, path: str, compare: Compare) -> Iterator[Finding]:
    """What `received` may refuse of the items of `sent`."""
    first, rest = _items(sent)
    wanted, wanted_rest = _items(received)
    most = sent.get("maxItems", float("inf"))
    for number in range(min(max(len(first), len(wanted)), 100)):
        if number < most:
            ours = first[number] if number < len(first) else rest
            theirs = wanted[number] if number < len(wanted) else wanted_rest
            yield from compare(ours, theirs, f"{path}.prefixItems[{number}]")
    if most > max(len(first), len(wanted)):
        yield from compare(rest, wanted_rest, f"{path}.items")


def compare_objects(sent: Flat, received: Flat, path: str, compare: Compare) -> Iterator[Finding]:
    """What `received` may refuse of the properties of `sent`."""
    ours, theirs = sent.get("properties", {}), received.get("properties", {})
    always = set(sent.get("required", ()))
    for name in received.get("required", ()):
        if name not in always:
            known = False if name in ours else MISSING
            yield Finding(f"{path}.properties.{name}", "required", "breaking", known, True)
    for name, schema in ours.items():
        if schema is not False:
            yield from _property(name, schema, received, path, compare)
    other = sent.get("additionalProperties", True)
    for name, schema in theirs.items():
        if name in ours:
            continue
        place = f"{path}.properties.{name}"
        patterns = [
            item
            for pattern, item in sent.get("patternProperties", {}).items()
            if re.search(pattern, name)
        ]
        if patterns or not (isinstance(other, bool) or is_trivial(other)):
            for each in patterns or [other]:
                yield from map(doubtful, compare(each, schema, place))
        elif name not in received.get("required", ()):
            yield Finding(place, "property", "compatible", MISSING, schema)
    yield from _other_properties(sent, received, path, compare)
    if "propertyNames" in received:
        unnamed = {"enum": list(ours)} if other is False else True
        names = {"type": "string", "allOf": [sent.get("propertyNames", unnamed)]}
        wanted = {"type": "string", "allOf": [received["propertyNames"]]}
        yield from compare(names, wanted, f"{path}.propertyNames")


def _property(
    name: str, schema: Schema, received: Flat, path: str, compare: Compare
) -> Iterator[Finding]:
    """Compare a property that may be sent with everything that the receiver declares about it."""
    place = f"{path}.properties.{name}"
    theirs = [
        item
        for pattern, item in received.get("patternProperties", {}).items()
        if re.search(pattern, name)
    ]
    if name in received.get("properties", {}):
        theirs.append(received["properties"][name])
    if theirs:
        for each in theirs:
            yield from compare(schema, each, place)
        return
    other = received.get("additionalProperties", True)
    if other is False:
        yield Finding(place, "property", "breaking", schema, MISSING)
    elif isinstance(other, bool) or is_trivial(other):
        yield Finding(place, "property", "review", schema, MISSING)
    else:
        yield from compare(schema, other, place)


def _other_properties(sent: Flat, received: Flat, path: str, compare: Compare) -> Iterator[Finding]:
    """Compare what both say of properties that they do not name."""
    ours, theirs = (side.get("additionalProperties", True) for side in (sent, received))
    place = f"{path}.additionalProperties"
    if ours is False or is_trivial(theirs):
        pass
    elif theirs is False:
        shown = True if is_trivial(ours) else ours
        finding = Finding(place, "additionalProperties", "breaking", shown, False)
        yield finding if "additionalProperties" in sent else doubtful(finding)
    else:
        found = compare(ours, theirs, place)
        yield from found if "additionalProperties" in sent else map(doubtful, found)
    mine, yours = (side.get("patternProperties", {}) for side in (sent, received))
    for pattern, schema in mine.items():
        where = f"{path}.patternProperties[{pattern!r}]"
        if pattern in yours:
            yield from compare(schema, yours[pattern], where)
        elif theirs is False and not yours:
            yield Finding(where, "patternProperties", "breaking", schema, MISSING)
        elif not is_trivial(theirs) or yours:
            yield Finding(where, "patternProperties", "review", schema, MISSING)
    if not (isinstance(ours, bool) or is_trivial(ours)):
        for pattern in set(yours) - set(mine):
            where = f"{path}.patternProperties[{pattern!r}]"
            yield Finding(where, "patternProperties", "review", MISSING, yours[pattern])


def _items(flat: Flat) -> tuple[Sequence[Schema], Schema]:
    """The schemas of the first items, and that of all others."""
    items = flat.get("items", True)
    if "prefixItems" in flat:
        return flat["prefixItems"], items
    if isinstance(items, list):  # until draft 2019-09
        return items, flat.get("additionalItems", True)
    return [], items
