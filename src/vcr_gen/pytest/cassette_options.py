"""The options of a cassette, from a marker, a fixture or a call, and the mode they lead to."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from os import PathLike
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypedDict

import pytest

from vcr_gen.errors import UsageError
from vcr_gen.pytest.cassette_paths import test_id
from vcr_gen.pytest.constants import FORMATS, HERMETIC, MARKER, MODES, STALE
from vcr_gen.runtime.modes import Choice, choose, chosen_on_command_line
from vcr_gen.spelling import did_you_mean

if TYPE_CHECKING:
    from vcr_gen.boundaries.http import HttpMatch
    from vcr_gen.runtime.boundary.rules import Rule
    from vcr_gen.runtime.codec import Registry
    from vcr_gen.runtime.extras.hermetic import Hermetic
    from vcr_gen.runtime.privacy import Redaction
    from vcr_gen.runtime.replay.strategies import Order, Strategy
    from vcr_gen.runtime.tape.event_hooks import Hook

Options: TypeAlias = Mapping[str, Any]
"""Checked options by name; those that were not given are missing."""

_WORDS: Final = {"mode": MODES, "format": FORMATS, "when_stale": STALE, "hermetic": HERMETIC}


class CassetteOptions(TypedDict, total=False):
    """The options of `Cassette` that a marker, `vcrgen_options` and a factory take."""

    mode: str
    format: str
    """`yaml` or `jsonl`: the file's suffix."""
    anchors: Mapping[str, str | PathLike[str] | None]
    """Roots under which paths are stored relative. A relative root starts at pytest's root folder;
    None switches an automatic anchor off."""
    max_age: timedelta
    when_stale: str
    initial_state: Mapping[str, object]
    codecs: "Registry"
    order: "Order | Mapping[str, Order]"
    strategy: "Strategy | Mapping[str, Strategy]"
    rules: "Sequence[Rule]"
    http: "HttpMatch"
    """How HTTP requests are compared; by default as `[tool.vcr-gen.http]` says."""
    redaction: "Redaction"
    before_record: "Hook"
    before_replay: "Hook"
    templates: bool
    patience: float
    pace: float
    other_side: "Collection[str]"
    leftovers: bool
    hermetic: "Literal['warn', 'fail'] | Hermetic"


def read_options(where: str, given: Mapping[str, Any], *, more: Iterable[str] = ()) -> Options:
    """Check the options in `given`, which may also have the names in `more`.

    All problems are reported at once, each beginning with `where`.
    """
    known = [*more, *CassetteOptions.__annotations__]
    options = {name: value for name, value in given.items() if value is not None}
    problems = [_unknown(name, known) for name in given if name not in known]
    for name, words in _WORDS.items():
        word = options.get(name)
        if isinstance(word, str) and word not in words:
            expected = f"`{name}` must be one of {', '.join(words)}; got {word!r}"
            problems.append(expected + did_you_mean(word, words))
    if "http" in options:
        from vcr_gen.boundaries.http import HttpMatch

        if not isinstance(options["http"], HttpMatch):
            got = type(options["http"]).__name__
            problems.append(f"`http` must be an HttpMatch; got {got}")
    if problems:
        raise UsageError(f"{where}: " + f"\n{where}: ".join(problems))
    return options


def marked_options(item: pytest.Item) -> Options:
    """The options of a test's markers; the closest marker wins."""
    options: Options = {}
    for marker in item.iter_markers(MARKER):
        where = f"{test_id(item)}: @pytest.mark.{MARKER}"
        if marker.args:
            raise UsageError(
                f"{where}: options are given by name, such as name='login'; got {marker.args[0]!r}"
            )
        options = {**read_options(where, marker.kwargs, more=["name"]), **options}
    return options


def choose_mode(command_line: str | None, asked: str | None) -> Choice:
    """The command line wins; then the marker or fixture, if the environment allows it."""
    if command_line is not None:
        return chosen_on_command_line(os.environ, command_line)
    return choose(os.environ, asked)


def _unknown(name: str, known: Iterable[str]) -> str:
    return f"unknown option `{name}`" + (
        did_you_mean(name, known) or f"; known: {', '.join(known)}"
    )
