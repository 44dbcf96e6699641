"""Finds credentials in cassette files, also damaged ones."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.formats import format_for
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import Redaction, Secrets
from vcr_gen.runtime.tape.reading import open_regular, target_of

__all__ = ["Finding", "find_secrets"]

_SHOWN: Final = 4


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

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.shown} [{self.fingerprint}]"


def find_secrets(path: Path, redaction: Redaction) -> Iterator[Finding]:
    """The credentials in a file, in order, without repetitions in one event."""
    line = 1
    found: list[tuple[str, str]] = []
    try:
        with open_regular(path) as stream:
            for entry in format_for(target_of(path)).read(stream, path):
                line = entry.line
                found = _secrets_in(entry.data, redaction)
                yield from (_finding(path, line, *secret) for secret in found)
    except CassetteFormatError:
        with open_regular(path) as stream:
            rest = b"".join(islice(stream, line - 1, None)).decode("utf-8", "replace")
        for rule, secret in _secrets_in(rest, redaction):
            if (rule, secret) not in found:  # the last event that could be read
                first_line = (secret.splitlines() or [""])[0]
                before = rest.partition(first_line)[0] if first_line in rest else ""
                yield _finding(path, line + before.count("\n"), rule, secret)


def _secrets_in(data: str | dict[str, Plain], redaction: Redaction) -> list[tuple[str, str]]:
    """The rule and text of every credential in an entry, or in an unreadable text."""
    secrets = Secrets(redaction)
    if isinstance(data, str):
        secrets.text(data)
    else:
        secrets.entry(data)
    return secrets.vault.hidden()


def _finding(path: Path, line: int, rule: str, secret: str) -> Finding:
    digest = hashlib.sha256(f"{rule}\0{secret}".encode("utf-8", "surrogatepass")).hexdigest()
    return Finding(path, line, rule, _masked(rule, secret), digest[:12])


def _masked(rule: str, secret: str) -> str:
    """The visible part of a credential: its public prefix and its length."""
    start = secret[:_SHOWN] if len(secret) >= 20 and rule != "secret" else ""
    return f"{start}… ({len(secret)} characters)".replace("\n", " ")
