"""Finds the page that explains a diagnostic."""

from vcr_gen.gen.diagnostics import CODES, Diagnostic, RefusedError
from vcr_gen.gen.resources import error_pages_dir
from vcr_gen.gen.settings.toml_table import closest

__all__ = ["explain"]


def explain(code: str) -> str:
    """The page of a code, as Markdown; raises `RefusedError` for a code that does not exist."""
    wanted = code.strip().upper()
    if wanted not in CODES:
        meant = closest(wanted, list(CODES))
        hint = f"did you mean {meant}?" if meant else f"known: {', '.join(CODES)}"
        message = f"there is no code {code!r}"
        raise RefusedError([Diagnostic("--explain", 0, 0, "VCR411", message, hint)])
    return (error_pages_dir() / f"{wanted}.md").read_text(encoding="utf-8")
