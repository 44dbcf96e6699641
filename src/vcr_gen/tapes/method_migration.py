"""Decides what happens to the calls of one method whose signature changed."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from vcr_gen.runtime.plain import Plain
from vcr_gen.tapes.signature_text import Signature
from vcr_gen.tapes.wrappers import CurrentMethod

__all__ = ["AddedParameter", "Edits", "MethodPlan", "Verdict", "plan_method"]


@dataclass(frozen=True, slots=True)
class AddedParameter:
    """A parameter that recorded calls get."""

    stored: Plain
    type: str = ""
    """As the signature spells it; not needed where a wrapper tells."""


@dataclass(frozen=True, slots=True)
class Edits:
    """What was asked for, for one method."""

    renamed: Mapping[str, str]
    added: Mapping[str, AddedParameter]
    removed: Collection[str]
    keep_values: bool = False


@dataclass(frozen=True, slots=True)
class MethodPlan:
    """What happens to the calls of one method."""

    signature: str
    renamed: Mapping[str, str]
    removed: Collection[str]
    added: Mapping[str, Plain]
    order: Sequence[str]
    """The parameters, as they will be ordered."""
    boundary: str = ""
    method: str = ""

    def under(self, boundary: str, method: str) -> "MethodPlan":
        """The plan for a method that will have this name."""
        return replace(self, boundary=boundary, method=method)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The plan for a method, if there can be one."""

    plan: MethodPlan | None = None
    notes: Sequence[str] = ()
    problems: Sequence[str] = ()


@dataclass(slots=True)
class _Additions:
    """What the parameters come to that the recording does not have."""

    stored: dict[str, Plain] = field(default_factory=dict)
    lacking: list[str] = field(default_factory=list)
    """Those of which nobody knows the value."""
    problems: list[str] = field(default_factory=list)


def plan_method(
    name: str, recorded: Signature, edits: Edits, now: CurrentMethod | None, *, is_called: bool
) -> Verdict:
    """What happens to the calls of `name`; `now` is the method today, where that is known."""
    renamed = {old: new for old, new in edits.renamed.items() if old in recorded.parameters}
    removed = {one for one in edits.removed if one in recorded.parameters}
    shape = {
        renamed.get(one, one): type_
        for one, type_ in recorded.parameters.items()
        if one not in removed
    }
    problems = [
        f"{name}: there is a parameter `{one}` already" for one in edits.added if one in shape
    ]
    if len(shape) < len(recorded.parameters) - len(removed):
        problems.append(f"{name}: two parameters would have the same name")
    if now is None:
        untyped = [one for one, about in edits.added.items() if not about.type]
        problems += [
            f"{name}: no wrapper tells the type of `{one}`; say it: "
            f"--add-parameter '{name}.{one}: TYPE=VALUE'"
            for one in untyped
        ]
        additions = _Additions({one: about.stored for one, about in edits.added.items()})
        shape |= {one: about.type for one, about in edits.added.items()}
        text, order = str(Signature(shape, recorded.result)), list(shape)
    else:
        today = Signature.read(now.signature) or recorded
        additions = _additions(name, shape, today, edits, now)
        if is_called:
            problems += additions.problems
            problems += _unexplained(
                name, Signature(shape, recorded.result), today, additions, edits
            )
        text, order = now.signature, list(today.parameters)
    notes = [f"{name}: parameter `{old}` renamed to `{new}`" for old, new in renamed.items()]
    notes += [f"{name}: parameter `{one}` removed" for one in sorted(removed)]
    notes += [f"{name}: parameter `{one}` added" for one in additions.stored]
    if text != str(recorded) and not notes:
        notes.append(f"{name}: signature brought up to date")
    return Verdict(MethodPlan(text, renamed, removed, additions.stored, order), notes, problems)


def _additions(
    name: str, shape: Mapping[str, str], today: Signature, edits: Edits, now: CurrentMethod
) -> _Additions:
    found = _Additions()
    for one in today.parameters:
        default = now.defaults.get(one)
        if one in shape:
            continue
        if one in edits.added:
            found.stored[one] = edits.added[one].stored
        elif default is None:
            found.lacking.append(one)
        elif default.problem:
            found.problems.append(
                f"{name}: the default of `{one}` cannot be stored: {default.problem}"
            )
        elif default.is_recorded:
            found.stored[one] = default.stored
    found.problems += [
        f"{name}: it has no parameter `{one}` today"
        for one in edits.added
        if one not in today.parameters
    ]
    return found


def _unexplained(
    name: str, shape: Signature, today: Signature, additions: _Additions, edits: Edits
) -> Iterator[str]:
    """What stands between the recorded calls and today's signature."""
    fresh = [one for one in today.parameters if one not in shape.parameters]
    gone = [one for one in shape.parameters if one not in today.parameters]
    for one in gone:
        alike = [new for new in fresh if today.parameters[new] == shape.parameters[one]]
        meant = alike[0] if len(alike) == 1 else "NEW"
        yield (
            f"{name}: parameter `{one}` is gone; if it was renamed: --rename-parameter "
            f"{name}.{one}={meant}; if it was removed: --remove-parameter {name}.{one}"
        )
    if not gone:
        for one in additions.lacking:
            yield (
                f"{name}: parameter `{one}` is new and has no default; "
                f"give recorded calls a value, as JSON: --add-parameter {name}.{one}=VALUE"
            )
    if edits.keep_values:
        return
    changed = [
        f"the type of parameter `{one}`"
        for one, type_ in shape.parameters.items()
        if one in today.parameters and today.parameters[one] != type_
    ]
    changed += ["the type of its result"] if shape.result != today.result else []
    for what in changed:
        yield (
            f"{name}: {what} changed: record it again; if the recorded values are right as "
            f"they are: --keep-values {name}"
        )
