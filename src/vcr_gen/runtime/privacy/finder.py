"""Finds secrets in texts: by key format, by name, and by known secrets."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, final

from vcr_gen.runtime.codec.placeholders import ANY_SPELLING
from vcr_gen.runtime.privacy.assignments import NAME_WORDS, assigned
from vcr_gen.runtime.privacy.command_lines import PROGRAM, command_spans
from vcr_gen.runtime.privacy.compressed import opened
from vcr_gen.runtime.privacy.credential_names import Naming, naming_of, rule_of
from vcr_gen.runtime.privacy.header_values import lone_credentials, named_value
from vcr_gen.runtime.privacy.json_texts import Literal, Number, Tree, json_documents, tree_of
from vcr_gen.runtime.privacy.key_formats import (
    ENCODED,
    LONG_RUN,
    decoded,
    keys_of_known_format,
    url_passwords,
)
from vcr_gen.runtime.privacy.redaction import BASE64, COMPRESSED, NAMES, URL_PASSWORD, Redaction
from vcr_gen.runtime.privacy.spans import Span, merged, secret_in
from vcr_gen.runtime.privacy.structure import NOTHING, Context, in_dict, in_list

SMALL_NUMBER: Final = 1000
"""A smaller number is never a secret."""

LONG_KEY: Final = 16
"""A shorter key of a mapping contains no secret."""

_MARK: Final = re.compile(r"[=:<>'\"%-]")
"""A separator between a name and its value, or the start of an option."""
_OPTION: Final = re.compile(r"[\s\"'\\]-")
"""The start of an option of a command, after the program's name."""
_DEEP: Final = 2
"""How many levels of base64 and compression are undone."""


