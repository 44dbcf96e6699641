"""Holds back items of a stream that may end inside a secret, until the secret is complete.

Later events wait too, so that the tape keeps its order. A killed recording may lose the held
events, at most `MOST_EVENTS`.
"""

import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final, final

from vcr_gen.runtime.codec.placeholders import part_of
from vcr_gen.runtime.codec.scalars import bytes_to_plain
from vcr_gen.runtime.codec.tags import VALUE
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import Secrets, text_of
from vcr_gen.runtime.privacy.assignments import NAME_WORDS
from vcr_gen.runtime.privacy.command_lines import COMMAND_WORD
from vcr_gen.runtime.privacy.field_names import Naming, naming_of
from vcr_gen.runtime.privacy.key_formats import KEY_FORMATS
from vcr_gen.runtime.privacy.spans import Span, merged, secret_in
from vcr_gen.runtime.tape.events import End, Event, Item

__all__ = ["MOST_EVENTS", "MOST_TEXT", "StreamBuffer", "open_from"]

MOST_EVENTS: Final = 256
"""How many events may wait behind an item."""
MOST_TEXT: Final = 1 << 16
"""How much text of a stream may be held back."""
_LONGEST_WORD: Final = 2048
"""The maximum length of an open word."""

_LONGEST_LINE: Final = 4096
"""How much of a line is searched."""
_END_OF_LINE: Final = 256
"""How much of a longer line is searched."""
_STOP: Final = re.compile(r"[\s\"'<>(){}\[\],;|\\`]")
"""The end of a word."""
_KEY: Final = re.compile(r"-{1,5}\Z|-----(?:B|BE|BEG|BEGI|BEGIN|BEGIN [A-Z0-9 ]{0,60}-{0,5})\Z")
_NAME: Final = re.compile(rf"[\w-]{{0,40}}?(?:{NAME_WORDS.pattern})[\w-]{{0,40}}", re.IGNORECASE)
_MACHINE: Final = re.compile(
    r"(?:^|(?<=\n))[ \t]{0,16}(?:machine|default|login)(?:\s{1,8}\S{1,256}){0,7}\s{0,8}\Z"
)
_TITLE: Final = re.compile(
    r"(?:name|key)[\"']?\s{0,8}[:=]\s{0,8}[\"']?([\w.-]{1,80})[\"']?[^\n]{0,200}\n"
    r"(?:\r?\n)?[^\n]{0,2048}\Z"
)
"""The first of the two lines of `name: DB_PASSWORD` and `value: …`."""


@dataclass(slots=True)
class _Waiting:
    event: Event
    text: str | None = None
    """The text of an item that is not yet redacted."""


@final
class StreamBuffer:
    """Passes events on in order, with secrets redacted across the items of a stream."""

    def __init__(self, secrets: Secrets, pass_on: Callable[[Event], None]) -> None:
        self._secrets = secrets
        self._pass_on = pass_on
        self._queue: deque[_Waiting] = deque()
        self._held: dict[int, list[_Waiting]] = {}
        self._cut: dict[int, str] = {}
        """The rule of a secret whose beginning could no longer be held back."""
        self._lines: dict[int, str] = {}
        """The part of a stream's last line that was already passed on."""

    def add(self, event: Event) -> None:
        """Pass an event on, or hold it until the events before it are ready."""
        text = None
        if isinstance(event, Item) and not event.raised:
            text = text_of(event.value)
        if text is None:
            if isinstance(event, End):
                self._cut.pop(event.call, None)
                if event.call in self._held:
                    self._resolve(event.call, final=True)
                self._lines.pop(event.call, None)
            if not self._queue:
                self._pass_on(event)
                return
            self._queue.append(_Waiting(event))
        else:
            if isinstance(event, Item) and event.call in self._cut:
                event, text = self._go_on(event, text)
            waiting = _Waiting(event, text)
            self._queue.append(waiting)
            self._held.setdefault(event.call, []).append(waiting)
            self._resolve(event.call, final=False)
        if len(self._queue) > MOST_EVENTS:
            self.flush(cut=True)
        else:
            self._release()

    def flush(self, *, cut: bool = False) -> None:
        """Pass on all held events; a `cut` stream may still continue."""
        for call in list(self._held):
            self._resolve(call, final=True, cut=cut)
        self._release()

    def _go_on(self, event: Item, text: str) -> tuple[Item, str]:
        """The next item of a stream whose last one was cut inside a secret."""
        word = _STOP.split(text, maxsplit=1)[0]
        end = len(word)
        rule = self._cut[event.call]
        if end < len(text):
            del self._cut[event.call]
        rest = self._secrets.vault.hide(rule, word) if word else ""
        text = rest + text[end:]
        return replace(event, value=_like(event.value, text)), text

    def _release(self) -> None:
        while self._queue and self._queue[0].text is None:
            self._pass_on(self._queue.popleft().event)

    def _resolve(self, call: int, *, final: bool, cut: bool = False) -> None:
        """Redact the items of a stream whose last secret is complete."""
        held = self._held[call]
        if not final and len(held) % 16 != 1 and _STOP.search(held[-1].text or "") is None:
            return  # an open word goes on; long ones are checked now and then
        text = "".join(waiting.text or "" for waiting in held)
        before = self._lines.get(call, "")
        is_last = final or len(text) > MOST_TEXT
        end = len(text)
        if cut or not is_last:
            end = max(0, open_from(before + text, len(before)) - len(before))
        if not is_last and end < len(held[0].text or ""):
            return
        spans = self._find(before, text)
        begun = [span.start for span in spans if span.end == len(text)]
        end = min(end, *begun, len(text))
        if cut and (secret := _begun_in(text, end)) is not None:
            spans = merged([*spans, secret])
            self._cut[call] = secret.rule
        self._pass(call, _count_of_whole(held, spans, len(text) if is_last else end), text, spans)

    def _find(self, before: str, text: str) -> list[Span]:
        """The secrets in a text that follows another on the same line."""
        redactor = self._secrets.redactor
        start = len(before) if before and _has_name(text) else 0
        whole = before + text if start else text
        found = redactor.finder.find(whole, known=redactor.vault.known)
        return [
            span._replace(start=max(span.start - start, 0), end=span.end - start)
            for span in found
            if span.end > start
        ]

    def _pass(self, call: int, count: int, text: str, spans: list[Span]) -> None:
        """Redact and pass on the first items of a stream."""
        if not count:
            return
        held = self._held[call]
        passed = text[: sum(len(waiting.text or "") for waiting in held[:count])]
        _redact(held[:count], text, spans, self._secrets)
        line = passed if "\n" in passed else self._lines.get(call, "") + passed
        self._lines[call] = line.rpartition("\n")[2][-_LONGEST_LINE:]
        del held[:count]
        if not held:
            del self._held[call]


