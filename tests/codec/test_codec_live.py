"""Live parts are handed to the runtime, wherever they are."""

from collections import abc, deque
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, Protocol, TypedDict

import attrs
import codec_models as m
import msgspec
import pydantic
import pytest

from vcr_gen.boundary import Volatile
from vcr_gen.errors import EncodeError
from vcr_gen.runtime.codec import Compiler, Registry
from vcr_gen.runtime.codec.fault import Fault
from vcr_gen.runtime.codec.node import LIVE, NO_FIT, Node


class Cursor(Protocol):
    def fetch(self) -> int: ...


class RealCursor:
    def fetch(self) -> int:
        return 1


@dataclass(frozen=True)
class Wrapped:
    real: object


@dataclass(frozen=True, slots=True)
class Page:
    cursor: Cursor
    title: str = ""


class Row(NamedTuple):
    cursor: Cursor
    n: int


class Bag(TypedDict):
    cursor: Cursor


@attrs.frozen
class AttrsPage:
    cursor: Cursor


class StructPage(msgspec.Struct, frozen=True):
    cursor: Cursor


class ModelPage(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)
    cursor: Any


@dataclass
class Chain:
    cursor: Cursor
    rest: "Chain | None" = None


class CursorNode(Node):
    is_live = True
    kinds = frozenset[str]()

    def encode(self, value: object) -> Any:
        if isinstance(value, Wrapped | RealCursor):
            return {"$handle": 7}
        raise Fault("a cursor", repr(value))

    def decode(self, plain: Any) -> object:
        return Wrapped("replayed")

    def fits(self, value: object) -> int:
        return NO_FIT if value is None else LIVE

    def replace(self, value: object) -> object:
        return Wrapped(value)


def live(annotation: object) -> Node | None:
    return CursorNode() if annotation is Cursor else None


COMPILER = Compiler(registry=Registry(), live=live)
REAL = RealCursor()
WRAPPED = Wrapped(REAL)

REPLACED: dict[str, tuple[Any, Any, Any]] = {
    "itself": (Cursor, REAL, WRAPPED),
    "optional": (Cursor | None, REAL, WRAPPED),
    "annotated": (Annotated[Cursor, Volatile], REAL, WRAPPED),
    "union": (int | Cursor | None, REAL, WRAPPED),
    "union with any": (Cursor | Any, REAL, WRAPPED),
    "list": (list[Cursor], [REAL], [WRAPPED]),
    "tuple": (tuple[int, Cursor], (1, REAL), (1, WRAPPED)),
    "tuple repeated": (tuple[Cursor, ...], (REAL,), (WRAPPED,)),
    "sequence as tuple": (abc.Sequence[Cursor], (REAL,), (WRAPPED,)),
    "deque": (deque[Cursor], deque([REAL]), deque([WRAPPED])),
    "set": (set[Cursor], {REAL}, {WRAPPED}),
    "dict": (dict[str, Cursor | None], {"a": REAL, "b": None}, {"a": WRAPPED, "b": None}),
    "mapping": (abc.Mapping[str, list[Cursor]], {"a": [REAL]}, {"a": [WRAPPED]}),
    "named tuple": (Row, Row(REAL, 1), Row(WRAPPED, 1)),
    "dataclass": (Page, Page(REAL, "t"), Page(WRAPPED, "t")),
    "dataclass in a list": (list[Page | int], [1, Page(REAL)], [1, Page(WRAPPED)]),
    "recursive dataclass": (Chain, Chain(REAL, Chain(REAL)), Chain(WRAPPED, Chain(WRAPPED))),
    "typed dict": (Bag, {"cursor": REAL}, {"cursor": WRAPPED}),
    "attrs": (AttrsPage, AttrsPage(REAL), AttrsPage(WRAPPED)),
    "msgspec": (StructPage, StructPage(REAL), StructPage(WRAPPED)),
}


@pytest.mark.parametrize("name", REPLACED)
def test_live_parts_are_replaced(name: str) -> None:
    annotation, value, expected = REPLACED[name]
    replace = COMPILER.codec(annotation).replace_live
    assert replace is not None
    found = replace(value)
    assert (type(expected), expected) == (type(found), found)


@pytest.mark.parametrize("name", REPLACED)
def test_live_parts_are_stored_and_read_by_the_runtime(name: str) -> None:
    annotation, value, _ = REPLACED[name]
    codec = COMPILER.codec(annotation)
    plain = codec.encode(value)
    assert "'$handle': 7" in repr(plain)
    assert "replayed" in repr(codec.decode(plain))


@dataclass
class Note:
    text: str


class NoteOfCursor(Note, RealCursor):
    """Data that cannot be stored as such, but does what a cursor does."""

    def __init__(self) -> None:
        super().__init__("a note")
        self.connection = object()


def test_what_a_union_stores_as_live_is_replaced_though_another_member_fits_better() -> None:
    codec = COMPILER.codec(Note | Cursor)
    value = NoteOfCursor()
    assert "'$handle': 7" in repr(codec.encode(value))
    assert codec.replace_live is not None
    assert codec.replace_live(value) == Wrapped(value)
    note = Note("stored")
    assert codec.replace_live(note) is note


def test_a_value_without_live_parts_is_left_as_it_is() -> None:
    for annotation, value in [
        (list[Cursor | None], [None, None]),
        (dict[str, Cursor | None], {"a": None}),
        (tuple[int, Cursor | None], (1, None)),
        (int | Cursor, 5),
    ]:
        replace = COMPILER.codec(annotation).replace_live
        assert replace is not None
        assert replace(value) is value


def test_nothing_is_replaced_where_nothing_can_be_live() -> None:
    assert COMPILER.codec(list[int]).replace_live is None
    assert COMPILER.codec(m.Tree).replace_live is None


def test_an_error_of_the_runtime_gets_the_path() -> None:
    with pytest.raises(EncodeError) as caught:
        COMPILER.codec(list[Page]).encode([Page(REAL), Page(5)])
    assert str(caught.value) == "$[1].cursor: expected a cursor, got 5"


def test_a_cycle_around_a_live_part_is_refused() -> None:
    chain = Chain(REAL)
    chain.rest = chain
    codec = COMPILER.codec(Chain)
    assert codec.replace_live is not None
    with pytest.raises(EncodeError, match="contains itself"):
        codec.replace_live(chain)
    with pytest.raises(EncodeError, match="contains itself"):
        codec.encode(chain)


def test_data_beside_a_live_type_stays_data() -> None:
    codec = COMPILER.codec(int | Cursor | None)
    assert (codec.encode(5), codec.encode(None)) == (5, None)


class Knot:
    """An ordinary class; a copy that its own code makes would be another one."""

    cursor: Cursor
    next: "Knot"

    def __copy__(self) -> "Knot":
        raise AssertionError("the codec has run code of the class")

    __reduce_ex__ = __setattr__ = None  # type: ignore[assignment]


def test_objects_that_refer_to_each_other_are_copied_once_with_their_live_parts_replaced() -> None:
    node = object.__new__(Knot)
    vars(node).update(cursor=RealCursor(), next=node, others=[node])
    replace = COMPILER.codec(Knot).replace_live
    assert replace is not None
    copy = replace(node)
    assert copy is not node
    assert copy.next is copy
    assert copy.others == [copy]
    assert copy.cursor == Wrapped(node.cursor)
    assert isinstance(node.cursor, RealCursor)


def test_an_object_without_live_parts_is_not_copied() -> None:
    node = object.__new__(Knot)
    vars(node).update(next=node)
    replace = COMPILER.codec(Knot).replace_live
    assert replace is not None
    assert replace(node) is node
