"""Rules in `pyproject.toml` for Protocols that one does not own: paths, functions, mistakes."""

import subprocess
import sys
from pathlib import Path

import pytest

from vcr_gen.cli import main

PORTS = """
from dataclasses import dataclass
from typing import Protocol


@dataclass
class Order:
    name: str
    placed: float = 0.0
    sent: float = 0.0


class Shop(Protocol):
    def place(self, order: Order, trace: str = "") -> int: ...
    def post(self, body: str) -> str: ...
"""
CLOSE = """
def close(recorded: float, actual: float) -> bool:
    return abs(recorded - actual) < 1
"""
RULES = """
[[tool.vcr-gen.boundary]]
protocol = "app.ports:Shop"
direction = "outbound"
secret = ["post.body.$json.pin"]
volatile = ["trace", "place.order.placed", "body.$json['id']"]
match = ["order.sent = app.matching:close"]
"""
PROGRAM = """
import json, sys
from pathlib import Path
from app.ports import Order
from vcr_app import VcrShop
from vcr_gen import Cassette, DivergenceError


class Real:
    def place(self, order, trace=""):
        return 1

    def post(self, body):
        return "ok"


def session(mode, name="tea", trace="a", placed=1.0, sent=1.0, id=1, pin="1234", note=""):
    with Cassette("tape.yaml", mode) as cassette:
        shop = VcrShop.attach(cassette, Real)
        shop.place(Order(name, placed, sent), trace)
        shop.post(json.dumps({"id": id, "pin": pin, "note": note}))


def differs(**changes):
    try:
        session("none", **changes)
    except DivergenceError as error:
        return str(error)
    return ""


session("all")
assert not differs()
assert not differs(trace="b", placed=2.0, sent=1.5, id=7)
assert not differs(id=8, pin="4321")
assert "order.sent: close says they differ" in differs(sent=2.5)
assert "order.name" in differs(name="coffee")
assert "body.$json.note" in differs(note="new")
text = Path("tape.yaml").read_text()
assert "1234" not in text
print(text[text.index("rules:"):text.index("events:")])
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    app = tmp_path / "src" / "app"
    app.mkdir(parents=True)
    (app / "__init__.py").write_text("")
    (app / "ports.py").write_text(PORTS)
    (app / "matching.py").write_text(CLOSE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_program() -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "program.py"],
        env={"PYTHONPATH": "src:generated"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_paths_and_functions_of_the_configuration_hold_in_a_replay(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "pyproject.toml").write_text(f"[tool.vcr-gen]\n{RULES}")
    (project / "program.py").write_text(PROGRAM)

    assert main(["-q"]) == 0, capsys.readouterr().err
    run = run_program()

    assert run.stderr == ""
    assert run.stdout.splitlines() == [
        "rules:",
        "  Shop.place:",
        "    trace: volatile",
        "    order.placed: volatile",
        "    order.sent: match close",
        "  Shop.post:",
        "    body.$json.pin: secret",
        "    body.$json['id']: volatile",
        "",
    ]
    assert main(["--check"]) == 0


@pytest.mark.parametrize(
    ("line", "words", "hint"),
    [
        (
            'volatile = ["trase"]',
            "`Shop` has no parameter or attribute that 'trase' names",
            "`trace`",
        ),
        (
            'secret = ["place.ordr.name"]',
            "no parameter or attribute that 'place.ordr.name' names",
            "`place",
        ),
        (
            'volatile = ["order..name"]',
            "field path 'order..name', column 6",
            "a path is a parameter",
        ),
        (
            'match = ["order.sent"]',
            "an entry of `match` must be `path = package.module:function`",
            "such as",
        ),
        (
            'match = ["ordr.sent = app.matching:close"]',
            "no parameter or attribute that 'ordr.sent' names",
            "",
        ),
        (
            'match = ["order.sent = nowhere:close"]',
            "`match`: the module `nowhere` cannot be found",
            "add its folder to `sources`",
        ),
        (
            'match = ["order.sent = app.matching:closer"]',
            "`match`: the module `app.matching` has no function `closer`",
            "did you mean `close`?",
        ),
    ],
)
def test_a_field_that_is_not_there_is_an_error_with_its_place(
    project: Path, capsys: pytest.CaptureFixture[str], line: str, words: str, hint: str
) -> None:
    rule = RULES.split("secret", maxsplit=1)[0] + line
    (project / "pyproject.toml").write_text(f"[tool.vcr-gen]\n{rule}\n")

    assert main([]) == 2

    error = capsys.readouterr().err
    assert "pyproject.toml:3:1: VCR403" in error
    assert words in error
    assert hint in error
    assert not (project / "generated").exists()


VAULT = """
from typing import Protocol


class Vault(Protocol):
    code: str

    @property
    def phrase(self) -> str: ...
    @phrase.setter
    def phrase(self, new: str) -> None: ...

    @property
    def serial(self) -> str: ...
"""
OPENING = """
from pathlib import Path
from vcr_app import VcrVault
from vcr_gen import Cassette


class Real:
    code, phrase, serial = "read-1111", "read-2222", "read-3333"


