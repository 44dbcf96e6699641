"""Sequences, sets, mappings and unions."""

import collections
import datetime as dt
import pathlib
import types
import typing
import uuid
from collections import abc
from typing import Any, Optional

import codec_models as m

from codec_matrix.values import NOON

Places = typing.TypeVarTuple("Places")

CONTAINERS: dict[str, tuple[Any, object]] = {
    # sequences
    "list": (list[int], [1, 2]),
    "list bare": (list, [1, "a", (2,)]),
    "list empty": (list[m.Point], []),
    "list subclass": (list[int], m.Items([1])),
    "tuple": (tuple[int, str], (1, "a")),
    "tuple any length": (tuple[int, ...], (1, 2, 3)),
    "tuple empty": (tuple[()], ()),
    "tuple bare": (tuple, (1, "a")),
    "tuple with unpacked middle": (
        tuple[int, typing.Unpack[tuple[str, ...]]],  # noqa: UP044
        (1, "a", "b"),
    ),
    "tuple with unpacked variables": (tuple[int, *Places], (1, "a", None)),
    "tuple with middle": (tuple[int, *tuple[str, ...], bool], (1, "a", "b", True)),
    "set": (set[str], {"b", "a"}),
    "set of tuples": (set[tuple[int, str]], {(2, "b"), (1, "a")}),
    "set mixed": (set[int | str | None], {1, "1", None}),
    "frozenset": (frozenset[int], frozenset({3, 1})),
    "deque": (collections.deque[int], collections.deque([1, 2])),
    "Sequence list": (abc.Sequence[int], [1]),
    "Sequence tuple": (abc.Sequence[int], (1,)),
    "Sequence str": (abc.Sequence[str], "abc"),
    "Sequence range": (abc.Sequence[int], range(3)),
    "Sequence bytes": (abc.Sequence[int], b"ab"),
    "Sequence deque": (abc.Sequence[int], collections.deque([1])),
    "Sequence named tuple": (abc.Sequence[float], m.Coordinates(1.0, 2.0)),
    "MutableSequence": (abc.MutableSequence[int], [1]),
    "Iterable set": (abc.Iterable[int], {1, 2}),
    "Iterable dict keys": (abc.Iterable[str], {"b": 1, "a": 2}.keys()),
    "Iterable dict": (abc.Iterable[str], {"b": 1}),
    "Collection frozenset": (abc.Collection[int], frozenset({1})),
    "Container": (abc.Container[int], [1]),
    "Set": (abc.Set[int], {1}),
    "Set frozenset": (abc.Set[int], frozenset({1})),
    "Set dict keys": (abc.Set[str], {"a": 1}.keys()),
    "MutableSet": (abc.MutableSet[int], {1}),
    "KeysView": (abc.KeysView[str], {"b": 1, "a": 2}.keys()),
    "ItemsView": (abc.ItemsView[str, int], {"b": 1}.items()),
    "typing.List": (typing.List[int], [1]),  # noqa: UP006
    "typing.Tuple": (typing.Tuple[int, ...], (1,)),  # noqa: UP006
    # mappings
    "dict": (dict[str, int], {"b": 1, "a": 2}),
    "dict bare": (dict, {"b": 1, 2: "a"}),
    "dict empty": (dict[str, int], {}),
    "dict with dollar keys": (dict[str, int], {"$type": 1, "a": 2}),
    "dict with one dollar key": (dict[str, int], {"$items": 1}),
    "dict int keys": (dict[int, str], {1: "a", -2: "b", 2**70: "c"}),
    "dict int keys small": (dict[int, str], {1: "a", -2: "b"}),
    "dict bool key under int": (dict[int, str], {True: "a", 5: "b"}),
    "dict enum keys": (dict[m.Color, int], {m.Color.RED: 1}),
    "dict uuid keys": (dict[uuid.UUID, int], {uuid.UUID(int=1): 1}),
    "dict date keys": (dict[dt.date, int], {dt.date(2026, 1, 1): 1}),
    "dict path keys": (dict[pathlib.Path, int], {pathlib.Path("a"): 1}),
    "dict tuple keys": (dict[tuple[int, int], int], {(1, 2): 3}),
    "dict union keys": (dict[int | str, int], {1: 1, "1": 2}),
    "dict optional keys": (dict[str | None, int], {None: 1, "a": 2}),
    "dict float keys": (dict[float, int], {1.5: 1, float("inf"): 2}),
    "dict surrogate key": (dict[str, int], {"\udc80": 1}),
    "dict dataclass keys": (dict[m.Frozen, int], {m.Frozen("a"): 1}),
    "dict subclass": (dict[str, str], m.Headers(Accept="x")),
    "ordered": (
        collections.OrderedDict[str, int],
        collections.OrderedDict([("b", 1), ("a", 2)]),
    ),
    "ordered under dict": (dict[str, int], collections.OrderedDict(a=1)),
    "defaultdict": (
        collections.defaultdict[str, list[int]],
        collections.defaultdict(list, a=[1]),
    ),
    "defaultdict other factory": (
        collections.defaultdict[str, int],
        collections.defaultdict(float, a=1),
    ),
    "defaultdict no factory": (dict[str, int], collections.defaultdict(None, a=1)),
    "counter": (collections.Counter[str], collections.Counter("abca")),
    "mapping proxy": (types.MappingProxyType[str, int], types.MappingProxyType({"a": 1})),
    "Mapping": (abc.Mapping[str, int], {"a": 1}),
    "Mapping ordered": (abc.Mapping[str, int], collections.OrderedDict(a=1)),
    "Mapping proxy": (abc.Mapping[str, int], types.MappingProxyType({"a": 1})),
    "Mapping counter": (abc.Mapping[str, int], collections.Counter(a=1)),
    "MutableMapping": (abc.MutableMapping[str, int], {"a": 1}),
    # unions
    "optional none": (Optional[int], None),  # noqa: UP045
    "optional value": (int | None, 3),
    "optional list": (list[int] | None, [1]),
    "union of dataclasses, one": (m.Circle | m.Square, m.Circle(1.0)),
    "union of dataclasses, other": (m.Square | m.Circle, m.Circle(1.0)),
    "union with subclass": (m.Point | m.Square, m.Point3(1, 2, 3)),
    "union with declared subclass": (m.Point | m.Point3, m.Point3(1, 2, 3)),
    "union int or float, int": (int | float, 1),
    "union int or float, float": (int | float, 1.0),
    "union int or bool": (int | bool, True),
    "union of lists, one": (list[int] | list[str], [1]),
    "union of lists, other": (list[int] | list[str], ["a"]),
    "union of lists, empty": (list[int] | list[str], []),
    "union list or tuple": (list[int] | tuple[int, ...], (1, 2)),
    "union sequence or tuple": (abc.Sequence[int] | tuple[str, ...], ("a",)),
    "union tuple or sequence": (abc.Sequence[str] | tuple[int, ...], ("a",)),
    "union sequence or mapping": (abc.Sequence[int] | abc.Mapping[str, int], (1, 2)),
    "union str or bytes, text": (str | bytes, b"text"),
    "union str or bytes, binary": (str | bytes, b"\xff"),
    "union date or datetime": (dt.date | dt.datetime, NOON),
    "union many texts": (uuid.UUID | dt.date | pathlib.Path | None, dt.date(2026, 1, 1)),
    "union dict or dataclass, dict": (dict[str, int] | m.Point, {"x": 1, "y": 2}),
    "union dict or dataclass, dataclass": (dict[str, int] | m.Point, m.Point(1, 2)),
    "union of typed dicts": (m.Movie | m.Partial, {"a": 1}),
    "union generic dataclasses": (m.Box[int] | m.Box[str], m.Box("a")),
    "union any": (int | Any, (1, 2)),
    "union with exception": (m.Point | ValueError, ValueError("x")),
    "union nested in list": (
        list[m.Circle | m.Square | None],
        [m.Square(1.0), None, m.Circle(2.0)],
    ),
}
