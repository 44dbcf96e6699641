"""Values of well-known libraries come back as what they were, and nothing is imported for them."""

import asyncio
import datetime as dt
import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pandas as pd
import pendulum
import pyarrow as pa
import pytest
import starlette.requests
import starlette.responses
import whenever
import yarl
from google.protobuf import any_pb2, struct_pb2, wrappers_pb2
from PIL import Image

from vcr_gen.errors import DecodeError, EncodeError
from vcr_gen.runtime.codec import Compiler, Registry

COMPILER = Compiler(registry=Registry())


def packed() -> any_pb2.Any:
    message = any_pb2.Any()
    message.Pack(wrappers_pb2.StringValue(value="x"))
    return message


def unknown() -> any_pb2.Any:
    return any_pb2.Any(type_url="type.example.com/nobody.Knows", value=b"\x01\xff")


def struct() -> struct_pb2.Struct:
    message = struct_pb2.Struct()
    message.update({"a": 1, "b": [None, "x"]})
    return message


def photo() -> Image.Image:
    file = io.BytesIO()
    Image.new("RGB", (2, 2), (1, 2, 3)).save(file, "PNG")
    return Image.open(file)


def file_of(picture: Image.Image, kind: str, **options: Any) -> io.BytesIO:
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file


def request(method: str, **scope: Any) -> starlette.requests.Request:
    return starlette.requests.Request(
        {
            "type": "http",
            "method": method,
            "path": "/a",
            "query_string": b"q=%C3%BC",
            "headers": [(b"host", b"example.com"), (b"x", b"\xff")],
            "client": ("192.0.2.1", 5000),
            "app": object(),
            **scope,
        },
        received,
    )


async def received() -> dict[str, Any]:
    return {"type": "http.request", "body": b""}


async def read_request() -> starlette.requests.Request:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"text"}

    made = starlette.requests.Request(request("POST").scope, receive)
    await made.body()
    return made


def response() -> httpx.Response:
    request = httpx.Request("POST", "https://example.com/a?b=c", json={"q": 1})
    headers = [("x", "1"), ("x", "2")]
    made = httpx.Response(200, headers=headers, content=b"text", request=request)
    made.headers["content-encoding"] = "gzip"  # decoded already
    return made


def received_response() -> httpx.Response:
    made = httpx.Response(
        200, content=b"\xfc", default_encoding="latin-1", history=[httpx.Response(301)]
    )
    made.elapsed = dt.timedelta(seconds=2)
    made.request = httpx.Request("GET", "https://example.com/", extensions={"timeout": {"read": 5}})
    return made


MOMENTS = pd.to_datetime(["2020-01-01", "2021-06-01"])
FRAME = pd.DataFrame(
    {
        "number": [1, 2],
        "text": ["x", None],
        "float": [1.5, float("nan")],
        "moment": MOMENTS,
        "in a zone": MOMENTS.tz_localize("Europe/Paris"),
        "category": pd.Categorical(["u", "v"]),
        "nullable": pd.array([1, None], dtype="Int64"),
    }
)

