import json
import tomllib
from pathlib import Path

import black
import pytest
from mini_project import Project

from vcr_gen.gen.diagnostics import RefusedError
from vcr_gen.gen.settings.config import SETTINGS, Setting
from vcr_gen.gen.settings.config_reader import load_config, parse_config
from vcr_gen.gen.settings.versions import is_specifier, satisfies


def _problems(root: Path, text: str) -> list[str]:
    root.mkdir(exist_ok=True)
    (root / "pyproject.toml").write_text(text)
    with pytest.raises(RefusedError) as caught:
        load_config(root)
    return str(caught.value).splitlines()


def test_all_mistakes_are_reported_at_once_with_their_places(tmp_path: Path) -> None:
    assert (
        _problems(
            tmp_path,
            """\
[tool.vcr-gen]
outptu = "x"
line_length = 3
formatter = "blak"
sources = ["nowhere"]
target-version = "3.9"
exclude = "tests"

[[tool.vcr-gen.boundary]]
protocol = "x.y"
directoin = "outbound"

[[tool.vcr-gen.boundary]]
protocol = "x:Y"
direction = "sideways"

[[tool.vcr-gen.overrides]]
line-length = true
""",
        )
        == [
            "pyproject.toml:2:1: VCR402 unknown key `outptu` in [tool.vcr-gen]",
            "  hint: did you mean `output`?",
            "pyproject.toml:3:1: VCR402 unknown key `line_length` in [tool.vcr-gen]",
            "  hint: did you mean `line-length`?",
            'pyproject.toml:4:1: VCR403 `formatter` must be "black" or "ruff"; got \'blak\'',
            '  hint: did you mean "black"?',
            "pyproject.toml:5:1: VCR404 `sources` names a folder that does not exist: nowhere",
            'pyproject.toml:6:1: VCR403 `target-version` must be a Python version from "3.11" on; '
            "got '3.9'",
            "pyproject.toml:7:1: VCR403 `exclude` must be a list of strings; got 'tests'",
            "pyproject.toml:9:1: VCR406 `direction` is missing in [[tool.vcr-gen.boundary]]",
            "pyproject.toml:10:1: VCR403 `protocol` must be spelled `package.module:Name`; "
            "got 'x.y'",
            "pyproject.toml:11:1: VCR402 unknown key `directoin` in [tool.vcr-gen.boundary]",
            "  hint: did you mean `direction`?",
            'pyproject.toml:15:1: VCR403 `direction` must be "outbound" or "inbound"; '
            "got 'sideways'",
            "pyproject.toml:17:1: VCR406 `module` is missing in [[tool.vcr-gen.overrides]]",
            "pyproject.toml:18:1: VCR403 `line-length` must be a whole number from 1 to 10000; "
            "got True",
        ]
    )


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("[tool.vcr-gen\n", "pyproject.toml:1:14: VCR401 is not TOML"),
        ("[tool]\nvcr-gen = 3\n", "pyproject.toml:1:1: VCR401 [tool.vcr-gen] must be a table"),
        ('[tool]\nvcr-gen = {outptu = "x"}\n', "pyproject.toml:2:12: VCR402"),
        ('[tool.vcr-gen]\n"outptu" = "x"\n', "pyproject.toml:2:1: VCR402"),
        ("[tool.vcr-gen.http]\nbody = 1\n", "pyproject.toml:2:1: VCR403 `body` must be true or"),
        ("[tool.vcr-gen.scan]\nalow = []\n", "pyproject.toml:2:1: VCR402 unknown key `alow`"),
        (
            "[tool.vcr-gen.redaction]\nfields = {of = 1}\n",
            "pyproject.toml:2:1: VCR403 `fields` must be a table of lists of strings",
        ),
        ("[tool.vcr-gen]\nhttp = 1\n", "pyproject.toml:2:1: VCR403 `http` must be a table"),
        ("[tool]\n[tool.vcr_gen]\n", "pyproject.toml:2:1: VCR402 unknown table [tool.vcr_gen]"),
        ("[[tool.vcrgen.boundary]]\n", "pyproject.toml:1:1: VCR402 unknown table [tool.vcrgen]"),
        ('[project]\nname = "x"\n[tool]\nVCR-Gen.x = 1\n', "pyproject.toml:4:1: VCR402"),
        ('[tool."vcr-gen"]\n\n  outptu = "x"\n', "pyproject.toml:3:3: VCR402"),
        ('tool.vcr-gen.outptu = "x"\n', "pyproject.toml:1:"),
        ('[tool.vcr-gen.outptu]\nx = "x"\n', "pyproject.toml:1:1: VCR402"),
        ("[tool.vcr-gen]\nsources = []\n", "pyproject.toml:2:1: VCR403 `sources` must be a list"),
        ('[tool.vcr-gen]\nboundary = "x"\n', "pyproject.toml:2:1: VCR403 `boundary` must be an"),
    ],
)
def test_unusual_spellings_have_places_too(tmp_path: Path, text: str, start: str) -> None:
    assert _problems(tmp_path / "x", text)[0].startswith(start)