with Cassette("tape.yaml", "all") as cassette:
    vault = VcrVault.attach(cassette, Real)
    read = vault.code, vault.phrase, vault.serial
    vault.code, vault.phrase = "set-1111", "set-2222"
assert read == (Real.code, Real.phrase, Real.serial)
text = Path("tape.yaml").read_text()
words = [f"{how}-{code}" for how in ("read", "set") for code in ("1111", "2222", "3333")]
print(*[word for word in words if word in text])
"""


@pytest.mark.parametrize(
    ("secret", "shown"),
    [
        ([], "read-1111 read-2222 read-3333 set-1111 set-2222"),
        (["code", "phrase", "serial"], ""),
        (["code.value", "phrase.value"], "read-1111 read-2222 read-3333"),
        (["value"], "read-1111 read-2222 read-3333"),
        (["code.$result", "phrase.$result", "serial.$result"], "set-1111 set-2222"),
        (["phrase"], "read-1111 read-3333 set-1111"),
    ],
)
def test_a_property_or_attribute_that_is_named_is_secret(
    project: Path, capsys: pytest.CaptureFixture[str], secret: list[str], shown: str
) -> None:
    (project / "src/app/ports.py").write_text(VAULT)
    (project / "pyproject.toml").write_text(
        '[[tool.vcr-gen.boundary]]\nprotocol = "app.ports:Vault"\ndirection = "outbound"\n'
        f"secret = {secret}\n"
    )
    (project / "program.py").write_text(OPENING)

    assert main(["-q"]) == 0, capsys.readouterr().err
    run = run_program()
    assert (run.stdout.strip(), run.stderr) == (shown, "")


def test_a_property_without_a_setter_has_no_value_to_set(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "src/app/ports.py").write_text(VAULT)
    (project / "pyproject.toml").write_text(
        '[[tool.vcr-gen.boundary]]\nprotocol = "app.ports:Vault"\ndirection = "outbound"\n'
        'secret = ["serial.value"]\n'
    )
    assert main([]) == 2
    error = capsys.readouterr().err
    assert (
        "VCR403 `secret`: `Vault` has no parameter or attribute that 'serial.value' names" in error
    )
    assert "did you mean `serial`?" in error


def test_a_function_that_is_gone_is_noticed_by_the_next_run(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "pyproject.toml").write_text(f"[tool.vcr-gen]\n{RULES}")
    assert main(["-q"]) == 0
    (project / "src/app/matching.py").write_text(CLOSE.replace("close", "near"))

    assert main(["--check"]) == 2
    assert "has no function `close`" in capsys.readouterr().err


@pytest.mark.parametrize("function", ["operator:eq", "app:offered", "app.lazy:anything"])
def test_a_function_may_be_pythons_own_or_come_from_elsewhere(project: Path, function: str) -> None:
    (project / "src/app/__init__.py").write_text("from app.matching import close as offered\n")
    (project / "src/app/lazy.py").write_text("def __getattr__(name: str) -> object: ...\n")
    rule = RULES.replace("app.matching:close", function)
    (project / "pyproject.toml").write_text(f"[tool.vcr-gen]\n{rule}")

    assert main(["-q"]) == 0


@pytest.mark.parametrize("direction", ["outbound", "inbound"])
@pytest.mark.parametrize("protocol", ["app.ports:Shop", "app:Offered"])
def test_a_second_rule_that_says_something_else_is_an_error(
    project: Path, capsys: pytest.CaptureFixture[str], protocol: str, direction: str
) -> None:
    (project / "src/app/__init__.py").write_text("from app.ports import Shop as Offered\n")
    second = f'[[tool.vcr-gen.boundary]]\nprotocol = "{protocol}"\ndirection = "{direction}"\n'
    (project / "pyproject.toml").write_text(f"[tool.vcr-gen]\n{RULES}\n{second}")

    assert main([]) == 2
    assert "pyproject.toml:10:1: VCR110" in (error := capsys.readouterr().err)
    assert "already has a different rule, in line 3" in error


@pytest.mark.parametrize("protocol", ["app.ports:Shop", "app:Offered"])
def test_a_rule_may_be_said_again(project: Path, protocol: str) -> None:
    (project / "src/app/__init__.py").write_text("from app.ports import Shop as Offered\n")
    again = RULES.replace("app.ports:Shop", protocol)
    (project / "pyproject.toml").write_text(f"[tool.vcr-gen]\n{RULES}\n{again}")

    assert main(["-q"]) == 0


def test_a_mark_counts_more_than_a_rule(project: Path) -> None:
    marked = PORTS.replace("class Shop", "@inbound\nclass Shop")
    marked = f"from vcr_gen.boundary import inbound\n{marked}"
    (project / "src/app/ports.py").write_text(marked)
    rule = RULES.split("secret", maxsplit=1)[0]
    (project / "pyproject.toml").write_text(f"[tool.vcr-gen]\n{rule}")

    assert main(["-q"]) == 0
    assert 'direction="inbound"' in (project / "generated/vcr_app/ports.py").read_text()
