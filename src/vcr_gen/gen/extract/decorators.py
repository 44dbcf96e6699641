"""Says what decorators make of a method, and which of them its copy in a Protocol keeps."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from vcr_gen.gen.extract.own_name import last_word
from vcr_gen.gen.extract.variables import read, variable_of
from vcr_gen.gen.sources.library import Library
from vcr_gen.gen.sources.modules import Module, class_bindings
from vcr_gen.gen.sources.syntax import Function
from vcr_gen.gen.types.scope import Scope

__all__ = ["HINT", "MANAGERS", "LeftOut", "kept", "manager_of", "obstacle"]

_KEPT: Final = {"property", "classmethod", "staticmethod", "overload"}
_PROPERTIES: Final = {"abstractproperty", "cached_property"}
MANAGERS: Final = {
    "contextmanager": "AbstractContextManager",
    "asynccontextmanager": "AbstractAsyncContextManager",
}
_HARMLESS: Final = {"deleter", "deprecated", "override", "setter", *_KEPT, *_PROPERTIES, *MANAGERS}
"""Decorators whose use is understood, or changes nothing."""
_MOST_ALIASES: Final = 10

HINT: Final = "declare it by hand, as what it is for a caller"
"""What to do about a member that is something else than its declaration says."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A public member that no Protocol can have as it is, and why."""

    code: str
    reason: str
    hint: str


def obstacle(node: Function, library: Library, module: Module) -> LeftOut | None:
    """What keeps a function from being a method of a Protocol."""
    for decorator in node.decorator_list:
        if (
            last_word(decorator) not in _HARMLESS
            and _use_of(decorator, library, module) == "unknown"
        ):
            reason = f"the decorator `{ast.unparse(decorator)}` hides what it is"
            return LeftOut("VCR203", reason, HINT)
    arguments = node.args
    if not any(last_word(one) == "staticmethod" for one in node.decorator_list) and not (
        arguments.posonlyargs or arguments.args or arguments.vararg
    ):
        return LeftOut("VCR204", "it has no parameter for the instance", "declare it by hand")
    return None


def manager_of(decorators: Mapping[str, ast.expr], library: Library, module: Module) -> str | None:
    """The decorator that makes a generator a context manager: Python's, not one of that name."""
    scope = Scope(library, module)
    for word, decorator in decorators.items():
        if word in MANAGERS:
            found = read(library, scope.resolve(decorator))
            return word if found is None or found.module.standard else None
    return None


def kept(
    decorators: Mapping[str, ast.expr],
    ours: set[tuple[str, str]],
    library: Library,
    module: Module,
) -> Iterator[ast.expr]:
    """The decorators of a method that its copy has, by their last words."""
    for word, decorator in decorators.items():
        if word in {"setter", "deleter"}:
            yield decorator
        elif word in _PROPERTIES or (
            word not in _HARMLESS and _use_of(decorator, library, module) == "property"
        ):
            yield ast.Name("property")
            return  # whatever stands below was made for it
        elif word in _KEPT:
            if word == "overload":
                ours.add(("typing", "overload"))
            yield ast.Name(word)


def _use_of(
    decorator: ast.expr, library: Library, module: Module
) -> Literal["function", "property", "unknown"]:
    """What a decorator makes of a method, as far as its source tells."""
    scope = Scope(library, module)
    if scope.name_of(decorator) == "builtins.property":
        return "property"
    if isinstance(decorator, ast.Call):
        return "function"  # what a call gives is a decorator of the usual kind, in all likelihood
    found = read(library, scope.resolve(decorator))
    for _ in range(_MOST_ALIASES):
        alias = getattr(found.node, "value", None) if found is not None else None
        if found is None or not isinstance(alias, ast.Name | ast.Attribute):
            break
        found = read(library, Scope(library, found.module).resolve(alias))
    if found is None:
        return "unknown"
    if not isinstance(found.node, ast.ClassDef):
        return "function"
    given = [
        one.node.returns
        for one in class_bindings(found.module, found.node)
        if one.name == "__get__" and isinstance(one.node, Function)
    ]
    read_as_value = any(
        isinstance(returns, ast.Name) and variable_of(library, found.module, returns.id)
        for returns in given
    )
    return "property" if read_as_value else "unknown"
