"""Annotations as trees whose names are resolved, and as text with holes for the names."""

import ast
import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from vcr_gen.gen.library import Definition, Library, Unread, fold, is_standard
from vcr_gen.gen.modules import Binding, Module, When, class_bindings
from vcr_gen.gen.syntax import TypeParameter
from vcr_gen.gen.text import Part, Quoted, Reference, Text, string_literal

__all__ = ["Bound", "QuotedNode", "Scope", "bind", "full_name", "spell", "unquoted"]

_BUILTINS: Final = frozenset(dir(builtins))
_TYPE_VARIABLES: Final = frozenset({"typing.TypeVar", "typing.ParamSpec", "typing.TypeVarTuple"})


class Bound(ast.Name):
    """A name whose meaning is known."""

    reference: Reference


class QuotedNode(ast.expr):
    """A string annotation, parsed."""

    _fields = ("value",)
    value: ast.expr
    original: str


@dataclass(frozen=True)
class Scope:
    """Where an annotation stands: decides what its names mean."""

    library: Library
    module: Module
    classes: tuple[ast.ClassDef, ...] = ()
    """The classes around it, outermost first."""
    parameters: Mapping[str, TypeParameter] = field(default_factory=dict)
    """PEP 695 type parameters in scope."""
    unresolved: list[tuple[Module, ast.Name]] = field(default_factory=list)
    """Names that mean nothing here, for a diagnostic."""

    def with_parameters(self, parameters: tuple[TypeParameter, ...]) -> "Scope":
        """The scope inside a function or class with its own type parameters."""
        known = {**self.parameters, **{one.name: one for one in parameters}}
        return Scope(self.library, self.module, self.classes, known, self.unresolved)

    def resolve(self, node: ast.expr) -> Definition | Unread | None:
        """What a dotted name stands for."""
        match node:
            case Bound():
                return self._resolve_bound(node)
            case ast.Name(id=name):
                return self._resolve_name(name)
            case ast.Attribute(value=value, attr=attr):
                found = self.resolve(value)
                return None if found is None else self.library.member(found, attr)
            case ast.Subscript(value=value):
                return self.resolve(value)
            case ast.Constant(value=str() as text):
                parsed = _parsed(text)
                return None if parsed is None else self.resolve(parsed)
        return None

    def _resolve_bound(self, node: Bound) -> Definition | Unread | None:
        reference = node.reference
        if reference.kind == "builtin":
            return Unread("builtins", reference.spelling)
        module = self.library.module(reference.module)
        if is_standard(reference.module) or module is None or not reference.attribute:
            return Unread(reference.module, reference.attribute)
        return self.library.follow(module, reference.attribute)

    def _resolve_name(self, name: str) -> Definition | Unread | None:
        if name in self.parameters:
            return Unread("", name)
        local = self.class_binding(name)
        if local is not None:
            qualname = ".".join([*(one.name for one in self.classes), name])
            return Definition(self.module, qualname, local.node, local.when)
        found = self.library.follow(self.module, name)
        if found is None and name in _BUILTINS:
            return Unread("builtins", name)
        return found

    def class_binding(self, name: str) -> Binding | None:
        """A name that the innermost class binds to a class or an alias."""
        if not self.classes:
            return None
        for binding in class_bindings(self.module, self.classes[-1]):
            if binding.name == name and isinstance(binding.node, ast.ClassDef | ast.Assign):
                return binding
        return None

    def name_of(self, node: ast.expr) -> str:
        """The full name of what an expression stands for; aliases of one name are followed."""
        for _ in range(10):
            found = self.resolve(node)
            if found is None:
                return ""
            alias = _simple_alias(found)
            if alias is None or not isinstance(found, Definition):
                return found.full_name
            return Scope(self.library, found.module).name_of(alias)
        return ""


def _simple_alias(found: Definition | Unread) -> ast.expr | None:
    """The right side of `X = Y` and `X = module.Y`."""
    if isinstance(found, Definition) and isinstance(found.node, ast.Assign):
        value = found.node.value
        while isinstance(value, ast.Attribute):
            value = value.value
        return found.node.value if isinstance(value, ast.Name) else None
    return None