@final
class Finder:
    """Finds secrets in texts, by the rules of one session."""

    def __init__(self, redaction: Redaction) -> None:
        self._off = frozenset(redaction.off)
        self._patterns = redaction.compiled()
        self._functions = redaction.functions
        self._keys = frozenset(key.lower() for key in redaction.keys)
        added = "|".join(map(re.escape, self._keys))
        self._words = re.compile(f"{added}|{NAME_WORDS.pattern}") if added else NAME_WORDS
        self._allowed = frozenset(redaction.allow)
        self.by_names: Final = NAMES not in self._off
        """Whether secrets are found by name."""

    def naming(self, name: str, *, in_query: bool = False) -> Naming:
        """What a name reveals about its value."""
        if self._keys and name.lower() in self._keys:
            return Naming.STRONG
        if not self.by_names:
            return Naming.HARMLESS
        return naming_of(name, in_query=True) if in_query else naming_of(name)

    def may_hold(self, text: str) -> bool:
        """A cheap check whether a text may contain a key; a negative answer is reliable."""
        if self._patterns or self._functions or _may_have_form(text):
            return True
        if len(text) < 5:
            return False
        lower = text.lower()
        if _MARK.search(text) is not None and self._words.search(lower) is not None:
            return True
        return _may_hold_command(lower)

    def find(
        self,
        text: str,
        context: Context = NOTHING,
        *,
        known: Iterable[str] = (),
        eager: bool = False,
        depth: int = 0,
    ) -> list[Span]:
        """The secrets in a text, in order; `context` describes its place.

        If `eager`, every value with the name of a credential is a secret.
        """
        spans: list[Span] = []
        known = tuple(known)
        if self.may_hold(text):
            documents = (
                list(json_documents(text)) if "{" in text or "[" in text or '"' in text else []
            )
            for start, end in documents:
                tree = tree_of(text, start, end)
                spans += self._in_tree(tree, known, eager=eager, depth=depth)
            spans += self._in_flat(_without(text, documents), known, eager=eager, depth=depth)
            spans += self._added(text)
        if depth < _DEEP and COMPRESSED not in self._off:
            spans += self._compressed(text, known, depth)
        spans += context.spans
        if context.naming is not Naming.HARMLESS and text.strip():
            name, naming = context.name, context.naming
            spans += named_value(text, 0, len(text), name, naming, eager=eager)
        for secret in known:
            spans += _occurrences(text, secret)
        if not spans:
            return spans
        if self._allowed:
            spans = [span for span in spans if secret_in(text, span) not in self._allowed]
        protected = (
            [found.span() for found in ANY_SPELLING.finditer(text)] if "edacted" in text else ()
        )
        return merged(spans, protected)

    def _in_flat(
        self, text: str, known: tuple[str, ...], *, eager: bool, depth: int
    ) -> Iterator[Span]:
        """The secrets in a text without structure."""
        yield from keys_of_known_format(text, self._off)
        if URL_PASSWORD not in self._off:
            yield from url_passwords(text)
        yield from assigned(text, self.naming, words=self._words, eager=eager)
        if self.by_names:
            yield from command_spans(text)
            yield from lone_credentials(text, eager=eager)
        if depth < _DEEP and BASE64 not in self._off:
            yield from self._encoded(text, known, depth)

    def _in_tree(
        self, tree: Tree, known: tuple[str, ...], *, eager: bool, depth: int
    ) -> Iterator[Span]:
        """The secrets in the strings of a JSON document, without recursion."""
        pending: list[tuple[Tree, Context]] = [(tree, NOTHING)]
        while pending:
            value, context = pending.pop()
            if isinstance(value, Literal):
                if len(value) > 4 or context is not NOTHING or self._patterns or self._functions:
                    found = self.find(str(value), context, known=known, eager=eager, depth=depth)
                    yield from _in_text(value, found)
            elif isinstance(value, Number):
                if context.naming is Naming.STRONG and abs(value) >= SMALL_NUMBER:
                    yield Span(value.start, value.end, rule_of(context.name), stand_in="0")
            elif isinstance(value, dict):
                for key, item in value.items():
                    if len(key) >= LONG_KEY:
                        pending.append((key, NOTHING))
                    pending.append((item, in_dict(value, key, context, self.naming)))
            elif isinstance(value, list):
                contexts = in_list(value, context, self.naming, by_names=self.by_names)
                pending += zip(value, contexts, strict=True)

    def _encoded(self, text: str, known: tuple[str, ...], depth: int) -> Iterator[Span]:
        for found in ENCODED.finditer(text):
            run = found[0]
            if run == run.lower() or run == run.upper():
                continue
            inner = decoded(run)
            if inner is not None and self.find(inner, known=known, depth=depth + 1):
                yield Span(*found.span(), BASE64)

    def _compressed(self, text: str, known: tuple[str, ...], depth: int) -> Iterator[Span]:
        """Compressed data with secrets in it; archives have several parts, one after the other."""
        position = 0
        while (found := opened(text[position:] if position else text)) is not None:
            end = position + found.end
            if self.find(found.text, known=known, depth=depth + 1):
                yield Span(position, end, COMPRESSED)
            position = end

    def _added(self, text: str) -> Iterator[Span]:
        for name, pattern in self._patterns.items():
            for found in pattern.finditer(text):
                group = 1 if pattern.groups and found[1] is not None else 0
                if found.end(group) > found.start(group):
                    yield Span(*found.span(group), name)
        for name, function in self._functions.items():
            for secret in function(text):
                for span in _occurrences(text, secret):
                    yield span._replace(rule=name)


def _may_have_form(text: str) -> bool:
    """A cheap check whether a text may contain a key; a negative answer is reliable."""
    return len(text) >= 16 and (
        LONG_RUN.search(text) is not None
        or ("@" in text and "://" in text)
        or "hooks.slack.com/" in text
        or "-----BEGIN " in text
        or "ABSK" in text
        or "whsec_" in text
        or "AccessKey=" in text
        or "AccountKey=" in text
    )


def _may_hold_command(lower: str) -> bool:
    """A cheap check whether a lower-case text may contain a command."""
    return (
        "bearer" in lower
        or "basic " in lower
        or "identified" in lower
        or ("password" in lower and "login" in lower)
        or (
            "-" in lower and _OPTION.search(lower) is not None and PROGRAM.search(lower) is not None
        )
    )


def _in_text(literal: Literal, spans: list[Span]) -> Iterator[Span]:
    """The secrets of a string in a JSON text, with positions in that text."""
    places = literal.places() if spans else []
    for span in spans:
        secret = secret_in(literal, span)
        yield span._replace(start=places[span.start], end=places[span.end], secret=secret)


def _without(text: str, places: list[tuple[int, int]]) -> str:
    """The text with these ranges blanked, of the same length."""
    pieces: list[str] = []
    position = 0
    for start, end in places:
        pieces += (text[position:start], "\n" * (end - start))
        position = end
    return "".join((*pieces, text[position:])) if places else text


def _occurrences(text: str, secret: str) -> Iterator[Span]:
    position = text.find(secret) if secret else -1
    while position >= 0:
        yield Span(position, position + len(secret), "secret")
        position = text.find(secret, position + len(secret))
