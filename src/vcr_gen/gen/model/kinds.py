"""The words with which both halves, reading and writing, tell what kind of thing a name is."""

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
    """Said in a stub, or in a branch that one type checker alone believes in."""