VALUES: dict[str, Any] = {
    "numpy array": np.array([[1, 2], [3, 4]]),
    "numpy float32": np.array([0.1, np.nan, np.inf], dtype="float32"),
    "numpy large": np.arange(5_000.0),
    "numpy empty": np.zeros((0, 3)),
    "numpy complex": np.array([1 + 2j]),
    "numpy moments": np.array(["2020-01-01"], dtype="M8[D]"),
    "numpy columns first": np.asfortranarray(np.ones((2, 3))),
    "numpy read-only": np.frombuffer(b"abcd", dtype="u1"),
    "numpy objects": np.array([[1, "a"], [None, 2.5]], dtype=object),
    "numpy records": np.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")]),
    "numpy scalar": np.float64(0.1),
    "numpy moment": np.datetime64("2020-01-01T10:00"),
    "numpy dtype": np.dtype("int16"),
    "pandas frame": FRAME,
    "pandas indexed": FRAME.set_index("text"),
    "pandas columns": pd.DataFrame(
        np.ones((1, 2)), columns=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["x", "y"])
    ),
    "pandas empty": pd.DataFrame(),
    "pandas series": pd.Series([1, 2], index=["x", "y"], name="n"),
    "pandas index": pd.Index(["a", "b"], name="k"),
    "pandas moment": pd.Timestamp("2020-01-01", tz="Europe/Paris"),
    "pandas duration": pd.Timedelta("90min"),
    "pandas days": pd.date_range("2020", periods=3, name="day"),
    "pandas frame of days": pd.DataFrame({"a": [1, 2]}, index=pd.date_range("2020", periods=2)),
    "pandas months": pd.period_range("2020-01", periods=3, freq="M"),
    "pandas intervals": pd.interval_range(0, 3),
    "pandas period": pd.Period("2020-01", "M"),
    "pandas interval": pd.Interval(0, 1, closed="left"),
    "pandas offset": pd.offsets.Day(2),
    "pandas no time": pd.NaT,
    "pandas nothing": pd.NA,
    "pyarrow table": pa.table({"a": [1, 2], "b": ["x", None]}),
    "pyarrow batch": pa.record_batch({"a": [1]}),
    "pyarrow empty batch": pa.record_batch({"a": pa.array([], pa.int64())}),
    "pyarrow array": pa.array([1, None]),
    "pyarrow column": pa.chunked_array([[1], [2, 3]]),
    "pyarrow type": pa.list_(pa.string()),
    "pyarrow field": pa.field("a", pa.int64(), nullable=False),
    "pyarrow schema": pa.schema([("a", pa.int64())]),
    "protobuf": struct(),
    "protobuf any": packed(),
    "protobuf any unknown": unknown(),
    "protobuf bytes": wrappers_pb2.BytesValue(value=b"\xff"),
    "image": Image.new("RGBA", (3, 2), (1, 2, 3, 4)),
    "image of 16 bits": Image.new("I;16", (2, 2), 500),
    "image of a file": photo(),
    "image with a palette": Image.new("RGB", (2, 2), (1, 2, 3)).quantize(2),
    "image of a photograph": Image.open(file_of(Image.new("RGB", (8, 8), (9, 2, 3)), "JPEG")),
    "image with what a file says of it": Image.open(
        file_of(Image.new("L", (2, 2), 3), "PNG", dpi=(300, 300))
    ),
    "starlette request": request("GET", state={"user": 7}),
    "starlette request that was read": asyncio.run(read_request()),
    "starlette response": starlette.responses.JSONResponse({"a": 1}, 201, {"x": "1"}),
    "httpx request": httpx.Request("GET", "https://example.com/ü?q=1"),
    "httpx response": response(),
    "httpx response of a client": received_response(),
    "httpx url": httpx.URL("https://example.com/a"),
    "httpx headers": httpx.Headers([("a", "b"), ("a", "c")]),
    "pendulum": pendulum.datetime(2020, 1, 2, 3, tz="Europe/Paris"),
    "pendulum offset": pendulum.datetime(2020, 1, 2, tz=pendulum.FixedTimezone(3600)),
    "pendulum naive": pendulum.naive(2020, 1, 2),
    "pendulum date": pendulum.date(2020, 1, 2),
    "pendulum zone": pendulum.FixedTimezone(3600),
    "pendulum interval": pendulum.datetime(2020, 3, 2) - pendulum.datetime(2020, 1, 1),
    "pendulum duration": pendulum.duration(months=1, days=2, seconds=3),
    "whenever": whenever.ZonedDateTime(2020, 1, 2, tz="Europe/Paris"),
    "whenever instant": whenever.Instant.from_utc(2020, 1, 2),
    "yarl": yarl.URL("https://example.com/ü y?q=a%2Fb"),
}


def same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return arranged(one) == arranged(other) and repr(one.tolist()) == repr(other.tolist())
    if isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other, check_exact=True)
        return True
    if isinstance(one, pd.Series | pd.Index):
        return bool(one.equals(other)) and getattr(one, "freq", None) == getattr(
            other, "freq", None
        )
    if one is pd.NaT or one is pd.NA:
        return one is other
    if isinstance(one, starlette.requests.Request):
        return addressed(one) == addressed(other)
    if isinstance(one, starlette.responses.Response):
        return vars(one) == vars(other)
    if isinstance(one, httpx.Request):
        return requested(one) == requested(other)
    if isinstance(one, httpx.Response):
        return answered(one) == answered(other)
    return bool(one == other)


def arranged(array: Any) -> tuple[object, ...]:
    flags = array.flags
    return array.dtype, array.shape, flags.writeable, flags.c_contiguous, flags.f_contiguous


def addressed(request: starlette.requests.Request) -> tuple[object, ...]:
    scope = {key: value for key, value in request.scope.items() if key != "app"}
    return scope, asyncio.run(request.body()), request.url, request.client


