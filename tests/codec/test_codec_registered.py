"""Types that are stored as their user says: by a marker, or registered."""

from datetime import date
from typing import Annotated, Any

import codec_models as m
import pytest
from codec_marked import COMPILER

from vcr_gen.boundary import Codec
from vcr_gen.errors import DecodeError, EncodeError
from vcr_gen.runtime.codec import Compiler, Registry


def test_a_codec_marker_stores_what_the_user_says() -> None:
    annotation = list[
        Annotated[m.Opaque, Codec(lambda o: {"n": o.secret}, lambda p: m.Opaque(p["n"]))]
    ]
    codec = COMPILER.codec(annotation)
    assert codec.encode([m.Opaque(3)]) == [{"n": 3}]
    assert [m.Opaque(3)] == codec.decode([{"n": 3}])


@pytest.mark.parametrize(
    "stored",
    [
        b"\xff",
        (1, b"x"),
        {"n": b"\xff"},
        {"on": date(2024, 1, 1)},
        {1: {2, 3}},
        {"$type": "x"},
        None,
    ],
)
def test_what_a_codec_marker_makes_may_be_anything_the_codec_knows(stored: object) -> None:
    def decode(given: object) -> m.Opaque:
        assert given == stored
        assert type(given) is type(stored)
        return m.Opaque(3)

    codec = COMPILER.codec(Annotated[m.Opaque, Codec(lambda _: stored, decode)])
    assert m.Opaque(3) == codec.decode(codec.encode(m.Opaque(3)))
    registry = Registry()
    registry.register(m.Opaque, lambda _: stored, decode)
    registered = Compiler(registry=registry).codec(m.Opaque)
    assert registered.encode(m.Opaque(3)) == codec.encode(m.Opaque(3))


def test_what_a_codec_marker_makes_must_be_something_the_codec_knows() -> None:
    codec = COMPILER.codec(Annotated[m.Opaque, Codec(lambda _: {"n": m.Connection()}, lambda p: p)])
    with pytest.raises(EncodeError) as caught:
        codec.encode(m.Opaque(3))
    assert caught.value.path == "$.n.lock"


def test_an_error_in_a_users_codec_is_ours() -> None:
    codec = COMPILER.codec(Annotated[m.Opaque, Codec(lambda o: 1 / 0, lambda p: 1 / 0)])
    with pytest.raises(EncodeError, match="ZeroDivisionError"):
        codec.encode(m.Opaque(3))
    with pytest.raises(DecodeError, match="ZeroDivisionError"):
        codec.decode(1)


def test_a_registered_type_is_stored_under_its_name() -> None:
    registry = Registry()
    registry.register(
        m.Opaque, lambda o: {o.secret: (1, 2)}, lambda d: m.Opaque(next(iter(d))), name="opaque"
    )
    compiler = Compiler(registry=registry)
    codec = compiler.codec(list[object])
    plain = codec.encode([m.Opaque(3)])
    assert plain[0]["$type"] == "opaque"
    assert [m.Opaque(3)] == codec.decode(plain)


@pytest.mark.parametrize("annotation", [m.Opaque, m.Opaque | None, m.Opaque | int | str, Any])
def test_a_registered_type_works_under_every_annotation(annotation: Any) -> None:
    registry = Registry()
    registry.register(m.Opaque, lambda o: o.secret, m.Opaque)
    codec = Compiler(registry=registry).codec(annotation)
    assert m.Opaque(3) == codec.decode(codec.encode(m.Opaque(3)))


def test_a_type_registered_later_is_known_to_new_codecs() -> None:
    registry = Registry(declared_only=True)
    compiler = Compiler(registry=registry)
    with pytest.raises(EncodeError):
        compiler.codec(object).encode(m.Opaque(3))
    registry.register(m.Opaque, lambda o: o.secret, m.Opaque)
    codec = compiler.codec(object)
    assert m.Opaque(3) == codec.decode(codec.encode(m.Opaque(3)))


def test_two_types_cannot_be_registered_under_one_name() -> None:
    registry = Registry()
    registry.register(m.Opaque, lambda o: o.secret, m.Opaque, name="x")
    with pytest.raises(ValueError, match="already registered"):
        registry.register(m.Point, str, lambda _: m.Point(1, 2), name="x")


def test_a_known_class_may_be_named_where_any_class_is_accepted() -> None:
    registry = Registry()
    registry.known(m.Opaque)
    codec = Compiler(registry=registry).codec(type)
    assert m.Opaque is codec.decode(codec.encode(m.Opaque))
