"""Pairs of schemas, and what the change from one to the other means for clients."""

from typing import Any

import pytest

from vcr_gen.boundaries.mcp.listings.schema_changes import compare_inputs, compare_outputs

ORDER = ("breaking", "review", "compatible", "note")


def obj(required: tuple[str, ...] = (), /, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def closed(required: tuple[str, ...] = (), /, **properties: Any) -> dict[str, Any]:
    return {**obj(required, **properties), "additionalProperties": False}


S, INT, N, B, NULL = ({"type": name} for name in ("string", "integer", "number", "boolean", "null"))
CAT = obj(("kind",), kind={"const": "cat"}, lives=INT)
DOG = obj(("kind",), kind={"const": "dog"}, name=S)
TREE = {"$defs": {"node": obj(("value",), value=S, next={"$ref": "#/$defs/node"})}}
DEEPER = {
    "$defs": {"node": obj(("value",), value={**S, "maxLength": 5}, next={"$ref": "#/$defs/node"})}
}
LONGER = {"$defs": {"node": obj(("value", "next"), value=S, next={"$ref": "#/$defs/node"})}}
ROOT = {"$ref": "#/$defs/node"}

PAIRS: dict[str, tuple[Any, Any, str, str]] = {
    # the shape of objects
    "nothing": (obj(a=S), obj(a=S), "same", "same"),
    "order of properties": (obj(a=S, b=INT), obj(b=INT, a=S), "same", "same"),
    "order of required": (obj(("a", "b"), a=S, b=S), obj(("b", "a"), a=S, b=S), "same", "same"),
    "order of enum": ({"enum": [1, 2]}, {"enum": [2, 1]}, "same", "same"),
    "order of types": ({"type": ["string", "null"]}, {"type": ["null", "string"]}, "same", "same"),
    "optional added": (obj(a=S), obj(a=S, b=S), "compatible", "compatible"),
    "optional added to a closed one": (closed(a=S), closed(a=S, b=S), "compatible", "breaking"),
    "required added": (obj(a=S), obj(("b",), a=S, b=S), "breaking", "compatible"),
    "required added without a property": (obj(a=S), obj(("b",), a=S), "breaking", "compatible"),
    "becomes required": (obj(a=S), obj(("a",), a=S), "breaking", "compatible"),
    "becomes optional": (obj(("a",), a=S), obj(a=S), "compatible", "breaking"),
    "optional removed": (obj(a=S, b=S), obj(a=S), "review", "compatible"),
    "required removed": (obj(("b",), a=S, b=S), obj(a=S), "review", "breaking"),
    "removed from a closed one": (closed(a=S, b=S), closed(a=S), "breaking", "compatible"),
    "renamed": (obj(("a",), a=S), obj(("b",), b=S), "breaking", "breaking"),
    "closed": (obj(a=S), closed(a=S), "review", "compatible"),
    "opened": (closed(a=S), obj(a=S), "compatible", "review"),
    "closed what was open on purpose": (
        {**obj(a=S), "additionalProperties": True},
        closed(a=S),
        "breaking",
        "compatible",
    ),
    "other properties get a type": (
        {"type": "object", "additionalProperties": True},
        {"type": "object", "additionalProperties": S},
        "breaking",
        "compatible",
    ),
    "other properties get another type": (
        {"type": "object", "additionalProperties": S},
        {"type": "object", "additionalProperties": INT},
        "breaking",
        "breaking",
    ),
    "other properties stay": (
        {"type": "object", "additionalProperties": S},
        {"type": "object", "additionalProperties": {**S, "title": "T"}},
        "note",
        "note",
    ),
    "a name is taken from a map": (
        {"type": "object", "additionalProperties": S},
        {**obj(a=INT), "additionalProperties": S},
        "review",
        "breaking",
    ),
    "a property moves to a pattern": (
        closed(x_a=S),
        {"type": "object", "patternProperties": {"^x_": S}, "additionalProperties": False},
        "compatible",
        "breaking",
    ),
    "the schema of a pattern": (
        {"type": "object", "patternProperties": {"^x_": S}},
        {"type": "object", "patternProperties": {"^x_": INT}},
        "breaking",
        "breaking",
    ),
    "fewer properties": (
        {"type": "object", "maxProperties": 5},
        {"type": "object", "maxProperties": 2},
        "breaking",
        "compatible",
    ),
    "names of properties": (
        {"type": "object"},
        {"type": "object", "propertyNames": {"maxLength": 3}},
        "breaking",
        "compatible",
    ),
    "dependent required": (
        obj(a=S, b=S),
        {**obj(a=S, b=S), "dependentRequired": {"a": ["b"]}},
        "breaking",
        "compatible",
    ),
    "a nested parameter": (
        obj(a=obj(b=S)),
        obj(a=obj(("c",), b=S, c=S)),
        "breaking",
        "compatible",
    ),
    # types
    "another type": (obj(a=S), obj(a=INT), "breaking", "breaking"),
    "integer to number": (INT, N, "compatible", "breaking"),
    "number to integer": (N, INT, "breaking", "compatible"),
    "null allowed": (S, {"type": ["string", "null"]}, "compatible", "breaking"),
    "null allowed by a union": (S, {"anyOf": [S, NULL]}, "compatible", "breaking"),
    "null no longer allowed": ({"anyOf": [S, NULL]}, S, "breaking", "compatible"),
    "a union written as types": (
        {"anyOf": [S, NULL]},
        {"type": ["string", "null"]},
        "same",
        "same",
    ),
    "any type": (S, {}, "compatible", "breaking"),
    "a type where there was none": ({}, S, "breaking", "compatible"),
    "true is everything": ({}, True, "same", "same"),
    "false is nothing": (S, False, "breaking", "compatible"),
    # values
    "a value more": ({"enum": ["a"]}, {"enum": ["a", "b"]}, "compatible", "breaking"),
    "a value less": ({"enum": ["a", "b"]}, {"enum": ["a"]}, "breaking", "compatible"),
    "const is one value": ({"const": 1}, {"enum": [1]}, "same", "same"),
    "only some texts": (S, {"type": "string", "enum": ["a"]}, "breaking", "compatible"),
    "values that fit": ({"enum": ["a", "bb"]}, {**S, "maxLength": 2}, "compatible", "breaking"),
    "values that do not fit": (
        {"enum": ["a", "bbb"]},
        {**S, "maxLength": 2},
        "breaking",
        "breaking",
    ),
    "booleans as values": (B, {"enum": [True, False]}, "same", "same"),
    # limits
    "a lower maximum": ({**INT, "maximum": 9}, {**INT, "maximum": 5}, "breaking", "compatible"),
    "a maximum where there was none": (INT, {**INT, "maximum": 5}, "breaking", "compatible"),
    "no minimum": ({**N, "minimum": 1}, N, "compatible", "breaking"),
    "the same bound, said otherwise": (
        {**INT, "minimum": 1},
        {**INT, "exclusiveMinimum": 0},
        "same",
        "same",
    ),
    "an excluded bound": (
        {**N, "minimum": 0},
        {**N, "exclusiveMinimum": 0},
        "breaking",
        "compatible",
    ),
    "a multiple": ({**INT, "multipleOf": 4}, {**INT, "multipleOf": 2}, "compatible", "breaking"),
    "tenths": ({**N, "multipleOf": 0.5}, {**N, "multipleOf": 0.1}, "compatible", "breaking"),
    "whole multiples of integers": (INT, {**INT, "multipleOf": 1}, "same", "same"),
    "shorter texts": (S, {**S, "maxLength": 5}, "breaking", "compatible"),
    "longer texts": ({**S, "minLength": 5}, {**S, "minLength": 2}, "compatible", "breaking"),
    "a limit of another type": (S, {**S, "maximum": 3}, "same", "same"),
    "a pattern added": (S, {**S, "pattern": "^a"}, "breaking", "compatible"),
    "a pattern removed": ({**S, "pattern": "^a"}, S, "compatible", "breaking"),
    "a pattern that allows all": (S, {**S, "pattern": ".*"}, "same", "same"),
    "another pattern": ({**S, "pattern": "^a"}, {**S, "pattern": "^b"}, "review", "review"),
    "a format added": (S, {**S, "format": "date"}, "review", "compatible"),
    "another format": ({**S, "format": "date"}, {**S, "format": "time"}, "review", "review"),
    # arrays
    "items of another type": (
        {"type": "array", "items": S},
        {"type": "array", "items": INT},
        "breaking",
        "breaking",
    ),
    "items where there were any": (
        {"type": "array"},
        {"type": "array", "items": S},
        "breaking",
        "compatible",
    ),
    "fewer items": ({"type": "array"}, {"type": "array", "maxItems": 2}, "breaking", "compatible"),
    "unique items": (
        {"type": "array"},
        {"type": "array", "uniqueItems": True},
        "breaking",
        "compatible",
    ),
    "a tuple": (
        {"type": "array", "prefixItems": [S, INT]},
        {"type": "array", "prefixItems": [S, S]},
        "breaking",
        "breaking",
    ),
    "a tuple of another draft": (
        {"type": "array", "items": [S, INT], "additionalItems": False},
        {"type": "array", "prefixItems": [S, INT], "items": False},
        "same",
        "same",
    ),
    "an array that contains": (
        {"type": "array"},
        {"type": "array", "contains": S},
        "review",
        "compatible",
    ),
    # what is composed
    "an alternative more": ({"anyOf": [CAT]}, {"anyOf": [CAT, DOG]}, "compatible", "breaking"),
    "an alternative less": ({"anyOf": [CAT, DOG]}, {"anyOf": [CAT]}, "breaking", "compatible"),
    "the order of alternatives": ({"oneOf": [CAT, DOG]}, {"oneOf": [DOG, CAT]}, "same", "same"),
    "an alternative changes": (
        {"oneOf": [CAT, DOG]},
        {"oneOf": [CAT, {**DOG, "required": ["kind", "name"]}]},
        "breaking",
        "compatible",
    ),
    "alternatives that overlap": (
        {"anyOf": [{**INT, "maximum": 5}, {**INT, "minimum": 3}]},
        {"anyOf": [{**INT, "maximum": 4}, {**INT, "minimum": 3}]},
        "review",
        "compatible",
    ),
    "one alternative of many": (
        INT,
        {"oneOf": [INT, {**N, "minimum": 3}]},
        "review",
        "breaking",
    ),
    "merged parts": (
        {"allOf": [obj(("a",), a=S), obj(b=INT)]},
        obj(("a",), a=S, b=INT),
        "same",
        "same",
    ),
    "a part more": (obj(a=S), {"allOf": [obj(a=S), obj(("b",), b=INT)]}, "breaking", "compatible"),
    "a negation added": (S, {**S, "not": {"const": "x"}}, "review", "compatible"),
    "a negation stays": (
        {**S, "not": {"const": "x"}},
        {**S, "not": {"const": "x"}, "maxLength": 5},
        "breaking",
        "compatible",
    ),
    "a condition": (
        obj(a=S),
        {**obj(a=S), "if": {"required": ["a"]}, "then": {"minProperties": 2}},
        "review",
        "compatible",
    ),
    # references
    "a reference resolved": (
        {"$defs": {"x": S}, **obj(a={"$ref": "#/$defs/x"})},
        obj(a=S),
        "same",
        "same",
    ),
    "what a reference leads to": (
        {"$defs": {"x": S}, **obj(a={"$ref": "#/$defs/x"})},
        {"$defs": {"x": INT}, **obj(a={"$ref": "#/$defs/x"})},
        "breaking",
        "breaking",
    ),
    "a recursive type": ({**TREE, **ROOT}, {**TREE, **obj(("value",)), **ROOT}, "same", "same"),
    "inside a recursive type": ({**TREE, **ROOT}, {**DEEPER, **ROOT}, "breaking", "compatible"),
    "required in a recursive type": (
        {**TREE, **ROOT},
        {**LONGER, **ROOT},
        "breaking",
        "compatible",
    ),
    "a reference to itself": (
        {"$defs": {"x": {"$ref": "#/$defs/x"}}, **obj(a={"$ref": "#/$defs/x"})},
        {"$defs": {"x": {"$ref": "#/$defs/x"}}, **obj(a={"$ref": "#/$defs/x"}, b=S)},
        "compatible",
        "compatible",
    ),
    "a reference that becomes one to itself": (
        {"$defs": {"x": S}, **obj(a={"$ref": "#/$defs/x"})},
        {"$defs": {"x": {"$ref": "#/$defs/x"}}, **obj(a={"$ref": "#/$defs/x"})},
        "review",
        "review",
    ),
    "a reference to elsewhere": (obj(a=S), obj(a={"$ref": "https://x.test/s"}), "review", "review"),
    "a reference to nothing": (obj(a=S), obj(a={"$ref": "#/$defs/x"}), "review", "review"),
    "not a schema": (obj(a=S), obj(a="string"), "review", "review"),
    "an invalid pattern": ({"enum": ["a"]}, {**S, "pattern": "("}, "review", "breaking"),
    # annotations
    "a description": (obj(a=S), obj(a={**S, "description": "d"}), "note", "note"),
    "a title": ({**S, "title": "a"}, {**S, "title": "b"}, "note", "note"),
    "a default": (obj(a={**INT, "default": 1}), obj(a={**INT, "default": 2}), "review", "note"),
    "a parameter named description": (
        obj(description=S),
        obj(description={**S, "maxLength": 3}),
        "breaking",
        "compatible",
    ),
}


def worst(changes: list[Any]) -> str:
    return min((change.level for change in changes), key=ORDER.index, default="same")


@pytest.mark.parametrize("name", PAIRS)
def test_what_a_change_means_for_those_who_send(name: str) -> None:
    before, after, expected, _ = PAIRS[name]
    changes = compare_inputs(before, after, "inputSchema")

    assert expected == worst(changes), changes


@pytest.mark.parametrize("name", PAIRS)
def test_what_a_change_means_for_those_who_receive(name: str) -> None:
    before, after, _, expected = PAIRS[name]
    changes = compare_outputs(before, after, "outputSchema")

    assert expected == worst(changes), changes
