"""Holds back items of a stream that may end inside a secret, until the secret is complete.

Later events wait too, so that the tape keeps its order. A killed recording may lose the held
events, at most `MOST_EVENTS`.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final, final

from vcr_gen.runtime.codec.placeholders import part_of
from vcr_gen.runtime.codec.plain_kinds import TYPE, VALUE
from vcr_gen.runtime.codec.scalars import BASE64, bytes_from_plain, bytes_to_plain
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import Secrets
from vcr_gen.runtime.privacy.open_suffix import (
    LONGEST_LINE,
    LONGEST_WORD,
    begun_in,
    first_word,
    goes_on,
    has_name,
    open_from,
)
from vcr_gen.runtime.privacy.spans import Span, merged, secret_in
from vcr_gen.runtime.tape.events import End, Event, Item

__all__ = ["MOST_EVENTS", "MOST_TEXT", "StreamBuffer"]

MOST_EVENTS: Final = 256
"""How many events may wait behind an item."""
MOST_TEXT: Final = 1 << 16
"""How much text of a stream may be held back."""


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
        self._sizes: dict[int, int] = {}
        self._cut: dict[int, str] = {}
        """The rule of a secret whose beginning could no longer be held back."""
        self._lines: dict[int, str] = {}
        """The part of a stream's last line that was already passed on."""
        self._in_line: set[int] = set()
        """The streams whose next line is expected."""

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
        end = first_word(text)
        rule = self._cut[event.call]
        if end < len(text):
            del self._cut[event.call]
        rest = self._secrets.vault.hide(rule, text[:end]) if end else ""
        text = rest + text[end:]
        return replace(event, value=_like(event.value, text)), text

    def _release(self) -> None:
        while self._queue and self._queue[0].text is None:
            self._pass_on(self._queue.popleft().event)

    def _resolve(self, call: int, *, final: bool, cut: bool = False) -> None:
        """Redact the items of a stream whose last secret is complete."""
        held = self._held[call]
        last = held[-1].text or ""
        size = self._sizes[call] = self._sizes.get(call, 0) + len(last)
        if not final and len(held) > 1 and not self._may_end(call, last, size):
            return
        self._in_line.discard(call)
        text = "".join(waiting.text or "" for waiting in held)
        before = self._lines.get(call, "")
        is_last = final or len(text) > MOST_TEXT
        end = len(text)
        if cut or not is_last:
            end = max(0, open_from(before + text, len(before)) - len(before))
        if not is_last and end < len(held[0].text or ""):
            if end == 0 and "\n" not in text and has_name(text):
                self._in_line.add(call)
            return
        spans = self._find(before, text)
        begun = [span.start for span in spans if span.end == len(text)]
        end = min(end, *begun, len(text))
        if cut and (secret := begun_in(text, end)) is not None:
            spans = merged([*spans, secret])
            self._cut[call] = secret.rule
        self._pass(call, _count_of_whole(held, spans, len(text) if is_last else end), text, spans)

    def _may_end(self, call: int, last: str, size: int) -> bool:
        """Whether the last item of a stream may complete the open secret."""
        if call in self._in_line:
            return "\n" in last or size > LONGEST_LINE
        return size >= LONGEST_WORD or not goes_on(last)

    def _find(self, before: str, text: str) -> list[Span]:
        """The secrets in a text that follows another on the same line."""
        redactor = self._secrets.redactor
        start = len(before) if before and has_name(text) else 0
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
        self._lines[call] = line.rpartition("\n")[2][-LONGEST_LINE:]
        if count == len(held):
            del self._held[call], self._sizes[call]
        else:
            self._held[call] = held[count:]
            self._sizes[call] = len(text) - len(passed)


def text_of(value: Plain) -> str | None:
    """The text of an item, also of bytes; None for any other value."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        if set(value) == {BASE64}:
            return bytes_from_plain(value, expected="bytes").decode("latin-1")
        if set(value) == {TYPE, VALUE}:
            return text_of(value[VALUE])
    return None


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
