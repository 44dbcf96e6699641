"""Finds the methods of a cassette whose signatures changed since the recording."""

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
    """The recorded signature of a method: names and types."""

    parameters: Mapping[str, str]
    result: str

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Parse a signature such as `(command: str) -> str`; None if it is invalid."""
        source = f"def _{text}: ..."
        try:
            function = ast.parse(source).body[0]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        if not isinstance(function, ast.FunctionDef) or function.returns is None:
            return None

        def spelled(node: ast.expr | None) -> str:
            return "" if node is None else ast.get_source_segment(source, node) or ""

        parameters = {argument.arg: spelled(argument.annotation) for argument in function.args.args}
        return cls(parameters, spelled(function.returns))

    def __str__(self) -> str:
        parts = ", ".join(f"{name}: {type_}" for name, type_ in self.parameters.items())
        return f"({parts}) -> {self.result}"


@dataclass(frozen=True, slots=True)
class Recorded:
    """The header of a cassette, and the methods on its tape."""

    boundaries: Collection[str]
    signatures: Mapping[str, str]
    """`Boundary.method` and its signature."""
    called: Collection[str]
    """The methods called on the tape."""

    def signatures_of(self, boundary: str, *, called: bool) -> dict[str, str]:
        """The methods of one boundary: all listed ones, or only the called ones."""
        named = ((split_name(name, self.boundaries), name) for name in self.signatures)
        return {
            method: self.signatures[name]
            for (home, method), name in named
            if home == boundary and (name in self.called or not called)
        }


@dataclass(frozen=True, slots=True)
class ChangedSignature:
    """A called method whose signature changed since the recording."""

    method: str
    """`Boundary.method`."""
    recorded: str
    current: str | None
    """None if the method no longer exists."""
    words: str
    """What changed, in words."""


def changed_signatures(recorded: Recorded, current: Described) -> Iterator[ChangedSignature]:
    """The called methods whose signatures changed; other methods do not affect a replay.

    Boundaries without a wrapper in the project are skipped.
    """
    current = fitted(recorded, current)
    for name, signature in recorded.signatures.items():
        boundary, method = split_name(name, recorded.boundaries)
        if name not in recorded.called:
            continue
        if boundary in current.namesakes:
            modules = " and ".join(
                f"`{namesake.module}`" for namesake in current.namesakes[boundary]
            )
            words = (
                f"recorded before `{name}` changed, of {modules}; the signatures of neither match"
            )
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
    """The project's boundaries for a cassette: of boundaries with one name, the one that matches.

    If none matches, the name stays ambiguous. `new_names` maps recorded names to current ones.
    """
    chosen: dict[str, CurrentBoundary] = {}
    for old in recorded.boundaries:
        name = (new_names or {}).get(old, old)
        listed = recorded.signatures_of(old, called=False)
        called = recorded.signatures_of(old, called=True)
        several = current.namesakes.get(name, ())
        fit = [candidate for candidate in several if called.items() <= candidate.signatures.items()]
        fit.sort(key=lambda candidate: candidate.signatures != listed)
        if fit:
            chosen[name] = fit[0]
    rest = {name: known for name, known in current.namesakes.items() if name not in chosen}
    return replace(current, boundaries={**current.boundaries, **chosen}, namesakes=rest)


def renamed_boundaries(recorded: Recorded, current: Described) -> Iterator[tuple[str, str]]:
    """Recorded boundaries without a wrapper, with the new boundary that has all called methods.

    This is a guess: the wrapper may be unrelated.
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
