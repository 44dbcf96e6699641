"""What holds for every annotation and every value of it."""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import pathlib
import uuid
from collections import abc
from dataclasses import dataclass, make_dataclass
from itertools import count
from typing import Any, Literal

import codec_errors as errors
import codec_models as m
from codec_exact import identical, through_json
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vcr_gen.errors import DecodeError
from vcr_gen.runtime.codec import Compiler, Registry, differences, same
from vcr_gen.runtime.plain import Plain

RECORDING = Compiler(registry=Registry())
REPLAYING = Compiler(registry=Registry())
NUMBERS = count()

PATIENT = settings(
    max_examples=350,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@dataclass(frozen=True)
class Typed:
    """An annotation and the strategy of its values."""

    annotation: Any
    values: st.SearchStrategy[Any]
    hashable: bool = True


text = st.text(st.characters(codec=None), max_size=8)
dates = st.datetimes(
    timezones=st.none() | st.just(dt.UTC) | st.timezones(),
    min_value=dt.datetime(1900, 1, 1),
)

paths = st.from_regex(r"[a-z]{1,5}(/[a-z .]{1,4}z)?", fullmatch=True).map(pathlib.Path)

LEAVES = [
    Typed(None, st.none()),
    Typed(bool, st.booleans()),
    Typed(int, st.integers() | st.booleans() | st.sampled_from(m.Level)),
    Typed(float, st.floats() | st.integers()),
    Typed(str, text | st.sampled_from(m.Word)),
    Typed(bytes, st.binary(max_size=8) | st.text(max_size=4).map(str.encode)),
    Typed(complex, st.complex_numbers() | st.floats(allow_nan=False)),
    Typed(decimal.Decimal, st.decimals(allow_nan=False)),
    Typed(uuid.UUID, st.uuids()),
    Typed(dt.date, st.dates()),
    Typed(dt.datetime, dates),
    Typed(dt.time, st.times(timezones=st.none() | st.just(dt.UTC))),
    Typed(dt.timedelta, st.timedeltas()),
    Typed(
        pathlib.Path,
        st.from_regex(r"[a-z]{1,5}(/[a-z .]{1,4}z)?", fullmatch=True).map(pathlib.Path),
    ),
    Typed(m.Color, st.sampled_from(m.Color)),
    Typed(m.Perm, st.integers(0, 7).map(m.Perm)),
    Typed(Literal["a", 1, True, m.Color.RED], st.sampled_from(["a", 1, True, m.Color.RED])),
    Typed(m.Frozen, st.builds(m.Frozen, text, st.lists(text, max_size=2).map(tuple))),
    Typed(m.Shape, st.builds(m.Circle, st.floats()) | st.builds(m.Square, st.integers()), False),
]

anything = st.recursive(
    st.one_of(*(leaf.values for leaf in LEAVES)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(text | st.integers(), inner, max_size=3),
        st.builds(m.Box, inner),
        st.lists(inner, max_size=2).map(lambda args: errors.PlainError(*args)),
    ),
    max_leaves=6,
)
ANY = Typed(Any, anything, False)


def _list(item: Typed) -> Typed:
    return Typed(list[item.annotation], st.lists(item.values, max_size=3), False)


def _tuple(items: list[Typed]) -> Typed:
    annotations = tuple(item.annotation for item in items)
    return Typed(
        tuple[annotations], st.tuples(*(i.values for i in items)), all(i.hashable for i in items)
    )


def _tuples(item: Typed) -> Typed:
    values = st.lists(item.values, max_size=3).map(tuple)
    return Typed(tuple[item.annotation, ...], values, item.hashable)


def _sequence(item: Typed) -> Typed:
    lists = st.lists(item.values, max_size=3)
    kinds = st.sampled_from([list, tuple, collections.deque])
    values = st.builds(lambda kind, items: kind(items), kinds, lists)
    return Typed(abc.Sequence[item.annotation], values, False)


def _set(item: Typed) -> Typed:
    return Typed(set[item.annotation], st.sets(item.values, max_size=3), False)


def _dict(key: Typed, value: Typed) -> Typed:
    values = st.dictionaries(key.values, value.values, max_size=3)
    return Typed(dict[key.annotation, value.annotation], values, False)


def _mapping(key: Typed, value: Typed) -> Typed:
    dicts = st.dictionaries(key.values, value.values, max_size=3)
    kinds = st.sampled_from([dict, collections.OrderedDict])
    values = st.builds(lambda kind, entries: kind(entries), kinds, dicts)
    return Typed(abc.Mapping[key.annotation, value.annotation], values, False)


def _union(members: list[Typed]) -> Typed:
    annotation: Any = members[0].annotation
    for member in members[1:]:
        annotation = (
            annotation | member.annotation
            if annotation is not None
            else (member.annotation if member.annotation is None else member.annotation | None)
        )
    values = st.one_of(*(member.values for member in members))
    return Typed(annotation, values, all(member.hashable for member in members))


def _record(fields: list[Typed]) -> Typed:
    name = f"Record{next(NUMBERS)}"
    cls = make_dataclass(
        name,
        [(f"f{i}", field.annotation) for i, field in enumerate(fields)],
        namespace={"__module__": __name__},
    )
    cls.__module__ = __name__
    RECORDS.append(cls)
    return Typed(cls, st.builds(cls, *(field.values for field in fields)), False)


RECORDS: list[type] = []


def _box(item: Typed) -> Typed:
    return Typed(m.Box[item.annotation], st.builds(m.Box, item.values), False)


def _row(item: Typed) -> Typed:
    values = st.builds(m.GenericRow, st.integers(), item.values)
    return Typed(m.GenericRow[item.annotation], values, item.hashable)


def _typed_dict(item: Typed) -> Typed:
    return Typed(
        m.GenericDict[item.annotation], st.fixed_dictionaries({"item": item.values}), False
    )


leaves = st.sampled_from([*LEAVES, ANY])
keys = st.sampled_from([leaf for leaf in LEAVES if leaf.hashable])


def _grow(inner: st.SearchStrategy[Typed]) -> st.SearchStrategy[Typed]:
    hashable = inner.filter(lambda each: each.hashable)
    unionable = inner.filter(lambda each: each.annotation is not Any)
    return st.one_of(
        inner.map(_list),
        inner.map(_tuples),
        inner.map(_sequence),
        inner.map(_box),
        inner.map(_row),
        inner.map(_typed_dict),
        keys.map(_set),
        st.lists(inner, max_size=3).map(_tuple),
        st.lists(unionable, min_size=2, max_size=3).map(_union),
        st.lists(inner, max_size=3).map(_record),
        st.builds(_dict, keys, inner),
        st.builds(_mapping, hashable, inner),
    )


annotated = st.recursive(leaves, _grow, max_leaves=5)
typed_values = annotated.flatmap(lambda each: st.tuples(st.just(each.annotation), each.values))


@PATIENT
@given(typed_values)
def test_every_value_comes_back_exactly(case: tuple[Any, Any]) -> None:
    annotation, value = case
    plain = through_json(RECORDING.codec(annotation).encode(value))
    back = REPLAYING.codec(annotation).decode(plain)
    assert identical(value, back), (annotation, value, plain, back)


@PATIENT
@given(typed_values)
def test_every_value_comes_back_exactly_under_any(case: tuple[Any, Any]) -> None:
    _, value = case
    plain = through_json(RECORDING.codec(Any).encode(value))
    assert identical(value, REPLAYING.codec(Any).decode(plain)), (value, plain)


@PATIENT
@given(typed_values)
def test_a_value_equals_itself_and_its_copy(case: tuple[Any, Any]) -> None:
    annotation, value = case
    codec = RECORDING.codec(annotation)
    plain = codec.encode(value)
    again = codec.encode(codec.decode(plain))
    assert same(plain, again)
    assert codec.compare is None or not codec.compare(plain, again)


plains: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            [
                "$type",
                "$value",
                "$items",
                "$int",
                "$float",
                "$base64",
                "$escaped",
                "$bounded",
                "a",
                "x",
                "y",
                "args",
            ]
        ),
        inner
        | st.sampled_from(["tuple", "set", "ValueError", "codec_models.Point", "type", "range"]),
        max_size=3,
    ),
    max_leaves=8,
)


