"""Words in `Annotated` change what is stored and compared, at any depth."""

import collections
from typing import Annotated, Any, NamedTuple

import codec_errors as errors
import codec_models as m
import pytest
from codec_marked import COMPILER, TOKEN, ModelLogin, Request, TokenError, compare
from pydantic_core import core_schema

from vcr_gen.boundary import Match, Unrecorded, Volatile
from vcr_gen.field_path_syntax import Wild
from vcr_gen.runtime.codec import Compiler


class Row(NamedTuple):
    id: Annotated[int, Volatile]
    name: str


def test_a_volatile_field_is_stored_but_not_compared() -> None:
    codec = COMPILER.codec(Request)
    plain = codec.encode(Request("u", TOKEN, at=5.0))
    assert isinstance(plain, dict)
    assert plain["at"] == 5.0
    assert compare(Request, Request("u", TOKEN, at=1.0), Request("u", "other", at=2.0)) == ()


def test_other_fields_are_still_compared() -> None:
    found = compare(Request, Request("u", TOKEN), Request("v", TOKEN))
    assert [(each.path, each.recorded, each.actual) for each in found] == [("$.url", "u", "v")]


def test_match_decides_by_the_values() -> None:
    assert compare(Request, Request("u", TOKEN, size=1), Request("u", TOKEN, size=9)) == ()
    found = compare(Request, Request("u", TOKEN, size=1), Request("u", TOKEN, size=11))
    assert [each.path for each in found] == ["$.size"]


def test_match_sees_decoded_values() -> None:
    annotation = Annotated[m.Point, Match(lambda a, b: a.x == b.x)]
    assert compare(annotation, m.Point(1, 2), m.Point(1, 3)) == ()
    assert compare(annotation, m.Point(1, 2), m.Point(2, 2))


def test_an_unrecorded_field_is_absent_and_comes_back_as_its_default() -> None:
    codec = COMPILER.codec(Request)
    live = object()
    plain = codec.encode(Request("u", TOKEN, timeout=3.0, client=live))
    assert isinstance(plain, dict)
    assert {"timeout", "client"}.isdisjoint(plain)
    back = codec.decode(plain)
    assert (back.timeout, back.client) == (None, None)


def test_an_unrecorded_value_is_stored_as_null() -> None:
    codec = COMPILER.codec(Annotated[object, Unrecorded])
    assert codec.encode(object()) is None
    assert codec.decode(None) is None


def test_an_unrecorded_private_attribute_is_fresh_again() -> None:
    login = ModelLogin(user="u", password="p")
    login._cache = object()
    codec = COMPILER.codec(ModelLogin)
    assert codec.decode(codec.encode(login))._cache == "fresh"


VOLATILE_PAIRS: dict[str, tuple[Any, Any, Any]] = {
    "list": (list[Annotated[int, Volatile]], [1, 2], [3, 4]),
    "named tuple": (list[Row], [Row(1, "a")], [Row(2, "a")]),
    "dict": (dict[str, Annotated[int, Volatile]], {"a": 1}, {"a": 2}),
    "pairs": (dict[int | str, Annotated[int, Volatile]], {1: 1}, {1: 2}),
    "tuple": (tuple[int, Annotated[int, Volatile]], (1, 2), (1, 3)),
    "tuple repeated": (tuple[Annotated[int, Volatile], ...], (1, 2), (1, 3)),
    "optional": (Annotated[int, Volatile] | None, 1, 2),
    "union": (m.Point | Request, Request("u", "t", 1.0), Request("u", "t", 2.0)),
    "under Any": (Any, [Request("u", "t", 1.0)], [Request("u", "t", 2.0)]),
    "subclass": (m.Shape | Request, Request("u", "t", 1.0), Request("u", "t", 2.0)),
    "exception": (Exception, TokenError("t", 1.0), TokenError("t", 2.0)),
    "exception as argument": (
        Exception,
        errors.PlainError(TokenError("t", 1.0)),
        errors.PlainError(TokenError("t", 2.0)),
    ),
    "ordered": (
        collections.OrderedDict[str, Annotated[int, Volatile]],
        collections.OrderedDict(a=1),
        collections.OrderedDict(a=2),
    ),
}


@pytest.mark.parametrize("name", VOLATILE_PAIRS)
def test_volatile_parts_are_found_inside(name: str) -> None:
    annotation, recorded, actual = VOLATILE_PAIRS[name]
    assert compare(annotation, recorded, actual) == ()


DIFFERENT_PAIRS: dict[str, tuple[Any, Any, Any, str]] = {
    "list shorter": (list[Row], [Row(1, "a"), Row(1, "b")], [Row(2, "a")], "$[1]"),
    "list longer": (list[Row], [Row(1, "a")], [Row(2, "a"), Row(1, "b")], "$[1]"),
    "dict key gone": (dict[str, Annotated[int, Volatile]], {"a": 1}, {}, "$.a"),
    "dict key new": (dict[str, Annotated[int, Volatile]], {}, {"a": 1}, "$.a"),
    "null": (Annotated[int, Volatile] | None, 1, None, "$"),
    "other member": (m.Point | Row, m.Point(1, 2), Row(1, "a"), "$.$type"),
    "bool for int": (int, 1, True, "$"),
}


@pytest.mark.parametrize("name", DIFFERENT_PAIRS)
def test_differences_around_volatile_parts_are_found(name: str) -> None:
    annotation, recorded, actual, path = DIFFERENT_PAIRS[name]
    assert path in {each.path for each in compare(annotation, recorded, actual)}


def test_plains_that_are_none_of_the_type_are_compared_as_they_are() -> None:
    compare_plains = COMPILER.codec(Any).compare
    assert compare_plains is not None
    assert compare_plains({"$type": 1}, {"$type": 2})
    assert compare_plains({"$what": 1}, {"$what": 2})


def test_types_that_all_hold_each_other_are_looked_through_once() -> None:
    codec = Compiler().codec(core_schema.CoreSchema)  # fifty of them
    assert (Wild.DEEP, "type") in codec.few
