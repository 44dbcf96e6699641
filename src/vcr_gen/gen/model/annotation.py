"""Source text with holes: the names in it are chosen only when the module is written."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from vcr_gen.gen.model.kinds import When

__all__ = [
    "ANNOTATED",
    "ANY",
    "CALLABLE",
    "DICT",
    "ELLIPSIS",
    "NONE",
    "STR",
    "TUPLE",
    "Annotation",
    "List",
    "Name",
    "Part",
    "Quoted",
    "Reference",
    "Starred",
    "builtin",
    "contains_self",
    "fold",
    "free_name",
    "full_names",
    "has_quotes",
    "has_starred_tuple",
    "imported",
    "is_inner",
    "is_self",
    "is_starred",
    "names_inner",
    "opened",
    "plain_builtins",
    "quoted",
    "references",
    "replace_self",
    "string_annotation",
    "string_literal",
    "subscript",
    "surrounded",
    "union",
    "variables_of",
    "without_quotes",
]


_FOLDED: Final = {
    "typing_extensions": "typing",
    "collections.abc": "typing",
    "_collections_abc": "typing",
}
_TAIL: Final = re.compile(r"(\.\w+)*")
_NAME: Final = re.compile(r"\w+")
_STRING: Final = re.compile(
    r"""b?(?:\"""(?:[^"\\]|\\.|"(?!""))*\"""|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""", re.DOTALL
)


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
    unsaid: str = ""
    """`.Inner.` for `Outer.Inner.Name`, which the body of `Inner` calls `Name` alone."""

    @property
    def top_level(self) -> str:
        """The package that `import a.b` binds; empty for any other name."""
        top = self.module.partition(".")[0]
        bare = self.kind == "import" and not self.attribute and self.spelling == top
        return top if bare else ""

    def submodule(self, after: "Annotation") -> str:
        """`.b` where `import a.b` binds a name, and the text goes on to say `.b` after it."""
        inner = self.module.removeprefix(self.top_level) if self.top_level else ""
        following = after[0] if after else ""
        says = isinstance(following, str) and following.startswith(f"{inner}.")
        return inner if says and not self.home else ""


@dataclass(frozen=True, slots=True)
class Quoted:
    """Annotation inside a string annotation."""

    text: "Annotation"
    original: str
    """As the source says it; used as long as no name had to change."""


Part: TypeAlias = str | Reference | Quoted
Annotation: TypeAlias = tuple[Part, ...]


def builtin(name: str) -> Reference:
    """A name that Python itself binds."""
    return Reference(name, "builtin", full_name=f"builtins.{name}")


def imported(module: str, name: str) -> Reference:
    """A name that generated code imports for itself."""
    return Reference(name, "import", module, name, full_name=f"{module}.{name}")


def Name(reference: Reference, tail: tuple[str, ...] = ()) -> Annotation:  # noqa: N802
    """A name, and what is said after it with dots."""
    return (reference, "".join(f".{part}" for part in tail)) if tail else (reference,)


def List(elements: Iterable[Annotation]) -> Annotation:  # noqa: N802
    """`[a, b]`, as the parameters of a `Callable`."""
    return _merged(("[", *_joined(elements), "]"))


def Starred(value: Annotation) -> Annotation:  # noqa: N802
    """`*value`."""
    return _merged(("*", *value))


def subscript(value: Annotation, *arguments: Annotation) -> Annotation:
    """`value[a, b]`."""
    return _merged((*value, "[", *_joined(arguments), "]"))


def union(*members: Annotation) -> Annotation:
    """`a | b`."""
    return _merged(_joined(members, " | "))


def _joined(elements: Iterable[Annotation], between: str = ", ") -> Iterator[Part]:
    for index, element in enumerate(elements):
        if index:
            yield between
        yield from element


def _merged(parts: Iterable[Part]) -> Annotation:
    merged: list[Part] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        else:
            merged.append(part)
    return tuple(merged)


NONE: Final[Annotation] = ("None",)
ELLIPSIS: Final[Annotation] = ("...",)
ANY: Final[Annotation] = (imported("typing", "Any"),)
ANNOTATED: Final[Annotation] = (imported("typing", "Annotated"),)
CALLABLE: Final[Annotation] = (imported("collections.abc", "Callable"),)
DICT: Final[Annotation] = (builtin("dict"),)
STR: Final[Annotation] = (builtin("str"),)
TUPLE: Final[Annotation] = (builtin("tuple"),)


def has_quotes(text: Annotation) -> bool:
    """Whether a string annotation is in it."""
    return any(isinstance(part, Quoted) for part in text)


def is_starred(text: Annotation) -> bool:
    """Whether it is `*Ts`."""
    return bool(text) and text[0] == "*"


def plain_builtins(text: Annotation) -> Annotation:
    """The annotation with `list` for `__builtins__.list`, which only the main module knows."""
    return tuple(
        (
            builtin(part.spelling.rpartition(".")[2])
            if isinstance(part, Reference) and part.spelling.startswith("__builtins__.")
            else part
        )
        for part in text
    )


def has_starred_tuple(text: Annotation | None) -> bool:
    """Whether `*tuple[...]` is among the parameters of a `Callable`."""
    return any(
        reference.full_name == "builtins.tuple"
        and "typing.Callable" in around
        and any(
            isinstance(left, str) and left.endswith("*")
            for left, right in pairwise(text or ())
            if right is reference
        )
        for reference, around in surrounded(text or ())
    )


def names_inner(text: Annotation, inner: Collection[str], *, kept: bool) -> bool:
    """Whether an annotation that is kept as text, or a string in it, names an inner class."""
    return any(
        (
            names_inner(part.text, inner, kept=True)
            if isinstance(part, Quoted)
            else kept and is_inner(text, index, inner)
        )
        for index, part in enumerate(text)
    )


