"""Finds how a Protocol uses its type variables: a checker insists on that variance, no other."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final

from vcr_gen.gen.extract.imports import names_in
from vcr_gen.gen.extract.members import Member
from vcr_gen.gen.extract.own_name import OwnName, last_word
from vcr_gen.gen.extract.variables import Variable, Variance, class_variables, read, variable_of
from vcr_gen.gen.sources.library import Definition, Library, Unread
from vcr_gen.gen.sources.modules import Module
from vcr_gen.gen.sources.syntax import Function
from vcr_gen.gen.types.scope import Scope, parsed_string

__all__ = ["variances"]

_OUT: Final = 1
_IN: Final = -1
_BOTH: Final = 0
_SIGNS: Final[Mapping[Variance, int]] = {
    "covariant": _OUT,
    "contravariant": _IN,
    "invariant": _BOTH,
}
_THROUGH: Final = frozenset(
    {"ClassVar", "Final", "Optional", "Tuple", "Type", "Union", "Unpack", "tuple", "type"}
)
_MOST_ALIASES: Final = 10


def variances(
    library: Library,
    members: Iterable[Member],
    given: Mapping[str, Variable],
    own: OwnName,
) -> dict[str, Variance]:
    """The variance of each variable of a class that the members of its Protocol demand."""
    wanted = frozenset(given)
    real = [_SIGNS[one.variance] for one in given.values()]
    reader = _Reader(library, wanted, own.protocol, {own.real: real})
    for member in members:
        reader.own = {name: module for module, name in member.ours}
        for annotation, sign in _annotations(ast.parse(member.text).body[0]):
            reader.look(annotation, sign, member.module)
    return {name: reader.variance(name) for name in wanted}


def _annotations(node: ast.stmt) -> Iterator[tuple[ast.expr, int]]:
    """The annotations of a member, and which way their values go."""
    if isinstance(node, ast.AnnAssign):
        yield node.annotation, _BOTH
    elif isinstance(node, Function):
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
        yield from ((one.annotation, _IN) for one in every if one.annotation is not None)
        if node.returns is not None:
            yield node.returns, _OUT


@dataclass(slots=True)
class _Reader:
    library: Library
    wanted: frozenset[str]
    protocol: str
    known: Mapping[str, list[int]] = field(default_factory=dict)
    """Which way the arguments of some classes go."""
    depth: int = _MOST_ALIASES
    own: Mapping[str, str] = field(default_factory=dict)
    """Where names come from that the members' module does not have."""
    seen: set[tuple[str, int]] = field(default_factory=set)

    def variance(self, name: str) -> Variance:
        """What was seen of a variable; one that is never used may be covariant."""
        goes_in, goes_out = (name, _IN) in self.seen, (name, _OUT) in self.seen
        if goes_in:
            return "invariant" if goes_out else "contravariant"
        return "covariant"

    def look(self, node: ast.expr, sign: int, module: Module) -> None:
        """Note the variables in an annotation whose value goes out, in, or both ways."""
        match node:
            case ast.Name(id=name) if name in self.wanted:
                signs = (_IN, _OUT) if sign == _BOTH else (sign,)
                self.seen.update((name, one) for one in signs)
            case ast.Constant(value=str(text)) if (inner := parsed_string(text)) is not None:
                self.look(inner, sign, module)
            case ast.BinOp(left=left, right=right):
                self.look(left, sign, module)
                self.look(right, sign, module)
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                for one in elements:
                    self.look(one, sign, module)
            case ast.Starred(value=value):
                self.look(value, sign, module)
            case ast.Subscript(value=value, slice=inner):
                parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                self._generic(value, parts, sign, module)

    def _generic(self, head: ast.expr, parts: list[ast.expr], sign: int, module: Module) -> None:
        word = last_word(head)
        if word in {"Literal", self.protocol}:
            return  # words; or what is to be found out
        if word in {"Annotated", "Callable"}:
            self.look(parts[0], sign if word == "Annotated" else -sign, module)
            parts = [] if word == "Annotated" else parts[1:]
        through = word in _THROUGH or word == "Callable"
        signs = [_OUT] * len(parts) if through else self._signs(head, module)
        for part, way in zip_longest(parts, signs[: len(parts)], fillvalue=_BOTH):
            if isinstance(part, ast.expr):
                self.look(part, sign * int(way), module)

    def _signs(self, head: ast.expr, module: Module) -> list[int]:
        """Which way the values go that the arguments of a generic class or alias stand for."""
        if last_word(head) in self.known:
            return self.known[last_word(head)]
        found = Scope(self.library, module).resolve(head)
        if found is None and last_word(head) in self.own:
            found = Unread(self.own[last_word(head)], last_word(head))
        definition = read(self.library, found)
        if definition is None or not self.depth:
            return []
        if isinstance(definition.node, ast.ClassDef):
            known = class_variables(self.library, definition.module, definition.node)
            return [_SIGNS[one.variance] for one in known.values()]
        return self._alias(definition)

    def _alias(self, alias: Definition) -> list[int]:
        value = getattr(alias.node, "value", None)
        if not isinstance(value, ast.expr):
            return []
        names = dict.fromkeys(
            name
            for name in names_in(value)
            if variable_of(self.library, alias.module, name) is not None
        )
        inner = _Reader(self.library, frozenset(names), self.protocol, depth=self.depth - 1)
        inner.look(value, _OUT, alias.module)
        return [_SIGNS[inner.variance(name)] for name in names]
