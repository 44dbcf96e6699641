"""Copies one member of a class into the form it has in a Protocol: a signature without a body."""

import ast
import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from vcr_gen.gen.extract_imports import names_in
from vcr_gen.gen.extract_own_name import OwnName, is_type_variable, last_word, renamed
from vcr_gen.gen.modules import Module
from vcr_gen.gen.syntax import Function, docstring_of, yields

__all__ = ["Member", "Place", "copy_member", "is_public"]

_Node = TypeVar("_Node", bound=ast.AST)

_KEPT: Final = {"property", "classmethod", "staticmethod", "overload"}
_DUNDERS: Final = {
    f"__{name}__"
    for name in (
        *("call", "enter", "exit", "aenter", "aexit", "iter", "next", "aiter", "anext", "await"),
        *("len", "getitem", "setitem", "delitem", "contains", "reversed"),
    )
}
_MANAGERS: Final = {
    "contextmanager": "AbstractContextManager",
    "asynccontextmanager": "AbstractAsyncContextManager",
}
_ANY: Final = ("typing", "Any")


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One member, ready to be written."""

    module: Module
    """Where it was declared, and where its names mean something."""
    text: str
    needs: frozenset[str]
    """Names of that module that the text uses."""
    ours: frozenset[tuple[str, str]] = frozenset()
    """Names that the copy brought in: (module, name)."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where members are declared."""

    module: Module
    own: OwnName | None
    """What the name of the class means there, if it is known."""
    arguments: Mapping[str, str]
    """What the type variables of the class stand for."""
    frozen: bool
    """Whether attributes cannot be set."""


def is_public(name: str) -> bool:
    """Whether a member is part of what others may use."""
    return not name.startswith("_") or name in _DUNDERS


def copy_member(node: ast.stmt, place: Place) -> Member | None:
    """The member that a statement in a class body declares, or None when it declares none."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return _copy_attribute(node, place)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return _copy_function(node, place)
    return None


def _copy_attribute(node: ast.AnnAssign, place: Place) -> Member:
    own, frozen = place.own, place.frozen
    ours: set[tuple[str, str]] = set()
    annotation = _filled(copy.deepcopy(node.annotation), place, ours)
    final = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    if last_word(final) == "Final":
        frozen = True
        value = getattr(node.value, "value", None)
        if isinstance(annotation, ast.Subscript):
            annotation = annotation.slice
        elif isinstance(value, bool | int | float | str | bytes):
            annotation = ast.Name(type(value).__name__)
        else:
            annotation = ast.Name("Any")
            ours.add(_ANY)
    name = ast.unparse(node.target)
    if frozen and last_word(getattr(annotation, "value", annotation)) != "ClassVar":
        annotation = own.given(annotation) if own else annotation
        text = f"@property\ndef {name}(self) -> {ast.unparse(annotation)}: ..."
    else:
        annotation = own.taken(annotation) if own else annotation
        text = f"{name}: {ast.unparse(annotation)}"
    needs = frozenset(set(names_in(annotation)) - {name for _, name in ours})
    return Member(module=place.module, text=text, needs=needs, ours=frozenset(ours))


def _copy_function(original: Function, place: Place) -> Member:
    node = copy.deepcopy(original)
    ours: set[tuple[str, str]] = set()
    decorators = {last_word(decorator): decorator for decorator in node.decorator_list}
    manager = next((name for name in decorators if name in _MANAGERS), None)
    static = "staticmethod" in decorators
    _annotate(node, ours, skip_first=not static)
    if not static:
        _free_the_receiver(place.module, node, ours)
    if manager is not None and node.returns is not None:
        node.returns = ast.Subscript(ast.Name(_MANAGERS[manager]), _first_argument(node.returns))
        ours.add(("contextlib", _MANAGERS[manager]))
    node.args = _filled(node.args, place, ours)
    node.returns = _filled(node.returns, place, ours) if node.returns else None
    if place.own is not None:
        node.args = place.own.taken(node.args)
        node.returns = place.own.given(node.returns) if node.returns else None
    node.decorator_list = list(_kept(decorators, ours))
    doc = docstring_of(original)
    node.body = [ast.Expr(ast.Constant(f"{doc}\n" if doc and "\n" in doc else doc or ...))]
    # Without a `yield` in its body, `async def` would promise a coroutine that gives an iterator.
    plain = isinstance(original, ast.AsyncFunctionDef) and (yields(original) or manager is not None)
    text = ast.unparse(ast.fix_missing_locations(node))
    if plain:
        text = text.replace("async def ", "def ", 1)
    brought = {name for _, name in ours}
    needs = frozenset(set(_names_of(node)) - brought)
    return Member(module=place.module, text=text, needs=needs, ours=frozenset(ours))


def _filled(annotation: _Node, place: Place, ours: set[tuple[str, str]]) -> _Node:
    """An annotation in which the type variables of a base say what they stand for."""
    for variable, argument in place.arguments.items():
        if argument != variable and variable in names_in(annotation):
            annotation = renamed(annotation, variable, argument)
            if argument == "Any":
                ours.add(_ANY)
    return annotation


def _free_the_receiver(module: Module, node: Function, ours: set[tuple[str, str]]) -> None:
    """Take the annotation of `self` away: the Protocol is not that class.

    Where it is a type variable, `Self` says the same.
    """
    receiver = next(iter([*node.args.posonlyargs, *node.args.args]), None)
    if receiver is None or receiver.annotation is None:
        return
    named, receiver.annotation = receiver.annotation, None
    if isinstance(named, ast.Subscript) and last_word(named.value) in {"type", "Type"}:
        named = named.slice
    binding = module.binding(named.id) if isinstance(named, ast.Name) else None
    if binding is not None and isinstance(named, ast.Name) and is_type_variable(binding.node):
        node.args = renamed(node.args, named.id, "Self")
        node.returns = renamed(node.returns, named.id, "Self") if node.returns else None
        ours.add(("typing", "Self"))


def _annotate(node: Function, ours: set[tuple[str, str]], *, skip_first: bool) -> None:
    """Fill in what is not annotated, and replace defaults that only the original can compute."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    others = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    for argument in [*positional[1 if skip_first else 0 :], *arguments.kwonlyargs, *others]:
        if argument.annotation is None:
            argument.annotation = ast.Name("Any")
            ours.add(_ANY)
    if node.returns is None:
        if _returns_nothing(node):
            node.returns = ast.Constant(None)
        else:
            node.returns = ast.Name("Any")
            ours.add(_ANY)
    arguments.defaults = [_default(value) for value in arguments.defaults]
    arguments.kw_defaults = [value and _default(value) for value in arguments.kw_defaults]


