"""Lines up a Protocol with its bases in MRO order, generic arguments filled in."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from vcr_gen.gen.annotations import bind, full_name, unquoted
from vcr_gen.gen.library import Definition, Library, Unread
from vcr_gen.gen.modules import Module
from vcr_gen.gen.problems import Problems, RefusedProtocolError
from vcr_gen.gen.scopes import Bound, QuotedNode, Scope
from vcr_gen.gen.text import Reference, builtin, imported

__all__ = ["Ancestor", "class_scope", "fill", "is_protocol", "lineage", "own_variables"]

_PROTOCOL: Final = "typing.Protocol"
_OF_PYTHON: Final = "inherit from `Collection` or `Iterable`, or declare the methods that you need"
_NOT_BASES: Final = frozenset({_PROTOCOL, "typing.Generic", "builtins.object"})


_OwnParameter: TypeAlias = tuple[str, str, ast.expr | None]
"""Name, kind and default of a type parameter."""


@dataclass(frozen=True)
class Ancestor:
    """One class of the MRO, and what its type parameters stand for in the Protocol."""

    definition: Definition
    arguments: Mapping[str, ast.expr] = field(default_factory=dict)

    @property
    def node(self) -> ast.ClassDef:
        """The class statement."""
        assert isinstance(self.definition.node, ast.ClassDef)
        return self.definition.node


def is_protocol(library: Library, definition: Definition) -> bool:
    """Whether a class names `Protocol` among its bases."""
    if not isinstance(definition.node, ast.ClassDef):
        return False
    scope = Scope(library, definition.module)
    return any(scope.name_of(base) == _PROTOCOL for base in definition.node.bases)


def class_scope(
    library: Library, definition: Definition, unresolved: list[tuple[Module, ast.Name]]
) -> Scope:
    """The scope of annotations in a class body."""
    classes: list[ast.ClassDef] = []
    body: Sequence[ast.stmt] = definition.module.parsed.tree.body
    for part in definition.qualname.split("."):
        inner = next((one for one in _classes(body) if one.name == part), None)
        if inner is None:
            break
        classes.append(inner)
        body = inner.body
    if not classes or classes[-1] is not definition.node:
        assert isinstance(definition.node, ast.ClassDef)
        classes = [*classes[:-1], definition.node]
    scope = Scope(library, definition.module, tuple(classes), {}, unresolved)
    for one in classes:
        scope = scope.with_parameters(definition.module.parsed.type_parameters(one))
    return scope


def _classes(body: Sequence[ast.stmt]) -> Iterator[ast.ClassDef]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield node
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from _classes(node.body)
            yield from _classes(getattr(node, "orelse", []))
            for handler in getattr(node, "handlers", []):
                yield from _classes(handler.body)


def lineage(library: Library, definition: Definition, problems: Problems) -> tuple[Ancestor, ...]:
    """The Protocol and all its bases, in MRO order; refuses what cannot be resolved."""
    reader = _Bases(library, problems)
    order = reader.linearize(definition, ())
    arguments: dict[str, dict[str, ast.expr]] = {definition.full_name: {}}
    for current in order:
        env = arguments.get(current.full_name, {})
        for base, bound in reader.bases(current):
            filled = [fill(argument, env) for argument in bound]
            names = own_parameters(library, base)
            arguments.setdefault(base.full_name, _assigned(names, filled))
    return tuple(Ancestor(one, arguments.get(one.full_name, {})) for one in order)


class _Bases:
    def __init__(self, library: Library, problems: Problems) -> None:
        self.library = library
        self.problems = problems
        self._known: dict[str, list[tuple[Definition, list[ast.expr]]]] = {}

    def bases(self, definition: Definition) -> list[tuple[Definition, list[ast.expr]]]:
        """The Protocol bases of a class with their type arguments."""
        known = self._known.get(definition.full_name)
        if known is None:
            known = self._known[definition.full_name] = list(self._read(definition))
        return known

    def _read(self, definition: Definition) -> Iterator[tuple[Definition, list[ast.expr]]]:
        assert isinstance(definition.node, ast.ClassDef)
        scope = Scope(self.library, definition.module).with_parameters(
            definition.module.parsed.type_parameters(definition.node)
        )
        refused = False
        for base in definition.node.bases:
            name = scope.name_of(base)
            if name in _NOT_BASES:
                continue
            found = self._definition(scope, base)
            if found is None:
                refused = True
                self.problems.report(
                    "VCR103",
                    f"the base `{ast.unparse(base)}` of `{definition.qualname}` cannot be found",
                    "install the package it comes from, or add its folder to `sources`",
                    module=definition.module,
                    node=base,
                )
            elif not is_protocol(self.library, found):
                if definition.module.standard:  # typeshed says `class PathLike(ABC, Protocol)`
                    continue
                refused = True
                self.problems.report(
                    "VCR105",
                    f"the base `{ast.unparse(base)}` of `{definition.qualname}` is not a Protocol",
                    "a Protocol can only inherit from Protocols; "
                    + (_OF_PYTHON if found.module.standard else "add `Protocol` to its bases"),
                    module=definition.module,
                    node=base,
                )
            else:
                yield found, _arguments(base, scope)
        if refused:
            raise RefusedProtocolError

    def _definition(self, scope: Scope, base: ast.expr) -> Definition | None:
        found: Definition | Unread | None = scope.resolve(base)
        for _ in range(10):
            if isinstance(found, Unread):
                found = self.library.read_standard(found)
            if found is None or isinstance(found.node, ast.ClassDef):
                return found
            value = getattr(found.node, "value", None)  # `Base = Other`
            if not isinstance(value, ast.expr):
                return None
            found = Scope(self.library, found.module).resolve(value)
        return None

    def linearize(self, definition: Definition, below: tuple[str, ...]) -> list[Definition]:
        """C3, as Python does it."""
        if definition.full_name in below:
            self._inconsistent(definition)
        parents = [base for base, _ in self.bases(definition)]
        rows = [self.linearize(base, (*below, definition.full_name)) for base in parents]
        rows.append(parents)
        order = [definition]
        while rows := [row for row in rows if row]:
            for row in rows:
                head = row[0].full_name
                if not any(head == one.full_name for other in rows for one in other[1:]):
                    break
            else:
                self._inconsistent(definition)
            order.append(row[0])
            rows = [[one for one in other if one.full_name != head] for other in rows]
        return order

    def _inconsistent(self, definition: Definition) -> None:
        self.problems.report(
            "VCR107",
            f"the bases of `{definition.qualname}` have no consistent order",
            "Python would refuse this class too; reorder its bases",
            module=definition.module,
            node=definition.node,
        )
        raise RefusedProtocolError


def _arguments(base: ast.expr, scope: Scope) -> list[ast.expr]:
    bound = unquoted(bind(base, scope))
    if not isinstance(bound, ast.Subscript):
        return []
    return list(bound.slice.elts) if isinstance(bound.slice, ast.Tuple) else [bound.slice]


def own_parameters(library: Library, definition: Definition) -> tuple[_OwnParameter, ...]:
    """Name, kind and default of a class's type parameters, in order."""
    node, module = definition.node, definition.module
    assert isinstance(node, ast.ClassDef)
    brackets = module.parsed.type_parameters(node)
    scope = Scope(library, module).with_parameters(brackets)
    if brackets:
        return tuple(
            (one.name, one.kind, None if one.default is None else bind(one.default, scope))
            for one in brackets
        )
    return tuple(_own_parameter(library, one) for one in own_variables(library, definition))


