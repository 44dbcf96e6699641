"""Values of the program that the environment repeats: an id, a cursor, the state of a request.

They differ in each run. The tape has the recorded one, and the program knows its own: what the tape
feeds later gets the live value, and what the program says later is compared with the recorded one.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias, TypeVar, cast, final

from vcr_gen.runtime.codec import MISSING, Missing
from vcr_gen.runtime.plain import Plain

_T = TypeVar("_T")

_LONG: Final = 8
"""From how many characters on a text is also found inside of longer ones."""

_Key: TypeAlias = tuple[type, str | int]


@final
class Echoes:
    """The live values of one session by their recorded ones, and the other way round."""

    def __init__(self) -> None:
        self.are_there = False
        """Whether a rule names such values."""
        self._pending: list[tuple[str | int, str | int]] = []
        self._live = _Renaming()
        self._recorded = _Renaming()

    def note(
        self, place: object, recorded: Plain | Missing, live: Plain | Missing
    ) -> Plain | Missing:
        """Note a pair of values, until it is certain that they belong together."""
        del place
        if recorded is MISSING or live is MISSING or recorded == live:
            return recorded
        for kind in (str, int):
            if type(recorded) is kind and type(live) is kind:
                self._pending.append((recorded, live))
        return recorded

    def retract(self) -> None:
        """Forget the pairs of a comparison that was not the right one."""
        self._pending.clear()

    def settle(self) -> None:
        """Keep the pairs of the comparison that was made last."""
        for recorded, live in self._pending:
            self._live.add(recorded, live)
            self._recorded.add(live, recorded)
        self._pending.clear()

    def live(self, value: _T) -> _T:
        """A recorded value, with the values of this run."""
        return cast("_T", self._live.of(cast("Plain", value)))

    def recorded(self, value: _T) -> _T:
        """A value of the program, with the recorded values."""
        return cast("_T", self._recorded.of(cast("Plain", value)))


@final
class _Renaming:
    def __init__(self) -> None:
        self._names: dict[_Key, str | int] = {}
        self._inside: Callable[[str], str] = str

    def add(self, before: str | int, after: str | int) -> None:
        self._names[type(before), before] = after
        long = {
            str(name): str(new)
            for (kind, name), new in self._names.items()
            if kind is str and len(str(name)) >= _LONG
        }
        if long:
            longest_first = sorted(long, key=len, reverse=True)
            pattern = re.compile("|".join(map(re.escape, longest_first)))
            self._inside = lambda text: pattern.sub(lambda found: long[found[0]], text)

    def of(self, value: Plain) -> Plain:
        if not self._names:
            return value
        if isinstance(value, Mapping):
            return {key: self.of(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.of(item) for item in value]
        if isinstance(value, str | int):
            known = self._names.get((type(value), value))
            if known is not None:
                return known
        return self._inside(value) if isinstance(value, str) else value
