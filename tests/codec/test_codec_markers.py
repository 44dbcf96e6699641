"""Words in `Annotated` change what is stored and compared, at any depth."""

import collections
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import attrs
import codec_errors as errors
import codec_models as m
import msgspec
import pydantic
import pytest

from vcr_gen.boundary import Codec, Match, Secret, Unrecorded, Volatile
from vcr_gen.errors import DecodeError, EncodeError
from vcr_gen.runtime.codec import Compiler, Difference, Registry
from vcr_gen.runtime.placeholders import REDACTED

COMPILER = Compiler(registry=Registry())
TOKEN = "sk-very-secret"


def compare(annotation: object, recorded: object, actual: object) -> tuple[Difference, ...]:
    codec = COMPILER.codec(annotation)
    left, right = codec.encode(recorded), codec.encode(actual)
    if codec.compare is None:
        return () if left == right else (Difference("$", left, right, ""),)
    return codec.compare(left, right)


@dataclass
class Request:
    url: str
    token: Annotated[str, Secret]
    at: Annotated[float, Volatile] = 0.0
    timeout: Annotated[float | None, Unrecorded] = None
    client: Annotated[Any, Unrecorded] = field(default=None, compare=False)
    size: Annotated[int, Match(lambda a, b: abs(a - b) < 10)] = 0


class Row(NamedTuple):
    id: Annotated[int, Volatile]
    name: str


@attrs.define
class AttrsLogin:
    user: str
    password: Annotated[str, Secret]


class ModelLogin(pydantic.BaseModel):
    user: str
    password: Annotated[str, Secret]
    key: pydantic.SecretStr = pydantic.SecretStr("unset")
    _cache: Annotated[object, Unrecorded] = pydantic.PrivateAttr(default="fresh")


class StructLogin(msgspec.Struct):
    user: str
    password: Annotated[str, Secret]


class TokenError(Exception):
    token: Annotated[str, Secret]
    at: Annotated[float, Volatile]

    def __init__(self, token: str, at: float) -> None:
        super().__init__("denied")
        self.token = token
        self.at = at


SECRETS: dict[str, tuple[Any, Any]] = {
    "top": (Annotated[str, Secret], TOKEN),
    "bytes": (Annotated[bytes, Secret], TOKEN.encode()),
    "optional": (Annotated[str | None, Secret], TOKEN),
    "inside optional": (Annotated[str, Secret] | None, TOKEN),
    "list": (list[Annotated[str, Secret]], [TOKEN]),
    "whole list": (Annotated[list[str], Secret], [TOKEN]),
    "dict value": (dict[str, Annotated[str, Secret]], {"a": TOKEN}),
    "tuple": (tuple[int, Annotated[str, Secret]], (1, TOKEN)),
    "union": (int | Annotated[str, Secret], TOKEN),
    "dataclass": (Request, Request("u", TOKEN)),
    "dataclass under Any": (Any, [Request("u", TOKEN)]),
    "dataclass whole": (Annotated[m.Frozen, Secret], m.Frozen(TOKEN)),
    "attrs": (AttrsLogin, AttrsLogin("u", TOKEN)),
    "pydantic": (ModelLogin, ModelLogin(user="u", password=TOKEN, key=pydantic.SecretStr(TOKEN))),
    "msgspec": (StructLogin, StructLogin("u", TOKEN)),
    "exception": (Exception, TokenError(TOKEN, 1.0)),
    "secret and volatile": (Annotated[str, Secret, Volatile], TOKEN),
    "secret with codec": (
        Annotated[str, Secret, Codec(lambda text: text, lambda text: text)],
        TOKEN,
    ),
}


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_not_in_the_plain(name: str) -> None:
    annotation, value = SECRETS[name]
    plain = COMPILER.codec(annotation).encode(value)
    assert TOKEN not in repr(plain)
    assert REDACTED in repr(plain)


@pytest.mark.parametrize("name", SECRETS)
def test_two_secrets_compare_equal(name: str) -> None:
    annotation, value = SECRETS[name]
    assert compare(annotation, value, value) == ()


def test_a_secret_of_a_wrong_type_is_refused_without_showing_it() -> None:
    with pytest.raises(EncodeError) as caught:
        COMPILER.codec(Annotated[int, Secret]).encode(TOKEN)
    error: BaseException | None = caught.value
    while error is not None:
        assert TOKEN not in f"{error} {error.args}"
        error = error.__cause__ or error.__context__


