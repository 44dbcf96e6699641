"""How a body is cut into pieces, and where it ends, for clients that show it to a program."""

from collections.abc import Iterable, Mapping
from typing import Any, Self, final


class Aside(bytes):
    """Says something about the next piece of a body, and is not content itself.

    It is a separate item, so that the piece itself stays plain text. Only then does redaction find
    secrets that are cut into several pieces. A client ignores what only another client needs.
    """


class SizeLine(Aside):
    """The size line of an HTTP chunk that did not arrive whole; what arrived of it follows."""


class Framing(Aside):
    """Says how the next piece of a body was framed, if that is not what its reader expects."""

    cuts: tuple[int, ...] = ()
    """Where HTTP chunks end inside the piece; in a body without chunks, what arrived apart."""
    is_open: bool = False
    """Whether the last HTTP chunk goes on after the piece."""
    is_last: bool | None = None
    """Whether the body ends with the piece; None if it does as expected."""

    @classmethod
    def of(cls, parts: Iterable[tuple[bytes, bool]], *, is_chunked: bool) -> Self:
        """The framing of a piece, given its parts and whether each of them ends a chunk."""
        found = cls()
        position, ends = 0, list[int]()
        for part, ends_chunk in parts:
            position += len(part)
            found.is_open = is_chunked and not ends_chunk
            if not found.is_open:
                ends.append(position)
        found.cuts = tuple(end for end in ends if end < position)
        return found

    @property
    def is_usual(self) -> bool:
        """Whether a piece needs no remark."""
        return not self.cuts and not self.is_open and self.is_last is None

    def parts_of(self, piece: bytes) -> list[tuple[bytes, bool]]:
        """The parts of a piece, and whether each of them ends a chunk."""
        starts, ends = (0, *self.cuts), (*self.cuts, len(piece))
        parts = [piece[start:end] for start, end in zip(starts, ends, strict=True)]
        return [*((part, True) for part in parts[:-1]), (parts[-1], not self.is_open)]

    def to_plain(self) -> dict[str, object]:
        """The stored form."""
        said: dict[str, object] = {}
        if self.cuts:
            said["cuts"] = list(self.cuts)
        if self.is_open:
            said["open"] = True
        if self.is_last is not None:
            said["last"] = self.is_last
        return {"framing": said}

    @classmethod
    def from_plain(cls, said: Mapping[str, Any]) -> Self:
        """Read the stored form."""
        found = cls()
        found.cuts = tuple(said.get("cuts", ()))
        found.is_open, found.is_last = said.get("open", False), said.get("last")
        return found


@final
class Length:
    """How much of a body is still to come, as far as its head tells."""

    def __init__(
        self,
        method: str,
        status: int,
        headers: Iterable[tuple[bytes, bytes]],
        *,
        is_decoded: bool,
    ) -> None:
        headers = list(headers)
        self.is_chunked = values_of(headers, b"transfer-encoding")[-1:] == [b"chunked"]
        self._rest: int | None = None
        """The bytes that are still to come, if the head tells."""
        self._is_open = True
        """Whether an HTTP chunk goes on after the last piece."""
        lengths = values_of(headers, b"content-length")
        if method == "HEAD" or status in (204, 304):
            self._rest, self.is_chunked = 0, False
        elif lengths == [b"0"] and not self.is_chunked:
            self._rest = 0
        elif is_decoded and not self.is_chunked and values_of(headers, b"content-encoding"):
            self._rest = 1 if lengths else None  # most encoded bodies arrive in one piece
        elif lengths and lengths[0].isdigit() and not self.is_chunked:
            self._rest = int(lengths[0])

    @property
    def is_reached(self) -> bool:
        """Whether the body seems complete; no if the head does not tell its length."""
        return self._rest is not None and self._rest <= 0

    def add(self, wire: bytes, framing: Framing) -> None:
        """Count a piece. An empty chunk after a whole one is the last."""
        if self.is_chunked:
            if not wire and not self._is_open:
                self._rest = 0
            self._is_open = framing.is_open
        elif self._rest is not None:
            self._rest -= len(wire)


def values_of(headers: Iterable[tuple[bytes, bytes]], wanted: bytes) -> list[bytes]:
    """The values of a header, in lower case."""
    return [value.strip().lower() for name, value in headers if name.lower() == wanted]
