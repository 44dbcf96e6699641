"""Rules that loosen how one field of a call is compared, or how often it is made."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final, final

from vcr_gen.boundary import Marker, Match, Volatile
from vcr_gen.errors import UsageError, VcrError
from vcr_gen.field_path_syntax import ROOTS, FieldPath, Wild, parse_path
from vcr_gen.runtime.boundary.echoes import Echoes
from vcr_gen.runtime.codec import MISSING, Difference, Missing, differences, same
from vcr_gen.runtime.codec.field_paths import (
    Place,
    Settle,
    align,
    find,
    live_at,
    parse_json,
    place_text,
)
from vcr_gen.runtime.codec.markers import plain_key
from vcr_gen.runtime.plain import Plain
from vcr_gen.spelling import did_you_mean

Echoed: Final = Marker("Echoed")
"""Differs in each run, and the other side repeats it: the live value is used from then on."""


class UnusedRuleWarning(UserWarning):
    """A rule of a cassette loosened nothing: it may be misspelt, or no longer needed."""


@final
@dataclass(frozen=True, slots=True)
class Rule:
    """Says that a field is not compared (`Volatile`), or by a function (`Match`).

    Use it for a Protocol that you do not own, or for a single cassette. In your own Protocol, put
    the same words in `Annotated`.
    """

    of: str
    """`Boundary.method`, a boundary for all of its methods, `*` for everything; `a|b` for both."""
    path: str
    """The place in the call, such as `command[2]`, `body.$json.id` or `$result.created`."""
    how: Marker | Match
    """`Volatile`, `Echoed`, `Match(same)` or `Match(key=…)`."""

    def __post_init__(self) -> None:
        parse_path(self.path)
        if not self.of or not isinstance(self.of, str):
            raise UsageError(f"a rule names `Boundary.method`; got {self.of!r}")
        is_match = isinstance(self.how, Match) and self.how.joined is None
        if self.how not in (Volatile, Echoed) and not is_match:
            hint = "hint: pass redaction=… to mark secrets" if repr(self.how) == "Secret" else ""
            raise UsageError(
                "a rule's `how` is Volatile, Echoed or Match(same); "
                f"got {self.how!r}\n\n{hint}".rstrip()
            )

    def __str__(self) -> str:
        return f"{self.of} {self.path}: {how_in_words(self.how)}"

    def is_for(self, method: str) -> bool:
        """Whether calls of `Boundary.method` are meant."""
        return any(_is_of(of, method) for of in self.of.split("|"))


def _is_of(of: str, method: str) -> bool:
    return of in ("*", method, method.partition(".")[0])


@final
@dataclass(frozen=True, slots=True)
class Repeat:
    """Says that a call may be made more often than recorded, or less often, as polling does.

    A call that the tape does not have at this point gets the answer of the last equal call that
    came before. Recorded calls that are not made again are left out; each must be made once.
    """

    of: str
    """`Boundary.method`, or a boundary for all of its methods."""
    name: str = "*"
    """The calls that are meant, by the name that messages give them, such as `GET /jobs/*`."""

    def __post_init__(self) -> None:
        if not self.of or not isinstance(self.of, str) or not isinstance(self.name, str):
            raise UsageError(f"Repeat takes a boundary and the name of a call; got {self!r}")

    def __str__(self) -> str:
        return f"{self.of} {self.name}: may repeat"

    def is_for(self, method: str) -> bool:
        """Whether calls of `Boundary.method` are meant."""
        return self.of in ("*", method, method.partition(".")[0])


def how_in_words(how: Marker | Match) -> str:
    """A rule's effect, as spelled in a cassette's header."""
    return f"match {how.name}" if isinstance(how, Match) else repr(how).lower()


@final
@dataclass(slots=True, eq=False)
class _Active:
    """A rule in a session, and how far it came."""

    rule: Rule
    path: FieldPath
    echoes: Echoes
    is_default: bool = False
    """Whether other rules for the field replace it; then it is not reported as unused."""
    applied: bool = False
    methods: set[str] = field(default_factory=set)
    """The methods it is for that were called."""
    sample: Plain | Missing = MISSING
    """A value that was compared below its root."""


@final
@dataclass(frozen=True, slots=True)
class Loosening:
    """The rules for one value that crosses the boundary: an argument, a result, an item."""

    rules: tuple[_Active, ...]

    @property
    def was_of_use(self) -> bool:
        """Whether each rule has found its field; then it need not see values that are equal."""
        return all(active.applied for active in self.rules)

    def aligned(
        self, recorded: Plain, actual: Plain, restore: Callable[[Plain], Any], settle: Settle
    ) -> tuple[Plain, tuple[Difference, ...]]:
        """The live value, with recorded parts wherever a rule accepts them, and the refusals."""
        for active in self.rules:
            if not active.applied:
                active.applied = any(
                    True for side in (recorded, actual) for _ in find(active.path, side)
                )
                active.sample = recorded
        if same(recorded, actual):
            return actual, ()
        refused: list[Difference] = []
        made = actual
        for active in self.rules:
            if isinstance(active.rule.how, Match):
                judge = _Judge(active.rule.how, recorded, actual, restore, settle)
                made = align(active.path, recorded, made, judge.choose, settle)
                refused += judge.refused
            else:
                keep = active.echoes.note if active.rule.how is Echoed else _recorded
                made = align(active.path, recorded, made, keep, settle)
        return made, tuple(refused)

    def in_detail(self, differences: Iterable[Difference]) -> Iterator[Difference]:
        """The same differences, split inside texts that a rule declares as JSON."""
        for each in differences:
            yield from self._in_json(each)

    def _in_json(self, found: Difference) -> Iterable[Difference]:
        """The differences inside two texts that a rule declares as JSON."""
        if not any(Wild.JSON in active.path.steps for active in self.rules):
            return (found,)
        before, after = parse_json(found.recorded), parse_json(found.actual)
        if before is MISSING or after is MISSING:
            return (found,)
        try:
            place = parse_path(f"x{found.path.removeprefix('$')}")
        except UsageError:  # a key that is too long to be shown
            return (found,)
        for active in self.rules:
            steps = active.path.steps
            if Wild.JSON in steps:
                text = FieldPath("", "x", steps[: steps.index(Wild.JSON)])
                if len(text.steps) == len(place.steps) and text.covers(place):
                    inside = f"{found.path[1:]}.{Wild.JSON.value}"
                    return [each.below(inside) for each in differences(before, after)]
        return (found,)


def _recorded(place: Place, left: Plain | Missing, right: Plain | Missing) -> Plain | Missing:
    """A volatile field counts as equal."""
    del place, right
    return left


@final
class _Judge:
    """Asks a rule's function, which sees the values as the program has them."""

    def __init__(
        self,
        how: Match,
        recorded: Plain,
        actual: Plain,
        restore: Callable[[Plain], Any],
        settle: Settle,
    ) -> None:
        self._how = how
        self._settle = settle
        self._sides = (recorded, actual)
        self._restore = restore
        self._values: tuple[Any, Any] | None = None
        self.refused: list[Difference] = []

    def choose(
        self, place: Place, left: Plain | Missing, right: Plain | Missing
    ) -> Plain | Missing:
        """The recorded value, if the function finds both alike."""
        if left is MISSING or right is MISSING or same(left, right):
            return right
        try:
            before, after = self._live_at(place)
        except VcrError as error:
            reason = f"not comparable: {error}"
            self.refused.append(Difference(f"${place_text(place)}", left, right, reason))
            return left
        if self._how.key is not None:
            recorded, actual = (plain_key(self._how.key, value) for value in (before, after))
            found = differences(recorded, self._settle(recorded, actual))
            self.refused += (each.below(place_text(place)) for each in found)
        elif self._how.same is not None and not self._how.same(before, after):
            reason = f"{self._how.name} says they differ"
            self.refused.append(Difference(f"${place_text(place)}", left, right, reason))
        return left

    def _live_at(self, place: Place) -> tuple[Any, Any]:
        if self._values is None:
            recorded, actual = self._sides
            self._values = self._restore(recorded), self._restore(actual)
        return live_at(self._values[0], place), live_at(self._values[1], place)


