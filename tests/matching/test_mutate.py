"""`vcr-gen cassette mutate`: which alterations a test lets through, told from real runs."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from vcr_gen.cli import main
from vcr_gen.runtime.tape.recording import Reading
from vcr_gen.tapes.alterations import altered, another, find_sites, sample

HEAD = 'vcr-gen: 1\nrecorded_at: "2026-11-16T00:00:00+00:00"\n'
EVENTS = """\
- call: 1
  of: Shop.order
  at: 0.0
  args:
    order:
      name: tea
      lines:
      - {count: 1, note: null}
      - {count: 2, note: null}
      tags: []
    body: '{"id": 7, "items": [{"sku": "a"}]}'
    who: {$handle: 3}
    odd: {$items: [[1, x]]}
  took: 0.0
  returned: fed, not compared
- call: 2
  of: desk.ask
  inbound: true
  at: 0.0
  args:
    question: fed
  took: 0.0
  returned: {text: "yes", exact: true}
- call: 3
  of: Shop.talk
  at: 0.0
- sent: 3
  at: 0.0
  value: hello
end:
  events: 4
"""

TEST = """
import os, sys
from typing import Annotated, Protocol

from vcr_gen import Cassette, Rule
from vcr_gen.boundary import Volatile
from vcr_gen.runtime import Boundary, Call, OutboundWrapper, event


@event
class ShopOrder(Call):
    name: str
    trace: Annotated[str, Volatile]
    body: str

    def __call__(self, target: object) -> str:
        return target.order(self.name, self.trace, self.body)


class VcrShop(OutboundWrapper[object]):
    def order(self, name, trace, body):
        return self._port.call(ShopOrder(name=name, trace=trace, body=body))


SHOP = Boundary(
    "Shop",
    direction="outbound",
    protocol="nowhere:Shop",
    wrapper=VcrShop,
    calls={"order": ShopOrder},
)


class Real:
    def order(self, name, trace, body):
        return "ok"


RULES = [Rule("Shop.order", "body.$json.id", Volatile)]


def session(mode):
    with Cassette("tape.yaml", mode, rules=RULES) as cassette:
        shop = VcrShop(cassette=cassette, inner=Real() if cassette.calls_real else None)
        for name in ("tea", "milk"):
            assert shop.order(name, "t", '{"id": 1, "sku": "a"}') == "ok"


def test_orders():
    session(os.environ.get("MODE", "none"))


def test_something_else():
    pass


if __name__ == "__main__":
    test_orders()
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A test of one's own that has been recorded."""
    (tmp_path / "test_shop.py").write_text(TEST, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # our own tools are slow to load
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "test_shop", raising=False)
    import test_shop

    test_shop.session("all")
    return tmp_path


def mutate(*arguments: str, test: str = "") -> int:
    """The exit code, with one test of pytest's, or else with the same test as a program."""
    command = [sys.executable, "test_shop.py"]
    if test:
        command = [sys.executable, "-m", "pytest", "-q", f"test_shop.py::{test}"]
    return main(["cassette", "mutate", "tape.yaml", *arguments, "--", *command])


def test_what_rules_and_markers_let_through_is_told_field_by_field(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (project / "tape.yaml").read_bytes()

    assert mutate("-j", "2") == 1

    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "noticed      2 of 2  Shop.order name",
        "not noticed  2 of 2  Shop.order trace           Shop.order trace: volatile",
        "not noticed  2 of 2  Shop.order body.$json.id   Shop.order body.$json.id: volatile",
        "noticed      2 of 2  Shop.order body.$json.sku",
    ]
    assert err == "8 alterations of 4 fields: 4 noticed, 4 not\n"
    assert (project / "tape.yaml").read_bytes() == before
    assert sorted(path.name for path in project.iterdir() if path.suffix == ".yaml") == [
        "tape.yaml"
    ]