def full_name(node: ast.expr) -> str:
    """The full name of a resolved expression: `typing.Self`; empty when it is not a name."""
    match node:
        case Bound():
            return node.reference.full_name
        case ast.Attribute(value=value, attr=attr):
            inner = full_name(value)
            return fold(f"{inner}.{attr}") if inner else ""
        case ast.Subscript(value=value):
            return full_name(value)
        case QuotedNode():
            return full_name(node.value)
    return ""


def unquoted(node: ast.expr) -> ast.expr:
    """The expression inside a string annotation, or the expression itself."""
    return unquoted(node.value) if isinstance(node, QuotedNode) else node


def bind(node: ast.expr, scope: Scope) -> ast.expr:
    """Resolve every name in an annotation; string annotations are opened."""
    return _Binder(scope).visit_type(node)


class _Binder:
    """Walks one annotation; `type` positions may hold strings, others are plain values."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def visit_type(self, node: ast.expr) -> ast.expr:
        match node:
            case Bound() | QuotedNode():
                return node
            case ast.Constant(value=str() as text):
                parsed = _parsed(text)
                if parsed is None:
                    return node
                for inner in ast.walk(parsed):  # a diagnostic points to the string
                    ast.copy_location(inner, node)
                quoted = QuotedNode()
                quoted.value = self.visit_type(parsed)
                quoted.original = text
                return quoted
            case ast.Name() | ast.Attribute():
                return self.visit_name(node)
            case ast.Subscript(value=value, slice=inner):
                return self._subscript(self.visit_type(value), inner)
            case ast.BinOp(left=left, op=op, right=right):
                return ast.BinOp(self.visit_type(left), op, self.visit_type(right))
            case ast.Tuple(elts=elements):
                return ast.Tuple([self.visit_type(one) for one in elements], ast.Load())
            case ast.List(elts=elements):
                return ast.List([self.visit_type(one) for one in elements], ast.Load())
            case ast.Starred(value=value):
                return ast.Starred(self.visit_type(value), ast.Load())
        return self.visit_value(node)

    def _subscript(self, value: ast.expr, inner: ast.expr) -> ast.expr:
        name = full_name(value)
        if name == "typing.Literal":
            return ast.Subscript(value, self.visit_value(inner), ast.Load())
        if name == "typing.Annotated" and isinstance(inner, ast.Tuple):
            first, *rest = inner.elts
            elements = [self.visit_type(first), *(self.visit_value(one) for one in rest)]
            return ast.Subscript(value, ast.Tuple(elements, ast.Load()), ast.Load())
        return ast.Subscript(value, self.visit_type(inner), ast.Load())

    def visit_value(self, node: ast.expr) -> ast.expr:
        """Resolve the names in a value, such as the metadata of `Annotated`."""
        if isinstance(node, ast.Name | ast.Attribute):
            return self.visit_name(node)
        local = {
            argument.arg
            for inner in ast.walk(node)
            if isinstance(inner, ast.Lambda)
            for argument in ast.walk(inner.args)
            if isinstance(argument, ast.arg)
        } | {
            inner.id
            for inner in ast.walk(node)
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
        }
        return _ValueBinder(self, local).transform(node)

    def visit_name(self, node: ast.expr) -> ast.expr:
        chain: list[str] = []
        root = node
        while isinstance(root, ast.Attribute):
            chain.append(root.attr)
            root = root.value
        if isinstance(root, Bound):
            return node
        if not isinstance(root, ast.Name):
            return self.visit_value(root) if root is node else node
        chain.reverse()
        result = self._root(root, chain)
        for attr in chain:
            result = ast.Attribute(result, attr, ast.Load())
        return result

    def _root(self, node: ast.Name, chain: list[str]) -> ast.expr:
        scope, name = self.scope, node.id
        if name in scope.parameters:
            return _bound(Reference(name, "parameter", full_name=name))
        if scope.class_binding(name) is not None:
            return self._class_scope(name)
        reference = reference_to(scope.library, scope.module, name, chain)
        if reference is None:
            scope.unresolved.append((scope.module, node))
            return node
        return _bound(reference)

    def _class_scope(self, name: str) -> ast.expr:
        outer, *inner = [*(one.name for one in self.scope.classes), name]
        reference = reference_to(self.scope.library, self.scope.module, outer, inner)
        result: ast.expr = _bound(reference or Reference(outer, "builtin"))
        for attr in inner:
            result = ast.Attribute(result, attr, ast.Load())
        return result


class _ValueBinder(ast.NodeTransformer):
    def __init__(self, binder: _Binder, local: set[str]) -> None:
        self.binder = binder
        self.local = local

    def transform(self, node: ast.expr) -> ast.expr:
        # A copy, as the tree belongs to a module that is read once for all.
        copied = ast.parse(ast.unparse(node), mode="eval").body
        found = self.visit(copied)
        return found if isinstance(found, ast.expr) else node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return node if node.id in self.local else self.binder.visit_name(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and root.id not in self.local:
            return self.binder.visit_name(node)
        found = self.generic_visit(node)
        return found if isinstance(found, ast.expr) else node


def _bound(reference: Reference) -> Bound:
    node = Bound(reference.spelling, ast.Load())
    node.reference = reference
    return node


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None


def reference_to(
    library: Library, module: Module, name: str, chain: list[str]
) -> Reference | None:
    """How to refer to a module-level name of `module` from another module."""
    binding = _binding(module, name, chain)
    star = None if binding else library.from_star(module, name)
    if binding is None and star is None:
        if name in _BUILTINS:
            return Reference(name, "builtin", full_name=f"builtins.{name}")
        return None
    found = library.follow(module, name)
    if binding is not None and not binding.module:
        return _defined(library, module, name, binding, found)
    return _imported(library, module, name, binding or star, found)


def _binding(module: Module, name: str, chain: list[str]) -> Binding | None:
    """The binding of a name; of several `import a.b`, the one that the dotted name needs."""
    best = module.binding(name)
    dotted = ".".join([name, *chain])
    if best is not None and isinstance(best.node, ast.Import):
        for other in module.bindings[name]:
            if dotted.startswith(f"{other.module}.") and len(other.module) > len(best.module):
                best = other
    return best


def _defined(
    library: Library,
    module: Module,
    name: str,
    binding: Binding,
    found: Definition | Unread | None,
) -> Reference:
    variable = is_type_variable(library, module, binding.node)
    when, home = _runtime(library, module, name, binding)
    return Reference(
        name,
        "variable" if variable else "import",
        module.name,
        name,
        when,
        home,
        found.full_name if found else f"{module.name}.{name}",
    )


def _imported(
    library: Library,
    module: Module,
    name: str,
    binding: Binding | None,
    found: Definition | Unread | None,
) -> Reference | None:
    if binding is None:
        return None
    when, home = _runtime(library, module, name, binding)
    meaning = found.full_name if found else f"{binding.module}.{binding.attribute}"
    if isinstance(binding.node, ast.Import):
        return Reference(name, "import", binding.module, "", when, home, meaning)
    source, attribute = _exporter(library, binding, name)
    kind = "import"
    if isinstance(found, Definition) and is_type_variable(library, found.module, found.node):
        kind = "variable"
    if meaning == "typing.AnyStr":
        kind = "variable"
    if not _exists(library, source, attribute):
        when = When.NEVER
    return Reference(
        name, "variable" if kind == "variable" else "import", source, attribute, when, home, meaning
    )


def _exporter(library: Library, binding: Binding, name: str) -> tuple[str, str]:
    """The module to import from: the source's choice, or the next that exports the name."""
    module_name = binding.module
    attribute = name if binding.attribute == "*" else binding.attribute
    for _ in range(20):
        if is_standard(module_name):
            break
        module = library.module(module_name)
        inner = module.binding(attribute) if module else None
        if module is None or inner is None:
            star = library.from_star(module, attribute) if module else None
            if star is None:
                break
            return module_name, attribute
        exported = module.exported is not None and attribute in module.exported
        if not inner.module or inner.explicit or exported:
            break
        if isinstance(inner.node, ast.Import):
            return inner.module, ""
        if library.module(inner.module) is None and not is_standard(inner.module):
            break
        module_name, attribute = inner.module, inner.attribute
    return module_name, attribute


