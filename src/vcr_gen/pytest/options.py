"""The options of a cassette, from a marker, a fixture or a call, and the mode they lead to."""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from os import PathLike
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypedDict

import pytest

from vcr_gen.errors import UsageError
from vcr_gen.pytest.cassette_paths import test_id
from vcr_gen.pytest.constants import FORMATS, HERMETIC, MARKER, MODES, STALE
from vcr_gen.runtime.modes import Mode, asks_to_record, is_set, mode_in, named_mode

if TYPE_CHECKING:
    from vcr_gen.runtime.boundary.rules import Rule
    from vcr_gen.runtime.codec import Registry
    from vcr_gen.runtime.extras.hermetic import Hermetic
    from vcr_gen.runtime.privacy import Redaction
    from vcr_gen.runtime.replay.strategies import Order, Strategy
    from vcr_gen.runtime.tape.event_hooks import Hook

__all__ = [
    "FactoryOptions",
    "ModeChoice",
    "Options",
    "choose_mode",
    "marked_options",
    "parse_age",
    "read_options",
]

Anchors: TypeAlias = Mapping[str, str | PathLike[str] | None]

_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_AGE: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([smhdw])\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options given for a cassette; None means not given."""

    name: str | None = None
    """The file's name, instead of the test's."""
    mode: str | None = None
    format: str | None = None
    """`yaml` or `jsonl`: the file's suffix."""
    anchors: Anchors | None = None
    """Roots under which paths are stored relative. A relative root starts at pytest's root folder;
    None switches an automatic anchor off."""
    max_age: timedelta | None = None
    when_stale: str | None = None
    """What to do with a cassette that is older than `max_age`."""
    initial_state: Mapping[str, object] | None = None
    codecs: "Registry | None" = None
    order: "Order | Mapping[str, Order] | None" = None
    """How strictly the order of outbound calls is asserted."""
    strategy: "Strategy | Mapping[str, Strategy] | None" = None
    """Which parts of an outbound call must match, for all boundaries or for each."""
    rules: "Sequence[Rule] | None" = None
    """The fields that are ignored, or compared by a function."""
    redaction: "Redaction | None" = None
    before_record: "Hook | None" = None
    before_replay: "Hook | None" = None
    templates: bool | None = None
    """Whether the cassette may contain templates, rendered anew in each replay."""
    patience: float | None = None
    hermetic: "Literal['warn', 'fail'] | Hermetic | None" = None
    """What to do when a replay bypasses the boundaries."""

    def over(self, other: "Options") -> "Options":
        """These options, with those of `other` for the ones not given."""
        names = (name for name in self.__slots__ if getattr(self, name) is not None)
        return replace(other, **{name: getattr(self, name) for name in names})


class FactoryOptions(TypedDict, total=False):
    """The marker's options except the name, as type checkers see them in a factory's call."""

    mode: str
    format: str
    anchors: Anchors
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


def read_options(where: str, given: Mapping[str, Any], *, without: Iterable[str] = ()) -> Options:
    """The options in `given`, all checked; errors begin with `where`."""
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


def marked_options(item: pytest.Item) -> Options:
    """The options of a test's markers; the closest marker wins."""
    options = Options()
    for marker in item.iter_markers(MARKER):
        where = f"{test_id(item)}: @pytest.mark.{MARKER}"
        if marker.args:
            raise UsageError(
                f"{where}: options are given by name, such as name='login'; got {marker.args[0]!r}"
            )
        options = options.over(read_options(where, marker.kwargs))
    return options


@dataclass(frozen=True, slots=True)
class ModeChoice:
    """The mode of a cassette, and the request that was ignored for it."""

    mode: str
    ignored: str = ""
    """What asked for a recording but is ignored because `CI` is set; usually empty."""


def choose_mode(
    *, command_line: str | None, asked: str | None, environment: Mapping[str, str]
) -> ModeChoice:
    """The command line wins; then the marker or configuration, as far as the environment allows."""
    if command_line is not None:
        return ModeChoice(named_mode(command_line).value)
    explicit = None if asked is None else named_mode(asked)
    mode = mode_in(environment, asked=explicit, default=Mode.NONE)
    ignored = ""
    if is_set(environment, "CI") and mode is Mode.NONE:
        if explicit in (Mode.ONCE, Mode.NEW_EPISODES):
            ignored = f"mode {explicit.value!r}"
        elif explicit is None and asks_to_record(environment):
            ignored = "VCR_RECORD"
    return ModeChoice(mode.value, ignored)


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
