"""A client that misbehaves, with a mock server: `perturbed_sessions.py TAPE FIRST COUNT`.

Each session alters, drops, repeats or delays one message of the recorded client, withholds its
answer, leaves too early, closes the pipe that it reads from, or pauses. Its seed decides what, and
a line of JSON says what came of it. An answer is not repeated: JSON-RPC lets a server ignore one
that it does not wait for. The mock servers are forks of this process, so that a session costs no
start of Python. Their patience is shortened. A session that hangs ends this program by a signal.
"""

import json
import os
import random
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp import mock_server
from vcr_gen.cli import main

assert mock_server
PATIENCE: Final = 0.3
WATCHDOG: Final = 60
Frame = dict[str, Any]
MESSAGES: Final[list[Frame]] = [
    {"id": 1, "method": "echo", "params": {"text": "Grüße", "number": 1}},
    {"id": 2, "method": "whose", "params": {}},
    {"id": "answer", "result": {"roots": ["here"]}},
    {"method": "notifications/note", "params": {"level": 1}},
    {"id": 3, "method": "refuse", "params": {}},
    {"id": 4, "method": "echo", "params": {"deep": [{"number": 1}]}},
]


class Client:
    """Writes messages to a mock server, waits for answers, and answers what it is asked."""

    def __init__(self, tape: Path) -> None:
        reads, self._to = os.pipe()
        self._from, writes = os.pipe()
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = os.fork()
        if self.process == 0:
            for source, target in ((reads, 0), (writes, 1), (self._complaints.fileno(), 2)):
                os.dup2(source, target)
            os.closerange(3, 64)
            sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
            Cassette.peer.__defaults__ = (PATIENCE,)
            code = main(["mcp", "serve", str(tape)])
            sys.stderr.flush()
            os._exit(code)
        os.close(reads)
        os.close(writes)
        self._lines = os.fdopen(self._from, "rb")
        self.asked: list[object] = []
        """The numbers of what the server asked."""
        self._answered: dict[object, Frame] = {}

    def say(self, message: Frame) -> None:
        if message.get("id") == "answer":
            if not self.asked:
                return
            message = {**message, "id": self.asked[-1]}
        os.write(self._to, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def wait(self, number: object) -> None:
        """Read until there is an answer, or a request."""
        while self.answer_to(number) is None and (line := self._read()):
            frame = json.loads(line)
            if "method" not in frame:
                self._answered[frame["id"]] = frame
            elif "id" in frame:
                self.asked.append(frame["id"])
                return

    def answer_to(self, number: object) -> Frame | None:
        return self._answered.get(number)

    def _read(self) -> bytes:
        return b"" if self._lines.closed else self._lines.readline()

    def close_ears(self) -> None:
        """Read no more."""
        self._lines.close()

    def leave(self) -> tuple[int, str]:
        os.close(self._to)
        while self._read():
            pass
        _, status = os.waitpid(self.process, 0)
        self._lines.close()
        self._complaints.seek(0)
        return os.waitstatus_to_exitcode(status), self._complaints.read().decode()


def altered(message: Frame, chance: random.Random) -> tuple[Frame, str]:
    """The message with one thing changed, and the name of that."""
    message = json.loads(json.dumps(message))
    changed = message["params"] if "params" in message else message["result"]
    how = chance.choice(["add", "value", "method"])
    if how == "method" and "method" in message:
        message["method"] = "other"
        return message, "other"
    name = chance.choice(sorted(changed)) if how == "value" and changed else "added"
    changed[name] = "another"
    return message, name


@dataclass
class Perturbed:
    """What a client does, and what a report names: the field, or a message that is out of place."""

    sent: list[Frame]
    named: list[str]
    pause: float = 0
    deaf_after: int | None = None
    waits_for: int | None = None
    """The request whose answer the client waits for at the end."""


def perturbed(seed: int) -> Perturbed:
    chance = random.Random(seed)
    kinds = ("alter", "drop", "repeat", "delay", "withhold", "leave", "close", "pause")
    kind = kinds[seed % len(kinds)]
    places = {"delay": range(len(MESSAGES) - 1), "repeat": [0, 1, 3, 4, 5], "close": range(2)}
    place = chance.choice(places.get(kind, range(len(MESSAGES))))
    message, sent = MESSAGES[place], list(MESSAGES)
    names = [each.get("method", "roots/list") for each in MESSAGES[place : place + 2]]
    if kind in ("alter", "pause"):
        sent[place], name = altered(message, chance)
        return Perturbed(sent, [name], 3 * PATIENCE if kind == "pause" else 0)
    if kind == "withhold":
        return Perturbed(sent[:2], ["roots/list"], waits_for=2)
    if kind == "leave":
        return Perturbed(sent[:place], names[:1])
    if kind == "close":
        return Perturbed(sent, ["roots/list"], deaf_after=place)
    if kind == "drop":
        del sent[place]
    elif kind == "repeat":
        sent.insert(place + 1, message)
    else:
        sent.insert(place + 1, sent.pop(place))
    return Perturbed(sent, names)


def session(tape: Path, does: Perturbed) -> tuple[int, str]:
    """Send messages as a client does, each after the answer to the one before."""
    signal.alarm(WATCHDOG)
    client = Client(tape)
    waits: list[object] = []
    for place, message in enumerate(does.sent):
        client.say(message)
        if "method" in message and "id" in message:
            waits.append(message["id"])
        if place == does.deaf_after:
            client.close_ears()
        if waits and "id" in message:
            client.wait(waits[-1])
            time.sleep(does.pause if message["id"] in (1, 3) else 0)
    if does.waits_for is not None:
        client.wait(does.waits_for)
        answer = client.answer_to(does.waits_for)
        assert answer is not None
        assert "roots/list" in answer["error"]["message"], answer
    return client.leave()


if __name__ == "__main__":
    path, first, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    unperturbed = session(path, Perturbed(MESSAGES, [], pause=3 * PATIENCE))
    assert unperturbed == (0, ""), unperturbed
    for number in range(first, first + count):
        doing = perturbed(number)
        exit_code, complaints = session(path, doing)
        found = {"seed": number, "code": exit_code, "named": doing.named, "said": complaints}
        print(json.dumps(found), flush=True)
