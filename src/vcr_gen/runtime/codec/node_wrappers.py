"""Nodes around another node, and iterables among arguments: values, or iterators to be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from vcr_gen.paths import Step
from vcr_gen.runtime.codec.compare import Difference, differences
from vcr_gen.runtime.codec.node import Node
from vcr_gen.runtime.codec.plain_kinds import Plain, kind_of

__all__ = ["Given", "GivenNode", "Wrapper"]


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
