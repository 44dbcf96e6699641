"""Random Protocols: whatever their shape, the wrapper has the signature, and black is content."""

import importlib
import inspect
import sys
import typing
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from gen_projects import blackened, formatted, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vcr_gen.gen.pipeline.generation import generate

HEADER = """\
import datetime as dt
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Literal, Optional, Protocol, Self, TypeVar

from vcr_gen.boundary import outbound

T = TypeVar("T")
LIMIT = 7


@outbound
class Port(Protocol):
    '''A port.'''
"""
TYPES = st.recursive(
    st.sampled_from(
        ["int", "str", "bytes", "None", "Any", "Path", "date", "dt.date", "T", "'Path'", "Self"]
    ),
    lambda inner: st.one_of(
        st.builds("list[{}]".format, inner),
        st.builds("Mapping[str, {}]".format, inner),
        st.builds("Callable[[{}], {}]".format, inner, inner),
        st.builds("Optional[{}]".format, inner),
        st.builds("Iterator[{}]".format, inner),
        st.just("Literal['a', \"b\"]"),
    ),
    max_leaves=4,
)
DEFAULTS = st.sampled_from(
    [
        "None",
        "1",
        "-2.5",
        "'x'",
        '"it\'s"',
        "b'y'",
        "()",
        "(1, 'a')",
        "...",
        "LIMIT",
        "[1]",
        "dt.date.max",
    ]
)
NAMES = st.sampled_from(
    ["a", "b", "c", "date", "list", "call", "cast", "target", "id", "self_", "Path", "_x", "field",
     "a_rather_long_name_for_a_parameter", "value", "inner", "cassette", "Call", "given", "type"]
)  # fmt: skip
METHODS = st.sampled_from(
    ["run", "read", "write", "list_all", "attach", "_port", "close_everything_there_is", "__call__"]
)


@st.composite
def parameters(draw: st.DrawFn) -> str:
    names = draw(st.lists(NAMES, unique=True, max_size=6))
    cuts = sorted(draw(st.lists(st.integers(0, len(names)), min_size=2, max_size=2)))
    groups = names[: cuts[0]], names[cuts[0] : cuts[1]], names[cuts[1] :]
    shown = ["self"]
    defaulted = False
    for group in groups[:2]:
        for name in group:
            defaulted = defaulted or draw(st.booleans())
            default = f" = {draw(DEFAULTS)}" if defaulted else ""
            shown.append(f"{name}: {draw(TYPES)}{default}")
        if group is groups[0] and group:
            shown.append("/")
    if groups[2]:
        shown.append("*" if draw(st.booleans()) else f"*rest: {draw(TYPES)}")
        for name in groups[2]:
            default = f" = {draw(DEFAULTS)}" if draw(st.booleans()) else ""
            shown.append(f"{name}: {draw(TYPES)}{default}")
    if draw(st.booleans()):
        shown.append(f"**options: {draw(TYPES)}")
    return ", ".join(shown)


@st.composite
def modules(draw: st.DrawFn) -> str:
    lines = ["from __future__ import annotations\n" if draw(st.booleans()) else ""]
    lines.append(HEADER)
    for name in draw(st.lists(METHODS, unique=True, min_size=1, max_size=5)):
        awaited = draw(st.sampled_from(["", "async "]))
        lines.append(f"    {awaited}def {name}({draw(parameters())}) -> {draw(TYPES)}: ...\n")
    return "".join(lines)


@contextmanager
def imported(root: Path) -> Iterator[tuple[typing.Any, typing.Any]]:
    paths = [str(root), str(root / "generated")]
    sys.path[:0] = paths
    importlib.invalidate_caches()
    try:
        yield (
            importlib.import_module("random_app.ports"),
            importlib.import_module("vcr_random_app.ports"),
        )
    finally:
        for path in paths:
            sys.path.remove(path)
        for name in [one for one in sys.modules if "random_app" in one]:
            del sys.modules[name]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(modules())
def test_a_wrapper_of_a_random_protocol_has_its_signatures(source: str) -> None:
    _check_signatures(source)


@pytest.mark.slow
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(modules())
def test_so_have_the_wrappers_of_many(source: str) -> None:
    _check_signatures(source)


def _check_signatures(source: str) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder)
        generation = generate(write(root, {"random_app/ports.py": source}))
        assert generation.diagnostics == ()
        for file in generation.files:
            final = formatted(file)
            assert final == blackened(final)
            file.path.parent.mkdir(parents=True, exist_ok=True)
            file.path.write_text(final, encoding="utf-8")
        with imported(root) as (ports, wrappers):
            for name, function in vars(ports.Port).items():
                if inspect.isfunction(function) and function.__module__ == "random_app.ports":
                    wrapper = getattr(wrappers.VcrPort, name)
                    assert inspect.signature(function) == inspect.signature(wrapper)


@settings(max_examples=10, deadline=None)
@given(modules())
def test_generating_twice_gives_the_same_text(source: str) -> None:
    with TemporaryDirectory() as folder:
        config = write(Path(folder), {"random_app/ports.py": source})
        assert generate(config).files == generate(config).files
