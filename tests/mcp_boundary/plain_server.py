"""A server without the SDK: answers `echo`, asks `roots/list`, and dies when told to.

An argument alters what it does, as a new version of it might.
"""

import json
import secrets
import sys


def say(**frame: object) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **frame}) + "\n")
    sys.stdout.flush()


altered = sys.argv[-1]
level = "debug" if altered == "level" else "info"
print("a line that is not JSON", flush=True)
for line in sys.stdin:
    frame = json.loads(line)
    method, number, said = frame.get("method"), frame.get("id"), frame.get("params", {})
    if method == "echo" and altered != "silent":
        data = {"from": "echo"} if altered == "data" else said
        if altered != "no log":
            say(method="notifications/message", params={"level": level, "data": data})
        if altered == "another log":
            say(method="notifications/message", params={"level": level, "data": data})
        if altered == "died":
            sys.exit(1)
        if altered == "refused":
            say(id=number, error={"code": -32602, "message": "no"})
        else:
            key = "spoken" if altered == "renamed" else "said"
            extra = {"extra": True} if altered == "extra" else {}
            say(id=number, result={key: said, **extra})
    elif method == "work":
        token = said["_meta"]["progressToken"]
        for step in (1, 2):
            params = {"progressToken": token, "progress": step}
            say(method="notifications/progress", params=params)
        say(id=number, result={})
    elif method == "whose":
        if altered == "asks nothing":
            say(id=number, result={"roots": ["here"]})
            continue
        params = {"params": {"deep": True}} if altered == "asks more" else {}
        say(id=1, method="roots/list", **params)
        answer = json.loads(sys.stdin.readline())
        roots = [] if altered == "forgets" else answer.get("result", {}).get("roots")
        say(id=number, result={"roots": roots})
    elif method == "choose":
        if "requestState" not in said:
            state = secrets.token_hex(8)
            say(id=number, result={"resultType": "input_required", "requestState": state})
        elif said["requestState"] == state:
            say(id=number, result={"resultType": "complete", "chosen": said["choice"]})
        else:
            say(id=number, error={"code": 1, "message": "unknown state"})
    elif method == "part":
        say(id=number, result={})
        say(method="notifications/message", params={"level": "info", "data": "farewell"})
    elif method == "server/discover":
        say(id=number, error={"code": -32601, "message": "not found"})
    elif method == "die":
        sys.exit(3)
    elif method == "refuse":
        code = 8 if altered == "code" else 7
        data = [1, 2.5, None] if altered == "error data" else [1, 2.0, None]
        say(id=number, error={"code": code, "message": "no", "data": data})
