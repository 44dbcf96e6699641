"""Source text with holes: the names in it are chosen only when the module is written."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from vcr_gen.gen.modules import When

__all__ = [
    "Part",
    "Quoted",
    "Reference",
    "Text",
    "builtin",
    "full_names",
    "imported",
    "opened",
    "references",
    "string_literal",
    "substitute",
]


_TAIL: Final = re.compile(r"(\.\w+)*")


@dataclass(frozen=True, slots=True, order=True)
class Reference:
    """A name in an annotation or default: how the source spells it, and what it stands for."""

    spelling: str
    kind: Literal["builtin", "import", "variable", "parameter"]
    """A TypeVar and its kin is a `variable`; one between PEP 695 brackets a `parameter`."""
    module: str = ""
    """The module to import it from."""
    attribute: str = ""
    """Its name there; empty when the module itself is meant."""
    when: When = When.ALWAYS
    """Whether it can be imported when the program runs."""
    home: str = ""
    """A module that has the name at run time, where type checkers look elsewhere."""
    full_name: str = ""
    """The name of what it stands for, through all re-exports."""

    @property
    def top_level(self) -> str:
        """The package that `import a.b` binds; empty for any other name."""
        top = self.module.partition(".")[0]
        bare = self.kind == "import" and not self.attribute and self.spelling == top
        return top if bare else ""


@dataclass(frozen=True, slots=True)
class Quoted:
    """Text inside a string annotation."""

    text: "Text"
    original: str
    """As the source says it; used as long as no name had to change."""


Part: TypeAlias = str | Reference | Quoted
Text: TypeAlias = tuple[Part, ...]


def builtin(name: str) -> Reference:
    """A name that Python itself binds."""
    return Reference(name, "builtin", full_name=f"builtins.{name}")


def imported(module: str, name: str) -> Reference:
    """A name that generated code imports for itself."""
    return Reference(name, "import", module, name, full_name=f"{module}.{name}")


def opened(text: Text) -> Text:
    """The text inside a string annotation, or the text itself."""
    if len(text) == 1 and isinstance(text[0], Quoted):
        return opened(text[0].text)
    return text


def references(text: Text) -> Iterator[Reference]:
    """All names in a text, in order."""
    for part in text:
        if isinstance(part, Reference):
            yield part
        elif isinstance(part, Quoted):
            yield from references(part.text)


def full_names(text: Text) -> Iterator[str]:
    """The full names of all that a text mentions, dotted tails included."""
    for index, part in enumerate(text):
        if isinstance(part, Quoted):
            yield from full_names(part.text)
        elif isinstance(part, Reference):
            after = text[index + 1] if index + 1 < len(text) else ""
            tail = _TAIL.match(after) if isinstance(after, str) else None
            yield part.full_name + (tail.group() if tail else "")


def substitute(text: Text, replace: Callable[[Reference], Text | None]) -> Text:
    """The text with some of its names replaced."""
    return tuple(_substituted(text, replace))


def _substituted(text: Text, replace: Callable[[Reference], Text | None]) -> Iterator[Part]:
    for part in text:
        if isinstance(part, Reference):
            yield from replace(part) or (part,)
        elif isinstance(part, Quoted):
            inner = substitute(part.text, replace)
            yield part if inner == part.text else Quoted(inner, "")
        else:
            yield part


def string_literal(value: str) -> str:
    """A string as black writes it: in double quotes unless that needs more escapes."""
    shown = repr(value)
    if shown[0] == '"':
        return shown
    body = shown[1:-1]
    if '"' in body:
        return shown
    return '"' + body.replace("\\'", "'") + '"'
