"""What generated code needs, and nothing else."""

from vcr_gen.runtime.boundary.attributes import recorded_attribute, recorded_qualname
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
from vcr_gen.runtime.boundary.wrapper import InboundWrapper, MixedWrapper, OutboundWrapper
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
    "recorded_qualname",
]