def test_the_nearest_file_with_our_table_wins(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.vcr-gen]\noutput = "out"\n')
    inner = tmp_path / "package" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / "package" / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert load_config(inner).output == tmp_path / "out"
    (inner / "pyproject.toml").write_text("[tool.vcr-gen]\n")
    assert load_config(inner).root == inner


def test_what_lies_above_the_nearest_file_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    above = tmp_path / "pyproject.toml"
    above.write_text("[tool.vcr-gen]\n")
    inner = tmp_path / "package"
    inner.mkdir()
    (inner / "pyproject.toml").write_text("[tool.vcr-gen]\n")
    plainly = Path.read_bytes
    read: list[Path] = []
    monkeypatch.setattr(Path, "read_bytes", lambda path: read.append(path) or plainly(path))
    assert load_config(inner).root == inner
    assert above not in read


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        ("^3.12", (3, 12)),
        ("~3.13", (3, 13)),
        ("~3.13.2", (3, 13)),
        (">=3.12,<4.0", (3, 12)),
        (">=3.12, <3.14", (3, 12)),
        ("<3.14,>3.12", (3, 12)),
        ("!=3.13.1,>=3.12", (3, 12)),
        ("~=3.12", (3, 12)),
        ("3.13.*", (3, 13)),
        ("==3.13.*", (3, 13)),
        ("3.12.* || ^3.14", (3, 12)),
        ("^3.10", (3, 11)),
        ("<3.14", (3, 11)),
        ("*", (3, 11)),
        ("^4.13", (3, 11)),
    ],
)
@pytest.mark.parametrize(
    "table", ["[project]\nrequires-python", "[tool.poetry.dependencies]\npython"]
)
def test_the_target_is_the_lowest_python_of_the_project(
    tmp_path: Path, table: str, constraint: str, expected: tuple[int, int]
) -> None:
    (tmp_path / "pyproject.toml").write_text(f'{table} = "{constraint}"\n')
    assert load_config(tmp_path).target_version == expected


def test_requires_python_wins_over_poetry(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nrequires-python = ">=3.13"\n[tool.poetry.dependencies]\npython = "^3.12"\n'
    )
    assert load_config(tmp_path).target_version == (3, 13)


CONDITIONAL = """
import sys
from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Shell(Protocol):
    def run(self) -> int: ...

    if sys.version_info >= (3, 12):

        def spawn(self) -> int: ...

        def stop(self, hard: bool) -> int: ...

    else:

        def stop(self) -> int: ...
"""


