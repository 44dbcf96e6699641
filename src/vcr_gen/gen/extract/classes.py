"""A class that was found, the classes it inherits from, and the public statements of each."""

import ast
import builtins
import linecache
from collections.abc import Container, Iterator, Mapping
from copy import copy, deepcopy
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from vcr_gen.gen.extract.imports import names_in
from vcr_gen.gen.extract.members import is_public
from vcr_gen.gen.extract.own_name import last_word, renamed
from vcr_gen.gen.extract.receivers import is_for_others, is_for_some
from vcr_gen.gen.extract.variables import class_variables, read
from vcr_gen.gen.sources.library import Definition, Library
from vcr_gen.gen.sources.modules import Binding, Module, class_bindings
from vcr_gen.gen.sources.statements import Statement
from vcr_gen.gen.sources.syntax import Function
from vcr_gen.gen.types.scope import parsed_string

__all__ = ["FoundClass", "adds_to", "ancestors", "interface", "is_frozen"]


@dataclass(frozen=True, slots=True)
class FoundClass:
    """A class that was found, with the module that holds it."""

    module: Module
    node: ast.ClassDef
    arguments: Mapping[str, str] = field(default_factory=dict)
    """What its type variables stand for in the class that is extracted."""


def ancestors(library: Library, found: FoundClass, seen: set[int]) -> Iterator[FoundClass]:
    """The class and those it inherits from, as far as their source can be read."""
    if id(found.node) in seen:
        return
    seen.add(id(found.node))
    yield found
    for base in found.node.bases:
        target = base.value if isinstance(base, ast.Subscript) else base
        if isinstance(target, ast.Name):
            definition = library.follow(found.module, target.id)
            if found.module.standard and target is base:
                definition = read(library, definition)  # arguments would have to be put in
            if isinstance(definition, Definition) and isinstance(definition.node, ast.ClassDef):
                inherited = FoundClass(definition.module, definition.node)
                arguments = _arguments(library, found, base, inherited)
                yield from ancestors(library, replace(inherited, arguments=arguments), seen)


def _arguments(
    library: Library, found: FoundClass, base: ast.expr, inherited: FoundClass
) -> dict[str, str]:
    """What the type variables of a base stand for; `Any` for what takes an import."""
    known = {*class_variables(library, found.module, found.node), *dir(builtins)}
    given = base.slice if isinstance(base, ast.Subscript) else None
    elements = given.elts if isinstance(given, ast.Tuple) else [given]
    types = [_argument(one, known, found.arguments) for one in elements]
    parameters = class_variables(library, inherited.module, inherited.node)
    return dict(zip_longest(parameters, types[: len(parameters)], fillvalue="Any"))


def _argument(given: ast.expr | None, known: Container[str], arguments: Mapping[str, str]) -> str:
    """An argument of a base, in which type variables say what they stand for."""
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        given = parsed_string(given.value)
    if isinstance(given, ast.Name) and given.id in known:
        return arguments.get(given.id, given.id)
    if not isinstance(given, ast.Subscript | ast.BinOp) or not all(
        name in known for name in names_in(given)
    ):
        return "Any"
    given = deepcopy(given)
    for name, argument in arguments.items():
        given = renamed(given, name, argument)
    return ast.unparse(given)


def interface(
    library: Library, found: FoundClass, attributes: Mapping[str, str]
) -> Iterator[Binding]:
    """The public statements of a class; what stands behind overloads is no part of them.

    Neither are overloads for some arguments of the class only (`self: IO[bytes]`), where there are
    others: once the arguments are filled in, they say the same twice. Nor those for other classes
    than the extracted one, which has these attributes; nor those that a checker overlooks.
    """

    def is_meant(node: ast.stmt) -> bool:
        return not (
            is_for_some(node)
            or is_for_others(node, library, found.module, attributes)
            or _is_overlooked(node, found.module)
        )

    bindings = [one for one in class_bindings(found.module, found.node) if is_public(one.name)]
    overloads: dict[str, list[ast.stmt]] = {}
    for binding in bindings:
        if _is_overload(binding.node):
            overloads.setdefault(binding.name, []).append(binding.node)
    for name, nodes in overloads.items():
        overloads[name] = [one for one in nodes if is_meant(one)] or nodes
    for binding in bindings:
        kept = overloads.get(binding.name)
        if kept is None:
            yield binding
        elif kept == [binding.node]:
            yield replace(binding, statement=Statement(_without_overload(binding.node), None))
        elif binding.node in kept:
            yield binding


def _is_overload(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and any(
        ast.unparse(decorator).endswith("overload") for decorator in node.decorator_list
    )


def _is_overlooked(node: ast.stmt, module: Module) -> bool:
    """Whether a comment lets an overload overlap with another one."""
    lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    said = [linecache.getline(str(module.path), line) for line in lines]
    return any("type: ignore" in line and "overlap" in line for line in said)


def _without_overload(node: ast.stmt) -> ast.stmt:
    alone = copy(node)
    assert isinstance(alone, Function)
    alone.decorator_list = [one for one in alone.decorator_list if last_word(one) != "overload"]
    return alone


def adds_to(node: ast.stmt) -> bool:
    """Whether a statement belongs to an earlier one of the same name."""
    words = {last_word(one) for one in getattr(node, "decorator_list", [])}
    return bool(words & {"overload", "setter", "deleter"})


def is_frozen(node: ast.ClassDef) -> bool:
    """Whether the attributes of a class cannot be set: a frozen dataclass, a named tuple."""
    return any(last_word(base) == "NamedTuple" for base in node.bases) or any(
        last_word(decorator) == "frozen"
        or (
            isinstance(decorator, ast.Call)
            and any(
                one.arg == "frozen" and getattr(one.value, "value", False) is True
                for one in decorator.keywords
            )
        )
        for decorator in node.decorator_list
    )