def _returns_nothing(node: Function) -> bool:
    statements = [inner for part in node.body for inner in ast.walk(part)]
    return not yields(node) and not any(
        isinstance(inner, ast.Return) and inner.value is not None for inner in statements
    )


def _default(value: ast.expr) -> ast.expr:
    """A default that a Protocol can repeat: a literal or a name; anything else is `...`."""
    simple = (ast.Constant, ast.UnaryOp, ast.USub, ast.Name, ast.Attribute, ast.Load, ast.Tuple)
    if all(isinstance(inner, simple) for inner in ast.walk(value)):
        return value
    return ast.Constant(...)


def _kept(decorators: dict[str, ast.expr], ours: set[tuple[str, str]]) -> Iterator[ast.expr]:
    for word, decorator in decorators.items():
        if word == "cached_property":
            yield ast.Name("property")
        elif word in {"setter", "deleter"}:
            yield decorator
        elif word in _KEPT:
            if word == "overload":
                ours.add(("typing", "overload"))
            yield ast.Name(word)


def _first_argument(annotation: ast.expr) -> ast.expr:
    """`T` of `Iterator[T]` or `Generator[T, None, None]`, as a string annotation too."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value, mode="eval").body
    if not isinstance(annotation, ast.Subscript):
        return ast.Name("object")
    inner = annotation.slice
    return inner.elts[0] if isinstance(inner, ast.Tuple) else inner


def _names_of(node: Function) -> Iterator[str]:
    """The names in the signature; of the decorators only ours are left, or the property's."""
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    for argument in every:
        if argument.annotation is not None:
            yield from names_in(argument.annotation)
    for value in [*arguments.defaults, *arguments.kw_defaults]:
        if value is not None and not isinstance(value, ast.Constant):
            # The strings in a default are values, not annotations.
            yield from (one.id for one in ast.walk(value) if isinstance(one, ast.Name))
    if node.returns is not None:
        yield from names_in(node.returns)
