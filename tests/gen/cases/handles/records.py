from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypedDict

from handles.leaves import Blob, Note, Page, Seal


@dataclass(frozen=True)
class Bound:
    pages: tuple[Page, ...]


@dataclass(frozen=True)
class Book(Bound):
    title: str

    class Cover(NamedTuple):
        seal: Seal | None


class Letter(TypedDict):
    notes: dict[str, Note]


class Reader(Protocol):
    def __call__(self, blob: Blob, /) -> int: ...
