"""The interface of compiled annotations: encode, decode, compare, replace live objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final, Protocol

from vcr_gen.field_path_syntax import Step, Wild
from vcr_gen.runtime.codec.annotations import class_annotations
from vcr_gen.runtime.codec.compare import Difference
from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.codec.registry import HINT
from vcr_gen.runtime.codec.tags import TYPE, tag, untag
from vcr_gen.runtime.plain import Plain

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
    natural: frozenset[str] = frozenset()
    """Of its kinds, those a reader expects to mean this type: `str` for `str`, not for `Path`."""
    merges: bool = False
    """Whether a tag may stand among the fields of the plain."""
    loosens: str = ""
    """How it loosens the comparison, as in a cassette's header; empty if it does not."""
    key_of: Callable[[Plain], Plain] | None = None
    """Returns the key by which a stored value is compared, if it is not compared as a whole."""
    hides: bool = False
    """Whether a value that does not fit must not be shown, as it may be a secret."""
    few: bool = False
    """Whether only a few declared values are possible, as in an enum, so that none is a secret."""
    discards: bool = False
    """Whether the value is discarded: stored as null, read as `None`."""
    holds_objects: bool = False
    """Whether ordinary objects may be in its values, which can be the same at several places."""
    is_live: ClassVar[bool] = False
    """Whether the runtime replaces values of this annotation (handles, callbacks, streams)."""

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of plain this node makes without a tag; known once all of it is compiled."""
        raise NotImplementedError

    def encode(self, value: object) -> Plain:
        """The plain of a value; raises `Fault`."""
        raise NotImplementedError

    def decode(self, plain: Plain) -> object:
        """The value of a plain; raises `Fault`."""
        raise NotImplementedError

    def fits(self, value: object) -> int:
        """How far the value's type is from the declared one; `NO_FIT` when it has no place."""
        raise NotImplementedError

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        """The nodes of the parts, each with the steps to it; no step to a node of the whole."""
        return ()

    def replace(self, value: object) -> object:
        """The value with each live part replaced; the same object if it has none."""
        return value

    def opened(self, plain: Plain) -> tuple[Node, Plain]:
        """The node that made the plain, and what it made: without tags; raises `Fault`."""
        return self, plain

    def part(self, key: str | int) -> Node | None:
        """The node for the entry of an opened plain under a key or an index."""
        nodes = dict(self.parts())
        return nodes.get((key,)) or nodes.get((Wild.ANY,))

    def verdict(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...] | None:
        """The differences that count; None if all do that the parts find."""
        del recorded, actual
        return None


class Nodes(Protocol):
    """The interface of the compiler for nodes."""

    @property
    def rebuilds(self) -> bool:
        """Whether a replay restores encoded values for the program."""
        ...

    @property
    def stores_objects(self) -> bool:
        """Whether objects of ordinary classes are stored by their attributes."""
        ...

    @property
    def by_attributes(self) -> Counter[type]:
        """How many objects of each class were stored by their attributes."""
        ...

    @property
    def hide(self) -> Callable[[Plain], str]:
        """A function that returns the placeholder of a secret."""
        ...

    def node(self, annotation: object) -> Node:
        """The node of an annotation."""
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


