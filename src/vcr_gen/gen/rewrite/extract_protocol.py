"""Takes a Protocol from an existing class: the class's own text, without bodies and values."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from typing import Final, cast

import libcst as cst

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.rewrite.copy_member import (
    LeftOutError,
    Member,
    Owner,
    Statement,
    copy_member,
    in_brackets,
)
from vcr_gen.gen.rewrite.find_class import find_class, open_loader, refusal, type_variables
from vcr_gen.gen.rewrite.new_module import NewModule, respell
from vcr_gen.gen.settings.config import Config, Direction
from vcr_gen.gen.sources.modules import class_bindings
from vcr_gen.gen.sources.syntax import own_nodes

_DUNDERS: Final = {
    f"__{name}__"
    for name in (
        *("call", "enter", "exit", "aenter", "aexit", "iter", "next", "aiter", "anext", "await"),
        *("len", "getitem", "setitem", "delitem", "contains", "reversed"),
    )
}
_SEVERAL: Final = ("overload", ".setter", ".deleter")
"""How the decorators end of statements that share a name with others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """A Protocol made from a class."""

    text: str
    """The new module, not formatted yet."""
    left_out: tuple[Diagnostic, ...]
    """Public members that the Protocol lacks, and why."""


def extract(config: Config, spelled: str, *, name: str | None, direction: Direction) -> Extracted:
    """The Protocol for the class spelled `package.module:Class`; reads source only."""
    if name is not None and (not name.isidentifier() or iskeyword(name)):
        raise refusal("--name", f"no class can be called {name!r}", "use a valid Python name")
    loader = open_loader(config)
    found = find_class(config, loader, spelled)
    new = NewModule(loader, name or found.qualname)
    owner = Owner(loader, new, found, found, in_brackets(found.module, found.node))
    lineage = owner.lineage()
    members: list[tuple[str, Statement]] = []
    left_out: dict[str, Diagnostic] = {}
    for member, node, origin in _public_members(lineage):
        try:
            members.append((member, copy_member(node, origin)))
        except LeftOutError as error:
            place = config.display(origin.definition.module.path), node.lineno, node.col_offset + 1
            message = f"`{origin.node.name}.{member}` is left out: {error.reason}"
            problem = Diagnostic(*place, error.code, message, "declare it by hand")
            left_out.setdefault(member, problem)
    used = new.builtins.union(new.taken)
    members.sort(key=lambda member: member[0] in used)  # below `def list`, that is the list
    statements = [statement for member, statement in members if member not in left_out]
    if not statements:
        place = config.display(found.module.path), found.node.lineno, found.node.col_offset + 1
        message = f"class {found.qualname} has no public method, property or annotated attribute"
        raise RefusedError([Diagnostic(*place, "VCR412", message, ""), *left_out.values()])
    lazy = any(ancestor.definition.module.lazy_annotations for ancestor in lineage)
    text = _module(owner, statements, direction, lazy=lazy)
    return Extracted(text=text, left_out=tuple(left_out.values()))


def _public_members(lineage: Sequence[Owner]) -> Iterator[tuple[str, Member, Owner]]:
    """The public members of a class, the inherited ones last."""
    seen: set[str] = set()
    for owner in lineage:
        bindings = class_bindings(owner.definition.module, owner.node)
        found = [(binding.name, binding.node) for binding in bindings]
        overloaded = {name for name, node in found if _is_decorated(node, "overload")}
        declared: set[str] = set()
        for name, node in [*_annotated_in_init(owner.node), *found]:
            if not isinstance(node, Member) or name in seen:
                continue
            is_public = not name.startswith("_") or name in _DUNDERS
            is_hidden = name in overloaded and not _is_decorated(node, "overload")
            is_second = name in declared and not _is_decorated(node, *_SEVERAL)  # of two branches
            if is_public and not is_hidden and not is_second:
                declared.add(name)
                yield name, node, owner
        seen |= declared


def _is_decorated(node: ast.stmt, *endings: str) -> bool:
    decorators = getattr(node, "decorator_list", [])
    return any(ast.unparse(decorator).endswith(endings) for decorator in decorators)


def _annotated_in_init(node: ast.ClassDef) -> Iterator[tuple[str, ast.AnnAssign]]:
    """The attributes that `__init__` annotates: `self.size: int = 0`."""
    for function in node.body:
        if isinstance(function, ast.FunctionDef) and function.name == "__init__":
            receiver = function.args.args[0].arg if function.args.args else ""
            found = [node for node in own_nodes(function.body) if isinstance(node, ast.AnnAssign)]
            for inner in sorted(found, key=lambda inner: inner.lineno):
                match inner.target:
                    case ast.Attribute(ast.Name(id=name), attribute) if name == receiver:
                        yield attribute, inner


def _module(owner: Owner, members: list[Statement], direction: Direction, *, lazy: bool) -> str:
    """The text of the new module."""
    new, found = owner.new, owner.definition
    mark, base = new.add("vcr_gen.boundary", direction), new.add("typing", "Protocol")
    original = cast("cst.ClassDef", owner.statements[owner.node.lineno])
    variables = type_variables(owner.loader, found)
    brackets = original.type_parameters
    if variables and brackets is None:
        names = [name for name in map(owner.spell, variables) if name not in {"Any", "..."}]
        base += f"[{', '.join(names)}]" if names else ""
    empty = cst.parse_statement(f"@{mark}\nclass {new.protocol}({base}): ...")
    if ast.get_docstring(owner.node) is not None:
        members = [owner.statements[owner.node.body[0].lineno], *members]
    protocol = empty.with_changes(
        type_parameters=brackets and respell(brackets, owner.spell),
        body=cst.IndentedBlock([*_spaced(members)]),
    )
    origin = f"{found.module.name}.{found.qualname}"
    title = f'"""The boundary `{new.protocol}`, taken from `{origin}`."""'
    return "\n\n".join([title, *new.header(lazy=lazy), "", cst.Module([protocol]).code])


def _spaced(members: Sequence[Statement]) -> Iterator[Statement]:
    """Members with their comments, and a blank line around each function."""
    before: Statement | None = None
    for member in members:
        lines = [line for line in member.leading_lines if line.comment]
        if before and (isinstance(member, cst.FunctionDef) or isinstance(before, cst.FunctionDef)):
            lines.insert(0, cst.EmptyLine(indent=False))
        before = member
        yield member.with_changes(leading_lines=lines)
