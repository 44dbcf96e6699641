"""`vcr-gen cassette convert --from …`: makes a cassette of what another tool recorded."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from vcr_gen.cli.cassette.cassette_files import refuse_existing, write_cassette
from vcr_gen.cli.cassette.scan import read_scan_config
from vcr_gen.cli.outcome import FINE, FileNote, Outcome, counted
from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.formats import format_for
from vcr_gen.runtime.tape.reading import Reading

if TYPE_CHECKING:
    from vcr_gen.boundaries.http.imports.imported_exchanges import Import

__all__ = ["ORIGINS", "import_recording"]

ORIGINS: Final = ("vcrpy", "har")
_SUFFIX: Final = ".vcr-gen.yaml"


def import_recording(
    origin: str, source: Path, target: Path | None, *, loose: bool, force: bool
) -> Outcome:
    """Convert a file of another tool; the target is written atomically, once all is read."""
    target = target or source.with_name(source.stem + _SUFFIX)
    refuse_existing(target, force=force)
    format_for(target)
    found = _read(origin, source)
    if not found.exchanges:
        raise CassetteFormatError("there is nothing to import", path=source)
    _write(found, target, loose=loose)
    count = counted(len(found.exchanges), "exchange")
    return Outcome(
        code=FINE,
        files=[FileNote(str(target), "wrote", f"{count} from {origin}")],
        summary="\n".join(_remarks(found, loose=loose)),
    )


def _read(origin: str, source: Path) -> "Import":
    from vcr_gen.boundaries.http.imports.har_archives import read_har
    from vcr_gen.boundaries.http.imports.vcrpy_cassettes import read_vcrpy

    return read_har(source) if origin == "har" else read_vcrpy(source)


def _write(found: "Import", target: Path, *, loose: bool) -> None:
    from vcr_gen.boundaries.http.imports.imported_exchanges import play

    redaction = read_scan_config(None).redaction
    with TemporaryDirectory() as folder:
        played = Path(folder, "played" + target.suffix)
        play(found.exchanges, played, redaction)
        with Reading(played) as reading:
            header = {**reading.header, "imported": found.in_header(loose=loose)}
            write_cassette(target, header, (entry.data for entry in reading))


def _remarks(found: "Import", *, loose: bool) -> Sequence[str]:
    """What a replay compares, and what was left out."""
    if loose:
        compared = "compared: method and URL; loosened: headers and bodies are not compared"
    else:
        named = f"headers ({', '.join(found.headers)})" if found.headers else "no headers"
        compared = f"compared: method, URL, body, {named}"
    return [*(f"skipped {what}" for what in found.skipped), compared, "order: any"]
