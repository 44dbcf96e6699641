"""Spells the type parameters of generic classes: in `Generic[...]`, or in PEP 695 brackets."""

from collections.abc import Iterable

from vcr_gen.gen.model.boundaries import TypeVariable
from vcr_gen.gen.wrappers.layout import Nest
from vcr_gen.gen.wrappers.names import Names

__all__ = ["brackets_of", "generic_argument", "generic_header"]


def generic_header(
    names: Names, name: str, variables: list[TypeVariable], *, base: str = ""
) -> Nest:
    """`class Name(base, Generic[T]):`, or with PEP 695 brackets."""
    if any(variable.reference.kind == "parameter" for variable in variables):
        tail = f"({base}):" if base else ":"
        return Nest(f"class {name}{brackets_of(names, variables)}{tail}", (), "")
    bases = [base] if base else []
    if variables:
        shown = ", ".join(generic_argument(names, variable) for variable in variables)
        bases.append(f"{names.own('typing', 'Generic')}[{shown}]")
    if not bases:
        return Nest(f"class {name}:", (), "")
    return Nest(f"class {name}(", tuple(bases), "):")


def brackets_of(names: Names, variables: Iterable[TypeVariable]) -> str:
    """`[T, *Ts]`, as PEP 695 declares type parameters."""
    return f"[{', '.join(_bracket(names, variable) for variable in variables)}]"


def generic_argument(names: Names, variable: TypeVariable) -> str:
    """A type variable in `Generic[...]` or after the name of a generic class."""
    name = names.name(variable.reference, evaluated=True)
    return f"*{name}" if variable.kind == "TypeVarTuple" else name


def _bracket(names: Names, variable: TypeVariable) -> str:
    stars = {"TypeVar": "", "TypeVarTuple": "*", "ParamSpec": "**"}[variable.kind]
    shown = f"{stars}{names.name(variable.reference)}"
    if variable.bound is not None:
        shown += f": {names.spell(variable.bound)}"
    elif variable.arguments:
        constraints = ", ".join(names.spell(argument) for argument in variable.arguments)
        shown += f": ({constraints})"
    if variable.default is not None:
        shown += f" = {names.spell(variable.default)}"
    return shown