def test_the_target_version_decides_which_members_there_are(empty: Project) -> None:
    empty.write("src/app/__init__.py", "")
    empty.write("src/app/ports.py", CONDITIONAL)
    for version, has_it in (("3.12", True), ("3.11", False)):
        empty.write("pyproject.toml", f'[tool.vcr-gen]\ntarget-version = "{version}"\n')
        assert empty.run().code == 0
        assert has_it == ("def spawn(" in empty.read("generated/vcr_app/ports.py"))
    empty.write("pyproject.toml", '[tool.vcr-gen]\n[tool.poetry.dependencies]\npython = "^3.12"\n')
    assert empty.run().code == 0
    assert "def spawn(" in empty.read("generated/vcr_app/ports.py")


def test_defaults_come_from_the_project_where_it_says_something(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nrequires-python = ">=3.12"\n[tool.ruff]\nline-length = 110\n'
    )
    config = load_config(tmp_path)
    assert config.sources == (tmp_path,)
    assert (config.target_version, config.line_length) == ((3, 12), 110)
    (tmp_path / "src").mkdir()
    assert load_config(tmp_path).sources == (tmp_path / "src",)
    assert load_config(tmp_path, settings=["target-version=3.13"]).target_version == (3, 13)


def test_overrides_apply_to_the_modules_they_name_and_later_ones_win(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.vcr-gen]\nline-length = 70\n"
        '[[tool.vcr-gen.overrides]]\nmodule = "app.*"\nline-length = 80\nformatter = "ruff"\n'
        '[[tool.vcr-gen.overrides]]\nmodule = ["x", "app.legacy"]\nline-length = 90\n'
    )
    config = load_config(tmp_path)
    chosen = {name: config.for_module(name) for name in ("other", "app.ports", "app.legacy")}
    assert {name: one.line_length for name, one in chosen.items()} == {
        "other": 70,
        "app.ports": 80,
        "app.legacy": 90,
    }
    assert chosen["app.legacy"].formatter == "ruff"


@pytest.mark.parametrize(
    ("version", "specifier", "fits"),
    [
        ("0.1.0", "0.1.0", True),
        ("0.1.0", "==0.1", True),
        ("0.1.0", ">=0.1,<0.2", True),
        ("0.2.0", ">=0.1,<0.2", False),
        ("1.4.2", "~=1.4", True),
        ("2.0", "~=1.4", False),
        ("0.1.0", "!=0.1.0", False),
        ("1.10", ">1.9", True),
    ],
)
def test_required_versions_are_compared_as_versions(
    version: str, specifier: str, fits: bool
) -> None:
    assert is_specifier(specifier)
    assert satisfies(version, specifier) is fits


def test_another_required_version_is_refused_with_its_place(project: Project) -> None:
    project.replace("pyproject.toml", "[tool.vcr-gen]", '[tool.vcr-gen]\nrequired-version = ">=99"')
    run = project.run()
    assert run.code == 2
    assert "pyproject.toml:2:1: VCR405 this project requires vcr-gen >=99; this is 0." in run.err


def test_the_command_line_wins_over_the_file(project: Project) -> None:
    assert project.run("--set", 'output="elsewhere"').code == 0
    assert (project.root / "elsewhere/vcr_app/ports.py").exists()
    run = project.run("--set", "outptu=x")
    assert run.code == 2
    assert run.err.startswith("--set: VCR402 unknown key `outptu`")
    assert project.run("--set", "nonsense").code == 2


def test_another_file_can_be_chosen(project: Project) -> None:
    project.write("conf/vcr.toml", '[tool.vcr-gen]\nsources = ["../src"]\noutput = "../made"\n')
    assert project.run("--config", "conf/vcr.toml").code == 0
    assert (project.root / "made/vcr_app/ports.py").exists()
    run = project.run("--config", "conf/none.toml")
    assert run.code == 2
    assert "VCR401 cannot be read: No such file or directory" in run.err


