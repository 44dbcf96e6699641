"""Compares what two schemas say of numbers, texts and lengths: no schemas within them."""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor
from typing import Any, Final

from vcr_gen.boundaries.mcp.listings.schema_findings import Finding
from vcr_gen.boundaries.mcp.listings.schema_forms import Flat, types_of
from vcr_gen.runtime.codec import MISSING

_LENGTHS: Final = (
    ("string", "minLength", "maxLength"),
    ("array", "minItems", "maxItems"),
    ("object", "minProperties", "maxProperties"),
)
_EVERYTHING: Final = ("", ".*", "^.*$", "^", "$", "[\\s\\S]*", "^[\\s\\S]*$")


def compare_limits(sent: Flat, received: Flat, path: str) -> Iterator[Finding]:
    """The limits of `received` that values of `sent` may exceed."""
    shared = types_of(sent) & types_of(received)
    if shared & {"integer", "fraction"}:
        yield from _numbers(sent, received, path, whole="fraction" not in types_of(sent))
    for name, least, most in _LENGTHS:
        if name not in shared:
            continue
        if received.get(least, 0) > _least(sent, least):
            yield _broken(sent, received, path, least)
        if most in received and received[most] < _most(sent, most):
            yield _broken(sent, received, path, most)
    if "string" in shared:
        yield from _texts(sent, received, path)
    unique = received.get("uniqueItems") and not sent.get("uniqueItems")
    if "array" in shared and unique and sent.get("maxItems", 2) > 1:
        yield _broken(sent, received, path, "uniqueItems")


def _broken(sent: Flat, received: Flat, path: str, keyword: str) -> Finding:
    values = sent.get(keyword, MISSING), received.get(keyword, MISSING)
    return Finding(path, keyword, "breaking", *values)


def _least(sent: Flat, keyword: str) -> int:
    given: int = sent.get(keyword, 0)
    return max(given, len(sent.get("required", ()))) if keyword == "minProperties" else given


def _most(sent: Flat, keyword: str) -> float:
    given: float = sent.get(keyword, float("inf"))
    is_closed = sent.get("additionalProperties") is False and "patternProperties" not in sent
    if keyword == "maxProperties" and is_closed:
        return min(given, len(sent.get("properties", {})))
    return given


def _numbers(sent: Flat, received: Flat, path: str, *, whole: bool) -> Iterator[Finding]:
    for sign, limit, exclusive in (
        (1, "minimum", "exclusiveMinimum"),
        (-1, "maximum", "exclusiveMaximum"),
    ):
        theirs = _bound(received, limit, exclusive, sign, whole=whole)
        ours = _bound(sent, limit, exclusive, sign, whole=whole)
        if theirs is not None and (ours is None or theirs > ours):
            keyword = limit if limit in received else exclusive
            other = sent.get(keyword, sent.get(limit, sent.get(exclusive, MISSING)))
            yield Finding(path, keyword, "breaking", other, received[keyword])
    if "multipleOf" in received:
        steps = [1] if whole else []
        steps += [sent["multipleOf"]] if "multipleOf" in sent else []
        step = Fraction(str(received["multipleOf"]))
        if not any((Fraction(str(each)) / step).denominator == 1 for each in steps):
            yield _broken(sent, received, path, "multipleOf")


def _bound(
    flat: Flat, limit: str, exclusive: str, sign: int, *, whole: bool
) -> tuple[Fraction, bool] | None:
    """The bound, and whether it is excluded; of two, the larger one is the tighter one."""
    found: list[tuple[Fraction, bool]] = []
    strict = flat.get(exclusive)
    if limit in flat:
        found.append((Fraction(str(flat[limit])) * sign, strict is True))  # true: draft 4
    if isinstance(strict, int | float) and not isinstance(strict, bool):
        found.append((Fraction(str(strict)) * sign, True))
    if whole:
        found = [(_next_whole(value, excluded=excluded), False) for value, excluded in found]
    return max(found, default=None)


def _next_whole(value: Fraction, *, excluded: bool) -> Fraction:
    return Fraction(floor(value) + 1 if excluded else ceil(value))


def _texts(sent: Flat, received: Flat, path: str) -> Iterator[Finding]:
    pattern: Any = received.get("pattern", "")
    if pattern not in _EVERYTHING and sent.get("pattern") != pattern:
        if sent.get("pattern", "") in _EVERYTHING:
            yield _broken(sent, received, path, "pattern")
        else:
            values = sent["pattern"], pattern
            reason = "cannot tell whether all texts still match"
            yield Finding(path, "pattern", "review", *values, reason)
    for keyword in ("format", "contentEncoding", "contentMediaType"):
        if keyword in received and sent.get(keyword) != received[keyword]:
            reason = "not every program checks it"
            values = sent.get(keyword, MISSING), received[keyword]
            yield Finding(path, keyword, "review", *values, reason)
