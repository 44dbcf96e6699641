"""Classes are found by name among those already loaded."""

import gc
from dataclasses import dataclass
from typing import Any

import codec_models as m

from vcr_gen.runtime.codec import Compiler, Registry


def local_class(number: int) -> Any:
    @dataclass(slots=True)
    class Local:
        n: int

    return Local(number)


def test_a_class_inside_a_function_is_found() -> None:
    value = local_class(1)
    codec = Compiler(registry=Registry()).codec(object)
    assert codec.decode(codec.encode(value)) == value


def test_of_classes_with_one_name_the_youngest_is_meant() -> None:
    older = local_class(1)
    younger = local_class(1)
    codec = Compiler(registry=Registry()).codec(object)
    assert type(codec.decode(codec.encode(younger))) is type(younger)
    assert type(older) is not type(younger)


def test_a_nested_class_is_found() -> None:
    codec = Compiler(registry=Registry()).codec(object)
    plain = codec.encode(m.Outer.Inner(1))
    assert plain == {"$type": "codec_models.Outer.Inner", "n": 1}
    assert codec.decode(plain) == m.Outer.Inner(1)


def test_a_class_that_is_gone_is_not_found() -> None:
    value = local_class(1)
    plain = Compiler(registry=Registry()).codec(object).encode(value)
    del value
    gc.collect()
    found = [cls for cls in object.__subclasses__() if cls.__qualname__ == plain["$type"]]
    assert not found