def test_show_config_prints_toml_that_means_the_same(project: Project) -> None:
    project.replace(
        "pyproject.toml",
        "[tool.vcr-gen]",
        '[tool.vcr-gen]\nline-length = 77\n[[tool.vcr-gen.boundary]]\nprotocol = "a:B"\n'
        'direction = "inbound"\nsecret = ["token"]',
    )
    text = project.run("--show-config").out
    shown = tomllib.loads(text)["tool"]["vcr-gen"]
    assert shown["line-length"] == 77
    assert shown["boundary"] == [{"protocol": "a:B", "direction": "inbound", "secret": ["token"]}]
    (project.root / "pyproject.toml").write_text(text)
    assert project.run("--show-config").out == text
    document = json.loads(project.run("--show-config", "--output-format", "json").out)
    assert document["output"] == "generated"


def test_templates_can_be_overridden_one_by_one(project: Project) -> None:
    from vcr_gen.gen.resources import templates_dir

    original = (templates_dir() / "package.py.jinja").read_text()
    project.write("mine/package.py.jinja", original + "# mine\n")
    project.replace("pyproject.toml", "[tool.vcr-gen]", '[tool.vcr-gen]\ntemplate-dir = "mine"')
    assert project.run().code == 0
    assert project.read("generated/vcr_app/__init__.py").endswith("# mine\n")
    project.write(
        "mine/package.py.jinja", "# Code generated by vcr-gen. DO NOT EDIT.\n{{ nope }}\n"
    )
    run = project.run()
    assert run.code == 2
    assert "nope" in run.err
    project.write("mine/package.py.jinja", "# Code generated by vcr-gen. DO NOT EDIT.\nx = = 1\n")
    run = project.run()
    assert run.code == 2
    assert "VCR305 black cannot format the generated text" in run.err


MARK = "# Code generated by vcr-gen. DO NOT EDIT.\n"


@pytest.mark.parametrize(
    ("template", "place", "words"),
    [
        (MARK + "{{ nope }}", "mine/module.py.jinja:2:1", "'nope' is undefined"),
        (MARK + "\n{{ 1 / 0 }}", "mine/module.py.jinja:3:1", "ZeroDivisionError: division by zero"),
        (
            MARK + "{{ nest() }}",
            "mine/module.py.jinja:2:1",
            "TypeError: _nest() missing 2",
        ),
        (MARK + "{% include 'module.py.jinja' %}", "mine/module.py.jinja:2:1", "RecursionError: "),
        (MARK + "{% include 'no.jinja' %}", "mine/module.py.jinja:2:1", "no template 'no.jinja'"),
        (MARK + "{% include '../x' %}", "mine/module.py.jinja:2:1", "there is no template '../x'"),
        (MARK + "{% include 'part.txt' %}", "mine/part.txt:1:1", "'missing' is undefined"),
        (MARK + "{% if %}", "mine/module.py.jinja:2:1", "Expected an expression"),
        (MARK + "\udcff", "mine/module.py.jinja", "UnicodeDecodeError: "),
        ("x = 1\n", "mine/module.py.jinja:1:1", "must begin with the line `# Code generated by"),
    ],
)
def test_a_template_that_fails_is_told_with_its_place(
    project: Project, template: str, place: str, words: str
) -> None:
    folder = project.root / "mine"
    folder.mkdir()
    (folder / "part.txt").write_text("{{ missing }}")
    (folder / "module.py.jinja").write_bytes(template.encode(errors="surrogateescape"))
    run = project.run("--set", 'template-dir="mine"')
    assert run.code == 2
    assert f"{place}: VCR111 " in run.err
    assert words in run.err
    assert not project.files()


def test_an_included_template_that_is_no_text_is_told_by_its_own_name(project: Project) -> None:
    project.write("mine/wrapper.py.jinja", "").write_bytes(b"\xff")
    run = project.run("--set", 'template-dir="mine"')
    assert (run.code, run.err.partition(": ")[0]) == (2, "mine/wrapper.py.jinja")


