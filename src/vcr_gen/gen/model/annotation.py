"""Annotations as one frozen tree: its nodes, and how to walk and change it.

Defaults and decorators are such trees too. A name in the tree is a `Reference`: what it is called
is decided only when a module is written (`to_text`).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Literal, TypeAlias

_FOLDED: Final = {
    "typing_extensions": "typing",
    "collections.abc": "typing",
    "_collections_abc": "typing",
}


TypeParameterKind: TypeAlias = Literal["TypeVar", "ParamSpec", "TypeVarTuple"]


class When(IntEnum):
    """Whether a name exists when the program runs."""

    ALWAYS = 0
    MAYBE = 1
    """Bound in a `try` or under a condition that only the run decides."""
    CHECKING = 2
    """Bound for type checkers only."""
    NEVER = 3
    """Bound in a stub, or in a branch that only one type checker believes in."""


def fold(full_name: str) -> str:
    """One name for what `typing`, `typing_extensions` and `collections.abc` all offer."""
    module, _, name = full_name.rpartition(".")
    return f"{_FOLDED[module]}.{name}" if module in _FOLDED else full_name


@dataclass(frozen=True, slots=True, order=True)
class Reference:
    """What a name stands for, and how the source spells it."""

    spelling: str
    kind: Literal["builtin", "import", "variable", "parameter"]
    """A `variable` is a TypeVar, ParamSpec or TypeVarTuple; in PEP 695 brackets a `parameter`."""
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

    @property
    def is_variable(self) -> bool:
        """Whether it is a TypeVar, ParamSpec or TypeVarTuple, however it is declared."""
        return self.kind in {"variable", "parameter"}


def builtin(name: str) -> Reference:
    """A name that Python itself binds."""
    return Reference(name, "builtin", full_name=f"builtins.{name}")


def imported(module: str, name: str) -> Reference:
    """A name that generated code imports for itself."""
    return Reference(name, "import", module, name, full_name=f"{module}.{name}")


@dataclass(frozen=True, slots=True)
class Annotation:
    """A node of the tree."""


@dataclass(frozen=True, slots=True)
class Name(Annotation):
    """A name whose meaning is known: `Path`, `datetime.date`, `P.args`."""

    reference: Reference
    tail: tuple[str, ...] = ()
    """The names after the first dot."""

    @property
    def full_name(self) -> str:
        """The name of what it stands for, synonyms of `typing` folded."""
        return fold(".".join((self.reference.full_name, *self.tail)))

    @property
    def source(self) -> str:
        """The name as the source has it."""
        return ".".join((self.reference.spelling, *self.tail))

    @property
    def submodule(self) -> tuple[str, ...]:
        """`b` of `a.b.Name`, where `import a.b` binds `a`."""
        reference = self.reference
        inner = tuple(reference.module.split(".")[1:]) if reference.top_level else ()
        says = len(self.tail) > len(inner) and self.tail[: len(inner)] == inner
        return inner if says and not reference.home else ()


@dataclass(frozen=True, slots=True)
class Code(Annotation):
    """Code without names or strings: `None`, `...`, a number; or a name that means nothing."""

    text: str


@dataclass(frozen=True, slots=True)
class String(Annotation):
    """A string that is a value, as in `Literal["a"]`."""

    value: str | bytes


@dataclass(frozen=True, slots=True)
class Quoted(Annotation):
    """A string annotation."""

    inner: Annotation
    original: str
    """The text in the source, used as long as no name in it changes; empty if there is none."""


@dataclass(frozen=True, slots=True)
class Subscript(Annotation):
    """`value[inner]`, where `inner` may be a tuple."""

    value: Annotation
    inner: Annotation

    @property
    def arguments(self) -> tuple[Annotation, ...]:
        """What is between the brackets."""
        return self.inner.elements if isinstance(self.inner, Tuple) else (self.inner,)


@dataclass(frozen=True, slots=True)
class _Several(Annotation):
    elements: tuple[Annotation, ...]


@dataclass(frozen=True, slots=True)
class Union(_Several):
    """`a | b`."""


@dataclass(frozen=True, slots=True)
class List(_Several):
    """`[a, b]`, such as the parameters of a `Callable`."""


@dataclass(frozen=True, slots=True)
class Tuple(_Several):
    """`(a, b)`, or `a, b` between the brackets of a subscript."""


@dataclass(frozen=True, slots=True)
class Starred(Annotation):
    """`*value`."""

    value: Annotation


@dataclass(frozen=True, slots=True)
class Expression(Annotation):
    """Any other expression: code, with the names and strings in it as nodes."""

    parts: tuple[str | Annotation, ...]


NONE: Final = Code("None")
ELLIPSIS: Final = Code("...")
ANY: Final = Name(imported("typing", "Any"))
ANNOTATED: Final = Name(imported("typing", "Annotated"))
CALLABLE: Final = Name(imported("collections.abc", "Callable"))
DICT: Final = Name(builtin("dict"))
STR: Final = Name(builtin("str"))
TUPLE: Final = Name(builtin("tuple"))


def subscript(value: Annotation, *arguments: Annotation) -> Subscript:
    """`value[a, b]`."""
    return Subscript(value, arguments[0] if len(arguments) == 1 else Tuple(arguments))


def dotted(value: Annotation, tail: tuple[str, ...]) -> Annotation:
    """`value.a.b`."""
    if isinstance(value, Name):
        return Name(value.reference, (*value.tail, *tail))
    return Expression((value, *(f".{name}" for name in tail))) if tail else value


def _children(node: Annotation) -> tuple[Annotation, ...]:
    match node:
        case Quoted(inner=child) | Starred(value=child):
            return (child,)
        case Subscript(value=value, inner=inner):
            return (value, inner)
        case Union() | List() | Tuple():
            return node.elements
        case Expression(parts=parts):
            return tuple(part for part in parts if not isinstance(part, str))
    return ()


def _with_children(node: Annotation, children: tuple[Annotation, ...]) -> Annotation:
    match node:
        case Quoted():
            return Quoted(children[0], "")
        case Starred():
            return Starred(children[0])
        case Subscript():
            return Subscript(*children)
        case Union() | List() | Tuple():
            return type(node)(children)
        case Expression(parts=parts):
            left = iter(children)
            return Expression(
                tuple(part if isinstance(part, str) else next(left) for part in parts)
            )
    return node


def walk(annotation: Annotation | None, *, strings: bool = True) -> Iterator[Annotation]:
    """All nodes, each before those in it; those in string annotations only with `strings`."""
    if annotation is None:
        return
    yield annotation
    if strings or not isinstance(annotation, Quoted):
        for child in _children(annotation):
            yield from walk(child, strings=strings)


def walk_with_owners(
    annotation: Annotation | None, owners: tuple[str, ...] = ()
) -> Iterator[tuple[Annotation, tuple[str, ...]]]:
    """All nodes, each with the full names of the types whose arguments it is in, outermost first.

    The parameter list of `Callable[[int], str]` counts with no name.
    """
    if annotation is None:
        return
    yield annotation, owners
    if isinstance(annotation, Subscript):
        yield from walk_with_owners(annotation.value, owners)
        yield from walk_with_owners(annotation.inner, (*owners, full_name(annotation.value)))
        return
    below = (*owners, "") if isinstance(annotation, List) else owners
    for child in _children(annotation):
        yield from walk_with_owners(child, below)


def names_in(annotation: Annotation | None, *, strings: bool = True) -> Iterator[Name]:
    """All names, in order."""
    for node in walk(annotation, strings=strings):
        if isinstance(node, Name):
            yield node


def references(annotation: Annotation | None, *, strings: bool = True) -> Iterator[Reference]:
    """What all names stand for, in order."""
    return (name.reference for name in names_in(annotation, strings=strings))


def full_names(annotation: Annotation | None) -> Iterator[str]:
    """The full names of all that is named, in order."""
    return (name.full_name for name in names_in(annotation))


def full_name(annotation: Annotation | None) -> str:
    """The full name of a type, without its arguments; empty when it is not a name."""
    match annotation:
        case Name():
            return annotation.full_name
        case Subscript(value=value):
            return full_name(value)
        case Quoted(inner=inner):
            return full_name(inner)
    return ""


def variables_of(annotations: Iterable[Annotation | None]) -> list[Reference]:
    """The type variables in some annotations, in order of appearance."""
    found = dict.fromkeys(
        reference
        for annotation in annotations
        for reference in references(annotation)
        if reference.is_variable
    )
    return list(found)


def mentions_self(annotation: Annotation | None) -> bool:
    """Whether `Self` is anywhere in an annotation."""
    return "typing.Self" in full_names(annotation)


def has_self_argument(annotation: Annotation | None) -> bool:
    """Whether `Self` is an argument of another type."""
    return any(
        owners and isinstance(node, Name) and node.full_name == "typing.Self"
        for node, owners in walk_with_owners(annotation)
    )


def replace_nodes(
    annotation: Annotation, change: Callable[[Annotation], Annotation | None]
) -> Annotation:
    """The annotation with some nodes replaced; `change` gives None for those that stay."""
    changed = change(annotation)
    if changed is not None:
        return changed
    before = _children(annotation)
    after = tuple(replace_nodes(child, change) for child in before)
    same = all(old is new for old, new in zip(before, after, strict=True))
    return annotation if same else _with_children(annotation, after)


def replace_self(annotation: Annotation, variable: Reference | None, own: Annotation) -> Annotation:
    """The annotation with `Self`, and the type variable of `self`, replaced."""

    def change(node: Annotation) -> Annotation | None:
        is_self = isinstance(node, Name) and (
            node.reference == variable or node.full_name == "typing.Self"
        )
        return own if is_self else None

    return replace_nodes(annotation, change)


def unquoted(annotation: Annotation) -> Annotation:
    """The annotation inside a string annotation, or the annotation itself."""
    return unquoted(annotation.inner) if isinstance(annotation, Quoted) else annotation


def without_quotes(annotation: Annotation) -> Annotation:
    """The annotation with every string annotation in it opened."""
    return replace_nodes(
        annotation, lambda node: without_quotes(node.inner) if isinstance(node, Quoted) else None
    )
