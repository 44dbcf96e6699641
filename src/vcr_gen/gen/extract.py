"""Makes an annotated Protocol from an existing class, so that one can start without Protocols."""

import ast
import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path

from vcr_gen.gen.conditions import Target
from vcr_gen.gen.config import Config, Direction
from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.extract_imports import Imports, names_in
from vcr_gen.gen.extract_members import Member, Place, copy_member, is_public
from vcr_gen.gen.extract_own_name import OwnName, is_type_variable, last_word
from vcr_gen.gen.library import Definition, Library, Unread
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
    arguments: Mapping[str, str] = field(default_factory=dict)
    """What its type variables stand for in the class that is extracted."""


def extract(config: Config, spelled: str, *, name: str | None, direction: Direction) -> Extracted:
    """The Protocol for the class spelled `package.module:Class`; reads source only."""
    library = Library(
        config.sources, config.search_path, Target(config.target_version, config.platform)
    )
    found = _find(config, library, spelled)
    own = OwnName(found.node.name, name or found.node.name)
    members = list(_members(library, found, own))
    if not members:
        place = config.display(found.module.path), found.node.lineno, found.node.col_offset + 1
        message = f"class {found.node.name} has no public method, property or annotated attribute"
        raise RefusedError([Diagnostic(*place, "VCR412", message, "")])
    variables = _type_parameters(library, found)
    text = _render(found, members, own, variables, direction=direction)
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
    found = _read(library, library.follow(module, class_name))
    if found is None or not isinstance(found.node, ast.ClassDef):
        raise _refused(spelled, f"there is no class {class_name} in {module_name}", "")
    return _Class(found.module, found.node)


def _members(library: Library, found: _Class, own: OwnName) -> Iterator[Member]:
    """Public members, inherited ones after the class's own; each in the module that declares it."""
    seen: set[str] = set()
    for ancestor in _ancestors(library, found, set()):
        declared: set[str] = set()
        bindings = list(class_bindings(ancestor.module, ancestor.node))
        meant = _read(library, library.follow(ancestor.module, own.name))
        place = Place(
            ancestor.module,
            own if meant and meant.node is found.node else None,
            ancestor.arguments,
            frozen=_is_frozen(ancestor.node),
        )
        overloaded = {one.name for one in bindings if _is_overload(one.node)}
        for binding in bindings:
            if not is_public(binding.name) or binding.name in seen:
                continue
            if binding.name in overloaded and not _is_overload(binding.node):
                continue  # the implementation behind overloads is no part of the interface
            if binding.name in declared and not _adds_to(binding.node):
                continue  # the other branch of a condition
            member = copy_member(binding.node, place)
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
            if found.module.standard and target is base:
                definition = _read(library, definition)  # arguments would have to be put in
            if isinstance(definition, Definition) and isinstance(definition.node, ast.ClassDef):
                inherited = _Class(definition.module, definition.node)
                arguments = _arguments(library, found, base, inherited)
                yield from _ancestors(library, replace(inherited, arguments=arguments), seen)


def _arguments(
    library: Library, found: _Class, base: ast.expr, inherited: _Class
) -> dict[str, str]:
    """What the type variables of a base stand for; `Any` for what takes more than a plain name."""
    known = {*_type_parameters(library, found), *dir(builtins)}
    given = base.slice if isinstance(base, ast.Subscript) else None
    elements = given.elts if isinstance(given, ast.Tuple) else [given]
    names = [one.id if isinstance(one, ast.Name) and one.id in known else "Any" for one in elements]
    parameters = _type_parameters(library, inherited)
    filled = zip_longest(parameters, names[: len(parameters)], fillvalue="Any")
    return {name: found.arguments.get(argument, argument) for name, argument in filled}


