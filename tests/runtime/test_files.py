"""Files as results and arguments: what is read comes from the tape, what is written is compared."""

import asyncio
import csv
import gc
import io
import json
import tempfile
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sample.files import RealFolder, RealNetwork
from tape_data import read_tape
from taping import Tape
from vcr_sample import VcrFolder, VcrImporter, VcrNetwork

from vcr_gen import Cassette, Registry
from vcr_gen.errors import DecodeError, DivergenceError, IncompleteError


@pytest.fixture
def real(tmp_path: Path) -> Any:
    """A folder with real files."""
    root = tmp_path / "files"
    root.mkdir()
    (root / "tea").write_bytes(b"green\nblack\nwhite\n")
    (root / "table").write_text("name,price\nchair,40\ntable,100\n", "utf-8")
    with zipfile.ZipFile(root / "zip", "w") as archive:
        archive.writestr("a.json", json.dumps({"a": 1}))
    return partial(RealFolder, root)


def test_a_file_is_read_from_the_tape(tape: Tape, real: Any) -> None:
    def program(folder):
        with folder.open("tea") as file:
            start = [file.readline(), file.read(2), file.tell(), next(file)]
            rest = list(file)
            file.seek(0)
            again = [*file.readlines(), file.read()]
            return [start, rest, again, file.closed, file.readable(), file.isatty()]

    assert tape.same(VcrFolder, real, program) == [
        [b"green\n", b"bl", 8, b"ack\n"],
        [b"white\n"],
        [b"green\n", b"black\n", b"white\n", b""],
        False,
        True,
        False,
    ]


def test_what_is_written_is_compared(tape: Tape, real: Any) -> None:
    def program(folder, data=b"oolong\n"):
        file = folder.open("tea")
        file.seek(0, io.SEEK_END)
        written = file.write(data)
        file.writelines([bytearray(b"mate\n"), memoryview(b"rooibos\n")])
        file.close()
        return written

    assert tape.record(VcrFolder, real, program) == 7
    with real().open("tea") as file:
        assert file.read().endswith(b"white\noolong\nmate\nrooibos\n")
    assert tape.replay(VcrFolder, program) == 7
    with pytest.raises(DivergenceError) as caught:
        tape.replay(VcrFolder, lambda folder: program(folder, b"coffee\n"))
    assert "write() of the file that Folder.open returned" in str(caught.value)
    assert [each.path for each in caught.value.divergence.differences] == ["data"]


def test_a_text_file_is_one(tape: Tape, real: Any) -> None:
    def program(folder):
        with folder.open_text("table") as file:
            header = next(file)
            rows = list(csv.reader(file))
            file.write("stool,20\n")
            with pytest.raises(TypeError, match="must be str"):
                file.write(b"")
            file.seek(0)
            for line in file:
                after = [line, file.readline(), file.buffer.read(4)]
                break
            return [header, rows, after, file.encoding, file.newlines, file.errors, file.mode]

    assert tape.same(VcrFolder, real, program) == [
        "name,price\n",
        [["chair", "40"], ["table", "100"]],
        ["name,price\n", "chair,40\n", b""],
        "utf-8",
        "\n",
        "strict",
        "r+",
    ]
    assert (real()._root / "table").read_text().endswith("stool,20\n")


def test_the_object_tells_whether_a_file_is_of_text(tape: Tape, real: Any) -> None:
    def program(folder):
        with folder.open_any("tea", "r") as text, folder.open_any("tea", "rb") as binary:
            kinds = [isinstance(text, io.TextIOBase), isinstance(binary, io.BufferedIOBase)]
            return [text.read(), binary.read(), kinds]

    lines = "green\nblack\nwhite\n"
    assert tape.same(VcrFolder, real, program) == [lines, lines.encode(), [True, True]]


def test_libraries_read_it_as_any_file(tape: Tape, real: Any) -> None:
    def program(folder):
        with zipfile.ZipFile(folder.buffer("zip")) as archive:
            found = json.load(archive.open("a.json"))
        text = io.TextIOWrapper(folder.open("tea"), "utf-8")
        into = bytearray(3)
        with folder.open("tea") as file:
            return [found, text.read(), file.readinto(into), into, file.read1(2), file.peek(1)[:1]]

    assert tape.same(VcrFolder, real, program) == [
        {"a": 1},
        "green\nblack\nwhite\n",
        3,
        b"gre",
        b"en",
        b"\n",
    ]


def test_a_buffer_has_its_value(tape: Tape, real: Any) -> None:
    def program(folder):
        buffer = folder.buffer("tea")
        return [buffer.getvalue(), buffer.getbuffer().nbytes, buffer.truncate(2), buffer.getvalue()]

    assert tape.same(VcrFolder, real, program) == [b"green\nblack\nwhite\n", 18, 2, b"gr"]


