"""Where in a text secrets stand: by the form of well-known keys, by names, and by what is known."""

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, final

from vcr_gen.runtime.placeholders import ANY_SPELLING
from vcr_gen.runtime.redaction.key_formats import KEY_FORMATS, KeyFormat, compiled
from vcr_gen.runtime.redaction.logins import login_spans, may_hold_login
from vcr_gen.runtime.redaction.looks import is_filler, looks_secret
from vcr_gen.runtime.redaction.names import Naming, naming_of
from vcr_gen.runtime.redaction.pairs import NAME_WORDS, named_spans, whole
from vcr_gen.runtime.redaction.spans import Span, merged

__all__ = [
    "BASE64",
    "DEFAULT_RULES",
    "ENCODED",
    "NAMES",
    "PRIVATE_KEY",
    "URL_PASSWORD",
    "Finder",
    "decoded",
]

NAMES: Final = "names"
URL_PASSWORD: Final = "url-password"
PRIVATE_KEY: Final = "private-key"
BASE64: Final = "base64"

DEFAULT_RULES: Final = (
    *(known.name for known in KEY_FORMATS),
    PRIVATE_KEY,
    URL_PASSWORD,
    NAMES,
    BASE64,
)
"""The names of the rules that hold without configuration."""

_RUN: Final = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{16}")
ENCODED: Final = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}")
_BEGIN: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END: Final = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_BODY: Final = re.compile(r"[A-Za-z0-9+/=\s\\:,.()-]*")
_USER: Final = re.compile(r"://([^\s/?#@:\"'<>\\]{0,256})(?::([^\s/?#@\"'<>\\]{1,256}))?@")
_LITERAL: Final = ("ABSK", "whsec_", "AccountKey=", "SharedAccessKey=")
_SAFE_RUN: Final = re.compile(r"[A-Za-z0-9_-]+")
_DATA: Final = 500
"""How many letters of base64 without a break beside a key say that it is none."""
_DATA_RUN: Final = re.compile(r"[A-Za-z0-9+/_-]+")
_DEEP: Final = 2
"""How often base64 inside base64 is opened."""


