"""Files that cross a boundary: each use of one is a call on the tape (`file.read` on `#3`).

They are declared by a type of `typing` or `io`: `BinaryIO`, `IO[str]`, `io.BytesIO`. The wrapper of
a file inherits what it does not define, such as `readlines`, from `io`: that ends in calls of it.
"""

import io
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any, BinaryIO, Final, NoReturn, TextIO, get_args, get_origin

from vcr_gen.runtime.boundary.spec import Method, Parameter
from vcr_gen.runtime.values.live_object import Live, LiveKind, exit_arguments, seen

__all__ = ["file_kinds"]

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
    methods = {
        **_methods(bytes, BinaryIO, inbound=inbound),
        "peek": _method("peek", bytes, inbound, size=int),
        "read1": _method("read1", bytes | None, inbound, size=int),
    }

    def rank(value: object) -> int:
        return 0 if _is_text(value) else _FIRST

    return LiveKind("$file", methods, _BinaryFile, _use_file, fits, rank)


def _text_kind(fits: Callable[[object], bool], *, inbound: bool) -> LiveKind:
    methods = {
        **_methods(str, TextIO, inbound=inbound),
        "buffer": _method("buffer", BinaryIO, inbound),
        "encoding": _method("encoding", str | None, inbound),
        "errors": _method("errors", str | None, inbound),
        "line_buffering": _method("line_buffering", bool, inbound),
        "newlines": _method("newlines", object, inbound),
    }

    def rank(value: object) -> int:
        return _FIRST if _is_text(value) else 0

    return LiveKind("$text_file", methods, _TextFile, _use_file, fits, rank)


_FIRST: Final = -1
"""Before a stream: a file is an iterator too."""


def _methods(data: Any, file: object, *, inbound: bool) -> dict[str, Method]:
    """What all files can do."""
    stream = Iterator[data]
    error = Parameter("exception", BaseException | None, "exception")
    made = [
        Method("manager.enter", (), file, False, inbound),
        Method("manager.exit", (error,), bool | None, False, inbound),
        _method("close", object, inbound),
        _method("closed", bool, inbound),
        _method("flush", object, inbound),
        _method("getvalue", data, inbound),
        _method("isatty", bool, inbound),
        _method("iterate", stream, inbound),
        _method("mode", object, inbound),
        _method("name", object, inbound),
        _method("read", data | None, inbound, size=int | None),
        _method("readable", bool, inbound),
        _method("readline", data, inbound, size=int | None),
        _method("seek", int | None, inbound, offset=int, whence=int),
        _method("seekable", bool, inbound),
        _method("tell", int, inbound),
        _method("truncate", int | None, inbound, size=int | None),
        _method("writable", bool, inbound),
        _method("write", int | None, inbound, data=data),
    ]
    return {method.name.partition(".")[2]: method for method in made}


def _method(name: str, result: object, inbound: bool, **parameters: object) -> Method:
    taken = tuple(Parameter(name, of, "", optional=True) for name, of in parameters.items())
    return Method(f"file.{name}", taken, result, False, inbound)


_ATTRIBUTES: Final = frozenset(
    {"buffer", "closed", "encoding", "errors", "line_buffering", "mode", "name", "newlines"}
)
_SPECIAL: Final[Mapping[str, Callable[[Any, Mapping[str, Any]], Any]]] = {
    "enter": lambda real, _: real.__enter__(),
    "exit": lambda real, given: real.__exit__(*exit_arguments(given["exception"])),
    "iterate": lambda real, _: iter(real),
    "read1": lambda real, given: getattr(real, "read1", real.read)(*_given(given)),
}


def _perform(real: Any, key: str, arguments: Mapping[str, object]) -> Any:
    if key in _SPECIAL:
        return _SPECIAL[key](real, arguments)
    found = getattr(real, key)
    return found if key in _ATTRIBUTES else found(*_given(arguments))


def _given(arguments: Mapping[str, object]) -> list[object]:
    return [value for value in arguments.values() if value is not ...]


def _attribute(name: str) -> Any:
    return property(lambda file: file.use(name, {}))


class _LiveFile(Live):
    """A file whose uses are calls; `...` is an argument that is left out."""

    def use(self, key: str, arguments: Mapping[str, object]) -> Any:
        """Make a call."""
        real = self._real
        return self._link.call(
            self._methods[key], arguments, lambda given: _perform(real, key, given)
        )

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


def _use_file(wrapper: _LiveFile, key: str, arguments: Mapping[str, object]) -> Any:
    return wrapper.use(key, arguments)


def _is_file(value: object) -> bool:
    return isinstance(value, io.IOBase) or _has(value, "read") or _has(value, "write")


def _is_text(value: object) -> bool:
    if isinstance(value, io.IOBase):
        return isinstance(value, io.TextIOBase)
    return _is_file(value) and _has(value, "encoding")


def _has(value: object, name: str) -> bool:
    """Whether an object has an attribute, judged without using it; a proxy is asked."""
    cls = type(value)
    if hasattr(cls, name) or name in getattr(value, "__dict__", {}):
        return True
    return hasattr(cls, "__getattr__") and hasattr(value, name)
