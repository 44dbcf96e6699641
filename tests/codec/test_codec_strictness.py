"""Nothing is coerced, guessed or overlooked, in either direction; errors say where."""

import datetime as dt
import decimal
import inspect
import io
import os
import pathlib
import sys
import threading
import types
import uuid
from collections import abc, deque
from typing import IO, Any, BinaryIO, Literal

import codec_errors as errors
import codec_library_models as lib
import codec_models as m
import pytest

from vcr_gen.errors import DecodeError, EncodeError
from vcr_gen.runtime.codec import Compiler, Registry

COMPILER = Compiler(registry=Registry())

REFUSED_PLAINS: dict[str, tuple[Any, Any, str]] = {
    "str for int": (int, "1", "$"),
    "bool for int": (int, True, "$"),
    "float for int": (int, 1.0, "$"),
    "null for int": (int, None, "$"),
    "int beyond 64 bits, bare": (int, 2**63, "$"),
    "small int as a big one": (int, {"$int": "5"}, "$.$int"),
    "least 64-bit int as a big one": (int, {"$int": str(-(2**63))}, "$.$int"),
    "greatest 64-bit int as a big one": (int, {"$int": str(2**63 - 1)}, "$.$int"),
    "anything for a function": (abc.Callable[[], int], 1, "$"),
    "anything for a traceback": (types.TracebackType, 1, "$"),
    "number for a class": (type[m.Point], 5, "$"),
    "big int with leading zeros": (int, {"$int": "0018446744073709551616"}, "$.$int"),
    "big int with sign": (int, {"$int": "+18446744073709551616"}, "$.$int"),
    "big int with underscore": (int, {"$int": "18_446744073709551616"}, "$.$int"),
    "int for float": (float, 1, "$"),
    "inf as text": (float, "inf", "$"),
    "nan, bare": (float, float("nan"), "$"),
    "finite as odd float": (float, {"$float": "1.5"}, "$.$float"),
    "int for bool": (bool, 1, "$"),
    "str for bool": (bool, "true", "$"),
    "int for str": (str, 1, "$"),
    "false for none": (None, False, "$"),
    "lone surrogate, bare": (str, "\udc80", "$"),
    "escaped text that needs no escape": (str, {"$escaped": "abc"}, "$.$escaped"),
    "binary as text": (bytes, "a\x00", "$"),
    "text in base64": (bytes, {"$base64": "aGVsbG8="}, "$.$base64"),
    "sloppy base64": (bytes, {"$base64": "/w"}, "$.$base64"),
    "uuid in capitals": (uuid.UUID, "00000000-0000-0000-0000-00000000000A", "$"),
    "uuid without dashes": (uuid.UUID, "0" * 32, "$"),
    "date with time": (dt.date, "2026-01-01T00:00:00", "$"),
    "datetime without time": (dt.datetime, "2026-01-01", "$"),
    "datetime with Z": (dt.datetime, "2026-01-01T00:00:00Z", "$"),
    "datetime in a zone that is not": (dt.datetime, "2026-01-01T00:00:00[Mars/Base]", "$"),
    "datetime in a zone outside": (dt.datetime, "2026-01-01T00:00:00[../../etc/passwd]", "$"),
    "decimal with spaces": (decimal.Decimal, " 1.0", "$"),
    "decimal from int": (decimal.Decimal, 1, "$"),
    "path not normal": (pathlib.Path, "a//b", "$"),
    "enum by value": (m.Color, 1, "$"),
    "enum by unknown name": (m.Color, "GREEN", "$"),
    "enum by alias": (m.Color, "CRIMSON", "$"),
    "flag in another order": (m.Perm, "X|R", "$"),
    "flag by composite name": (m.Perm, "RW", "$"),
    "literal not listed": (Literal["a"], "b", "$"),
    "literal of another type": (Literal[1], True, "$"),
    "tuple for list": (list[int], {"$type": "tuple", "$value": [1]}, "$"),
    "dict for list": (list[int], {}, "$"),
    "str for list": (list[str], "ab", "$"),
    "item of a list": (list[int], [1, "2"], "$[1]"),
    "tuple too short": (tuple[int, str], [1], "$"),
    "tuple too long": (tuple[int], [1, 2], "$"),
    "repeated set item": (set[int], [1, 1], "$"),
    "unhashable set item": (set[Any], [[1]], "$"),
    "list for dict": (dict[str, int], [], "$"),
    "value in a dict": (dict[str, int], {"a": "1"}, "$.a"),
    "dollar key in a dict": (dict[str, int], {"$a": 1, "b": 2}, "$"),
    "int key with zeros": (dict[int, int], {"01": 1}, "$[a key]"),
    "key not a number": (dict[int, int], {"a": 1}, "$[a key]"),
    "repeated pair": (dict[Any, int], {"$items": [[1, 1], [1, 2]]}, "$"),
    "pair of three": (dict[Any, int], {"$items": [[1, 1, 1]]}, "$.$items[0]"),
    "unhashable key": (dict[Any, int], {"$items": [[[], 1]]}, "$.$items"),
    "missing field": (m.Point, {"x": 1}, "$.y"),
    "missing field with a default": (m.Frozen, {"name": "a"}, "$.tags"),
    "unknown field": (m.Point, {"x": 1, "y": 2, "z": 3}, "$"),
    "list for dataclass": (m.Point, [1, 2], "$"),
    "field of a field": (list[m.Tree], [{"value": 1, "children": [], "parent": 5}], "$[0].parent"),
    "missing key of a typed dict": (m.Movie, {"year": 1}, "$.title"),
    "unknown key of a typed dict": (m.Movie, {"title": "a", "x": 1}, "$"),
    "tagged typed dict": (m.Movie, {"$type": "dict", "title": "a"}, "$"),
    "unknown field of attrs": (lib.AttrsPoint, {"x": 1, "y": 1, "_hidden": "", "z": 1}, "$"),
    "alias of attrs": (lib.AttrsPoint, {"x": 1, "y": 1, "hidden": ""}, "$._hidden"),
    "str for int in pydantic": (lib.Model, {"a": "1", "b": None, "points": []}, "$.a"),
    "extra where none is allowed": (
        lib.Model,
        {"a": 1, "b": None, "points": [], "$extra": {"z": 1}},
        "$.$extra",
    ),
    "unknown defaulted name": (
        lib.Model,
        {"a": 1, "b": None, "points": [], "$defaulted": ["z"]},
        "$.$defaulted",
    ),
    "float for int in msgspec": (lib.StructPoint, {"x": 1.0, "y": 0}, "$.x"),
    "untagged union of dataclasses": (m.Circle | m.Square, {"r": 1.0}, "$"),
    "union tag of a stranger": (m.Circle | m.Square, {"$type": "codec_models.Point"}, "$"),
    "tag that repeats the declared type": (
        m.Point,
        {"$type": "codec_models.Point", "x": 1, "y": 2},
        "$",
    ),
    "tag outside the declared base": (m.Point, {"$type": "codec_models.Circle", "r": 1.0}, "$"),
    "unknown special kind": (Any, {"$what": 1}, "$"),
    "base64 without its type under Any": (Any, {"$base64": "/w=="}, "$"),
    "exception without args": (ValueError, {}, "$"),
    "exception with an unknown part": (ValueError, {"args": [], "trace": 1}, "$"),
    "exception suppressing falsely": (
        ValueError,
        {"args": [], "context_suppressed": False},
        "$.context_suppressed",
    ),
    "exception whose cause is none": (ValueError, {"args": [], "cause": 1}, "$.cause"),
    "attribute that is no attribute": (
        ValueError,
        {"args": [], "attributes": {"__class__": 1}},
        "$.attributes.__class__",
    ),
}


