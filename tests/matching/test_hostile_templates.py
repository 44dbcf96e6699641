"""Whatever a template says, it reaches nothing and gives a plain value or our own error."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from template_tapes import fetched

from vcr_gen.errors import CassetteTemplateError
from vcr_gen.runtime.extras.template_rendering import RenderError, parse_template, render_template
from vcr_gen.runtime.plain import check_plain

_HOSTILE = {
    "an attribute": "{{ args.key.__class__ }}",
    "an attribute by index": "{{ args.key['__class__'] }}",
    "an attribute of a function": "{{ now.__globals__ }}",
    "an attribute without underscores": "{{ now.func_globals }}",
    "a method": "{{ args.key.format(1) }}",
    "a method by filter": "{{ args.key|attr('upper') }}",
    "a loop": "{% for i in args.key %}{{ i }}{% endfor %}",
    "a range": "{{ range(1000000000) }}",
    "a loop over a range": "{% for i in range(10**9) %}x{% endfor %}",
    "a product": "{{ 'x' * 1000000000 }}",
    "a power": "{{ 9 ** 9 ** 9 }}",
    "a format": "{{ '%999999999d' % 1 }}",
    "a recursive macro": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "an include": "{% include '/etc/passwd' %}",
    "an import": "{% import 'os' as os %}",
    "an extension": "{% extends '/etc/passwd' %}",
    "an assignment": "{% set x = args.key %}{{ x }}",
    "nested lists as text": "{{ [['\\\\'] ~ ''] ~ '' }}",
    "a call with a star": "{{ now(**args.options) }}",
    "a lipsum": "{{ lipsum.__globals__ }}",
    "a cycler": "{{ cycler.__init__.__globals__.os }}",
    "itself": "{{ self._TemplateReference__context }}",
    "a filter of jinja": "{{ args.key|center(1000000000) }}",
    "many brackets": "{{ " + "(" * 4000 + "1" + ")" * 4000 + " }}",
    "many nots": "{{ " + "not " * 2400 + "1 }}",
    "many steps": "{{ args" + ".a" * 4000 + " }}",
    "a broken one": "{{ 1 +",
    "a function": "{{ now }}",
    "a function in a text": "at {{ uuid or 1 }}",
    "an infinite number": "{{ 1e999 }}",
    "half a character": "{{ '\\ud800' }}",
    "half a character in a text": "a {{ '\\ud800' }}",
    "a name that is not there": "{{ arg.key }}",
    "an argument that is not there": "{{ args.kee }}",
    "a sum of different things": "{{ args.key + 1 }}",
    "an unknown option": "{{ now(years=1) }}",
    "a far moment": "{{ now(days=99999999999999) }}",
    "a huge number": "{{ " + "9" * 9000 + " }}",
    "a huge number from text": "{{ '" + "9" * 9000 + "'|int }}",
}


@pytest.mark.parametrize("case", _HOSTILE)
def test_a_hostile_template_only_gives_our_own_error(tmp_path: Path, case: str) -> None:
    text = "'" + _HOSTILE[case].replace("'", "''") + "'"

    with pytest.raises(CassetteTemplateError) as refused:
        fetched(tmp_path, text)

    assert str(refused.value).startswith(f"{tmp_path}/tape.yaml:4: the template ")


_WORDS = """
{{ }} {% %} args now uuid() counter() .a .__class__ ['a'] [0] [0:1] |upper |int |string |length
|default(1) |tojson if else endif for in + - * ** ~ % == and or not is ( ) 1 1e309 'x' none true
set x = raw endraw macro with call filter | loop self { } [ ] , : range(9)
"""


def test_whatever_a_template_says_it_gives_a_plain_value_or_our_own_error() -> None:
    random = Random(11)
    names: dict[str, Any] = {"now": str, "uuid": str, "counter": int, "args": None}
    context = {**names, "args": {"a": "A", "l": [1], "d": {"a": None}}}
    made = refused = 0
    for _ in range(1_500):
        text = " ".join(random.choices(_WORDS.split(), k=random.randint(1, 6)))
        try:
            check_plain(render_template(parse_template(f"{{{{ {text} }}}}", names), context))
            made += 1
        except RenderError:
            refused += 1

    assert min(made, refused) > 20
