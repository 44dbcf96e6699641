"""Type parameters are read by Pythons that cannot parse them; other newer syntax is refused."""

import ast

import pytest

from vcr_gen.gen.sources.syntax import Parsed
from vcr_gen.gen.sources.type_parameters import parse_masked

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


def read(text: str) -> Parsed:
    masked = parse_masked(text)
    assert masked is not None
    return Parsed(masked.tree, masked.text, masked.parameters)


def test_type_parameters_are_read_with_their_bounds_and_defaults():
    assert names(read(HEADERS)) == {
        "Pair": ["TypeVar A", "TypeVarTuple Rest", "ParamSpec Spec"],
        "Box": ["TypeVar T (int, 'list[str]')", "TypeVar U dict[str, int] dict[str, int]"],
        "mapped": ["TypeVar R", "TypeVarTuple Ts *tuple[int, ...]", "ParamSpec P [int, str]"],
    }


def test_what_looks_like_a_header_in_a_docstring_stays_as_it_is():
    parsed = read(HEADERS)
    box = next(node for node in ast.walk(parsed.tree) if isinstance(node, ast.ClassDef))
    assert "class Example[T](Protocol):\n    def run[S](self) -> S: ..." in ast.get_docstring(
        parsed.tree
    )
    assert ast.get_docstring(box) == "Boxed: `type X[T] = T`."


def test_a_docstring_that_opens_brackets_and_does_not_close_them_hides_nothing():
    text = '"""\nclass A[\n"""\ntype X = int\nx = [1]\n"""]"""\ny = 2\n'
    parsed = read(text)
    assert ast.get_docstring(parsed.tree, clean=False) == "\nclass A[\n"
    assert [ast.unparse(node) for node in parsed.tree.body[1:]] == [
        "X = int",
        "x = [1]",
        "']'",
        "y = 2",
    ]


def test_what_follows_type_parameters_keeps_its_place():
    lines = HEADERS.splitlines()
    for node in ast.walk(read(HEADERS).tree):
        if isinstance(node, ast.arg) or (
            isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        ):
            there = lines[node.lineno - 1][node.col_offset :]
            assert there.startswith(ast.unparse(node).partition(":")[0])


def test_a_type_statement_is_told_from_an_assignment():
    parsed = read("type X = int\nY = int\n")
    assert [parsed.is_type_statement(node) for node in parsed.tree.body] == [True, False]


@pytest.mark.parametrize(
    "text",
    [
        "class A[T:\n",
        "class A[1]: ...\n",
        "def f[T](:\n    ...\n",
        "type X\n",
        "a b\n",
        'f"{x["a"]}"\n',
    ],
)
def test_other_text_that_cannot_be_parsed_is_not_masked(text):
    assert parse_masked(text) is None
