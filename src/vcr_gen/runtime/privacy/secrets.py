"""The secrets of a session: redaction, comparison and messages."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, TypeVar, cast, final

from vcr_gen.field_path_syntax import FieldPath, Wild
from vcr_gen.runtime.codec import MISSING, Difference, Missing, field_paths
from vcr_gen.runtime.codec.placeholders import map_texts, placeholders_in
from vcr_gen.runtime.codec.scalars import bytes_from_plain, bytes_to_plain
from vcr_gen.runtime.codec.tags import BASE64
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy.align import Aligner
from vcr_gen.runtime.privacy.compressed import rewritten
from vcr_gen.runtime.privacy.credential_names import Naming, name_of_result
from vcr_gen.runtime.privacy.finder import Finder
from vcr_gen.runtime.privacy.redaction import Redaction
from vcr_gen.runtime.privacy.redactor import Redactor
from vcr_gen.runtime.privacy.vault import Vault


@final
class Secrets:
    """Redacts the stored values of a session, and compares replayed values up to secrets."""

    def __init__(self, redaction: Redaction, *, replaying: bool = False) -> None:
        finder = Finder(redaction)
        self._fields = list(redaction.places())
        self._fields_of: dict[str, list[FieldPath]] = {}
        self._spared: dict[str, list[FieldPath]] = {}
        self.vault = Vault(replaying=replaying)
        self.redactor = Redactor(finder, self.vault)
        self._aligner = Aligner(finder, self.vault)
        self.times_fed = 0
        """How often the program received a value with placeholders."""

    def add_field(self, of: str, path: FieldPath) -> None:
        """Treat a field of a method as a secret."""
        if (of, path) not in self._fields:
            self._fields.append((of, path))
            self._fields_of.clear()

    def spare(self, of: str, path: FieldPath) -> None:
        """Treat a field as harmless even if its name is not: its type allows only a few values."""
        names = [step for step in path.steps if isinstance(step, str)]
        roots = [name_of_result(of) if path.root == _ROOTS["returned"] else path.root]
        naming = self.redactor.finder.naming
        if any(name and naming(name) is not Naming.HARMLESS for name in (*roots, *names)):
            self._spared.setdefault(of, []).append(path)

    def stays(self, of: str, kind: str, value: Plain) -> bool:
        """Whether a value of a call is stored as it is; a positive answer is reliable."""
        if self._secret_fields(of):
            return False
        return self.redactor.stays(value, name_of_result(of) if kind == "returned" else "")

    def redact(self, of: str, kind: str, value: Plain) -> Plain:
        """A redacted value of a call: its arguments by name, its result, …"""
        for path in _within(self._secret_fields(of), kind):
            value = field_paths.replace(path, value, self._hide_place)
        spared = _within(self._spared.get(of, ()), kind)
        seen = value
        for path in spared:  # hidden from the redactor, which would search for it everywhere
            seen = field_paths.replace(path, seen, _nothing)
        made = self.redactor.redact(seen, name_of_result(of) if kind == "returned" else "")
        for path in spared:
            made = field_paths.align(path, value, made, _as_it_was)
        return made

    def _secret_fields(self, of: str) -> list[FieldPath]:
        paths = self._fields_of.get(of)
        if paths is None:
            paths = [path for pattern, path in self._fields if fnmatchcase(of, pattern)]
            self._fields_of[of] = paths
        return paths

    def entry(self, entry: dict[str, Plain]) -> dict[str, Plain]:
        """The header or an event of a file without the secrets in its values."""
        return _with_values(entry, self.redactor.redact)

    def hide(self, value: Plain) -> str:
        """The placeholder for a value that is marked `Secret`."""
        return self.redactor.hide("secret", value)

    def feed(self, value: Plain) -> None:
        """Note that the program receives this recorded value, with its placeholders."""
        if found := placeholders_in(value):
            self.times_fed += 1
            self.vault.feed(found)

    def revealed(self, value: Plain) -> Plain:
        """A recorded value with the secrets of this session that the program has shown."""
        if not self.vault.is_bound:
            return value
        return map_texts(value, self.vault.reveal_bound)

    def text(self, text: str) -> str:
        """A text for messages, without secrets."""
        return self.redactor.text(text)

    def _hide_place(self, value: Plain) -> Plain:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int | float):
            return type(value)(0)
        if isinstance(value, str) or set(value) & {"$base64", "$escaped"}:
            return self.redactor.hide("field", value)
        if isinstance(value, list):
            return [self._hide_place(item) for item in value]
        return {
            key: each if key == "$type" else self._hide_place(each) for key, each in value.items()
        }

    def refused(self, place: str, got: str) -> str:
        """A refused value for a message; hidden if its name is that of a secret."""
        names = _NAMES.findall(place)
        if names and self.redactor.finder.naming(names[-1]) is not Naming.HARMLESS:
            return "something else, not shown"
        return self.text(got)

    def without_known(self, text: str) -> str:
        """A text composed of redacted ones, without known secrets."""
        for secret in self.vault.known:
            for spelling in {secret, json.dumps(secret)[1:-1]}:  # plain, and inside JSON
                if spelling in text:
                    text = text.replace(spelling, self.vault.hide("secret", secret))
        return text

    def header_without_known(self, header: dict[str, Plain]) -> dict[str, Plain]:
        """The header without secrets that were found later."""
        return _with_values(header, self.value_without_known)

    def value_without_known(self, value: Plain) -> Plain:
        """A stored value without known secrets, also in compressed data."""
        if isinstance(value, str):
            return self.without_known(value)
        if isinstance(value, list):
            return [self.value_without_known(item) for item in value]
        if isinstance(value, dict):
            if value.keys() == {BASE64}:
                data = bytes_from_plain(value, expected="bytes").decode("latin-1")
                made = rewritten(data, self.without_known)
                return value if made == data else bytes_to_plain(made.encode("latin-1"))
            return {
                self.without_known(key): self.value_without_known(item)
                for key, item in value.items()
            }
        return value

    def align(self, recorded: Plain, actual: Plain) -> Plain:
        """The live value, with recorded parts wherever only secrets differ."""
        return self._aligner.align(recorded, actual)


_VALUES = frozenset({"initial_state", "args", "value", "returned", "raised"})
"""The keys of a header or event that contain values of the program."""


def _with_values(entry: dict[str, Plain], change: Callable[[Plain], Plain]) -> dict[str, Plain]:
    """The header or an event with changed values, also those of the items of a stream."""
    made = dict(entry)
    for key, value in entry.items():
        if key in _VALUES:
            made[key] = change(value)
        elif key == "items":
            items = value if isinstance(value, list) else [value]
            made[key] = [
                _with_value(item, change) if isinstance(item, dict) else change(item)
                for item in items
            ]
    return made


def _with_value(item: dict[str, Plain], change: Callable[[Plain], Plain]) -> dict[str, Plain]:
    """An item with a changed value, which is all but its time."""
    if "value" in item:
        return {**item, "value": change(item["value"])}
    made = change({key: value for key, value in item.items() if key != "at"})
    assert isinstance(made, dict)
    return {key: item[key] for key in item if key == "at"} | made


_NAMES = re.compile(r"[A-Za-z_][\w-]*")

_ROOTS = {
    "item": "$item",
    "sent": "$sent",
    "thrown": "$sent",
    "returned": "$result",
    "raised": "$raised",
}


def _within(paths: Iterable[FieldPath], kind: str) -> list[FieldPath]:
    """The paths that lead into one kind of value, relative to it; arguments are one mapping."""
    if kind != "call":
        return [path for path in paths if path.starts_at(_ROOTS[kind])]
    return [
        FieldPath("", "", (Wild.ANY if path.root == "*" else path.root, *path.steps))
        for path in paths
        if path.root not in _ROOTS.values()
    ]


def _nothing(value: Plain) -> Plain:
    del value
    return None


def _as_it_was(
    place: field_paths.Place, before: Plain | Missing, after: Plain | Missing
) -> Plain | Missing:
    del place
    return after if before is MISSING else before


def redacting() -> Callable[[dict[str, Plain]], dict[str, Plain]]:
    """A function that redacts the entries of a file for display."""
    return Secrets(Redaction()).entry


@cache
def _default() -> Finder:
    return Finder(Redaction())


def hidden(text: str) -> str:
    """A text for messages, redacted by the default rules, without a session."""
    return Redactor(_default(), Vault()).text(text)


def hidden_in(value: Plain) -> Plain:
    """A value for messages, redacted by the default rules."""
    return Redactor(_default(), Vault()).redact(value)


_T = TypeVar("_T")


def without_secrets(facts: _T, secrets: Secrets) -> _T:
    """The same facts with every text and value redacted."""
    return cast("_T", _clean(facts, secrets))


def _clean(value: Any, secrets: Secrets) -> Any:
    if isinstance(value, str):
        return secrets.without_known(value)
    if isinstance(value, tuple):
        return tuple(_clean(item, secrets) for item in value)
    if isinstance(value, Difference):
        recorded, actual = (
            side if side is MISSING else secrets.redactor.redact(side)
            for side in (value.recorded, value.actual)
        )
        return replace(value, recorded=recorded, actual=actual)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value,
            **{each.name: _clean(getattr(value, each.name), secrets) for each in fields(value)},
        )
    return value
