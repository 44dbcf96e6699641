"""A client that misbehaves, with a mock server: `perturbed_sessions.py TAPE FIRST COUNT`.

Each session alters, drops, repeats or delays one message of the recorded client, chosen by its
seed, and prints what came of it as a line of JSON. An answer is not repeated: JSON-RPC lets a
server ignore one that it does not wait for. The mock servers are forks of this process, so
that a session costs no start of Python. Their patience is shortened.
"""

import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp import mock_server
from vcr_gen.cli import main

assert mock_server
PATIENCE: Final = 0.3
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
        self._answered: set[object] = set()

    def say(self, message: Frame) -> None:
        if message.get("id") == "answer":
            if not self.asked:
                return
            message = {**message, "id": self.asked[-1]}
        os.write(self._to, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def wait(self, number: object) -> None:
        """Read until there is an answer, or a request."""
        while number not in self._answered and (line := self._lines.readline()):
            frame = json.loads(line)
            if "method" not in frame:
                self._answered.add(frame["id"])
            elif "id" in frame:
                self.asked.append(frame["id"])
                return

    def leave(self) -> tuple[int, str]:
        os.close(self._to)
        self._lines.read()
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


def perturbed(seed: int) -> tuple[list[Frame], list[str]]:
    """What is sent, and what a report names: the field, or a message that is out of place."""
    chance = random.Random(seed)
    kind = ("alter", "drop", "repeat", "delay")[seed % 4]
    places = {"delay": range(len(MESSAGES) - 1), "repeat": [0, 1, 3, 4, 5]}
    place = chance.choice(places.get(kind, range(len(MESSAGES))))
    message, sent = MESSAGES[place], list(MESSAGES)
    names = [each.get("method", "roots/list") for each in MESSAGES[place : place + 2]]
    if kind == "alter":
        sent[place], name = altered(message, chance)
        return sent, [name]
    if kind == "drop":
        del sent[place]
    elif kind == "repeat":
        sent.insert(place + 1, message)
    else:
        sent.insert(place + 1, sent.pop(place))
    return sent, names


def session(tape: Path, sent: list[Frame], pause: float = 0) -> tuple[int, str]:
    """Send messages as a client does, each after the answer to the one before."""
    client = Client(tape)
    waits: list[object] = []
    for message in sent:
        client.say(message)
        if "method" in message and "id" in message:
            waits.append(message["id"])
        if waits and "id" in message:
            client.wait(waits[-1])
            time.sleep(pause if message["id"] in (1, 3) else 0)
    return client.leave()


if __name__ == "__main__":
    path, first, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    unperturbed = session(path, MESSAGES, pause=3 * PATIENCE)
    assert unperturbed == (0, ""), unperturbed
    for number in range(first, first + count):
        messages, named = perturbed(number)
        exit_code, complaints = session(path, messages)
        found = {"seed": number, "code": exit_code, "named": named, "said": complaints}
        print(json.dumps(found), flush=True)
