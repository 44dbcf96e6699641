"""Dataclasses, named tuples, typed dicts, and the classes of attrs, pydantic and msgspec."""

import datetime as dt
from typing import Any

import codec_library_models as lib
import codec_models as m
import msgspec
import pydantic
import pydantic_core

_nested = m.Tree(1, [m.Tree(2, [m.Tree(3)]), m.Tree(4)])
_extra = lib.Extra.model_validate({"a": 1, "b": [1, 2], "$c": 3})
_private = lib.Private(a=1)
_private._count = 3
_private._names.append("n")
_day = dt.date(2026, 1, 1)
_link = lib.ModelChain[dt.date](value=_day)
_link._seen.append(_day)
_chain = lib.ModelChain[dt.date](value=_day, next=_link, others={"a": [_link]})

RECORDS: dict[str, tuple[Any, object]] = {
    "dataclass": (m.Point, m.Point(1, 2)),
    "dataclass frozen slots": (m.Frozen, m.Frozen("a", ("b",))),
    "dataclass keyword only": (m.KwOnly, m.KwOnly(a=1, b="c")),
    "dataclass some keyword only": (m.Mixed, m.Mixed(1, b=3)),
    "dataclass not init": (m.NotInit, m.NotInit(3)),
    "dataclass init var": (m.WithInitVar, m.WithInitVar(2, 3)),
    "dataclass factory": (m.Factory, m.Factory([1])),
    "dataclass own init": (m.OwnInit, m.OwnInit("3")),
    "dataclass subclass": (m.Point, m.Point3(1, 2, 3)),
    "dataclass undecorated subclass": (m.Point, m.Undecorated(1, 2)),
    "dataclass generic": (m.Box[m.Point], m.Box(m.Point(1, 2), [m.Point(3, 4)])),
    "dataclass generic bare": (m.Box, m.Box((1, "a"))),
    "dataclass generic child": (m.IntBox, m.IntBox(1, [2], "l")),
    "dataclass generic child under base": (m.Box[int], m.IntBox(1, [2], "l")),
    "dataclass generic nested": (m.Pair[str, int], m.Pair("k", m.Box(1))),
    "dataclass bounded": (m.Bounded[bool], m.Bounded(True)),
    "dataclass recursive": (m.Tree, _nested),
    "dataclass with absent types": (m.UsesAbsent, m.UsesAbsent(1, (2, 3), [m.Point(1, 2)])),
    "dataclass field named like its type": (m.Shadow, m.Shadow(dt.date(2026, 1, 1))),
    "dataclass under abc": (m.Shape, m.Circle(1.0)),
    "dataclass under protocol": (m.HasArea, m.Circle(1.0)),
    "dataclass int under float field": (m.Circle, m.Circle(1)),
    "dataclass with exception": (m.Job, m.Job("j", error=ValueError("x"))),
    "named tuple": (m.Coordinates, m.Coordinates(1.0)),
    "named tuple under tuple": (tuple[float, float], m.Coordinates(1.0)),
    "named tuple generic": (m.GenericRow[list[int]], m.GenericRow(1, [2])),
    "typed dict": (m.Movie, {"title": "a", "year": 1}),
    "typed dict without optional key": (m.Movie, {"title": "a"}),
    "typed dict not total": (m.Partial, {"a": 1}),
    "typed dict inherited": (m.Nested, {"title": "a", "parts": [{"a": 1, "b": "c"}]}),
    "typed dict generic": (m.GenericDict[int], {"item": 1}),
    "typed dict odd keys": (m.Keyworded, {"in": 1, "not-a-name": "a"}),
    "typed dict of typing_extensions": (m.Extended, {"a": 1}),
    "typed dict of typing_extensions, full": (m.Extended, {"a": 1, "b": "c"}),
    "dataclass with computed attribute": (m.Cached, m.Cached(1)),
    "attrs": (lib.AttrsPoint, lib.AttrsPoint(1, 2, "x")),
    "attrs frozen": (lib.AttrsFrozen, lib.AttrsFrozen((lib.AttrsPoint(1),))),
    "attrs converter": (lib.AttrsConverted, lib.AttrsConverted("a,b")),
    "attrs generic": (lib.AttrsGeneric[list[int]], lib.AttrsGeneric([1])),
    "attrs subclass": (lib.AttrsPoint, lib.AttrsChild(1, 2)),
    "pydantic": (lib.Model, lib.Model(a=1, points=[m.Point(1, 2)])),
    "pydantic moment": (
        lib.Meeting,
        lib.Meeting.model_validate({"at": "2024-01-01T00:00:00Z", "until": "10:30:00-03:30"}),
    ),
    "pydantic moment alone": (
        dt.datetime,
        lib.Meeting.model_validate({"at": "2024-01-01T00:00:00+02:00"}).at,
    ),
    "pydantic all set": (lib.Model, lib.Model(a=1, b=None, points=[])),
    "pydantic subclass": (lib.Model, lib.ModelChild(a=1, c=2.5)),
    "pydantic special types": (lib.Special, lib.Special.model_validate(lib.SPECIAL)),
    "pydantic aware": (pydantic.AwareDatetime, dt.datetime(2020, 1, 2, tzinfo=dt.UTC)),
    "pydantic size": (pydantic.ByteSize, pydantic.ByteSize(5)),
    "pydantic core url": (pydantic_core.Url, pydantic_core.Url("https://example.com/a")),
    "pydantic alias": (lib.Aliased, lib.Aliased.model_validate({"from": 1})),
    "pydantic extra": (lib.Extra, _extra),
    "pydantic private": (lib.Private, _private),
    "pydantic validator": (lib.Validated, lib.Validated(n=2)),
    "pydantic generic": (lib.ModelBox[int], lib.ModelBox[int](value=1)),
    "pydantic generic recursive": (lib.ModelChain[dt.date], _chain),
    "pydantic generic in a generic dataclass": (
        lib.Shelf[dt.date],
        lib.Shelf(lib.ModelBox[dt.date](value=_day)),
    ),
    "pydantic recursive": (
        lib.ModelTree,
        lib.ModelTree(value=1, children=[lib.ModelTree(value=2)]),
    ),
    "pydantic root": (lib.IntRoot, lib.IntRoot([1, 2])),
    "pydantic url": (pydantic.HttpUrl, pydantic.HttpUrl("https://a.b/c?d=e")),
    "msgspec": (lib.StructPoint, lib.StructPoint(1, 2)),
    "msgspec frozen": (lib.StructFrozen, lib.StructFrozen(name="a", inner=lib.StructPoint(1))),
    "msgspec generic": (lib.StructGeneric[set[int]], lib.StructGeneric({1})),
    "msgspec unset": (lib.StructUnset, lib.StructUnset()),
    "msgspec set": (lib.StructUnset, lib.StructUnset(5)),
    "msgspec UNSET under Any": (Any, [msgspec.UNSET]),
}
