"""The references leave nothing out."""

import argparse
import inspect
import re
from typing import get_args

import pytest
from doc_pages import REPOSITORY

import vcr_gen
from vcr_gen import (
    Cassette,
    Driver,
    Mode,
    Registry,
    Tape,
    TapeWriter,
    boundary,
    errors,
    pytest_plugin,
)
from vcr_gen.cli import generate
from vcr_gen.cli.commands import COMMANDS, Group, add_command
from vcr_gen.gen.diagnostics import CODES
from vcr_gen.gen.settings.config import (
    BOUNDARY_SETTINGS,
    OPTION_TABLES,
    OVERRIDE_SETTINGS,
    SETTINGS,
)
from vcr_gen.pytest.cassette_options import CassetteOptions
from vcr_gen.runtime.tape import strict_entries
from vcr_gen.runtime.tape.events import ENDS, SIGNALS

REFERENCE = REPOSITORY / "docs" / "reference"


def read(name: str) -> str:
    return (REFERENCE / name).read_text(encoding="utf-8")


def options(parser: argparse.ArgumentParser) -> set[str]:
    """Every option of a command, and of its actions."""
    found: set[str] = set()
    for action in parser._actions:
        found.update(action.option_strings)
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                found |= options(inner)
    return found - {"-h", "--help"}


def parser_of(command: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    add_command(command, parser.add_subparsers())
    return parser


@pytest.mark.parametrize("page", ["command-line.md"])
def test_every_option_of_the_command_line_is_on_its_page(page: str) -> None:
    parsers = [
        generate.parser(COMMANDS),
        *map(parser_of, COMMANDS),
    ]
    known = set().union(*map(options, parsers))
    words = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", read(page)))

    assert sorted(known - words) == []
    assert sorted(words - known) == []


def test_every_command_and_action_is_on_the_page_of_the_command_line() -> None:
    text = read("command-line.md")

    assert [name for name in COMMANDS if f"## vcr-gen {name}" not in text] == []
    groups = {name: group for name, group in COMMANDS.items() if isinstance(group, Group)}
    actions = [(name, action) for name, group in groups.items() for action in group.actions]
    missing = [
        action
        for name, action in actions
        if not re.search(rf"\| `{action} |vcr-gen {name} {action}", text)
    ]
    assert missing == []


def test_the_page_of_the_configuration_has_the_tables_of_settings() -> None:
    lines = read("configuration.md").splitlines()
    rows = {line for line in lines if line.startswith("| `")}
    expected = {
        f"| `{setting.key}` | {setting.about} | {setting.default} |" for setting in SETTINGS
    }
    for settings in (BOUNDARY_SETTINGS, *OPTION_TABLES.values(), OVERRIDE_SETTINGS):
        expected |= {f"| `{setting.key}` | {setting.about} |" for setting in settings}

    assert sorted(expected - rows) == []
    assert sorted(rows - expected) == []


def test_every_error_code_is_on_the_page_of_the_codes() -> None:
    rows = [line for line in read("error-codes.md").splitlines() if line.startswith("| [VCR")]

    assert rows == [f"| [{code}](../errors/{code}.md) | {title} |" for code, title in CODES.items()]


def test_every_public_name_is_on_the_page_of_the_api() -> None:
    text = read("python-api.md")
    names = [*vcr_gen.__all__, *boundary.__all__, *errors.__all__]

    assert [name for name in names if name not in text] == []


@pytest.mark.parametrize("kind", [Cassette, Driver, Registry, Tape, TapeWriter])
def test_every_public_member_is_on_the_page_of_the_api(kind: type) -> None:
    text = read("python-api.md")
    private = {"version", "codec_of", "name_of", "named"}  # a registry's own, for the codec
    members = [name for name in vars(kind) if not name.startswith("_") and name not in private]

    assert [name for name in members if name not in text] == []


def test_every_parameter_of_a_cassette_is_on_the_page_of_the_api() -> None:
    text = read("python-api.md")

    for parameter in inspect.signature(Cassette).parameters.values():
        assert f"| `{parameter.name}` |" in text


@pytest.mark.parametrize("page", ["reference/python-api.md", "../README.md"])
def test_every_mode_is_explained(page: str) -> None:
    text = (REPOSITORY / "docs" / page).read_text(encoding="utf-8")

    assert [mode.value for mode in Mode if f"`{mode.value}`" not in text] == []


def test_every_field_of_a_divergence_is_explained() -> None:
    page = REPOSITORY / "docs" / "reference" / "python-api.md"
    text = page.read_text(encoding="utf-8")
    members = [name for name in dir(errors.Divergence) if not name.startswith("_")]
    kinds = get_args(errors.DivergenceKind)

    assert [name for name in (*members, *kinds) if f"`{name}`" not in text] == []


def test_every_option_of_the_pytest_plugin_is_in_its_guide() -> None:
    guide = REPOSITORY / "docs" / "guides" / "testing-with-pytest.md"
    text = guide.read_text(encoding="utf-8")
    source = inspect.getsource(pytest_plugin)
    names = re.findall(r'"(--vcrgen-[a-z-]+)"|addini\(\s*"(vcrgen_\w+)"', source)
    names += [(name, "") for name in (*CassetteOptions.__annotations__, "name")]

    assert [name for pair in names for name in pair if name and f"`{name}" not in text] == []


def test_every_key_of_an_event_is_on_the_page_of_cassette_files() -> None:
    text = read("cassette-files.md")
    keys = {"item", "end", "value", "took", "clock", *strict_entries._START_KEYS, *SIGNALS}

    assert sorted(key for key in keys | {*ENDS} if f"`{key}`" not in text) == []
