"""Mini-projects for the tests of the generator: folders of golden cases, or files in a temporary
folder."""

import sysconfig
from collections.abc import Mapping
from pathlib import Path

import black

from vcr_gen.gen.pipeline.generation import generate
from vcr_gen.gen.rendering.formatting import RenderedFile
from vcr_gen.gen.settings.config import BoundaryRule, Config

HERE = Path(__file__).parent
CASES = HERE / "cases"
GOLDEN = HERE / "golden"
REJECTED = HERE / "rejected"
SITE_PACKAGES = Path(sysconfig.get_path("purelib"))
LINE_LENGTH = 100


def project(
    root: Path, *, output: Path | None = None, rules: tuple[BoundaryRule, ...] = ()
) -> Config:
    """A configuration whose sources lie directly in a folder."""
    return Config(
        root=root,
        sources=(root,),
        output=output or root / "generated",
        cache_dir=root / ".cache",
        line_length=LINE_LENGTH,
        target_version=(3, 13),
        search_path=(HERE.parent.parent / "src", SITE_PACKAGES),
        boundaries=rules,
    )


def write(root: Path, files: Mapping[str, str]) -> Config:
    """A project made of these files."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return project(root)


def golden_files() -> dict[str, str]:
    """What is generated for the golden cases, formatted where that is still needed."""
    generation = generate(project(CASES, output=GOLDEN))
    assert not generation.diagnostics, [str(one) for one in generation.diagnostics]
    return {file.path.relative_to(GOLDEN).as_posix(): formatted(file) for file in generation.files}


def formatted(file: RenderedFile) -> str:
    """The text after the formatter; settled text is taken as it is."""
    return file.text if file.settled else blackened(file.text)


def blackened(text: str) -> str:
    """What black makes of a text."""
    return black.format_str(text, mode=black.Mode(line_length=LINE_LENGTH))


def messages(folder: Path) -> str:
    """Everything that is said about a rejected project."""
    return "".join(f"{one}\n" for one in generate(project(folder)).diagnostics)
