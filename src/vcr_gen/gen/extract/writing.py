"""Writes the module of an extracted Protocol."""

import ast
from collections.abc import Mapping

from vcr_gen.gen.extract.classes import FoundClass
from vcr_gen.gen.extract.contents import Contents
from vcr_gen.gen.extract.imports import Imports
from vcr_gen.gen.extract.own_name import OwnName, renamed
from vcr_gen.gen.settings.config import Direction
from vcr_gen.gen.sources.library import Library
from vcr_gen.gen.sources.syntax import docstring_of

__all__ = ["render"]


def render(
    library: Library, found: FoundClass, contents: Contents, own: OwnName, *, direction: Direction
) -> str:
    """The text of the module, not formatted yet."""
    protocol, members = own.protocol, contents.members
    used = {*contents.parameters, *(name for member in members for name in member.needs)}
    variables = {
        name: one
        for name, one in sorted(contents.variables.named.items())
        if name in used and not one.is_everybodys
    }
    imports = Imports(library, own=frozenset({protocol, own.real, *variables}))
    base = "Protocol" if protocol != "Protocol" else "typing.Protocol"
    imports.add("typing", "Protocol" if base == "Protocol" else "")
    imports.add("vcr_gen.boundary", direction)
    for module, name in sorted({one for member in members for one in member.ours}):
        imports.add(module, name)
    for variable in variables.values():
        imports.add("typing", variable.kind)
        imports.need(variable.module, sorted(set(variable.needs())))
    bodies = [
        _with_names(member.text, imports.need(member.module, sorted(member.needs)))
        for member in members
    ]
    limits = (name for one in variables.values() for name in one.needs())
    if own.real in {*limits, *(name for member in members for name in member.needs)}:
        imports.add(
            found.module.name, own.name if own.real == own.name else f"{own.name} as {own.real}"
        )
    declarations = [one.declaration(name) for name, one in variables.items()]
    brackets = _brackets(contents)
    lazy = any(member.module.lazy_annotations for member in members) or bool(imports.checking)
    doc = docstring_of(found.node)
    if doc:
        quoted = ast.Constant(f"{doc}\n" if "\n" in doc else doc)
        bodies.insert(0, ast.unparse(ast.Module([ast.Expr(quoted)], [])))
    parts = [
        f'"""The boundary `{protocol}`, taken from `{found.module.name}.{found.node.name}`."""\n',
        "from __future__ import annotations\n" if lazy else "",
        imports.render(),
        "\n".join(("", *declarations)) if declarations else "",
        f"\n\n@{direction}\nclass {protocol}({base}{brackets}):",
        _indented("\n\n".join(bodies)),
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _brackets(contents: Contents) -> str:
    named = contents.variables.named
    parameters = [
        f"*{name}" if named[name].kind == "TypeVarTuple" else name for name in contents.parameters
    ]
    return f"[{', '.join(parameters)}]" if parameters else ""


def _with_names(text: str, others: Mapping[str, str]) -> str:
    """A member in which some names are spelled otherwise; its docstring is left alone."""
    if not others:
        return text
    (node,) = ast.parse(text).body
    body: list[ast.stmt] = getattr(node, "body", [])
    said, body[:] = [*body], []
    for name, spelled in others.items():
        node = renamed(node, name, spelled)
    body[:] = said
    return ast.unparse(node)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else line for line in text.split("\n"))
