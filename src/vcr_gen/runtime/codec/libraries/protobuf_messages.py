"""Messages of protobuf: as JSON where that keeps all of a message, else as its bytes."""

from __future__ import annotations

import json
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message

from vcr_gen.runtime.codec.libraries.library_codecs import Functions


def codec_of(cls: type[Any]) -> Functions | None:
    """How messages of a class are stored."""
    if not issubclass(cls, Message):
        return None
    return _write, lambda stored: _read(cls, stored)


def _write(message: Message) -> object:
    try:
        text = json_format.MessageToJson(message, preserving_proto_field_name=True)
        fields: object = json.loads(text)
        if _read(type(message), fields) == message:
            return fields
    except (json_format.Error, TypeError):  # such as an `Any` of a message that is not known
        pass
    return message.SerializeToString(deterministic=True)


def _read(cls: type[Message], stored: Any) -> Message:
    if isinstance(stored, bytes):
        return cls.FromString(stored)
    return json_format.ParseDict(stored, cls())
