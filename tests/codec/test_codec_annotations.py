"""Annotations are evaluated each on its own, as their module means them."""

import sys
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Generic, ParamSpec, Self, TypeVar, Union

import codec_library_models as lib
import codec_models as m
import pytest
from codec_exact import through_json
from typing_extensions import TypeAliasType

from vcr_gen.boundary import Match, Secret, Volatile
from vcr_gen.runtime.codec import Compiler, Registry, resolve_annotations
from vcr_gen.runtime.codec.annotations import Unresolved, without_type_variables

T = TypeVar("T")
B = TypeVar("B", bound=Path)
Q = TypeVar("Q", bound="Path")
R = TypeVar("R", "int", "Path")
C = TypeVar("C", int, str)
P = ParamSpec("P")

NAMES: dict[str, Any] = {
    **vars(typing),
    "Secret": Secret,
    "Volatile": Volatile,
    "Path": Path,
    "m": m,
    "Json": Union[dict[str, "Json"], list["Json"], str, None],  # noqa: F821, UP007
}


def resolved(annotation: Any, late: dict[str, str] | None = None, **names: Any) -> object:
    def function() -> None: ...

    function.__annotations__ = {"x": annotation}
    return resolve_annotations(function, {**NAMES, **names}, late or {})["x"]


CASES: dict[str, tuple[Any, object]] = {
    "object": (int, int),
    "none": (None, type(None)),
    "text": ("int", int),
    "text none": ("None", type(None)),
    "quoted part of a builtin generic": (list["int"], list[int]),
    "quoted part of a typing generic": (typing.List["int"], list[int]),  # noqa: UP006
    "quoted part of a text": ("list['int']", list[int]),
    "union": ("int | None", int | None),
    "union of quoted": (Union["int", "str"], int | str),
    "dotted": ("m.Point", m.Point),
    "optional dotted": ("m.Point | None", m.Point | None),
    "annotated kept": ("Annotated[int, Secret]", Annotated[int, Secret]),
    "annotated inside": (
        "list[Annotated[int, Secret, Volatile]]",
        list[Annotated[int, Secret, Volatile]],
    ),
    "literal": ("Literal['int', 'a b']", typing.Literal["int", "a b"]),
    "unknown name": ("Nope", Unresolved),
    "unknown part": ("list[Nope]", list[Unresolved]),
    "unknown part beside known": ("dict[Nope, int]", dict[Unresolved, int]),
    "unknown generic": ("Nope[int]", Unresolved),
    "unknown generic inside": ("list[Nope[int, str]]", list[Unresolved]),
    "unknown in a union": ("Nope | None", Unresolved | None),
    "unknown dotted": ("m.Nope", Unresolved),
    "unknown module": ("nope.Nope", Unresolved),
    "unknown under a secret": ("Annotated[Nope, Secret]", Annotated[Unresolved, Secret]),
    "unknown dotted under a secret": ("Annotated[m.Nope, Secret]", Annotated[Unresolved, Secret]),
    "not python": ("int int", Unresolved),
    "broken but secret": ("Annotated[list[1 / 0], Secret]", Annotated[Unresolved, Secret]),
    "that raises": ("list[1 / 0]", Unresolved),
    "type variable": (T, Any),
    "type variable bound": (list[B], list[Path]),
    "type variable constraints": (C, int | str),
    "type variable bound in quotes": (list[Q], list[Path]),
    "type variable constraints in quotes": (R, int | Path),
    "type variable in a text": ("list[T]", list[Any]),
    "self outside a class": (Self, Any),
    "callable": (Callable[["int"], "str"], Callable[[int], str]),
    "callable in a text": ("Callable[[int], m.Point]", typing.Callable[[int], m.Point]),
    "callable with any arguments": ("Callable[..., int]", typing.Callable[..., int]),
    "tuple": ("tuple[int, ...]", tuple[int, ...]),
    "tuple empty": ("tuple[()]", tuple[()]),
    "type": ("type[m.Point]", type[m.Point]),
    "user generic": ("m.Box[T]", m.Box[Any]),
}


@pytest.mark.parametrize("name", CASES)
def test_an_annotation_is_evaluated(name: str) -> None:
    annotation, expected = CASES[name]
    found = resolved(annotation, T=T)
    if name.startswith("quoted part of a typing"):
        assert (list, (int,)) == (typing.get_origin(found), typing.get_args(found))
    else:
        assert expected == found


def test_a_word_that_is_known_stays_beside_one_that_is_not() -> None:
    found = resolved("Annotated[int, missing(1), Secret]")
    assert (int, Secret) == typing.get_args(found)[::2]


