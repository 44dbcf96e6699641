"""Follows field paths through plain values: finds and replaces fields.

What a codec adds around a value, the name of its type or a list of pairs for odd keys, is not a
step: a path names what the program has.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, final

from vcr_gen.field_path_syntax import FieldPath, Step, Wild, step_text
from vcr_gen.runtime.codec import MISSING, Missing, same
from vcr_gen.runtime.codec.exceptions import ATTRIBUTES
from vcr_gen.runtime.codec.mappings import ITEMS
from vcr_gen.runtime.codec.tags import TYPE, VALUE
from vcr_gen.runtime.plain import Plain

Key: TypeAlias = str | int | tuple[str, int]
"""A field or entry, an index, or the n-th pair of that name in a list of pairs."""

Place: TypeAlias = tuple[Key | Wild, ...]
"""The way to one place, every step of it known."""

Choose: TypeAlias = Callable[[Place, Plain | Missing, Plain | Missing], Plain | Missing]
"""Chooses the value of a field from the left and the right value."""

Settle: TypeAlias = Callable[[Plain, Plain], Plain]
"""The live value, with recorded parts wherever a difference does not count."""


def find(path: FieldPath, value: Plain) -> Iterator[Plain]:
    """Everything in `value` that the path names."""
    found: list[Plain] = []

    def keep(place: Place, left: Plain | Missing, right: Plain | Missing) -> Plain | Missing:
        del place, left
        if right is not MISSING:
            found.append(right)
        return right

    _Walk(keep).on(value, value, path.steps, ())
    return iter(found)


def replace(path: FieldPath, value: Plain, change: Callable[[Plain], Plain]) -> Plain:
    """`value` with `change` made of everything that the path names; it is not altered itself."""
    if _is_plain_way(path.steps, value):
        return _replaced(value, path.steps, change)

    def choose(place: Place, left: Plain | Missing, right: Plain | Missing) -> Plain | Missing:
        del place, left
        return right if right is MISSING else change(right)

    made = _Walk(choose).on(value, value, path.steps, ())
    assert made is not MISSING
    return made


def _is_plain_way(steps: Sequence[Step], value: Plain) -> bool:
    """Whether each step of a path is a key of a dict that is stored as it is."""
    for step in steps:
        if type(step) is not str or type(value) is not dict or step not in value:
            return False
        if TYPE in value or (len(value) == 1 and ITEMS in value):
            return False
        value = value[step]
    return True


def _replaced(value: Plain, steps: Sequence[Step], change: Callable[[Plain], Plain]) -> Plain:
    """`replace` along a plain way, which needs no walk over what is beside it."""
    if not steps:
        return change(value)
    step = steps[0]
    assert isinstance(value, dict)
    assert isinstance(step, str)
    made = _replaced(value[step], steps[1:], change)
    return value if made is value[step] else {**value, step: made}


def _as_it_is(recorded: Plain, actual: Plain) -> Plain:
    del recorded
    return actual


def align(
    path: FieldPath, recorded: Plain, actual: Plain, choose: Choose, settle: Settle = _as_it_is
) -> Plain:
    """`actual` with what `choose` says at each place that the path names in either value.

    A text that the path leads into as JSON becomes the recorded one, to the letter, when both say
    the same as JSON then; `settle` is asked first, for what else may differ inside.
    """
    made = _Walk(choose, settle).on(recorded, actual, path.steps, ())
    assert made is not MISSING
    return made


def parse_json(text: Plain | Missing) -> Plain | Missing:
    """The JSON in a text; MISSING if it is not valid JSON, or has a duplicate key."""
    if not isinstance(text, str):
        return MISSING
    try:
        value: Plain = _JSON.decode(text)
    except (ValueError, RecursionError):
        return MISSING
    return value


def place_text(place: Place) -> str:
    """The way to a place as a path spells it."""
    return "".join(step_text(key[0] if isinstance(key, tuple) else key) for key in place)


def live_at(value: Any, place: Place) -> Any:
    """The field of a live value, by the path of its plain form."""
    for key in place:
        if key is Wild.JSON:
            value = json.loads(value)
        elif isinstance(key, tuple):
            value = [pair[1] for pair in value if pair[0] == key[0]][key[1]]
        elif isinstance(value, Mapping):
            value = value[key] if key in value else value[_as_number(key)]
        elif isinstance(key, int):
            value = list(value)[key]
        elif not (key == ATTRIBUTES and isinstance(value, BaseException)):
            value = getattr(value, str(key))
    return value


def _as_number(key: Key | Wild) -> object:
    """The key of a mapping of ints, which is stored as text."""
    return int(key) if isinstance(key, str) and key.lstrip("-").isdigit() else key


@final
@dataclass(frozen=True, slots=True)
class _Walk:
    """One way through two values."""

    choose: Choose
    settle: Settle = _as_it_is

    def on(
        self, left: Plain | Missing, right: Plain | Missing, steps: Sequence[Step], place: Place
    ) -> Plain | Missing:
        """The right value: a copy if something inside changed."""
        if not steps:
            return self.choose(place, left, right)
        if left is MISSING or right is MISSING:
            return right
        step, rest = steps[0], steps[1:]
        if step is Wild.JSON:
            return self._into_json(left, right, rest, place)
        if step is Wild.DEEP:
            right = self.on(left, right, rest, place)
            if right is MISSING:
                return right
            step, rest = Wild.ANY, steps
        before, after = _entries(left, step), _entries(right, step)
        changes: dict[Key, Plain | Missing] = {}
        for key in _named(step, before, after):
            old = after.get(key, MISSING)
            new = self.on(before.get(key, MISSING), old, rest, (*place, key))
            if new is not old:
                changes[key] = new
        return _with(right, changes) if changes else right

    def _into_json(self, left: Plain, right: Plain, rest: Sequence[Step], place: Place) -> Plain:
        before = parse_json(left)
        after = before if left is right else parse_json(right)
        if before is MISSING or after is MISSING:
            return right
        made = self.on(before, after, rest, (*place, Wild.JSON))
        if made is MISSING:
            made = after
        if left is not right and (same(before, made) or same(before, self.settle(before, made))):
            return left
        return right if made is after else json.dumps(made, ensure_ascii=False)


def _named(step: Step, *sides: dict[Key, Plain]) -> Iterable[Key]:
    keys = dict.fromkeys(key for side in sides for key in side)
    if step is Wild.ANY:
        return [key for key in keys if not (isinstance(key, str) and key.startswith("$"))]
    if step in keys:
        return (step,) if isinstance(step, str | int) else ()
    if isinstance(step, int):  # the keys of a mapping of ints are stored as texts
        return (str(step),) if str(step) in keys else ()
    return [key for key in keys if isinstance(key, tuple) and key[0] == step]


def _entries(plain: Plain, step: Step) -> dict[Key, Plain]:
    """The entries of a container by key; empty for other values."""
    if isinstance(plain, list):
        if isinstance(step, str):
            return {key: pair[1] for key, pair in _pairs(plain)}
        return dict(enumerate(plain))
    if not isinstance(plain, dict):
        return {}
    if TYPE in plain and VALUE in plain:
        return _entries(plain[VALUE], step)
    if len(plain) == 1 and isinstance(pairs := plain.get(ITEMS), list):
        return {
            pair[0]: pair[1]
            for pair in pairs
            if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str | int)
        }
    return dict(plain.items())


def _pairs(items: list[Plain]) -> Iterator[tuple[tuple[str, int], list[Plain]]]:
    """The pairs of a list, such as headers: each name with how often it came before."""
    counts: dict[str, int] = {}
    for pair in items:
        if isinstance(pair, list) and len(pair) == 2 and isinstance(name := pair[0], str):
            yield (name, counts.get(name, 0)), pair
            counts[name] = counts.get(name, 0) + 1


def _with(plain: Plain, changes: dict[Key, Plain | Missing]) -> Plain:
    """A copy of a container in which some entries are others, more, or gone."""
    if isinstance(plain, list):
        if any(isinstance(key, tuple) for key in changes):
            return _with_pairs(plain, changes)
        items: dict[Key, Plain | Missing] = {**dict(enumerate(plain)), **changes}
        return [item for item in items.values() if item is not MISSING]
    assert isinstance(plain, dict)
    if TYPE in plain and VALUE in plain:
        return {**plain, VALUE: _with(plain[VALUE], changes)}
    if len(plain) == 1 and ITEMS in plain:
        entries = {**_entries(plain, Wild.ANY), **changes}
        return {ITEMS: [[_plain_key(k), v] for k, v in entries.items() if v is not MISSING]}
    fields: dict[str, Plain | Missing] = dict(plain)
    fields.update((str(key), value) for key, value in changes.items())
    return {key: value for key, value in fields.items() if value is not MISSING}


def _plain_key(key: Key) -> Plain:
    return key[0] if isinstance(key, tuple) else key


def _with_pairs(items: list[Plain], changes: dict[Key, Plain | Missing]) -> Plain:
    known = {id(pair): key for key, pair in _pairs(items)}
    out: list[Plain] = []
    for item in items:
        key = known.get(id(item))
        new = changes.get(key, MISSING) if key is not None else MISSING
        if key is None or key not in changes:
            out.append(item)
        elif new is not MISSING:
            out.append([key[0], new])
    present = set(known.values())
    out.extend(
        [added[0], new]
        for added, new in changes.items()
        if isinstance(added, tuple) and added not in present and new is not MISSING
    )
    return out


def _unique(pairs: list[tuple[str, Plain]]) -> Plain:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key twice")
    return made


_JSON: Final = json.JSONDecoder(object_pairs_hook=_unique)