def requested(request: httpx.Request) -> tuple[object, ...]:
    about = (request.method, request.url, request.headers.raw)
    return *about, request.content, request.extensions


def answered(response: httpx.Response) -> tuple[object, ...]:
    about = (response.status_code, response.headers.raw, requested(response.request))
    elapsed = getattr(response, "_elapsed", None)
    return *about, response.text, elapsed, len(response.history)


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("declared", [True, False])
def test_a_value_of_a_library_comes_back(name: str, declared: bool) -> None:
    value = VALUES[name]
    codec = COMPILER.codec(type(value) if declared else object)
    plain = codec.encode(value)
    assert codec.encode(value) == plain
    back = codec.decode(plain)
    assert type(back) is type(value)
    assert same(value, back), f"{value!r} came back as {back!r}"


def test_a_small_array_can_be_read() -> None:
    assert COMPILER.codec(np.ndarray).encode(np.array([[1, 2]])) == {
        "dtype": "int64",
        "items": [[1, 2]],
    }


def test_a_body_that_nobody_read_is_not_an_empty_one() -> None:
    codec = COMPILER.codec(starlette.requests.Request)
    back: Any = codec.decode(codec.encode(request("POST")))
    with pytest.raises(RuntimeError, match="read it before"):
        asyncio.run(back.body())


def test_a_program_in_place_of_an_image_does_not_run(tmp_path: Path) -> None:
    proof = tmp_path / "ran"
    ghostscript = tmp_path / "gs"
    ghostscript.write_text(f"#!/bin/sh\ntouch {proof}\n")
    ghostscript.chmod(0o755)
    codec = COMPILER.codec(Image.Image)
    plain: Any = codec.encode(Image.new("RGB", (2, 2)))
    eps = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 2 2\n%%EndComments\n%%EOF\n"
    plain["png"]["$value"] = eps.decode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(tmp_path), prepend=":")
        with pytest.raises(DecodeError):
            codec.decode(plain)
    assert not proof.exists()


def test_a_moment_of_pendulum_keeps_its_zone() -> None:
    back: Any = COMPILER.codec(dt.datetime).decode(
        COMPILER.codec(dt.datetime).encode(VALUES["pendulum"])
    )
    assert back.timezone_name == "Europe/Paris"


def test_a_table_that_would_change_is_refused() -> None:
    frame = pd.DataFrame({"a": [1]})
    frame.attrs["source"] = "x"
    with pytest.raises(EncodeError, match="attrs"):
        COMPILER.codec(pd.DataFrame).encode(frame)


@pytest.mark.parametrize("plain", [[], {"dtype": "O", "items": [1]}, {"npy": "x"}, {"dtype": "?"}])
def test_what_is_no_array_is_refused(plain: Any) -> None:
    with pytest.raises(DecodeError):
        COMPILER.codec(np.ndarray).decode(plain)


def test_no_library_is_imported() -> None:
    program = (
        "import sys; from vcr_gen.runtime.codec import Compiler\n"
        "class Ordinary: pass\n"
        "codec = Compiler().codec(object)\n"
        "codec.decode(codec.encode(Ordinary()))\n"
        "print({'numpy', 'pandas', 'pyarrow', 'PIL', 'google', 'httpx'} & set(sys.modules))\n"
    )
    shown = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert shown == "set()\n"


def test_an_entry_point_adds_a_library(tmp_path: Path) -> None:
    (tmp_path / "gridlib.py").write_text(
        "import threading\n"
        "class Grid:\n"
        "    def __init__(self, text):\n"
        "        self.text, self.lock = text, threading.Lock()\n"
    )
    (tmp_path / "gridlib_vcr.py").write_text(
        "from gridlib import Grid\n"
        "def codec_of(cls):\n"
        "    return (lambda grid: grid.text, Grid) if issubclass(cls, Grid) else None\n"
    )
    about = tmp_path / "gridlib_vcr-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: gridlib-vcr\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[vcr_gen.codecs]\ngridlib = gridlib_vcr:codec_of\n")
    program = (
        "from gridlib import Grid\n"
        "from vcr_gen.runtime.codec import Compiler\n"
        "codec = Compiler().codec(Grid)\n"
        "print(codec.encode(Grid('a')), codec.decode('b').text)\n"
    )
    shown = subprocess.check_output([sys.executable, "-c", program], text=True, cwd=tmp_path)
    assert shown == "a b\n"
