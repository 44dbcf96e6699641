"""Decodes changed recordings and watches what Python does: `python codec_fuzz.py SEED ROUNDS`.

Prints what a changed recording made Python do, or raise, beside a DecodeError.
"""

import asyncio
import contextlib
import copy
import io
import random
import sys
import warnings
from typing import Any

import test_codec_libraries as libraries
import test_codec_objects as objects
from codec_matrix import MATRIX

from vcr_gen.errors import DecodeError, EncodeError
from vcr_gen.runtime.codec import Compiler, Registry

FORBIDDEN = (
    "code.__new__",
    "ctypes.",
    "os.",
    "pickle.",
    "shutil.",
    "socket.",
    "subprocess.",
    "urllib.",
    "webbrowser.",
)
READS = ("os.listdir", "os.scandir", "os.putenv")
POOL: list[Any] = [
    None, True, -1, 0, 2**62, 1.5, "", "x", "__class__", "os.system", "subprocess.Popen", [], {},
    {"$same": 1}, {"$id": 1, "name": "x"}, {"$other": {"$other": 1}}, {"$blob": "../" * 9},
    {"$base64": "gASVFAAAAAAAAACMBXBvc2l4lIwGc3lzdGVtlJOULg=="}, {"$extended": {"$value": 1}},
    {"$type": "os.system", "$value": "true"}, {"$type": "subprocess.Popen", "args": ["true"]},
    {"$type": "__main__.Trap", "value": 1}, {"$type": "__main__.Trap", "$id": 1},
    {"$value": {"$value": 1}},
]  # fmt: skip


DONE: list[str] = []
"""What Python did, in words."""


class Trap:
    """Tells of every method that is called while it is decoded."""

    def trapped(self, *_: Any, **__: Any) -> Any:
        """Tell."""
        DONE.append("code of the class has run")

    __init__ = __setattr__ = __setstate__ = __eq__ = __call__ = trapped
    value = property(trapped, trapped)


def main(seed: int, rounds: int) -> None:
    """Change, decode, and report."""
    warnings.simplefilter("ignore")
    choose = random.Random(seed)
    compiler = Compiler(registry=Registry())
    recorded: list[tuple[Any, Any, Any]] = []
    people: dict[str, tuple[Any, Any]] = {
        "object": (objects.Customer, objects.Member("Bo", 7)),
        "graph": (list[objects.Person], [objects.Person("Ann")] * 2),
        "wrong": (objects.Wrongly, objects.Wrongly()),
        **{name: (type(value), value) for name, value in objects.EXTENDED.items()},
        **{name: (type(value), value) for name, value in libraries.VALUES.items()},
        **MATRIX,
    }
    for annotation, value in people.values():
        for declared in (annotation, object):
            with contextlib.suppress(EncodeError):
                codec = compiler.codec(declared)
                plain = codec.encode(value)
                codec.decode(plain)  # what it loads for itself is loaded now
                recorded.append((codec, declared, plain))

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        is_writing = event == "open" and str(arguments[1]).strip("rbt") not in ("", "None")
        if is_writing or (event.startswith(FORBIDDEN) and event not in READS):
            DONE.append(f"{event} {arguments!r:.200}")

    asyncio.new_event_loop().close()
    sys.addaudithook(watch)
    for _ in range(rounds):
        codec, declared, plain = choose.choice(recorded)
        changed = change(copy.deepcopy(plain), choose)
        DONE.clear()
        with contextlib.redirect_stderr(io.StringIO()):
            try:
                codec.decode(changed)
            except DecodeError:
                pass
            except BaseException as error:
                DONE.append(f"{type(error).__name__}: {error}")
        for what in DONE:
            print(f"{declared}: {changed!r:.300}\n  {what}")


def change(plain: Any, choose: random.Random) -> Any:
    """The plain with one part replaced, removed or added, somewhere."""
    if choose.random() < 0.25 or not isinstance(plain, list | dict) or not plain:
        return copy.deepcopy(choose.choice(POOL))
    if isinstance(plain, list):
        place = choose.randrange(len(plain))
        plain[place] = change(plain[place], choose)
        return plain
    key = choose.choice(list(plain))
    match choose.randrange(6):
        case 0:
            del plain[key]
        case 1:
            plain[choose.choice(["$id", "$same", "$type", "$value", "__dict__", "x"])] = plain[key]
        case _:
            plain[key] = change(plain[key], choose)
    return plain


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
