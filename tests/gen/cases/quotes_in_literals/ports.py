from typing import TYPE_CHECKING, Literal, Protocol, Self, TypeVar

from quotes_in_literals.bases import Separated

from vcr_gen.boundary import inbound, outbound

if TYPE_CHECKING:
    from _typeshed import SupportsRead

_Mark = TypeVar("_Mark", bound=Literal['"', "'"])


@outbound
class Writer(Separated, Protocol):
    def load(self, source: "SupportsRead[str] | Literal['\"']") -> None: ...
    def start(self, mark: Literal['"'] = '"') -> None: ...
    def same(self, mark: _Mark) -> _Mark: ...


@inbound
class Reader(Separated, Protocol):
    def by_mark(self) -> dict[Literal['"', "'", "\n"], Self]: ...
