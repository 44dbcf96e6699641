"""Checks what a recorded server tells a model: texts, names, and changes since a baseline."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vcr_gen.boundaries.mcp.listings.deceptive_texts import deceptions, excerpt
from vcr_gen.boundaries.mcp.listings.lookalike_names import foreign_letters, lookalikes
from vcr_gen.boundaries.mcp.listings.recorded_listings import (
    KINDS,
    Kind,
    Listed,
    Session,
    pair_sessions,
)
from vcr_gen.boundaries.mcp.listings.schema_forms import text_of

__all__ = ["HINTS", "LintFinding", "lint_sessions"]

HINTS: Final[Mapping[str, str]] = {
    "overrides-instructions": "a description says what a tool does; remove the order",
    "pretends-a-role": "remove the markup: a description is not a message",
    "hides-from-user": "users must be able to see what a tool does; remove the order",
    "exfiltrates": "do not use this server before you know why it asks for this",
    "orders-other-tools": "a description is about its own tool; remove the order",
    "markup-comment": "say it where people see it, or remove it",
    "hidden-characters": "remove them: people cannot see what the model reads",
    "encoded-text": "write it in plain text, or remove it",
    "changed-description": "read the new text before you trust it",
    "lookalike-name": "rename one of them, so that models cannot confuse them",
    "shadowed-name": "remove one of them: which one is called is not defined",
    "secret": "remove it from the server, and rotate the credential",
}
"""Every code, and what to do about it."""
_UNSEEN: Final = ("icons", "_meta")
"""Fields that a model does not get to read."""
_DESCRIBING: Final = ("description", "title")


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A finding at its place."""

    code: str
    path: Path
    line: int
    server: str
    """The name of the server, if the cassette has several."""
    kind: Kind
    name: str
    field: str
    excerpt: str
    message: str
    fingerprint: str
    """The name of the finding in an allow-list; it changes with the text."""


def lint_sessions(
    sessions: Mapping[str, Session], baseline: Mapping[str, Session] | None = None
) -> list[LintFinding]:
    """All findings in what the servers of a cassette list, in the order of lines."""
    found: dict[str, LintFinding] = {}
    pairs = pair_sessions(baseline, sessions) if baseline else []
    for finding in (
        *(each for session in sessions.values() for each in _session(session)),
        *_names(sessions.values()),
        *(each for old, new in pairs for each in _changes_since(old, new)),
    ):
        found.setdefault(finding.fingerprint, finding)
    return sorted(found.values(), key=lambda finding: (finding.line, finding.code))


def _session(session: Session) -> Iterator[LintFinding]:
    yield from _instructions(session)
    for item in _items(session):
        yield from _item(session, item)
    yield from _changes_within(session)


def _items(session: Session) -> Iterator[Listed]:
    for kind in KINDS:
        for listing in session.listings.get(kind, ()):
            yield from listing.items


def _instructions(session: Session) -> Iterator[LintFinding]:
    text = str(session.greeting.get("instructions") or "")
    itself = Listed("server", "", {}, session.greeting_line)
    yield from _text(session, itself, "instructions", text)


def _item(session: Session, item: Listed) -> Iterator[LintFinding]:
    if item.kind in ("tool", "prompt") and foreign_letters(item.key):
        message = "the name has letters that only look like those of ASCII"
        yield _name("lookalike-name", session, item, message)
    for field, text in texts_of(item.data):
        yield from _text(session, item, field, text)


def _text(session: Session, item: Listed, field: str, text: str) -> Iterator[LintFinding]:
    for each in deceptions(text):
        yield _finding(
            each.code, session, item, field, text=text, message=each.message, shown=each.excerpt
        )


def _finding(
    code: str,
    session: Session,
    item: Listed,
    field: str,
    *,
    text: str,
    message: str,
    shown: str = "",
) -> LintFinding:
    server = session.server
    identity = "\0".join((code, server, item.kind, item.key, field, text))
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    shown = shown or excerpt(text, 0)
    place = session.path, item.line, server, item.kind, item.key, field
    return LintFinding(code, *place, shown, message, digest)


def texts_of(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text in an item with its place; names of parameters are texts, too."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            place = f"{path}.{name}" if path else str(name)
            if name not in _UNSEEN or path:
                yield place, str(name).replace("_", " ")
                yield from texts_of(inner, place)
    elif isinstance(value, Sequence):
        for number, inner in enumerate(value):
            yield from texts_of(inner, f"{path}[{number}]")


def _names(sessions: Iterable[Session]) -> Iterator[LintFinding]:
    """Tools and prompts that are taken for each other, also those of two servers."""
    kinds: tuple[Kind, ...] = ("tool", "prompt")
    for kind in kinds:
        seen: dict[str, tuple[Session, Listed]] = {}
        for session, listing in ((each, each.listing(kind)) for each in sessions):
            for item in listing.items if listing else ():
                if item.key in seen:
                    other, twin = seen[item.key]
                    where = "twice" if other is session else f"by the server {other.server}, too"
                    message = f"listed {where}, in line {twin.line}"
                    yield _name("shadowed-name", session, item, message)
                seen.setdefault(item.key, (session, item))
        for one, other_name in lookalikes(seen):
            yield _name("lookalike-name", *seen[other_name], f"looks like {one}")


def _name(code: str, session: Session, item: Listed, message: str) -> LintFinding:
    return _finding(code, session, item, "name", text=item.key, message=message)


def _changes_within(session: Session) -> Iterator[LintFinding]:
    """Descriptions that changed between two listings of one session."""
    for kind in KINDS:
        listings = session.listings.get(kind, ())
        for number, listing in enumerate(listings[1:], start=1):
            before = {item.key: item for each in listings[:number] for item in each.items}
            message = "changed during the session"
            yield from _changed(session, before, listing.items, message)


def _changes_since(baseline: Session, session: Session) -> Iterator[LintFinding]:
    """Descriptions that changed since the baseline."""
    message = f"changed since {baseline.path}"
    sides = []
    for each in (baseline, session):
        text = {"instructions": each.greeting.get("instructions") or ""}
        sides.append(Listed("server", "", text, each.greeting_line))
    if baseline.greeting and session.greeting:
        yield from _changed(session, {"": sides[0]}, [sides[1]], message)
    for kind in KINDS:
        old, new = baseline.listing(kind), session.listing(kind)
        if old and new:
            yield from _changed(session, old.by_key(), new.items, message)


def _changed(
    session: Session, before: Mapping[str, Listed], items: Iterable[Listed], message: str
) -> Iterator[LintFinding]:
    for item in items:
        old = before.get(item.key)
        if old is None or old.data == item.data:
            continue
        earlier = _described(old)
        for field, text in _described(item).items():
            was = earlier.get(field)
            if was != text and (was is not None or "." not in field):
                both = f"{was}\0{text}"
                yield _finding(
                    "changed-description",
                    session,
                    item,
                    field,
                    text=both,
                    message=message,
                    shown=excerpt(text, 0),
                )


def _described(item: Listed) -> dict[str, str]:
    """The texts that describe an item, and its annotations."""
    texts = {
        field: text
        for field, text in texts_of(item.data)
        if field == "instructions" or field.rpartition(".")[2] in _DESCRIBING
    }
    hints = item.data.get("annotations")
    return texts | ({"annotations": text_of(hints)} if hints else {})
