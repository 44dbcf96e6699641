"""A recording is untrusted: whatever it says, only our own error comes out, and soon."""

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import codec_models as m
import pytest

from vcr_gen.errors import DecodeError
from vcr_gen.runtime.codec import Compiler, Registry, differences, same

COMPILER = Compiler(registry=Registry())


def deep(levels: int, inner: Any, wrap: Any) -> Any:
    for _ in range(levels):
        inner = wrap(inner)
    return inner


HOSTILE: dict[str, tuple[Any, Any]] = {
    "deep list": (Any, deep(100_000, 1, lambda x: [x])),
    "deep dict": (Any, deep(100_000, 1, lambda x: {"a": x})),
    "deep tags": (Any, deep(10_000, [], lambda x: {"$type": "tuple", "$value": [x]})),
    "deep values": (Any, deep(10_000, [], lambda x: {"$type": "tuple", "$value": x})),
    "deep pairs": (Any, deep(10_000, 1, lambda x: {"$items": [[1, x]]})),
    "deep keys": (Any, deep(10_000, 1, lambda x: {"$items": [[x, 1]]})),
    "deep tree": (
        m.Tree,
        deep(10_000, None, lambda x: {"value": 1, "children": [], "parent": x}),
    ),
    "deep causes": (
        Any,
        deep(10_000, None, lambda x: {"$type": "ValueError", "args": [], "cause": x}),
    ),
    "deep optional tags": (
        m.Point | None,
        deep(10_000, None, lambda x: {"$type": "codec_models.Point", "$value": x}),
    ),
    "deep union tags": (
        m.Point | m.Circle,
        deep(10_000, None, lambda x: {"$type": "codec_models.Point", "$value": x}),
    ),
    "long digits": (int, {"$int": "9" * 10_000_000}),
    "digits in other scripts": (int, {"$int": "\u0661" * 30}),
    "huge decimal exponent": (__import__("fractions").Fraction, "1e999999999"),
    "huge timedelta": (__import__("datetime").timedelta, "9" * 10 + " days, 0:00:00"),
    "function": (Any, {"$type": "os.system", "$value": "true"}),
    "builtin function": (Any, {"$type": "eval", "$value": "1"}),
    "builtins with module": (Any, {"$type": "builtins.eval", "$value": "1"}),
    "loaded class that is not data": (Any, {"$type": "subprocess.Popen", "$value": ["true"]}),
    "thread": (Any, {"$type": "threading.Thread"}),
    "object": (Any, {"$type": "object"}),
    "type": (Any, {"$type": "type", "$value": "subprocess.Popen"}),
    "property": (Any, {"$type": "property", "$value": []}),
    "module": (Any, {"$type": "sys", "$value": 1}),
    "tag not a text": (Any, {"$type": 1}),
    "tag null": (Any, {"$type": None, "$value": 1}),
    "tag a list": (m.Point, {"$type": ["codec_models.Point3"]}),
    "tag with dunder": (Any, {"$type": "codec_models.Point.__init__", "$value": 1}),
    "tag with locals": (Any, {"$type": "x.<locals>.y"}),
    "value not plain": (Any, {"a": object()}),
    "key not a text": (Any, {1: 2}),
    "factory": (
        __import__("collections").defaultdict,
        {"$factory": ["subprocess.Popen", {}]},
    ),
    "class where a class is declared": (type[Exception], "subprocess.Popen"),
    "pattern that does not compile": (__import__("re").Pattern, {"pattern": "(", "flags": 0}),
    "pattern flags": (__import__("re").Pattern, {"pattern": "a", "flags": 2**60}),
    "range by zero": (range, {"start": 0, "stop": 1, "step": 0}),
    "struct": (__import__("time").struct_time, [1, 2]),
    "attribute of an exception": (Any, {"$type": "OSError", "args": [], "attributes": {"a b": 1}}),
    "notes": (Any, {"$type": "ValueError", "args": [], "notes": 1}),
    "group without exceptions": (Any, {"$type": "ExceptionGroup", "args": ["a", []]}),
    "group of no exceptions": (Any, {"$type": "ExceptionGroup", "args": ["a", [1]]}),
    "exception refusing its args": (Any, {"$type": "UnicodeDecodeError", "args": [1]}),
    "exception of another type": (Any, {"$type": "OSError", "args": [2, "x"]}),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_plain_gives_our_own_error_quickly(name: str) -> None:
    annotation, plain = HOSTILE[name]
    started = time.process_time()
    with pytest.raises(DecodeError) as caught:
        COMPILER.codec(annotation).decode(plain)
    assert time.process_time() - started < 2
    assert len(str(caught.value)) < 1_000


def fuzzed(seed: int, rounds: int) -> str:
    program = Path(__file__).with_name("codec_fuzz.py")
    command = [sys.executable, str(program), str(seed), str(rounds)]
    return subprocess.check_output(command, text=True, stderr=subprocess.STDOUT)


def test_changed_recordings_of_all_kinds_of_values_run_nothing() -> None:
    assert fuzzed(seed=1, rounds=1_000) == ""


@pytest.mark.slow
def test_many_changed_recordings_run_nothing() -> None:
    assert fuzzed(seed=2, rounds=20_000) == ""


@pytest.mark.parametrize(
    "name", ["json.tool.main", "antigravity.x", "this.d", "xml.dom.minidom.Document"]
)
def test_a_named_type_is_never_imported(name: str) -> None:
    program = f"""
import sys
from vcr_gen.errors import DecodeError
from vcr_gen.runtime.codec import Compiler, Registry
COMPILER = Compiler(registry=Registry())
before = set(sys.modules)
for decode in (
    lambda: COMPILER.codec(object).decode({{"$type": {name!r}, "$value": 1}}),
    lambda: COMPILER.codec(BaseException).decode({{"$type": {name!r}, "args": []}}),
):
    try:
        decode()
    except DecodeError as error:
        assert {name.rpartition(".")[0]!r} in str(error), error
    else:
        raise SystemExit("accepted")
assert {name.rpartition(".")[0]!r} not in sys.modules
assert not [name for name in set(sys.modules) - before if "antigravity" in name]
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_codec_imports_neither_attrs_nor_pydantic_nor_msgspec() -> None:
    program = (
        "import sys, vcr_gen.runtime.codec;"
        "print(*sorted({'attr', 'attrs', 'pydantic', 'msgspec'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "\n"


def test_an_exception_type_that_is_not_loaded_says_what_to_import() -> None:
    with pytest.raises(DecodeError, match=r"import some_package\.errors"):
        COMPILER.codec(BaseException).decode({"$type": "some_package.errors.Gone", "args": []})


def test_a_value_that_is_no_exception_is_refused_where_one_was_raised() -> None:
    with pytest.raises(DecodeError, match="BaseException"):
        COMPILER.codec(BaseException).decode([1])


def test_comparing_deep_plains_needs_no_stack() -> None:
    one, other = (deep(20_000, leaf, lambda x: [x]) for leaf in (1, 2))
    assert same(one, one)
    assert not same(one, other)
    assert len(differences(one, other)) == 1


def test_decoding_works_from_many_threads_at_once() -> None:
    compiler = Compiler(registry=Registry())
    value = m.Tree(1, [m.Tree(2)])
    found: list[object] = []

    def work() -> None:
        codec = compiler.codec(m.Tree)
        found.extend(codec.decode(codec.encode(value)) for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [value] * 400 == found
