"""Record and replay what crosses a program's environment boundaries.

The public names are loaded on first use: importing a marker in an application must not import the
runtime.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vcr_gen.boundary import (
        ByName,
        Codec,
        Match,
        Secret,
        Shown,
        Unrecorded,
        Volatile,
        inbound,
        outbound,
        unrecorded,
    )
    from vcr_gen.cassette_tools.tapes import Tape, TapeWriter
    from vcr_gen.errors import (
        CassetteError,
        DivergenceError,
        HermeticError,
        VcrError,
    )
    from vcr_gen.runtime.boundary.rules import Echoed, Repeat, Rule, UnusedRuleWarning
    from vcr_gen.runtime.codec import Registry
    from vcr_gen.runtime.extras.hermetic import Hermetic, HermeticWarning
    from vcr_gen.runtime.loops.session_loops import InexactReplayWarning
    from vcr_gen.runtime.modes import Mode
    from vcr_gen.runtime.privacy import Redaction
    from vcr_gen.runtime.runs.cassette import Cassette, StaleCassetteWarning
    from vcr_gen.runtime.runs.driver import Driver
    from vcr_gen.runtime.tape.event_hooks import TapeEvent

__all__ = [
    "ByName",
    "Cassette",
    "CassetteError",
    "Codec",
    "DivergenceError",
    "Driver",
    "Echoed",
    "Hermetic",
    "HermeticError",
    "HermeticWarning",
    "InexactReplayWarning",
    "Match",
    "Mode",
    "Redaction",
    "Registry",
    "Repeat",
    "Rule",
    "Secret",
    "Shown",
    "StaleCassetteWarning",
    "Tape",
    "TapeEvent",
    "TapeWriter",
    "Unrecorded",
    "UnusedRuleWarning",
    "VcrError",
    "Volatile",
    "inbound",
    "outbound",
    "unrecorded",
]

_HOMES = {
    "ByName": "vcr_gen.boundary",
    "Cassette": "vcr_gen.runtime.runs.cassette",
    "CassetteError": "vcr_gen.errors",
    "Codec": "vcr_gen.boundary",
    "DivergenceError": "vcr_gen.errors",
    "Driver": "vcr_gen.runtime.runs.driver",
    "Echoed": "vcr_gen.runtime.boundary.rules",
    "Hermetic": "vcr_gen.runtime.extras.hermetic",
    "HermeticError": "vcr_gen.errors",
    "HermeticWarning": "vcr_gen.runtime.extras.hermetic",
    "InexactReplayWarning": "vcr_gen.runtime.loops.session_loops",
    "Match": "vcr_gen.boundary",
    "Mode": "vcr_gen.runtime.modes",
    "Redaction": "vcr_gen.runtime.privacy",
    "Registry": "vcr_gen.runtime.codec",
    "Repeat": "vcr_gen.runtime.boundary.rules",
    "Rule": "vcr_gen.runtime.boundary.rules",
    "Secret": "vcr_gen.boundary",
    "Shown": "vcr_gen.boundary",
    "StaleCassetteWarning": "vcr_gen.runtime.runs.cassette",
    "Tape": "vcr_gen.cassette_tools.tapes",
    "TapeWriter": "vcr_gen.cassette_tools.tapes",
    "TapeEvent": "vcr_gen.runtime.tape.event_hooks",
    "Unrecorded": "vcr_gen.boundary",
    "UnusedRuleWarning": "vcr_gen.runtime.boundary.rules",
    "VcrError": "vcr_gen.errors",
    "Volatile": "vcr_gen.boundary",
    "inbound": "vcr_gen.boundary",
    "outbound": "vcr_gen.boundary",
    "unrecorded": "vcr_gen.boundary",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
