"""Plans how a cassette must change to match the current Protocols."""

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
    "MigrationOptions",
    "Plan",
    "Verdict",
    "plan_method",
    "plan_migration",
]


@dataclass(frozen=True, slots=True)
class AddedParameter:
    """A parameter to add to recorded calls."""

    stored: Plain
    type: str = ""
    """As spelled in the signature; optional if a wrapper declares it."""


@dataclass(frozen=True, slots=True)
class Edits:
    """The requested changes of one method."""

    renamed: Mapping[str, str]
    added: Mapping[str, AddedParameter]
    removed: Collection[str]
    keep_values: bool = False


@dataclass(frozen=True, slots=True)
class MethodPlan:
    """The changes to the calls of one method."""

    signature: str
    renamed: Mapping[str, str]
    removed: Collection[str]
    added: Mapping[str, Plain]
    order: Sequence[str]
    """The parameters in their new order."""
    boundary: str = ""
    method: str = ""

    def under(self, boundary: str, method: str) -> "MethodPlan":
        """The same plan for a method with a new name."""
        return replace(self, boundary=boundary, method=method)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The plan for a method, or the problems that prevent it."""

    plan: MethodPlan | None = None
    notes: Sequence[str] = ()
    problems: Sequence[str] = ()


@dataclass(slots=True)
class _Additions:
    """Values for the parameters that the recording lacks."""

    stored: dict[str, Plain] = field(default_factory=dict)
    lacking: list[str] = field(default_factory=list)
    """Parameters without a known value."""
    problems: list[str] = field(default_factory=list)


def plan_method(
    name: str, recorded: Signature, edits: Edits, now: CurrentMethod | None, *, is_called: bool
) -> Verdict:
    """Plan the changes to the calls of `name`; `now` is the current method, if known."""
    renamed = {old: new for old, new in edits.renamed.items() if old in recorded.parameters}
    removed = {parameter for parameter in edits.removed if parameter in recorded.parameters}
    shape = {
        renamed.get(parameter, parameter): type_
        for parameter, type_ in recorded.parameters.items()
        if parameter not in removed
    }
    problems = [
        f"{name}: parameter `{parameter}` already exists"
        for parameter in edits.added
        if parameter in shape
    ]
    if len(shape) < len(recorded.parameters) - len(removed):
        problems.append(f"{name}: two parameters would have the same name")
    if now is None:
        untyped = [parameter for parameter, about in edits.added.items() if not about.type]
        problems += [
            f"{name}: no wrapper declares the type of `{parameter}`; pass it: "
            f"--add-parameter '{name}.{parameter}: TYPE=VALUE'"
            for parameter in untyped
        ]
        additions = _Additions(
            {parameter: about.stored for parameter, about in edits.added.items()}
        )
        shape |= {parameter: about.type for parameter, about in edits.added.items()}
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
    notes += [f"{name}: parameter `{parameter}` removed" for parameter in sorted(removed)]
    notes += [f"{name}: parameter `{parameter}` added" for parameter in additions.stored]
    if text != str(recorded) and not notes:
        notes.append(f"{name}: signature updated")
    return Verdict(MethodPlan(text, renamed, removed, additions.stored, order), notes, problems)


def _additions(
    name: str, shape: Mapping[str, str], today: Signature, edits: Edits, now: CurrentMethod
) -> _Additions:
    found = _Additions()
    for parameter in today.parameters:
        default = now.defaults.get(parameter)
        if parameter in shape:
            continue
        if parameter in edits.added:
            found.stored[parameter] = edits.added[parameter].stored
        elif default is None:
            found.lacking.append(parameter)
        elif default.problem:
            found.problems.append(
                f"{name}: the default of `{parameter}` cannot be stored: {default.problem}"
            )
        elif default.is_recorded:
            found.stored[parameter] = default.stored
    found.problems += [
        f"{name}: it no longer has a parameter `{parameter}`"
        for parameter in edits.added
        if parameter not in today.parameters
    ]
    return found


def _unexplained(
    name: str, shape: Signature, today: Signature, additions: _Additions, edits: Edits
) -> Iterator[str]:
    """The problems that prevent a migration to the current signature."""
    fresh = [parameter for parameter in today.parameters if parameter not in shape.parameters]
    gone = [parameter for parameter in shape.parameters if parameter not in today.parameters]
    for parameter in gone:
        alike = [new for new in fresh if today.parameters[new] == shape.parameters[parameter]]
        meant = alike[0] if len(alike) == 1 else "NEW"
        yield (
            f"{name}: parameter `{parameter}` no longer exists; if it was renamed: "
            f"--rename-parameter {name}.{parameter}={meant}; if it was removed: "
            f"--remove-parameter {name}.{parameter}"
        )
    if not gone:
        for parameter in additions.lacking:
            yield (
                f"{name}: parameter `{parameter}` is new and has no default; pass a value for "
                f"recorded calls, as JSON: --add-parameter {name}.{parameter}=VALUE"
            )
    if edits.keep_values:
        return
    changed = [
        f"the type of parameter `{parameter}`"
        for parameter, type_ in shape.parameters.items()
        if parameter in today.parameters and today.parameters[parameter] != type_
    ]
    changed += ["the type of its result"] if shape.result != today.result else []
    for what in changed:
        yield (
            f"{name}: {what} changed: record it again; if the recorded values are still "
            f"valid: --keep-values {name}"
        )


_Methods: TypeAlias = Mapping[str, CurrentMethod]


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationOptions:
    """The changes requested on the command line; methods have their recorded or current names."""

    boundaries: Mapping[str, str] = field(default_factory=dict)
    """Recorded and new names of boundaries."""
    methods: Mapping[str, str] = field(default_factory=dict)
    """Recorded `Boundary.method` and the new name of the method."""
    parameters: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Method and parameter, and the new name of the parameter."""
    added: Mapping[tuple[str, str], AddedParameter] = field(default_factory=dict)
    removed: Collection[tuple[str, str]] = ()
    kept: Collection[str] = ()
    """Methods whose recorded values stay valid although types changed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes to one cassette."""

    methods: Mapping[str, MethodPlan]
    """By the recorded name."""
    boundaries: Mapping[str, str]
    """Recorded and new name of every boundary."""
    signatures: Mapping[str, Mapping[str, str]]
    """The signatures of the new header, by the new name of the boundary."""
    notes: Sequence[str]
    """What changes, in words."""
    problems: Sequence[str]
    """The problems that prevent the migration."""