@final
class Rules:
    """The rules of one session."""

    def __init__(self, given: Iterable[Rule | Repeat] = ()) -> None:
        self._given: list[_Active] = []
        self._repeats: dict[Repeat, bool] = {}
        """The rules for repetitions, and whether there was a call that they are for."""
        self.allow_repeats = False
        """Whether there is a rule for repetitions."""
        self._methods: set[str] = set()
        self.echoes = Echoes()
        self.add(*given)

    def add(self, *rules: Rule | Repeat, default: bool = False) -> None:
        """Add rules; known rules and replaced defaults are ignored."""
        for rule in rules:
            if isinstance(rule, Repeat):
                self._repeats.setdefault(rule, default)
                self.allow_repeats = True
                continue
            if not isinstance(rule, Rule):
                raise UsageError(
                    f"`rules` takes rules, such as Rule('Shell.run', 'command[2]', Volatile); "
                    f"got {rule!r}"
                )
            same = [each for each in self._given if _field(each.rule) == _field(rule)]
            if any(each.rule == rule for each in same) or (default and same):
                continue
            if late := [method for method in self._methods if rule.is_for(method)]:
                raise UsageError(
                    f"{late[0]} was called before its rule was added: {rule}\n\n"
                    "hint: add the rules of a cassette before its first call"
                )
            self._given = [each for each in self._given if each not in same or not each.is_default]
            path = parse_path(rule.path)
            self._given.append(_Active(rule, path, self.echoes, is_default=default))
            self.echoes.are_there = self.echoes.are_there or rule.how is Echoed

    def loosening(self, method: str, root: str, own: Collection[Rule] = ()) -> Loosening | None:
        """The rules for the value `root` of a method; `own` are the rules of its boundary."""
        self._methods.add(method)
        chosen = [active for active in self._given if active.rule.is_for(method)]
        for active in chosen:
            active.methods.add(method)
        chosen += [_Active(rule, parse_path(rule.path), self.echoes) for rule in own]
        chosen = [active for active in chosen if active.path.starts_at(root)]
        return Loosening(tuple(chosen)) if chosen else None

    def may_repeat(self, method: str, name: str) -> bool:
        """Whether a call may be made more or less often; `name` is its name in messages."""
        title = name.removeprefix(f"{method.partition('.')[0]} ")
        found = [
            rule for rule in self._repeats if rule.is_for(method) and fnmatchcase(title, rule.name)
        ]
        self._repeats.update(dict.fromkeys(found, True))
        return bool(found)

    def in_words(self) -> dict[str, dict[str, str]]:
        """The rules of the cassette itself, as spelled in its header."""
        words: dict[str, dict[str, str]] = {}
        for repeat in self._repeats:
            words.setdefault(repeat.of, {})[repeat.name] = "may repeat"
        for active in self._given:
            if active.is_default and not active.methods:
                continue
            rule = active.rule
            names = rule.of.split("|")
            called = [of for of in names if any(_is_of(of, each) for each in active.methods)]
            for of in called or names:
                words.setdefault(of, {})[rule.path] = how_in_words(rule.how)
        return words

    def unused(self, known: Mapping[str, Collection[str]]) -> tuple[str, ...]:
        """The rules that never applied, each with the likely mistake.

        `known` are the methods of the session and the names of their parameters.
        """
        loosened = (
            f"{active.rule}  ({_reason(active, known)})"
            for active in self._given
            if not active.applied and not active.is_default
        )
        repeats = (
            f"{rule}  (no such call was made)"
            for rule, is_used in self._repeats.items()
            if not is_used
        )
        return *loosened, *repeats


