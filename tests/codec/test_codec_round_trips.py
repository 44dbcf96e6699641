"""Every value comes back equal and of exactly its own type."""

from dataclasses import dataclass
from typing import Annotated

import pytest
from codec_exact import identical, round_trip
from codec_matrix import MATRIX
from codec_models import Movie

from vcr_gen.runtime.codec import Compiler, Registry, same

SHARED = Compiler(registry=Registry())


@pytest.mark.parametrize("name", MATRIX)
def test_value_comes_back_exactly(name: str) -> None:
    annotation, value = MATRIX[name]
    back = round_trip(annotation, value)
    assert identical(value, back), f"{value!r} came back as {back!r}"


@pytest.mark.parametrize("name", MATRIX)
def test_value_comes_back_exactly_under_any(name: str) -> None:
    _, value = MATRIX[name]
    back = round_trip(object, value, SHARED)
    assert identical(value, back), f"{value!r} came back as {back!r}"


@pytest.mark.parametrize("name", MATRIX)
def test_encoding_a_value_twice_gives_the_same_plain(name: str) -> None:
    annotation, value = MATRIX[name]
    codec = SHARED.codec(annotation)
    plain = codec.encode(value)
    assert same(plain, codec.encode(codec.decode(plain)))


def test_the_matrix_has_at_least_180_cases() -> None:
    assert len(MATRIX) >= 180


def test_a_typed_dict_keeps_the_order_of_its_keys() -> None:
    """A program that writes it as JSON writes the same text."""
    back = round_trip(Movie, {"year": 1927, "title": "Metropolis"})
    assert isinstance(back, dict)
    assert list(back) == ["year", "title"]


@dataclass(init=False)
class Defaulted:
    size: int = 0

    def __init__(self, text: str) -> None:
        self.size = len(text)


def test_an_attribute_equal_to_the_default_of_its_class_is_set() -> None:
    back = round_trip(Defaulted, Defaulted(""))
    assert vars(back) == {"size": 0}


def test_one_type_may_be_in_a_union_under_several_words_of_others() -> None:
    annotation = Annotated[int, "first"] | Annotated[int, "second"] | str
    assert [round_trip(annotation, value) for value in (1, "1")] == [1, "1"]