def own_variables(library: Library, definition: Definition) -> list[Reference]:
    """The type variables that a class without brackets is generic in, in order."""
    scope = Scope(library, definition.module)
    generic: list[ast.expr] = []
    others: list[ast.expr] = []
    for base in getattr(definition.node, "bases", ()):
        if isinstance(base, ast.Subscript):
            listed = scope.name_of(base.value) in {_PROTOCOL, "typing.Generic"}
            (generic if listed else others).append(bind(base.slice, scope))
    found: dict[str, Reference] = {}
    for expression in generic or others:
        for reference in _variables(expression):
            found.setdefault(reference.spelling, reference)
    return list(found.values())


def _variables(node: ast.AST) -> Iterator[Reference]:
    if isinstance(node, Bound) and node.reference.kind == "variable":
        yield node.reference
    for child in ast.iter_child_nodes(node):
        yield from _variables(child)


def _own_parameter(library: Library, reference: Reference) -> _OwnParameter:
    home = library.module(reference.module)
    found = library.follow(home, reference.attribute) if home else None
    call = getattr(found.node, "value", None) if isinstance(found, Definition) else None
    if not isinstance(found, Definition) or not isinstance(call, ast.Call):
        return reference.spelling, "TypeVar", None
    scope = Scope(library, found.module)
    kind = scope.name_of(call.func).rpartition(".")[2]
    default = next((bind(one.value, scope) for one in call.keywords if one.arg == "default"), None)
    return reference.spelling, kind, default


def _assigned(names: tuple[_OwnParameter, ...], given: list[ast.expr]) -> dict[str, ast.expr]:
    """Which argument each type parameter gets: its default, or `Any`, where none is given."""
    if not given:
        return {name: default or _default(kind) for name, kind, default in names}
    if len(names) == 1 and names[0][1] == "ParamSpec" and not _is_parameter_list(given):
        return {names[0][0]: ast.List(given, ast.Load())}
    found: dict[str, ast.expr] = {}
    rest = list(given)
    for index, (name, kind, default) in enumerate(names):
        if kind == "TypeVarTuple":
            after = len(names) - index - 1
            taken = rest[: len(rest) - after]
            found[name] = ast.Tuple(taken, ast.Load())
            rest = rest[len(taken) :]
        else:
            found[name] = rest.pop(0) if rest else default or _default(kind)
    return found


