"""How requests of a client find the recorded ones: words for users become options of a cassette."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from vcr_gen.boundaries.mcp.request_targets import target_of
from vcr_gen.errors import UsageError
from vcr_gen.spelling import did_you_mean


def same_method(recorded: Any, actual: Any) -> bool:
    """Whether two messages have one JSON-RPC method."""
    return bool(recorded.message.method == actual.message.method)


STRATEGIES: Final[Mapping[str, str | Callable[[Any, Any], bool]]] = MappingProxyType(
    {
        "exact": "exact",
        "subset": "subset",
        "method": same_method,
        "method_and_arguments": "exact",
        "sequential": same_method,
    }
)
"""The strategies by their names on the command line, as options of a cassette."""

_FREE: Final = ("method_and_arguments", "sequential")
"""The strategies that search anywhere."""
_BOUNDARY: Final = "server"
_HANDSHAKE: Final = "initialize|server/discover"


def mcp_matching(*chosen: str) -> dict[str, Any]:
    """Options for a `Cassette` that say how messages of a client find the recorded ones.

    Each is what `vcr-gen mcp serve` takes as `--strategy`: a strategy for all messages, or
    `METHOD=STRATEGY` or `METHOD:NAME=STRATEGY` for some.
    """
    usual, each = "exact", dict[str, str]()
    for text in chosen:
        target, is_given, word = text.rpartition("=")
        if word not in STRATEGIES:
            words = ", ".join(STRATEGIES)
            raise UsageError(
                f"unknown strategy {word!r}{did_you_mean(word, STRATEGIES)}: "
                f"expected one of {words}\n\n"
                "hint: write STRATEGY for all messages, METHOD=STRATEGY or "
                "METHOD:NAME=STRATEGY for some, such as tools/call:search=subset"
            )
        if is_given:
            each[f"{_BOUNDARY} {target_of(target).pattern}"] = word
        else:
            usual = word
    if usual != "exact":  # another client has other abilities; it is answered all the same
        each = {f"{_BOUNDARY} {_HANDSHAKE}": "method", **each}
    meant = {_BOUNDARY: usual, **each}
    strategy = {key: STRATEGIES[word] for key, word in meant.items()}
    if not any(word in _FREE for word in meant.values()):
        return {"strategy": strategy}
    return {"strategy": strategy, "order": {_BOUNDARY: "lanes"}, "leftovers": True}