def test_a_file_in_a_record_is_a_file(tape: Tape, real: Any) -> None:
    def program(folder):
        with folder.attachment("tea").content as file:
            return file.read()

    assert tape.same(VcrFolder, real, program) == b"green\nblack\nwhite\n"


def test_errors_of_the_file_come_from_the_tape(tape: Tape, real: Any) -> None:
    def program(folder):
        file = folder.open("tea")
        file.close()
        with pytest.raises(ValueError, match="closed file"):
            file.read()
        buffer = folder.buffer("tea")
        with pytest.raises(ValueError, match="negative seek"):
            buffer.seek(-1)
        return [file.closed, hasattr(buffer, "name"), file.name]

    recorded = tape.record(VcrFolder, real, program)
    assert recorded == tape.replay(VcrFolder, program)
    assert recorded[:2] == [True, False]


def test_leaving_the_block_of_a_file_with_an_exception_is_recorded(tape: Tape, real: Any) -> None:
    def program(folder, error=KeyError):
        with pytest.raises(error), folder.open("tea") as file:
            raise error(file.read(1))

    tape.same(VcrFolder, real, program)
    with pytest.raises(DivergenceError, match=r"the block `with Folder\.open\(.*\)` ended with"):
        tape.replay(VcrFolder, lambda folder: program(folder, IndexError))


def test_a_file_that_the_program_drops_is_not_used(tape: Tape, real: Any) -> None:
    def program(folder):
        folder.buffer("tea")
        gc.collect()

    tape.same(VcrFolder, real, program)
    assert len(read_tape(tape.path)) == 1


def test_what_a_file_at_a_boundary_lacks_is_said_with_a_way_out(tape: Tape, real: Any) -> None:
    def program(folder):
        with folder.open("tea") as file:
            with pytest.raises(io.UnsupportedOperation, match="declare a Protocol"):
                file.fileno()
            with pytest.raises(AttributeError, match="has no `raw`: declare a Protocol"):
                file.raw  # noqa: B018 - asking for it is the test

    tape.same(VcrFolder, real, program)


@pytest.mark.parametrize("make", [io.BytesIO, tempfile.TemporaryFile, tempfile.NamedTemporaryFile])
def test_the_environment_reads_what_the_program_has(tape: Tape, real: Any, make: Any) -> None:
    def program(folder, content=b"green tea"):
        with make() as file:
            file.write(content)
            file.seek(0)
            return [folder.upload(file), file.tell(), folder.upload(content)]

    assert tape.same(VcrFolder, real, program) == [9, 9, 9]
    with pytest.raises(DivergenceError, match=r"file\.read"):
        tape.replay(VcrFolder, lambda folder: program(folder, b"black tea"))


def test_the_environment_reads_lines_and_closes(tape: Tape, real: Any) -> None:
    def program(folder):
        file = io.StringIO("one\ntwo\nthree\n")
        return [folder.upload_lines(file), file.closed]

    assert tape.same(VcrFolder, real, program) == [["one\n", "TWO\n", "THREE\n"], True]


def test_the_environment_writes_into_a_file_of_the_program(tape: Tape, real: Any) -> None:
    def program(folder):
        buffer = io.BytesIO(b"lost ")
        buffer.seek(5)
        folder.download("tea", buffer)
        return buffer.getvalue()

    assert tape.same(VcrFolder, real, program) == b"lost green\nblack\nwhite\n"


def test_a_file_is_a_file_where_a_stream_is_declared_too(tape: Tape, real: Any) -> None:
    def program(folder):
        given = [io.BytesIO(b"tea"), io.StringIO("tea"), iter([b"tea"]), [b"tea"]]
        return [folder.feed(source) for source in given]

    assert tape.same(VcrFolder, real, program) == ["bytes", "str", "items", "items"]


def test_a_file_that_comes_back_is_the_object_itself(tape: Tape, real: Any) -> None:
    class Echo(RealFolder):
        def upload(self, source: Any) -> int:
            assert isinstance(source, io.BufferedRandom)
            return super().upload(source)

    def program(folder):
        with folder.open("tea") as file:
            return folder.upload(file)

    assert tape.same(VcrFolder, partial(Echo, *real.args), program) == 18


class Application:
    def __init__(self) -> None:
        self.log: list[object] = []

    def load(self, source: Any) -> int:
        with source:
            self.log += [source.readline(), list(source)]
        return len(self.log)


def test_a_file_that_the_environment_hands_in_is_read_from_the_tape(tape: Tape, real: Any) -> None:
    def environment(importer):
        file = real().open_text("tea")
        assert importer.load(file) == 2
        assert file.closed

    assert tape.served(VcrImporter, Application, environment) == ["green\n", ["black\n", "white\n"]]


