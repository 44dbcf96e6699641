"""Calls of a tape, start and end joined."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from pathlib import Path
from typing import IO, Any

import pytest
from tape_files import SESSION, write_tape

from vcr_gen.cassette_tools.recorded_calls import read_calls, split_name
from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.codec.tags import LIVE
from vcr_gen.runtime.tape.events import Item, Signal
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.runtime.values import live_codecs
from vcr_gen.runtime.values.live_kinds import live_kinds


@pytest.mark.parametrize("suffix", ["yaml", "jsonl"])
def test_calls_come_in_the_order_of_their_ends_with_all_that_belongs_to_them(
    tmp_path: Path, suffix: str
) -> None:
    path = write_tape(tmp_path / f"tape.{suffix}", SESSION)
    with Reading(path) as reading:
        calls = list(read_calls(reading))

    assert [(c.start.of, c.index, c.status, c.took, c.number) for c in calls] == [
        ("Shell.run", 0, "returned", 0.5, 1),
        ("executor.job", -1, "returned", 0.0, 5),
        ("Shell.watch", 2, "returned", 0.3, 3),
        ("Shell.run", 3, "raised", 0.25, 9),
        ("server.ask", 1, "returned", 1.0, 2),
        ("Shell.run", 4, "unfinished", None, 11),
    ]
    watch = calls[2]
    assert [type(event) for event in watch.between] == [Item, Item, Signal]
    assert [event.value for event in watch.between[:2]] == ["one", "two"]
    assert [call.is_internal for call in calls[:3]] == [False, True, False]


@pytest.mark.parametrize(
    ("events", "line", "words"),
    [
        ([SESSION[0], SESSION[0]], 3, "call 1 begins after call 1"),
        (
            [{"end": 7, "at": 0.0, "returned": None}],
            2,
            "call 7 has not started, or has already ended",
        ),
        ([SESSION[0], {"item": 1, "value": 1}], 3, "call 1 has not started, or has already ended"),
    ],
)
def test_what_cannot_have_happened_is_refused_with_its_line(
    tmp_path: Path, events: list[dict[str, object]], line: int, words: str
) -> None:
    path = write_tape(tmp_path / "tape.jsonl", events)
    with Reading(path) as reading, pytest.raises(CassetteFormatError, match=words) as caught:
        list(read_calls(reading))
    assert caught.value.line == line


def test_names_split_at_the_boundary_that_the_header_names() -> None:
    assert split_name("Shell.run") == ("Shell", "run")
    assert split_name("Device.ready.set") == ("Device", "ready.set")
    assert split_name("my.shell.run", ["my", "my.shell", "other"]) == ("my.shell", "run")


@pytest.mark.parametrize(
    "annotation",
    [
        Iterator[int],
        AsyncIterator[int],
        Awaitable[int],
        AbstractContextManager[int],
        AbstractAsyncContextManager[int],
        Callable[[], int],
        IO[str],
        IO[Any],
        asyncio.StreamReader,
        asyncio.StreamWriter,
    ],
)
def test_the_tools_know_every_kind_of_live_object(annotation: object) -> None:
    kinds = [kind for way in (True, False) for kind in live_kinds(annotation, inbound=way)]
    assert kinds
    assert {kind.word for kind in kinds} <= LIVE.keys()
    assert live_codecs._WORD in LIVE
