"""Enums by name, flags as `R|W`, and the values of `Literal`."""

from __future__ import annotations

from enum import Enum, Flag
from typing import ClassVar, Final

from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.codec.node import EXACT, NO_FIT, ClassNode, Node, Nodes
from vcr_gen.runtime.codec.plain_kinds import STR, Plain


class EnumNode(ClassNode):
    """A member of an enum, by its name."""

    few = True
    kinds = frozenset({STR})
    is_open: ClassVar[bool] = False

    def __init__(self, nodes: Nodes, cls: type[Enum], name: str) -> None:
        super().__init__(nodes, cls, name)
        self._members: Final[dict[str, Enum]] = dict(cls.__members__)

    def bare(self, value: object) -> Plain:
        """The member's name."""
        assert isinstance(value, Enum)
        return value.name

    def restore(self, plain: Plain) -> object:
        """The member of that name."""
        member = self._members.get(plain) if type(plain) is str else None
        if member is None or member.name != plain:
            raise Fault(f"a member of {self.name}", show(plain))
        return member


class FlagNode(ClassNode):
    """A set of flags: `R|W`, `0` for none, `0x80` for bits without a name."""

    few = True
    kinds = frozenset({STR})
    is_open: ClassVar[bool] = False

    def __init__(self, nodes: Nodes, cls: type[Flag], name: str) -> None:
        super().__init__(nodes, cls, name)
        self._flags: Final = cls
        self._bits: Final = {
            member.name: member.value
            for member in cls
            if member.name is not None and member.value.bit_count() == 1
        }

    def bare(self, value: object) -> Plain:
        """The names of the flags that are set."""
        assert isinstance(value, Flag)
        rest: int = value.value
        if rest < 0:
            return hex(rest)
        names: list[str] = []
        for name, bit in self._bits.items():
            if rest & bit:
                names.append(name)
                rest &= ~bit
        if rest:
            names.append(hex(rest))
        return "|".join(names) or "0"

    def restore(self, plain: Plain) -> object:
        """The flags of these names."""
        if type(plain) is str:
            try:
                bits = 0
                for part in plain.split("|"):
                    bits |= self._bits[part] if part in self._bits else int(part, 16)
                value = self._flags(bits)
            except ValueError:
                pass
            else:
                if type(value) is self._flags and self.bare(value) == plain:
                    return value
        raise Fault(f"flags of {self.name}", show(plain))


class LiteralNode(Node):
    """The values of one type that a `Literal` lists."""

    few = True

    def __init__(self, values: tuple[object, ...], name: str, inner: Node) -> None:
        self.name = name
        self.kinds = inner.kinds
        self.natural = inner.natural
        self._values = {(type(value), value) for value in values}
        self._inner = inner

    def encode(self, value: object) -> Plain:
        """The plain of a listed value."""
        if self.fits(value) != EXACT:
            raise Fault(self.name, show(value))
        return self._inner.encode(value)

    def decode(self, plain: Plain) -> object:
        """The listed value of a plain."""
        try:
            value = self._inner.decode(plain)
        except Fault as fault:
            raise Fault(self.name, fault.got) from fault
        if self.fits(value) != EXACT:
            raise Fault(self.name, show(plain))
        return value

    def fits(self, value: object) -> int:
        """Only the listed values fit."""
        try:
            return EXACT if (type(value), value) in self._values else NO_FIT
        except TypeError:  # not hashable, so not a literal
            return NO_FIT
