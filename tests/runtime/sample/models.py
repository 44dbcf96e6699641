"""What crosses the sample boundaries."""

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path


class Level(Enum):
    LOW = "low"
    HIGH = "high"


@dataclass(frozen=True)
class Step:
    name: str
    tags: tuple[str, ...] = ()
    limits: dict[str, int | None] = field(default_factory=dict)
    level: Level = Level.LOW


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    log: Path | None = None


class BoomError(Exception):
    """Its `__init__` takes something else than what `args` holds."""

    def __init__(self, code: int, *, where: str) -> None:
        super().__init__(f"boom {code} in {where}")
        self.code = code
        self.where = where


@dataclass(frozen=True)
class FrozenError(Exception):
    """Nothing can be assigned to it, its traceback included."""

    code: int


class OddError(Exception):
    """Nothing about it is unusual but its name."""
