"""`vcr-gen cassette convert --from …` and `--to …`: recordings of other tools."""

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from vcr_gen.boundaries.required_packages import require
from vcr_gen.cli.cassette.cassette_files import refuse_existing, write_cassette
from vcr_gen.cli.cassette.scan import read_scan_config
from vcr_gen.cli.outcome import FINE, FileNote, Outcome, counted
from vcr_gen.errors import CassetteFormatError, UsageError
from vcr_gen.gen.output.write import write_file
from vcr_gen.runtime.formats import format_for
from vcr_gen.runtime.tape.folding import folded
from vcr_gen.runtime.tape.reading import Reading

if TYPE_CHECKING:
    from vcr_gen.boundaries.http.imports.imported_exchanges import Import

_HTTP: Final = ("vcrpy", "har")
_MCP: Final = ("agent-vcr", "mcp-cassette")
ORIGINS: Final = (*_HTTP, *_MCP)
DESTINATIONS: Final = ("agent-vcr",)


def import_recording(
    origin: str, source: Path, target: Path | None, *, loose: bool, force: bool
) -> Outcome:
    """Convert a file of another tool; the target is written atomically, once all is read."""
    target = target or source.with_name(f"{source.stem}.vcr-gen.yaml")
    refuse_existing(target, force=force)
    format_for(target)
    if origin in _HTTP:
        return _import_exchanges(origin, source, target, loose=loose)
    if loose:
        raise UsageError("--loose is for HTTP: --from vcrpy, --from har")
    require("mcp", extra="mcp", wanted_by=f"--from {origin}")
    return _import_session(origin, source, target)


def _import_exchanges(origin: str, source: Path, target: Path, *, loose: bool) -> Outcome:
    from vcr_gen.boundaries.http.imports.har_archives import read_har
    from vcr_gen.boundaries.http.imports.imported_exchanges import play
    from vcr_gen.boundaries.http.imports.vcrpy_cassettes import read_vcrpy

    found = read_har(source) if origin == "har" else read_vcrpy(source)
    _refuse_nothing(found.exchanges, source)
    with TemporaryDirectory() as folder:
        played = Path(folder, "played" + target.suffix)
        play(found.exchanges, played, read_scan_config(None).redaction)
        with Reading(played) as reading:
            header = {**reading.header, "imported": found.in_header(loose=loose)}
            write_cassette(target, header, (entry.data for entry in reading))
    count = counted(len(found.exchanges), "exchange")
    return _outcome(target, f"{count} from {origin}", _compared(found, loose=loose))


def _import_session(origin: str, source: Path, target: Path) -> Outcome:
    from vcr_gen.boundaries.mcp.other_tools.agent_vcr_recordings import read_agent_vcr
    from vcr_gen.boundaries.mcp.other_tools.imported_session import play
    from vcr_gen.boundaries.mcp.other_tools.mcp_cassettes import read_mcp_cassette

    found = read_agent_vcr(source) if origin == "agent-vcr" else read_mcp_cassette(source)
    _refuse_nothing(found.messages, source)
    with TemporaryDirectory() as folder:
        played = Path(folder, "played" + target.suffix)
        times = play(found, played, read_scan_config(None).redaction)
        with Reading(played) as reading:
            header = {**reading.header, **found.in_header()}
            write_cassette(target, header, folded(times.events(reading), target))
    count = counted(found.requests, "request")
    return _outcome(target, f"{count} from {origin}", found.remarks)


def _refuse_nothing(found: Sequence[object], source: Path) -> None:
    if not found:
        raise CassetteFormatError("there is nothing to import", path=source)


def _outcome(target: Path, what: str, remarks: Sequence[str]) -> Outcome:
    wrote = FileNote(str(target), "wrote", what)
    return Outcome(code=FINE, files=[wrote], summary="\n".join(remarks))


def _compared(found: "Import", *, loose: bool) -> Sequence[str]:
    """What a replay compares, and what was left out."""
    if loose:
        compared = "compared: method and URL; loosened: headers and bodies are not compared"
    else:
        named = f"headers ({', '.join(found.headers)})" if found.headers else "no headers"
        compared = f"compared: method, URL, body, {named}"
    return [*(f"skipped {what}" for what in found.skipped), compared, "order: any"]


def export_recording(
    destination: str, source: Path, target: Path | None, *, force: bool
) -> Outcome:
    """Write the recording; the target is replaced atomically, once all is read."""
    require("mcp", extra="mcp", wanted_by=f"--to {destination}")
    from vcr_gen.boundaries.mcp.other_tools.agent_vcr_export import AgentVcrExport

    target = target or source.with_suffix(".vcr")
    refuse_existing(target, force=force)
    with Reading(source) as reading:
        export = AgentVcrExport(reading)
    text = json.dumps(export.document(), indent=2, ensure_ascii=False) + "\n"
    write_file(target, text)
    wrote = FileNote(
        str(target), "wrote", f"{counted(export.requests, 'request')} for {destination}"
    )
    skipped = "\n".join(f"skipped {what}" for what in export.skipped)
    return Outcome(code=FINE, files=[wrote], summary=skipped)
