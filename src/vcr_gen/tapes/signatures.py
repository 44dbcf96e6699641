"""Which methods of a cassette have another signature today than when it was recorded."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from vcr_gen.runtime.history import signature_change
from vcr_gen.tapes.calls import split_name
from vcr_gen.tapes.wrappers import Described

__all__ = ["ChangedSignature", "changed_signatures"]


@dataclass(frozen=True, slots=True)
class ChangedSignature:
    """A method that was called on the tape, and whose signature has changed since."""

    method: str
    """`Boundary.method`."""
    recorded: str
    current: str | None
    """None when there is no such method any more."""
    words: str
    """What changed, in words."""


def changed_signatures(
    recorded: Mapping[str, str],
    boundaries: Collection[str],
    called: Collection[str],
    current: Described,
) -> Iterator[ChangedSignature]:
    """The changed methods among those that were called; the others do not matter to a replay.

    A boundary of which the project has no wrapper belongs to somebody else: nothing is known of it.
    """
    for name, signature in recorded.items():
        boundary, method = split_name(name, boundaries)
        if name not in called or boundary not in current.boundaries:
            continue
        now = current.signature(boundary, method)
        if now is None:
            words = f"recorded before `{method}` was renamed or removed from `{boundary}`"
            yield ChangedSignature(name, signature, None, words)
        elif now != signature:
            yield ChangedSignature(name, signature, now, signature_change(name, signature, now))
