"""Finds the Protocols that are to be wrapped: marked in a file, or named in a rule."""

import ast
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from keyword import iskeyword
from pathlib import Path
from typing import Final
from unicodedata import normalize

from vcr_gen.gen.diagnostics import Diagnostic, printable
from vcr_gen.gen.model.annotation import When
from vcr_gen.gen.protocols.decorators import mark_of
from vcr_gen.gen.protocols.mro import is_protocol
from vcr_gen.gen.protocols.problems import Problems
from vcr_gen.gen.settings.config import BoundaryRule, Config, Direction
from vcr_gen.gen.sources.conditions import Target, verdict
from vcr_gen.gen.sources.files import SourceFile, module_name
from vcr_gen.gen.sources.loader import Definition, SourceLoader, Unread
from vcr_gen.gen.sources.modules import Module
from vcr_gen.gen.sources.syntax import blocks
from vcr_gen.gen.types.scope import Scope
from vcr_gen.spelling import closest

_MARKS: Final = ("inbound", "outbound")


@dataclass(frozen=True)
class FoundProtocol:
    """One class to wrap, and what its marker or rule says."""

    definition: Definition
    direction: Direction
    name: str
    module: str
    """The module that the output is filed under."""
    rule: BoundaryRule | None = None
    """The rule that names it; None when it is marked."""
    reached_from: str = ""
    """Where another boundary mentions it, if it is neither marked nor in a rule."""


def discover_marked(
    file: SourceFile, config: Config, loader: SourceLoader, problems: Problems
) -> list[FoundProtocol]:
    """The marked classes of one file."""
    path = file.path
    stub = path.with_suffix(".pyi")
    read = stub if os.path.isfile(stub) else path  # no error if the name is too long
    try:
        module = loader.module_at(read, file.module)
    except SyntaxError as error:
        problems.found.append(_unreadable(config, read, error))
        return []
    except OSError as error:
        shown, reason = config.display(read), f"the file cannot be read: {error.strerror}"
        hint = "check its permissions, or `exclude` it"
        problems.found.append(Diagnostic(shown, 0, 0, "VCR101", reason, hint))
        return []
    if read != path:
        _refuse_hidden(loader, module, problems)
        return []
    _refuse_mistaken(loader, module, problems)
    _refuse_misplaced(loader, module, problems)
    marked = list(_marked(loader, module, problems))
    if marked:
        _check_importable(loader, module, problems)
    return marked


def discover_ruled(
    config: Config, loader: SourceLoader, problems: Problems
) -> Iterator[FoundProtocol]:
    """The classes that rules of the configuration name, in the order of the rules."""
    for rule in config.boundaries:
        found = _ruled(loader, rule, problems)
        if found is not None:
            yield found


def _check_importable(loader: SourceLoader, module: Module, problems: Problems) -> None:
    """Generated modules import the Protocols: Python must be able to do that."""
    for part in _parts(module, problems.config):
        if not _is_name(part):
            problems.report(
                "VCR109",
                "nothing can import a Protocol from here: "
                f"`{printable(part)}` is not a name in Python",
                "rename the file or folder, or `exclude` it",
                module=module,
                node=None,
            )
    first = loader.locate(module.name) or module.path
    if first != module.path and first.suffix == module.path.suffix:  # a stub may lie elsewhere
        problems.report(
            "VCR304",
            f"is the module `{module.name}`, and so is {problems.config.display(first)}",
            "rename one of them, or `exclude` it; Python imports only the first one it finds",
            module=module,
            node=None,
        )


def _parts(module: Module, config: Config) -> Sequence[str]:
    """The names of a module's folders and file, which may contain dots."""
    for root in config.sources:
        if module.path.is_relative_to(root):
            relative = module.path.relative_to(root)
            if module_name(relative) == module.name:
                return relative.with_suffix("").parts
    return module.name.split(".")


def _is_name(part: str) -> bool:
    """Whether an import finds a file of that name: Python normalises identifiers."""
    return part.isidentifier() and not iskeyword(part) and normalize("NFKC", part) == part


def _unreadable(config: Config, path: Path, error: SyntaxError) -> Diagnostic:
    return Diagnostic(
        config.display(path),
        error.lineno or 0,
        error.offset or 0,
        "VCR101",
        f"the file is not valid Python: {error.msg}",
        "correct the file, or `exclude` it; vcr-gen knows the syntax of the Python that runs it",
    )


