import random

import black
import pytest
from black.mode import Mode, TargetVersion
from mini_project import Project
from stable_texts import MODULE, damaged, grown

from vcr_gen.gen.rendering.stable import is_stable
from vcr_gen.gen.runs.pipeline import generate
from vcr_gen.gen.settings.config_file import load_config


def _blackened(text: str, width: int) -> str | None:
    mode = Mode(line_length=width, target_versions={TargetVersion.PY311})
    try:
        return black.format_str(text, mode=mode)
    except (black.parsing.InvalidInput, AssertionError):
        return None


def test_the_layout_of_our_templates_is_recognised_and_black_agrees() -> None:
    assert is_stable(MODULE, 100)
    assert _blackened(MODULE, 100) == MODULE


@pytest.mark.parametrize("width", [79, 88, 100, 120])
def test_what_is_generated_needs_no_black_at_any_usual_length_of_line(
    project: Project, width: int
) -> None:
    project.replace("src/app/ports.py", "class StepRunner", "class Http2_Runner")
    generation = generate(load_config(project.root, settings=[f"line-length={width}"]))
    assert generation.diagnostics == ()
    for text in generation.files.values():
        assert is_stable(text, width)
        assert _blackened(text, width) == text


@pytest.mark.parametrize("seed", range(4))
def test_what_is_called_stable_is_stable_after_any_accident(seed: int) -> None:
    choose = random.Random(seed)
    recognised = 0
    while recognised < 40:
        text = damaged(choose, MODULE)
        if is_stable(text, 100):
            recognised += 1
            # What is not Python any more is refused elsewhere; layout is all that counts here.
            assert _blackened(text, 100) in {text, None}


@pytest.mark.parametrize("width", [79, 88, 100, 120])
def test_what_is_called_stable_is_stable_at_any_length_of_line(width: int) -> None:
    choose = random.Random(width)
    recognised = 0
    for _ in range(150):
        text = grown(choose, width)
        if is_stable(text, width):
            recognised += 1
            assert _blackened(text, width) == text
    assert recognised > 5


@pytest.mark.parametrize(
    "text",
    [
        "x = (1)\n",
        "x = [1, 2,]\n",
        "x = 'a'\n",
        "x  = 1\n",
        "x=1\n",
        "f( a)\n",
        "f(a = 1)\n",
        "def f(a=1)->int: ...\n",
        "def f(a: int=1) -> int: ...\n",
        "def f() -> None:\n    ...\n",
        "return(x)\n",
        "x = 0XFF\n",
        "x = 1.\n",
        "x = U'a'\n",
        "x = 1;\n",
        "import a\nx = 1\n",
        "class A:\n\n    x: int\n",
        "class A:\n    '''Doc.'''\n",
        'class A:\n    """ Doc."""\n',
        'class A:\n    """Doc. """\n',
        'class A:\n    """Doc.\n  less\n    """\n',
        'class A:\n    """Doc.\n    more. """\n',
        'class A:\n    """Doc.\n\n    """\n',
        "f(\n    a\n)\n",
        "f(\n    a, b,\n)\n",
        "if x:\n    def f() -> None: ...\n",
        "x = 1\n\n\n\ny = 2\n",
        "x = 1",
        "x = 1\n\n",
        "\tx = 1\n",
        "# a comment in the middle\nx = 1\n#another\n",
    ],
)
def test_what_black_changes_or_we_do_not_know_is_not_called_stable(text: str) -> None:
    assert not is_stable(text, 100)
