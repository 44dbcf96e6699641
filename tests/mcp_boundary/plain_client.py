"""A client that writes lines to a command, and reads lines."""

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


class PlainClient:
    def __init__(self, command: Sequence[str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        self._number = 0

    def say(self, **frame: object) -> None:
        assert self.process.stdin
        print(json.dumps({"jsonrpc": "2.0", **frame}), file=self.process.stdin, flush=True)

    def hear(self) -> Any:
        """The next frame; None at the end."""
        assert self.process.stdout
        for line in self.process.stdout:
            if line.startswith("{"):
                return json.loads(line)
        return None

    def ask(self, method: str, **params: object) -> list[Any]:
        """What is said until the answer comes, the answer included."""
        self._number += 1
        self.say(id=self._number, method=method, params=params)
        heard = []
        while (frame := self.hear()) is not None:
            heard.append(frame)
            if frame.get("id") == self._number and "method" not in frame:
                break
            if frame.get("method") == "roots/list":
                self.say(id=frame["id"], result={"roots": ["here"]})
        return heard

    def leave(self) -> tuple[int, str]:
        """The exit code and what was written to stderr."""
        _, complaints = self.process.communicate(timeout=60)
        return self.process.returncode, complaints


@contextmanager
def client_of(command: Sequence[str]) -> Iterator[PlainClient]:
    client = PlainClient(command)
    try:
        yield client
    finally:
        client.process.kill()
        client.process.communicate()