@PATIENT
@given(annotated, plains)
def test_any_plain_gives_a_value_or_our_own_error(each: Typed, plain: Plain) -> None:
    codec = REPLAYING.codec(each.annotation)
    try:
        value = codec.decode(plain)
    except DecodeError:
        return
    back = codec.decode(codec.encode(value))
    assert identical(value, back)


def test_bytes_differ_as_one_value() -> None:
    recorded, actual = {"body": {"$base64": "AAEC"}}, {"body": {"$base64": "AAED"}}
    [found] = differences(recorded, actual)
    assert (found.path, found.actual) == ("$.body", {"$base64": "AAED"})


@PATIENT
@given(plains, plains)
def test_plains_differ_exactly_when_there_is_a_difference(one: Plain, other: Plain) -> None:
    assert same(one, one)
    assert not differences(one, one)
    assert same(one, other) == (not differences(one, other))


@PATIENT
@given(typed_values, plains, st.data())
def test_a_changed_plain_is_refused_or_gives_another_value(
    case: tuple[Any, Any], new: Plain, data: st.DataObject
) -> None:
    annotation, value = case
    codec = REPLAYING.codec(annotation)
    plain = codec.encode(value)
    changed = _change(plain, new, data)
    if same(plain, changed):
        return
    assert codec.compare is None or codec.compare(plain, changed)
    try:
        back = codec.decode(changed)
    except DecodeError:
        return
    assert not identical(value, back) or same(codec.encode(back), plain)


def _change(plain: Any, new: Plain, data: st.DataObject) -> Any:
    """The plain with one place in it replaced."""
    if isinstance(plain, list) and plain:
        i = data.draw(st.integers(0, len(plain) - 1))
        return [*plain[:i], _change(plain[i], new, data), *plain[i + 1 :]]
    if isinstance(plain, dict) and plain:
        key = data.draw(st.sampled_from(sorted(plain)))
        return {**plain, key: _change(plain[key], new, data)}
    return new
