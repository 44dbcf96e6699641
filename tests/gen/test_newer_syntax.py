"""Syntax that is newer than the running Python, read by the quick way and by the thorough one."""

import ast

import pytest

from vcr_gen.gen.sources import newer_syntax
from vcr_gen.gen.sources.newer_syntax import parse_newer
from vcr_gen.gen.sources.syntax import Parsed

HEADERS = '''\
"""How to write one:

class Example[T](Protocol):
    def run[S](self) -> S: ...
"""

type Plain = int
type Pair[A, *Rest, **Spec] = tuple[A, *Rest]


class Box[T: (int, "list[str]"), U: dict[str, int] = dict[str, int]](Protocol):
    """Boxed: `type X[T] = T`."""

    type Inner = T

    def get(self) -> T: ...

    @decorated  # [
    async def mapped[  # brackets over ] several lines
        R,
        *Ts = *tuple[int, ...],
        **P = [int, str],
    ](self, *values: *Ts) -> R:
        """Maps."""
        yield 1
'''
MORE = """

def outer(name: str = f"{x["a"]}") -> None:
    @decorated
    def inner(value):
        return value

    return inner
"""


def names(parsed: Parsed) -> dict[str, list[str]]:
    """The type parameters of every statement that has a name."""
    found = {}
    for node in ast.walk(parsed.tree):
        if isinstance(node, ast.stmt) and (parameters := parsed.type_parameters(node)):
            name = getattr(node, "name", None) or ast.unparse(node.targets[0])
            found[name] = [
                " ".join(
                    [
                        one.kind,
                        one.name,
                        *(ast.unparse(part) for part in (one.bound, one.default) if part),
                    ]
                )
                for one in parameters
            ]
    return found


@pytest.mark.parametrize("text", [HEADERS, HEADERS + MORE], ids=["headers", "more than headers"])
def test_type_parameters_are_read_with_their_bounds_and_defaults(text):
    assert names(parse_newer(text)) == {
        "Pair": ["TypeVar A", "TypeVarTuple Rest", "ParamSpec Spec"],
        "Box": ["TypeVar T (int, 'list[str]')", "TypeVar U dict[str, int] dict[str, int]"],
        "mapped": ["TypeVar R", "TypeVarTuple Ts *tuple[int, ...]", "ParamSpec P [int, str]"],
    }


def test_what_looks_like_a_header_in_a_docstring_stays_as_it_is():
    parsed = parse_newer(HEADERS)
    box = next(node for node in ast.walk(parsed.tree) if isinstance(node, ast.ClassDef))
    assert "class Example[T](Protocol):\n    def run[S](self) -> S: ..." in ast.get_docstring(
        parsed.tree
    )
    assert ast.get_docstring(box) == "Boxed: `type X[T] = T`."


def test_a_docstring_that_opens_brackets_and_does_not_close_them_hides_nothing():
    text = '"""\nclass A[\n"""\ntype X = int\nx = [1]\n"""]"""\ny = 2\n'
    parsed = parse_newer(text)
    assert ast.get_docstring(parsed.tree, clean=False) == "\nclass A[\n"
    assert [ast.unparse(node) for node in parsed.tree.body[1:]] == [
        "X = int",
        "x = [1]",
        "']'",
        "y = 2",
    ]


def test_statements_keep_their_places():
    whole = newer_syntax._parse_wholly(HEADERS)
    quick = newer_syntax._parse_headers(HEADERS)
    assert quick is not None
    assert quick.masked.keys() == whole.masked.keys()
    assert [(node.lineno, node.col_offset) for node in quick.tree.body] == [
        (node.lineno, node.col_offset) for node in whole.tree.body
    ]


def test_a_type_statement_is_told_from_an_assignment():
    parsed = parse_newer("type X = int\nY = int\n")
    assert [parsed.is_type_statement(node) for node in parsed.tree.body] == [True, False]


def test_a_body_that_begins_with_a_decorator_is_no_obstacle():
    assert [node.name for node in parse_newer(HEADERS + MORE).tree.body[-1:]] == ["outer"]


@pytest.mark.parametrize("text", ["class A[T:\n", "def f[T](:\n    ...\n", "type X\n", "a b\n"])
def test_what_is_wrong_for_every_python_is_a_syntax_error(text):
    with pytest.raises(SyntaxError):
        parse_newer(text)


def test_an_f_string_as_a_default_is_none_that_can_be_said_again():
    [function] = parse_newer(MORE).tree.body
    assert isinstance(function.args.defaults[0], ast.JoinedStr)
