"""Replays an altered copy instead of a cassette, for `vcr-gen cassette mutate`."""

import json
import os
from pathlib import Path
from typing import Final

from vcr_gen.errors import UsageError

__all__ = ["VARIABLE", "override_of", "override_value"]

VARIABLE: Final = "VCR_GEN_STAND_IN"
"""A cassette and the copy to replay instead, as JSON: `{"of": …, "copy": …}`."""


def override_value(cassette: Path, copy: Path) -> str:
    """The value of the variable to replay `copy` instead of `cassette`."""
    return json.dumps({"of": os.path.realpath(cassette), "copy": os.path.realpath(copy)})


def override_of(cassette: Path) -> Path | None:
    """The copy to replay instead of a cassette, if any.

    Such a cassette is only replayed, in any mode, and never written.
    """
    said = os.environ.get(VARIABLE)
    if not said:
        return None
    try:
        pair = json.loads(said)
        of, copy = str(pair["of"]), str(pair["copy"])
    except (ValueError, TypeError, KeyError):
        raise UsageError(f'{VARIABLE} must be {{"of": …, "copy": …}}; got {said!r}') from None
    return Path(copy) if os.path.realpath(cassette) == of else None
