"""Finds signatures that changed since a recording, and migrates cassettes to the current ones."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from vcr_gen.cassette_tools.describe_wrappers import CurrentMethod, Described
from vcr_gen.cassette_tools.recorded_calls import map_live_objects, split_name
from vcr_gen.runtime.failures.signature_drift import (
    declared_types,
    same_signature,
    signature_change,
)
from vcr_gen.runtime.plain import Plain

_AFTER_ARGUMENTS: Final = ("took", "clock", "at_call", "returned", "raised", "cancelled")


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


@dataclass(frozen=True, slots=True)
class Edits:
    """The changes that only a person knows, by recorded names."""

    renamed: Mapping[str, str]
    """`Shell`, `Shell.run` or `Shell.run.command`, and the new name of the last part."""
    removed: Collection[str]
    """Parameters: `Shell.run.command`."""

    def touch(self, boundary: str) -> bool:
        """Whether a boundary, or a name in it, changed."""
        return any(f"{name}.".startswith(f"{boundary}.") for name in (*self.renamed, *self.removed))


@dataclass(frozen=True, slots=True)
class MethodPlan:
    """The changes to the calls of one method."""

    name: str
    """Its current `Boundary.method`."""
    renamed: Mapping[str, str]
    """Recorded and current names of parameters."""
    removed: Collection[str]
    added: Mapping[str, Plain]
    """New parameters with the stored form of their defaults."""
    order: Sequence[str]
    """The current parameters."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes to one cassette."""

    boundaries: Mapping[str, str]
    """Recorded and current name of every boundary."""
    methods: Mapping[str, MethodPlan]
    """The called methods by their recorded names."""
    signatures: Mapping[str, Mapping[str, Plain]]
    """The current signatures, by the current name of the boundary."""
    notes: Sequence[str]
    """What changes, in words."""
    problems: Sequence[str]
    """What prevents the migration."""


def plan_migration(recorded: Recorded, edits: Edits, current: Described) -> Plan:
    """Plan the migration of a cassette to the current wrappers.

    Boundaries without a wrapper stay as they are.
    """
    boundaries = {name: edits.renamed.get(name, name) for name in recorded.boundaries}
    notes = [
        f"boundary `{old}` renamed to `{new}`" for old, new in boundaries.items() if old != new
    ]
    problems = [
        f"no wrapper of `{new}` found"
        for old, new in boundaries.items()
        if new not in current.boundaries and edits.touch(old)
    ]
    if len(set(boundaries.values())) < len(boundaries):
        problems.append("two boundaries would have the same name")
    methods = {}
    for name, signature in recorded.signatures.items():
        boundary, method = split_name(name, recorded.boundaries)
        home = boundaries[boundary]
        known = current.boundaries.get(home)
        if known is None or name not in recorded.called:
            continue
        now = edits.renamed.get(name, method)
        if now not in known:
            problems.append(_gone(name, signature, recorded.signatures_of(boundary), known))
            continue
        if now != method:
            notes.append(f"{name}: renamed to `{now}`")
        plan = _plan_method(name, f"{home}.{now}", signature, edits, known[now])
        methods[name] = plan
        notes += _notes(name, plan, signature, known[now].signature)
        problems += _problems(name, plan, signature, known[now])
    signatures = {
        home: {key: method.signature for key, method in current.boundaries[home].items()}
        for home in boundaries.values()
        if home in current.boundaries
    }
    return Plan(boundaries, methods, signatures, notes, problems)


def _plan_method(
    name: str, new_name: str, signature: str, edits: Edits, now: CurrentMethod
) -> MethodPlan:
    before, after = _parameters(signature), _parameters(now.signature)
    removed = [old for old in before if f"{name}.{old}" in edits.removed]
    renamed = {
        old: edits.renamed[f"{name}.{old}"] for old in before if f"{name}.{old}" in edits.renamed
    }
    kept = {renamed.get(old, old) for old in before if old not in removed}
    added = {new: now.defaults[new] for new in after if new not in kept and new in now.defaults}
    return MethodPlan(new_name, renamed, removed, added, after)