@pytest.mark.parametrize("name", REFUSED_PLAINS)
def test_a_wrong_plain_is_refused_with_its_place(name: str) -> None:
    annotation, plain, path = REFUSED_PLAINS[name]
    with pytest.raises(DecodeError) as caught:
        COMPILER.codec(annotation).decode(plain)
    assert path == caught.value.path


def test_at_least_38_wrong_plains_are_tried() -> None:
    assert len(REFUSED_PLAINS) >= 38


REFUSED_VALUES: dict[str, tuple[Any, object, str]] = {
    "str for int": (int, "1", "$"),
    "float for int": (int, 1.0, "$"),
    "none for int": (int, None, "$"),
    "int for str": (str, 1, "$"),
    "int for bool": (bool, 1, "$"),
    "str for float": (float, "1.0", "$"),
    "bytes for str": (str, b"a", "$"),
    "str for path": (pathlib.Path, "a", "$"),
    "date for datetime": (dt.datetime, dt.date(2026, 1, 1), "$"),
    "value for enum": (m.Color, 1, "$"),
    "literal of another type": (Literal[1], True, "$"),
    "tuple for list": (list[int], (1,), "$"),
    "list for tuple": (tuple[int, ...], [1], "$"),
    "item of a list": (list[int], [1, None], "$[1]"),
    "deque with a bound": (deque[int], deque([1, 2], 5), "$"),
    "tuple too long": (tuple[int], (1, 2), "$"),
    "generator for iterable": (abc.Iterable[int], (i for i in range(3)), "$"),
    "value of a dict": (dict[str, m.Point], {"a": m.Point(1, "y")}, "$.a.y"),
    "key of a dict": (dict[str, int], {1: 1}, "$[a key]"),
    "field": (m.Tree, m.Tree(1, [m.Tree(None)]), "$.children[0].value"),
    "other dataclass": (m.Point, m.Circle(1.0), "$"),
    "no member of a union": (m.Circle | m.Square, m.Point(1, 2), "$"),
    "extra key of a typed dict": (m.Movie, {"title": "a", "z": 1}, "$"),
    "missing key of a typed dict": (m.Movie, {}, "$.title"),
    "mapping for a typed dict": (m.Movie, m.Headers(title="a"), "$"),
    "live object": (Any, m.Connection(), "$.lock"),
    "live object in a list": (list[object], [1, m.Connection()], "$[1].lock"),
    "live object declared": (m.Connection, m.Connection(), "$.lock"),
    "plain object under a protocol": (m.HasArea, m.Opaque(1), "$"),
    "file": (Any, io.StringIO("a"), "$"),
    "lock": (Any, threading.Lock(), "$"),
    "function": (Any, len, "$"),
    "callable": (abc.Callable[[], int], len, "$"),
    "module": (Any, dt, "$"),
    "class that is not data": (type, threading.Thread, "$"),
    "class outside the base": (type[m.Point], m.Circle, "$"),
    "exception with a live argument": (
        Any,
        errors.DataError(1, [m.Connection()]),
        "$.args[1][0].lock",
    ),
}


