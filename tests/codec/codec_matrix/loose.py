"""Values under names for types, under `type`, and under `Any`."""

import collections
import pathlib
import types
import typing
from typing import Annotated, Any, NewType, Union

import codec_errors as errors
import codec_library_models as lib
import codec_models as m

from codec_matrix.values import NOON, PARIS

UserId = NewType("UserId", int)
Json = Union[dict[str, "Json"], list["Json"], str, int, float, bool, None]  # noqa: UP007
ParamList = typing.TypeVar("ParamList", int, str)

LOOSE: dict[str, tuple[Any, object]] = {
    # names for types
    "new type": (UserId, UserId(5)),
    "annotated": (Annotated[int, "words"], 5),
    "type variable with constraints": (ParamList, "a"),
    "alias recursive": (Json, {"a": [1, None, {"b": True, "c": [1.5]}]}),
    "type": (type[m.Point], m.Point3),
    "type any": (type, int),
    "type of anything": (type[Any], m.Point),
    "type of abc": (type[m.Shape], m.Circle),
    "type of union": (type[m.Point | m.Circle], m.Circle),
    "type of exception": (type[Exception], errors.CodeError),
    # any
    "any none": (Any, None),
    "any int": (Any, 2**64),
    "any float": (Any, float("nan")),
    "any str": (Any, "\udc80"),
    "any bytes": (Any, b"text"),
    "any tuple": (Any, (1, (2, [3]))),
    "any set": (Any, {1, "a", (2, 3), None}),
    "any dict": (Any, {"a": 1, "b": {2: {"$x": 3}}}),
    "any path": (Any, pathlib.Path("a")),
    "any datetime": (Any, NOON.replace(tzinfo=PARIS)),
    "any enum": (Any, m.Color.BLUE),
    "any dataclass": (Any, m.Tree(1, [m.Tree(2)])),
    "any dataclass slots": (Any, m.Frozen("a")),
    "any dataclass generic": (Any, m.Box(m.Box(1))),
    "any named tuple": (Any, m.Coordinates(1.0)),
    "any attrs": (Any, lib.AttrsPoint(1)),
    "any pydantic": (Any, lib.Model(a=1)),
    "any msgspec": (Any, lib.StructPoint(1)),
    "any exception": (Any, errors.CodeError(1, "a")),
    "any class": (Any, m.Shape),
    "any enum class": (Any, m.Color),
    "any ordered": (Any, collections.OrderedDict(a=1)),
    "any views": (Any, {"a": 1}.keys()),
    "any namespace": (Any, types.SimpleNamespace(x=1)),
    "object": (object, [1, m.Point(1, 2)]),
}