def test_the_document_has_every_alteration_that_was_not_noticed(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODE", "all")  # even so, nothing is recorded

    assert mutate("--output-format=json", "--limit", "4") == 1

    document = json.loads(capsys.readouterr().out)
    assert (document["compared_values"], document["alterations"]) == (8, 4)
    assert document["fields"][1] == {
        "method": "Shop.order",
        "path": "trace",
        "alterations": 1,
        "noticed": 0,
        "because": ["Shop.order trace: volatile"],
        "not_noticed": [{"path": "trace", "event": 1, "line": 13, "recorded": "t", "altered": "u"}],
    }


def test_all_noticed_is_fine(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert mutate("--limit", "1", test="test_orders") == 0
    assert not (project / ".pytest_cache").exists()

    assert "1 alteration (of 8; --limit tries more) of 1 field: 1 noticed, 0 not" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("arguments", "test", "words"),
    [
        ([], "test_something_else", "the command never replays tape.yaml"),
        ([], "test_missing", "the test must pass before anything is altered; it ended with 4"),
        (["--limit", "0"], "test_orders", "--limit and --jobs must be at least 1"),
    ],
)
def test_a_test_that_cannot_tell_is_a_usage_error(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    test: str,
    words: str,
) -> None:
    assert mutate(*arguments, test=test) == 2

    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "hint: vcr-gen cassette mutate CASSETTE -- pytest"),
        (["--", "no-such-command"], "no-such-command: command not found"),
    ],
)
def test_a_command_that_is_not_there_is_a_usage_error(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert main(["cassette", "mutate", "tape.yaml", *arguments]) == 2

    assert words in capsys.readouterr().err


def _tape(tmp_path: Path) -> Path:
    path = tmp_path / "tape.yaml"
    path.write_text(f"{HEAD}events:\n{EVENTS}", encoding="utf-8")
    return path


def test_every_value_that_the_program_says_is_a_site(tmp_path: Path) -> None:
    with Reading(_tape(tmp_path)) as reading:
        sites = list(find_sites(reading, reading.path))

    assert [(site.of, site.path.text, site.value) for site in sites] == [
        ("Shop.order", "order.name", "tea"),
        ("Shop.order", "order.lines[0].count", 1),
        ("Shop.order", "order.lines[0].note", None),
        ("Shop.order", "order.lines[1].count", 2),
        ("Shop.order", "order.lines[1].note", None),
        ("Shop.order", "order.tags", []),
        ("Shop.order", "body.$json.id", 7),
        ("Shop.order", "body.$json.items[0].sku", "a"),
        ("Shop.order", "odd[1]", "x"),
        ("desk.ask", "$result.text", "yes"),
        ("desk.ask", "$result.exact", True),
        ("Shop.talk", "$sent", "hello"),
    ]


def test_an_altered_entry_differs_in_that_place_alone(tmp_path: Path) -> None:
    with Reading(_tape(tmp_path)) as reading:
        entries = list(reading)
        sites = list(find_sites(reading, reading.path))

    for site in sites:
        before = entries[site.entry].data
        after = altered(site, before)
        assert before != after
        assert [key for key in before if before[key] != after[key]] == [site.part]
        assert list(before) == list(after)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-11-16T12:00:09Z", "2026-11-16T12:00:09G"),
        ("6f1e-99", "6f1e-90"),
        ("deadbeef", "deadbeea"),
        ("tea!", "teb!"),
        ("größe!?", "größf!?"),
        ("", "x"),
        ("…", "…x"),
        (True, False),
        (1, 2),
        (2**63 - 1, 2**63 - 2),
        (1.5, 2.5),
        (None, "altered"),
        ([], [None]),
        ({}, {"altered": None}),
    ],
)
def test_another_value_is_of_the_same_kind(value: Any, expected: Any) -> None:
    assert expected == another(value)


def test_a_sample_has_every_field_and_is_the_same_each_time(tmp_path: Path) -> None:
    with Reading(_tape(tmp_path)) as reading:
        sites = list(find_sites(reading, reading.path))

    chosen = sample(sites, 10)

    assert chosen == sample(sites, 10)
    assert len({(site.of, site.field) for site in sites}) == 10
    assert len({(site.of, site.field) for site in chosen}) == 10
    assert len(sample(sites, 3)) == 3
    assert sorted(sample(sites, 99), key=sites.index) == sites
