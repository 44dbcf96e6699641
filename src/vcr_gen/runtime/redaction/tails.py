"""Whether a text may end inside a secret, of which the next piece of a stream has the rest."""

import re
from collections.abc import Sequence
from typing import Final

from vcr_gen.runtime.redaction.spans import Span

__all__ = ["open_from"]

_FAR: Final = 8192
_WORD: Final = re.compile(r"[^\s\"'<>(){}\[\],;|\\`]{1,2048}\Z")
_BEGIN: Final = re.compile(r"-{1,5}\Z|-----(?:B|BE|BEG|BEGI|BEGIN|BEGIN [A-Z0-9 ]{0,60}-{0,5})\Z")
_NAMED: Final = re.compile(
    r"(?:passw|passphrase|passcode|pwd|secret|token|key|auth|cookie|credential|cvv|cvc|sess|sig|code"
    r"|hmac|otp|jwt|ticket|assertion|pass|sid)[\w.-]{0,60}\\{0,16}[\"']?\]?\s{0,8}"
    r"(?:=>|[:=]|%3[da])?\s{0,8}\\{0,16}[\"']?(?:[a-z][\w-]{1,24}\s{1,4})?[^\s\"'&,;]{0,2048}\Z",
    re.IGNORECASE,
)
_HEADER: Final = re.compile(
    r"(?:authorization|cookie)[\"']?\s{0,4}[:=][^\n]{0,4096}\Z", re.IGNORECASE
)
_NAME_START: Final = re.compile(r"[\w.?&%\"'\\-]{0,60}\Z")


def open_from(text: str, spans: Sequence[Span]) -> int:
    """Where the part begins that may go on in what follows; the length of the text if none does."""
    first = len(text)
    start = max(0, first - _FAR)
    for span in spans:
        if span.open and span.end == len(text):
            first = min(first, span.start)
    for pattern in (_WORD, _BEGIN):
        found = pattern.search(text, start)
        if found is not None:
            first = min(first, found.start())
    for pattern in (_NAMED, _HEADER):
        found = pattern.search(text, start)
        if found is not None:
            name = _NAME_START.search(text, max(0, found.start() - 60), found.start())
            first = min(first, name.start() if name else found.start())
    return first
