"""Makes an annotated Protocol from an existing class, so that one can start without Protocols."""

import ast
import builtins
import linecache
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path

from vcr_gen.gen.conditions import Target
from vcr_gen.gen.config import Config, Direction
from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.extract_decorators import LeftOut
from vcr_gen.gen.extract_generics import any_arguments, completed
from vcr_gen.gen.extract_imports import Imports
from vcr_gen.gen.extract_members import Member, Place, copy_member, is_public
from vcr_gen.gen.extract_own_name import OwnName, last_word
from vcr_gen.gen.extract_variables import Variables, class_variables, read
from vcr_gen.gen.extract_variance import variances
from vcr_gen.gen.library import Definition, Library
from vcr_gen.gen.modules import Binding, Module, class_bindings
from vcr_gen.gen.scopes import Scope, parsed_string
from vcr_gen.gen.syntax import Function, docstring_of

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


@dataclass(frozen=True, slots=True)
class _Class:
    """A class that was found, with the module that holds it."""

    module: Module
    node: ast.ClassDef
    arguments: Mapping[str, str] = field(default_factory=dict)
    """What its type variables stand for in the class that is extracted."""


@dataclass(frozen=True, slots=True)
class _Contents:
    """What a Protocol holds."""

    members: tuple[Member, ...]
    missing: tuple[tuple[_Class, ast.stmt, LeftOut], ...]
    variables: Variables
    parameters: tuple[str, ...] = ()
    """Those of the variables that the Protocol itself has."""

    def left_out(self, config: Config) -> tuple[Diagnostic, ...]:
        """What to tell about the members that it lacks."""
        return tuple(
            Diagnostic(
                config.display(owner.module.path),
                node.lineno,
                node.col_offset + 1,
                why.code,
                f"`{owner.node.name}.{getattr(node, 'name', '')}` is left out: {why.reason}",
                why.hint,
            )
            for owner, node, why in self.missing
        )


def extract(config: Config, spelled: str, *, name: str | None, direction: Direction) -> Extracted:
    """The Protocol for the class spelled `package.module:Class`; reads source only."""
    library = Library(
        config.sources, config.search_path, Target(config.target_version, config.platform)
    )
    found = _find(config, library, spelled)
    brackets = any_arguments(class_variables(library, found.module, found.node))
    own = OwnName(found.node.name, name or found.node.name, brackets)
    contents = _contents(library, found, own)
    if not contents.members:
        place = config.display(found.module.path), found.node.lineno, found.node.col_offset + 1
        message = f"class {found.node.name} has no public method, property or annotated attribute"
        raise RefusedError([Diagnostic(*place, "VCR412", message, ""), *contents.left_out(config)])
    text = _render(library, found, contents, own, direction=direction)
    return Extracted(
        text=text.encode(errors="backslashreplace").decode(),  # half a character, in a default
        source=found.module.path,
        members=len(contents.members),
        left_out=contents.left_out(config),
    )


def _contents(library: Library, found: _Class, own: OwnName) -> _Contents:
    """What the Protocol holds; its variables get the variance that its members demand."""
    scope = Scope(library, found.module)
    given = {
        name: one.limited(lambda limit: own.taken(completed(limit, scope)))
        for name, one in class_variables(library, found.module, found.node).items()
    }
    as_they_are = replace(found, arguments={name: name for name in given})
    contents = _read_members(library, as_they_are, own, Variables(dict(given)))
    demanded = variances(library, contents.members, given, own)
    variables = Variables()
    renamed = {name: variables.name_for(one.used_as(demanded[name])) for name, one in given.items()}
    contents = _read_members(library, replace(found, arguments=renamed), own, variables)
    return replace(contents, parameters=tuple(renamed.values()))


def _find(config: Config, library: Library, spelled: str) -> _Class:
    module_name, colon, class_name = spelled.partition(":")
    if not colon or not class_name:
        raise _refused(spelled, "expected `package.module:Class`", "put a colon before the class")
    module = library.module(module_name)
    if module is None:
        _refuse_broken(config, library, module_name)
        where = ", ".join(config.display(path) for path in config.sources)
        hint = f"looked in {where} and in the installed packages"
        raise _refused(spelled, f"there is no module {module_name} that can be read", hint)
    found = read(library, library.follow(module, class_name))
    if found is None or not isinstance(found.node, ast.ClassDef):
        raise _refused(spelled, f"there is no class {class_name} in {module_name}", "")
    return _Class(found.module, found.node)


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


def _read_members(library: Library, found: _Class, own: OwnName, variables: Variables) -> _Contents:
    """Public members, inherited ones after the class's own; each in the module that declares it."""
    members: list[Member] = []
    missing: list[tuple[_Class, ast.stmt, LeftOut]] = []
    seen: set[str] = set()
    assigned: set[str] = set()
    for ancestor in _ancestors(library, found, set()):
        declared: set[str] = set()
        meant = read(library, library.follow(ancestor.module, own.name))
        place = Place(
            library,
            ancestor.module,
            ancestor.node,
            own,
            known=meant is not None and meant.node is found.node,
            extracted=ancestor.node is found.node,
            variables=variables,
            arguments=ancestor.arguments,
            frozen=_is_frozen(ancestor.node),
            assigned=frozenset(assigned),
        )
        for binding in _interface(ancestor):
            if binding.name in seen or (binding.name in declared and not _adds_to(binding.node)):
                continue  # the other branch of a condition
            member = copy_member(binding.node, place)
            if isinstance(member, Member):
                members.append(member)
            elif member is not None:
                missing.append((ancestor, binding.node, member))
            if member is not None:
                declared.add(binding.name)
        seen |= declared
        assigned |= {
            one.name
            for one in class_bindings(ancestor.module, ancestor.node)
            if isinstance(one.node, ast.Assign)
        }
    used = {name for member in members for name in member.needs}
    members.sort(key=lambda one: one.name in used)  # below it, `def list` hides the type
    return _Contents(tuple(members), tuple(missing), variables)


