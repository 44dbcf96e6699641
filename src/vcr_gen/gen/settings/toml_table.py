"""Reads one table of a configuration strictly: wrong types and unknown keys become diagnostics."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from vcr_gen.gen.diagnostics import Diagnostic
from vcr_gen.gen.settings.toml_places import find_key, find_table

__all__ = ["StrictTable", "closest"]

_Choice = TypeVar("_Choice", bound=str)


def closest(word: str, words: Sequence[str]) -> str:
    """The word that was most likely meant, or the empty string."""
    return next(iter(difflib.get_close_matches(word, words, n=1, cutoff=0.5)), "")


@dataclass(slots=True, kw_only=True)
class StrictTable:
    """A table that is read key by key; what nobody asked for is unknown."""

    name: str
    """`tool.vcr-gen`, or the name of an array of tables in it."""
    values: Mapping[str, object]
    text: str
    """The file, for the places."""
    path: str
    """The file's name, for the places."""
    problems: list[Diagnostic]
    index: int = 0
    chosen: frozenset[str] = frozenset()
    """Keys whose value comes from the command line instead of the file."""
    asked: list[str] = field(default_factory=list)

    def string(self, key: str) -> str | None:
        """A string that is not empty, or None."""
        value = self._get(key)
        if value is None:
            return None
        if isinstance(value, str) and _is_word(value):
            return value
        self.wrong(key, "a string that is not empty", value, hint=_about(value))
        return None

    def required(self, key: str) -> str:
        """A string that must be there; empty, and reported, when it is not."""
        if self._get(key) is None:
            place = find_table(self.text, self.name, index=self.index)
            message = f"`{key}` is missing in [[{self.name}]]"
            self.problems.append(
                Diagnostic(self.path, place.line, place.column, "VCR406", message, "")
            )
            return ""
        return self.string(key) or ""

    def strings(self, key: str) -> tuple[str, ...] | None:
        """A list of strings, or None."""
        value = self._get(key)
        if value is None:
            return None
        if isinstance(value, list) and all(map(_is_word, value)):
            return tuple(value)
        self.wrong(key, "a list of strings", value, hint=_about(*_listed(value)))
        return None

    def integer(self, key: str, *, low: int, high: int) -> int | None:
        """A whole number between two bounds, or None."""
        value = self._get(key)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        self.wrong(key, f"a whole number from {low} to {high}", value)
        return None

    def choice(self, key: str, choices: Mapping[str, _Choice]) -> _Choice | None:
        """One of some words, or None."""
        value = self._get(key)
        if value is None:
            return None
        if isinstance(value, str) and value in choices:
            return choices[value]
        meant = closest(value, list(choices)) if isinstance(value, str) else ""
        expected = " or ".join(f'"{choice}"' for choice in choices)
        self.wrong(key, expected, value, hint=f'did you mean "{meant}"?' if meant else "")
        return None

    def tables(self, key: str) -> tuple["StrictTable", ...]:
        """The entries of an array of tables."""
        value = self._get(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.wrong(key, f"an array of tables, [[{self.name}.{key}]]", value)
            return ()
        return tuple(
            StrictTable(
                name=f"{self.name}.{key}",
                values=item,
                text=self.text,
                path=self.path,
                problems=self.problems,
                index=index,
            )
            for index, item in enumerate(value)
        )

    def leave(self, *keys: str) -> None:
        """Know keys that somebody else reads."""
        self.asked.extend(keys)

    def refuse_unknown(self) -> None:
        """Report every key that was never asked for."""
        for key in self.values:
            if key not in self.asked:
                meant = closest(key.replace("_", "-").lower(), self.asked)
                hint = f"did you mean `{meant}`?" if meant else f"known: {', '.join(self.asked)}"
                self.problem(key, "VCR402", f"unknown key `{key}` in [{self.name}]", hint)

    def wrong(self, key: str, expected: str, got: object, *, hint: str = "") -> None:
        """Report a value that is not what was expected."""
        self.problem(key, "VCR403", f"`{key}` must be {expected}; got {got!r}", hint)

    def problem(self, key: str, code: str, message: str, hint: str = "") -> None:
        """Report a problem at the place of a key."""
        if key in self.chosen:
            self.problems.append(Diagnostic("--set", 0, 0, code, message, hint))
            return
        place = find_key(self.text, self.name, key, index=self.index)
        self.problems.append(Diagnostic(self.path, place.line, place.column, code, message, hint))

    def _get(self, key: str) -> object:
        if key not in self.asked:
            self.asked.append(key)
        return self.values.get(key)


def _is_word(value: object) -> bool:
    """Whether a value can be a name, a pattern or a path."""
    return isinstance(value, str) and bool(value) and "\0" not in value


def _about(*values: object) -> str:
    """What is the matter with strings that are none of ours."""
    if any(isinstance(value, str) and "\0" in value for value in values):
        return "no path and no name has a null character in it"
    return "one of them is empty" if "" in values and len(values) > 1 else ""


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []
