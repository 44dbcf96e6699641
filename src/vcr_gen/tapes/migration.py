"""Decides how a cassette must change to fit the Protocols of today; changes nothing itself."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from vcr_gen.runtime.plain import Plain
from vcr_gen.tapes.describe_wrappers import CurrentBoundary, CurrentMethod, Described
from vcr_gen.tapes.recorded_calls import split_name
from vcr_gen.tapes.recorded_signatures import Recorded, Signature, fitted

__all__ = [
    "AddedParameter",
    "Edits",
    "MethodPlan",
    "Plan",
    "Verdict",
    "Wishes",
    "plan_method",
    "plan_migration",
]


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


_Methods: TypeAlias = Mapping[str, CurrentMethod]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What somebody asked for; methods are named as they were recorded, or as they are now."""

    boundaries: Mapping[str, str] = field(default_factory=dict)
    """Recorded and new names."""
    methods: Mapping[str, str] = field(default_factory=dict)
    """`Boundary.method` as recorded, and the method's new name."""
    parameters: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Method and parameter, and the parameter's new name."""
    added: Mapping[tuple[str, str], AddedParameter] = field(default_factory=dict)
    removed: Collection[tuple[str, str]] = ()
    kept: Collection[str] = ()
    """Methods whose recorded values are right although their types have changed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What happens to one cassette."""

    methods: Mapping[str, MethodPlan]
    """By the recorded name."""
    boundaries: Mapping[str, str]
    """Recorded and new name of every boundary."""
    signatures: Mapping[str, Mapping[str, str]]
    """By a boundary's new name: the signatures that the header will list."""
    notes: Sequence[str]
    """What changes, in words."""
    problems: Sequence[str]
    """Why it cannot be done; then nothing is."""


def plan_migration(recorded: Recorded, wishes: Wishes, current: Described | None) -> Plan:
    """What must happen to a cassette so that it fits what was asked for, and today's wrappers."""
    boundaries = {name: wishes.boundaries.get(name, name) for name in recorded.boundaries}
    notes = [
        f"boundary `{old}` renamed to `{new}`" for old, new in boundaries.items() if old != new
    ]
    problems = []
    if len(set(boundaries.values())) < len(boundaries):
        problems.append("two boundaries would have the same name")
    if current is not None:
        current = fitted(recorded, current, wishes.boundaries)
        problems += [
            _which(name, current.namesakes[name])
            for name in boundaries.values()
            if name in current.namesakes
        ]
    methods: dict[str, MethodPlan] = {}
    listed: dict[str, dict[str, str]] = {new: {} for new in boundaries.values()}
    for name, text in recorded.signatures.items():
        verdict = _verdict(name, text, recorded, wishes, current)
        notes += verdict.notes
        problems += verdict.problems
        if verdict.plan is not None:
            methods[name] = verdict.plan
            listed[verdict.plan.boundary][verdict.plan.method] = verdict.plan.signature
    for name in listed:
        if current is not None and name in current.boundaries:
            today = current.boundaries[name].methods
            listed[name] = {key: about.signature for key, about in today.items()}
    return Plan(methods, boundaries, listed, notes, problems)


def _verdict(
    name: str, text: str, recorded: Recorded, wishes: Wishes, current: Described | None
) -> Verdict:
    boundary, method = split_name(name, recorded.boundaries)
    home = wishes.boundaries.get(boundary, boundary)
    wanted = wishes.methods.get(name) or wishes.methods.get(f"{home}.{method}") or method
    is_called = name in recorded.called
    signature = Signature.read(text)
    if signature is None:
        unread = f"{name}: its recorded signature cannot be read: {text}"
        return Verdict(problems=(unread,) if is_called else ())
    known = None if current is None else current.boundaries.get(home)
    if known is not None and wanted not in known.methods:
        if not is_called:  # it is only listed, and today's methods will be
            return Verdict()
        listed = {split_name(one, recorded.boundaries)[1] for one in recorded.signatures}
        return Verdict(problems=(_gone(name, text, wanted, listed, known.methods),))
    aliases = {name, f"{boundary}.{wanted}", f"{home}.{method}", f"{home}.{wanted}"}
    edits = Edits(
        renamed={old: new for (of, old), new in wishes.parameters.items() if of in aliases},
        added={one: about for (of, one), about in wishes.added.items() if of in aliases},
        removed={one for of, one in wishes.removed if of in aliases},
        keep_values=bool(aliases & set(wishes.kept)),
    )
    now = None if known is None else known.methods[wanted]
    verdict = plan_method(name, signature, edits, now, is_called=is_called)
    if verdict.plan is None:
        return verdict
    notes = verdict.notes
    if wanted != method:
        notes = (f"{name}: renamed to `{wanted}`", *notes)
    return Verdict(verdict.plan.under(home, wanted), notes, verdict.problems)


def _which(name: str, namesakes: Sequence[CurrentBoundary]) -> str:
    """Why nobody can tell what a cassette is to fit."""
    modules = " and ".join(f"`{one.module}`" for one in namesakes)
    return (
        f"{name}: there are boundaries of this name in {modules}, and it was recorded with the "
        "signatures of neither; give one a name of its own (`name=`) and, if it is that one's: "
        f"--rename-boundary {name}=NEW"
    )


def _gone(name: str, text: str, wanted: str, listed: Collection[str], today: _Methods) -> str:
    """Why a method cannot be found, and what it may be called now."""
    fresh = [key for key in today if key not in listed]
    alike = [key for key in fresh if today[key].signature == text]
    meant = alike[0] if len(alike) == 1 else fresh[0] if len(fresh) == 1 else "NEW"
    return (
        f"{name}: there is no method `{wanted}` any more; "
        f"if it was renamed: --rename-method {name}={meant}"
    )