def test_all_texts_that_ruff_rejects_are_told_with_the_reason(project: Project) -> None:
    project.write("src/app/more.py", project.read("src/app/ports.py"))
    project.write("mine/module.py.jinja", f"{MARK}# source: {{{{ module.source }}}}\nx = = 1\n")
    run = project.run("--set", 'template-dir="mine"', "--set", "formatter=ruff")
    assert run.code == 2
    for name in ("more", "ports"):
        told = f"generated/vcr_app/{name}.py: VCR305 ruff cannot format the generated text: 3:5: "
        assert told in run.err
    assert "__init__" not in run.err


@pytest.mark.parametrize(
    "setting",
    [
        'output = "a\\u0000b"',
        'sources = ["a\\u0000b"]',
        'template-dir = "\\u0000"',
        'exclude = ["\\u0000"]',
    ],
)
def test_a_null_character_is_a_mistake_with_a_place(project: Project, setting: str) -> None:
    project.write("pyproject.toml", f"[tool.vcr-gen]\n{setting}\n")
    run = project.run("--check")
    assert run.code == 2
    assert run.err.startswith("pyproject.toml:2:1: VCR403 ")
    assert "hint: paths and names cannot contain a null character" in run.err


ELSEWHERE = """
    [tool.vcr-gen]
    search-path = ["libs"]

    [[tool.vcr-gen.boundary]]
    protocol = "other.ports:Far"
    direction = "outbound"

    [[tool.vcr-gen.overrides]]
    module = "other.*"
    """


def _project_with_protocol_elsewhere(project: Project, override: str) -> None:
    project.write("pyproject.toml", f"{ELSEWHERE}{override}\n")
    project.write(
        "libs/other/ports.py",
        """
        from typing import Protocol
        class Far(Protocol):
            def a_method_whose_name_is_rather_long(self) -> dict[str, tuple[int, ...]]: ...
        """,
    )


def test_a_line_length_holds_for_a_protocol_outside_of_the_sources(project: Project) -> None:
    _project_with_protocol_elsewhere(project, "line-length = 60")
    assert project.run().code == 0
    text = project.read("generated/vcr_other/ports.py")
    assert text == black.format_str(text, mode=black.Mode(line_length=60))


def test_a_formatter_holds_for_a_protocol_outside_of_the_sources(project: Project) -> None:
    _project_with_protocol_elsewhere(project, 'formatter = "ruff"\n    template-dir = "mine"')
    mark = "# Code generated by vcr-gen. DO NOT EDIT."
    project.write("mine/module.py.jinja", f"{mark}\n# source: {{{{ module.source }}}}\nx = = 1\n")
    assert "VCR305 ruff cannot format the generated text" in project.run().err


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_every_setting_is_read(tmp_path: Path, setting: Setting) -> None:
    with pytest.raises(RefusedError) as refusal:
        parse_config("", root=tmp_path, file=None, settings=[f"{setting.key} = {{}}"])
    assert f"--set: VCR403 `{setting.key}` must be" in str(refusal.value)


def test_the_generated_package_is_named_after_the_root_package(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("pyproject.toml", '[tool.vcr-gen]\nroot-package = "acme.billing"\n')
    project.write("src/acme/__init__.py", "")
    project.write("src/acme/billing/__init__.py", _CLOCK)
    project.write("src/acme/billing/ports/time.py", _CLOCK.replace("Clock", "Watch"))
    project.write("src/acme/shop.py", _CLOCK)
    project.run("-q")
    written = {
        path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("generated/**/*.py")
    }
    assert written == {
        "generated/vcr_acme/__init__.py",
        "generated/vcr_acme/shop.py",
        "generated/vcr_billing/__init__.py",
        "generated/vcr_billing/_package.py",
        "generated/vcr_billing/ports/__init__.py",
        "generated/vcr_billing/ports/time.py",
    }
    assert "from acme.billing.ports.time import" in project.read(
        "generated/vcr_billing/ports/time.py"
    )


_CLOCK = """
from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Clock(Protocol):
    def now(self) -> float: ...
"""