def _is_parameter_list(given: list[ast.expr]) -> bool:
    """Whether `X[...]`'s one argument already stands for a whole parameter list."""
    if len(given) != 1:
        return False
    only = given[0]
    is_ellipsis = isinstance(only, ast.Constant) and only.value is ...
    variable = isinstance(only, Bound) and only.reference.kind in {"variable", "parameter"}
    concatenate = full_name(only) == "typing.Concatenate"
    return isinstance(only, ast.List) or is_ellipsis or variable or concatenate


def _default(kind: str) -> ast.expr:
    if kind == "ParamSpec":
        return ast.Constant(...)
    any_node = Bound("Any", ast.Load())
    any_node.reference = imported("typing", "Any")
    if kind == "TypeVarTuple":
        whole = _packed(ast.Tuple([any_node, ast.Constant(...)], ast.Load()))
        return ast.Tuple([ast.Starred(whole, ast.Load())], ast.Load())
    return any_node


def fill(node: ast.expr, arguments: Mapping[str, ast.expr]) -> ast.expr:
    """Replace type parameters by what they stand for."""
    return _Filler(arguments).fill(node) if arguments else node


class _Filler:
    def __init__(self, arguments: Mapping[str, ast.expr]) -> None:
        self.arguments = arguments

    def fill(self, node: ast.expr) -> ast.expr:
        match node:
            case Bound():
                is_variable = node.reference.kind in {"variable", "parameter"}
                return self.arguments.get(node.id, node) if is_variable else node
            case QuotedNode():
                inner = self.fill(node.value)
                if inner is node.value:
                    return node
                quoted = QuotedNode()
                quoted.value, quoted.original = inner, ""
                return quoted
            case ast.Subscript(value=value, slice=inner):
                return self._subscript(self.fill(value), inner)
            case ast.BinOp(left=left, op=op, right=right):
                return ast.BinOp(self.fill(left), op, self.fill(right))
            case ast.Tuple(elts=elements):
                return ast.Tuple(self._elements(elements), ast.Load())
            case ast.List(elts=elements):
                return ast.List(self._elements(elements), ast.Load())
            case ast.Starred(value=value):
                return ast.Starred(_packed(self.fill(value)), ast.Load())
            case ast.Attribute(value=value, attr=attr):
                return ast.Attribute(self.fill(value), attr, ast.Load())
        return node

    def _subscript(self, value: ast.expr, inner: ast.expr) -> ast.expr:
        name = full_name(value)
        if name == "typing.Annotated" and isinstance(inner, ast.Tuple):
            first, *rest = inner.elts
            return ast.Subscript(
                value, ast.Tuple([self.fill(first), *rest], ast.Load()), ast.Load()
            )
        if name == "typing.Concatenate":
            elements = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            *front, last = self._elements(elements)
            if isinstance(last, ast.List):
                return ast.List([*front, *last.elts], ast.Load())
            if isinstance(last, ast.Subscript) and full_name(last) == "typing.Concatenate":
                tail = last.slice.elts if isinstance(last.slice, ast.Tuple) else [last.slice]
                return ast.Subscript(value, ast.Tuple([*front, *tail], ast.Load()), ast.Load())
            return ast.Subscript(value, ast.Tuple([*front, last], ast.Load()), ast.Load())
        if name == "typing.Unpack":
            return ast.Subscript(value, _packed(self.fill(inner)), ast.Load())
        if not isinstance(inner, ast.Tuple):
            spread = self._elements([inner])
            filled = spread[0] if len(spread) == 1 else ast.Tuple(spread, ast.Load())
            return ast.Subscript(value, filled, ast.Load())
        return ast.Subscript(value, self.fill(inner), ast.Load())

    def _elements(self, elements: Sequence[ast.expr]) -> list[ast.expr]:
        """The elements filled in; `*Ts` and `Unpack[Ts]` spread over several."""
        found: list[ast.expr] = []
        for element in elements:
            pack = _pack(element)
            argument = self.arguments.get(pack) if pack else None
            if isinstance(argument, ast.Tuple):
                found.extend(argument.elts)
            else:
                found.append(self.fill(element))
        return found


def _packed(node: ast.expr) -> ast.expr:
    """`tuple[int, str]`, where a TypeVarTuple stands for several types that nothing spreads."""
    if not isinstance(node, ast.Tuple):
        return node
    whole = Bound("tuple", ast.Load())
    whole.reference = builtin("tuple")
    return ast.Subscript(whole, node, ast.Load())


def _pack(node: ast.expr) -> str:
    """The name of the TypeVarTuple in `*Ts` and `Unpack[Ts]`."""
    match node:
        case ast.Starred(value=Bound() as inner):
            return inner.id
        case ast.Subscript(slice=Bound() as inner) if full_name(node.value) == "typing.Unpack":
            return inner.id
    return ""