def _is_frozen(node: ast.ClassDef) -> bool:
    """Whether the attributes of a class cannot be set: a frozen dataclass, a named tuple."""
    return any(last_word(base) == "NamedTuple" for base in node.bases) or any(
        last_word(decorator) == "frozen"
        or (
            isinstance(decorator, ast.Call)
            and any(
                one.arg == "frozen" and getattr(one.value, "value", False) is True
                for one in decorator.keywords
            )
        )
        for decorator in node.decorator_list
    )


def _adds_to(node: ast.stmt) -> bool:
    """Whether a statement belongs to an earlier one of the same name."""
    words = {last_word(one) for one in getattr(node, "decorator_list", [])}
    return bool(words & {"overload", "setter", "deleter"})


def _is_overload(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and any(
        ast.unparse(decorator).endswith("overload") for decorator in node.decorator_list
    )


def _render(
    found: _Class,
    members: list[Member],
    own: OwnName,
    variables: Mapping[str, Definition],
    *,
    direction: Direction,
) -> str:
    protocol = own.protocol
    again = {
        name: one
        for name, one in variables.items()
        if one.module.is_stub and name.startswith("_")  # nothing can be imported by that name
    }
    imports = Imports(own=frozenset({protocol, own.real, *again}))
    imports.add("typing", "Protocol")
    imports.add("vcr_gen.boundary", direction)
    imports.need(found.module, variables)
    for variable in again.values():
        imports.add("typing", last_word(_call(variable)))
    for member in members:
        imports.need(member.module, sorted(member.needs))
        for module, name in sorted(member.ours):
            imports.add(module, name)
    if any(own.real in member.needs for member in members):
        imports.add(
            found.module.name, own.name if own.real == own.name else f"{own.name} as {own.real}"
        )
    base = f"Protocol[{', '.join(variables)}]" if variables else "Protocol"
    lazy = any(member.module.lazy_annotations for member in members) or bool(imports.checking)
    doc = docstring_of(found.node)
    bodies = [member.text for member in members]
    if doc:
        quoted = ast.Constant(f"{doc}\n" if "\n" in doc else doc)
        bodies.insert(0, ast.unparse(ast.Module([ast.Expr(quoted)], [])))
    parts = [
        f'"""The boundary `{protocol}`, taken from `{found.module.name}.{found.node.name}`."""\n',
        "from __future__ import annotations\n" if lazy else "",
        imports.render(),
        "\n".join(("", *(_declared_again(*one) for one in again.items()))) if again else "",
        f"\n\n@{direction}\nclass {protocol}({base}):",
        _indented("\n\n".join(bodies)),
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _type_parameters(library: Library, found: _Class) -> dict[str, Definition]:
    """The type variables of a class: those of `Generic[...]`, or else of its other bases."""
    bases = [base for base in found.node.bases if isinstance(base, ast.Subscript)]
    generic = [base for base in bases if last_word(base.value) in {"Generic", "Protocol"}]
    variables: dict[str, Definition] = {}
    for base in generic or bases:
        for name in names_in(base.slice):
            definition = _read(library, library.follow(found.module, name))
            if definition is not None and is_type_variable(definition.node):
                variables[name] = definition
    return variables


def _read(library: Library, found: Definition | Unread | None) -> Definition | None:
    """The definition, also in a stub of the standard library."""
    return library.read_standard(found) if isinstance(found, Unread) else found


def _declared_again(name: str, variable: Definition) -> str:
    """A variable that only a stub has; what it is bound to may be there only too, so it goes."""
    call = _call(variable)
    kept = [one for one in call.keywords if one.arg in {"covariant", "contravariant"}]
    return f"{name} = {ast.unparse(ast.Call(call.func, [ast.Constant(name)], kept))}"


def _call(variable: Definition) -> ast.Call:
    assert isinstance(variable.node, ast.Assign)
    assert isinstance(variable.node.value, ast.Call)
    return variable.node.value


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else line for line in text.split("\n"))


def _refused(spelled: str, message: str, hint: str) -> RefusedError:
    return RefusedError([Diagnostic(spelled, 0, 0, "VCR411", message, hint)])