@pytest.mark.parametrize("name", REFUSED_VALUES)
def test_a_wrong_value_is_refused_while_recording(name: str) -> None:
    annotation, value, path = REFUSED_VALUES[name]
    with pytest.raises(EncodeError) as caught:
        COMPILER.codec(annotation).encode(value)
    assert path == caught.value.path


def test_an_error_names_place_expectation_and_finding() -> None:
    plain = {"value": 1, "children": [{"value": None, "children": [], "parent": None}]}
    with pytest.raises(DecodeError) as caught:
        COMPILER.codec(m.Tree).decode({**plain, "parent": None})
    assert str(caught.value) == "$.children[0].value: expected int, got None"
    assert (caught.value.expected, caught.value.got) == ("int", "None")


def test_an_unknown_type_is_named_with_the_way_to_register_it() -> None:
    with pytest.raises(EncodeError, match=r"_thread\.lock") as caught:
        COMPILER.codec(object).encode(threading.Lock())
    assert "register a codec" in caught.value.hint


@pytest.mark.parametrize("annotation", [IO[str], BinaryIO | None, io.TextIOWrapper])
def test_an_open_file_is_refused_with_what_to_declare_instead(annotation: object) -> None:
    with open(os.devnull) as file, pytest.raises(EncodeError, match="declare BinaryIO or TextIO"):
        COMPILER.codec(annotation).encode(file)


