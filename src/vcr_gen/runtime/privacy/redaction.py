"""The user's redaction settings: additional and disabled rules."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, final

from vcr_gen.errors import UsageError
from vcr_gen.field_path_syntax import FieldPath, parse_path
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy.key_formats import KEY_FORMATS
from vcr_gen.spelling import did_you_mean

URL_PASSWORD: Final = "url-password"
NAMES: Final = "names"
BASE64: Final = "base64"
COMPRESSED: Final = "compressed"
DEFAULT_RULES: Final = (
    *(known.name for known in KEY_FORMATS),
    *(URL_PASSWORD, NAMES, BASE64, COMPRESSED),
)
"""The names of the default rules."""

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")
FindSecrets: TypeAlias = Callable[[str], Iterable[str]]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Redaction:
    """The redaction rules of a session, in addition to the default ones."""

    patterns: Mapping[str, str | re.Pattern[str]] = field(default_factory=dict)
    """Regular expressions by name; the match, or its first group, is a secret."""
    keys: Sequence[str] = ()
    """Names of fields, keys, headers and parameters whose values are secrets, in any case."""
    fields: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Field paths by method: `{"Api.login": ["body.$json.pin"]}`; `*` is a wildcard."""
    functions: Mapping[str, FindSecrets] = field(default_factory=dict)
    """Functions by name; each gets a text and returns the secrets in it."""
    allow: Sequence[str] = ()
    """Texts that are not secrets, such as example keys of a documentation."""
    off: Sequence[str] = ()
    """Names of disabled default rules."""

    def __post_init__(self) -> None:
        for name in (*self.patterns, *self.functions):
            if not _NAME.fullmatch(name):
                raise UsageError(
                    f"Redaction: {name!r} names a rule: expected lower-case letters, digits and `-`"
                )
        for name in self.off:
            if name not in DEFAULT_RULES:
                hint = did_you_mean(name, DEFAULT_RULES)
                raise UsageError(f"Redaction: there is no rule {name!r} to switch off{hint}")
        for name, function in self.functions.items():
            if not callable(function):
                raise UsageError(f"Redaction: function {name!r} cannot be called")
        self.compiled()
        self.places()

    def places(self) -> tuple[tuple[str, FieldPath], ...]:
        """The field paths with their methods."""
        return tuple(
            (method, parse_path(path)) for method, paths in self.fields.items() for path in paths
        )

    def header(self) -> dict[str, Plain]:
        """The names of these rules for the header of a cassette."""
        said: dict[str, Plain] = {}
        added: list[Plain] = [
            *(f"pattern {name}" for name in self.patterns),
            *(f"key {name}" for name in self.keys),
            *(f"field {of} {path}" for of, paths in self.fields.items() for path in paths),
            *(f"function {name}" for name in self.functions),
        ]
        if added:
            said["added"] = added
        if self.off:
            said["without"] = list(self.off)
        if self.allow:
            said["allowed"] = len(self.allow)
        return said

    def compiled(self) -> dict[str, re.Pattern[str]]:
        """The patterns by name, compiled."""
        made: dict[str, re.Pattern[str]] = {}
        for name, pattern in self.patterns.items():
            try:
                made[name] = re.compile(pattern)
            except re.error as error:
                raise UsageError(f"Redaction: pattern {name!r}: {error}") from None
        return made
