"""The names that a module binds, and under which conditions."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from vcr_gen.gen.model.annotation import When
from vcr_gen.gen.sources.conditions import Target, Verdict, verdict
from vcr_gen.gen.sources.syntax import Parsed, Statement, blocks


@dataclass(frozen=True, slots=True)
class Binding:
    """One statement that binds a name."""

    name: str
    statement: Statement
    when: When
    module: str = ""
    """For an import: the absolute module it imports from, or the module itself."""
    attribute: str = ""
    """For `from module import attribute`."""
    explicit: bool = True
    """Whether a type checker lets others import this name from here."""
    disputed: bool = False
    """Whether it is a member that type checkers do not see."""

    @property
    def node(self) -> ast.stmt:
        """The statement itself."""
        return self.statement.node

    @property
    def line(self) -> int:
        """The line of the statement."""
        return self.statement.line


@dataclass(frozen=True, slots=True)
class _Frame:
    """The context of the statements in one block."""

    package: str
    target: Target
    text: bytes | None
    """The text of the module if its tree is not kept."""
    when: When = When.ALWAYS
    members: bool = False
    """Whether it is the body of a class."""
    disputed: bool = False

    def under(self, when: When, *, disputed: bool = False) -> "_Frame":
        return replace(self, when=max(when, self.when), disputed=disputed or self.disputed)

    def statement(self, node: ast.stmt) -> Statement:
        return Statement(node, self.text)


@dataclass(frozen=True, kw_only=True)
class Module:
    """One source file: its path and its names."""

    name: str
    path: Path
    target: Target
    standard: bool
    """Whether it is a stub of the standard library."""
    parsed: Parsed
    """Its syntax; the tree is empty for a file outside the project."""
    bindings: Mapping[str, tuple[Binding, ...]]
    """All bindings of each name at module level, in order."""
    exported: frozenset[str] | None
    """The literal strings in `__all__`, or None when there is none."""
    lazy_annotations: bool
    """Whether annotations are kept as text: `from __future__ import annotations`."""

    @property
    def is_package(self) -> bool:
        """Whether the file is a package's `__init__`."""
        return _is_package(self.path)

    @property
    def is_stub(self) -> bool:
        """Whether the file is for type checkers only."""
        return self.path.suffix == ".pyi"

    @cached_property
    def star_imports(self) -> tuple[Binding, ...]:
        """The modules whose names are imported with `*`."""
        return self.bindings.get("*", ())

    @cached_property
    def _class_tables(self) -> dict[ast.ClassDef, Mapping[str, Binding]]:
        return {}

    def class_types(self, node: ast.ClassDef) -> Mapping[str, Binding]:
        """The classes and aliases that a class body binds, by name."""
        table = self._class_tables.get(node)
        if table is None:
            table = self._class_tables[node] = {
                binding.name: binding
                for binding in class_bindings(self, node)
                if isinstance(binding.node, ast.ClassDef | ast.Assign)
                or _is_type_alias(binding.node)
            }
        return table

    def binding(self, name: str) -> Binding | None:
        """The binding of a name that a type checker uses."""
        return choose(self.bindings.get(name, ()))

    def may_run_with(self, name: str) -> bool:
        """Whether the name may exist at run time."""
        bindings = self.bindings.get(name, ())
        return any(binding.when < When.CHECKING for binding in bindings)

    def runs_with(self, name: str) -> bool:
        """Whether the name always exists at run time."""
        return any(binding.when is When.ALWAYS for binding in self.bindings.get(name, ())) or (
            len([b for b in self.bindings.get(name, ()) if b.when is When.MAYBE]) > 1
        )


def read_names(
    name: str, path: Path, parsed: Parsed, target: Target, *, standard: bool, keep_tree: bool
) -> Module:
    """Read the names of a parsed module.

    Without `keep_tree`, its statements are dropped and parsed again on demand.
    """
    text = None if keep_tree else parsed.text.encode()
    body = parsed.tree.body
    frame = _Frame(_package(name, path), target, text)
    return Module(
        name=name,
        path=path,
        target=target,
        standard=standard,
        parsed=parsed if keep_tree else parsed.without_tree(),
        bindings=_grouped(_walk(body, frame)),
        exported=_exported(parsed.tree),
        lazy_annotations=path.suffix == ".pyi" or any(map(_makes_lazy, body)),
    )


def _is_package(path: Path) -> bool:
    return path.stem == "__init__"


def _package(name: str, path: Path) -> str:
    """The package that relative imports start from."""
    return name if _is_package(path) else name.rpartition(".")[0]


def _makes_lazy(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "annotations" for alias in node.names)
    )


def _exported(tree: ast.Module) -> frozenset[str] | None:
    lists = [value for node in _module_level(tree) if (value := _exports(node)) is not None]
    names = (
        item.value
        for value in lists
        for item in ast.walk(value)
        if isinstance(item, ast.Constant) and isinstance(item.value, str)
    )
    return frozenset(names) if lists else None