def test_a_cycle_in_a_list_is_refused() -> None:
    cycle: list[object] = []
    cycle.append(cycle)
    with pytest.raises(EncodeError, match="contains itself"):
        COMPILER.codec(object).encode(cycle)


def test_a_cycle_through_dataclasses_is_refused() -> None:
    tree = m.Tree(1)
    tree.children.append(tree)
    with pytest.raises(EncodeError, match="contains itself"):
        COMPILER.codec(m.Tree).encode(tree)


def test_a_cycle_of_causes_is_refused() -> None:
    one, two = ValueError(1), ValueError(2)
    one.__cause__, two.__cause__ = two, one
    with pytest.raises(EncodeError, match="contains itself"):
        COMPILER.codec(object).encode(one)


def test_the_same_object_twice_is_no_cycle() -> None:
    shared = m.Point(1, 2)
    codec = COMPILER.codec(list[m.Point])
    assert [shared, shared] == codec.decode(codec.encode([shared, shared]))


def test_an_error_leaves_the_codec_usable() -> None:
    codec = COMPILER.codec(object)
    cycle: list[object] = []
    cycle.append(cycle)
    for _ in range(3):
        with pytest.raises(EncodeError):
            codec.encode(cycle)
    assert codec.encode([[1]]) == [[1]]


def test_an_unsupported_annotation_does_not_spoil_its_neighbours() -> None:
    codec = COMPILER.codec(m.Job)
    job = m.Job("a", run=None)
    assert job == codec.decode(codec.encode(job))
    with pytest.raises(EncodeError) as caught:
        codec.encode(m.Job("a", run=lambda: 1))
    assert caught.value.path == "$.run"


def test_later_changes_to_a_value_do_not_reach_its_plain() -> None:
    value: dict[str, list[int]] = {"a": [1]}
    plain = COMPILER.codec(dict[str, list[int]]).encode(value)
    value["a"].append(2)
    assert plain == {"a": [1]}


def test_init_runs_but_cannot_change_the_recorded_fields() -> None:
    codec = COMPILER.codec(m.Normalised)
    odd = m.Normalised("x")
    odd.text = "  kept  "
    back = codec.decode(codec.encode(odd))
    assert odd == back


def test_a_class_whose_init_raises_is_refused_by_our_error() -> None:
    codec = COMPILER.codec(m.NotInit)
    with pytest.raises(DecodeError):
        codec.decode({"a": 1, "doubled": "x"})


def test_undecorated_subclass_with_own_state_is_refused() -> None:
    value = m.Undecorated(1, 2)
    value.more = 3
    with pytest.raises(EncodeError, match="more"):
        COMPILER.codec(m.Point).encode(value)


def test_an_attribute_that_is_no_field_is_not_silently_lost() -> None:
    value = m.Point(1, 2)
    vars(value)["noted"] = 3
    with pytest.raises(EncodeError, match="noted"):
        COMPILER.codec(m.Point).encode(value)


def test_a_computed_attribute_is_no_loss() -> None:
    value = m.Cached(3)
    assert value.double == 6
    codec = COMPILER.codec(m.Cached)
    assert codec.encode(value) == {"a": 3}


def test_a_recursion_error_leaves_the_depth_where_it_was() -> None:
    limit = sys.getrecursionlimit()
    codec = COMPILER.codec(object)
    value: object = 1
    for _ in range(150):
        value = [value]
    sys.setrecursionlimit(_stack_depth() + 120)
    try:
        for _ in range(5):
            with pytest.raises(EncodeError):
                codec.encode(value)
    finally:
        sys.setrecursionlimit(limit)
    assert codec.encode(value) == value


def _stack_depth() -> int:
    return len(inspect.stack(0))
