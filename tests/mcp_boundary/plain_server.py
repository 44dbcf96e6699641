"""A server without the SDK: answers `echo`, asks `roots/list`, and dies when told to."""

import json
import sys


def say(**frame: object) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **frame}) + "\n")
    sys.stdout.flush()


print("a line that is not JSON", flush=True)
for line in sys.stdin:
    frame = json.loads(line)
    method, number = frame.get("method"), frame.get("id")
    if method == "echo":
        say(method="notifications/message", params={"level": "info", "data": frame["params"]})
        say(id=number, result={"said": frame["params"]})
    elif method == "whose":
        say(id=1, method="roots/list")
        answer = json.loads(sys.stdin.readline())
        say(id=number, result={"roots": answer["result"]["roots"]})
    elif method == "die":
        sys.exit(3)
    elif method == "refuse":
        say(id=number, error={"code": 7, "message": "no", "data": [1, 2.0, None]})
