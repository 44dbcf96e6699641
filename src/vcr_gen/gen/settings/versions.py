"""Which version of vcr-gen this is, and whether it is the one a project pins."""

import re
from typing import Final

__all__ = ["installed_version", "is_specifier", "satisfies"]

_CLAUSE = re.compile(r"^(==|!=|>=|<=|>|<|~=)?\s*(\d+(?:\.\d+)*)$")


def installed_version(distribution: str = "vcr-gen") -> str:
    """The installed version of a distribution, or the empty string when it is not installed."""
    # Imported here: it brings half of `email` along, and `--help` needs none of it.
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