def _notes(name: str, plan: MethodPlan, recorded: str, current: str) -> list[str]:
    notes = [f"{name}: parameter `{old}` renamed to `{new}`" for old, new in plan.renamed.items()]
    notes += [f"{name}: parameter `{old}` removed" for old in plan.removed]
    notes += [f"{name}: parameter `{new}` added" for new in plan.added]
    if not notes and not same_signature(recorded, current):
        notes.append(f"{name}: signature updated; the recorded values are kept")
    return notes


def _problems(name: str, plan: MethodPlan, recorded: str, now: CurrentMethod) -> list[str]:
    """The reasons why a method cannot be migrated."""
    if not declared_types(recorded):
        return [f"{name}: its recorded signature cannot be read: {recorded}"]
    kept = {
        old: plan.renamed.get(old, old) for old in _parameters(recorded) if old not in plan.removed
    }
    if len(set(kept.values())) < len(kept):
        return [f"{name}: two parameters would have the same name"]
    fresh = [new for new in plan.order if new not in kept.values()]
    gone = [old for old, new in kept.items() if new not in plan.order]
    if gone:
        meant = fresh[0] if len(fresh) == 1 else "NEW"
        return [
            f"{name}: parameter `{old}` no longer exists; if it was renamed: "
            f"--rename {name}.{old}={meant}; if it was removed: --remove {name}.{old}"
            for old in gone
        ]
    return [
        f"{name}: parameter `{new}` is new and has no default that can be stored; record it again"
        for new in fresh
        if new not in now.defaults and new not in now.omitted
    ]


def _gone(
    name: str, signature: str, listed: Collection[str], known: Mapping[str, CurrentMethod]
) -> str:
    """The problem of a missing method, with its likely new name."""
    fresh = [key for key in known if key not in listed]
    alike = [key for key in fresh if known[key].signature == signature]
    meant = alike[0] if len(alike) == 1 else fresh[0] if len(fresh) == 1 else "NEW"
    return f"{name}: no such method; if it was renamed: --rename {name}={meant}"


def _parameters(signature: str) -> list[str]:
    return [name for name in declared_types(signature) if name != "return"]


def migrate_header(header: Mapping[str, Plain], plan: Plan) -> dict[str, Plain]:
    """The header with the current names and signatures."""
    found = dict(header)
    boundaries = header.get("boundaries")
    if isinstance(boundaries, dict):
        moved: dict[str, Plain] = {}
        for old, about in boundaries.items():
            new = plan.boundaries[old]
            moved[new] = about
            if new in plan.signatures and isinstance(about, dict):
                moved[new] = {**about, "methods": dict(plan.signatures[new])}
        found["boundaries"] = {name: moved[name] for name in sorted(moved)}
    return found


def migrate_event(entry: Mapping[str, Plain], plan: Plan) -> dict[str, Plain]:
    """The entry with the current names and arguments."""
    found = dict(entry)
    method = plan.methods.get(str(entry.get("of")))
    if method is not None:
        found["of"] = method.name
        found = _with_arguments(found, method)
    if "on" in found:
        found["on"] = _current_object(found["on"], plan)
    return {
        key: map_live_objects(value, lambda name: _current_object(name, plan))
        for key, value in found.items()
    }


def _current_object(name: Plain, plan: Plan) -> Plain:
    """The current name of a live object; an attached wrapper is `Shell`, or `Shell~2`."""
    if not isinstance(name, str):
        return name
    boundary, mark, number = name.partition("~")
    return f"{plan.boundaries.get(boundary, boundary)}{mark}{number}"


def _with_arguments(entry: dict[str, Plain], method: MethodPlan) -> dict[str, Plain]:
    recorded = entry.get("args", {})
    assert isinstance(recorded, dict)  # the plan was made from these events
    arguments = {
        method.renamed.get(name, name): value
        for name, value in recorded.items()
        if name not in method.removed
    }
    arguments |= {name: value for name, value in method.added.items() if name not in arguments}
    ordered = {name: arguments[name] for name in method.order if name in arguments} | arguments
    if list(ordered.items()) == list(recorded.items()):
        return entry
    head = {key: item for key, item in entry.items() if key not in (*_AFTER_ARGUMENTS, "args")}
    tail = {key: item for key, item in entry.items() if key in _AFTER_ARGUMENTS}
    return {**head, **({"args": ordered} if ordered else {}), **tail}
