"""Reads one TOML table strictly: wrong types and unknown keys become diagnostics at their place.

`tomllib` does not tell where a key is, so the text is searched for it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from vcr_gen.gen.diagnostics import Diagnostic
from vcr_gen.spelling import closest

_Choice = TypeVar("_Choice", bound=str)
_HEADER = re.compile(r"^\s*(?P<at>\[\[?)\s*(?P<name>[^\]]+?)\s*\]\]?")


@dataclass(frozen=True, slots=True)
class Place:
    """A line and a column, both from 1."""

    line: int
    column: int


@dataclass(slots=True, kw_only=True)
class StrictTable:
    """A table that is read key by key."""

    name: str
    """`tool.vcr-gen`, or the name of an array of tables in it."""
    values: Mapping[str, object]
    known: Sequence[str]
    """The keys that it may have."""
    text: str
    """The text of the file, to find places in."""
    path: str
    """The name of the file, for diagnostics."""
    problems: list[Diagnostic]
    index: int = 0
    chosen: frozenset[str] = frozenset()
    """Keys whose value comes from the command line instead of the file."""

    def string(self, key: str) -> str | None:
        """A non-empty string, or None."""
        value = self._get(key)
        if value is None:
            return None
        if isinstance(value, str) and _is_word(value):
            return value
        self.wrong(key, "a non-empty string", value, hint=_about(value))
        return None

    def required(self, key: str) -> str:
        """A required string; if it is missing, report that and return an empty one."""
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
        if isinstance(value, list) and _are_words(value):
            return tuple(value)
        self.wrong(key, "a list of strings", value, hint=_about(*_listed(value)))
        return None

    def texts(self, key: str) -> dict[str, str] | None:
        """A table of strings, or None."""
        texts: dict[str, str] | None = self._named(key, "strings", _is_word)
        return texts

    def lists(self, key: str) -> dict[str, list[str]] | None:
        """A table of lists of strings, or None."""
        lists: dict[str, list[str]] | None = self._named(key, "lists of strings", _are_words)
        return lists

    def _named(self, key: str, what: str, fits: Callable[[object], bool]) -> Any:
        value = self._get(key)
        if value is not None and not (isinstance(value, dict) and all(map(fits, value.values()))):
            self.wrong(key, f"a table of {what}", value)
            return None
        return value

    def integer(self, key: str, *, low: int, high: int) -> int | None:
        """A whole number between two bounds, or None."""
        value = self._get(key)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        self.wrong(key, f"a whole number from {low} to {high}", value)
        return None

    def boolean(self, key: str) -> bool | None:
        """`true` or `false`, or None."""
        value = self._get(key)
        if value is None or isinstance(value, bool):
            return value
        self.wrong(key, "true or false", value)
        return None

    def choice(self, key: str, choices: Mapping[str, _Choice]) -> _Choice | None:
        """One of the choices, or None."""
        value = self._get(key)
        if value is None:
            return None
        if isinstance(value, str) and value in choices:
            return choices[value]
        meant = closest(value, list(choices)) if isinstance(value, str) else ""
        expected = " or ".join(f'"{choice}"' for choice in choices)
        self.wrong(key, expected, value, hint=f'did you mean "{meant}"?' if meant else "")
        return None

    def table(self, key: str, known: Sequence[str]) -> "StrictTable":
        """A table inside this one, which may have the `known` keys; empty if it is missing."""
        value = self._get(key)
        if value is not None and not isinstance(value, dict):
            self.wrong(key, f"a table, [{self.name}.{key}]", value)
        return StrictTable(
            name=f"{self.name}.{key}",
            values=value if isinstance(value, dict) else {},
            known=known,
            text=self.text,
            path=self.path,
            problems=self.problems,
        )

    def tables(self, key: str, known: Sequence[str]) -> tuple["StrictTable", ...]:
        """The entries of an array of tables, which may have the `known` keys."""
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
                known=known,
                text=self.text,
                path=self.path,
                problems=self.problems,
                index=index,
            )
            for index, item in enumerate(value)
        )

    def refuse_unknown(self) -> None:
        """Report every key that is not known."""
        for key in self.values:
            if key not in self.known:
                meant = closest(key.replace("_", "-").lower(), self.known)
                hint = f"did you mean `{meant}`?" if meant else f"known: {', '.join(self.known)}"
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
        assert key in self.known, f"`{key}` has no line in the table of settings"
        return self.values.get(key)


def _is_word(value: object) -> bool:
    """Whether a value can be a name, a pattern or a path."""
    return isinstance(value, str) and bool(value) and "\0" not in value


def _are_words(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_word, value))


def _about(*values: object) -> str:
    """A hint about rejected strings."""
    if any(isinstance(value, str) and "\0" in value for value in values):
        return "paths and names cannot contain a null character"
    return "one of the strings is empty" if "" in values and len(values) > 1 else ""


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def find_table(text: str, table: str, *, index: int = 0) -> Place:
    """The place of a table's header; `index` counts the entries of an array of tables."""
    seen = 0
    for number, line in enumerate(text.splitlines(), start=1):
        header = _HEADER.match(line)
        if header and _plain(header["name"]) == table:
            if seen == index:
                return Place(number, header.start("at") + 1)
            seen += 1
    # An inline table or a dotted key: point at its last word.
    return _first(text, rf"^\s*(?:[\w.-]+\.)?(?P<at>{_key(table.rsplit('.', 1)[-1])})") or Place(
        1, 1
    )


def find_key(text: str, table: str, key: str, *, index: int = 0) -> Place:
    """The place of a key in a table; that of the table if the key is spelled unusually."""
    start = find_table(text, table, index=index)
    lines = text.splitlines()
    body = next(
        (number for number in range(start.line, len(lines)) if _HEADER.match(lines[number])),
        len(lines),
    )
    own = _first("\n".join(lines[start.line : body]), rf"^\s*(?P<at>{_key(key)})\s*[=.]")
    if own is not None:
        return Place(own.line + start.line, own.column)
    return (
        _first(text, rf"^\s*(?P<at>\[)\[?\s*{re.escape(table)}\.{_key(key)}\s*[\].]")
        or _first(text, rf"[{{,]\s*(?P<at>{_key(key)})\s*=")
        or start
    )


def place_of_syntax_error(message: str) -> Place:
    """The place that `tomllib` names at the end of its message."""
    found = re.search(r"at line (\d+), column (\d+)", message)
    return Place(int(found[1]), int(found[2])) if found else Place(1, 1)


def _first(text: str, pattern: str) -> Place | None:
    compiled = re.compile(pattern)
    for number, line in enumerate(text.splitlines(), start=1):
        if match := compiled.search(line):
            return Place(number, match.start("at") + 1)
    return None


def _key(name: str) -> str:
    return rf"[\"']?{re.escape(name)}[\"']?"


def _plain(header: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in header.split("."))
