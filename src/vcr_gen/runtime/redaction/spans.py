"""A place in a text where a secret stands, and how places that overlap become one."""

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Span", "merged"]


class Span(NamedTuple):
    """One secret in a text."""

    start: int
    end: int
    rule: str
    """The name of the rule that found it."""
    named: bool = False
    """Whether a name says that it is a secret, so that it is one wherever else it stands."""
    open: bool = False
    """Whether it may go on behind the end of the text."""


def merged(spans: Iterable[Span], protected: Iterable[tuple[int, int]] = ()) -> list[Span]:
    """The spans in order, none over another, and none over what is protected.

    Of several at one place the longest names the rule; of equal ones, the form of the key does.
    """
    kept: list[Span] = []
    closed = deque(sorted(protected))
    for span in sorted(spans, key=lambda span: (span.start, -span.end, span.named)):
        while closed and closed[0][1] <= span.start:
            closed.popleft()
        if closed and closed[0][0] < span.end:
            continue
        if kept and span.start < kept[-1].end:
            last = kept[-1]
            if span.end > last.end:
                kept[-1] = last._replace(end=span.end, open=span.open)
            elif span.start == last.start and span.end == last.end and span.named:
                kept[-1] = last._replace(named=True)
            continue
        kept.append(span)
    return kept