def test_a_file_where_anything_is_declared_is_refused_with_a_hint(tape: Tape, real: Any) -> None:
    with pytest.raises(IncompleteError) as caught:
        tape.record(VcrFolder, real, lambda folder: folder.send(io.BytesIO()))
    [failure] = caught.value.failures
    assert failure.path == "Folder.send: argument `content`"
    assert "BinaryIO" in failure.hint


def test_a_codec_wins(tape: Tape, real: Any) -> None:
    codecs = Registry()
    codecs.register(io.BytesIO, encode=io.BytesIO.getvalue, decode=io.BytesIO)

    def program(folder):
        return type(folder.buffer("tea"))

    for mode in ("all", "none"):
        with Cassette(tape.path, mode, codecs=codecs) as cassette:
            assert program(VcrFolder.attach(cassette, real)) is io.BytesIO


@pytest.mark.parametrize("key", ["__class__", "use", "fileno", "_link", "__del__"])
def test_a_tape_uses_no_more_of_a_file_than_its_calls(tape: Tape, real: Any, key: str) -> None:
    def program(folder):
        return folder.upload(io.BytesIO(b"green tea"))

    tape.record(VcrFolder, real, program)
    text = tape.path.read_text("utf-8")
    assert "file.read" in text
    tape.path.write_text(text.replace("file.read", f"file.{key}"), "utf-8")
    with pytest.raises(DivergenceError, match="no driver makes the inbound call file"):
        tape.replay(VcrFolder, program)


@pytest.mark.parametrize(
    "stored", [{"$type": "_io.FileIO", "file": "made"}, {"$type": "io.FileIO"}, {"$file": 1}]
)
def test_a_tape_opens_no_file(tmp_path: Path, real: Any, stored: object, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    tape = Tape(tmp_path / "tape.yaml")
    tape.record(VcrFolder, real, lambda folder: folder.send("tea"))
    text = tape.path.read_text("utf-8")
    tape.path.write_text(text.replace("returned: 3", f"returned: {json.dumps(stored)}"), "utf-8")
    with pytest.raises(DecodeError):
        tape.replay(VcrFolder, lambda folder: folder.send("tea"))
    assert not (tmp_path / "made").exists()


async def talk(network: Any, last: bytes = b"white\n") -> list[object]:
    reader, writer = await network.connect()
    writer.write(b"green tea\nblack tea\n")
    writer.writelines([bytearray(last)])
    await writer.drain()
    writer.write_eof()
    heard = [await reader.readexactly(5), await reader.readuntil(b" "), await reader.readline()]
    heard += [line async for line in reader]
    with pytest.raises(asyncio.IncompleteReadError) as caught:
        await reader.readexactly(2)
    closing = [reader.at_eof(), writer.is_closing()]
    writer.close()
    await writer.wait_closed()
    return [heard, closing, caught.value.partial, writer.get_extra_info("peername")[0]]


def test_a_connection_of_asyncio_is_read_from_the_tape(tape: Tape) -> None:
    assert tape.same(VcrNetwork, RealNetwork, talk) == [
        [b"GREEN", b" ", b"TEA\n", b"BLACK TEA\n", b"WHITE\n"],
        [True, False],
        b"",
        "127.0.0.1",
    ]
    with pytest.raises(DivergenceError) as caught:
        tape.replay(VcrNetwork, lambda network: talk(network, b"oolong\n"))
    assert "write() of the writer that Network.connect returned" in str(caught.value)
    assert [each.path for each in caught.value.divergence.differences] == ["data"]


def test_a_handler_of_connections_is_driven_by_the_tape(tape: Tape) -> None:
    async def program(network, suffix=b"!"):
        async def handle(reader, writer):
            with pytest.raises(AttributeError, match="declare a Protocol"):
                writer.transport  # noqa: B018 - asking for it is the test
            writer.write((await reader.readline()).strip() + suffix)
            writer.close()

        return await network.serve(handle)

    assert tape.same(VcrNetwork, RealNetwork, program) == b"green tea!"
    with pytest.raises(DivergenceError, match=r"writer\.write"):
        tape.replay(VcrNetwork, lambda network: program(network, b"?"))


def test_a_read_of_a_connection_may_time_out(tape: Tape) -> None:
    async def program(network):
        reader, writer = await network.connect()
        try:
            await asyncio.wait_for(reader.readline(), 0.02)
        except TimeoutError:
            writer.write(b"late\n")
        line = await asyncio.wait_for(reader.readline(), 60)
        writer.close()
        await writer.wait_closed()
        return line

    assert tape.same(VcrNetwork, RealNetwork, program) == b"LATE\n"