def plan_migration(
    recorded: Recorded, options: MigrationOptions, current: Described | None
) -> Plan:
    """Plan the migration of a cassette to the requested changes and the current wrappers."""
    boundaries = {name: options.boundaries.get(name, name) for name in recorded.boundaries}
    notes = [
        f"boundary `{old}` renamed to `{new}`" for old, new in boundaries.items() if old != new
    ]
    problems = []
    if len(set(boundaries.values())) < len(boundaries):
        problems.append("two boundaries would have the same name")
    if current is not None:
        current = fitted(recorded, current, options.boundaries)
        problems += [
            _which(name, current.namesakes[name])
            for name in boundaries.values()
            if name in current.namesakes
        ]
    methods: dict[str, MethodPlan] = {}
    listed: dict[str, dict[str, str]] = {new: {} for new in boundaries.values()}
    for name, text in recorded.signatures.items():
        verdict = _verdict(name, text, recorded, options, current)
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
    name: str, text: str, recorded: Recorded, options: MigrationOptions, current: Described | None
) -> Verdict:
    boundary, method = split_name(name, recorded.boundaries)
    home = options.boundaries.get(boundary, boundary)
    wanted = options.methods.get(name) or options.methods.get(f"{home}.{method}") or method
    is_called = name in recorded.called
    signature = Signature.read(text)
    if signature is None:
        unread = f"{name}: its recorded signature cannot be read: {text}"
        return Verdict(problems=(unread,) if is_called else ())
    known = None if current is None else current.boundaries.get(home)
    if known is not None and wanted not in known.methods:
        if not is_called:  # the header lists it, but no call uses it
            return Verdict()
        listed = {
            split_name(listed_name, recorded.boundaries)[1] for listed_name in recorded.signatures
        }
        return Verdict(problems=(_gone(name, text, wanted, listed, known.methods),))
    aliases = {name, f"{boundary}.{wanted}", f"{home}.{method}", f"{home}.{wanted}"}
    edits = Edits(
        renamed={old: new for (of, old), new in options.parameters.items() if of in aliases},
        added={
            parameter: about for (of, parameter), about in options.added.items() if of in aliases
        },
        removed={parameter for of, parameter in options.removed if of in aliases},
        keep_values=bool(aliases & set(options.kept)),
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
    """The problem of a boundary whose name is ambiguous."""
    modules = " and ".join(f"`{boundary.module}`" for boundary in namesakes)
    return (
        f"{name}: there are boundaries of this name in {modules}, and its recorded signatures "
        "match none of them; rename one (`name=`) and, if the recording is of that one: "
        f"--rename-boundary {name}=NEW"
    )


def _gone(name: str, text: str, wanted: str, listed: Collection[str], today: _Methods) -> str:
    """The problem of a missing method, with its likely new name."""
    fresh = [key for key in today if key not in listed]
    alike = [key for key in fresh if today[key].signature == text]
    meant = alike[0] if len(alike) == 1 else fresh[0] if len(fresh) == 1 else "NEW"
    return (
        f"{name}: method `{wanted}` no longer exists; "
        f"if it was renamed: --rename-method {name}={meant}"
    )
