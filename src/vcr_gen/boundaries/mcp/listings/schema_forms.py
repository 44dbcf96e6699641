"""JSON Schemas in one form: references followed, `allOf` merged, annotations left out."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, TypeAlias, final

from jsonschema import Draft7Validator, Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import EMPTY_REGISTRY

Schema: TypeAlias = Any
"""As it is in a listing: a mapping or a bool, if it is valid."""
Flat: TypeAlias = dict[str, Any]
"""The assertions of a schema; `{}` allows everything, `{"enum": []}` nothing."""

ALL_TYPES: Final = frozenset(
    {"null", "boolean", "integer", "fraction", "string", "array", "object"}
)
"""`fraction` is a number that is not an integer: no two of these overlap."""
_NUMBER: Final = frozenset({"integer", "fraction"})
NOTES: Final = (
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$schema",
)
"""Keywords that tell a reader something, and allow and forbid nothing."""
_ANNOTATIONS: Final = frozenset(
    (
        *NOTES,
        "example",
        "nullable",
        "$comment",
        "$id",
        "id",
        "$anchor",
        "$defs",
        "definitions",
        "$vocabulary",
        "contentSchema",
    )
)
_LARGER: Final = ("minimum", "minLength", "minItems", "minProperties")
_SMALLER: Final = ("maximum", "maxLength", "maxItems", "maxProperties")
_MAX_REFERENCES: Final = 50


class UndecidableError(Exception):
    """A schema says something that cannot be compared."""


@final
class Document:
    """A whole schema, which references inside it point into."""

    def __init__(self, schema: Schema) -> None:
        self.schema: Final = schema
        named = schema.get("$schema", "") if isinstance(schema, Mapping) else ""
        kind = Draft7Validator if "draft-0" in str(named) else Draft202012Validator
        registry: Registry[Any] = EMPTY_REGISTRY  # nothing is fetched
        checked = schema if isinstance(schema, Mapping | bool) else True  # others check nothing
        self._validator: Final[Validator] = kind(checked, registry=registry)

    @property
    def definitions(self) -> str:
        """What references may lead to, as a text to compare."""
        if not isinstance(self.schema, Mapping):
            return ""
        return text_of([self.schema.get("$defs"), self.schema.get("definitions")])

    def errors(self, value: Any, schema: Schema = None) -> list[ValidationError]:
        """Why a value is not valid: for the whole schema, or for one of its parts."""
        part = {} if schema is None else {"schema": schema}
        try:
            return sorted(
                self._validator.evolve(**part).iter_errors(value),
                key=lambda error: error.json_path,
            )
        except Unresolvable as error:
            raise UndecidableError(f"the reference {error.ref} leads nowhere") from None
        except RecursionError:
            raise UndecidableError("a reference points to itself") from None
        except Exception as error:  # an invalid schema: any TypeError, or re.error
            raise UndecidableError(f"the schema is not valid: {error}") from None

    def flat(self, schema: Schema, depth: int = 0) -> Flat:
        """The assertions of a part of this document."""
        if schema is True:
            return {}
        if schema is False:
            return {"enum": []}
        if not isinstance(schema, Mapping):
            raise UndecidableError(f"not a schema: {text_of(schema)}")
        for name in ("allOf", "anyOf", "oneOf"):
            if not isinstance(schema.get(name, []), list):
                raise UndecidableError(f"{name} is not a list")
        if depth > _MAX_REFERENCES:
            raise UndecidableError("a reference points to itself")
        parts = [self.flat(self._target(schema["$ref"]), depth + 1)] if "$ref" in schema else []
        own = {
            name: value
            for name, value in schema.items()
            if name not in _ANNOTATIONS and name not in ("$ref", "allOf")
        }
        if "const" in own:
            parts.append({"enum": [own.pop("const")]})
        listed = schema.get("allOf", ())
        parts += [self.flat(part, depth + 1) for part in listed]
        for part in parts:
            own = _both(own, part)
        return own

    def _target(self, reference: object) -> Schema:
        """What a reference inside the document leads to."""
        if not isinstance(reference, str) or not reference.startswith("#"):
            raise UndecidableError(f"the reference {reference} points outside the schema")
        found: Any = self.schema
        for step in reference[1:].split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~").replace("%25", "%")
            try:
                found = found[int(name)] if isinstance(found, list) else found[name]
            except (LookupError, TypeError, ValueError):
                raise UndecidableError(f"the reference {reference} leads nowhere") from None
        return found


def _both(one: Flat, other: Flat) -> Flat:
    """What both allow; what cannot be merged stays in `allOf`."""
    merged = dict(one)
    if _is_closed(one, other) or _is_closed(other, one):
        return {**merged, "allOf": [*one.get("allOf", ()), other]}
    rest: Flat = {}
    for name, value in other.items():
        known: Any = merged.get(name)
        if name not in merged or known == value:
            merged[name] = value
        elif name == "required":
            merged[name] = sorted({*known, *value})
        elif name == "properties":
            merged[name] = known | {
                key: {"allOf": [known[key], item]} if key in known else item
                for key, item in value.items()
            }
        elif name == "type":
            merged[name] = names_of(types_of({"type": known}) & types_of({"type": value}))
        elif name == "enum":
            merged[name] = [item for item in known if item in value]
        elif name in _LARGER:
            merged[name] = max(known, value)
        elif name in _SMALLER:
            merged[name] = min(known, value)
        elif name == "allOf":
            merged[name] = [*known, *value]
        else:
            rest[name] = value
    if rest:
        merged["allOf"] = [*merged.get("allOf", ()), rest]
    return merged


def _is_closed(one: Flat, other: Flat) -> bool:
    """Whether one says something of properties or items that only the other names."""
    for rule, named in (
        ("additionalProperties", ("properties", "patternProperties")),
        ("items", ("prefixItems",)),
        ("additionalItems", ("items",)),
    ):
        if not is_trivial(one.get(rule, True)) and any(
            one.get(name) != other.get(name) and name in other for name in named
        ):
            return True
    return False


def is_trivial(schema: Schema) -> bool:
    """Whether a schema allows everything."""
    return schema is True or (isinstance(schema, Mapping) and not set(schema) - _ANNOTATIONS)


def types_of(flat: Flat) -> frozenset[str]:
    """The types of values that a schema may allow."""
    if "type" not in flat:
        return ALL_TYPES
    named = flat["type"]
    names = frozenset([named] if isinstance(named, str) else named)
    if "number" in names:
        names = (names - {"number"}) | _NUMBER
    return names & ALL_TYPES


def values_of(flat: Flat, document: Document) -> list[Any] | None:
    """All values that a schema allows; None if they are not listed."""
    if "enum" in flat:
        values: Sequence[Any] = flat["enum"]
    elif types_of(flat) <= {"null", "boolean"}:
        values = [
            value
            for name, items in (("boolean", (True, False)), ("null", (None,)))
            if name in types_of(flat)
            for value in items
        ]
    else:
        return None
    return [value for value in values if not document.errors(value, flat)]


def names_of(types: Iterable[str]) -> list[str]:
    """The names that JSON Schema has for types."""
    found = set(types)
    if "fraction" in found:
        found = (found - _NUMBER) | {"number"}
    return sorted(found)


def alternatives(flat: Flat) -> list[Schema]:
    """The schemas of which a value must match one; the schema itself if it names none."""
    unions = [flat[name] for name in ("anyOf", "oneOf") if isinstance(flat.get(name), list)]
    if not unions:
        return [flat]
    base = {name: item for name, item in flat.items() if name not in ("anyOf", "oneOf")}
    return [{"allOf": [base, *chosen]} if base else chosen[0] for chosen in _choices(unions)]


def _choices(unions: Sequence[Sequence[Schema]]) -> Iterator[tuple[Schema, ...]]:
    if math.prod(map(len, unions)) > 100:
        raise UndecidableError("too many alternatives")
    yield from product(*unions)


def text_of(value: object) -> str:
    """A JSON value as text, the same for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
