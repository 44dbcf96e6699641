"""Another version of the plain server: `altered_server.py ALTERATION`."""

import sys
from typing import Any, Final

from plain_server import Frame, PlainServer

_RESULTS: Final = {
    "renamed": lambda said: {"spoken": said},
    "extra": lambda said: {"said": said, "extra": True},
    "missing": lambda said: {},
    "type": lambda said: {"said": {name: str(value) for name, value in said.items()}},
    "list": lambda said: {"said": [said]},
}
"""What `echo` answers."""
_ERRORS: Final[dict[str, Frame]] = {
    "code": {"code": 8},
    "error data": {"data": [1, 2.5, None]},
    "more error data": {"data": [1, 2.0, None, 3]},
    "message": {"message": "never"},
}
"""What `refuse` answers."""


class AlteredServer(PlainServer):
    """Does one thing differently."""

    def __init__(self, altered: str) -> None:
        self.altered = altered

    def say(self, **frame: Any) -> None:
        method, params, error = frame.get("method"), frame.get("params", {}), frame.get("error")
        if (self.altered, method) in {
            ("no log", "notifications/message"),
            ("no progress", "notifications/progress"),
        }:
            return
        if self.altered == "level" and method == "notifications/message":
            params["level"] = "debug"
        if self.altered == "more" and method == "notifications/progress":
            params["progress"] += 1
        if error is not None and self.altered in _ERRORS:
            error |= _ERRORS[self.altered]
        if error is not None and self.altered == "no error data":
            error.pop("data")
        super().say(**frame)
        if (self.altered, method) in {
            ("another log", "notifications/message"),
            ("another progress", "notifications/progress"),
        }:
            super().say(**frame)

    def log(self, data: object) -> None:
        super().log({"from": "echo"} if self.altered == "data" else data)

    def echo(self, number: object, said: Frame) -> None:
        if self.altered == "silent":
            return
        if self.altered not in (*_RESULTS, "refused", "died"):
            super().echo(number, said)
            return
        self.log(said)
        if self.altered == "died":
            sys.exit(1)
        if self.altered == "refused":
            self.fail(number, -32602, "no")
        else:
            self.say(id=number, result=_RESULTS[self.altered](said))

    def asked(self, method: str) -> Any:
        if self.altered == "asks nothing":
            return {"roots": ["here"]}
        if self.altered == "asks twice":
            super().asked(method)
        return super().asked("ping" if self.altered == "asks another" else method)

    def whose(self, number: object, said: Frame) -> None:
        if self.altered == "forgets":
            self.asked("roots/list")
            self.say(id=number, result={"roots": []})
        else:
            super().whose(number, said)

    def refuse(self, number: object, said: Frame) -> None:
        if self.altered == "succeeds":
            self.say(id=number, result={})
        else:
            super().refuse(number, said)


if __name__ == "__main__":
    AlteredServer(sys.argv[1]).run()
