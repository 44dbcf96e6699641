"""Values of builtins, of the standard library's plain classes, of enums and of literals."""

import datetime as dt
import decimal
import fractions
import ipaddress
import os
import pathlib
import re
import subprocess
import time
import types
import uuid
import zoneinfo
from typing import Any, Literal

import codec_models as m

PARIS = zoneinfo.ZoneInfo("Europe/Paris")
NOON = dt.datetime(2026, 1, 31, 12, 0, 0, 5)

PLAIN_VALUES: dict[str, tuple[Any, object]] = {
    # scalars
    "none": (None, None),
    "true": (bool, True),
    "int": (int, 42),
    "int negative": (int, -1),
    "int min": (int, -(2**63)),
    "int beyond 64 bits": (int, 2**63),
    "int very big": (int, -(10**400)),
    "int enormous": (int, 7**20_000),
    "bool under int": (int, True),
    "float": (float, 1.5),
    "float that looks like int": (float, 2.0),
    "float minus zero": (float, -0.0),
    "float tiny": (float, 5e-324),
    "inf": (float, float("inf")),
    "minus inf": (float, float("-inf")),
    "nan": (float, float("nan")),
    "int under float": (float, 3),
    "big int under float": (float, 2**80),
    "bool under float": (float, False),
    "str": (str, "héllo"),
    "str empty": (str, ""),
    "str multi-line": (str, "a\n b \r\n\tc\x00\x85\u2028"),
    "str that looks like another type": (str, "2026-01-01"),
    "str beyond the BMP": (str, "🎉\U0010ffff"),
    "lone surrogate": (str, "a\udc80\\b"),
    "surrogate pair kept apart": (str, "\ud83d\ude00"),
    "complex": (complex, complex(1.5, -0.0)),
    "complex nan": (complex, complex(float("nan"), float("-inf"))),
    "int under complex": (complex, 3),
    "float under complex": (complex, 3.5),
    "bytes text": (bytes, b"hello\n"),
    "bytes empty": (bytes, b""),
    "bytes utf-8": (bytes, "é🎉".encode()),
    "bytes binary": (bytes, bytes(range(256))),
    "bytes with cr": (bytes, b"a\r\n"),
    "bytearray": (bytearray, bytearray(b"\x00x")),
    "memoryview": (memoryview, memoryview(b"abc")),
    "memoryview writable": (memoryview, memoryview(bytearray(b"\xff"))),
    "ellipsis": (types.EllipsisType, ...),
    # text-like
    "decimal": (decimal.Decimal, decimal.Decimal("1.10")),
    "decimal exponent": (decimal.Decimal, decimal.Decimal("1E+3")),
    "decimal snan": (decimal.Decimal, decimal.Decimal("-sNaN12")),
    "fraction": (fractions.Fraction, fractions.Fraction(-1, 3)),
    "uuid": (uuid.UUID, uuid.UUID(int=5)),
    "date": (dt.date, dt.date(2026, 1, 31)),
    "datetime under date": (dt.date, NOON),
    "datetime naive": (dt.datetime, NOON),
    "datetime utc": (dt.datetime, NOON.replace(tzinfo=dt.UTC)),
    "datetime offset": (
        dt.datetime,
        NOON.replace(tzinfo=dt.timezone(dt.timedelta(hours=-5, seconds=7))),
    ),
    "datetime named offset": (
        dt.datetime,
        NOON.replace(tzinfo=dt.timezone(dt.timedelta(hours=2), "CEST")),
    ),
    "datetime zone": (dt.datetime, NOON.replace(tzinfo=PARIS)),
    "datetime fold": (dt.datetime, dt.datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=PARIS)),
    "datetime fold naive": (dt.datetime, NOON.replace(fold=1)),
    "datetime min": (dt.datetime, dt.datetime.min),
    "time": (dt.time, dt.time(1, 2, 3, 4)),
    "time zone": (dt.time, dt.time(1, tzinfo=dt.UTC, fold=1)),
    "timedelta": (dt.timedelta, dt.timedelta(days=-3, microseconds=1)),
    "timedelta max": (dt.timedelta, dt.timedelta.max),
    "timedelta short": (dt.timedelta, dt.timedelta(seconds=61)),
    "timezone": (dt.timezone, dt.timezone(dt.timedelta(hours=1))),
    "timezone utc": (dt.timezone, dt.UTC),
    "zone": (zoneinfo.ZoneInfo, PARIS),
    "tzinfo": (dt.tzinfo, PARIS),
    "tzinfo fixed": (dt.tzinfo, dt.UTC),
    "path": (pathlib.Path, pathlib.Path("a/b c")),
    "path with surrogate": (pathlib.Path, pathlib.Path("a\udcff")),
    "pure path": (pathlib.PurePath, pathlib.PurePath("/a")),
    "path under pure path": (pathlib.PurePath, pathlib.Path("/a")),
    "windows path under pure path": (pathlib.PurePath, pathlib.PureWindowsPath("c:\\a")),
    "windows path": (pathlib.PureWindowsPath, pathlib.PureWindowsPath("c:\\a")),
    "posix path": (pathlib.PurePosixPath, pathlib.PurePosixPath("a")),
    "pathlike": (os.PathLike[str], pathlib.Path("a")),
    "str or pathlike, path": (str | os.PathLike[str], pathlib.Path("a")),
    "str or pathlike, str": (str | os.PathLike[str], "a"),
    "ipv4": (ipaddress.IPv4Address, ipaddress.IPv4Address("10.0.0.1")),
    "ipv6": (ipaddress.IPv6Address, ipaddress.IPv6Address("fe80::1%eth0")),
    "network": (ipaddress.IPv4Network, ipaddress.IPv4Network("10.0.0.0/8")),
    "interface": (ipaddress.IPv6Interface, ipaddress.IPv6Interface("::1/64")),
    # pieces
    "pattern": (re.Pattern[str], re.compile("a.b", re.I)),
    "pattern bytes": (re.Pattern, re.compile(b"\xff")),
    "range": (range, range(1, 2**70, 3)),
    "slice": (slice, slice(None, "a", 1.5)),
    "completed process": (
        subprocess.CompletedProcess[str],
        subprocess.CompletedProcess(["ls", "-l"], 1, "out", None),
    ),
    "struct time": (time.struct_time, time.gmtime(0)),
    "stat result": (os.stat_result, os.stat(".")),
    "namespace": (types.SimpleNamespace, types.SimpleNamespace(a=1, b=(2,))),
    # enums
    "enum": (m.Color, m.Color.RED),
    "enum alias": (m.Color, m.Color.CRIMSON),
    "int enum": (m.Level, m.Level.HIGH),
    "int enum under int": (int, m.Level.HIGH),
    "str enum": (m.Word, m.Word.YES),
    "str enum under str": (str, m.Word.NO),
    "str or enum, enum": (str | m.Word, m.Word.NO),
    "str or enum, str": (str | m.Word, "no"),
    "flag": (m.Perm, m.Perm.R | m.Perm.X),
    "flag zero": (m.Perm, m.Perm(0)),
    "flag composite": (m.Perm, m.Perm.RW),
    "flag unnamed bits": (m.Bits, m.Bits(1 | 64)),
    "flag under int": (int, m.Bits.A),
    # literals
    "literal str": (Literal["a", "b"], "b"),
    "literal int": (Literal[1, 2], 2),
    "literal bool beside int": (Literal[1, True], True),
    "literal int beside bool": (Literal[1, True], 1),
    "literal none": (Literal["a", None], None),
    "literal enum beside str": (Literal["RED", m.Color.RED], m.Color.RED),
    "literal str beside enum": (Literal["RED", m.Color.RED], "RED"),
    "literal bytes": (Literal[b"x", "x"], b"x"),
    # subclasses of builtins
    "str subclass": (str, m.Text("a")),
    "str subclass declared": (m.Text, m.Text("a")),
    "int subclass": (int, m.Number(3)),
}
