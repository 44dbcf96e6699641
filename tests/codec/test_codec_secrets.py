"""A value marked as secret is never stored, never shown, and equal to any other."""

from typing import Annotated, Any

import attrs
import codec_models as m
import msgspec
import pydantic
import pytest
from codec_marked import COMPILER, TOKEN, ModelLogin, Request, TokenError, compare

from vcr_gen.boundary import Codec, Secret, Volatile
from vcr_gen.errors import DecodeError, EncodeError
from vcr_gen.runtime.codec import Compiler, Difference, Registry
from vcr_gen.runtime.codec.placeholders import REDACTED


@attrs.define
class AttrsLogin:
    user: str
    password: Annotated[str, Secret]


class StructLogin(msgspec.Struct):
    user: str
    password: Annotated[str, Secret]


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
    "pydantic of another type": (pydantic.Secret[list[str]], pydantic.Secret[list[str]]([TOKEN])),
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


def test_a_secret_that_no_replay_could_give_is_refused_while_recording() -> None:
    codec = Compiler(registry=Registry(), rebuilds=True).codec(Annotated[dict[str, str], Secret])
    with pytest.raises(EncodeError, match="text or bytes where it is marked Secret") as caught:
        codec.encode({"token": TOKEN})
    assert "mark a text inside it" in caught.value.hint
    assert TOKEN not in str(caught.value)


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
    assert [Difference("$", REDACTED, None, "value differs")] == list(found)


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
