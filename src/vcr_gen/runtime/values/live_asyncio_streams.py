"""The readers and writers of asyncio that cross a boundary: each use of one is a call on the tape.

asyncio is not imported for them: a program that has one has imported it.
"""

from typing import Any, Final, NoReturn

from vcr_gen.runtime.values.live_object import (
    LiveKind,
    LiveMembers,
    Members,
    has_member,
    methods_of,
    use_member,
)

_READS: Final[Members] = {
    "read": (bytes, {"n": int}),
    "readexactly": (bytes, {"n": int}),
    "readline": (bytes, {}),
    "readuntil": (bytes, {"separator": bytes}),
}
_READER: Final[Members] = {"at_eof": (bool, {})}
_WAITS: Final[Members] = {"drain": (None, {}), "wait_closed": (None, {})}
_WRITER: Final[Members] = {
    "can_write_eof": (bool, {}),
    "close": (None, {}),
    "get_extra_info": (object, {"name": str, "default": object}),
    "is_closing": (bool, {}),
    "write": (None, {"data": bytes}),
    "write_eof": (None, {}),
}


def asyncio_kinds(annotation: object, *, inbound: bool) -> tuple[LiveKind, ...]:
    """The kind of a `StreamReader` or `StreamWriter`."""
    if not isinstance(annotation, type) or annotation.__module__ != "asyncio.streams":
        return ()
    match annotation.__name__:
        case "StreamReader":
            methods = methods_of("reader", _READS, inbound=inbound, asynchronous=True)
            methods |= methods_of("reader", _READER, inbound=inbound)
            return (LiveKind("$reader", methods, _LiveReader, use_member, _is_reader),)
        case "StreamWriter":
            methods = methods_of("writer", _WAITS, inbound=inbound, asynchronous=True)
            methods |= methods_of("writer", _WRITER, inbound=inbound)
            return (LiveKind("$writer", methods, _LiveWriter, use_member, _is_writer),)
    return ()


def _is_reader(value: object) -> bool:
    return has_member(value, "readuntil")


def _is_writer(value: object) -> bool:
    return has_member(value, "drain")


class _LiveStream(LiveMembers):
    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"a stream of asyncio that crosses a boundary has no `{name}`: declare a Protocol with "
            "what you use, instead of its class",
            name=name,
            obj=self,
        )


class _LiveReader(_LiveStream):
    def at_eof(self) -> Any:
        return self.use("at_eof", {})

    async def read(self, n: Any = ...) -> Any:
        return await self.use("read", {"n": n})

    async def readexactly(self, n: Any) -> Any:
        return await self.use("readexactly", {"n": n})

    async def readline(self) -> Any:
        return await self.use("readline", {})

    async def readuntil(self, separator: Any = ...) -> Any:
        return await self.use("readuntil", {"separator": separator})

    def __aiter__(self) -> "_LiveReader":
        return self

    async def __anext__(self) -> Any:
        line = await self.readline()
        if not line:
            raise StopAsyncIteration
        return line


class _LiveWriter(_LiveStream):
    def can_write_eof(self) -> Any:
        return self.use("can_write_eof", {})

    def close(self) -> None:
        self.use("close", {})

    async def drain(self) -> None:
        await self.use("drain", {})

    def get_extra_info(self, name: Any, default: Any = None) -> Any:
        return self.use("get_extra_info", {"name": name, "default": default})

    def is_closing(self) -> Any:
        return self.use("is_closing", {})

    async def wait_closed(self) -> None:
        await self.use("wait_closed", {})

    def write(self, data: Any) -> None:
        self.use("write", {"data": data if type(data) is bytes else memoryview(data).tobytes()})

    def write_eof(self) -> None:
        self.use("write_eof", {})

    def writelines(self, data: Any) -> None:
        self.write(b"".join(data))
