"""Applies a migration plan to the header and the entries of a cassette."""

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias, final

from vcr_gen.runtime.formats.file_layout import TEMPLATE_KEY
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.values.objects import LIVE_WORDS
from vcr_gen.tapes.migration import MethodPlan, Plan

__all__ = ["Rewriter", "map_live_objects"]

Renaming: TypeAlias = Callable[[Plain], Plain]

_BY_BOUNDARY: Final = frozenset({"order", "strategy"})
"""Keys of the header with a value per boundary."""
_WORD: Final = re.compile(r"\w+")
_AFTER_ARGUMENTS: Final = ("took", "at_call", "returned", "raised", "cancelled")


@final
class Rewriter:
    """Rewrites the header and the events of a cassette according to a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._renamed = {old: new for old, new in plan.boundaries.items() if old != new}
        self._open: dict[int, MethodPlan] = {}
        """Unfinished calls whose templates may name a renamed parameter."""

    def header(self, header: Mapping[str, Plain]) -> dict[str, Plain]:
        """The header with the current names and signatures."""
        found = dict(header)
        rules = header.get("rules")
        if isinstance(rules, dict):
            found["rules"] = dict(self._rule(of, paths) for of, paths in rules.items())
        for key in _BY_BOUNDARY & set(found):
            named = found[key]
            if isinstance(named, dict):
                names = self._plan.boundaries
                found[key] = {names.get(name, name): value for name, value in named.items()}
        boundaries = header.get("boundaries")
        if not isinstance(boundaries, dict):
            return found
        moved: dict[str, Plain] = {}
        for old, about in boundaries.items():
            new = self._plan.boundaries[old]
            direction = about.get("direction") if isinstance(about, dict) else None
            moved[new] = {"direction": direction, "methods": dict(self._plan.signatures[new])}
        return {**found, "boundaries": {name: moved[name] for name in sorted(moved)}}

    def event(self, entry: Mapping[str, Plain]) -> dict[str, Plain]:
        """The rewritten entry; the same object if nothing changes."""
        found = dict(entry)
        plan = self._plan.methods.get(str(entry.get("of")))
        if plan is not None:
            found["of"] = f"{plan.boundary}.{plan.method}"
            found = _with_arguments(found, plan)
        found = self._with_templates(found, plan)
        if self._renamed:
            if "on" in found:
                found["on"] = self._name(str(found["on"]))
            found = {key: map_live_objects(value, self._object) for key, value in found.items()}
        return found

    def _with_templates(self, entry: dict[str, Plain], plan: MethodPlan | None) -> dict[str, Plain]:
        """The entry with renamed arguments in its templates."""
        key, number = next(iter(entry.items()), ("", None))
        if not isinstance(number, int):
            return entry
        if plan is not None and plan.renamed:
            self._open[number] = plan
        known = self._open.get(number)
        if known is None:
            return entry
        if key == "end" or any(word in entry for word in _AFTER_ARGUMENTS):
            del self._open[number]
        return {key: _in_templates(value, known.renamed) for key, value in entry.items()}

    def _rule(self, of: str, paths: Plain) -> tuple[str, Plain]:
        """A rule with current names; its path begins with a parameter."""
        plan = self._plan.methods.get(of)
        if plan is None or not isinstance(paths, dict):
            return self._plan.boundaries.get(of, of), paths
        moved: dict[str, Plain] = {}
        for path, how in paths.items():
            name = _WORD.match(path)
            old = name[0] if name else ""
            moved[plan.renamed.get(old, old) + path[len(old) :]] = how
        return f"{plan.boundary}.{plan.method}", moved

    def _object(self, number: Plain) -> Plain:
        return self._name(number) if isinstance(number, str) else number

    def _name(self, name: str) -> str:
        """The name of an attached wrapper: `Shell`, or `Shell~2`."""
        boundary, mark, number = name.partition("~")
        return f"{self._renamed.get(boundary, boundary)}{mark}{number}"


def map_live_objects(value: Plain, rename: Renaming) -> Plain:
    """The value with every number or name of a live object passed through `rename`."""
    if isinstance(value, dict):
        if len(value) == 1:
            ((key, item),) = value.items()
            if key in LIVE_WORDS and isinstance(item, int | str):
                return {key: rename(item)}
        return {key: map_live_objects(item, rename) for key, item in value.items()}
    if isinstance(value, list):
        return [map_live_objects(item, rename) for item in value]
    return value


def _in_templates(value: Plain, renamed: Mapping[str, str]) -> Plain:
    if isinstance(value, list):
        return [_in_templates(item, renamed) for item in value]
    if not isinstance(value, dict):
        return value
    text = value.get(TEMPLATE_KEY)
    if len(value) == 1 and isinstance(text, str):
        for old, new in renamed.items():
            text = re.sub(rf"""(\bargs(?:\.|\[\s*['"])){re.escape(old)}\b""", rf"\g<1>{new}", text)
        return {TEMPLATE_KEY: text}
    return {key: _in_templates(item, renamed) for key, item in value.items()}


def _with_arguments(entry: dict[str, Plain], plan: MethodPlan) -> dict[str, Plain]:
    recorded = entry.get("args", {})
    assert isinstance(recorded, dict)  # the plan was made from these events
    arguments = {
        plan.renamed.get(name, name): value
        for name, value in recorded.items()
        if name not in plan.removed
    }
    arguments = {**plan.added, **arguments}
    ordered = {name: arguments[name] for name in plan.order if name in arguments}
    ordered |= arguments
    if list(ordered.items()) == list(recorded.items()):
        return entry
    head = {key: item for key, item in entry.items() if key not in (*_AFTER_ARGUMENTS, "args")}
    tail = {key: item for key, item in entry.items() if key in _AFTER_ARGUMENTS}
    return {**head, **({"args": ordered} if ordered else {}), **tail}