def test_a_function_in_a_word_knows_the_names_of_its_module() -> None:
    found = resolved("Annotated[int, Match(lambda a, b: m is not None)]", Match=Match)
    assert typing.get_args(found)[1].same(1, 2)


def test_one_unknown_name_does_not_spoil_the_others() -> None:
    def function(a: "Nope", b: "int") -> "list[str]": ...  # noqa: F821

    assert {"a": Unresolved, "b": int, "return": list[str]} == resolve_annotations(function, {}, {})


def test_a_function_knows_the_type_parameters_of_its_class_before_other_names() -> None:
    def call(self: object) -> "list[T]": ...

    parameters = (TypeVar("T", bound=int),)
    event = type("Event", (), {"__type_params__": parameters, "__call__": call})
    found = resolve_annotations(call, {"T": str}, {}, around=event)
    assert list[int] == found["return"]


def test_a_late_import_happens_only_when_its_name_is_used() -> None:
    sys.modules.pop("this_is_late", None)
    late = {"Fraction": "fractions:Fraction", "Gone": "this_is_late:Gone"}
    assert list[__import__("fractions").Fraction] == resolved("list[Fraction]", late)
    assert int is resolved("int", late)


def test_a_late_import_of_a_package_that_is_not_there_is_any() -> None:
    assert list[Unresolved] == resolved("list[Gone]", {"Gone": "this_is_late:Gone"})


def test_a_late_import_can_name_a_nested_class() -> None:
    assert resolved("N", {"N": "codec_library_models:Model.model_fields"}) is lib.Model.model_fields


def test_self_is_the_class() -> None:
    @dataclass
    class Node:
        next: Self | None
        also: "list[Self]"

    found = resolve_annotations(Node, {**NAMES}, {})
    assert {"next": Node | None, "also": list[Node]} == found


def test_an_alias_of_functions_with_any_parameters_is_one_of_functions() -> None:
    spec, result = ParamSpec("spec"), TypeVar("result")
    hook = TypeAliasType("hook", Callable[spec, list[result]], type_params=(spec, result))
    seen: list[object] = []
    compiler = Compiler(registry=Registry(), live=seen.append)
    compiler.codec(without_type_variables(hook[spec, result]))
    assert Callable[..., list[Any]] in seen


def test_a_recursive_alias_compiles() -> None:
    annotation = resolved("Json")
    codec = Compiler(registry=Registry()).codec(annotation)
    value = {"a": [None, {"b": ["c"]}]}
    plain = codec.encode(value)
    assert value == plain == codec.decode(through_json(plain))


def test_a_field_may_have_the_name_of_its_type() -> None:
    codec = Compiler(registry=Registry()).codec(m.Shadow)
    assert codec.encode(m.Shadow(__import__("datetime").date(2026, 1, 1))) == {
        "date": "2026-01-01",
        "other": None,
    }


def test_type_arguments_reach_the_fields_of_bases() -> None:
    class Holder(Generic[T]):
        pass

    @dataclass
    class Base(Holder[T]):
        item: T

    @dataclass
    class Middle(Base[list[T]]):
        pass

    @dataclass
    class Leaf(Middle[Path]):
        pass

    @dataclass
    class Side:
        side: int

    @dataclass
    class Both(Side, Leaf):
        pass

    compiler = Compiler(registry=Registry())
    assert compiler.codec(Leaf).encode(Leaf([Path("a")])) == {"item": ["a"]}
    both = Both([Path("a")], 1)
    assert compiler.codec(Both).encode(both) == {"item": ["a"], "side": 1}


NEW_SYNTAX = """
from dataclasses import dataclass
type Json = dict[str, Json] | list[Json] | str | None
type Pair[A] = tuple[A, A]
@dataclass
class Box[A]:
    item: A
    pair: "Pair[A]"
def function[B: int](x: B, y: "Pair[B]", z: Json) -> "Box[B]": ...
"""

if sys.version_info >= (3, 12):

    def test_new_syntax_for_generics_and_aliases_is_understood() -> None:
        module = types.ModuleType("new_syntax")
        sys.modules["new_syntax"] = module
        exec(NEW_SYNTAX, vars(module))
        found = resolve_annotations(module.function, vars(module), {})
        assert int is found["x"]
        compiler = Compiler(registry=Registry())
        for annotation, value in [
            (found["y"], (1, 2)),
            (found["z"], {"a": [None, {"b": "c"}]}),
            (found["return"], module.Box(1, (2, 3))),
            (module.Box[Path], module.Box(Path("a"), (Path("b"), Path("c")))),
        ]:
            codec = compiler.codec(annotation)
            plain = codec.encode(value)
            assert "$type" not in repr(plain)
            assert value == codec.decode(through_json(plain))
