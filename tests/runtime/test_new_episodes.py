"""The mode that replays what is there and records what follows."""

import asyncio
from contextlib import suppress

import pytest
from changing_world import World, session
from sample.bridges import RealDatabase, RealFeed
from tape_data import read_tape
from vcr_sample import VcrDatabase, VcrFeed, VcrShell

from vcr_gen import Cassette
from vcr_gen.errors import DivergenceError, IncompleteError, UsageError


def test_new_episodes_replays_the_tape_and_records_what_follows(tape, monkeypatch):
    session(tape.path, "all", 1, 2)
    monkeypatch.setattr(World, "more", 10)
    assert session(tape.path, "new_episodes", 1, 2, 3) == [1, 2, 13]
    assert session(tape.path, "none", 1, 2, 3) == [1, 2, 13]
    assert [entry["call"] for entry in read_tape(tape.path)] == [1, 2, 3]


def test_new_episodes_without_new_ones_leaves_the_file_as_it_is(tape):
    session(tape.path, "all", 1, 2)
    before = tape.path.read_bytes()
    assert session(tape.path, "new_episodes", 1, 2) == [1, 2]
    assert tape.path.read_bytes() == before
    assert list(tape.path.parent.iterdir()) == [tape.path]


def test_new_episodes_still_fails_on_divergence(tape):
    session(tape.path, "all", 1, 2)
    before = tape.path.read_bytes()
    with pytest.raises(DivergenceError):
        session(tape.path, "new_episodes", 1, 5)
    assert tape.path.read_bytes() == before


def test_new_episodes_continues_with_handles_streams_and_async_calls(tape):
    def first(feed):
        return list(feed.lines("ab"))

    async def both(feed):
        return [*first(feed), *[item async for item in feed.alines("xy")], *feed.lines("c")]

    def run(mode):
        with Cassette(tape.path, mode) as cassette:
            return asyncio.run(both(VcrFeed.attach(cassette, RealFeed)))

    tape.record(VcrFeed, RealFeed, first)
    assert run("new_episodes") == ["a", "b", "x", "y", "c"]
    assert run("none") == ["a", "b", "x", "y", "c"]


@pytest.mark.parametrize("use", ["call", "argument", "manager"])
@pytest.mark.parametrize("swallowed", [False, True])
def test_an_object_of_the_recorded_part_cannot_be_used_in_new_episodes(tape, use, swallowed):
    def begin(database):
        return database.cursor(), database.transaction()

    def go_on(database):
        cursor, manager = begin(database)
        with suppress(*([Exception] if swallowed else [])):
            if use == "call":
                cursor.fetch(1)
            elif use == "argument":
                database.use(cursor)
            else:
                manager.__enter__()

    tape.record(VcrDatabase, RealDatabase, begin)
    before = tape.path.read_bytes()
    with (
        pytest.raises(IncompleteError if swallowed else UsageError, match="only the recorded"),
        Cassette(tape.path, "new_episodes") as cassette,
    ):
        go_on(VcrDatabase.attach(cassette, RealDatabase))
    assert tape.path.read_bytes() == before


def test_a_value_that_cannot_be_stored_fails_new_episodes(tape):
    session(tape.path, "all", 1)
    before = tape.path.read_bytes()

    def more(shell):
        shell.read(1)
        shell.store([object()])
        shell.read(2)

    with (
        pytest.raises(IncompleteError, match=r"Shell\.store"),
        Cassette(tape.path, "new_episodes") as cassette,
    ):
        more(VcrShell.attach(cassette, World))
    assert tape.path.read_bytes() == before
