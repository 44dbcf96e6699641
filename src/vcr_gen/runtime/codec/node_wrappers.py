"""Nodes around other nodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from vcr_gen.paths import Step
from vcr_gen.runtime.codec.compare import Difference
from vcr_gen.runtime.codec.node import Node
from vcr_gen.runtime.codec.plain_kinds import Plain

__all__ = ["Wrapper"]


class Wrapper(Node):
    """A node that behaves like another one but for what a subclass changes."""

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
