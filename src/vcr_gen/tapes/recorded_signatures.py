"""Finds the methods of a cassette whose signatures changed since the recording."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from vcr_gen.runtime.failures.signature_drift import same_signature, signature_change
from vcr_gen.tapes.describe_wrappers import Described
from vcr_gen.tapes.recorded_calls import split_name

__all__ = ["ChangedSignature", "Recorded", "changed_signatures", "renamed_boundaries"]


@dataclass(frozen=True, slots=True)
class Recorded:
    """The header of a cassette, and the methods on its tape."""

    boundaries: Collection[str]
    signatures: Mapping[str, str]
    """`Boundary.method` and its signature."""
    called: Collection[str]
    """The methods called on the tape."""

    def signatures_of(self, boundary: str) -> dict[str, str]:
        """The methods of one boundary."""
        named = {name: split_name(name, self.boundaries) for name in self.signatures}
        return {
            method: self.signatures[name]
            for name, (home, method) in named.items()
            if home == boundary
        }


@dataclass(frozen=True, slots=True)
class ChangedSignature:
    """A called method whose signature changed since the recording."""

    method: str
    """`Boundary.method`."""
    recorded: str
    current: str | None
    """None if the method no longer exists."""
    message: str
    """What changed, in words."""


def changed_signatures(recorded: Recorded, current: Described) -> Iterator[ChangedSignature]:
    """The called methods whose signatures changed; other methods do not affect a replay.

    Boundaries without a wrapper in the project are skipped.
    """
    for name, signature in recorded.signatures.items():
        boundary, method = split_name(name, recorded.boundaries)
        if name not in recorded.called or boundary not in current.boundaries:
            continue
        known = current.boundaries[boundary].get(method)
        if known is None:
            words = f"recorded before `{method}` was renamed or removed from `{boundary}`"
            yield ChangedSignature(name, signature, None, words)
        elif not same_signature(signature, known.signature):
            words = signature_change(name, signature, known.signature)
            yield ChangedSignature(name, signature, known.signature, words)


def renamed_boundaries(recorded: Recorded, current: Described) -> Iterator[tuple[str, str]]:
    """Called boundaries without a wrapper, with the one new boundary that has all their methods.

    This is a guess: the wrapper may be unrelated.
    """
    fresh = [name for name in current.boundaries if name not in recorded.boundaries]
    for old in recorded.boundaries:
        methods = recorded.signatures_of(old)
        used = {
            method: text for method, text in methods.items() if f"{old}.{method}" in recorded.called
        }
        if old in current.boundaries or not used:
            continue
        alike = [
            new
            for new in fresh
            if used.items() <= {k: m.signature for k, m in current.boundaries[new].items()}.items()
        ]
        if len(alike) == 1:
            yield old, alike[0]
