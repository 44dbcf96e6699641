"""What the page knows about a whole tape: where it is, what it says about itself."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from vcr_gen.runtime.failures.history import declared_types
from vcr_gen.runtime.failures.sites import shown_path
from vcr_gen.runtime.formats.layout import VERSION_KEY
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.header import Header
from vcr_gen.tapes.recorded_calls import split_name

__all__ = ["describe_tape", "exact"]

_TOLD: Final = {VERSION_KEY, "recorded_at", "initial_state", "anchors", "boundaries"}
"""What the head says that has a place of its own in the page."""


def describe_tape(path: Path, data: Mapping[str, Plain]) -> dict[str, object]:
    """What the head of a file says, checked as for a replay."""
    header = Header.read(data, path)
    return {
        "name": _text(path.name),
        "path": _text(shown_path(path)),
        "recorded_at": header.recorded_at.isoformat(timespec="seconds"),
        "anchors": header.anchors,
        "initial_state": exact(dict(header.initial_state)) if header.initial_state else None,
        "settings": exact({key: value for key, value in data.items() if key not in _TOLD}),
        "boundaries": _boundaries(data.get("boundaries", {}), header.signatures),
    }


def exact(value: Plain) -> str:
    """A value as JSON text, which the page reads itself.

    JavaScript's own reader would lose the order of keys, `1.0`, and the end of large numbers.
    """
    return json.dumps(value, ensure_ascii=False)


def _boundaries(names: Plain, signatures: Mapping[str, str]) -> dict[str, dict[str, object]]:
    """The methods of each boundary, with their types."""
    known: dict[str, dict[str, object]] = {
        name: {} for name in (names if isinstance(names, dict) else ())
    }
    for of, signature in signatures.items():
        boundary, method = split_name(of, known)
        known[boundary][method] = {"signature": signature, "types": declared_types(signature)}
    return known


def _text(name: str) -> str:
    """A path as text; file names can hold bytes that are none."""
    return os.fsencode(name).decode(errors="replace")
