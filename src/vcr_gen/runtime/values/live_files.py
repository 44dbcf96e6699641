"""Files that cross a boundary: each use of one is a call on the tape (`file.read` on `#3`).

They are declared by a type of `typing` or `io`: `BinaryIO`, `IO[str]`, `io.BytesIO`. The wrapper of
a file inherits other methods, such as `readlines`, from `io`; those call the recorded ones.
"""

import io
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any, BinaryIO, Final, NoReturn, TextIO, get_args, get_origin

from vcr_gen.runtime.boundary.spec import Method
from vcr_gen.runtime.values.live_object import (
    LiveKind,
    LiveMembers,
    Members,
    exit_arguments,
    given_arguments,
    has_member,
    methods_of,
    seen,
    use_member,
)

_MODULES: Final = frozenset({"_io", "io", "typing"})
_BINARY: Final = (BinaryIO, io.BufferedIOBase, io.RawIOBase)
_TEXT: Final = (TextIO, io.TextIOBase)


def file_kinds(annotation: object, *, inbound: bool) -> tuple[LiveKind, ...]:
    """The kinds of files that a type stands for: of bytes, of text, or both."""
    cls, arguments = get_origin(annotation) or annotation, get_args(annotation)
    if not isinstance(cls, type) or cls.__module__ not in _MODULES:
        return ()
    if not issubclass(cls, IO | io.IOBase):
        return ()
    if issubclass(cls, _BINARY) or arguments == (bytes,):
        return (_binary_kind(_is_file, inbound=inbound),)
    if issubclass(cls, _TEXT) or arguments == (str,):
        return (_text_kind(_is_file, inbound=inbound),)
    return (_text_kind(_is_text, inbound=inbound), _binary_kind(_is_file, inbound=inbound))


def _binary_kind(fits: Callable[[object], bool], *, inbound: bool) -> LiveKind:
    own: Members = {"peek": (bytes, {"size": int}), "read1": (bytes | None, {"size": int})}
    methods = _methods(bytes, BinaryIO, own, inbound=inbound)

    def rank(value: object) -> int:
        return 0 if _is_text(value) else _FIRST

    return LiveKind("$file", methods, _BinaryFile, use_member, fits, rank)


def _text_kind(fits: Callable[[object], bool], *, inbound: bool) -> LiveKind:
    own: Members = {
        "buffer": (BinaryIO, {}),
        "encoding": (str | None, {}),
        "errors": (str | None, {}),
        "line_buffering": (bool, {}),
        "newlines": (object, {}),
    }
    methods = _methods(str, TextIO, own, inbound=inbound)

    def rank(value: object) -> int:
        return _FIRST if _is_text(value) else 0

    return LiveKind("$text_file", methods, _TextFile, use_member, fits, rank)


_FIRST: Final = -1
"""The rank of a file before that of a stream: a file is an iterator too."""


def _methods(data: Any, file: object, own: Members, *, inbound: bool) -> dict[str, Method]:
    """The members of a kind of file."""
    members: Members = {
        "close": (object, {}),
        "closed": (bool, {}),
        "flush": (object, {}),
        "getvalue": (data, {}),
        "isatty": (bool, {}),
        "iterate": (Iterator[data], {}),
        "mode": (object, {}),
        "name": (object, {}),
        "read": (data | None, {"size": int | None}),
        "readable": (bool, {}),
        "readline": (data, {"size": int | None}),
        "seek": (int | None, {"offset": int, "whence": int}),
        "seekable": (bool, {}),
        "tell": (int, {}),
        "truncate": (int | None, {"size": int | None}),
        "writable": (bool, {}),
        "write": (int | None, {"data": data}),
        **own,
    }
    error = {"exception": BaseException | None}
    block: Members = {"enter": (file, {}), "exit": (bool | None, error)}
    return {
        **methods_of("manager", block, inbound=inbound),
        **methods_of("file", members, inbound=inbound),
    }


