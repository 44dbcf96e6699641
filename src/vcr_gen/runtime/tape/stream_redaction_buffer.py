"""Holds back the items of a text stream until their line is complete, to redact whole secrets.

Later events wait too, so that the tape keeps its order. A killed recording may lose the held
events: at most `MOST_EVENTS`, unless a stream stops inside a key.
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
from vcr_gen.runtime.privacy import Secrets, as_bytes, is_binary, text_of
from vcr_gen.runtime.privacy.compressed import contents, is_begun
from vcr_gen.runtime.privacy.key_formats import KEY_FORMATS
from vcr_gen.runtime.privacy.redaction import COMPRESSED
from vcr_gen.runtime.privacy.spans import Span, secret_in
from vcr_gen.runtime.tape.events import End, Event, Item

MOST_EVENTS: Final = 256
"""How many events may wait behind an item."""
MOST_TEXT: Final = 1 << 16
"""How much text of a stream may be held back."""
_BEFORE: Final = 512
"""How much of the text before is searched again: a name may be there, with its value to come."""
_LONGEST_KEY: Final = 2048
_STOP: Final = re.compile(r"[\s\"'<>(){}\[\],;|\\`]")
"""The end of a word."""


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
        self._before: dict[int, str] = {}
        """The last text of a stream that was passed on."""
        self._binary: set[int] = set()
        """The streams with bytes that are no text: all of their items are searched as bytes."""

    def add(self, event: Event) -> None:
        """Pass an event on, or hold it until the events before it are ready."""
        text = None
        if isinstance(event, Item) and not event.raised:
            text = text_of(event.value)
        if text is None:
            if isinstance(event, End):
                self._finish(event.call)
            if not self._queue:
                self._pass_on(event)
                return
            self._queue.append(_Waiting(event))
        else:
            assert isinstance(event, Item)
            self._held_back(event, text)
            if "\n" in text:
                whole = _text_of(self._held[event.call])
                self._resolve(event.call, whole, whole.rfind("\n") + 1)
        self._release()
        if self._is_full():
            self._shorten()

    def _held_back(self, event: Item, text: str) -> None:
        """Let an item wait for the rest of its line."""
        held = self._held.setdefault(event.call, [])
        if is_binary(event.value):
            if event.call not in self._binary:
                self._binary.add(event.call)
                for waiting in held:
                    waiting.text = as_bytes(waiting.text or "")
        elif event.call in self._binary:
            text = as_bytes(text)
        held.append(_Waiting(event, text))
        self._queue.append(held[-1])

    def flush(self) -> None:
        """Pass on all held events."""
        for call in list(self._held):
            self._finish(call)
        self._release()

    def _finish(self, call: int) -> None:
        """Redact all items of a stream that is over."""
        if call in self._held:
            text = _text_of(self._held[call])
            self._resolve(call, text, len(text), is_over=True)
        self._before.pop(call, None)
        self._binary.discard(call)

    def _is_full(self) -> bool:
        lengths = (sum(len(each.text or "") for each in held) for held in self._held.values())
        return len(self._queue) > MOST_EVENTS or any(length > MOST_TEXT for length in lengths)

    def _shorten(self) -> None:
        """Pass on held items: complete words, and if that is too little, all but a begun key."""
        for call in list(self._held):
            text = _text_of(self._held[call])
            self._resolve(call, text, _start_of_word(text))
        self._release()
        if self._is_full():
            for call in list(self._held):
                text = _text_of(self._held[call])
                if not _is_begun_key(text[_start_of_word(text) :]):
                    self._resolve(call, text, len(text), is_over=True)
            self._release()

    def _release(self) -> None:
        while self._queue and self._queue[0].text is None:
            self._pass_on(self._queue.popleft().event)

    def _resolve(self, call: int, text: str, end: int, *, is_over: bool = False) -> None:
        """Redact the held items up to `end`; `text` is the text of all of them.

        An item inside a secret, or before a secret that may continue, stays unless `is_over`.
        """
        held = self._held[call]
        if not is_over and call not in self._before and is_begun(text):
            return  # only the whole can be opened
        spans = self._find(self._before.get(call, ""), text)
        count = len(held)
        if not is_over:
            open_spans = [span.start for span in spans if span.end == len(text)]
            count = _count_of_whole(held, spans, min([end, *open_spans]))
        if not count:
            return
        passed = _text_of(held[:count])
        _redact(held[:count], text, spans, self._secrets, binary=call in self._binary)
        self._note_unseen(held[:count])
        self._before[call] = (self._before.get(call, "") + passed)[-_BEFORE:]
        del held[:count]
        if not held:
            del self._held[call]

    def _note_unseen(self, passed: list[_Waiting]) -> None:
        """Remember a text that is cut into several items, or compressed."""
        values = [_value_of(waiting) for waiting in passed]
        if len(values) == 1 and not is_binary(values[0]):
            return
        whole = "".join(text_of(value) or "" for value in values)
        text = contents(whole) if any(map(is_binary, values)) else whole
        self._secrets.redactor.unseen.note(text, whole if len(values) == 1 else "")

    def _find(self, before: str, text: str) -> list[Span]:
        """The secrets in a text that follows another."""
        redactor = self._secrets.redactor
        start = len(before)
        found = redactor.finder.find(before + text, known=redactor.vault.known)
        return [
            span._replace(start=max(span.start - start, 0), end=span.end - start)
            for span in found
            if span.end > start and not (span.start < start and span.rule == COMPRESSED)
        ]


def _text_of(items: list[_Waiting]) -> str:
    return "".join(waiting.text or "" for waiting in items)


def _start_of_word(text: str) -> int:
    """The start of the last word of a text, which may continue."""
    last = _STOP.search(text[::-1])
    return 0 if last is None else len(text) - last.start()


def _is_begun_key(word: str) -> bool:
    """Whether a word may be the beginning of a key of a known format."""
    return len(word) <= _LONGEST_KEY and any(
        len(hint) > 2 and hint in word for known in KEY_FORMATS for hint in known.hints
    )


def _like(value: Plain, text: str, *, binary: bool) -> Plain:
    """The item's value with another text."""
    if isinstance(value, dict):
        if VALUE in value:
            return {**value, VALUE: _like(value[VALUE], text, binary=binary)}
        return bytes_to_plain(text.encode("latin-1"))
    return text.encode("latin-1").decode("utf-8", "replace") if binary else text