def _exists(library: Library, module_name: str, attribute: str) -> bool:
    """Whether a stub's name can be imported when the program runs, as far as source tells."""
    if module_name.partition(".")[0] == "_typeshed":
        return False
    if is_standard(module_name):
        return True
    module = library.module(module_name)
    if module is None or not module.is_stub:
        return True
    running = library.runtime_module(module)
    if running is not None:
        return not attribute or attribute in running.bindings or bool(running.star_imports)
    return library.is_compiled(module_name)


def _runtime(
    library: Library, module: Module, name: str, binding: Binding
) -> tuple[When, str]:
    """Whether a name can be imported at run time, and from where if checkers look elsewhere."""
    if module.is_stub and not module.standard and not binding.module:
        running = library.runtime_module(module)
        if running is None:
            exists = library.is_compiled(module.name) and isinstance(binding.node, ast.ClassDef)
            return (When.ALWAYS if exists else When.NEVER), ""
        return (When.ALWAYS if name in running.bindings else When.NEVER), ""
    if module.standard and not binding.module and name.startswith("_"):
        return When.NEVER, ""
    if binding.when is When.ALWAYS:
        return When.ALWAYS, ""
    return binding.when, (module.name if module.runs_with(name) else "")


def is_type_variable(library: Library, module: Module, node: ast.stmt) -> bool:
    """Whether a statement declares a TypeVar, ParamSpec or TypeVarTuple."""
    match node:
        case ast.Assign(value=ast.Call(func=func)) | ast.AnnAssign(value=ast.Call(func=func)):
            return Scope(library, module).name_of(func) in _TYPE_VARIABLES
    return False


