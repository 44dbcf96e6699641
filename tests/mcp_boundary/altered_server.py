"""Another version of the plain server: `altered_server.py ALTERATION ...`."""

import sys
from typing import Any, Final

from plain_server import Frame, PlainServer

_LOG: Final = "notifications/message"
_PROGRESS: Final = "notifications/progress"
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
    """Does some things differently."""

    def __init__(self, altered: list[str]) -> None:
        self.altered = set(altered)

    def is_about(self, method: object, *alterations: tuple[str, str]) -> bool:
        return any(each in self.altered and about == method for each, about in alterations)

    def say(self, **frame: Any) -> None:
        method, params, error = frame.get("method"), frame.get("params", {}), frame.get("error")
        if self.is_about(method, ("no log", _LOG), ("no progress", _PROGRESS)):
            return
        if self.is_about(method, ("level", _LOG)):
            params["level"] = "debug"
        if self.is_about(method, ("more", _PROGRESS)):
            params["progress"] += 1
        if error is not None:
            for each in self.altered & _ERRORS.keys():
                error |= _ERRORS[each]
            if "no error data" in self.altered:
                error.pop("data")
        super().say(**frame)
        if self.is_about(method, ("another log", _LOG), ("another progress", _PROGRESS)):
            super().say(**frame)

    def log(self, data: object) -> None:
        super().log({"from": "echo"} if "data" in self.altered else data)

    def echo(self, number: object, said: Frame) -> None:
        if "silent" in self.altered:
            return
        if "answers twice" in self.altered:
            super().echo(number, said)
            self.say(id=number, result={"said": said})
            return
        if "late log" in self.altered:
            self.say(id=number, result={"said": said})
            self.log(said)
            return
        if not self.altered & {*_RESULTS, "refused", "died"}:
            super().echo(number, said)
            return
        self.log(said)
        if "died" in self.altered:
            sys.exit(1)
        if "refused" in self.altered:
            self.fail(number, -32602, "no")
        else:
            [alteration] = self.altered & _RESULTS.keys()
            self.say(id=number, result=_RESULTS[alteration](said))

    def asked(self, method: str) -> Any:
        if "asks nothing" in self.altered:
            return {"roots": ["here"]}
        if "asks twice" in self.altered:
            super().asked(method)
        return super().asked("ping" if "asks another" in self.altered else method)

    def work(self, number: object, said: Frame) -> None:
        if "counts down" in self.altered:
            for step in (2, 1):
                params = {"progressToken": said["_meta"]["progressToken"], "progress": step}
                self.say(method=_PROGRESS, params=params)
            self.say(id=number, result={})
        else:
            super().work(number, said)

    def whose(self, number: object, said: Frame) -> None:
        if "forgets" in self.altered:
            self.asked("roots/list")
            self.say(id=number, result={"roots": []})
        else:
            super().whose(number, said)

    def refuse(self, number: object, said: Frame) -> None:
        if "succeeds" in self.altered:
            self.say(id=number, result={})
        else:
            super().refuse(number, said)


if __name__ == "__main__":
    AlteredServer(sys.argv[1:]).run()