def _marked(loader: SourceLoader, module: Module, problems: Problems) -> Iterator[FoundProtocol]:
    before: dict[str, Definition] = {}
    for marked in _marked_classes(loader, module):
        definition = marked.definition
        node: ast.AST = definition.node
        first = before.setdefault(definition.qualname, definition)
        if len(marked.marks) > 1:
            code, node = "VCR110", marked.marks[1][0]
            message = f"`{definition.qualname}` is marked twice; a boundary has one direction"
            hint = "remove one of the marks; a mark on a method gives it another direction"
        elif first is not definition and first.when is definition.when is When.ALWAYS:
            code = "VCR110"
            message = (
                f"`{definition.qualname}` is defined and marked twice; Python keeps the last "
                f"definition and drops the one in line {first.node.lineno}"
            )
            hint = "remove one of them, or give it another name"
        elif "<locals>" in definition.qualname:
            code = "VCR201"
            message = f"`{marked.name}` is defined inside a function, where nothing can import it"
            hint = "move the Protocol to the top level of the module"
        elif not is_protocol(loader, definition):
            code = "VCR104"
            message = (
                f"`{definition.qualname}` is marked `@{marked.direction}`, but it is not a Protocol"
            )
            hint = "add `Protocol` to its bases, or let `vcr-gen extract` write a Protocol from it"
        else:
            name = _stable_name(marked.marks[0][0], marked.name, module, problems)
            yield FoundProtocol(definition, marked.direction, name, module.name)
            continue
        problems.report(code, message, hint, module=module, node=node)


def _refuse_mistaken(loader: SourceLoader, module: Module, problems: Problems) -> None:
    """Refuse marks that are not imported: their Protocols would silently have no wrappers."""
    for node, meant, home in _mistaken_marks(loader, module):
        written = ast.unparse(node)
        message = f"the mark `@{written}` is not defined in {home or 'its module'}"
        hint = f"did you mean `@{meant}`?"
        if home or written == meant:
            hint = f"import it: from vcr_gen.boundary import {meant}"
        problems.report("VCR106", message, hint, module=module, node=node)


def _refuse_misplaced(loader: SourceLoader, module: Module, problems: Problems) -> None:
    """Refuse marks on functions and marks called with a class, which would silently do nothing."""
    scope = Scope(loader, module)
    for statement in module.parsed.tree.body:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                marks = (mark_of(each, scope) for each in statement.decorator_list)
                for node, direction in filter(None, marks):
                    problems.report(
                        "VCR104",
                        f"`{statement.name}` is marked `@{direction}`, but it is a function",
                        "mark a Protocol that has it as a method",
                        module=module,
                        node=node,
                    )
            case ast.Expr(value=ast.Call(args=[_, *_]) as call) | ast.Assign(
                value=ast.Call(args=[_, *_]) as call
            ):
                mark = mark_of(call.func if isinstance(call.func, ast.Call) else call, scope)
                if mark is not None:
                    problems.report(
                        "VCR108",
                        f"`{ast.unparse(call)}` marks nothing; a mark must be a decorator",
                        f"write `@{mark[1]}` above the class; to mark a class you do not own, "
                        "name it in `[[tool.vcr-gen.boundary]]`",
                        module=module,
                        node=call,
                    )


def _refuse_hidden(loader: SourceLoader, stub: Module, problems: Problems) -> None:
    """Refuse marks in a file that is not read, because there is a stub beside it."""
    running = loader.runtime_module(stub)
    if running is None:
        return
    in_stub = {marked.definition.qualname for marked in _marked_classes(loader, stub)}
    for marked in _marked_classes(loader, running):
        if marked.definition.qualname not in in_stub:
            problems.report(
                "VCR112",
                f"`{marked.definition.qualname}` is marked here, but the stub "
                f"{stub.path.name} beside it hides this file",
                "mark it in the stub",
                module=running,
                node=marked.definition.node,
            )


def _stable_name(decorator: ast.expr, default: str, module: Module, problems: Problems) -> str:
    if not isinstance(decorator, ast.Call):
        return default
    name = default
    for given in (*decorator.args, *decorator.keywords):
        match given:
            case ast.keyword(arg="name", value=ast.Constant(value=str(text))) if text:
                name = text
                continue
            case ast.keyword(arg="name", value=node):
                message = "`name` must be a non-empty string literal"
                hint = "marks are read from source and never evaluated; write the name as a literal"
            case node:
                message = "a mark accepts only `name`"
                hint = 'write `name="…"`, the name of the boundary in cassettes'
        got = ast.unparse(node)
        problems.report("VCR108", f"{message}; got `{got}`", hint, module=module, node=node)
    return name


