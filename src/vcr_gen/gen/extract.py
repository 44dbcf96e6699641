"""Makes an annotated Protocol from an existing class, so that one can start without Protocols."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vcr_gen.gen.conditions import Target
from vcr_gen.gen.config import Config, Direction
from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.extract_imports import Imports
from vcr_gen.gen.extract_members import Member, copy_member, is_public
from vcr_gen.gen.library import Definition, Library
from vcr_gen.gen.modules import Module, class_bindings
from vcr_gen.gen.syntax import docstring_of

__all__ = ["Extracted", "extract"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """A Protocol made from a class."""

    text: str
    """The new module, not formatted yet."""
    source: Path
    """The file that holds the class."""
    members: int


@dataclass(frozen=True, slots=True)
class _Class:
    """A class that was found, with the module that holds it."""

    module: Module
    node: ast.ClassDef


def extract(config: Config, spelled: str, *, name: str | None, direction: Direction) -> Extracted:
    """The Protocol for the class spelled `package.module:Class`; reads source only."""
    library = Library(
        config.sources, config.search_path, Target(config.target_version, config.platform)
    )
    found = _find(config, library, spelled)
    members = list(_members(library, found))
    if not members:
        place = config.display(found.module.path), found.node.lineno, found.node.col_offset + 1
        message = f"class {found.node.name} has no public method, property or annotated attribute"
        raise RefusedError([Diagnostic(*place, "VCR412", message, "")])
    text = _render(found, members, protocol=name or found.node.name, direction=direction)
    return Extracted(text=text, source=found.module.path, members=len(members))


def _find(config: Config, library: Library, spelled: str) -> _Class:
    module_name, colon, class_name = spelled.partition(":")
    if not colon or not class_name:
        raise _refused(spelled, "expected `package.module:Class`", "put a colon before the class")
    module = library.module(module_name)
    if module is None:
        where = ", ".join(config.display(path) for path in config.sources)
        hint = f"looked in {where} and in the installed packages"
        raise _refused(spelled, f"there is no module {module_name} that can be read", hint)
    found = library.follow(module, class_name)
    if not isinstance(found, Definition) or not isinstance(found.node, ast.ClassDef):
        raise _refused(spelled, f"there is no class {class_name} in {module_name}", "")
    return _Class(found.module, found.node)


def _members(library: Library, found: _Class) -> Iterator[Member]:
    """Public members, inherited ones after the class's own; each in the module that declares it."""
    seen: set[str] = set()
    for ancestor in _ancestors(library, found, set()):
        declared: set[str] = set()
        bindings = list(class_bindings(ancestor.module, ancestor.node))
        overloaded = {one.name for one in bindings if _is_overload(one.node)}
        for binding in bindings:
            if not is_public(binding.name) or binding.name in seen:
                continue
            if binding.name in overloaded and not _is_overload(binding.node):
                continue  # the implementation behind overloads is no part of the interface
            member = copy_member(ancestor.module, binding.node)
            if member is not None:
                declared.add(binding.name)
                yield member
        seen |= declared


def _ancestors(library: Library, found: _Class, seen: set[int]) -> Iterator[_Class]:
    """The class and those it inherits from, as far as their source can be read."""
    if id(found.node) in seen:
        return
    seen.add(id(found.node))
    yield found
    for base in found.node.bases:
        target = base.value if isinstance(base, ast.Subscript) else base
        if isinstance(target, ast.Name):
            definition = library.follow(found.module, target.id)
            if isinstance(definition, Definition) and isinstance(definition.node, ast.ClassDef):
                yield from _ancestors(library, _Class(definition.module, definition.node), seen)


def _is_overload(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and any(
        ast.unparse(decorator).endswith("overload") for decorator in node.decorator_list
    )


def _render(found: _Class, members: list[Member], *, protocol: str, direction: Direction) -> str:
    imports = Imports(own=frozenset({protocol, found.node.name}))
    imports.add("typing", "Protocol")
    imports.add("vcr_gen.boundary", direction)
    parameters = _type_parameters(found.node)
    imports.need(found.module, parameters)
    for member in members:
        imports.need(member.module, sorted(member.needs))
        for module, name in sorted(member.ours):
            imports.add(module, name)
    base = f"Protocol[{', '.join(parameters)}]" if parameters else "Protocol"
    lazy = any(member.module.lazy_annotations for member in members) or bool(imports.checking)
    doc = docstring_of(found.node)
    bodies = [_renamed(member.text, found.node.name, protocol) for member in members]
    if doc:
        quoted = ast.Constant(f"{doc}\n" if "\n" in doc else doc)
        bodies.insert(0, ast.unparse(ast.Module([ast.Expr(quoted)], [])))
    parts = [
        f'"""The boundary `{protocol}`, taken from `{found.module.name}.{found.node.name}`."""\n',
        "from __future__ import annotations\n" if lazy else "",
        imports.render(),
        f"\n\n@{direction}\nclass {protocol}({base}):",
        _indented("\n\n".join(bodies)),
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _renamed(text: str, old: str, new: str) -> str:
    """The text with the class's own name replaced by the Protocol's, in annotations only."""
    if old == new:
        return text
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == old:
            node.id = new
        elif isinstance(node, ast.Constant) and node.value == old:
            node.value = new
    return ast.unparse(tree)


def _type_parameters(node: ast.ClassDef) -> list[str]:
    """The arguments of `Generic[...]` among the bases."""
    for base in node.bases:
        if isinstance(base, ast.Subscript) and ast.unparse(base.value).endswith("Generic"):
            inner = base.slice
            elements = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return [element.id for element in elements if isinstance(element, ast.Name)]
    return []


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else line for line in text.split("\n"))


def _refused(spelled: str, message: str, hint: str) -> RefusedError:
    return RefusedError([Diagnostic(spelled, 0, 0, "VCR411", message, hint)])
