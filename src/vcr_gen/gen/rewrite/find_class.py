"""Finds the class that an argument such as `package.module:Class` names, and its bases."""

import ast

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.protocols.mro import own_parameters
from vcr_gen.gen.settings.config import Config
from vcr_gen.gen.sources.conditions import Target
from vcr_gen.gen.sources.loader import Definition, SourceLoader, Unread
from vcr_gen.spelling import closest


def open_loader(config: Config) -> SourceLoader:
    """The modules of the project and of the installed packages."""
    target = Target(config.target_version, config.platform)
    return SourceLoader(config.sources, config.search_path, target, keep_trees=True)


def find_class(config: Config, loader: SourceLoader, spelled: str) -> Definition:
    """The class at the top level of a module that `package.module:Class` names."""
    module_name, _, class_name = spelled.partition(":")
    if not class_name or not module_name:
        raise refusal(spelled, "expected `package.module:Class`", "put a colon before the class")
    module = loader.module(module_name)
    if module is None:
        _refuse_broken(config, loader, module_name)
        where = ", ".join(config.display(path) for path in config.sources)
        hint = f"looked in {where} and in the installed packages"
        if module_name.endswith((".py", ".pyi")):
            hint = "name the module as Python imports it: package.module, without folder and ending"
        raise refusal(spelled, f"there is no module {module_name} that can be read", hint)
    if "." in class_name:
        message = f"{class_name} is a class inside another class"
        raise refusal(spelled, message, "name a class at the top level of its module")
    found = definition_of(loader, loader.follow(module, class_name))
    if found is None or not isinstance(found.node, ast.ClassDef):
        close = closest(class_name, module.bindings)
        hint = f"did you mean {module_name}:{close}?" if close else ""
        raise refusal(spelled, f"there is no class {class_name} in {module_name}", hint)
    return found


def class_node(definition: Definition) -> ast.ClassDef:
    """The statement of a definition that is known to be a class."""
    assert isinstance(definition.node, ast.ClassDef)
    return definition.node


def definition_of(loader: SourceLoader, found: Definition | Unread | None) -> Definition | None:
    """The definition of a name, also in a stub of the standard library."""
    return loader.read_standard(found) if isinstance(found, Unread) else found


def type_variables(loader: SourceLoader, definition: Definition) -> list[str]:
    """The type variables of a class: in brackets, of `Generic[...]`, or else of its other bases."""
    return [variable.reference.spelling for variable in own_parameters(loader, definition)]


def _refuse_broken(config: Config, loader: SourceLoader, module_name: str) -> None:
    """Report the syntax error of a module that exists and cannot be read."""
    path = loader.locate(module_name)
    if path is None:
        return
    try:
        loader.module_at(path, module_name)
    except SyntaxError as error:
        place = config.display(path), error.lineno or 0, error.offset or 0
        message = f"the file is not valid Python: {error.msg}"
        raise RefusedError([Diagnostic(*place, "VCR101", message, "correct the file")]) from error


def refusal(spelled: str, message: str, hint: str) -> RefusedError:
    """The error for an invalid argument."""
    return RefusedError([Diagnostic(spelled, 0, 0, "VCR411", message, hint)])
