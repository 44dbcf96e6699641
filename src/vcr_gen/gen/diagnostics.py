"""The generator's messages: a code, a place, a sentence and a hint.

Every code is in `CODES` and has a page `docs/errors/<code>.md`, which `--explain` prints.
VCR1xx: reading and resolving; VCR2xx: shapes that cannot be wrapped; VCR3xx: writing and drift;
VCR4xx: configuration.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from vcr_gen.errors import VcrError
from vcr_gen.gen.resources import error_pages_dir
from vcr_gen.spelling import closest


@dataclass(frozen=True, slots=True, order=True)
class Diagnostic:
    """One problem at one place; sorts by place."""

    path: str
    """As shown: relative to the project if the file is inside it, with `/`."""
    line: int
    """From 1; 0 for the whole file."""
    column: int
    """From 1; 0 for the whole line."""
    code: str
    """Empty for a problem of a cassette."""
    message: str
    """The expected and the actual input, in words."""
    hint: str
    """What to do about it; empty when the message says it all."""

    def __str__(self) -> str:
        place = ":".join((printable(self.path), *(str(n) for n in (self.line, self.column) if n)))
        text = f"{place}: {self.code} {self.message}" if self.code else f"{place}: {self.message}"
        return f"{text}\n  hint: {self.hint}" if self.hint else text


class RefusedError(VcrError):
    """The generator refuses its input; `diagnostics` holds all problems, in order of place."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(sorted(set(diagnostics)))
        super().__init__(render_diagnostics(self.diagnostics))


def printable(name: str) -> str:
    """A file name with its control characters escaped."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in name
    )


def render_diagnostics(diagnostics: Iterable[Diagnostic]) -> str:
    """All problems as text, one after the other."""
    return "\n".join(str(diagnostic) for diagnostic in diagnostics)


def explain(code: str) -> str:
    """The page of a code, as Markdown; raises `RefusedError` for a code that does not exist."""
    wanted = code.strip().upper()
    if wanted not in CODES:
        meant = closest(wanted, list(CODES))
        hint = f"did you mean {meant}?" if meant else f"known: {', '.join(CODES)}"
        message = f"there is no code {code!r}"
        raise RefusedError([Diagnostic("--explain", 0, 0, "VCR411", message, hint)])
    return (error_pages_dir() / f"{wanted}.md").read_text(encoding="utf-8")


CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        # reading and resolving
        "VCR101": "a source file is not valid Python",
        "VCR102": "a Protocol named in the configuration cannot be found",
        "VCR103": "a base of a Protocol cannot be found",
        "VCR104": "a boundary is not a Protocol",
        "VCR105": "a Protocol inherits from a class that is not a Protocol",
        "VCR106": "a name in a Protocol is not defined in its module",
        "VCR107": "the bases of a Protocol have no consistent order",
        "VCR108": "a mark accepts only a name, as a string literal",
        "VCR109": "the file of a Protocol cannot be imported",
        "VCR110": "a boundary or a member has two directions or two names",
        "VCR111": "a template cannot be read or filled in",
        "VCR112": "a mark is in a file that a stub hides",
        # shapes that cannot be wrapped
        "VCR201": "a Protocol is defined inside a function",
        "VCR202": "an attribute of a Protocol has no declared type",
        "VCR203": "a decorator hides what a member is",
        "VCR204": "a method has no parameter for the instance",
        "VCR205": "a member that Python itself uses cannot be wrapped",
        "VCR206": "a Protocol that is a dataclass cannot be wrapped",
        "VCR207": "type checkers would reject a wrapper with this member",
        # writing and drift
        "VCR301": "a file that vcr-gen did not write is in the way",
        "VCR302": "something that is not a regular file is in the way",
        "VCR303": "a file cannot be read or written",
        "VCR304": "two source modules want the same output file",
        "VCR305": "the formatter cannot format the generated text",
        "VCR310": "the type checker rejects a Protocol or its wrapper",
        "VCR314": "a generated file differs from what vcr-gen writes",
        # configuration
        "VCR401": "pyproject.toml cannot be read",
        "VCR402": "an unknown key in [tool.vcr-gen]",
        "VCR403": "a value of the wrong type or out of range in [tool.vcr-gen]",
        "VCR404": "a path in [tool.vcr-gen] does not exist",
        "VCR405": "a different version of vcr-gen is required",
        "VCR406": "a required key is missing in [tool.vcr-gen]",
        "VCR410": "a package that the generator needs is not installed",
        "VCR411": "an argument of the command line is not understood",
        "VCR412": "the class for `vcr-gen extract` has no public members",
    }
)
"""Every code the generator can report, and its title; a page in `docs/errors` explains it."""
