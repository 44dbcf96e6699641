"""Lays out brackets as black does: on one line, or one item per line with a trailing comma."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Item: TypeAlias = "str | Nest"


@dataclass(frozen=True, slots=True)
class Nest:
    """Something in brackets, with the text before and after."""

    before: str
    items: tuple[Item, ...] = ()
    after: str = ")"
    is_tuple: bool = False
    """Whether a comma stays after an only item."""

    @property
    def flat(self) -> str:
        """All on one line."""
        inner = ", ".join(item if isinstance(item, str) else item.flat for item in self.items)
        comma = "," if self.is_tuple and len(self.items) == 1 else ""
        return f"{self.before}{inner}{comma}{self.after}"


def fit(nest: Nest | str, indent: int, width: int, end: str = "") -> str:
    """The text at an indentation; broken only where it does not fit."""
    space = " " * indent
    flat = nest if isinstance(nest, str) else nest.flat
    if isinstance(nest, str) or not nest.items or indent + len(flat) + len(end) <= width:
        return f"{space}{flat}{end}"
    only = nest.items[0] if len(nest.items) == 1 else None
    # black adds no comma after the only argument of a call that is itself a call
    comma = "" if isinstance(only, Nest) and not nest.is_tuple else ","
    lines = [fit(item, indent + 4, width, comma) for item in nest.items]
    return "\n".join([f"{space}{nest.before}", *lines, f"{space}{nest.after}{end}"])


def docstring(text: str, indent: int) -> str:
    """A docstring as black leaves it."""
    body = "".join(_shown(character) for character in text).replace('"""', '\\"\\"\\"')
    lines: Sequence[str] = [line.rstrip() for line in body.strip().split("\n")]
    space = " " * indent
    shown = "\n".join([lines[0], *(f"{space}{line}" if line else "" for line in lines[1:])])
    if shown.startswith('"'):
        shown = f" {shown}"
    if len(lines) > 1:
        shown += f"\n{space}"
    elif shown.endswith('"'):
        shown += " "
    return f'{space}"""{shown}"""'


def _shown(character: str) -> str:
    if character == "\\":
        return "\\\\"
    if character == "\n" or character.isprintable():
        return character
    return character.encode("unicode_escape").decode("ascii")
