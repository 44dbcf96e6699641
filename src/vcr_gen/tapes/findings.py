"""Finds credentials in cassette files, also damaged ones, in bounded memory."""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.formats import Entry, format_for
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import Redaction, Secrets
from vcr_gen.runtime.tape.reading import open_regular, target_of

__all__ = ["ENTROPY", "Finding", "find_secrets", "masked"]

ENTROPY: Final = "high-entropy"
"""The rule for texts that look random."""

_WORD: Final = re.compile(r"[A-Za-z0-9+/_=-]{20,512}")
_BLOCK: Final = 400
"""How many lines of an unreadable file are scanned together."""
_OVERLAP: Final = 60
_SHOWN: Final = 4


@dataclass(frozen=True, slots=True)
class Finding:
    """A credential in a file; the credential itself is not shown by its repr."""

    path: Path
    line: int
    rule: str
    shown: str
    """The credential, masked."""
    fingerprint: str
    """The name of the finding in an allow-list."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.shown} [{self.fingerprint}]"


def masked(rule: str, secret: str) -> str:
    """The visible part of a credential: its public prefix and its length."""
    start = secret[:_SHOWN] if len(secret) >= 20 and rule != "secret" else ""
    return f"{start}… ({len(secret)} characters)".replace("\n", " ")


def find_secrets(path: Path, redaction: Redaction, *, entropy: bool = False) -> Iterator[Finding]:
    """The credentials in a file, in order, without repetitions in one event."""
    with open_regular(path) as stream, open_regular(path) as again:
        yield from _in_entries(stream, _Lines(path, again), redaction, entropy=entropy)


def _secrets_in(
    data: str | dict[str, Plain], redaction: Redaction, *, entropy: bool
) -> list[tuple[str, str]]:
    """The rule and text of every credential in an entry, or in an unreadable text."""
    secrets = Secrets(redaction)
    made = secrets.text(data) if isinstance(data, str) else secrets.entry(data)
    found = secrets.vault.hidden()
    if entropy:
        found += [(ENTROPY, word) for word in dict.fromkeys(_random_words(made))]
    return found


def _in_entries(
    stream: BinaryIO, lines: "_Lines", redaction: Redaction, *, entropy: bool
) -> Iterator[Finding]:
    path = lines.path
    before: Entry | None = None
    reached = 1
    try:
        for entry in format_for(target_of(path)).read(stream, path):
            if before is not None:
                yield from _of_entry(before, entry.line, lines, redaction, entropy=entropy)
            reached, before = entry.line, entry if entry.kind != "end" else None
    except CassetteFormatError as error:
        if before is not None:
            yield from _of_entry(
                before, max(error.line or 0, reached), lines, redaction, entropy=entropy
            )
        yield from _in_lines(path, max(reached, 1), redaction, entropy=entropy)
        return
    if before is not None:
        yield from _of_entry(before, reached, lines, redaction, entropy=entropy)


def _of_entry(
    entry: Entry, end: int, lines: "_Lines", redaction: Redaction, *, entropy: bool
) -> Iterator[Finding]:
    for rule, secret in _secrets_in(entry.data, redaction, entropy=entropy):
        line = lines.of(secret, entry.line, max(end, entry.line + 1))
        yield _finding(lines.path, line, rule, secret)


def _in_lines(path: Path, first: int, redaction: Redaction, *, entropy: bool) -> Iterator[Finding]:
    """The credentials in an unreadable part of a file, scanned as text."""
    told: set[tuple[int, str]] = set()
    with open_regular(path) as stream:
        rows = islice(stream, first - 1, None)
        number = first
        block: list[str] = []
        while fresh := [row.decode("utf-8", "replace") for row in islice(rows, _BLOCK)]:
            block = [*block[-_OVERLAP:], *fresh]
            start = number - (len(block) - len(fresh))
            number += len(fresh)
            for rule, secret in _secrets_in("".join(block), redaction, entropy=entropy):
                key = secret.splitlines()[0] if secret.splitlines() else secret
                offset = next((n for n, row in enumerate(block) if key[:60] in row), 0)
                if (start + offset, secret) not in told:
                    told.add((start + offset, secret))
                    yield _finding(path, start + offset, rule, secret)


class _Lines:
    """Finds the lines of texts in a file in a single pass."""

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        self.path = path
        self._rows = iter(stream)
        self._next = 1
        self._block: tuple[int, list[str]] = (1, [])

    def of(self, secret: str, start: int, end: int) -> int:
        """The line of a credential within a range; the first line if it is not found literally."""
        key = (secret.splitlines() or [""])[0][:60]
        if start >= self._next:
            for _ in islice(self._rows, start - self._next):
                pass
            rows = [row.decode("utf-8", "replace") for row in islice(self._rows, end - start)]
            self._block, self._next = (start, rows), end
        first, rows = self._block
        return next((first + n for n, row in enumerate(rows) if key and key in row), start)


def _finding(path: Path, line: int, rule: str, secret: str) -> Finding:
    digest = hashlib.sha256(f"{rule}\0{secret}".encode("utf-8", "surrogatepass")).hexdigest()
    return Finding(path, line, rule, masked(rule, secret), digest[:12])


def _random_words(value: Plain) -> Iterator[str]:
    if isinstance(value, str):
        for found in _WORD.finditer(value):
            if _is_random(found[0]):
                yield found[0]
    elif isinstance(value, list):
        for item in value:
            yield from _random_words(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _random_words(key)
            yield from _random_words(item)


def _is_random(word: str) -> bool:
    """Whether a word looks like a key, and not like a path, a name or a digest."""
    kinds = (
        any(char.islower() for char in word),
        any(char.isupper() for char in word),
        any(char.isdigit() for char in word),
    )
    counts = Counter(word).values()
    bits = -sum(n / len(word) * math.log2(n / len(word)) for n in counts)
    return all(kinds) and bits > 4.0
