"""Which methods of a cassette have another signature today than when it was recorded."""

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Self

from vcr_gen.runtime.failures.signature_drift import same_signature, signature_change
from vcr_gen.tapes.describe_wrappers import CurrentBoundary, Described
from vcr_gen.tapes.recorded_calls import split_name

__all__ = [
    "ChangedSignature",
    "Recorded",
    "Signature",
    "changed_signatures",
    "fitted",
    "renamed_boundaries",
]


@dataclass(frozen=True, slots=True)
class Signature:
    """Names and types of a method, as a cassette remembers them."""

    parameters: Mapping[str, str]
    result: str

    @classmethod
    def read(cls, text: str) -> Self | None:
        """The signature in a text such as `(command: str) -> str`; None when it is none."""
        source = f"def _{text}: ..."
        try:
            function = ast.parse(source).body[0]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        if not isinstance(function, ast.FunctionDef) or function.returns is None:
            return None

        def spelled(node: ast.expr | None) -> str:
            return "" if node is None else ast.get_source_segment(source, node) or ""

        parameters = {one.arg: spelled(one.annotation) for one in function.args.args}
        return cls(parameters, spelled(function.returns))

    def __str__(self) -> str:
        parts = ", ".join(f"{name}: {type_}" for name, type_ in self.parameters.items())
        return f"({parts}) -> {self.result}"


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a cassette says about itself, and what is on its tape."""

    boundaries: Collection[str]
    signatures: Mapping[str, str]
    """`Boundary.method` and its signature."""
    called: Collection[str]
    """The methods that are called on the tape."""

    def signatures_of(self, boundary: str, *, called: bool) -> dict[str, str]:
        """The methods of one boundary: all that are listed, or those that are called."""
        named = ((split_name(one, self.boundaries), one) for one in self.signatures)
        return {
            method: self.signatures[name]
            for (home, method), name in named
            if home == boundary and (name in self.called or not called)
        }


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
    current = fitted(recorded, current)
    for name, signature in recorded.signatures.items():
        boundary, method = split_name(name, recorded.boundaries)
        if name not in recorded.called:
            continue
        if boundary in current.namesakes:
            modules = " and ".join(f"`{one.module}`" for one in current.namesakes[boundary])
            words = f"recorded before `{name}` changed, of {modules}; the signatures of neither fit"
            yield ChangedSignature(name, signature, None, words)
        if boundary not in current.boundaries:
            continue
        now = current.signature(boundary, method)
        if now is None:
            words = f"recorded before `{method}` was renamed or removed from `{boundary}`"
            yield ChangedSignature(name, signature, None, words)
        elif not same_signature(signature, now):
            yield ChangedSignature(name, signature, now, signature_change(name, signature, now))


def fitted(
    recorded: Recorded, current: Described, new_names: Mapping[str, str] | None = None
) -> Described:
    """The project's boundaries as a cassette means them: of namesakes, the one that fits it.

    Where none does they stay namesakes. `new_names` says what recorded boundaries are called now.
    """
    chosen: dict[str, CurrentBoundary] = {}
    for old in recorded.boundaries:
        name = (new_names or {}).get(old, old)
        listed = recorded.signatures_of(old, called=False)
        called = recorded.signatures_of(old, called=True)
        several = current.namesakes.get(name, ())
        fit = [one for one in several if called.items() <= one.signatures.items()]
        fit.sort(key=lambda one: one.signatures != listed)
        if fit:
            chosen[name] = fit[0]
    rest = {name: known for name, known in current.namesakes.items() if name not in chosen}
    return replace(current, boundaries={**current.boundaries, **chosen}, namesakes=rest)


def renamed_boundaries(recorded: Recorded, current: Described) -> Iterator[tuple[str, str]]:
    """Boundaries without a wrapper, and the one new boundary that has all that was called.

    Only a guess: the wrapper may as well be somebody else's.
    """
    names = recorded.boundaries
    fresh = [name for name in current.boundaries if name not in names]
    for old in names:
        used = recorded.signatures_of(old, called=True)
        if old in current.boundaries or old in current.namesakes or not used:
            continue
        alike = [
            new
            for new in fresh
            if all(current.signature(new, method) == text for method, text in used.items())
        ]
        if len(alike) == 1:
            yield old, alike[0]
