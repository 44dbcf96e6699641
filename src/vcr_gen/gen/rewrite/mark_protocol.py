"""Marks a Protocol: adds the decorator and its import, and changes no other byte of the file."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import libcst as cst
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import AddImportsVisitor, ImportItem
from libcst.metadata import MetadataWrapper, PositionProvider

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.model.annotation import When
from vcr_gen.gen.protocols.decorators import mark_of
from vcr_gen.gen.protocols.mro import is_protocol
from vcr_gen.gen.rewrite.find_class import class_node, find_class, open_loader, refusal
from vcr_gen.gen.settings.config import Config, Direction
from vcr_gen.gen.sources.loader import Definition, SourceLoader
from vcr_gen.gen.types.scope import Scope

_HOME: Final = "vcr_gen.boundary"


@dataclass(frozen=True, slots=True)
class Marking:
    """A Protocol with its mark."""

    path: Path
    class_name: str
    data: bytes | None
    """The new content of the file; None when the Protocol had this mark before."""


def mark_protocol(
    config: Config, spelled: str, *, direction: Direction, name: str | None
) -> Marking:
    """Mark the Protocol spelled `package.module:Class`; `name` is its name in cassettes."""
    if name is not None and not name.strip():
        raise refusal("--name", "the name is empty", "leave it out: the Protocol's name is used")
    loader = open_loader(config)
    found = find_class(config, loader, spelled)
    path = found.module.path
    if not any(path.is_relative_to(folder) for folder in config.sources):
        message = f"{found.module.name} is not a module of the project"
        hint = "name the Protocol in [[tool.vcr-gen.boundary]] of pyproject.toml instead"
        raise refusal(spelled, message, hint)
    if not is_protocol(loader, found):
        hint = "add `Protocol` to its bases, or let `vcr-gen extract` write a Protocol from it"
        raise _refused(config, found, "VCR104", f"`{found.qualname}` is not a Protocol", hint)
    for known, known_name in _marks(loader, found):
        if known != direction:
            message = f"`{found.qualname}` is already marked `@{known}`"
        elif name not in {None, known_name}:
            message = f"`{found.qualname}` is already marked with the name {known_name!r}"
        else:
            return Marking(path, found.qualname, None)
        raise _refused(config, found, "VCR411", message, "change the mark by hand")
    return Marking(path, found.qualname, _marked(config, found, direction, name))


def _marks(loader: SourceLoader, found: Definition) -> Iterator[tuple[Direction, str]]:
    """The directions that a class is marked with, and the name that each mark gives it."""
    for decorator in class_node(found).decorator_list:
        mark = mark_of(decorator, Scope(loader, found.module))
        if mark is not None:
            keywords = {keyword.arg: keyword.value for keyword in getattr(mark[0], "keywords", [])}
            yield mark[1], getattr(keywords.get("name"), "value", found.qualname)


def _marked(config: Config, found: Definition, direction: Direction, name: str | None) -> bytes:
    """The content of the file with the decorator and its import."""
    tree = cst.parse_module(found.module.path.read_bytes())
    places = MetadataWrapper(tree, unsafe_skip_copy=True).resolve(PositionProvider)
    node = next(
        node
        for node in places
        if isinstance(node, cst.ClassDef) and places[node.name].start.line == found.node.lineno
    )
    imported = _imported_marker(found, direction)
    call = f"(name={json.dumps(name, ensure_ascii=False)})" if name else ""
    decorator = cst.Decorator(cst.parse_expression((imported or direction) + call))
    marked = tree.with_deep_changes(node, decorators=[decorator, *node.decorators])
    if not imported:
        _refuse_other_meaning(config, found, direction)
        item = ImportItem(_HOME, direction)
        marked = AddImportsVisitor(CodemodContext(), [item]).transform_module(marked)
    try:
        return marked.bytes
    except UnicodeEncodeError as error:
        message = f"the file's encoding {tree.encoding} cannot hold {name!r}"
        raise refusal("--name", message, "choose another name") from error


def _imported_marker(found: Definition, direction: Direction) -> str:
    """The marker as the module can spell it above the class, or an empty string."""
    for name, bindings in found.module.bindings.items():
        for binding in bindings:
            if binding.when is not When.ALWAYS or binding.line >= found.node.lineno:
                continue
            match binding.module, binding.attribute:
                case ("vcr_gen.boundary" | "vcr_gen"), attribute if attribute == direction:
                    return name
                case "vcr_gen.boundary", "":
                    return f"{_HOME if name == 'vcr_gen' else name}.{direction}"
                case "vcr_gen", "boundary":
                    return f"{name}.{direction}"
    return ""


def _refuse_other_meaning(config: Config, found: Definition, direction: Direction) -> None:
    for binding in found.module.bindings.get(direction, ()):
        if binding.module not in (_HOME, "vcr_gen"):
            message = f"`{direction}` means something else in line {binding.line} of this module"
            hint = f"import the mark under another name: from {_HOME} import {direction} as …"
            raise _refused(config, found, "VCR411", message, hint)


def _refused(config: Config, found: Definition, code: str, message: str, hint: str) -> RefusedError:
    place = config.display(found.module.path), found.node.lineno, found.node.col_offset + 1
    return RefusedError([Diagnostic(*place, code, message, hint)])
