"""Protocols that refer to other modules, and problems in several modules at once."""

from pathlib import Path

from vcr_gen.gen.pipeline.generation import Generation, generate
from vcr_gen.gen.settings.config_reader import load_config

LENGTH = 6
MARKED = "from typing import Protocol\nfrom vcr_gen.boundary import outbound\n"


def linked_project(root: Path, *, flaws: tuple[int, ...] = (), settings: str = "") -> Generation:
    """A chain of modules, each with a base and a handle in the next."""
    package = root / "src" / "app"
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").touch()
    (root / "pyproject.toml").write_text(f"[tool.vcr-gen]\n{settings}")
    for number in range(LENGTH):
        flaw = "    lost: Missing\n" if number in flaws else ""
        (package / f"chain_{number}.py").write_text(
            f"{MARKED}from app.chain_{number + 1} import Base{number + 1}, Port{number + 1}\n\n"
            f"class Base{number}(Protocol):\n    def base_{number}(self) -> int: ...\n\n"
            f"@outbound\nclass Port{number}(Base{number + 1}, Protocol):\n"
            f"    def handle(self) -> Port{number + 1}: ...\n{flaw}"
        )
    (package / f"chain_{LENGTH}.py").write_text(
        f"{MARKED}class Base{LENGTH}(Protocol):\n    def base_{LENGTH}(self) -> int: ...\n"
        f"@outbound\nclass Port{LENGTH}(Protocol):\n    def last(self) -> str: ...\n"
    )
    return generate(load_config(root))


def test_wrappers_know_bases_and_boundaries_of_other_modules(tmp_path: Path) -> None:
    rule = '[[tool.vcr-gen.boundary]]\nprotocol = "{}"\ndirection = "outbound"\nname = "ruled"\n'
    named = (rule.format(name) for name in ("app.chain_3:Base4", "app.chain_0:Port1"))
    made = linked_project(tmp_path, settings="".join(named))
    (text,) = (file.text for file in made.files if file.path.stem == "chain_2")
    assert "def base_3(self)" in text
    assert '"vcr_app.chain_3:PORT3"' in text
    ruled = [boundary.protocol for boundary in made.boundaries if boundary.name == "ruled"]
    assert ruled == ["app.chain_4:Base4"]  # `Port1` is marked, which beats a rule


def test_all_problems_are_told_at_once_and_nothing_is_rendered(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "module.py.jinja").write_text("{{ no_such_name }}")
    broken = tmp_path / "src" / "app" / "broken.py"
    broken.parent.mkdir(parents=True)
    broken.write_text(f"{MARKED}def f(:")
    made = linked_project(tmp_path, flaws=(1, 2, 4), settings='template-dir = "own"\n')
    assert not made.files
    places = [(Path(problem.path).name, problem.code) for problem in made.diagnostics]
    flawed = [(f"chain_{number}.py", "VCR106") for number in (1, 2, 4)]
    assert places == [("broken.py", "VCR101"), *flawed]
    assert made.refused == tuple(f"app.chain_{number}:Port{number}" for number in (1, 2, 4))


def test_the_first_module_that_a_template_fails_for_is_told(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "module.py.jinja").write_text("{{ module[module.module] }}")
    (problem,) = linked_project(tmp_path, settings='template-dir = "own"\n').diagnostics
    assert problem.code == "VCR111"
    assert problem.message.endswith("'app.chain_0'")


def test_marks_of_the_package_are_known_where_vcr_gen_cannot_be_read(tmp_path: Path) -> None:
    ports = tmp_path / "src" / "app" / "ports.py"
    ports.parent.mkdir(parents=True)
    ports.write_text(
        "from typing import Protocol\nfrom vcr_gen import inbound, outbound, unrecorded\n"
        "@outbound\nclass Clock(Protocol):\n"
        "    def now(self) -> float: ...\n"
        "    @inbound\n    def ring(self) -> None: ...\n"
        "    @unrecorded\n    def close(self) -> None: ...\n"
    )
    (tmp_path / "pyproject.toml").write_text("[tool.vcr-gen]\nsearch-path = []\n")

    made = generate(load_config(tmp_path))

    assert made.diagnostics == ()
    (text,) = (file.text for file in made.files if file.path.stem == "ports")
    assert "MixedWrapper[Clock]" in text
    assert 'unrecorded("close")' in text