@final
@dataclass(frozen=True, slots=True)
class Finder:
    """Finds secrets in texts, by the rules of one session."""

    off: frozenset[str] = frozenset()
    """The default rules that do not hold."""
    patterns: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    """More rules: a match is a secret, or its first group where it has one."""
    functions: Mapping[str, Callable[[str], Iterable[str]]] = field(default_factory=dict)
    """More rules: each says which parts of a text are secret."""
    keys: frozenset[str] = frozenset()
    """More names of credentials, in lower case."""
    words: "re.Pattern[str]" = NAME_WORDS
    """What the names of credentials hold; each of `keys` too."""
    allowed: frozenset[str] = frozenset()
    """Texts that are no secrets, whatever they look like."""

    @property
    def by_names(self) -> bool:
        """Whether names say what is secret."""
        return NAMES not in self.off

    def naming(self, name: str, *, in_query: bool = False) -> Naming:
        """What a name says of its value."""
        if self.keys and name.lower() in self.keys:
            return Naming.STRONG
        return naming_of(name, in_query=in_query) if self.by_names else Naming.HARMLESS

    def may_hold(self, text: str) -> bool:
        """Whether it is worth to look closer; cheap, and never wrong when it says no."""
        if self.patterns or self.functions:
            return True
        length = len(text)
        if length >= 16 and (
            _RUN.search(text) is not None
            or "-----BEGIN " in text
            or "://" in text
            or any(literal in text for literal in _LITERAL)
        ):
            return True
        has_pairs = "=" in text or ":" in text or "--" in text or "%3" in text
        if has_pairs and length >= 5 and self.words.search(text.lower()) is not None:
            return True
        return length >= 16 and may_hold_login(text)

    def find(
        self,
        text: str,
        *,
        name: str = "",
        naming: Naming | None = None,
        known: Iterable[str] = (),
        eager: bool = False,
        depth: int = 0,
    ) -> list[Span]:
        """The secrets in a text, in order; `name` is what it stands under.

        Who is `eager` takes all that a name calls a secret for one, whatever it looks like.
        """
        spans: list[Span] = []
        said = (self.naming(name) if name else Naming.HARMLESS) if naming is None else naming
        if said is not Naming.HARMLESS:
            spans += whole(text, name, said, eager=eager)
        for secret in known:
            spans += _occurrences(text, secret)
        if self.may_hold(text):
            spans += self._formats(text)
            spans += self._private_keys(text)
            spans += self._urls(text)
            spans += named_spans(text, self.naming, words=self.words, eager=eager)
            if self.by_names:
                spans += login_spans(text)
            if depth < _DEEP and BASE64 not in self.off:
                spans += self._encoded(text, tuple(known), depth)
            spans += self._added(text)
        if not spans:
            return spans
        if self.allowed:
            spans = [span for span in spans if text[span.start : span.end] not in self.allowed]
        protected = (
            [found.span() for found in ANY_SPELLING.finditer(text)] if "edacted" in text else ()
        )
        return merged(spans, protected)

    def _formats(self, text: str) -> Iterator[Span]:
        for known in KEY_FORMATS:
            if known.name in self.off or not any(hint in text for hint in known.hints):
                continue
            for found in _matches(compiled(known.pattern), known, text):
                start, end = found.span(known.group)
                if start and not known.group and len(known.hints[0]) < 5 and _goes_on(text, start):
                    continue
                if not _in_data(text, start, end):
                    yield Span(start, end, known.name, open=end == len(text))

    def _private_keys(self, text: str) -> Iterator[Span]:
        if PRIVATE_KEY in self.off or "-----BEGIN " not in text:
            return
        position = 0
        has_end = True
        while (begin := _BEGIN.search(text, position)) is not None:
            end = _END.search(text, begin.end()) if has_end else None
            has_end = end is not None
            body = _BODY.match(text, begin.end())
            stop = end.end() if end else body.end() if body else begin.end()
            yield Span(begin.start(), stop, PRIVATE_KEY, open=end is None and stop == len(text))
            position = stop

    def _urls(self, text: str) -> Iterator[Span]:
        if URL_PASSWORD in self.off or "://" not in text or "@" not in text:
            return
        for found in _USER.finditer(text):
            part = 2 if found[2] is not None else 1
            if part == 2 and not is_filler(found[2]):
                yield Span(*found.span(2), URL_PASSWORD, named=True)
            elif part == 1 and looks_secret(found[1]):
                yield Span(*found.span(1), URL_PASSWORD, named=True)

    def _encoded(self, text: str, known: tuple[str, ...], depth: int) -> Iterator[Span]:
        for found in ENCODED.finditer(text):
            run = found[0]
            if run == run.lower() or run == run.upper():
                continue
            inner = decoded(run)
            if inner is not None and self.find(inner, known=known, depth=depth + 1):
                # A name that calls all of it a secret comes first: the finder asks those before.
                yield Span(*found.span(), BASE64, named=True)

    def _added(self, text: str) -> Iterator[Span]:
        for name, pattern in self.patterns.items():
            for found in pattern.finditer(text):
                group = 1 if pattern.groups and found[1] is not None else 0
                if found.end(group) > found.start(group):
                    yield Span(*found.span(group), name)
        for name, function in self.functions.items():
            for secret in function(text):
                for span in _occurrences(text, secret):
                    yield span._replace(rule=name)


def _matches(pattern: "re.Pattern[str]", known: KeyFormat, text: str) -> Iterator["re.Match[str]"]:
    """Every match; where one fails, the same run of letters is not tried again from within."""
    if known.name != "jwt":
        yield from pattern.finditer(text)
        return
    position = text.find(known.hints[0])
    while position >= 0:
        found = pattern.match(text, position)
        if found is not None:
            yield found
        run = _SAFE_RUN.match(text, position)
        behind = found.end() if found else run.end() if run else position + 1
        position = text.find(known.hints[0], behind)


def decoded(run: str) -> str | None:
    """What a run of base64 says, byte for byte; None where it is none."""
    bare = run.rstrip("=").replace("-", "+").replace("_", "/")
    if len(bare) % 4 == 1:
        bare = bare[:-1]
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4)).decode("latin-1")
    except (binascii.Error, ValueError):
        return None


def _occurrences(text: str, secret: str) -> Iterator[Span]:
    position = text.find(secret) if secret else -1
    while position >= 0:
        yield Span(position, position + len(secret), "secret", named=True)
        position = text.find(secret, position + len(secret))


def _in_data(text: str, start: int, end: int) -> bool:
    """Whether something is a piece of long data in base64, where any short word stands by chance.

    One in four million letters would look like a key: an image would not come back as it was.
    """
    return any(
        last - first == _DATA and _DATA_RUN.fullmatch(text, first, last) is not None
        for first, last in ((max(0, start - _DATA), start), (end, min(len(text), end + _DATA)))
    )


def _goes_on(text: str, start: int) -> bool:
    """Whether a key would start inside a word, and so is none; an escape before it is no word."""
    before = text[start - 1]
    if not (before.isascii() and before.isalnum()):
        return False
    escaped = text[max(0, start - 6) : start]
    return not (
        escaped[-2:] in ("\\n", "\\r", "\\t", "\\b", "\\f")
        or escaped[-3:-2] == "%"
        or escaped[:2] == "\\u"
    )