def spell(node: ast.expr) -> Text:
    """A resolved expression as text, in black's spelling."""
    return _merged(_spelled(node))


def _merged(parts: Iterator[Part]) -> Text:
    merged: list[Part] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        else:
            merged.append(part)
    return tuple(merged)


def _spelled(node: ast.expr) -> Iterator[Part]:
    match node:
        case Bound():
            yield node.reference
        case QuotedNode():
            yield Quoted(spell(node.value), node.original)
        case ast.Name(id=name):
            yield name
        case ast.Attribute(value=ast.Name() | ast.Attribute() | ast.Subscript() as value, attr=attr):
            yield from _spelled(value)
            yield f".{attr}"
        case ast.Subscript(value=value, slice=ast.Tuple(elts=[_, *_] as elements)):
            yield from _spelled(value)
            yield "["
            yield from _joined(elements)
            yield ",]" if len(elements) == 1 else "]"
        case ast.Subscript(value=value, slice=inner):
            yield from _spelled(value)
            yield "["
            yield from _spelled(inner)
            yield "]"
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from _spelled(left)
            yield " | "
            yield from _spelled(right)
        case ast.List(elts=elements):
            yield "["
            yield from _joined(elements)
            yield "]"
        case ast.Tuple(elts=elements):
            yield "("
            yield from _joined(elements)
            yield ",)" if len(elements) == 1 else ")"
        case ast.Starred(value=value):
            yield "*"
            yield from _spelled(value)
        case ast.Constant(value=str() as value):
            yield string_literal(value)
        case ast.Constant(value=bytes() as data):
            yield "b" + string_literal(data.decode("latin-1")) if data.isascii() else repr(data)
        case ast.Constant(value=value) if value is ...:
            yield "..."
        case _:
            yield from _unparsed(node)


def _joined(elements: list[ast.expr]) -> Iterator[Part]:
    for index, element in enumerate(elements):
        if index:
            yield ", "
        yield from _spelled(element)


def _unparsed(node: ast.expr) -> Iterator[Part]:
    """Rare expressions, by `ast.unparse` with stand-ins for what has its own spelling."""
    holes: list[ast.expr] = []

    class Holes(ast.NodeTransformer):
        def hole(self, node: ast.expr) -> ast.expr:
            holes.append(node)
            return ast.Name(f"\ue000{len(holes) - 1}\ue000", ast.Load())

        def visit(self, node: ast.AST) -> ast.AST:
            if isinstance(node, Bound | QuotedNode):
                return self.hole(node)
            if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
                return self.hole(node)
            return self.generic_visit(node)

    stripped = Holes().visit(node)
    if isinstance(stripped, ast.Name):  # the whole expression became a hole
        yield from _spelled(node)
        return
    for index, piece in enumerate(ast.unparse(stripped).split("\ue000")):
        if index % 2:
            yield from _spelled(holes[int(piece)])
        elif piece:
            yield piece
