"""The requests and notifications of both sides of an MCP session, as cassettes store them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, TypeAlias

from vcr_gen.boundary import Codec, Match, Shown

_VARYING: Final = frozenset(
    {
        "progressToken",
        "traceparent",
        "tracestate",
        "baggage",
        "io.modelcontextprotocol/clientInfo",
        "io.modelcontextprotocol/serverInfo",
    }
)
"""Entries of `_meta` that vary by nature: numbers of the wire, traces, versions of the programs."""


@dataclass(frozen=True, slots=True)
class Message:
    """A request or a notification: its method and its parameters."""

    method: str
    params: dict[str, Any] = field(default_factory=dict)
    metadata: object = field(default=None, compare=False)
    """What the client's transport needs to know of it, such as headers; not recorded."""


def title_of(message: Message) -> str:
    """What messages of vcr-gen call a message: `tools/call search`."""
    params = message.params
    named = "".join(str(params[key]) for key in ("name", "uri") if params.get(key) is not None)
    return f"{message.method} {named}".rstrip()


def _to_plain(message: Message) -> object:
    params = {"params": message.params} if message.params else {}
    return {"method": message.method, **params}


def _from_plain(stored: Any) -> Message:
    return Message(stored["method"], stored.get("params", {}))


def compared_message(message: Message) -> dict[str, Any]:
    """What is compared of a message: all but what varies by nature."""
    params = dict(message.params)
    if message.method == "initialize":
        params.pop("clientInfo", None)
    meta = params.pop("_meta", None)
    if isinstance(meta, Mapping):
        kept = {name: value for name, value in meta.items() if name not in _VARYING}
        if kept:
            params["_meta"] = kept
    return {"method": message.method, "params": params}


_LISTED: Final = {
    "tools": "name",
    "prompts": "name",
    "resources": "uri",
    "resourceTemplates": "name",
}
"""Lists of a result whose order says nothing, and what names an element."""


def compared_result(result: Mapping[str, Any]) -> dict[str, Any]:
    """What is compared of a result: all but what varies by nature, and lists by name."""
    compared = {name: value for name, value in result.items() if name != "serverInfo"}
    meta = compared.pop("_meta", None)
    if isinstance(meta, Mapping):
        compared["_meta"] = {name: value for name, value in meta.items() if name not in _VARYING}
    for name, key in _LISTED.items():
        if name in compared:
            compared[name] = _by_name(compared[name], key)
    return compared


def _by_name(elements: Any, key: str) -> Any:
    """The elements of a list by their names, if each has one of its own."""
    if not isinstance(elements, list) or not all(isinstance(each, dict) for each in elements):
        return elements
    named = {str(each.get(key)): each for each in elements}
    return named if len(named) == len(elements) else elements


Result: TypeAlias = Annotated[dict[str, Any], Match(key=compared_result)]
"""The result of a request, as it is on the wire."""

ShownMessage: TypeAlias = Annotated[
    Message,
    Codec(_to_plain, _from_plain),
    Match(key=compared_message),
    Shown(
        "{method} {params.name?}{params.uri?}{params.data?} {params.arguments?}",
        name="{method} {params.name?}{params.uri?}",
    ),
]


class RpcError(Exception):
    """The other side answered with an error; `data` is any JSON value, or absent."""

    def __init__(self, code: int, message: str, *data: Any) -> None:
        super().__init__(code, message, *data)

    @property
    def frame(self) -> dict[str, Any]:
        """The `error` of an answer."""
        code, message, *data = self.args
        return {"code": code, "message": message, **({"data": data[0]} if data else {})}
