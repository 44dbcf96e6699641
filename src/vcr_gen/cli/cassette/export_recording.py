"""`vcr-gen cassette convert --to …`: writes a cassette in the format of another tool."""

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from vcr_gen.boundaries.required_packages import require
from vcr_gen.cli.cassette.cassette_files import refuse_existing
from vcr_gen.cli.outcome import FINE, FileNote, Outcome, counted
from vcr_gen.errors import UsageError
from vcr_gen.runtime.tape.reading import Reading, reason

__all__ = ["DESTINATIONS", "export_recording"]

DESTINATIONS: Final = ("agent-vcr",)
_SUFFIX: Final = ".vcr"


def export_recording(
    destination: str, source: Path, target: Path | None, *, force: bool
) -> Outcome:
    """Write the recording; the target is replaced atomically, once all is read."""
    require("mcp", extra="mcp", wanted_by=f"--to {destination}")
    from vcr_gen.boundaries.mcp.other_tools.agent_vcr_export import AgentVcrExport

    target = target or source.with_suffix(_SUFFIX)
    refuse_existing(target, force=force)
    with Reading(source) as reading:
        export = AgentVcrExport(reading)
    text = json.dumps(export.document(), indent=2, ensure_ascii=False) + "\n"
    try:
        with TemporaryDirectory(dir=target.parent, prefix=".vcr-gen-") as folder:
            written = Path(folder, target.name)
            written.write_text(text, encoding="utf-8")
            os.replace(written, target)
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {reason(error)}") from error
    wrote = FileNote(
        str(target), "wrote", f"{counted(export.requests, 'request')} for {destination}"
    )
    skipped = "\n".join(f"skipped {what}" for what in export.skipped)
    return Outcome(code=FINE, files=[wrote], summary=skipped)
