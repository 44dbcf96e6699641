"""Finds a class and makes a Protocol of it."""

import ast
from dataclasses import dataclass
from difflib import get_close_matches
from keyword import iskeyword
from pathlib import Path

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.extract.classes import FoundClass, ancestors
from vcr_gen.gen.extract.contents import read_contents
from vcr_gen.gen.extract.generics import any_arguments
from vcr_gen.gen.extract.own_name import OwnName, last_word
from vcr_gen.gen.extract.variables import class_variables, read
from vcr_gen.gen.extract.writing import render
from vcr_gen.gen.settings.config import Config, Direction
from vcr_gen.gen.sources.conditions import Target
from vcr_gen.gen.sources.library import Library

__all__ = ["Extracted", "extract"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """A Protocol made from a class."""

    text: str
    """The new module, not formatted yet."""
    source: Path
    """The file that holds the class."""
    members: int
    left_out: tuple[Diagnostic, ...]
    """Public members that the Protocol lacks, and why."""


def extract(config: Config, spelled: str, *, name: str | None, direction: Direction) -> Extracted:
    """The Protocol for the class spelled `package.module:Class`; reads source only."""
    library = Library(
        config.sources,
        config.search_path,
        Target(config.target_version, config.platform),
        keep_trees=True,
    )
    if name is not None and (not name.isidentifier() or iskeyword(name)):
        raise _refused("--name", f"no class can be called {name!r}", "give it a name of Python")
    found = _find(config, library, spelled)
    brackets = any_arguments(class_variables(library, found.module, found.node))
    own = OwnName(found.node.name, name or found.node.name, brackets)
    contents = read_contents(library, found, own)
    if not contents.members:
        place = config.display(found.module.path), found.node.lineno, found.node.col_offset + 1
        message = f"class {found.node.name} has no public method, property or annotated attribute"
        raise RefusedError([Diagnostic(*place, "VCR412", message, ""), *contents.left_out(config)])
    text = render(library, found, contents, own, direction=direction)
    return Extracted(
        text=text.encode(errors="backslashreplace").decode(),  # half a character, in a default
        source=found.module.path,
        members=len(contents.members),
        left_out=contents.left_out(config),
    )


def _find(config: Config, library: Library, spelled: str) -> FoundClass:
    module_name, colon, class_name = spelled.partition(":")
    if not colon or not class_name or not module_name:
        raise _refused(spelled, "expected `package.module:Class`", "put a colon before the class")
    module = library.module(module_name)
    if module is None:
        _refuse_broken(config, library, module_name)
        where = ", ".join(config.display(path) for path in config.sources)
        hint = f"looked in {where} and in the installed packages"
        if module_name.endswith((".py", ".pyi")):
            hint = "name the module as Python imports it: package.module, without folder and ending"
        raise _refused(spelled, f"there is no module {module_name} that can be read", hint)
    if "." in class_name:
        message = f"{class_name} would be a class inside another, of which no Protocol is taken"
        raise _refused(spelled, message, "name a class at the top level of its module")
    found = read(library, library.follow(module, class_name))
    if found is None or not isinstance(found.node, ast.ClassDef):
        meant = get_close_matches(class_name, module.bindings, n=1)
        hint = f"did you mean {module_name}:{meant[0]}?" if meant else ""
        raise _refused(spelled, f"there is no class {class_name} in {module_name}", hint)
    result = FoundClass(found.module, found.node)
    classes = ancestors(library, result, set())
    if any(last_word(base) == "TypedDict" for one in classes for base in one.node.bases):
        message = f"{class_name} is a TypedDict: a dict with these keys, and no attributes"
        raise _refused(spelled, message, "it is a value that crosses a boundary, not a boundary")
    return result


def _refuse_broken(config: Config, library: Library, module_name: str) -> None:
    """Say what is wrong with a module that is there and cannot be read."""
    path = library.locate(module_name)
    if path is None:
        return
    try:
        library.module_at(path, module_name)
    except SyntaxError as error:
        place = config.display(path), error.lineno or 0, error.offset or 0
        message = f"the file is not valid Python: {error.msg}"
        raise RefusedError([Diagnostic(*place, "VCR101", message, "correct the file")]) from error


def _refused(spelled: str, message: str, hint: str) -> RefusedError:
    return RefusedError([Diagnostic(spelled, 0, 0, "VCR411", message, hint)])