def _field(rule: Rule) -> tuple[str, str]:
    return rule.of, rule.path


def _reason(active: _Active, known: Mapping[str, Collection[str]]) -> str:
    of, path = active.rule.of, active.path
    meant = [method for method in known if active.rule.is_for(method)]
    if not meant:
        names = [*known, *dict.fromkeys(method.partition(".")[0] for method in known)]
        return f"unknown method {of}{did_you_mean(of, names)}"
    if not active.methods:
        return f"{of} was not called"
    if active.sample is MISSING:
        roots = {name for method in active.methods for name in known.get(method, ())}
        if path.root in ROOTS or path.root in roots:
            return f"no {path.root} was compared"
        return f"unknown parameter `{path.root}`{did_you_mean(path.root, [*roots, *ROOTS])}"
    for count in range(1, len(path.steps) + 1):
        step = path.steps[count - 1]
        before = FieldPath("", path.root, path.steps[: count - 1])
        if not any(True for _ in find(FieldPath("", path.root, path.steps[:count]), active.sample)):
            if step is Wild.JSON:
                return "the text is not JSON"
            keys = [
                key
                for each in find(before, active.sample)
                if isinstance(each, dict)
                for key in each
            ]
            return f"no value has this path{did_you_mean(str(step), keys)}"
    return "no value has this path"
