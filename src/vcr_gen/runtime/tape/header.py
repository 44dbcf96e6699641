"""The header of a cassette: the settings of the recording."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from vcr_gen.errors import CassetteError, CassetteFormatError, UsageError
from vcr_gen.field_path_syntax import parse_path
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import hidden
from vcr_gen.runtime.tape.reading import open_regular

if TYPE_CHECKING:
    from vcr_gen.runtime.boundary.spec import Boundary

FORMAT_VERSION = 1

MAY_REPEAT: Final = "may repeat"
"""Stands beside the name of a call, instead of a field."""

HOWS: Final = ("volatile", "match", "secret", "unrecorded", "echoed")
"""The ways to loosen the comparison of a field; a name may follow."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The header of a cassette."""

    recorded_at: datetime
    initial_state: Mapping[str, Plain]
    imported: Mapping[str, Plain] | None = None
    """`from` the tool that recorded the session, and what its boundary compares; None if we did."""
    anchors: tuple[str, ...] = ()
    """The names of the anchors."""
    max_age: timedelta | None = None
    order: Plain = None
    """How loosely the order of calls is compared; None for the default."""
    strategy: Plain = None
    """The strategies of boundaries; None for the default."""
    rules: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """`Boundary.method`, and how the comparison of its field paths is loosened."""
    redaction: Mapping[str, Plain] = field(default_factory=dict)
    """The redaction settings: the names of added and disabled rules."""
    signatures: Mapping[str, str] = field(default_factory=dict)
    """`Boundary.method` and the signature it was recorded with."""

    @property
    def has_no_order(self) -> bool:
        """Whether the tool that recorded the session does not know the order of its calls."""
        return self.imported is not None and self.imported.get("order") != "recorded"

    def plain(
        self, boundaries: "Mapping[str, Boundary]", rules: Mapping[str, Mapping[str, str]]
    ) -> dict[str, Plain]:
        """The header for the file, with the rules of the session."""
        head: dict[str, Plain] = {
            "vcr-gen": FORMAT_VERSION,
            "recorded_at": self.recorded_at.isoformat(timespec="seconds"),
        }
        if self.imported is not None:
            head["imported"] = dict(self.imported)
        if self.max_age is not None:
            head["max_age"] = self.max_age.total_seconds()
        if self.initial_state:
            head["initial_state"] = dict(self.initial_state)
        if self.anchors:
            head["anchors"] = list(self.anchors)
        if self.redaction:
            head["redaction"] = dict(self.redaction)
        if boundaries:
            head["boundaries"] = {
                name: {
                    "direction": boundaries[name].direction,
                    "methods": dict(boundaries[name].signatures()),
                }
                for name in sorted(boundaries)
            }
        if self.order is not None:
            head["order"] = self.order
        if self.strategy is not None:
            head["strategy"] = self.strategy
        merged: dict[str, dict[str, Plain]] = {}
        for each in (self.rules, rules):
            for of, paths in each.items():
                merged.setdefault(of, {}).update(paths)
        if merged:
            head["rules"] = {of: merged[of] for of in sorted(merged)}
        return head

    @classmethod
    def read(cls, data: Mapping[str, Plain], path: Path) -> "Header":
        """Parse and check the header of a file."""

        def wrong(key: str, expected: str) -> CassetteFormatError:
            got = f"{hidden(repr(data.get(key))):.80}"
            message = f"`{key}`: expected {expected}; got {got}"
            return CassetteFormatError(message, path=path, line=_line_of(key, path))

        state = data.get("initial_state", {})
        if not isinstance(state, dict):
            raise wrong("initial_state", "a mapping")
        imported = data.get("imported")
        if imported is not None and (
            not isinstance(imported, dict) or not isinstance(imported.get("from"), str)
        ):
            raise wrong("imported", "a mapping with `from`")
        anchors = data.get("anchors", [])
        if not isinstance(anchors, list) or not all(isinstance(name, str) for name in anchors):
            raise wrong("anchors", "a list of names")
        if len(set(map(str, anchors))) < len(anchors):
            raise wrong("anchors", "each name once")
        redaction = data.get("redaction", {})
        if not isinstance(redaction, dict):
            raise wrong("redaction", "a mapping")
        age = data.get("max_age")
        if age is not None and (isinstance(age, bool) or not isinstance(age, int | float)):
            raise wrong("max_age", "seconds")
        try:
            recorded_at = datetime.fromisoformat(str(data.get("recorded_at")))
        except ValueError:
            raise wrong("recorded_at", "a date and time") from None
        try:
            max_age = None if age is None else timedelta(seconds=age)
        except OverflowError:
            raise wrong("max_age", "seconds") from None
        return cls(
            recorded_at=recorded_at if recorded_at.tzinfo else recorded_at.replace(tzinfo=UTC),
            initial_state=state,
            imported=imported,
            anchors=tuple(str(name) for name in anchors),
            max_age=max_age,
            order=_words(data.get("order"), lambda: wrong("order", "a word, or one per boundary")),
            strategy=_words(
                data.get("strategy"), lambda: wrong("strategy", "a word, or one per boundary")
            ),
            rules=_rules(data.get("rules", {}), wrong),
            redaction=redaction,
            signatures=dict(_signatures(data.get("boundaries", {}), wrong)),
        )


def _line_of(key: str, path: Path) -> int | None:
    """The line of a key of the header; the first line if the header is one line."""
    start = f"{key}:".encode()
    try:
        with open_regular(path) as lines:
            head = enumerate(takewhile(lambda line: not line.startswith(b"events:"), lines), 1)
            return next((number for number, line in head if line.startswith(start)), 1)
    except CassetteError:
        return None


def _words(value: Plain, wrong: Callable[[], CassetteFormatError]) -> Plain:
    each = list(value.values()) if isinstance(value, dict) else [value]
    if value is not None and not all(isinstance(word, str) for word in each):
        raise wrong()
    return value


def _rules(value: Plain, wrong: Any) -> dict[str, dict[str, str]]:
    expected = "for each Boundary.method, field paths and one of " + ", ".join(HOWS)
    if not isinstance(value, dict):
        raise wrong("rules", expected)
    found: dict[str, dict[str, str]] = {}
    for of, paths in value.items():
        if not isinstance(paths, dict):
            raise wrong("rules", expected)
        for path, how in paths.items():
            if how == MAY_REPEAT:
                found.setdefault(of, {})[path] = how
                continue
            if not isinstance(how, str) or how.partition(" ")[0] not in HOWS:
                raise wrong("rules", expected)
            try:
                parse_path(path)
            except UsageError:
                raise wrong("rules", expected) from None
            found.setdefault(of, {})[path] = how
    return found


def _signatures(boundaries: Plain, wrong: Any) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if not isinstance(boundaries, dict):
        raise wrong("boundaries", "a mapping")
    for name, about in boundaries.items():
        if not isinstance(about, dict) or set(about) != {"direction", "methods"}:
            raise wrong("boundaries", "direction and methods for each")
        methods = about["methods"]
        if not isinstance(methods, dict) or about["direction"] not in ("outbound", "inbound"):
            raise wrong("boundaries", "direction and methods for each")
        for method, signature in methods.items():
            if not isinstance(signature, str):
                raise wrong("boundaries", "a signature for each method")
            found.append((f"{name}.{method}", signature))
    return found
