"""Positions of secrets in a text, and how overlapping ones are merged."""

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple


class Span(NamedTuple):
    """One secret in a text."""

    start: int
    end: int
    rule: str
    """The name of the rule that found it."""
    spreads: bool = False
    """Whether the same text is a secret everywhere."""
    secret: str | None = None
    """The secret without the escapes of the surrounding text; None if it has none."""
    stand_in: str = ""
    """The replacement if a placeholder is impossible: `0` for a number."""


def secret_in(text: str, span: Span) -> str:
    """The secret of a span, without the escapes of the surrounding text."""
    return text[span.start : span.end] if span.secret is None else span.secret


def merged(spans: Iterable[Span], protected: Iterable[tuple[int, int]] = ()) -> list[Span]:
    """The spans in order, without overlaps and without those that touch a protected range.

    The longest of overlapping spans wins; of equal spans, the first.
    """
    kept: list[Span] = []
    closed = deque(sorted(protected))
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        while closed and closed[0][1] <= span.start:
            closed.popleft()
        if closed and closed[0][0] < span.end:
            continue
        if kept and span.start < kept[-1].end:
            last = kept[-1]
            if span.end > last.end:
                kept[-1] = last._replace(end=span.end, secret=None)
            elif span[:2] == last[:2]:
                spreads, secret = last.spreads or span.spreads, last.secret or span.secret
                kept[-1] = last._replace(spreads=spreads, secret=secret)
            continue
        kept.append(span)
    return kept
