"""What changed in the Protocols since a cassette was recorded, and what can be done about it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import final

from vcr_gen.runtime.boundary.spec import Boundary
from vcr_gen.runtime.failures.advice import Advice
from vcr_gen.runtime.failures.history import changed_parameters, migration_of, signature_change

__all__ = ["Change", "Since"]


@final
@dataclass(frozen=True, slots=True)
class Change:
    """Why a recorded call does not fit any more."""

    words: str
    hint: str
    commands: tuple[str, ...]


@final
class Since:
    """Compares the signatures in a cassette with those of the wrappers that take part."""

    def __init__(
        self, advice: Advice, recorded: Mapping[str, str], boundaries: Mapping[str, Boundary]
    ) -> None:
        self._advice = advice
        self._recorded = recorded
        self._boundaries = boundaries

    def signature(self, name: str, fields: Iterable[str] | None = None) -> Change | None:
        """How a method changed; where fields are named, only if that explains one of them."""
        recorded, current = self._recorded.get(name), self.signature_of(name) or None
        words = signature_change(name, recorded, current)
        changed = changed_parameters(recorded, current)
        if not words or (fields is not None and changed.isdisjoint(map(_root, fields))):
            return None
        return self._change(words, migration_of(name, recorded, current))

    def signature_of(self, name: str) -> str:
        """The signature of a method as it is now; empty where no wrapper has it."""
        boundary, _, key = name.partition(".")
        known = self._boundaries.get(boundary)
        return "" if known is None else known.signatures().get(key, "")

    def gone(self, recorded: str, called: str = "") -> Change | None:
        """Why a recorded call can no longer be made; `called` is what was called instead."""
        boundary, _, key = recorded.partition(".")
        known = self._boundaries.get(boundary)
        if known is not None:
            if recorded not in self._recorded or key in known.signatures():
                return None
            new = called.removeprefix(f"{boundary}.") if called not in self._recorded else ""
            if new and called.startswith(f"{boundary}."):
                words = f"recorded before `{recorded}` was renamed to `{new}`, or removed"
                return self._change(words, ["--rename-method", f"{recorded}={new}"])
            return self._change(f"recorded before `{recorded}` was renamed or removed", None)
        if not any(name.startswith(f"{boundary}.") for name in self._recorded):
            return None
        names = {name.partition(".")[0] for name in self._recorded}
        strangers = [name for name in self._boundaries if name not in names]
        if len(strangers) == 1:
            words = f"recorded before `{boundary}` was renamed to `{strangers[0]}`"
            return self._change(words, ["--rename-boundary", f"{boundary}={strangers[0]}"])
        attach = f"attach its wrapper to this cassette; {self._advice.record('or record again')}"
        return Change(f"no wrapper of `{boundary}` is attached to this cassette", attach, ())

    def _change(self, words: str, options: list[str] | None) -> Change:
        advice = self._advice
        recording = tuple(filter(None, [advice.recording()]))
        if options is None:
            return Change(words, advice.record("record again"), recording)
        return Change(words, advice.migrate(*options), (advice.migrating(*options), *recording))


def _root(path: str) -> str:
    """The parameter that a path begins with."""
    return path.partition(".")[0].partition("[")[0]
