"""What can be asked of a cassette, by a marker, a fixture or a call: checked, with suggestions."""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from os import PathLike
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from vcr_gen.errors import UsageError
from vcr_gen.pytest.words import FORMATS, HERMETIC, MODES, STALE

if TYPE_CHECKING:
    from vcr_gen.runtime.boundary.rules import Rule
    from vcr_gen.runtime.codec import Registry
    from vcr_gen.runtime.hermetic.watching import Hermetic
    from vcr_gen.runtime.privacy import Redaction
    from vcr_gen.runtime.replay.orders import Order
    from vcr_gen.runtime.replay.strategies import Strategy
    from vcr_gen.runtime.tape.event_hooks import Hook

__all__ = ["Options", "parse_age", "read_options"]

Anchors: TypeAlias = Mapping[str, str | PathLike[str] | None]

_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_AGE: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([smhdw])\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was asked of a cassette; None where nothing was."""

    name: str | None = None
    """The file's name, instead of the test's."""
    mode: str | None = None
    format: str | None = None
    """`yaml` or `jsonl`: the file's ending."""
    anchors: Anchors | None = None
    """Roots under which paths are stored relative; a relative one starts at pytest's root, and None
    switches an automatic one off."""
    max_age: timedelta | None = None
    when_stale: str | None = None
    """What happens to a cassette above its maximum age."""
    initial_state: Mapping[str, object] | None = None
    codecs: "Registry | None" = None
    order: "Order | Mapping[str, Order] | None" = None
    """How strictly the order of outbound calls is asserted."""
    strategy: "Strategy | Mapping[str, Strategy] | None" = None
    """What of an outbound call must agree, for all boundaries or for each."""
    rules: "Sequence[Rule] | None" = None
    """Which fields are not compared, or are by a function."""
    redaction: "Redaction | None" = None
    before_record: "Hook | None" = None
    before_replay: "Hook | None" = None
    templates: bool | None = None
    """Whether the cassette may hold values that are made anew in each replay."""
    patience: float | None = None
    hermetic: "Literal['warn', 'fail'] | Hermetic | None" = None
    """What happens when a replay reaches past its boundaries."""

    def over(self, other: "Options") -> "Options":
        """These options, and the other ones where these say nothing."""
        names = (name for name in self.__slots__ if getattr(self, name) is not None)
        return replace(other, **{name: getattr(self, name) for name in names})


def read_options(where: str, given: Mapping[str, Any], *, without: Iterable[str] = ()) -> Options:
    """The options in `given`, every one of them checked; `where` is named in the error."""
    known = [name for name in Options.__slots__ if name not in set(without)]
    problems = [_unknown(name, known) for name in given if name not in known]
    values = {name: value for name, value in given.items() if name in known and value is not None}
    if "max_age" in values and isinstance(values["max_age"], str):
        try:
            values["max_age"] = parse_age(values["max_age"])
        except ValueError as error:
            problems.append(str(error))
            del values["max_age"]
    problems.extend(
        f"`{name}` must be {_EXPECTED[name][1]}; got {value!r}"
        for name, value in values.items()
        if not isinstance(value, _EXPECTED[name][0])
    )
    for name, words in (
        ("mode", MODES),
        ("when_stale", STALE),
        ("format", FORMATS),
        ("hermetic", HERMETIC),
    ):
        word = values.get(name)
        if isinstance(word, str) and word not in words:
            problems.append(f"`{name}` must be one of {', '.join(words)}; got {word!r}")
            problems[-1] += _suggestion(word, words)
    if problems:
        raise UsageError(f"{where}: " + f"\n{where}: ".join(problems))
    return Options(**values)


def parse_age(text: str) -> timedelta:
    """An age such as `30d`, `12h` or `2w`."""
    found = _AGE.fullmatch(text)
    if found is None:
        raise ValueError(f"an age is a number and one of s, m, h, d, w, such as 30d; got {text!r}")
    try:
        return timedelta(**{_UNITS[found[2]]: float(found[1])})
    except OverflowError:
        raise ValueError(f"{text!r} is longer than an age can be") from None


def _unknown(name: str, known: Iterable[str]) -> str:
    return f"unknown option `{name}`" + (_suggestion(name, known) or f"; known: {', '.join(known)}")


def _suggestion(word: str, words: Iterable[str]) -> str:
    meant = difflib.get_close_matches(word, list(words), n=1, cutoff=0.5)
    return f"; did you mean `{meant[0]}`?" if meant else ""


_EXPECTED: Final[Mapping[str, tuple[Any, str]]] = {
    "name": (str, "a string"),
    "mode": (str, "a word"),
    "format": (str, "a word"),
    "anchors": (Mapping, "a mapping of names to folders"),
    "max_age": (timedelta, "a timedelta or a string such as '30d'"),
    "when_stale": (str, "a word"),
    "initial_state": (Mapping, "a mapping"),
    "codecs": (object, "a registry of codecs"),
    "order": (str | Mapping, "a word, or one for each boundary"),
    "strategy": (object, "a strategy"),
    "templates": (bool, "true or false"),
    "rules": (list | tuple, "a list of rules"),
    "redaction": (object, "a Redaction"),
    "before_record": (Callable, "a function"),
    "before_replay": (Callable, "a function"),
    "patience": (int | float, "a number of seconds"),
    "hermetic": (object, "a word or a Hermetic"),
}
