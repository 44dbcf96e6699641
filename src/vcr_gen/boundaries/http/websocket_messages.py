"""How messages of WebSockets are stored: JSON as data, text as text, and the rest as bytes."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Annotated, Any, TypeAlias

from vcr_gen.boundaries.http.bodies import describe_body, piece_from_plain, piece_to_plain
from vcr_gen.boundaries.http.exchanges import HttpError, failure_from_plain, failure_to_plain
from vcr_gen.boundary import Codec, Shown, Volatile


def _received_to_plain(message: str | bytes) -> object:
    """A message in a mapping whose key is its kind.

    A bare text would count as a part of one long text, whose secrets may be cut.
    """
    if isinstance(message, bytes):
        return {"binary": piece_to_plain(message)}
    stored = piece_to_plain(message.encode("utf-8", "surrogatepass"))
    return stored if isinstance(stored, dict) else {"text": message}


def _received_from_plain(stored: Any) -> str | bytes:
    match stored:
        case {"binary": piece}:
            return piece_from_plain(piece)
        case {"text": str(text)}:
            return text
    return piece_from_plain(stored).decode("utf-8", "surrogatepass")


def _sent_to_plain(message: object) -> object:
    """The form of a message that is only compared: the layout of its JSON is ignored."""
    match message:
        case str():
            described = describe_body(message.encode("utf-8", "surrogatepass"), "")
            return described if isinstance(described, dict) else message
        case bytes() | bytearray() | memoryview():
            content = bytes(message)
            described = describe_body(content, "") or content
            return described if isinstance(described, bytes) else {"binary": described}
        case None:
            return None
    return {"unsendable": type(message).__qualname__}


def _fragment_to_plain(fragment: object) -> object:
    """A fragment, unchanged, because a secret may be cut between two."""
    match fragment:
        case str() | bytes():
            return fragment
        case bytearray() | memoryview():
            return bytes(fragment)
    return {"unsendable": type(fragment).__qualname__}


def _sent_from_plain(stored: Any) -> object:
    return stored


Message: TypeAlias = Annotated[
    str | bytes, Codec(_received_to_plain, _received_from_plain), Shown("{json}")
]
"""A message that arrived: a text, or bytes if it is binary."""

Sendable: TypeAlias = Annotated[object, Codec(_sent_to_plain, _sent_from_plain), Shown("{json}")]
"""What the program sends: a text, bytes, nothing, or what websockets refuses to send."""

SentFragment: TypeAlias = Annotated[object, Codec(_fragment_to_plain, _sent_from_plain)]
"""A part of what it sends in several frames."""


def _answer_to_plain(answer: float | HttpError) -> object:
    if isinstance(answer, HttpError):
        return failure_to_plain(answer.failure)
    return answer


def _answer_from_plain(stored: Any) -> float | HttpError:
    return HttpError(failure_from_plain(stored)) if isinstance(stored, Mapping) else float(stored)


Answer: TypeAlias = Annotated[
    float | HttpError, Codec(_answer_to_plain, _answer_from_plain), Volatile
]
"""How a ping ended: its duration in seconds, or why the connection did."""


def is_whole(message: object) -> bool:
    """Whether websockets sends this in one frame, or refuses it; anything else is fragments."""
    if isinstance(message, str | bytes | bytearray | memoryview | Mapping):
        return True
    return not (hasattr(message, "__iter__") or hasattr(message, "__aiter__"))


def as_sent(message: object, text: bool | None) -> object:
    """A message as its frame says it: `text` forces a text frame, or a binary one."""
    if isinstance(message, str):
        return message.encode() if text is False else message
    if isinstance(message, bytes | bytearray | memoryview):
        content = bytes(message)
        try:
            return content.decode() if text else content
        except UnicodeDecodeError:
            return content
    return message


def as_received(message: str | bytes, decode: bool | None) -> str | bytes:
    """A message in the type that the program asked for."""
    if decode is True and isinstance(message, bytes):
        return message.decode()
    if decode is False and isinstance(message, str):
        return message.encode()
    return message


class Parts:
    """The fragments of a message, and the exception of the program that ended them."""

    def __init__(self, message: Any) -> None:
        self.error: Exception | None = None
        one_by_one = isinstance(message, Iterable)
        self.each = self._each(message) if one_by_one else self._each_async(message)

    def _each(self, message: Iterable[object]) -> Iterator[object]:
        try:
            yield from message
        except Exception as error:
            self.error = error
            raise

    async def _each_async(self, message: Any) -> AsyncIterator[object]:
        try:
            async for fragment in message:
                yield fragment
        except Exception as error:
            self.error = error
            raise
