"""Turns the bodies of a Protocol and its bases into members of the model."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from vcr_gen.gen.model.annotation import Subscript, Tuple, full_name, unquoted
from vcr_gen.gen.model.boundary_model import Member, Signature
from vcr_gen.gen.protocols.attributes import annotated_attribute, assigned_attribute
from vcr_gen.gen.protocols.declarations import Declared, MemberPlace, declarations
from vcr_gen.gen.protocols.function_members import constructors, function_member
from vcr_gen.gen.protocols.mro import Ancestor, class_scope
from vcr_gen.gen.protocols.problems import Problems, RefusedMemberError
from vcr_gen.gen.protocols.signatures import mangled
from vcr_gen.gen.sources.loader import SourceLoader
from vcr_gen.gen.sources.modules import Module
from vcr_gen.gen.sources.syntax import all_parameters, is_function
from vcr_gen.gen.types.scope import Scope

_NOT_MEMBERS: Final = frozenset(
    {
        "__abstractmethods__",
        "__annotate__",
        "__annotate_func__",
        "__annotations__",
        "__annotations_cache__",
        "__class_getitem__",
        "__dict__",
        "__doc__",
        "__firstlineno__",
        "__init__",
        "__init_subclass__",
        "__module__",
        "__new__",
        "__slots__",
        "__static_attributes__",
        "__subclasshook__",
        "__weakref__",
    }
)
"""Attributes that every class has, declared or not."""
_RESERVED: Final = frozenset({"__class__", "__del__", "__getattribute__", "__qualname__"})
_DICTS: Final = frozenset({"builtins.dict", "typing.Dict"})


@dataclass(frozen=True)
class Members:
    """All members of a Protocol, and its constructor."""

    members: tuple[Member, ...]
    constructors: tuple[Signature, ...]


def read_members(
    loader: SourceLoader,
    ancestors: Sequence[Ancestor],
    problems: Problems,
    unresolved: list[tuple[Module, ast.Name]],
) -> Members:
    """Every member; the most derived declaration wins."""
    found: dict[str, Member] = {}
    initial: tuple[Signature, ...] = ()
    for ancestor in ancestors:
        scope = class_scope(loader, ancestor.definition, unresolved)
        body = declarations(ancestor, MemberPlace(scope, ancestor.arguments))
        for name, declared in body.items():
            try:
                _refuse_unusual(declared)
                if name == "__init__":
                    initial = initial or constructors(declared, ancestors)
                elif name not in _NOT_MEMBERS and name not in found:
                    found[name] = _member(declared, body, ancestors)
            except RefusedMemberError as error:
                problems.report(
                    error.code, error.message, error.hint, module=scope.module, node=error.node
                )
    _refuse_dataclasses(loader, ancestors, problems)
    return Members(tuple(found.values()), initial)


def _member(
    declared: Declared, body: Mapping[str, Declared], ancestors: Sequence[Ancestor]
) -> Member:
    first = declared.nodes[0]
    if is_function(first):
        return function_member(declared, ancestors)
    match first:
        case ast.AnnAssign(annotation=annotation):
            if declared.place.scope.name_of(annotation) != "typing.TypeAlias":
                return annotated_attribute(declared, first)
        case ast.Assign(value=value):
            method = body.get(value.id) if isinstance(value, ast.Name) else None
            if method is not None and method.nodes[0].lineno < first.lineno:  # `close = quit`
                return replace(_member(method, body, ancestors), name=declared.name)
            if not declared.place.scope.module.parsed.is_type_statement(first):
                return assigned_attribute(declared, first)
    raise RefusedMemberError(
        "VCR207",
        f"{declared} is a type in the body of a Protocol, and so a member that every "
        "implementation needs",
        "define the type outside of the Protocol",
        first,
    )


def _refuse_unusual(declared: Declared) -> None:
    """Refuse members that Python itself needs on every object or class, and private ones."""
    first = declared.nodes[0]
    if _is_reserved(declared):
        raise RefusedMemberError(
            "VCR205",
            f"{declared} cannot be wrapped: Python itself uses it",
            "leave it out of the Protocol",
            first,
        )
    if mangled(declared.name, declared.place.class_name) != declared.name:
        raise RefusedMemberError(
            "VCR207",
            f"{declared} is private to its class: Python mangles the name",
            "use a name with one underscore",
            first,
        )


def _is_reserved(declared: Declared) -> bool:
    """Whether a wrapper that answered for the real object would not work, or cannot be defined."""
    if declared.name in {"__new__", "__init_subclass__"}:
        functions = filter(is_function, declared.nodes)
        return any(len(all_parameters(node.args)) > 1 for node in functions)
    first = declared.nodes[0]
    if declared.name in {"__dict__", "__annotations__"} and isinstance(first, ast.AnnAssign):
        match unquoted(declared.place.typed(first.annotation)):
            case Subscript(value=kind, inner=Tuple(elements=(key, value))):
                found = [full_name(part) for part in (kind, key, value)]
                return found[1:] != ["builtins.str", "typing.Any"] or found[0] not in _DICTS
        return True
    return declared.name in _RESERVED


def _refuse_dataclasses(
    loader: SourceLoader, ancestors: Sequence[Ancestor], problems: Problems
) -> None:
    """`@dataclass` gives a Protocol members that only another dataclass can have."""
    for ancestor in ancestors:
        scope = Scope(loader, ancestor.definition.module)
        for decorator in ancestor.node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if scope.name_of(called) == "dataclasses.dataclass":
                problems.report(
                    "VCR206",
                    f"`{ancestor.node.name}` is a dataclass, and a wrapper cannot be one",
                    "remove `@dataclass` from the Protocol; its attributes are members anyway",
                    module=ancestor.definition.module,
                    node=ancestor.node,
                )