def test_a_secret_text_comes_back_as_the_placeholder() -> None:
    codec = COMPILER.codec(Request)
    assert Request("u", REDACTED) == codec.decode(codec.encode(Request("u", TOKEN)))


def test_secret_bytes_come_back_as_the_placeholder() -> None:
    codec = COMPILER.codec(Annotated[bytes, Secret])
    assert REDACTED.encode() == codec.decode(codec.encode(b"x"))


def test_a_secret_that_is_no_text_cannot_be_read_and_says_so() -> None:
    codec = COMPILER.codec(Annotated[int, Secret])
    with pytest.raises(DecodeError, match="a secret that was not stored"):
        codec.decode(codec.encode(5))


def test_a_secret_stored_by_mistake_is_not_shown() -> None:
    codec = COMPILER.codec(Annotated[str, Secret])
    with pytest.raises(DecodeError) as caught:
        codec.decode(TOKEN)
    assert TOKEN not in str(caught.value)
    assert codec.compare is not None
    (found,) = codec.compare(TOKEN, REDACTED)
    assert TOKEN not in repr(found)


def test_a_missing_secret_differs_from_one_that_is_there() -> None:
    found = compare(Annotated[str | None, Secret], TOKEN, None)
    assert [Difference("$", REDACTED, None, "another value")] == list(found)


def test_a_volatile_field_is_stored_but_not_compared() -> None:
    codec = COMPILER.codec(Request)
    plain = codec.encode(Request("u", TOKEN, at=5.0))
    assert isinstance(plain, dict)
    assert plain["at"] == 5.0
    assert compare(Request, Request("u", TOKEN, at=1.0), Request("u", "other", at=2.0)) == ()


def test_other_fields_are_still_compared() -> None:
    found = compare(Request, Request("u", TOKEN), Request("v", TOKEN))
    assert [(each.path, each.recorded, each.actual) for each in found] == [("$.url", "u", "v")]


def test_match_decides_by_the_values() -> None:
    assert compare(Request, Request("u", TOKEN, size=1), Request("u", TOKEN, size=9)) == ()
    found = compare(Request, Request("u", TOKEN, size=1), Request("u", TOKEN, size=11))
    assert [each.path for each in found] == ["$.size"]


def test_match_sees_decoded_values() -> None:
    annotation = Annotated[m.Point, Match(lambda a, b: a.x == b.x)]
    assert compare(annotation, m.Point(1, 2), m.Point(1, 3)) == ()
    assert compare(annotation, m.Point(1, 2), m.Point(2, 2))


def test_an_unrecorded_field_is_absent_and_comes_back_as_its_default() -> None:
    codec = COMPILER.codec(Request)
    live = object()
    plain = codec.encode(Request("u", TOKEN, timeout=3.0, client=live))
    assert isinstance(plain, dict)
    assert {"timeout", "client"}.isdisjoint(plain)
    back = codec.decode(plain)
    assert (back.timeout, back.client) == (None, None)


def test_an_unrecorded_value_is_stored_as_null() -> None:
    codec = COMPILER.codec(Annotated[object, Unrecorded])
    assert codec.encode(object()) is None
    assert codec.decode(None) is None


def test_an_unrecorded_private_attribute_is_fresh_again() -> None:
    login = ModelLogin(user="u", password="p")
    login._cache = object()
    codec = COMPILER.codec(ModelLogin)
    assert codec.decode(codec.encode(login))._cache == "fresh"


VOLATILE_PAIRS: dict[str, tuple[Any, Any, Any]] = {
    "list": (list[Annotated[int, Volatile]], [1, 2], [3, 4]),
    "named tuple": (list[Row], [Row(1, "a")], [Row(2, "a")]),
    "dict": (dict[str, Annotated[int, Volatile]], {"a": 1}, {"a": 2}),
    "pairs": (dict[int | str, Annotated[int, Volatile]], {1: 1}, {1: 2}),
    "tuple": (tuple[int, Annotated[int, Volatile]], (1, 2), (1, 3)),
    "tuple repeated": (tuple[Annotated[int, Volatile], ...], (1, 2), (1, 3)),
    "optional": (Annotated[int, Volatile] | None, 1, 2),
    "union": (m.Point | Request, Request("u", "t", 1.0), Request("u", "t", 2.0)),
    "under Any": (Any, [Request("u", "t", 1.0)], [Request("u", "t", 2.0)]),
    "subclass": (m.Shape | Request, Request("u", "t", 1.0), Request("u", "t", 2.0)),
    "exception": (Exception, TokenError("t", 1.0), TokenError("t", 2.0)),
    "exception as argument": (
        Exception,
        errors.PlainError(TokenError("t", 1.0)),
        errors.PlainError(TokenError("t", 2.0)),
    ),
    "ordered": (
        collections.OrderedDict[str, Annotated[int, Volatile]],
        collections.OrderedDict(a=1),
        collections.OrderedDict(a=2),
    ),
}


