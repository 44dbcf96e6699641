"""Copies one member of a class into the form it has in a Protocol: a signature without a body."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from vcr_gen.gen.extract_imports import names_in
from vcr_gen.gen.modules import Module
from vcr_gen.gen.syntax import Function, docstring_of, yields

__all__ = ["Member", "copy_member", "is_public"]

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


def is_public(name: str) -> bool:
    """Whether a member is part of what others may use."""
    return not name.startswith("_") or name in _DUNDERS


def copy_member(module: Module, node: ast.stmt) -> Member | None:
    """The member that a statement in a class body declares, or None when it declares none."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        needs = frozenset(names_in(node.annotation))
        text = f"{node.target.id}: {ast.unparse(node.annotation)}"
        return Member(module=module, text=text, needs=needs)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return _copy_function(module, node)
    return None


def _copy_function(module: Module, original: Function) -> Member:
    node = copy.deepcopy(original)
    ours: set[tuple[str, str]] = set()
    decorators = {_last_word(decorator): decorator for decorator in node.decorator_list}
    manager = next((name for name in decorators if name in _MANAGERS), None)
    static = "staticmethod" in decorators
    _annotate(node, ours, skip_first=not static)
    if manager is not None and node.returns is not None:
        node.returns = ast.Subscript(ast.Name(_MANAGERS[manager]), _first_argument(node.returns))
        ours.add(("contextlib", _MANAGERS[manager]))
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
    return Member(module=module, text=text, needs=needs, ours=frozenset(ours))


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


def _last_word(decorator: ast.expr) -> str:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    return target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")


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
            yield from names_in(value)
    if node.returns is not None:
        yield from names_in(node.returns)
