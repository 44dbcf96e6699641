"""Where a key stands in a TOML text; `tomllib` forgets it, and a diagnostic must name it."""

import re
from dataclasses import dataclass

__all__ = ["Place", "find_key", "find_table", "place_of_syntax_error"]

_HEADER = re.compile(r"^\s*(?P<at>\[\[?)\s*(?P<name>[^\]]+?)\s*\]\]?")


@dataclass(frozen=True, slots=True)
class Place:
    """A line and a column, both from 1."""

    line: int
    column: int


def find_table(text: str, table: str, *, index: int = 0) -> Place:
    """Where the table's header stands; `index` counts the entries of an array of tables."""
    seen = 0
    for number, line in enumerate(text.splitlines(), start=1):
        header = _HEADER.match(line)
        if header and _plain(header["name"]) == table:
            if seen == index:
                return Place(number, header.start("at") + 1)
            seen += 1
    # An inline table or a dotted key: its last word is the best there is to point at.
    return _first(text, rf"^\s*(?:[\w.-]+\.)?(?P<at>{_key(table.rsplit('.', 1)[-1])})") or Place(
        1, 1
    )


def find_key(text: str, table: str, key: str, *, index: int = 0) -> Place:
    """Where the key stands in that table; the table itself when the key is spelled unusually."""
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
