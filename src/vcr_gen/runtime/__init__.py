"""What generated code needs, and nothing else."""

from vcr_gen.runtime.calls import (
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
from vcr_gen.runtime.cassette import Cassette
from vcr_gen.runtime.port import InboundPort, MixedPort, OutboundPort
from vcr_gen.runtime.spec import Boundary

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
