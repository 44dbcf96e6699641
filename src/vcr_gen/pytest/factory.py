"""Cassettes for a whole module or session."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from os import PathLike
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack, final

from vcr_gen.pytest.tape import Tape

if TYPE_CHECKING:
    from vcr_gen.runtime.boundary.rules import Rule
    from vcr_gen.runtime.codec import Registry
    from vcr_gen.runtime.hermetic.watching import Hermetic
    from vcr_gen.runtime.privacy import Redaction
    from vcr_gen.runtime.replay.orders import Order
    from vcr_gen.runtime.replay.strategies import Strategy
    from vcr_gen.runtime.runs.cassette import Cassette
    from vcr_gen.runtime.tape.event_hooks import Hook

__all__ = ["CassetteFactory", "FactoryOptions"]


class FactoryOptions(TypedDict, total=False):
    """The options of the marker, but for the name; type checkers see them in the call."""

    mode: str
    format: str
    anchors: Mapping[str, str | PathLike[str] | None]
    max_age: timedelta | str
    when_stale: str
    initial_state: Mapping[str, object]
    codecs: "Registry"
    order: "Order | Mapping[str, Order]"
    strategy: "Strategy | Mapping[str, Strategy]"
    rules: "Sequence[Rule]"
    redaction: "Redaction"
    before_record: "Hook"
    before_replay: "Hook"
    templates: bool
    patience: float
    hermetic: "Literal['warn', 'fail'] | Hermetic"


@final
class CassetteFactory:
    """Opens cassettes by name; each is closed at the end of the scope.

    Asked for the same name again, it gives the cassette that is open already.
    """

    def __init__(self, default: str, opening: Callable[[str, Mapping[str, object]], Tape]) -> None:
        self._default = default
        self._opening = opening
        self._open: dict[str, Tape] = {}

    def __call__(self, name: str | None = None, **options: Unpack[FactoryOptions]) -> "Cassette":
        """The cassette of that name; the options are the marker's."""
        name = name or self._default
        if name not in self._open:
            self._open[name] = self._opening(name, options)
        return self._open[name].cassette
