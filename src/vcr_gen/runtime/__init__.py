"""What generated code needs, and nothing else."""

from vcr_gen.runtime.boundary.calls import (
    OMITTED,
    Call,
    default_of,
    given,
    given_positional,
    implementation,
    instance_member,
    qualname_getter,
    qualname_setter,
)
from vcr_gen.runtime.boundary.port import InboundPort, MixedPort, OutboundPort
from vcr_gen.runtime.boundary.spec import Boundary
from vcr_gen.runtime.runs.cassette import Cassette

__all__ = [
    "OMITTED",
    "Boundary",
    "Call",
    "Cassette",
    "InboundPort",
    "MixedPort",
    "OutboundPort",
    "default_of",
    "given",
    "given_positional",
    "implementation",
    "instance_member",
    "qualname_getter",
    "qualname_setter",
]
