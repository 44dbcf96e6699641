"""`Literal`: the listed values and no others, told apart by type (`True` is not `1`)."""

from __future__ import annotations

from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.codec.node import EXACT, NO_FIT, Node
from vcr_gen.runtime.codec.plain_kinds import Plain


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