def class_bindings(module: Module, node: ast.ClassDef) -> Iterator[Binding]:
    """The bindings in a class body, conditions evaluated."""
    package = _package(module.name, module.path)
    return _walk(node.body, _Frame(package, module.target, text=None, members=True))


def choose(bindings: Iterable[Binding]) -> Binding | None:
    """The binding that a type checker uses, among several of one name."""
    everything = list(bindings)
    if len(everything) == 1:
        return everything[0]
    candidates = [
        binding for binding in everything if not _is_placeholder(binding.node)
    ] or everything
    checking = [binding for binding in candidates if binding.when is When.CHECKING]
    return next(iter(checking or candidates), None)


def _is_type_alias(node: ast.stmt) -> bool:
    """`X: TypeAlias = ...`, however it is imported, or `type X = ...`."""
    match node:
        case ast.AnnAssign(annotation=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name == "TypeAlias"
    return type(node).__name__ == "TypeAlias"


def _is_placeholder(node: ast.stmt) -> bool:
    """`X = None`, the fallback of an optional import."""
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)


def _module_level(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes outside functions and classes."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Expr):
            yield node.value
        elif isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            yield node
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield from _module_level(node)


def _exports(node: ast.AST) -> ast.expr | None:
    match node:
        case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
            return value
        case ast.AnnAssign(target=ast.Name(id="__all__"), value=value):
            return value
        case ast.AugAssign(target=ast.Name(id="__all__"), value=value):
            return value
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="__all__"), attr="extend" | "append"),
            args=[value],
        ):
            return value
    return None


def _grouped(bindings: Iterable[Binding]) -> Mapping[str, tuple[Binding, ...]]:
    found: dict[str, list[Binding]] = {}
    for binding in bindings:
        found.setdefault(binding.name, []).append(binding)
    return {name: tuple(group) for name, group in found.items()}


def _walk(body: Iterable[ast.stmt], frame: _Frame) -> Iterator[Binding]:
    for node in body:
        match node:
            case ast.Import() | ast.ImportFrom():
                yield from _imports(node, frame)
            case ast.If():
                yield from _condition(node, frame)
            case ast.Try() | ast.TryStar():
                maybe = frame.under(When.MAYBE) if node.handlers else frame
                yield from _walk(node.body, maybe)
                for handler in node.handlers:
                    yield from _walk(handler.body, maybe)
                yield from _walk(node.orelse, maybe)
                yield from _walk(node.finalbody, frame)
            case ast.With() | ast.For() | ast.While() | ast.Match():
                for block in blocks(node):
                    yield from _walk(block, frame.under(When.MAYBE))
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield Binding(node.name, frame.statement(node), frame.when, disputed=frame.disputed)
            case ast.Assign(targets=targets):
                statement = frame.statement(node)
                for target in targets:
                    for name in _target_names(target):
                        yield Binding(name, statement, frame.when, disputed=frame.disputed)
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield Binding(name, frame.statement(node), frame.when, disputed=frame.disputed)
            case _ if type(node).__name__ == "TypeAlias":
                yield from (
                    Binding(name.id, frame.statement(node), frame.when)
                    for name in ast.iter_child_nodes(node)
                    if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
                )


def _target_names(target: ast.expr) -> Iterator[str]:
    match target:
        case ast.Name(id=name):
            yield name
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            for element in elements:
                yield from _target_names(element)


def _condition(node: ast.If, frame: _Frame) -> Iterator[Binding]:
    outcome = verdict(node.test, frame.target)
    body: dict[Verdict, When | None]
    body = {"checking": When.CHECKING, "unknown": When.MAYBE, "false": None}
    orelse: dict[Verdict, When | None]
    orelse = {"running": When.CHECKING, "unknown": When.MAYBE, "true": None}
    for branch, whens, hidden in ((node.body, body, "running"), (node.orelse, orelse, "checking")):
        when = whens.get(outcome, When.ALWAYS)
        if when is not None:
            # Type checkers do not see members that exist only at run time.
            unseen = frame.members and outcome == hidden
            yield from _walk(branch, frame.under(when, disputed=unseen))


def _imports(node: ast.Import | ast.ImportFrom, frame: _Frame) -> Iterator[Binding]:
    statement = frame.statement(node)
    if isinstance(node, ast.Import):
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            explicit = alias.asname == alias.name
            yield Binding(name, statement, frame.when, alias.name, explicit=explicit)
        return
    module = absolute(node, frame.package)
    for alias in node.names:
        name = alias.asname or alias.name
        explicit = alias.name in {alias.asname, "*"}
        yield Binding(name, statement, frame.when, module, alias.name, explicit)


def absolute(node: ast.ImportFrom, package: str) -> str:
    """The absolute name of the module that a `from` import names."""
    if not node.level:
        return node.module or ""
    parts = package.split(".") if package else []
    kept = parts[: len(parts) - node.level + 1]
    return ".".join([*kept, node.module] if node.module else kept)
