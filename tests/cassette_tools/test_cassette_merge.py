"""`vcr-gen cassette merge`: what was recorded apart replays in turn."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from tape_data import read_header, read_tape
from tape_files import HEADER, SESSION, write_tape
from wrapping import wrap_package

from vcr_gen import Cassette, Driver
from vcr_gen.cli import main
from vcr_gen.errors import DivergenceError
from vcr_gen.runtime.record import recording_turns
from vcr_gen.runtime.tape.unfolding import unfold

_WRAPPERS = wrap_package(Path(__file__).parent / "merged")

from merged import real  # noqa: E402 - importable from here on
from vcr_merged import VcrServer, VcrWorld  # noqa: E402

PROGRAMS = {
    "calls": real.calls,
    "objects": real.objects,
    "tasks": real.tasks,
    "threads": real.threads,
}


def record(path: Path, *programs: Callable[[Any], object]) -> list[object]:
    with Cassette(path, "all") as cassette:
        world = VcrWorld.attach(cassette, real.RealWorld)
        return [program(world) for program in programs]


def replay(path: Path, *programs: Callable[[Any], object]) -> list[object]:
    with Cassette(path, "none") as cassette:
        world = VcrWorld.attach(cassette, real.RealWorld)
        return [program(world) for program in programs]


def merge(*arguments: Any) -> int:
    return main(["cassette", "merge", "-q", *map(str, arguments)])


def without_chance(path: Path) -> list[dict[str, Any]]:
    """The events without times, and without the numbers that Python gave to threads."""
    return [
        {
            key: value.partition("-")[0] if key == "begins" else value
            for key, value in asdict(event).items()
            if key not in ("at", "took")
        }
        for entry in read_tape(path)
        for event in unfold(entry, path=path, line=0)
    ]


@pytest.mark.parametrize("second", PROGRAMS)
@pytest.mark.parametrize("first", PROGRAMS)
def test_the_merged_tape_is_the_one_that_a_program_doing_both_would_have_recorded(
    tmp_path, first, second, monkeypatch
):
    # A busy machine adds events: the clock catches up, and an answer waits too long for its turn.
    monkeypatch.setattr(recording_turns, "LAG", 1e9)
    monkeypatch.setattr(recording_turns, "FORCE_AFTER", 1e9)
    programs = PROGRAMS[first], PROGRAMS[second]
    a, b, both = tmp_path / "a.yaml", tmp_path / "b.jsonl", tmp_path / "both.yaml"
    seen = [*record(a, programs[0]), *record(b, programs[1])]
    assert merge(a, b, "-o", both) == 0
    assert replay(both, *programs) == seen
    together = tmp_path / "together.yaml"
    record(together, *programs)
    assert without_chance(both) == without_chance(together)
    times = [event["at"] for event in read_tape(both)]
    assert times == sorted(times)
    assert main(["cassette", "check", "-q", "--no-signatures", str(both)]) == 0


@pytest.mark.parametrize("other", ["the-one-secret", "another-secret"])
def test_secrets_that_both_sessions_have_may_be_the_same_or_not(tmp_path, other):
    def login(password: str) -> Callable[[Any], object]:
        return lambda world: world.run(f"login --password={password}")

    a, b, both = (tmp_path / f"{name}.yaml" for name in ("a", "b", "both"))
    record(a, login("the-one-secret"))
    record(b, login(other))
    assert "secret" not in a.read_text() + b.read_text()
    assert merge(a, b, "-o", both) == 0
    assert replay(both, login("the-one-secret"), login(other))
    with pytest.raises(DivergenceError):
        replay(both, login("the-one-secret"), lambda world: world.run("login --user=me"))


def test_three_sessions_with_inbound_calls_are_driven_one_after_another(tmp_path):
    class Application:
        def __init__(self, world: Any) -> None:
            self.world = world

        def ask(self, question: str) -> str:
            return f"{self.world.run(question)}!"

    def serve(path: Path, mode: str, drive: Callable[[Any, Any], None]) -> None:
        with Cassette(path, mode) as cassette:
            world = VcrWorld.attach(cassette, real.RealWorld)
            drive(cassette, VcrServer(cassette=cassette, inner=Application(world)))

    tapes = [tmp_path / f"{name}.yaml" for name in "abc"]
    for number, tape in enumerate(tapes):
        serve(tape, "all", lambda _, server, n=number: server.ask(f"q{n}"))
    both = tmp_path / "all.jsonl"
    assert merge(*tapes, "-o", both) == 0
    serve(both, "none", lambda cassette, server: Driver(cassette, server).run_sync())
    assert [event.get("strand") for event in read_tape(both) if event.get("of") == "World.run"] == [
        "@1",
        "@3",
        "@5",
    ]


def test_the_header_is_that_of_both(tmp_path):
    shell = {"Shell": HEADER["boundaries"]["Shell"]}
    old = {
        "recorded_at": "2026-11-01T00:00:00+00:00",
        "max_age": 60.0,
        "initial_state": {"a": 1, "both": 2},
        "anchors": ["project"],
        "roots": {"project": "9-0123456789ab", "tmp": "4-0123456789ab"},
        "rules": {"Other.go": {"$result": "volatile"}},
        "boundaries": {"Other": {"direction": "inbound", "methods": {"go": "() -> None"}}},
    }
    new = {
        **HEADER,
        "anchors": ["project"],
        "roots": {"project": "8-ba9876543210", "tmp": "4-0123456789ab"},
        "initial_state": {"both": 2, "b": 3},
        "rules": {"Shell.run": {"command": "volatile"}},
        "boundaries": shell,
    }
    a = write_tape(tmp_path / "a.yaml", [SESSION[0]], new)
    b = write_tape(tmp_path / "b.yaml", [SESSION[0]], old)
    assert merge(a, b, "-o", tmp_path / "c.yaml") == 0
    assert read_header(tmp_path / "c.yaml") == {
        "vcr-gen": 1,
        "recorded_at": "2026-11-01T00:00:00+00:00",
        "max_age": 60.0,
        "initial_state": {"both": 2, "b": 3, "a": 1},
        "anchors": ["project"],
        "boundaries": {"Other": old["boundaries"]["Other"], **shell},
        "rules": {"Other.go": {"$result": "volatile"}, "Shell.run": {"command": "volatile"}},
    }
    assert [event["at"] for event in read_tape(tmp_path / "c.yaml")] == [0.1, 0.7]


def test_sessions_that_contradict_each_other_are_refused_with_every_reason(tmp_path, capsys):
    methods = {"run": "(line: str) -> str"}
    other = {
        **HEADER,
        "initial_state": {"cwd": "/b"},
        "anchors": ["project"],
        "boundaries": {
            "Shell": {"direction": "outbound", "methods": methods},
            "server": {"direction": "outbound", "methods": {}},
        },
    }
    a = write_tape(tmp_path / "a.yaml", [], {**HEADER, "initial_state": {"cwd": "/a"}})
    b = write_tape(tmp_path / "b.yaml", [], other)
    assert merge(a, b, "-o", tmp_path / "c.yaml") == 2
    assert capsys.readouterr().err == (
        "these sessions cannot be merged:\n"
        f"{b}: `initial_state.cwd` differs\n"
        f"{b}: `boundaries.Shell.methods.run` differs\n"
        f"{b}: `boundaries.server.direction` differs\n"
        f"{b}: `anchors` differs from {a}\n"
    )
    assert not (tmp_path / "c.yaml").exists()


def test_wrong_use_of_merge_exits_2(tmp_path, capsys):
    a = write_tape(tmp_path / "a.yaml", SESSION)
    torn = tmp_path / "torn.yaml"
    torn.write_bytes(a.read_bytes()[:-30])
    out = tmp_path / "out.yaml"
    for arguments, words in (
        ((a, "-o", out), "two cassettes or more"),
        ((a, a), "the following arguments are required: -o"),
        ((a, a, "-o", a), "already exists\n  hint: --force replaces it"),
        ((a, torn, "-o", out), f"{torn}:"),
        ((a, tmp_path, "-o", out), "is a folder; expected the path of one cassette"),
        ((a, a, "-o", tmp_path / "out.txt"), "must end in one of"),
    ):
        assert merge(*arguments) == 2
        assert words in capsys.readouterr().err
        assert not out.exists()
    assert merge(a, a, "-o", a, "--force") == 0
    assert len(read_tape(a)) == 2 * len(SESSION)


def test_everything_that_names_a_call_an_object_or_a_strand_is_moved(tmp_path):
    callback = {"on": "#1", "inbound": True, "strand": "0.1", "within": 1, "after": 1, "rounds": 2}
    events = [
        {"call": 1, "of": "server.ask", "inbound": True, "at": 0.0},
        {"call": 2, "of": "callable.call", **callback, "at": 0.5, "args": {"arg1": 1}},
        {
            "call": 3,
            "of": "World.run",
            "strand": "@2.1",
            "begins": "80c-2",
            "at": 0.6,
            "args": {"f": {"$callable": 2}},
        },
        {"end": 3, "strand": "@2", "at": 0.7, "returned": {"$handle": "World"}},
        {"end": 2, "at": 0.8, "returned": None},
        {"end": 1, "at": 1.0, "returned": None},
    ]
    tape = write_tape(tmp_path / "one.yaml", events, {"recorded_at": HEADER["recorded_at"]})
    assert merge(tape, tape, "-o", tmp_path / "two.yaml") == 0
    moved = {**callback, "on": "#3", "strand": "0.2", "within": 4, "after": 4}
    assert read_tape(tmp_path / "two.yaml")[6:] == [
        {"call": 4, "of": "server.ask", "inbound": True, "at": 1.0},
        {"call": 5, "of": "callable.call", **moved, "at": 1.5, "args": {"arg1": 1}},
        {
            "call": 6,
            "of": "World.run",
            "strand": "@5.1",
            "begins": "80c-4",
            "at": 1.6,
            "args": {"f": {"$callable": 4}},
        },
        {"end": 6, "strand": "@5", "at": 1.7, "returned": {"$handle": "World"}},
        {"end": 5, "at": 1.8, "returned": None},
        {"end": 4, "at": 2.0, "returned": None},
    ]