class ClassNode(Node):
    """Stores values of exactly one class bare, and other accepted values with a tag.

    The tag names the value's own type: a subclass of `base` (by default the class itself), or
    one of the `alternatives`, each with the annotation that stores it (a tuple for a Sequence).
    """

    def __init__(
        self,
        nodes: Nodes,
        cls: type,
        name: str,
        *,
        base: type | None = None,
        alternatives: Mapping[type, object] | None = None,
    ) -> None:
        self.nodes: Final = nodes
        self.cls: Final = cls
        self.name = name
        self._base: Final = base or cls
        self._alternatives: Final = alternatives or {}

    def bare(self, value: object) -> Plain:
        """The plain of a value of exactly this class."""
        raise NotImplementedError

    def restore(self, plain: Plain) -> object:
        """The value of an untagged plain."""
        raise NotImplementedError

    def replace_bare(self, value: object) -> object:
        """A value of exactly this class with each live part replaced."""
        return value

    def encode(self, value: object) -> Plain:
        return self.bare(value) if type(value) is self.cls else self.encode_tagged(value)

    def encode_tagged(self, value: object) -> Plain:
        """The plain of a value of another class, with a tag."""
        name, node = self.node_of(value)
        return tag(name, node.encode(value), merge=node.merges)

    def decode(self, plain: Plain) -> object:
        if type(plain) is dict and TYPE in plain:
            node, payload = self._untagged(plain)
            return node.decode(payload)
        return self.restore(plain)

    def fits(self, value: object) -> int:
        cls = _own_type(value)
        if cls is self.cls:
            return EXACT
        if cls in self._alternatives:
            return STAND_IN
        if issubclass(cls, self._base):
            return cls.__mro__.index(self._base) if self._base in cls.__mro__ else STAND_IN
        return NO_FIT

    def opened(self, plain: Plain) -> tuple[Node, Plain]:
        if type(plain) is dict and TYPE in plain:
            node, payload = self._untagged(plain)
            return node.opened(payload)
        return self, plain

    def replace(self, value: object) -> object:
        if type(value) is self.cls:
            return self.replace_bare(value)
        try:
            _, node = self.node_of(value)
        except Fault:
            return value
        return node.replace(value)

    def _untagged(self, tagged: dict[str, Plain]) -> tuple[Node, Plain]:
        """The node that a tag names, and the plain to decode."""
        name, payload = untag(tagged, expected=self.name)
        for cls, annotation in self._alternatives.items():
            if self.nodes.type_name(cls) == name:
                return self.nodes.node(annotation), payload
        cls = self.nodes.find_type(name, self._base)
        if cls is self.cls:
            raise Fault(f"{self.name} without a tag", f"a tag {name}")
        return self.nodes.of_value(cls), payload

    def node_of(self, value: object) -> tuple[str, Node]:
        """The name for the tag of a value, and the node that stores it."""
        cls = _own_type(value)
        name = self.nodes.type_name(cls)
        if cls in self._alternatives:
            return name, self.nodes.node(self._alternatives[cls])
        if not issubclass(cls, self._base):
            raise Fault(self.name, show(value))
        node = self.nodes.of_value(cls)
        if self.nodes.find_type(name, self._base) is not cls:
            raise Fault(
                f"{self.name}, of a type that its name identifies",
                f"a {name}, a name that several loaded types have",
                "register one of them under another name",
            )
        self.nodes.check_found_again(cls)
        return name, node


def _own_type(value: object) -> type:
    """The type a tag names: a value's class, but `type` for a class of any metaclass."""
    return type if isinstance(value, type) else type(value)


class Wrapper(Node):
    """A node that behaves like another one, except for what a subclass overrides."""

    def __init__(self, inner: Node) -> None:
        self.inner: Final = inner
        self.name = inner.name
        self.natural = inner.natural
        self.few = inner.few

    @property
    def kinds(self) -> frozenset[str]:
        return self.inner.kinds

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        return (((), self.inner),)

    def encode(self, value: object) -> Plain:
        return self.inner.encode(value)

    def decode(self, plain: Plain) -> object:
        return self.inner.decode(plain)

    def fits(self, value: object) -> int:
        return self.inner.fits(value)

    def replace(self, value: object) -> object:
        return self.inner.replace(value)


class UnsupportedNode(Node):
    """An annotation whose values cannot be stored; says so when one arrives."""

    kinds = frozenset[str]()

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self._why: Final = why

    def encode(self, value: object) -> Plain:
        raise Fault(f"a value that can be stored ({self.name}: {self._why})", show(value), HINT)

    def decode(self, plain: Plain) -> object:
        raise Fault(f"a value that can be stored ({self.name}: {self._why})", show(plain), HINT)

    def fits(self, value: object) -> int:
        del value
        return DYNAMIC * 10  # as a last resort, to give the reason


@dataclass(frozen=True)
class DeclaredClass:
    """A class that needs a node, as each kind of class sees it (`classes.CLASS_KINDS`)."""

    nodes: Nodes
    cls: type[Any]
    name: str
    """How a tag names the class with its type arguments."""
    arguments: tuple[Any, ...]

    @cached_property
    def annotations(self) -> dict[str, object]:
        """The annotations of the class and its bases, evaluated."""
        return class_annotations(self.cls, self.arguments)
