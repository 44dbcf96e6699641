"""The interface of compiled annotations: encode, decode, compare, replace live objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Protocol

from vcr_gen.paths import Step
from vcr_gen.runtime.codec.compare import Difference, differences
from vcr_gen.runtime.codec.plain_kinds import TYPE, Fault, Plain, kind_of, show, tag, untag

EXACT: Final = 0
STAND_IN: Final = 500
"""A type that is accepted for the declared one, such as `int` for `float`."""
LIVE: Final = 1_000
DYNAMIC: Final = 10_000
NO_FIT: Final = -1


class Node:
    """A compiled annotation."""

    name: str
    """How a union's tag names this annotation."""
    kinds: frozenset[str]
    """The kinds of plain this node makes without a tag."""
    natural: frozenset[str] = frozenset()
    """Of these, the kinds a reader expects to mean this type: `str` for `str`, not for `Path`."""
    merges: bool = False
    """Whether a tag may stand among the fields of the plain."""
    special: ClassVar[bool] = False
    """Whether equality of plains is not the whole comparison (`Volatile`, `Match`, `Secret`)."""
    loosens: str = ""
    """How it loosens the comparison, as in a cassette's header; empty if it does not."""
    is_open: ClassVar[bool] = False
    """Whether values of types unknown at compile time can be inside."""
    hides: bool = False
    """Whether a value that does not fit must not be shown, as it may be a secret."""
    few: bool = False
    """Whether only a few declared values are possible, as in an enum, so that none is a secret."""
    discards: bool = False
    """Whether the value is discarded: stored as null, read as `None`."""
    is_live: ClassVar[bool] = False
    """Whether the runtime replaces values of this annotation (handles, callbacks, streams)."""

    def encode(self, value: object) -> Plain:
        """The plain of a value; raises `Fault`."""
        raise NotImplementedError

    def decode(self, plain: Plain) -> object:
        """The value of a plain; raises `Fault`."""
        raise NotImplementedError

    def fits(self, value: object) -> int:
        """How far the value's type is from the declared one; `NO_FIT` when it has no place."""
        raise NotImplementedError

    def kinds_made(self) -> frozenset[str]:
        """`kinds`, once all of a recursive type is known."""
        return self.kinds

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        """The nodes of the parts, each with the step to it; None for a node of the whole."""
        return ()

    def compare(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        """The differences that count."""
        return differences(recorded, actual)

    def replace(self, value: object) -> object:
        """The value with each live part replaced; the same object if it has none."""
        return value


class Nodes(Protocol):
    """The compiler, as nodes see it."""

    @property
    def rebuilds(self) -> bool:
        """Whether a replay restores encoded values for the program."""
        ...

    @property
    def hide(self) -> Callable[[Plain], str]:
        """What gives the placeholder of a secret."""
        ...

    def node(self, annotation: object) -> Node:
        """The node of an annotation."""
        ...

    def lookup_table(self) -> dict[Any, Any]:
        """A table of classes that values and names lead to; emptied when a session begins."""
        ...

    def of_value(self, cls: type) -> Node:
        """The node that stores exactly the values of a class; raises `Fault` if there is none."""
        ...

    def may_name(self, cls: type) -> bool:
        """Whether a recording may name the class as a value where any class is accepted."""
        ...

    def type_name(self, cls: type) -> str:
        """The name a tag gives to a class."""
        ...

    def check_found_again(self, cls: type) -> None:
        """Raise `Fault` if another run needs the class and cannot find it by its name."""
        ...

    def find_type(self, name: str, base: type) -> type:
        """The subclass of `base` with that name; never imports; raises `Fault` if there is none."""
        ...


def own_type(value: object) -> type:
    """The type a tag names: a value's class, but `type` for a class of any metaclass."""
    return type if isinstance(value, type) else type(value)


class StandIns:
    """The values that may stand where a class is declared without being exactly of it.

    They are stored with a tag that names their own type: subclasses, and the table of
    `alternatives` a node gives (a tuple where a Sequence is declared).
    """

    def __init__(
        self,
        nodes: Nodes,
        declared: str,
        base: type,
        alternatives: Mapping[type, Callable[[], Node]] | None = None,
        *,
        excluded: type | None = None,
    ) -> None:
        self._nodes: Final = nodes
        self._declared: Final = declared
        self._base: Final = base
        self._alternatives: Final = dict(alternatives or {})
        self._excluded: Final = excluded
        self._known: Final[dict[type, tuple[str, Node]]] = nodes.lookup_table()
        self._named: Final[dict[str, Node]] = nodes.lookup_table()

    def encode(self, value: object) -> Plain:
        """The tagged plain of a value whose type differs from the declared one."""
        cls = own_type(value)
        entry = self._known.get(cls)
        if entry is None:
            entry = self._admit(cls, value)
        name, node = entry
        return tag(name, node.encode(value), merge=node.merges)

    def decode(self, tagged: dict[str, Plain]) -> object:
        """The value a tag names the type of."""
        node, payload = self.open(tagged)
        return node.decode(payload)

    def open(self, tagged: dict[str, Plain]) -> tuple[Node, Plain]:
        """The node of a tag, and the plain to decode."""
        name, payload = untag(tagged, expected=self._declared)
        node = self._named.get(name)
        if node is None:
            node = self._named[name] = self._find(name)
        return node, payload

    def replace(self, value: object) -> object:
        """The result of the node of the value's own type."""
        cls = own_type(value)
        try:
            _, node = self._known.get(cls) or self._admit(cls, value)
        except Fault:
            return value
        return node.replace(value)

    def fits(self, value: object) -> int:
        """How far the value's type is from the declared one."""
        cls = own_type(value)
        if cls in self._alternatives:
            return STAND_IN
        if issubclass(cls, self._base):
            mro = cls.__mro__
            return mro.index(self._base) if self._base in mro else STAND_IN
        return NO_FIT

    def _find(self, name: str) -> Node:
        for cls in self._alternatives:
            if self._nodes.type_name(cls) == name:
                return self._alternatives[cls]()
        cls = self._nodes.find_type(name, self._base)
        if cls is self._excluded:
            raise Fault(f"{self._declared} without a tag", f"a tag {name}")
        return self._nodes.of_value(cls)

    def _admit(self, cls: type, value: object) -> tuple[str, Node]:
        if cls in self._alternatives:
            entry = (self._nodes.type_name(cls), self._alternatives[cls]())
        elif issubclass(cls, self._base):
            node = self._nodes.of_value(cls)
            name = self._nodes.type_name(cls)
            if self._nodes.find_type(name, self._base) is not cls:
                raise Fault(
                    f"{self._declared}, of a type that its name leads back to",
                    f"a {name}, a name that several loaded types have",
                    "register one of them under another name",
                )
            self._nodes.check_found_again(cls)
            entry = (name, node)
        else:
            raise Fault(self._declared, show(value))
        self._known[cls] = entry
        return entry


class ClassNode(Node):
    """Stores values of exactly one class bare, and other accepted values with a tag."""

    is_open: ClassVar[bool] = True

    def __init__(
        self,
        nodes: Nodes,
        cls: type,
        name: str,
        *,
        base: type | None = None,
        alternatives: Mapping[type, Callable[[], Node]] | None = None,
    ) -> None:
        self.cls: Final = cls
        self.name = name
        self.others: Final = StandIns(nodes, name, base or cls, alternatives, excluded=cls)

    def bare(self, value: object) -> Plain:
        """The plain of a value of exactly this class."""
        raise NotImplementedError

    def restore(self, plain: Plain) -> object:
        """The value of an untagged plain."""
        raise NotImplementedError

    def compare_bare(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        """The differences between two untagged plains."""
        return differences(recorded, actual)

    def replace_bare(self, value: object) -> object:
        """A value of exactly this class with each live part replaced."""
        return value

    def encode(self, value: object) -> Plain:
        """The plain of a value; raises `Fault`."""
        return self.bare(value) if type(value) is self.cls else self.others.encode(value)

    def decode(self, plain: Plain) -> object:
        """The value of a plain; raises `Fault`."""
        if type(plain) is dict and TYPE in plain:
            return self.others.decode(plain)
        return self.restore(plain)

    def fits(self, value: object) -> int:
        """How far the value's type is from the declared one."""
        return EXACT if type(value) is self.cls else self.others.fits(value)

    def compare(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        """The differences that count."""
        return compare_tagged(self.others, self.compare_bare, recorded, actual)

    def replace(self, value: object) -> object:
        """The value with each live part replaced."""
        if type(value) is self.cls:
            return self.replace_bare(value)
        return self.others.replace(value)


def compare_tagged(
    others: StandIns,
    compare_bare: Callable[[Plain, Plain], tuple[Difference, ...]],
    recorded: Plain,
    actual: Plain,
) -> tuple[Difference, ...]:
    """Compare two plains that may be tagged, by the node their common tag leads to."""
    left_tag = recorded.get(TYPE) if isinstance(recorded, dict) else None
    right_tag = actual.get(TYPE) if isinstance(actual, dict) else None
    if left_tag is None and right_tag is None:
        return compare_bare(recorded, actual)
    if left_tag != right_tag or not isinstance(recorded, dict) or not isinstance(actual, dict):
        return differences(recorded, actual)
    try:
        node, left = others.open(recorded)
        _, right = others.open(actual)
    except Fault:
        return differences(recorded, actual)
    return node.compare(left, right)


class Wrapper(Node):
    """A node that behaves like another one, except for what a subclass overrides."""

    def __init__(self, inner: Node) -> None:
        self.inner: Final = inner
        self.name = inner.name
        self.kinds = inner.kinds
        self.natural = inner.natural
        self.few = inner.few

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        """The node inside."""
        return (((), self.inner),)

    def encode(self, value: object) -> Plain:
        """As inside."""
        return self.inner.encode(value)

    def decode(self, plain: Plain) -> object:
        """As inside."""
        return self.inner.decode(plain)

    def fits(self, value: object) -> int:
        """As inside."""
        return self.inner.fits(value)

    def compare(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        """As inside."""
        return self.inner.compare(recorded, actual)

    def replace(self, value: object) -> object:
        """As inside."""
        return self.inner.replace(value)


_STREAM: Final = "$stream"


@dataclass(frozen=True, slots=True)
class Given:
    """A word in `Annotated`, for the type of an argument: an iterator there is of type `stream`."""

    stream: object


class GivenNode(Wrapper):
    """A value as inside, or a stream of the application or the environment."""

    def __init__(self, inner: Node, stream: Node) -> None:
        super().__init__(inner)
        self._stream: Final = stream

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        """The node inside, and that of a stream."""
        return (((), self.inner), ((), self._stream))

    def encode(self, value: object) -> Plain:
        """An iterator as a stream, anything else as inside."""
        return self._for(value).encode(value)

    def decode(self, plain: Plain) -> object:
        """The stream, or the value inside."""
        return (self._stream if kind_of(plain) == _STREAM else self.inner).decode(plain)

    def fits(self, value: object) -> int:
        """An iterator as a stream, anything else as inside."""
        return self._for(value).fits(value)

    def compare(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        """By the node that both are of."""
        streams = [kind_of(plain) == _STREAM for plain in (recorded, actual)]
        if any(streams) and not all(streams):
            return differences(recorded, actual)
        return (self._stream if all(streams) else self.inner).compare(recorded, actual)

    def replace(self, value: object) -> object:
        """An iterator as a stream, anything else as inside."""
        return self._for(value).replace(value)

    def _for(self, value: object) -> Node:
        return self._stream if isinstance(value, Iterator) else self.inner
