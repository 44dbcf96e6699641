"""Classes of attrs, pydantic and msgspec whose values the codec's tests store."""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Final, Generic, TypeVar

import attrs
import msgspec
import pydantic
import pydantic_core
from codec_models import Point

T = TypeVar("T")


@attrs.define
class AttrsPoint:
    x: int
    y: int = 0
    _hidden: str = "h"


@attrs.frozen
class AttrsFrozen:
    items: tuple[AttrsPoint, ...]
    derived: int = attrs.field(init=False, default=7)


@attrs.define
class AttrsConverted:
    parts: list[str] = attrs.field(converter=lambda text: text.split(","))


@attrs.define
class AttrsGeneric(Generic[T]):
    value: T


@attrs.define(slots=False)
class AttrsChild(AttrsPoint):
    z: float = 1.5


class Model(pydantic.BaseModel):
    a: int
    b: str | None = None
    points: list[Point] = []


class ModelChild(Model):
    c: float = 0.5


class Meeting(pydantic.BaseModel):
    """Moments that pydantic reads have a zone of its own."""

    at: dt.datetime
    until: dt.time | None = None


class Special(pydantic.BaseModel):
    """Types that only describe what pydantic accepts, and types of its own."""

    when: pydantic.AwareDatetime
    born: pydantic.PastDate
    home: pydantic.AnyHttpUrl
    size: pydantic.ByteSize
    found: pydantic.IPvAnyAddress


SPECIAL: Final = {
    "when": "2020-01-02T03:04:05+00:00",
    "born": "2001-02-03",
    "home": "https://example.com/a",
    "size": "3kB",
    "found": "192.0.2.1",
}


class Aliased(pydantic.BaseModel):
    from_: int = pydantic.Field(alias="from")


class Extra(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow", frozen=True)
    a: int


class Private(pydantic.BaseModel):
    a: int
    _count: int = 0
    _names: list[str] = pydantic.PrivateAttr(default_factory=list)


class Validated(pydantic.BaseModel):
    n: int

    @pydantic.field_validator("n")
    @classmethod
    def double(cls, n: int) -> int:
        return n * 2


class Picky(pydantic.BaseModel):
    n: int

    @pydantic.field_validator("n")
    @classmethod
    def refuse(cls, n: int) -> int:
        if n == 1:
            raise ValueError("one")
        raise pydantic_core.PydanticCustomError("picky", "not {n}", {"n": n})


def validation_error(**data: object) -> pydantic.ValidationError:
    try:
        Picky.model_validate(data)
    except pydantic.ValidationError as error:
        return error
    raise AssertionError


class ModelBox(pydantic.BaseModel, Generic[T]):
    value: T


class ModelChain(pydantic.BaseModel, Generic[T]):
    value: T
    next: ModelChain[T] | None = None
    others: dict[str, list[ModelChain[T]]] = {}
    _seen: list[T] = pydantic.PrivateAttr(default_factory=list)


@dataclasses.dataclass
class Shelf(Generic[T]):
    box: ModelBox[T]


class ModelTree(pydantic.BaseModel):
    value: int
    children: list[ModelTree] = []


class IntRoot(pydantic.RootModel[list[int]]):
    pass


class StructPoint(msgspec.Struct):
    x: int
    y: int = 0


class StructFrozen(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    name: str
    inner: StructPoint | None = None


class StructGeneric(msgspec.Struct, Generic[T]):
    value: T


class StructUnset(msgspec.Struct):
    maybe: int | msgspec.UnsetType = msgspec.UNSET