def _ruled(loader: SourceLoader, rule: BoundaryRule, problems: Problems) -> FoundProtocol | None:
    module_name, _, qualname = rule.protocol.partition(":")
    module = loader.module(module_name)
    found: Definition | Unread | None = None
    if module is not None:
        head, *rest = qualname.split(".")
        found = loader.follow(module, head)
        if isinstance(found, Unread):
            found = loader.read_standard(found)
        for part in rest:
            found = loader.member(found, part) if found is not None else None
    if isinstance(found, Definition) and is_protocol(loader, found):
        name = rule.name or found.qualname.rpartition(".")[2]
        return FoundProtocol(found, rule.direction, name, module_name, rule)
    if module is None:
        code, message = "VCR102", f"the module `{module_name}` cannot be found"
        hint = "install the package it comes from, or correct the rule"
    elif not isinstance(found, Definition):
        code, message = "VCR102", f"the module `{module_name}` has no class `{qualname}`"
        meant = closest(qualname, list(module.bindings))
        hint = 'correct the rule: `protocol = "package.module:Name"`'
        hint = f"did you mean `{module_name}:{meant}`?" if meant else hint
    else:
        code, message = "VCR104", f"`{rule.protocol}` is not a Protocol"
        hint = "only Protocols can be wrapped; `vcr-gen extract` writes one from a class"
    problems.report_rule(code, message, hint, line=rule.line)
    return None


# The marks in one module.


@dataclass(frozen=True, slots=True)
class _Marked:
    """A class with its marks; more than one is an error."""

    name: str
    definition: Definition
    marks: tuple[tuple[ast.expr, Direction], ...]
    """The decorators that give a direction, and which."""

    @property
    def direction(self) -> Direction:
        """The direction of the first mark."""
        return self.marks[0][1]


def _marked_classes(loader: SourceLoader, module: Module) -> Iterator[_Marked]:
    """Every marked class of a module, also inside classes and functions."""
    scope = Scope(loader, module)
    for node, outer, when in _classes(module.parsed.tree.body, module.target):
        marks = tuple(_marks(node, scope))
        if marks:
            definition = Definition(module, ".".join([*outer, node.name]), node, when)
            yield _Marked(node.name, definition, marks)


def _mistaken_marks(loader: SourceLoader, module: Module) -> Iterator[tuple[ast.expr, str, str]]:
    """Decorators that are no marks, but look like one: that mark, and where they come from."""
    scope = Scope(loader, module)
    for node, outer, _ in _classes(module.parsed.tree.body, module.target):
        for decorator in node.decorator_list if "<locals>" not in outer else ():
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if mark_of(decorator, scope) is not None:
                continue
            home, _, name = scope.name_of(called).rpartition(".")
            if get_close_matches(home.partition(".")[0], ["vcr_gen"], 1, 0.8):
                yield from ((called, mark, home) for mark in _MARKS if name == mark)
            elif (
                isinstance(called, ast.Name)
                and called.id not in module.bindings
                and scope.resolve(called) is None  # no star import has it either
            ):
                for meant in get_close_matches(called.id, _MARKS, 1, 0.8):
                    yield called, meant, ""


def _marks(node: ast.ClassDef, scope: Scope) -> Iterator[tuple[ast.expr, Direction]]:
    for decorator in node.decorator_list:
        mark = mark_of(decorator, scope)
        if mark is not None:
            yield mark


def _classes(
    body: Sequence[ast.stmt],
    target: Target,
    outer: tuple[str, ...] = (),
    when: When = When.ALWAYS,
) -> Iterator[tuple[ast.ClassDef, tuple[str, ...], When]]:
    """Each class that the target has, the names around it, and whether it exists at run time."""
    for node in body:
        match node:
            case ast.ClassDef(name=name):
                yield node, outer, when
                yield from _classes(node.body, target, (*outer, name), when)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield from _classes(node.body, target, (*outer, name, "<locals>"), when)
            case ast.If(test=test):
                outcome = verdict(test, target)
                if outcome != "false":
                    inner = When.CHECKING if outcome == "checking" else when
                    yield from _classes(node.body, target, outer, inner)
                if outcome != "true":
                    inner = When.CHECKING if outcome == "running" else when
                    yield from _classes(node.orelse, target, outer, inner)
            case _:
                for block in blocks(node):
                    yield from _classes(block, target, outer, when)
