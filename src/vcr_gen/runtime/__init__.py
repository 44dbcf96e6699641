"""The names that generated code imports.

`Cassette` is loaded on first use: a program that only defines wrappers needs little more.
"""

from typing import TYPE_CHECKING

from vcr_gen.runtime.boundary.calls import (
    OMITTED,
    Call,
    default_of,
    event,
    given,
    given_positional,
    implementation,
    instance_member,
)
from vcr_gen.runtime.boundary.port import InboundPort, MixedPort, OutboundPort
from vcr_gen.runtime.boundary.spec import Boundary
from vcr_gen.runtime.boundary.wrapper_base import (
    InboundWrapper,
    MixedWrapper,
    OutboundWrapper,
    recorded_attribute,
)

if TYPE_CHECKING:
    from vcr_gen.runtime.runs.cassette import Cassette

__all__ = [
    "OMITTED",
    "Boundary",
    "Call",
    "Cassette",
    "InboundPort",
    "InboundWrapper",
    "MixedPort",
    "MixedWrapper",
    "OutboundPort",
    "OutboundWrapper",
    "default_of",
    "event",
    "given",
    "given_positional",
    "implementation",
    "instance_member",
    "recorded_attribute",
]


def __getattr__(name: str) -> object:
    if name == "Cassette":
        from vcr_gen.runtime.runs.cassette import Cassette

        return Cassette
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
