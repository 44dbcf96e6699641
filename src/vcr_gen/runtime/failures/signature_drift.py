"""Compares recorded signatures with current ones, and suggests what to do."""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, final, get_args

from vcr_gen.runtime.boundary.spec import Boundary
from vcr_gen.runtime.failures.advice import Advice

_RESULT = "return"


def same_signature(recorded: str, current: str) -> bool:
    """Whether two signatures are equal, ignoring the modules of types."""
    said = declared_types(recorded)
    return recorded == current or (
        bool(said) and list(said.items()) == list(declared_types(current).items())
    )


def signature_change(name: str, recorded: str | None, current: str | None) -> str:
    """How a signature changed; empty if it did not change or is unknown."""
    if recorded is None or current is None or same_signature(recorded, current):
        return ""
    before, after = _parameters(recorded), _parameters(current)
    added = [parameter for parameter in after if parameter not in before]
    removed = [parameter for parameter in before if parameter not in after]
    if len(added) == len(removed) == 1:
        return f"recorded before parameter `{removed[0]}` of `{name}` was renamed to `{added[0]}`"
    if added:
        return f"recorded before {_list(added)} {_were(added)} added to `{name}`"
    if removed:
        return f"recorded before {_list(removed)} {_were(removed)} removed from `{name}`"
    retyped = [parameter for parameter in after if before[parameter] != after[parameter]]
    if retyped:
        return f"recorded before the type of {_list(retyped)} of `{name}` changed"
    return f"recorded before the result type of `{name}` changed"


def changed_parameters(recorded: str | None, current: str | None) -> set[str]:
    """The old and new names of changed parameters."""
    if recorded is None or current is None:
        return set()
    before, after = _parameters(recorded), _parameters(current)
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def migration_of(name: str, recorded: str | None, current: str | None) -> list[str] | None:
    """The options of `vcr-gen cassette migrate` for a change; None if it cannot migrate it.

    A new parameter with a default needs no option. Changed types cannot be migrated.
    """
    before, after = _parameters(recorded or ""), _parameters(current or "")
    if before.keys() == after.keys():
        return None
    removed = [parameter for parameter in before if parameter not in after]
    added = [parameter for parameter in after if parameter not in before]
    if len(added) == len(removed) == 1:
        return ["--rename", f"{name}.{removed[0]}={added[0]}"]
    return [word for parameter in removed for word in ("--remove", f"{name}.{parameter}")]


@lru_cache(1024)
def declared_types(signature: str) -> Mapping[str, str]:
    """The types of a recorded signature by parameter, with the result under `return`.

    Without modules: evaluated annotations are recorded with them, textual ones as written. Empty
    for an invalid signature, as a file may contain anything.
    """
    try:
        function = ast.parse(f"def _{signature}: ...").body[0]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    if not isinstance(function, ast.FunctionDef):
        return {}
    named = [(argument.arg, argument.annotation) for argument in function.args.args]
    return {
        name: ast.unparse(_LastNames().visit(annotation)) if annotation else ""
        for name, annotation in [*named, (_RESULT, function.returns)]
    }


def _parameters(signature: str) -> dict[str, str]:
    return {name: type_ for name, type_ in declared_types(signature).items() if name != _RESULT}


class _LastNames(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return ast.Name(node.attr, ast.Load())


def _list(names: list[str]) -> str:
    words = ", ".join(f"`{name}`" for name in names)
    return f"parameter {words}" if len(names) == 1 else f"parameters {words}"


def _were(names: list[str]) -> str:
    return "was" if len(names) == 1 else "were"


@final
@dataclass(frozen=True, slots=True)
class Change:
    """Why a recorded call no longer matches."""

    words: str
    hint: str
    commands: tuple[str, ...]


@final
class SignatureDrift:
    """Compares the signatures in a cassette with those of the attached wrappers."""

    def __init__(
        self, advice: Advice, recorded: Mapping[str, str], boundaries: Mapping[str, Boundary]
    ) -> None:
        self._advice = advice
        self._recorded = recorded
        self._boundaries = boundaries

    def signature(self, name: str, fields: Iterable[str] | None = None) -> Change | None:
        """How a method changed; with `fields`, only if the change explains one of them."""
        recorded, current = self._recorded.get(name), self.signature_of(name) or None
        words = signature_change(name, recorded, current)
        changed = changed_parameters(recorded, current)
        if not words or (fields is not None and changed.isdisjoint(map(_root, fields))):
            return None
        return self._change(words, migration_of(name, recorded, current))

    def signature_of(self, name: str) -> str:
        """The current signature of a method; empty if no wrapper has it."""
        boundary, _, key = name.partition(".")
        known = self._boundaries.get(boundary)
        return "" if known is None else known.signatures().get(key, "")

    def types_of(self, name: str) -> Mapping[str, object]:
        """The declared types of a method's values, by the path that differences begin with."""
        boundary, _, key = name.partition(".")
        known = self._boundaries.get(boundary)
        call = None if known is None else known.calls.get(key)
        if known is None or call is None:
            return {}
        method = known.method(call)
        item = next(iter(get_args(method.result)), Any)
        types = {parameter.name: parameter.annotation for parameter in method.parameters}
        return {**types, "$result": method.result, "$item": item}

    def gone(self, recorded: str, called: str = "") -> Change | None:
        """Why a recorded call can no longer be made; `called` was called instead."""
        boundary, _, key = recorded.partition(".")
        known = self._boundaries.get(boundary)
        if known is not None:
            if recorded not in self._recorded or key in known.signatures():
                return None
            new = called.removeprefix(f"{boundary}.") if called not in self._recorded else ""
            if new and called.startswith(f"{boundary}."):
                words = f"recorded before `{recorded}` was renamed to `{new}`, or removed"
                return self._change(words, ["--rename", f"{recorded}={new}"])
            return self._change(f"recorded before `{recorded}` was renamed or removed", None)
        if not any(name.startswith(f"{boundary}.") for name in self._recorded):
            return None
        names = {name.partition(".")[0] for name in self._recorded}
        strangers = [name for name in self._boundaries if name not in names]
        if len(strangers) == 1:
            words = f"recorded before `{boundary}` was renamed to `{strangers[0]}`"
            return self._change(words, ["--rename", f"{boundary}={strangers[0]}"])
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