def _count_of_whole(held: list[_Waiting], spans: list[Span], end: int) -> int:
    """How many items end before the open part and outside every secret."""
    count = position = 0
    for number, waiting in enumerate(held, start=1):
        position += len(waiting.text or "")
        if position > end:
            break
        if not any(span.start < position < span.end for span in spans):
            count = number
    return count


def _redact(
    items: list[_Waiting], text: str, spans: list[Span], secrets: Secrets, *, binary: bool
) -> None:
    """Put placeholders into the items, split over the items of a split secret."""
    ends = list(accumulate(len(waiting.text or "") for waiting in items))
    starts = [0, *ends[:-1]]
    changes: dict[int, list[tuple[int, int, str]]] = {}
    for span in spans:
        over = [n for n, end in enumerate(ends) if span.start < end and starts[n] < span.end]
        if span.rule == COMPRESSED:  # all of it in one item, which can be any bytes
            over.sort(key=lambda number: not is_binary(_value_of(items[number])))
        for part, number in enumerate(over, start=1):
            made = _placeholder(text, span, part, len(over), secrets)
            first, last = max(span.start, starts[number]), min(span.end, ends[number])
            changes.setdefault(number, []).append((first, last, made))
    for number, waiting in enumerate(items):
        if number in changes:
            made = _replaced(text, starts[number], ends[number], changes[number])
            assert isinstance(waiting.event, Item)
            value = _like(waiting.event.value, made, binary=binary)
            waiting.event = replace(waiting.event, value=value)
        waiting.text = None


def _value_of(waiting: _Waiting) -> Plain:
    assert isinstance(waiting.event, Item)
    return waiting.event.value


def _placeholder(text: str, span: Span, part: int, parts: int, secrets: Secrets) -> str:
    if parts == 1:
        return secrets.redactor.placeholder(text, span)
    if span.rule == COMPRESSED:
        return secrets.redactor.placeholder(text, span) if part == 1 else ""
    secret = secret_in(text, span)
    return part_of(secrets.vault.hide(span.rule, secret, everywhere=span.spreads), part, parts)


def _replaced(text: str, start: int, end: int, changes: list[tuple[int, int, str]]) -> str:
    pieces: list[str] = []
    for first, last, made in changes:
        pieces += (text[start:first], made)
        start = last
    return "".join((*pieces, text[start:end]))
