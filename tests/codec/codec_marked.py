"""Classes with words in `Annotated`, and how what they say is compared."""

from dataclasses import dataclass, field
from typing import Annotated, Any

import pydantic

from vcr_gen.boundary import Match, Secret, Unrecorded, Volatile
from vcr_gen.runtime.codec import Compiler, Difference, Registry

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


class ModelLogin(pydantic.BaseModel):
    user: str
    password: Annotated[str, Secret]
    key: pydantic.SecretStr = pydantic.SecretStr("unset")
    _cache: Annotated[object, Unrecorded] = pydantic.PrivateAttr(default="fresh")


class TokenError(Exception):
    token: Annotated[str, Secret]
    at: Annotated[float, Volatile]

    def __init__(self, token: str, at: float) -> None:
        super().__init__("denied")
        self.token = token
        self.at = at