@pytest.mark.parametrize("name", VOLATILE_PAIRS)
def test_volatile_parts_are_found_inside(name: str) -> None:
    annotation, recorded, actual = VOLATILE_PAIRS[name]
    assert compare(annotation, recorded, actual) == ()


DIFFERENT_PAIRS: dict[str, tuple[Any, Any, Any, str]] = {
    "list shorter": (list[Row], [Row(1, "a"), Row(1, "b")], [Row(2, "a")], "$[1]"),
    "list longer": (list[Row], [Row(1, "a")], [Row(2, "a"), Row(1, "b")], "$[1]"),
    "dict key gone": (dict[str, Annotated[int, Volatile]], {"a": 1}, {}, "$.a"),
    "dict key new": (dict[str, Annotated[int, Volatile]], {}, {"a": 1}, "$.a"),
    "null": (Annotated[int, Volatile] | None, 1, None, "$"),
    "other member": (m.Point | Row, m.Point(1, 2), Row(1, "a"), "$.$type"),
    "bool for int": (int, 1, True, "$"),
}


@pytest.mark.parametrize("name", DIFFERENT_PAIRS)
def test_differences_around_volatile_parts_are_found(name: str) -> None:
    annotation, recorded, actual, path = DIFFERENT_PAIRS[name]
    assert path in {each.path for each in compare(annotation, recorded, actual)}


def test_a_codec_marker_stores_what_the_user_says() -> None:
    annotation = list[
        Annotated[m.Opaque, Codec(lambda o: {"n": o.secret}, lambda p: m.Opaque(p["n"]))]
    ]
    codec = COMPILER.codec(annotation)
    assert codec.encode([m.Opaque(3)]) == [{"n": 3}]
    assert [m.Opaque(3)] == codec.decode([{"n": 3}])


def test_what_a_codec_marker_makes_must_be_plain() -> None:
    codec = COMPILER.codec(Annotated[m.Opaque, Codec(lambda o: {"n": {1}}, lambda p: p)])
    with pytest.raises(EncodeError) as caught:
        codec.encode(m.Opaque(3))
    assert caught.value.path == "$.n"


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
    registry = Registry()
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


def test_plain_equality_is_enough_for_types_without_words() -> None:
    assert COMPILER.codec(int | None).compare is None
    assert COMPILER.codec(m.Color).compare is None


@pytest.mark.parametrize(
    "annotation",
    [
        int | Annotated[list[str], Secret],
        Annotated[list[str], Secret] | None,
        dict[Annotated[str, Secret], int],
    ],
)
def test_a_value_beside_a_secret_type_is_not_shown(annotation: Any) -> None:
    with pytest.raises(EncodeError) as caught:
        COMPILER.codec(annotation).encode({TOKEN: "x"} if "dict" in str(annotation) else TOKEN)
    assert TOKEN not in str(caught.value)


def test_a_secret_beside_any_stays_secret() -> None:
    plain = COMPILER.codec(list[Annotated[str, Secret]] | Any).encode([TOKEN])
    assert TOKEN not in repr(plain)


def test_secret_keys_that_would_fall_together_are_refused() -> None:
    with pytest.raises(EncodeError, match="several secret ones"):
        COMPILER.codec(dict[Annotated[str, Secret], int]).encode({"a": 1, "b": 2})


def test_plains_that_are_none_of_the_type_are_compared_as_they_are() -> None:
    compare_plains = COMPILER.codec(Any).compare
    assert compare_plains is not None
    assert compare_plains({"$type": 1}, {"$type": 2})
    assert compare_plains({"$what": 1}, {"$what": 2})
