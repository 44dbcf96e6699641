"""Checks what a recorded server tells a model: texts, names, and changes since a baseline."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vcr_gen.boundaries.mcp.listings.deceptive_texts import deceptions, excerpt
from vcr_gen.boundaries.mcp.listings.lookalike_names import foreign_letters, lookalikes
from vcr_gen.boundaries.mcp.listings.recorded_listings import KINDS, Kind, Listed, Session
from vcr_gen.boundaries.mcp.listings.schema_forms import text_of

__all__ = ["HINTS", "LintFinding", "lint_session"]

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
    kind: Kind
    name: str
    field: str
    excerpt: str
    message: str
    fingerprint: str
    """The name of the finding in an allow-list; it changes with the text."""


def lint_session(session: Session, baseline: Session | None = None) -> list[LintFinding]:
    """All findings in what a server lists, in the order of lines."""
    found: dict[str, LintFinding] = {}
    for finding in (
        *_instructions(session),
        *(each for item in _items(session) for each in _item(session.path, item)),
        *_names(session),
        *_changes_within(session),
        *(_changes_since(baseline, session) if baseline else ()),
    ):
        found.setdefault(finding.fingerprint, finding)
    return sorted(found.values(), key=lambda finding: (finding.line, finding.code))


def _items(session: Session) -> Iterator[Listed]:
    for kind in KINDS:
        for listing in session.listings.get(kind, ()):
            yield from listing.items


def _instructions(session: Session) -> Iterator[LintFinding]:
    text = str(session.greeting.get("instructions") or "")
    yield from _text(
        session.path, Listed("server", "", {}, session.greeting_line), "instructions", text
    )


def _item(path: Path, item: Listed) -> Iterator[LintFinding]:
    if item.kind in ("tool", "prompt") and foreign_letters(item.key):
        message = "the name has letters that only look like those of ASCII"
        yield _finding("lookalike-name", path, item, "name", text=item.key, message=message)
    for field, text in texts_of(item.data):
        yield from _text(path, item, field, text)


def _text(path: Path, item: Listed, field: str, text: str) -> Iterator[LintFinding]:
    for each in deceptions(text):
        yield _finding(
            each.code, path, item, field, text=text, message=each.message, shown=each.excerpt
        )


def _finding(
    code: str, path: Path, item: Listed, field: str, *, text: str, message: str, shown: str = ""
) -> LintFinding:
    identity = "\0".join((code, item.kind, item.key, field, text))
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    shown = shown or excerpt(text, 0)
    return LintFinding(code, path, item.line, item.kind, item.key, field, shown, message, digest)


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


def _names(session: Session) -> Iterator[LintFinding]:
    """Tools and prompts that are taken for each other."""
    kinds: tuple[Kind, ...] = ("tool", "prompt")
    for kind in kinds:
        listing = session.listing(kind)
        items = listing.items if listing else ()
        seen: dict[str, Listed] = {}
        for item in items:
            if item.key in seen:
                message = f"listed twice, also in line {seen[item.key].line}"
                yield _finding(
                    "shadowed-name", session.path, item, "name", text=item.key, message=message
                )
            seen.setdefault(item.key, item)
        for one, other in lookalikes(seen):
            message = f"looks like {one}"
            yield _finding(
                "lookalike-name", session.path, seen[other], "name", text=other, message=message
            )


def _changes_within(session: Session) -> Iterator[LintFinding]:
    """Descriptions that changed between two listings of one session."""
    for kind in KINDS:
        listings = session.listings.get(kind, ())
        for number, listing in enumerate(listings[1:], start=1):
            before = {item.key: item for each in listings[:number] for item in each.items}
            message = "changed during the session"
            yield from _changed(session.path, before, listing.items, message)


def _changes_since(baseline: Session, session: Session) -> Iterator[LintFinding]:
    """Descriptions that changed since the baseline."""
    message = f"changed since {baseline.path}"
    sides = []
    for each in (baseline, session):
        text = {"instructions": each.greeting.get("instructions") or ""}
        sides.append(Listed("server", "", text, each.greeting_line))
    if baseline.greeting and session.greeting:
        yield from _changed(session.path, {"": sides[0]}, [sides[1]], message)
    for kind in KINDS:
        old, new = baseline.listing(kind), session.listing(kind)
        if old and new:
            yield from _changed(session.path, old.by_key(), new.items, message)


def _changed(
    path: Path, before: Mapping[str, Listed], items: Iterable[Listed], message: str
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
                    path,
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