def opened(text: Annotation) -> Annotation:
    """The text inside a string annotation, or the text itself."""
    if len(text) == 1 and isinstance(text[0], Quoted):
        return opened(text[0].text)
    return text


def without_quotes(text: Annotation) -> Annotation:
    """The text with every string annotation in it opened."""
    parts: list[Part] = []
    for part in text:
        parts.extend(without_quotes(part.text) if isinstance(part, Quoted) else (part,))
    return tuple(parts)


def references(text: Annotation | None) -> Iterator[Reference]:
    """All names in a text, in order."""
    for part in text or ():
        if isinstance(part, Reference):
            yield part
        elif isinstance(part, Quoted):
            yield from references(part.text)


def surrounded(
    text: Annotation, around: tuple[str, ...] = ()
) -> Iterator[tuple[Reference, tuple[str, ...]]]:
    """All names in a text, each with the full names of the types between whose brackets it stands.

    Brackets without a type before them, as in `Callable[[int], str]`, count with no name.
    """
    opener = ""
    for index, part in enumerate(text):
        if isinstance(part, Quoted):
            yield from surrounded(part.text, around)
        elif isinstance(part, Reference):
            after = text[index + 1] if index + 1 < len(text) else ""
            tail = _TAIL.match(after) if isinstance(after, str) else None
            opener = fold(part.full_name + (tail.group() if tail else ""))
            yield part, around
        else:
            for character in _STRING.sub("", part):
                if character == "[":
                    around = (*around, opener)
                elif character == "]":
                    around = around[:-1]
                opener = "" if character in "[]," else opener


def fold(full_name: str) -> str:
    """One name for what `typing`, `typing_extensions` and `collections.abc` all offer."""
    module, _, name = full_name.rpartition(".")
    return f"{_FOLDED[module]}.{name}" if module in _FOLDED else full_name


def full_names(text: Annotation | None) -> Iterator[str]:
    """The full names of all that a text mentions, dotted tails included."""
    text = text or ()
    for index, part in enumerate(text):
        if isinstance(part, Quoted):
            yield from full_names(part.text)
        elif isinstance(part, Reference):
            after = text[index + 1] if index + 1 < len(text) else ""
            tail = _TAIL.match(after) if isinstance(after, str) else None
            yield part.full_name + (tail.group() if tail else "")


def replace_self(text: Annotation, variable: Reference | None, own: Annotation) -> Annotation:
    """The text with `Self`, however it is imported, and the type variable of `self` replaced."""
    parts: list[Part] = []
    pending = list(text)
    while pending:
        part = pending.pop(0)
        if isinstance(part, Quoted):
            inner = replace_self(part.text, variable, own)
            parts.append(part if inner == part.text else Quoted(inner, ""))
        elif isinstance(part, Reference):
            after = pending[0] if pending else ""
            tail = _TAIL.match(after) if isinstance(after, str) else None
            dotted = tail.group() if tail else ""
            if part == variable or is_self(part.full_name + dotted):
                parts.extend(own)
                if isinstance(after, str) and dotted:
                    pending[0] = after[len(dotted) :]
            else:
                parts.append(part)
        else:
            parts.append(part)
    return tuple(parts)


def is_self(full_name: str) -> bool:
    """Whether a full name is `Self`'s."""
    return full_name in {"typing.Self", "typing_extensions.Self"}


def is_inner(text: Annotation, index: int, inner: Collection[str]) -> bool:
    """Whether a name stands for a class that the source names without those around it.

    `inner` holds the full names of the classes that can be named so.
    """
    part, after = text[index], text[index + 1] if index + 1 < len(text) else ""
    if not isinstance(part, Reference) or not part.unsaid or not isinstance(after, str):
        return False
    name = _NAME.match(after.removeprefix(part.unsaid))
    return name is not None and f"{part.full_name}{part.unsaid}{name.group()}" in inner


def contains_self(text: Annotation | None) -> bool:
    """Whether `Self` is an argument of another type."""
    inside = any("[" in part for part in opened(text or ()) if isinstance(part, str))
    return inside and any(map(is_self, full_names(text)))


def string_literal(value: str | bytes) -> str:
    """A string as black writes it: in double quotes unless that needs more escapes."""
    shown = repr(value)
    prefix, quote, body = shown[: shown.index(shown[-1])], shown[-1], shown.lstrip("b")[1:-1]
    if quote == '"' or body.count('"') > body.count("'"):
        return shown
    escaped = body.replace("\\'", "'").replace('"', '\\"')
    return f'{prefix}"{escaped}"'


def string_annotation(original: str) -> str:
    """A string annotation; pyright reads one of several lines only between three quotes."""
    plain = "\n" not in original or "\\" in original or '"' in original
    return string_literal(original) if plain else f'"""{original}"""'


def quoted(code: str) -> str:
    """Code as a string, the strings in it as Python writes them that keeps annotations as text."""
    return string_literal(_STRING.sub(lambda one: repr(ast.literal_eval(one.group())), code))


def variables_of(texts: Iterable[Annotation | None]) -> list[Reference]:
    """The type variables in some texts, in order of appearance."""
    found = dict.fromkeys(
        reference
        for text in texts
        for reference in references(text)
        if reference.kind in {"variable", "parameter"}
    )
    return list(found)


def free_name(wish: str, taken: Collection[str]) -> str:
    """The wished name, with as many underscores after it as it needs to be nobody else's."""
    while wish in taken:
        wish += "_"
    return wish
