"""Checks what a recorded server tells a model: texts, names, and changes since a baseline."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from vcr_gen.boundaries.mcp.listings.deceptive_texts import (
    Deception,
    deceptions,
    deceptions_in_result,
    excerpt,
)
from vcr_gen.boundaries.mcp.listings.lookalike_names import foreign_letters, lookalikes
from vcr_gen.boundaries.mcp.listings.recorded_listings import (
    KINDS,
    Kind,
    Listed,
    Request,
    Session,
    pair_sessions,
)
from vcr_gen.boundaries.mcp.listings.schema_forms import text_of

Severity: TypeAlias = Literal["high", "medium"]


@dataclass(frozen=True, slots=True)
class LintRule:
    """How bad a finding is, and what to do about it."""

    severity: Severity
    hint: str


RULES: Final[Mapping[str, LintRule]] = {
    "overrides-instructions": LintRule(
        "high", "a description says what a tool does; remove the order"
    ),
    "pretends-a-role": LintRule("high", "remove the markup: a description is not a message"),
    "hides-from-user": LintRule(
        "high", "users must be able to see what a tool does; remove the order"
    ),
    "exfiltrates": LintRule("high", "do not use this server before you know why it asks for this"),
    "orders-other-tools": LintRule(
        "medium", "a description is about its own tool; remove the order"
    ),
    "markup-comment": LintRule("medium", "say it where people see it, or remove it"),
    "hidden-characters": LintRule("high", "remove them: people cannot see what the model reads"),
    "encoded-text": LintRule("medium", "write it in plain text, or remove it"),
    "changed-description": LintRule("medium", "read the new text before you trust it"),
    "lookalike-name": LintRule("medium", "rename one of them, so that models cannot confuse them"),
    "shadowed-name": LintRule("medium", "remove one of them: which one is called is not defined"),
    "secret": LintRule("high", "remove it from the server, and rotate the credential"),
}
"""Every code."""
RESULTS: Final[Mapping[str, Kind]] = {
    "tools/call": "tool",
    "prompts/get": "prompt",
    "resources/read": "resource",
}
"""The requests whose results a model reads, and what each of them asks."""
_RESULT_HINT: Final = "a result is data: see where the server has it from"
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

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return RULES[self.code].severity

    @property
    def hint(self) -> str:
        """What to do about it."""
        return _RESULT_HINT if self.field.startswith("result.") else RULES[self.code].hint


def lint_sessions(
    sessions: Mapping[str, Session], baseline: Mapping[str, Session] | None = None
) -> list[LintFinding]:
    """All findings in what the servers of a cassette list and answer, in the order of lines."""
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
    for request in session.requests:
        yield from _result(session, request)
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


def _result(session: Session, request: Request) -> Iterator[LintFinding]:
    """What is wrong with a result, one finding for each code: results repeat their texts."""
    if request.method not in RESULTS or request.status != "returned":
        return
    item = Listed(RESULTS[request.method], request.name, {}, request.line)
    seen: set[str] = set()
    for field, text in texts_of(request.result, "result"):
        for each in deceptions_in_result(text):
            if each.code not in seen:
                seen.add(each.code)
                yield _of_text(each, session, item, field, text)


def _text(session: Session, item: Listed, field: str, text: str) -> Iterator[LintFinding]:
    for each in deceptions(text):
        yield _of_text(each, session, item, field, text)


def _of_text(
    found: Deception, session: Session, item: Listed, field: str, text: str
) -> LintFinding:
    return _finding(
        found.code, session, item, field, text=text, message=found.message, shown=found.excerpt
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
