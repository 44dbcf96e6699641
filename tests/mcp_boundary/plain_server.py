"""A server without the SDK: answers `echo`, asks `roots/list`, and dies when told to."""

import json
import secrets
import sys
from typing import Any

Frame = dict[str, Any]


class PlainServer:
    """One method for each request."""

    state = ""
    asks_at_the_end = False

    def run(self) -> None:
        print("a line that is not JSON", flush=True)
        for line in sys.stdin:
            frame = json.loads(line)
            answer = getattr(self, frame.get("method", "").replace("/", "_"), None)
            if answer is not None and "id" in frame:
                answer(frame["id"], frame.get("params", {}))
        if self.asks_at_the_end:
            self.say(id=1, method="roots/list")

    def say(self, **frame: object) -> None:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **frame}) + "\n")
        sys.stdout.flush()

    def asked(self, method: str) -> Any:
        """The answer of the client to a request."""
        self.say(id=1, method=method)
        return json.loads(sys.stdin.readline()).get("result", {})

    def log(self, data: object) -> None:
        self.say(method="notifications/message", params={"level": "info", "data": data})

    def fail(self, number: object, code: int, message: str, **data: object) -> None:
        self.say(id=number, error={"code": code, "message": message, **data})

    def echo(self, number: object, said: Frame) -> None:
        self.log(said)
        self.say(id=number, result={"said": said})

    def work(self, number: object, said: Frame) -> None:
        for step in (1, 2):
            params = {"progressToken": said["_meta"]["progressToken"], "progress": step}
            self.say(method="notifications/progress", params=params)
        self.say(id=number, result={})

    def mumble(self, number: object, said: Frame) -> None:
        for line in (
            '"text"',
            '{"id": {}, "result": {}}',
            '{"jsonrpc": "2.0", "id": 1}',
            '{"jsonrpc": "2.0", "id": 1, "error": "none"}',
            '{"jsonrpc": "2.0", "method": "log", "params": ["debug"]}',
            '{"jsonrpc": "2.0", "method": "notifications/progress"}',
            '{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": []}}',
        ):
            print(line)
        self.say(id=number, result={"half": "\ud83c"}, error=None)

    def whose(self, number: object, said: Frame) -> None:
        self.say(id=number, result={"roots": self.asked("roots/list").get("roots")})

    def greet(self, number: object, said: Frame) -> None:
        self.say(id=number, result={})
        self.asked("roots/list")

    def choose(self, number: object, said: Frame) -> None:
        if "requestState" not in said:
            self.state = secrets.token_hex(8)
            result = {"resultType": "input_required", "requestState": self.state}
            self.say(id=number, result=result)
        elif said["requestState"] == self.state:
            self.say(id=number, result={"resultType": "complete", "chosen": said["choice"]})
        else:
            self.fail(number, 1, "unknown state")

    def part(self, number: object, said: Frame) -> None:
        self.say(id=number, result={})
        self.log("farewell")

    def postpone(self, number: object, said: Frame) -> None:
        self.asks_at_the_end = True
        self.say(id=number, result={})

    def refuse(self, number: object, said: Frame) -> None:
        self.fail(number, 7, "no", data=[1, 2.0, None])

    def server_discover(self, number: object, said: Frame) -> None:
        self.fail(number, -32601, "not found")

    def die(self, number: object, said: Frame) -> None:
        sys.exit(3)


if __name__ == "__main__":
    PlainServer().run()
