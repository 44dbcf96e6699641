"""The type variables of an extracted Protocol: declared anew, since those of others are private."""

import ast
import builtins
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final, Literal, TypeAlias

from vcr_gen.gen.extract.imports import names_in
from vcr_gen.gen.extract.own_name import is_type_variable, last_word
from vcr_gen.gen.model.kinds import TypeParameterKind
from vcr_gen.gen.sources.library import Definition, Library, Unread
from vcr_gen.gen.sources.modules import Module
from vcr_gen.gen.sources.syntax import TypeParameter

__all__ = [
    "Variable",
    "Variables",
    "Variance",
    "bracketed",
    "class_variables",
    "declared",
    "read",
    "variable_of",
]

Variance: TypeAlias = Literal["invariant", "covariant", "contravariant"]

_KINDS: Final[dict[str, TypeParameterKind]] = {
    "TypeVar": "TypeVar",
    "ParamSpec": "ParamSpec",
    "TypeVarTuple": "TypeVarTuple",
}
_ENDINGS: Final = {"invariant": "", "covariant": "_co", "contravariant": "_contra"}
_TYPINGS: Final = frozenset({"typing", "typing_extensions"})


@dataclass(frozen=True, slots=True)
class Variable:
    """A type variable as its module declares it."""

    name: str
    kind: TypeParameterKind
    module: Module
    constraints: tuple[ast.expr, ...] = ()
    bound: ast.expr | None = None
    variance: Variance = "invariant"
    defaulted: bool = False
    """Whether it stands for something where nothing is said."""

    @property
    def said(self) -> tuple[str, ...]:
        """What the declaration says, besides the name."""
        limits = (*self.constraints, *([self.bound] if self.bound else ()))
        return (self.kind, self.variance, str(len(self.constraints)), *map(ast.unparse, limits))

    @property
    def is_everybodys(self) -> bool:
        """Whether it is there to be imported: `AnyStr`."""
        return self.module.name in _TYPINGS and self.name == "AnyStr"

    def used_as(self, variance: Variance) -> "Variable":
        """The variable as a Protocol must declare it, named by its variance as usual."""
        if variance == self.variance or self.kind != "TypeVar":
            return self
        stem = self.name.removesuffix("_co").removesuffix("_contra")
        return replace(self, name=f"{stem}{_ENDINGS[variance]}", variance=variance)

    def limited(self, change: Callable[[ast.expr], ast.expr]) -> "Variable":
        """The variable with other limits."""
        return replace(
            self,
            constraints=tuple(change(deepcopy(one)) for one in self.constraints),
            bound=None if self.bound is None else change(deepcopy(self.bound)),
        )

    def declaration(self, name: str) -> str:
        """The statement that declares it; what limits it may be there for checkers only."""
        said = [repr(name), *map(_quoted, self.constraints)]
        if self.bound is not None:
            said.append(f"bound={_quoted(self.bound)}")
        if self.variance != "invariant":
            said.append(f"{self.variance}=True")
        return f"{name} = {self.kind}({', '.join(said)})"

    def needs(self) -> Iterator[str]:
        """The names of its module that the declaration uses."""
        for limit in (*self.constraints, *([self.bound] if self.bound else ())):
            yield from names_in(limit)


@dataclass(slots=True)
class Variables:
    """The names of the type variables in one Protocol; two of the same name are kept apart."""

    named: dict[str, Variable] = field(default_factory=dict)

    def name_for(self, variable: Variable) -> str:
        """The name that the variable has in the Protocol's module."""
        for number in count(1):
            name = variable.name if number == 1 else f"{variable.name}{number}"
            if self.named.setdefault(name, variable).said == variable.said:
                return name
        raise AssertionError("numbers do not end")


def read(library: Library, found: Definition | Unread | None) -> Definition | None:
    """The definition, also in a stub of the standard library."""
    return library.read_standard(found) if isinstance(found, Unread) else found


def variable_of(library: Library, module: Module, name: str) -> Variable | None:
    """The type variable that a name of a module stands for."""
    found = read(library, library.follow(module, name))
    return None if found is None else declared(found.node, name, found.module)


def declared(node: ast.stmt, name: str, module: Module) -> Variable | None:
    """The type variable that a statement declares, if it does."""
    if not is_type_variable(node):
        return None
    call = getattr(node, "value", None)
    assert isinstance(call, ast.Call)
    keywords = {one.arg: one.value for one in call.keywords}
    variance: Variance = "invariant"
    if getattr(keywords.get("covariant"), "value", False):
        variance = "covariant"
    elif getattr(keywords.get("contravariant"), "value", False):
        variance = "contravariant"
    return Variable(
        name,
        _KINDS[last_word(call)],
        module,
        constraints=tuple(call.args[1:]),
        bound=keywords.get("bound"),
        variance=variance,
        defaulted="default" in keywords,
    )


def bracketed(parameter: TypeParameter, module: Module) -> Variable:
    """A type parameter in the brackets of `class A[T]` or `def f[T]`."""
    variable = Variable(
        parameter.name, parameter.kind, module, defaulted=parameter.default is not None
    )
    if isinstance(parameter.bound, ast.Tuple):
        return replace(variable, constraints=tuple(parameter.bound.elts))
    return replace(variable, bound=parameter.bound)


def class_variables(library: Library, module: Module, node: ast.ClassDef) -> dict[str, Variable]:
    """The variables of a class: in brackets, of `Generic[...]`, or else of its other bases."""
    brackets = module.parsed.type_parameters(node)
    if brackets:
        return {one.name: bracketed(one, module) for one in brackets}
    bases = [base for base in node.bases if isinstance(base, ast.Subscript)]
    generic = [base for base in bases if last_word(base.value) in {"Generic", "Protocol"}]
    found: dict[str, Variable] = {}
    for base in generic or bases:
        for name in names_in(base.slice):
            variable = variable_of(library, module, name)
            if variable is not None:
                found[name] = variable
    return found


def _quoted(limit: ast.expr) -> str:
    """A bound or constraint; as a string where it is more than a plain type of Python."""
    plain = isinstance(limit, ast.Name) and hasattr(builtins, limit.id)
    if plain or isinstance(limit, ast.Constant):
        return ast.unparse(limit)
    return repr(ast.unparse(limit))
