"""Compares a generated module on disk with the right one, member by member.

mypy accepts a renamed positional parameter, a changed default, `*args, **kwargs` and anything to or
from `Any`. A byte comparison accepts nothing but says little. This names the member and the place.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from vcr_gen.gen.diagnostics import Diagnostic
from vcr_gen.gen.output.plan import same_text
from vcr_gen.gen.sources.syntax import Function, parse

__all__ = ["compare_modules"]

_FIX = "run vcr-gen"


@dataclass(frozen=True, slots=True)
class _Declared:
    """One declaration in a class."""

    signature: str
    node: ast.stmt


def compare_modules(path: str, wanted: str, actual: str) -> list[Diagnostic]:
    """Every difference between two texts of a generated module; `wanted` is the right one."""
    if same_text(wanted, actual):
        return []
    try:
        tree = parse(actual.encode()).tree
    except SyntaxError as error:
        message = f"is not valid Python: {error.msg}"
        return [Diagnostic(path, error.lineno or 1, error.offset or 1, "VCR314", message, _FIX)]
    found = list(_compare_classes(path, parse(wanted.encode()).tree, tree))
    return found or [_elsewhere(path, wanted, actual)]


def _compare_classes(path: str, wanted: ast.Module, actual: ast.Module) -> Iterator[Diagnostic]:
    should = {node.name: node for node in wanted.body if isinstance(node, ast.ClassDef)}
    there = {node.name: node for node in actual.body if isinstance(node, ast.ClassDef)}
    for name, node in should.items():
        if name not in there:
            yield _at(path, None, "VCR311", f"class `{name}` is missing")
        elif _bases(node) != _bases(there[name]):
            message = f"`class {name}{_bases(there[name])}` should be `class {name}{_bases(node)}`"
            yield _at(path, there[name], "VCR312", message)
        else:
            yield from _compare_members(path, name, _members(node), _members(there[name]))
    for name, node in there.items():
        if name not in should:
            yield _at(path, node, "VCR313", f"class `{name}` belongs to no Protocol")


def _compare_members(
    path: str,
    owner: str,
    wanted: Mapping[str, list[_Declared]],
    actual: Mapping[str, list[_Declared]],
) -> Iterator[Diagnostic]:
    for name, should in wanted.items():
        there = actual.get(name, [])
        for index, declared in enumerate(should):
            if index >= len(there):
                message = f"`{owner}` has no `{declared.signature}`"
                yield _at(path, there[-1].node if there else None, "VCR311", message)
            elif declared.signature != there[index].signature:
                message = (
                    f"`{owner}` declares `{there[index].signature}`; "
                    f"its Protocol declares `{declared.signature}`"
                )
                yield _at(path, there[index].node, "VCR312", message)
        for extra in there[len(should) :]:
            message = f"`{owner}` declares `{extra.signature}` too many times"
            yield _at(path, extra.node, "VCR313", message)
    for name, there in actual.items():
        if name not in wanted:
            message = f"`{owner}` declares `{there[0].signature}`, which its Protocol does not"
            yield _at(path, there[0].node, "VCR313", message)


def _members(node: ast.ClassDef) -> Mapping[str, list[_Declared]]:
    """The declarations in a class body by name; those under a condition have it as a prefix."""
    found: dict[str, list[_Declared]] = {}
    for prefix, statement in _statements(node.body, ""):
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                name, signature = statement.name, _signature(statement)
            case ast.AnnAssign(target=target):
                name, signature = ast.unparse(target), ast.unparse(statement)
            case ast.Assign(targets=[target]):
                name, signature = ast.unparse(target), ast.unparse(statement)
            case _:
                continue
        found.setdefault(prefix + name, []).append(_Declared(signature, statement))
    return found


def _statements(body: Iterable[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.stmt]]:
    for statement in body:
        if isinstance(statement, ast.If):
            test = ast.unparse(statement.test)
            yield from _statements(statement.body, f"{prefix}{test}: ")
            yield from _statements(statement.orelse, f"{prefix}not {test}: ")
        else:
            yield prefix, statement


def _signature(node: Function) -> str:
    decorators = "".join(f"@{ast.unparse(decorator)} " for decorator in node.decorator_list)
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    parameters = [ast.unparse(parameter) for parameter in getattr(node, "type_params", ())]
    brackets = f"[{', '.join(parameters)}]" if parameters else ""
    return f"{decorators}{word} {node.name}{brackets}({ast.unparse(node.args)}){returns}"


def _bases(node: ast.ClassDef) -> str:
    parts = [*map(ast.unparse, node.bases), *map(ast.unparse, node.keywords)]
    return f"({', '.join(parts)})" if parts else ""


def _elsewhere(path: str, wanted: str, actual: str) -> Diagnostic:
    """The first line that differs, when all signatures agree."""
    should, there = wanted.splitlines(), actual.splitlines()
    pairs = zip(should, there, strict=False)
    same = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(should), len(there)))
    message = "differs from what vcr-gen writes"
    return Diagnostic(path, max(same + 1, 1), 1, "VCR314", message, _FIX)


def _at(path: str, node: ast.stmt | None, code: str, message: str) -> Diagnostic:
    line, column = (node.lineno, node.col_offset + 1) if node is not None else (1, 1)
    return Diagnostic(path, line, column, code, message, _FIX)
