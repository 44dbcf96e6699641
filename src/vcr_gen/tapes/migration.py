"""Decides how a cassette must change to fit the Protocols of today; changes nothing itself."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from vcr_gen.tapes.calls import split_name
from vcr_gen.tapes.method_migration import (
    AddedParameter,
    Edits,
    MethodPlan,
    Verdict,
    plan_method,
)
from vcr_gen.tapes.signature_text import Signature
from vcr_gen.tapes.signatures import Recorded, fitted
from vcr_gen.tapes.wrappers import CurrentBoundary, CurrentMethod, Described

__all__ = ["Plan", "Wishes", "plan_migration"]

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
