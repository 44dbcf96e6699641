"""Reads YAML cassettes through the parser's events: streamed, strict, with line numbers.

The only module that knows PyYAML. A loader of PyYAML would resolve tags and aliases, let the
last of two equal keys win, and build a graph of nodes for the whole file first.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

import yaml
from yaml.events import (
    DocumentEndEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)

from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.formats.file_layout import (
    COUNT_KEY,
    END_KEY,
    TEMPLATE_KEY,
    TEMPLATE_TAG,
    TORN,
    UNFINISHED,
    Entry,
    check_header,
)
from vcr_gen.runtime.formats.yaml_characters import Fault, TextSource
from vcr_gen.runtime.formats.yaml_scalars import resolve_plain
from vcr_gen.runtime.plain import MAX_DEPTH, Plain

_NO_CHARACTER: Final = "not valid YAML: an escape names no character"


class _UnmarkedEndError(CassetteFormatError):
    """The file ended without an end mark, so that the last event may be torn."""


def parse_entries(stream: BinaryIO, path: Path) -> Iterator[Entry]:
    """The entries of a YAML cassette; an event comes out only when something follows it."""
    held: Entry | None = None
    stopped: CassetteFormatError | None = None
    try:
        for entry in _YamlReader(stream, path).entries():
            if held is not None:
                yield held
            held = entry
    except _UnmarkedEndError as error:
        if held is not None and held.kind == "header":
            yield held
        raise CassetteFormatError(error.message, path=error.path, line=error.line) from None
    except CassetteFormatError as error:
        stopped = error
    if held is not None:
        yield held
    if stopped is not None:
        raise stopped


class _YamlReader:
    """One pass over one file."""

    def __init__(self, stream: BinaryIO, path: Path) -> None:
        self._path = path
        self._source = TextSource(stream)
        loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
        self._events: Iterator[Event] = yaml.parse(self._source, Loader=loader)

    def entries(self) -> Iterator[Entry]:
        """Header, events and end mark as they come, the last event perhaps torn."""
        yield self._header()
        opening = self._next()
        if isinstance(opening, SequenceStartEvent):
            self._check_bare(opening)
            while not isinstance(item := self._next(), SequenceEndEvent):
                if _is_empty(item):
                    raise self._refusal(item, UNFINISHED)
                if not isinstance(item, MappingStartEvent):
                    raise self._refusal(item, "an event must be a mapping")
                yield Entry("event", _line(item), self._mapping(item, 1))
        elif not _is_empty(opening):
            raise self._refusal(opening, "`events` must be a list")
        yield self._end()

    def _header(self) -> Entry:
        self._expect(StreamStartEvent)
        document = self._next()
        if isinstance(document, StreamEndEvent):
            raise self._torn()
        if not isinstance(document, DocumentStartEvent) or document.version or document.tags:
            raise self._refusal(document, "directives are not allowed")
        opening = self._next()
        if not isinstance(opening, MappingStartEvent):
            raise self._refusal(opening, "not a cassette: it must start with a key")
        self._check_bare(opening)
        header: dict[str, Plain] = {}
        while (key := self._header_key(header)) != COUNT_KEY:
            event = self._next()
            value = self._value(event, 2)
            problem = check_header(len(header), key, value)
            if problem:
                raise self._refusal(event, problem)
            header[key] = value
        if not header:
            raise self._refusal(opening, check_header(0, key, None))
        return Entry("header", _line(opening), header)

    def _header_key(self, known: dict[str, Plain]) -> str:
        event = self._next()
        if isinstance(event, MappingEndEvent):
            raise self._torn()
        return self._key(event, known)

    def _end(self) -> Entry:
        event = self._next()
        if isinstance(event, MappingEndEvent):
            raise self._torn()
        if self._key(event, {}) != END_KEY:
            raise self._refusal(event, f"only the key `{END_KEY}` can follow the events")
        value = self._next()
        if not isinstance(value, MappingStartEvent):
            raise self._refusal(value, "the end mark must say `events: N`")
        entry = Entry("end", _line(event), self._mapping(value, 1))
        self._expect(MappingEndEvent)
        self._expect(DocumentEndEvent)
        self._expect(StreamEndEvent)
        return entry

    def _next(self) -> Event:
        try:
            event = next(self._events, None)
        except yaml.YAMLError as error:
            raise self._translated(error) from None
        except (ValueError, OverflowError):  # of `chr()`, in PyYAML without libyaml
            raise self._explained(self._source.last_line, _NO_CHARACTER) from None
        if event is None:
            raise self._torn()
        return event

    def _expect(self, kind: type[Event]) -> None:
        event = self._next()
        if not isinstance(event, kind):
            raise self._refusal(event, "nothing can follow the end mark")

    def _value(self, event: Event, level: int) -> Plain:
        """The value that starts with an event, `level` containers deep."""
        if isinstance(event, ScalarEvent):
            return self._scalar(event)
        if isinstance(event, MappingStartEvent):
            return self._mapping(event, level)
        if not isinstance(event, SequenceStartEvent):
            raise self._refusal(event, "aliases are not allowed")
        self._check_container(event, level)
        items: list[Plain] = []
        while not isinstance(item := self._next(), SequenceEndEvent):
            items.append(self._value(item, level + 1))
        return items

    def _mapping(self, event: MappingStartEvent, level: int) -> dict[str, Plain]:
        self._check_container(event, level)
        mapping: dict[str, Plain] = {}
        while not isinstance(key := self._next(), MappingEndEvent):
            name = self._key(key, mapping)
            mapping[name] = self._value(self._next(), level + 1)
        return mapping

    def _check_container(self, event: MappingStartEvent | SequenceStartEvent, level: int) -> None:
        self._check_bare(event)
        if level > MAX_DEPTH:
            raise self._refusal(event, f"more than {MAX_DEPTH} levels of nesting")

    def _scalar(self, event: ScalarEvent) -> Plain:
        if event.tag == TEMPLATE_TAG and event.anchor is None:
            return {TEMPLATE_KEY: event.value}
        self._check_bare(event)
        try:
            event.value.encode()  # PyYAML without libyaml lets lone surrogates pass
        except UnicodeEncodeError:
            raise self._refusal(event, _NO_CHARACTER) from None
        if not event.implicit[0]:
            return event.value
        try:
            return resolve_plain(event.value)
        except ValueError as error:
            raise self._refusal(event, str(error)) from None

    def _key(self, event: Event, known: dict[str, Plain]) -> str:
        if not isinstance(event, ScalarEvent):
            raise self._refusal(event, "a key must be text")
        key = self._scalar(event)
        if not isinstance(key, str):
            raise self._refusal(event, f"a key must be text: put {event.value!r} in quotes")
        if key in known:
            raise self._refusal(event, f"the key {key!r} appears twice")
        return key

    def _check_bare(self, event: MappingStartEvent | SequenceStartEvent | ScalarEvent) -> None:
        if event.tag is not None:
            raise self._refusal(event, f"tags are not allowed: {event.tag}")
        if event.anchor is not None:
            raise self._refusal(event, f"anchors are not allowed: &{event.anchor}")

    def _refusal(self, event: Event, message: str) -> CassetteFormatError:
        return self._explained(_line(event), message)

    def _torn(self) -> CassetteFormatError:
        fault = self._source.fault or Fault(self._source.last_line, TORN)
        return _UnmarkedEndError(fault.message, path=self._path, line=fault.line)

    def _translated(self, error: yaml.YAMLError) -> CassetteFormatError:
        """A parser's error as ours."""
        if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
            line = error.problem_mark.line + 1
            return self._explained(line, f"not valid YAML: {error.problem}")
        return self._explained(1, f"not valid YAML: {error}")

    def _explained(self, line: int, message: str) -> CassetteFormatError:
        """The error to raise: that of the source, if it made the text end early."""
        fault = self._source.fault
        if fault is not None and line >= fault.line:
            line, message = fault.line, fault.message
        return CassetteFormatError(message, path=self._path, line=line)


def _line(event: Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _is_empty(event: Event) -> bool:
    return isinstance(event, ScalarEvent) and event.implicit[0] and not event.value