_ATTRIBUTES: Final = frozenset(
    {"buffer", "closed", "encoding", "errors", "line_buffering", "mode", "name", "newlines"}
)
_SPECIAL: Final[Mapping[str, Callable[[Any, Mapping[str, Any]], Any]]] = {
    "enter": lambda real, _: real.__enter__(),
    "exit": lambda real, given: real.__exit__(*exit_arguments(given["exception"])),
    "iterate": lambda real, _: iter(real),
    "read1": lambda real, given: getattr(real, "read1", real.read)(*given_arguments(given)),
}


def _attribute(name: str) -> Any:
    return property(lambda file: file.use(name, {}))


class _LiveFile(LiveMembers):
    """A file whose uses are calls."""

    def _perform(self, key: str, arguments: Mapping[str, Any]) -> Any:
        if key in _SPECIAL:
            return _SPECIAL[key](self._real, arguments)
        if key in _ATTRIBUTES:
            return getattr(self._real, key)
        return super()._perform(key, arguments)

    closed = _attribute("closed")
    mode = _attribute("mode")
    name = _attribute("name")

    def close(self) -> Any:
        return self.use("close", {})

    def flush(self) -> Any:
        return self.use("flush", {})

    def getvalue(self) -> Any:
        return self.use("getvalue", {})

    def isatty(self) -> Any:
        return self.use("isatty", {})

    def read(self, size: Any = ..., /) -> Any:
        return self.use("read", {"size": size})

    def readable(self) -> Any:
        return self.use("readable", {})

    def readline(self, size: Any = ..., /) -> Any:
        return self.use("readline", {"size": size})

    def seek(self, offset: Any, whence: Any = ..., /) -> Any:
        return self.use("seek", {"offset": offset, "whence": whence})

    def seekable(self) -> Any:
        return self.use("seekable", {})

    def tell(self) -> Any:
        return self.use("tell", {})

    def truncate(self, size: Any = ..., /) -> Any:
        return self.use("truncate", {"size": size})

    def writable(self) -> Any:
        return self.use("writable", {})

    def write(self, data: Any, /) -> Any:
        return self.use("write", {"data": data})

    def writelines(self, lines: Any, /) -> None:
        for line in lines:
            self.write(line)

    def __iter__(self) -> Any:
        return self.use("iterate", {})

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def __enter__(self) -> Any:
        return self.use("enter", {})

    def __exit__(self, _: object, error: BaseException | None, __: object) -> Any:
        return self.use("exit", seen(error))

    def __del__(self) -> None:
        """Make no call: `io` would close a file that the program drops."""

    def detach(self) -> NoReturn:
        raise io.UnsupportedOperation(_LACKS.format("`detach`"))

    def fileno(self) -> NoReturn:
        raise io.UnsupportedOperation(_LACKS.format("`fileno`"))

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(_LACKS.format(f"`{name}`"), name=name, obj=self)


_LACKS: Final = (
    "a file that crosses a boundary has no {}: declare a Protocol with what you use, instead of "
    "the type of a file"
)


class _BinaryFile(_LiveFile, io.BufferedIOBase):
    def getbuffer(self) -> memoryview:
        return memoryview(self.getvalue())

    def peek(self, size: Any = ..., /) -> Any:
        return self.use("peek", {"size": size})

    def read1(self, size: Any = ..., /) -> Any:
        return self.use("read1", {"size": size})

    def write(self, data: Any, /) -> Any:
        return super().write(data if type(data) is bytes else memoryview(data).tobytes())


class _TextFile(_LiveFile, io.TextIOBase):
    buffer = _attribute("buffer")
    encoding = _attribute("encoding")
    errors = _attribute("errors")
    line_buffering = _attribute("line_buffering")
    newlines = _attribute("newlines")

    def write(self, text: Any, /) -> Any:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        return super().write(text)


def _is_file(value: object) -> bool:
    return isinstance(value, io.IOBase) or has_member(value, "read") or has_member(value, "write")


def _is_text(value: object) -> bool:
    if isinstance(value, io.IOBase):
        return isinstance(value, io.TextIOBase)
    return _is_file(value) and has_member(value, "encoding")