def _like(value: Plain, text: str) -> Plain:
    """The item's value with another text."""
    if isinstance(value, dict):
        if VALUE in value:
            return {**value, VALUE: _like(value[VALUE], text)}
        return bytes_to_plain(text.encode("latin-1"))
    return text


def _count_of_whole(held: list[_Waiting], spans: list[Span], end: int) -> int:
    """How many items end before the open part and outside every secret.

    None do while a secret is not among them: without the text before it, it may not be found again.
    """
    count = position = whole = 0
    for number, waiting in enumerate(held, start=1):
        position += len(waiting.text or "")
        if position > end:
            break
        if not any(span.start < position < span.end for span in spans):
            count, whole = number, position
    length = sum(len(waiting.text or "") for waiting in held)
    return 0 if any(whole < span.end < length for span in spans) else count


def _redact(items: list[_Waiting], text: str, spans: list[Span], secrets: Secrets) -> None:
    """Put placeholders into the items, split over the items of a split secret."""
    ends = list(accumulate(len(waiting.text or "") for waiting in items))
    starts = [0, *ends[:-1]]
    changes: dict[int, list[tuple[int, int, str]]] = {}
    for span in spans:
        over = [n for n, end in enumerate(ends) if span.start < end and starts[n] < span.end]
        for part, number in enumerate(over, start=1):
            made = _placeholder(text, span, part, len(over), secrets)
            first, last = max(span.start, starts[number]), min(span.end, ends[number])
            changes.setdefault(number, []).append((first, last, made))
    for number, waiting in enumerate(items):
        assert isinstance(waiting.event, Item)
        if number in changes:
            made = _replaced(text, starts[number], ends[number], changes[number])
            waiting.event = replace(waiting.event, value=_like(waiting.event.value, made))
        waiting.text = None


def _placeholder(text: str, span: Span, part: int, parts: int, secrets: Secrets) -> str:
    if parts == 1:
        return secrets.redactor.placeholder(text, span)
    secret = secret_in(text, span)
    return part_of(secrets.vault.hide(span.rule, secret, everywhere=span.spreads), part, parts)


def _replaced(text: str, start: int, end: int, changes: list[tuple[int, int, str]]) -> str:
    pieces: list[str] = []
    for first, last, made in changes:
        pieces += (text[start:first], made)
        start = last
    return "".join((*pieces, text[start:end]))


def open_from(text: str, start: int = 0) -> int:
    """The start of the part that may continue in the next item; the length of the text if none.

    A line with the name of a credential is open until it ends: its value may follow. The text
    before `start` belongs to the same line and has been checked.
    """
    tail = max(0, len(text) - _LONGEST_WORD)
    stop = _STOP.search(text[tail:][::-1])
    starts = [tail if stop is None else len(text) - stop.start()]
    line = max(text.rfind("\n", start) + 1, start)
    if len(text) - line > _LONGEST_LINE:
        line = len(text) - _END_OF_LINE
    if _has_name(text[line:]):
        starts.append(line)
    if text[-1:] == "-" or "-----" in text[-100:]:
        starts += (found.start() for found in _KEY.finditer(text, max(0, len(text) - 100)))
    if "\n" in text[start:]:
        if (machine := _MACHINE.search(text, tail)) is not None:
            starts.append(machine.start())
        title = _TITLE.search(text, tail)
        if title is not None and naming_of(title[1]) is not Naming.HARMLESS:
            starts.append(title.start())
    return min(starts)


def _has_name(text: str) -> bool:
    """Whether a text contains the name of a credential, or a word that precedes one."""
    lower = text.lower()
    if COMMAND_WORD.search(lower) is not None:
        return True
    if NAME_WORDS.search(lower) is None:
        return False
    names = (found[0].strip("-") for found in _NAME.finditer(text))
    return any(naming_of(name, in_query=True) is not Naming.HARMLESS for name in names)


def _begun_in(text: str, start: int) -> Span | None:
    """The secret at the start of the open part, if waiting for the rest is impossible."""
    tail = text[start:]
    for known in KEY_FORMATS:
        if any(len(hint) > 2 and hint in tail for hint in known.hints):
            return Span(start, len(text), known.name)
    return None
