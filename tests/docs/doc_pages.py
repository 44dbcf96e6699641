"""Pages of the documentation as programs: blocks that are files, scripts, commands or excerpts.

A fenced block says by its language and its first line what it is:

- `# path/to/file` first, in any language: a file of the page's project. A second block with the
  same path replaces it. A path below `docs/` means that file of this repository: the block is an
  excerpt that must be in it, word for word; a line `# …` stands for lines left out.
- `yaml made`, or any other language, with a path: what a command before has written into that
  file. `…` stands for anything, and a number for any number.
- `diff` with a path: a change to a file of the project; `-` and `+` before the lines that differ.
- `python` without a path: a script, run in the project.
- `console`: commands after `$ `, each with the output it must print; `…` stands for anything. The
  last command of a block `console fails` must fail, every other one must not.
- `text`, `mermaid`, or anything else without a path: only to be read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

REPOSITORY: Final = Path(__file__).resolve().parents[2]
_FENCE: Final = re.compile(
    r"^(?P<indent> *)```(?P<info>[^`\n]*)\n(?P<body>.*?)^(?P=indent)```$", re.M | re.S
)
_PATH: Final = re.compile(r"#\s+(?P<path>[\w./-]+\.\w+)\n")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_LEFT_OUT: Final = "# …"
_NOT_RUN: Final = ("pip ", "make ", "git ", "cd ")
"""What sets a machine up; the tests run on one that is."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    info: str
    body: str
    line: int

    @property
    def path(self) -> str | None:
        """The file that the block is or is taken from."""
        found = _PATH.match(self.body)
        return found["path"] if found else None

    @property
    def is_excerpt(self) -> bool:
        return self.path is not None and self.path.startswith("docs/")

    @property
    def is_made(self) -> bool:
        return self.info.split()[1:] == ["made"]

    @property
    def content(self) -> str:
        """The file without the line that names it."""
        return self.body.partition("\n")[2]

    def changed(self, text: str) -> str:
        """The text of a file with the change that a `diff` block shows."""
        lines = self.content.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] in "- ")
        after = "".join(line[1:] for line in lines if line[0] in "+ ")
        assert text.count(before) == 1, f"{self.path} has {text.count(before)} times:\n{before}"
        return text.replace(before, after)

    def shows(self, text: str) -> bool:
        """Whether a file that was made is what the page shows; numbers do not count."""
        return _matches(_NUMBER.sub("0", self.content), _NUMBER.sub("0", text))

    def missing_pieces(self) -> list[str]:
        """The pieces of an excerpt that are not in the file it is taken from."""
        assert self.path is not None
        text = (REPOSITORY / self.path).read_text(encoding="utf-8")
        lines = [line.strip() for line in text.splitlines()]
        pieces = re.split(rf"^\s*{_LEFT_OUT}\s*$", self.content, flags=re.M)
        return [piece for piece in pieces if not _contains(lines, _stripped(piece))]


@dataclass(frozen=True)
class Command:
    """A command line with the output that the page shows for it."""

    line: str
    shown: str
    fails: bool

    @property
    def is_run(self) -> bool:
        return is_run(self.line)

    def is_shown_in(self, output: str) -> bool:
        """Whether the output is what the page shows; how far lines are indented does not count."""
        return not self.shown.strip() or _matches(self.shown, output)


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    for found in _FENCE.finditer(text):
        indent = len(found["indent"])
        body = "".join(line[indent:] for line in found["body"].splitlines(keepends=True))
        yield Block(found["info"].strip(), body, text.count("\n", 0, found.start()) + 1)


def commands(block: Block) -> Iterator[Command]:
    """The commands of a console block."""
    pieces = re.split(r"^\$ ", block.body, flags=re.M)[1:]
    for number, piece in enumerate(pieces, start=1):
        line, _, shown = piece.partition("\n")
        yield Command(line, shown, fails="fails" in block.info and number == len(pieces))


def pages() -> list[Path]:
    """README and every guide, concept and reference."""
    docs = REPOSITORY / "docs"
    found = [REPOSITORY / "README.md", docs / "README.md"]
    for folder in ("guides", "concepts", "reference"):
        found += sorted((docs / folder).glob("*.md"))
    return [page for page in found if page.is_file()]


def recipes() -> list[Path]:
    """The pages that continue the example of the README, or show a repository of their own."""
    return sorted((REPOSITORY / "docs" / "recipes").glob("*.md"))


def is_run(line: str) -> bool:
    """Whether the tests run a command line."""
    return not line.startswith(_NOT_RUN)


def _matches(shown: str, text: str) -> bool:
    pattern = ".*?".join(re.escape(piece.strip()) for piece in _words(shown).split("…"))
    return re.fullmatch(pattern, _words(text), re.S) is not None


def _words(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.strip().splitlines())


def _stripped(piece: str) -> list[str]:
    return [line.strip() for line in piece.strip().splitlines()]


def _contains(lines: list[str], wanted: list[str]) -> bool:
    return any(
        lines[start : start + len(wanted)] == wanted
        for start in range(len(lines) - len(wanted) + 1)
    )
