"""A copy that is replayed in a cassette's place: how `vcr-gen cassette mutate` alters one."""

import json
import os
from pathlib import Path
from typing import Final

from vcr_gen.errors import UsageError

__all__ = ["VARIABLE", "stand_in_for", "stand_in_of"]

VARIABLE: Final = "VCR_GEN_STAND_IN"
"""Names a cassette and the copy that is replayed for it, as JSON: `{"of": …, "copy": …}`."""


def stand_in_for(cassette: Path, copy: Path) -> str:
    """What the variable says to have `copy` replayed in place of `cassette`."""
    return json.dumps({"of": os.path.realpath(cassette), "copy": os.path.realpath(copy)})


def stand_in_of(cassette: Path) -> Path | None:
    """The copy to replay in place of a cassette, if there is one.

    Such a cassette is only ever replayed, whatever its mode: nothing is written to it.
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
