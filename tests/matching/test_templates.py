"""Templates are rendered where the environment speaks, and nowhere else."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from market.ports import Answer, Line, Order
from market_sessions import NOON, RealMarket
from tape_data import read_tape
from template_tapes import fetched, tape
from vcr_market import VcrDesk, VcrMarket

from vcr_gen import Cassette, Driver
from vcr_gen.boundary import Codec
from vcr_gen.cli import main
from vcr_gen.errors import CassetteTemplateError, DecodeError
from vcr_gen.runtime.codec import Compiler


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ('"{{ args.key }}"', "a"),
        ('"<{{ args.key[0] }} {{ args.options.x }}>"', "<a 5>"),
        ("\"{{ args['options']['items'] }}.\"", "6."),
        ("plain text", "plain text"),
        ("|\n    two\n    {{ args.key }}", "two\na\n"),
    ],
)
def test_a_template_is_rendered_for_the_live_call(
    tmp_path: Path, template: str, expected: str
) -> None:
    assert expected == fetched(tmp_path, template)


def test_moments_and_identities_are_new_each_time(tmp_path: Path) -> None:
    first, second = (fetched(tmp_path, '"{{ uuid() }} {{ now() }}"') for _ in range(2))

    assert first != second
    UUID(first.split()[0])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00", first.split()[1])
    before = int(fetched(tmp_path, '" {{ timestamp(days=-1) | int }}"'))
    after = int(fetched(tmp_path, '" {{ timestamp(days=1) | int }}"'))
    assert 0 <= after - before - 2 * 86_400 < 60
    assert re.fullmatch(r"\d{4}", fetched(tmp_path, "\"{{ now(format='%Y') }}\""))


def test_an_expression_has_its_own_type_and_must_fit_the_declared_one(tmp_path: Path) -> None:
    args = ["args:", "  order:", "    lines: []", '    placed: "2026-11-16T12:00:00+00:00"']
    args += ['    sent: "2026-11-16T12:00:00+00:00"', "    notes: {}", '  trace: ""']

    def placed(template: str) -> int:
        path = tape(tmp_path, "Market.place", *args, f"returned: !template {template}")
        with Cassette(path, "none", templates=True) as cassette:
            market = VcrMarket.attach(cassette, RealMarket)
            return market.place(Order([], NOON, NOON))

    assert placed('"{{ 42 }}"') == 42
    assert placed('"{{ timestamp() | int }}"') > 1_700_000_000
    with pytest.raises(DecodeError, match="expected int"):
        placed('"42"')


class Clerk:
    def __init__(self) -> None:
        self.asked: list[str] = []

    def ask(self, question: str) -> Answer:
        self.asked.append(question)
        return Answer("yes", 0.0)


def test_the_arguments_of_an_inbound_call_are_rendered(tmp_path: Path) -> None:
    answer = ["returned:", '  text: "yes"', "  took: 0.0"]
    path = tape(
        tmp_path,
        "Desk.ask",
        "inbound: true",
        "args:",
        '  question: !template "no {{ 1 }}"',
        *answer,
    )
    clerk = Clerk()

    with Cassette(path, "none", templates=True) as cassette:
        Driver(cassette, VcrDesk(cassette=cassette, inner=clerk)).run_sync()

    assert clerk.asked == ["no 1"]


def test_items_and_exceptions_are_rendered_in_jsonl_too(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    path.write_text(
        '{"vcr-gen":1,"recorded_at":"2026-11-16T00:00:00+00:00"}\n'
        '{"call":1,"of":"Market.haggle","at":0.0}\n'
        '{"item":1,"at":0.0,"value":{"$template":"{{ 1 }}"}}\n'
        '{"item":1,"at":0.0,"value":{"$template":"{{ 2 }}"}}\n'
        '{"end":1,"at":0.0,"raised":{"$type":"ValueError",'
        '"args":[{"$template":"no {{ 3 }}"}]}}\n'
        '{"end":{"events":4}}\n',
        encoding="utf-8",
    )

    with Cassette(path, "none", templates=True) as cassette:
        talk = VcrMarket.attach(cassette, RealMarket).haggle()
        assert [next(talk), next(talk)] == [1, 2]
        with pytest.raises(ValueError, match="no 3"):
            next(talk)


def test_a_template_is_refused_with_its_line_unless_allowed(tmp_path: Path) -> None:
    path = tape(tmp_path, "Market.fetch", "args:", "  key: a", 'returned: !template "{{ uuid() }}"')

    with pytest.raises(CassetteTemplateError) as refused:
        Cassette(path, "none")

    assert f"{path}:4: the value is a template" in str(refused.value)
    assert "hint: if you trust the file, open it with Cassette(..., templates=True)" in str(
        refused.value
    )


@pytest.mark.parametrize(
    "lines",
    [
        ("Market.fetch", "args:", '  key: !template "{{ uuid() }}"', "returned: a"),
        ("Desk.ask", "inbound: true", "args:", "  question: a", 'returned: !template "x"'),
    ],
)
def test_a_template_is_refused_where_the_program_is_compared(
    tmp_path: Path, lines: tuple[str, ...]
) -> None:
    path = tape(tmp_path, *lines)

    with pytest.raises(
        CassetteTemplateError, match=r":4: .*compared with the program's(.|\n)*Rule\("
    ):
        Cassette(path, "none", templates=True)


def test_text_that_only_looks_like_a_template_is_text(tmp_path: Path) -> None:
    path = tape(tmp_path, "Market.fetch", "args:", "  key: a", 'returned: "!template {{ x }}"')

    with Cassette(path, "none") as cassette:
        answer = VcrMarket.attach(cassette, RealMarket).fetch("a")

    assert answer == "!template {{ x }}"


def test_what_a_program_says_never_becomes_a_template() -> None:
    said = {"$template": "{{ uuid() }}"}
    codec = Compiler().codec(_annotated(Codec(lambda _: said, lambda heard: heard)))

    stored = codec.encode(Line("a", 1))

    assert stored == {"$items": [["$template", "{{ uuid() }}"]]}
    assert codec.decode(stored) == said


def _annotated(word: object) -> Any:
    from typing import Annotated

    return Annotated[Line, word]


def test_templates_go_through_both_formats_without_loss(tmp_path: Path) -> None:
    path = tape(
        tmp_path,
        "Market.fetch",
        "args:",
        "  key: a",
        "returned:",
        '- !template "{{ x }}"',
        "- !template |",
        "  two",
        "  lines",
        "- [!template a, !template '']",
    )
    there, back = tmp_path / "there.jsonl", tmp_path / "back.yaml"

    assert main(["cassette", "convert", str(path), str(there)]) == 0
    assert main(["cassette", "convert", str(there), str(back)]) == 0

    texts = ["{{ x }}", "two\nlines\n"], ["a", ""]
    expected = [*({"$template": text} for text in texts[0])]
    expected.append([{"$template": text} for text in texts[1]])
    for each in (path, there, back):
        assert [entry["returned"] for entry in read_tape(each)] == [expected]
    assert "!template |\n" in back.read_text(encoding="utf-8")


def test_without_jinja2_the_error_says_what_to_install(tmp_path: Path) -> None:
    path = tape(tmp_path, "Market.fetch", "args:", "  key: a", 'returned: !template "x"')
    script = (
        "import sys; sys.modules['jinja2'] = None\n"
        "from vcr_gen import Cassette\n"
        f"Cassette({str(path)!r}, 'none', templates=True)\n"
    )

    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )

    assert 'hint: pip install "vcr-gen[gen]"' in run.stderr


def test_a_replay_without_templates_never_imports_jinja2(tmp_path: Path) -> None:
    path = tape(tmp_path, "Market.fetch", "args:", "  key: a", "returned: a")
    script = (
        "import sys\nfrom vcr_gen import Cassette\n"
        f"Cassette({str(path)!r}, 'none', templates=True)\n"
        "assert not any(name.startswith('jinja2') for name in sys.modules)\n"
    )

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
