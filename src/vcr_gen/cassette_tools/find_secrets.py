"""Finds credentials in the file of a cassette, also in a partial or damaged one."""

import hashlib
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate, islice
from pathlib import Path
from typing import Final, NamedTuple, final

from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.formats import Entry
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import Redaction, Secrets, as_bytes, is_binary, text_of
from vcr_gen.runtime.tape.events import End, Event, Item, Start, kind_of
from vcr_gen.runtime.tape.reading import entries_of, open_regular
from vcr_gen.runtime.tape.unfolding import unfold

_SHOWN: Final = 4
"""How many characters of a credential are shown."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A credential in a file; the credential itself is not shown by its repr."""

    path: Path
    line: int
    """The first line of the event; the line itself in the unreadable part of a file."""
    rule: str
    shown: str
    """The credential, masked."""
    fingerprint: str
    """The name of the finding in an allow-list."""


def find_secrets(path: Path, redaction: Redaction) -> list[Finding]:
    """The credentials in a file, in order, without repetitions in one event."""
    search = _Search(redaction)
    try:
        with open_regular(path) as stream:
            for entry in entries_of(stream, path):
                search.add(entry, path)
        search.close()
    except CassetteFormatError:
        search.close()
        with open_regular(path) as stream:
            rest = b"".join(islice(stream, search.line - 1, None)).decode("utf-8", "replace")
        search.add_text(rest)
    return [_finding(path, *each) for each in sorted(search.found, key=lambda each: each.line)]


class _Found(NamedTuple):
    line: int
    rule: str
    secret: str


@final
@dataclass(slots=True)
class _Search:
    """Looks into one entry of a file after the other."""

    redaction: Redaction
    line: int = 1
    """The line of the last entry that could be read."""
    found: list[_Found] = field(default_factory=list)
    methods: dict[int, str] = field(default_factory=dict)
    """The method of each open call."""
    streams: dict[int, list[tuple[int, Plain]]] = field(default_factory=dict)
    """The texts of each open stream with their lines: several items may share a credential."""

    def add(self, entry: Entry, path: Path) -> None:
        """Look into an entry."""
        self.line = entry.line
        secrets = Secrets(self.redaction)
        events = _events_of(entry, path)
        if events is None:
            secrets.entry(entry.data)
        for event in events or ():
            self._add_event(event, entry.line, secrets)
        self._note(entry.line, secrets.vault.hidden())

    def _add_event(self, event: Event, line: int, secrets: Secrets) -> None:
        if isinstance(event, Start):
            self.methods[event.call] = event.of
            secrets.redact(event.of, "call", dict(event.arguments))
            return
        of, kind = self.methods.get(event.call, ""), kind_of(event).value
        if isinstance(event, Item) and not event.raised and text_of(event.value) is not None:
            self.streams.setdefault(event.call, []).append((line, event.value))
        elif kind is not None:
            secrets.redact(of, kind, event.value)
        if isinstance(event, End):
            self.methods.pop(event.call, None)
            self._end(event.call)

    def add_text(self, rest: str) -> None:
        """Search the part that could not be read."""
        secrets = Secrets(self.redaction)
        secrets.text(rest)
        known = {(rule, secret) for line, rule, secret in self.found if line == self.line}
        for rule, secret in secrets.vault.hidden():
            if (rule, secret) not in known:  # the last event that could be read
                first_line = (secret.splitlines() or [""])[0]
                before = rest.partition(first_line)[0] if first_line in rest else ""
                self.found.append(_Found(self.line + before.count("\n"), rule, secret))

    def close(self) -> None:
        """Look into the streams without an end."""
        for call in list(self.streams):
            self._end(call)

    def _end(self, call: int) -> None:
        """Look into all texts of a stream at once."""
        items = self.streams.pop(call, [])
        texts = [text_of(value) or "" for _, value in items]
        if any(is_binary(value) for _, value in items):
            pairs = zip(texts, items, strict=True)
            texts = [text if is_binary(value) else as_bytes(text) for text, (_, value) in pairs]
        text, ends = "".join(texts), list(accumulate(map(len, texts)))
        redactor = Secrets(self.redaction).redactor
        for span in redactor.finder.find(text):
            line = items[bisect_right(ends, span.start)][0]
            known = len(redactor.vault.hidden())
            redactor.placeholder(text, span)
            self._note(line, redactor.vault.hidden()[known:])

    def _note(self, line: int, hidden: Iterable[tuple[str, str]]) -> None:
        for rule, secret in hidden:
            found = _Found(line, rule, secret)
            if found not in self.found:
                self.found.append(found)


def _events_of(entry: Entry, path: Path) -> tuple[Event, ...] | None:
    """The events of an entry; None if it has none, or is damaged."""
    if entry.kind != "event":
        return None
    try:
        return unfold(entry.data, path=path, line=entry.line)
    except CassetteFormatError:
        return None


def _finding(path: Path, line: int, rule: str, secret: str) -> Finding:
    digest = hashlib.sha256(f"{rule}\0{secret}".encode("utf-8", "surrogatepass")).hexdigest()
    return Finding(path, line, rule, _masked(rule, secret), digest[:12])


def _masked(rule: str, secret: str) -> str:
    """The visible part of a credential: its public prefix and its length."""
    start = secret[:_SHOWN] if len(secret) >= 20 and rule != "secret" else ""
    return f"{start}… ({len(secret)} characters)".replace("\n", " ")
