"""Which version of vcr-gen this is, and whether it is the one a project pins."""

import re
from typing import Final

_CLAUSE = re.compile(r"^(==|!=|>=|<=|>|<|~=)?\s*(\d+(?:\.\d+)*)$")


def installed_version(distribution: str = "vcr-gen") -> str:
    """The installed version of a distribution, or the empty string when it is not installed."""
    # Imported here: it is slow to import, and `--help` does not need it.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


def is_specifier(specifier: str) -> bool:
    """Whether this is a list of clauses such as `>=0.1,<0.3`, or a plain version."""
    return all(_CLAUSE.match(clause.strip()) for clause in specifier.split(","))


def satisfies(actual: str, specifier: str) -> bool:
    """Whether a version meets every clause; a plain version means exactly that one."""
    return all(_meets(_release(actual), clause.strip()) for clause in specifier.split(","))


def lowest_python(constraint: str) -> tuple[int, int] | None:
    """The lowest Python 3 that a constraint allows; None where it names no lower bound.

    Both the clauses of `requires-python` (`>=3.12,<4`) and those of Poetry (`^3.12`, `~3.12`,
    `3.12.* || 3.14`) are known.
    """
    bounds = [_lower_bound(alternative) for alternative in constraint.split("||")]
    known = [bound for bound in bounds if bound is not None]
    return min(known) if len(known) == len(bounds) else None


def _lower_bound(clauses: str) -> tuple[int, int] | None:
    found = re.findall(r"(<=?|!=)?\s*\b3\.(\d+)", clauses)
    return max(((3, int(minor)) for other, minor in found if not other), default=None)


_WIDTH: Final = 4


def _release(text: str) -> tuple[int, ...]:
    numbers = [int(part) for part in re.findall(r"\d+", re.split(r"[a-z+]", text, maxsplit=1)[0])]
    return tuple((numbers + [0] * _WIDTH)[:_WIDTH])


def _meets(actual: tuple[int, ...], clause: str) -> bool:
    match = _CLAUSE.match(clause)
    if match is None:
        return False
    wanted = _release(match[2])
    same_series = match[2].count(".")
    return {
        "==": actual == wanted,
        "!=": actual != wanted,
        ">=": actual >= wanted,
        "<=": actual <= wanted,
        ">": actual > wanted,
        "<": actual < wanted,
        "~=": actual >= wanted and actual[:same_series] == wanted[:same_series],
    }[match[1] or "=="]
