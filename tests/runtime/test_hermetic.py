"""What a hermetic replay notices, and what it leaves alone."""

import ast
import asyncio
import logging
import os
import socket
import sqlite3
import subprocess
import sys
import threading
import traceback
import urllib.request
from contextlib import suppress
from zoneinfo import ZoneInfo

import pytest
from sample.bridges import RealShell
from taping import forbidden
from vcr_sample import VcrShell

from vcr_gen import Cassette, Hermetic, HermeticWarning
from vcr_gen.errors import HermeticError, UsageError


@pytest.fixture
def replay(tmp_path):
    """Replays a recorded session of one call in which the program also does something else."""
    path = tmp_path / "tape.yaml"
    with Cassette(path, "all") as cassette:
        VcrShell.attach(cassette, RealShell).read(1)

    def run(deed, hermetic="fail"):
        with Cassette(path, "none", hermetic=hermetic) as cassette:
            VcrShell.attach(cassette, forbidden).read(1)
            return deed()

    return run


@pytest.fixture
def server():
    """A real server that takes connections."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def connect(port):
    with socket.socket() as sock:
        sock.connect(("127.0.0.1", port))


async def connect_async(port):
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.close()
    await writer.wait_closed()


def send_datagram(port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.sendto(b"hello", ("127.0.0.1", port))


def write_low_level(path):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT))


async def start_process_async():
    process = await asyncio.create_subprocess_exec("true")
    await process.wait()


DEEDS = {
    "connection": lambda port, folder: connect(port),
    "datagram": lambda port, folder: send_datagram(port),
    "connection in a loop": lambda port, folder: asyncio.run(connect_async(port)),
    "url": lambda port, folder: urllib.request.urlopen(f"http://127.0.0.1:{port}", timeout=2),
    "look-up": lambda port, folder: socket.getaddrinfo("localhost", 80),
    "old look-up": lambda port, folder: socket.gethostbyname("localhost"),
    "process": lambda port, folder: subprocess.run(["true"], check=True),
    "process in a loop": lambda port, folder: asyncio.run(start_process_async()),
    "shell": lambda port, folder: os.system("true"),
    "write": lambda port, folder: (folder / "new.txt").write_text("new"),
    "append": lambda port, folder: (folder / "old.txt").open("a").close(),
    "low-level write": lambda port, folder: write_low_level(folder / "new.txt"),
    "read": lambda port, folder: (folder / "old.txt").read_text(),
    "remove": lambda port, folder: (folder / "old.txt").unlink(),
    "rename": lambda port, folder: (folder / "old.txt").rename(folder / "new.txt"),
    "database": lambda port, folder: sqlite3.connect(folder / "data.db").close(),
}
KINDS = {
    "connection": (
        "connection",
        "connection in a loop",
        "datagram",
        "url",
        "look-up",
        "old look-up",
    ),
    "process": ("process", "process in a loop", "shell"),
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "old.txt").write_text("old")
    return tmp_path


@pytest.mark.parametrize("name", DEEDS)
def test_what_reaches_past_the_boundaries_is_stopped_before_it_happens(
    replay, server, folder, name
):
    deed = DEEDS[name]
    before = sorted(folder.iterdir())
    with pytest.raises(HermeticError) as caught:
        replay(lambda: deed(server, folder))
    expected = next((kind for kind, names in KINDS.items() if name in names), "file")
    assert expected == caught.value.kind
    assert before == sorted(folder.iterdir())
    assert (folder / "old.txt").read_text() == "old"


def test_the_error_says_what_where_and_what_to_do(replay, folder):
    def report():
        return (folder / "old.txt").read_text()

    with pytest.raises(HermeticError) as caught:
        replay(report)
    error = caught.value
    line = report.__code__.co_firstlineno + 1
    assert error.target == str(folder / "old.txt")
    assert error.stack[0] == f"{__file__}:{line} in report"
    assert str(error) == (
        f"{folder / 'tape.yaml'}: the replay bypassed its boundaries: "
        f"a file opened for reading: {error.target}\n\n"
        + "".join(f"  at {place}\n" for place in error.stack)
        + f"\noutbound boundaries of this session: {', '.join(_outbound())}\n"
        "hint: let the program use files through an @outbound Protocol, such as `Files` with "
        "`read` and `write`, whose bridge opens files; or allow it: Hermetic(files=(…,))"
    )


def _outbound():
    from vcr_sample import SHELL

    return sorted(each.name for each in SHELL.reachable if each.direction == "outbound")


def test_an_application_that_catches_everything_cannot_hide_it(replay, server):
    def retry():
        with suppress(Exception):
            connect(server)

    with pytest.raises(HermeticError, match="a connection to"):
        replay(retry)


def test_a_warning_tells_it_at_the_end_and_stops_nothing(replay, folder):
    def report():
        for _ in range(3):
            text = (folder / "old.txt").read_text()
        return text

    with pytest.warns(HermeticWarning, match="opened for reading") as caught:
        assert replay(report, "warn") == "old"
    assert len(caught) == 1


def test_threads_of_the_application_are_watched_too(replay, folder):
    def report():
        thread = threading.Thread(target=(folder / "new.txt").write_text, args=("new",))
        thread.start()
        thread.join()

    with pytest.warns(HermeticWarning, match="opened for writing"):
        replay(report, "warn")


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("connection", {"hosts": ("127.0.0.1",)}),
        ("look-up", {"hosts": ("localhost:80",)}),
        ("process", {"programs": ("true",)}),
        ("write", {"files": ("FOLDER",)}),
        ("read", {"files": ("FOLDER/old.txt",)}),
        ("remove", {"files": ("FOLDER",)}),
    ],
)
def test_what_is_allowed_goes_on(replay, server, folder, name, allowed):
    places = {
        key: tuple(place.replace("FOLDER", str(folder)) for place in value)
        for key, value in allowed.items()
    }
    replay(lambda: DEEDS[name](server, folder), Hermetic(**places))


def test_a_port_may_be_allowed_alone(replay, server):
    with pytest.raises(HermeticError):
        replay(lambda: connect(server), Hermetic(hosts=("127.0.0.1:1",)))


def test_python_reads_what_it_needs(replay, tmp_path, monkeypatch):
    module = tmp_path / "fresh_module.py"
    module.write_text("from pathlib import Path\nTEXT = Path(__file__).read_text()\n")
    monkeypatch.syspath_prepend(tmp_path)

    def work():
        import fresh_module

        try:
            raise ValueError(fresh_module.TEXT)
        except ValueError:
            shown = traceback.format_exc()
        logging.getLogger("hermetic").exception("with a traceback")
        with suppress(SyntaxError):
            ast.parse("1 +")
        ZoneInfo.no_cache("Europe/Berlin")
        with open(os.devnull, "w") as nothing:
            nothing.write("x")
        return shown

    assert "work" in replay(work)


def test_nothing_is_guarded_while_recording_nor_after_the_close(replay, tmp_path, folder):
    with Cassette(tmp_path / "other.yaml", "all", hermetic="fail") as cassette:
        VcrShell.attach(cassette, RealShell).read(1)
        assert (folder / "old.txt").read_text() == "old"
    replay(lambda: None)
    assert (folder / "old.txt").read_text() == "old"


def test_the_guard_ends_with_a_block_that_fails(replay, folder):
    def fail():
        raise ValueError("the test's own")

    with pytest.raises(ValueError, match="own"):
        replay(fail)
    assert (folder / "old.txt").read_text() == "old"


def test_no_secret_is_in_the_message(replay):
    key = "sk-ant-" + "api03-" + "Zz9" * 30

    with pytest.raises(HermeticError) as caught:
        replay(lambda: subprocess.run(["curl", "-H", f"x-api-key: {key}", "x" * 500], check=False))
    assert "Zz9" not in str(caught.value)
    assert "<redacted:anthropic-key" in str(caught.value)
    assert len(str(caught.value).splitlines()[0]) < 600


def test_a_wrong_word_is_refused(tmp_path):
    with pytest.raises(UsageError, match="expected 'warn' or 'fail'; got 'strict'"):
        Cassette(tmp_path / "tape.yaml", "all", hermetic="strict")
    with pytest.raises(UsageError, match="`hosts` must be a tuple of strings"):
        Hermetic(hosts="localhost")


def test_without_it_no_hook_is_ever_installed(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "def refuse(hook): raise SystemExit('a hook was installed')\n"
        "sys.addaudithook = refuse\n"
        "from vcr_gen import Cassette\n"
        "for mode in ('all', 'none'):\n"
        "    with Cassette(sys.argv[1], mode): pass\n"
    )
    command = [sys.executable, script, tmp_path / "tape.yaml"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
