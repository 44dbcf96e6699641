"""Cassettes for a whole module or session."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from os import PathLike
from typing import TYPE_CHECKING, final

from vcr_gen.pytest.tape import Tape

if TYPE_CHECKING:
    from vcr_gen.runtime.cassette import Cassette
    from vcr_gen.runtime.codec import Registry

__all__ = ["CassetteFactory"]


@final
class CassetteFactory:
    """Opens cassettes by name; each is closed at the end of the scope.

    Asked for the same name again, it gives the cassette that is open already.
    """

    def __init__(self, default: str, opening: Callable[[str, Mapping[str, object]], Tape]) -> None:
        self._default = default
        self._opening = opening
        self._open: dict[str, Tape] = {}

    def __call__(
        self,
        name: str | None = None,
        *,
        mode: str | None = None,
        format: str | None = None,  # noqa: A002 - the marker's word
        anchors: Mapping[str, str | PathLike[str]] | None = None,
        max_age: timedelta | str | None = None,
        when_stale: str | None = None,
        initial_state: Mapping[str, object] | None = None,
        codecs: "Registry | None" = None,
        patience: float | None = None,
    ) -> "Cassette":
        """The cassette of that name; the options are the marker's."""
        name = name or self._default
        if name not in self._open:
            options: dict[str, object] = {
                "mode": mode,
                "format": format,
                "anchors": anchors,
                "max_age": max_age,
                "when_stale": when_stale,
                "initial_state": initial_state,
                "codecs": codecs,
                "patience": patience,
            }
            self._open[name] = self._opening(name, options)
        return self._open[name].cassette