def _interface(found: _Class) -> Iterator[Binding]:
    """The public statements of a class; what stands behind overloads is no part of them.

    Neither are overloads for some arguments of the class only (`self: IO[bytes]`), where there are
    others: once the arguments are filled in, they say the same twice. Nor those that a checker is
    told to overlook.
    """
    bindings = [one for one in class_bindings(found.module, found.node) if is_public(one.name)]
    overloads: dict[str, list[ast.stmt]] = {}
    for binding in bindings:
        if _is_overload(binding.node):
            overloads.setdefault(binding.name, []).append(binding.node)
    for name, nodes in overloads.items():
        overloads[name] = [
            one for one in nodes if not (_is_for_some(one) or _is_overlooked(one, found.module))
        ] or nodes
    for binding in bindings:
        kept = overloads.get(binding.name)
        if kept is None:
            yield binding
        elif kept == [binding.node]:
            yield replace(binding, node=_without_overload(binding.node))
        elif binding.node in kept:
            yield binding


def _is_for_some(node: ast.stmt) -> bool:
    """Whether the receiver of a method is annotated with arguments: `self: IO[bytes]`."""
    if not isinstance(node, Function):
        return False
    receiver = next(iter([*node.args.posonlyargs, *node.args.args]), None)
    annotation = receiver.annotation if receiver else None
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = parsed_string(annotation.value)
    return isinstance(annotation, ast.Subscript) and last_word(annotation.value) not in {
        "type",
        "Type",
    }


def _is_overlooked(node: ast.stmt, module: Module) -> bool:
    """Whether a comment lets an overload overlap with another one."""
    lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    said = [linecache.getline(str(module.path), line) for line in lines]
    return any("type: ignore" in line and "overlap" in line for line in said)


def _without_overload(node: ast.stmt) -> ast.stmt:
    alone = copy(node)
    assert isinstance(alone, Function)
    alone.decorator_list = [one for one in alone.decorator_list if last_word(one) != "overload"]
    return alone


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
                definition = read(library, definition)  # arguments would have to be put in
            if isinstance(definition, Definition) and isinstance(definition.node, ast.ClassDef):
                inherited = _Class(definition.module, definition.node)
                arguments = _arguments(library, found, base, inherited)
                yield from _ancestors(library, replace(inherited, arguments=arguments), seen)


def _arguments(
    library: Library, found: _Class, base: ast.expr, inherited: _Class
) -> dict[str, str]:
    """What the type variables of a base stand for; `Any` for what takes more than a plain name."""
    known = {*class_variables(library, found.module, found.node), *dir(builtins)}
    given = base.slice if isinstance(base, ast.Subscript) else None
    elements = given.elts if isinstance(given, ast.Tuple) else [given]
    names = [one.id if isinstance(one, ast.Name) and one.id in known else "Any" for one in elements]
    parameters = class_variables(library, inherited.module, inherited.node)
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
    library: Library, found: _Class, contents: _Contents, own: OwnName, *, direction: Direction
) -> str:
    protocol, members = own.protocol, contents.members
    used = {*contents.parameters, *(name for member in members for name in member.needs)}
    variables = {
        name: one
        for name, one in sorted(contents.variables.named.items())
        if name in used and not one.is_everybodys
    }
    imports = Imports(library, own=frozenset({protocol, own.real, *variables}))
    imports.add("typing", "Protocol")
    imports.add("vcr_gen.boundary", direction)
    for variable in variables.values():
        imports.add("typing", variable.kind)
        imports.need(variable.module, sorted(set(variable.needs())))
    for member in members:
        imports.need(member.module, sorted(member.needs))
        for module, name in sorted(member.ours):
            imports.add(module, name)
    limits = (name for one in variables.values() for name in one.needs())
    if own.real in {*limits, *(name for member in members for name in member.needs)}:
        imports.add(
            found.module.name, own.name if own.real == own.name else f"{own.name} as {own.real}"
        )
    declarations = [one.declaration(name) for name, one in variables.items()]
    brackets = _brackets(contents)
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
        "\n".join(("", *declarations)) if declarations else "",
        f"\n\n@{direction}\nclass {protocol}(Protocol{brackets}):",
        _indented("\n\n".join(bodies)),
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _brackets(contents: _Contents) -> str:
    named = contents.variables.named
    parameters = [
        f"*{name}" if named[name].kind == "TypeVarTuple" else name for name in contents.parameters
    ]
    return f"[{', '.join(parameters)}]" if parameters else ""


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else line for line in text.split("\n"))


def _refused(spelled: str, message: str, hint: str) -> RefusedError:
    return RefusedError([Diagnostic(spelled, 0, 0, "VCR411", message, hint)])
