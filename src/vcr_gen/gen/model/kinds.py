"""Kinds of names, for reading and for writing."""

from enum import IntEnum
from typing import Literal, TypeAlias

__all__ = ["TypeParameterKind", "When"]

TypeParameterKind: TypeAlias = Literal["TypeVar", "ParamSpec", "TypeVarTuple"]


class When(IntEnum):
    """Whether a name exists when the program runs."""

    ALWAYS = 0
    MAYBE = 1
    """Bound in a `try` or under a condition that only the run decides."""
    CHECKING = 2
    """Bound for type checkers only."""
    NEVER = 3
    """Bound in a stub, or in a branch that only one type checker believes in."""
