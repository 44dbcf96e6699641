"""Colours for YAML on a terminal: keys stand out, and text is left alone."""

import re
from collections.abc import Iterator
from typing import Final

from vcr_gen.cli.terminal import Terminal

__all__ = ["paint_yaml"]

_KEY: Final = re.compile(r"""(?P<indent> *(?:- )*)(?P<key>[\w$./@#~-]+|"[^"]*"):(?P<rest>$| .*)""")
_BLOCK: Final = re.compile(r"(?:^|: |- )[|>][-+0-9]*$")


def paint_yaml(text: str, terminal: Terminal) -> str:
    """The text with its keys coloured, where the terminal takes colours."""
    if terminal.paint("", "cyan") == "":
        return text
    return "\n".join(_lines(text.split("\n"), terminal))


def _lines(lines: list[str], terminal: Terminal) -> Iterator[str]:
    block: int | None = None  # how far a literal block's key is indented
    for line in lines:
        indent = len(line) - len(line.lstrip(" "))
        if block is not None and (indent > block or not line):
            yield line
            continue
        block = indent if _BLOCK.search(line) else None
        found = _KEY.fullmatch(line)
        if found is None:
            yield line
            continue
        color = "red" if found["key"] == "raised" else "cyan"
        yield f"{found['indent']}{terminal.paint(found['key'], color)}:{found['rest']}"
