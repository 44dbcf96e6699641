"""Sessions with files of both sides."""

import io
from typing import Any

from sample.files import Attachment
from vcr_sample import VcrFolder

from mutation_sessions.kinds import Outbound, attempt


class MemoryFolder:
    """A folder whose files are in memory."""

    def open(self, name: str) -> Any:
        return io.BytesIO(name.encode() * 3 + b"\nlast\n")

    def open_text(self, name: str) -> Any:
        return io.StringIO(f"{name}\nlast\n")

    def open_any(self, name: str, mode: str) -> Any:
        return self.open(name) if "b" in mode else self.open_text(name)

    def attachment(self, name: str) -> Any:
        return Attachment(name, self.open(name))

    def upload_lines(self, source: Any) -> list[str]:
        return [source.readline().strip(), *source]

    def download(self, name: str, target: Any) -> None:
        target.write(name.encode())
        target.seek(0)


def reads(folder: Any) -> Any:
    file = folder.open("tea")
    return [file.read(2), file.readline(), file.tell(), file.seek(1), list(file), file.readable()]


def writes(folder: Any) -> Any:
    with folder.open_any("milk", "r") as file:
        written = [file.write("oat"), file.truncate(9), file.getvalue()]
    return [*written, file.closed, attempt(file.read)]


def takes(folder: Any) -> Any:
    with folder.attachment("list").content as file:
        return [file.read1(4), file.peek(1) if hasattr(file, "name") else file.read()]


def lends(folder: Any) -> Any:
    buffer = io.BytesIO(b"lost")
    folder.download("rice", buffer)
    lines = io.StringIO("one\ntwo\nthree\n")
    return [folder.upload_lines(lines), buffer.read(), lines.tell()]


FILES = (Outbound("files", VcrFolder, MemoryFolder, (reads, writes, takes, lends)),)
