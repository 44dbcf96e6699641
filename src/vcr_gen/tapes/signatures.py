"""Which methods of a cassette have another signature today than when it was recorded."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from vcr_gen.runtime.failures.history import signature_change
from vcr_gen.tapes.calls import split_name
from vcr_gen.tapes.wrappers import Described

__all__ = ["ChangedSignature", "Recorded", "changed_signatures", "renamed_boundaries"]


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a cassette says about itself, and what is on its tape."""

    boundaries: Collection[str]
    signatures: Mapping[str, str]
    """`Boundary.method` and its signature."""
    called: Collection[str]
    """The methods that are called on the tape."""


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


def changed_signatures(recorded: Recorded, current: Described) -> Iterator[ChangedSignature]:
    """The changed methods among those that were called; the others do not matter to a replay.

    A boundary of which the project has no wrapper belongs to somebody else: nothing is known of it.
    """
    for name, signature in recorded.signatures.items():
        boundary, method = split_name(name, recorded.boundaries)
        if name not in recorded.called or boundary not in current.boundaries:
            continue
        now = current.signature(boundary, method)
        if now is None:
            words = f"recorded before `{method}` was renamed or removed from `{boundary}`"
            yield ChangedSignature(name, signature, None, words)
        elif now != signature:
            yield ChangedSignature(name, signature, now, signature_change(name, signature, now))


def renamed_boundaries(recorded: Recorded, current: Described) -> Iterator[tuple[str, str]]:
    """Boundaries without a wrapper, and the one new boundary that has all that was called.

    Only a guess: the wrapper may as well be somebody else's.
    """
    names = recorded.boundaries
    fresh = [name for name in current.boundaries if name not in names]
    for old in names:
        used = {
            split_name(name, names)[1]: signature
            for name, signature in recorded.signatures.items()
            if name in recorded.called and split_name(name, names)[0] == old
        }
        if old in current.boundaries or not used:
            continue
        alike = [
            new
            for new in fresh
            if all(current.signature(new, method) == text for method, text in used.items())
        ]
        if len(alike) == 1:
            yield old, alike[0]
