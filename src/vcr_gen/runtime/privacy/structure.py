"""Derives from names what values are: keys, pairs, arguments of commands."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Final, NamedTuple

from vcr_gen.runtime.codec.scalars import bytes_from_plain
from vcr_gen.runtime.codec.tags import BASE64, TYPE, VALUE
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy.command_lines import argument_spans
from vcr_gen.runtime.privacy.credential_names import Naming
from vcr_gen.runtime.privacy.heuristics import naming_of_cookie
from vcr_gen.runtime.privacy.spans import Span

TITLES: Final = ("name", "key", "header", "Name", "Key")
"""Keys for the name in objects such as `{name: …, value: …}`."""
CONTENTS: Final = frozenset({"value", "values", "data", "raw", "text", "Value"})
"""Keys for the value in objects such as `{name: …, value: …}`."""
_LOGINS: Final = frozenset({"auth", "basic_auth", "credentials", "http_auth", "proxy_auth"})
_USERS: Final = frozenset({"email", "login", "user", "username"})
"""Keys that make a neighbouring `pass` a password."""
_LONGEST_NAME: Final = 100
_GROUPS: Final = ("passwords", "secrets", "keys", "credentials")


class Context(NamedTuple):
    """What the context of a value says about it."""

    name: str = ""
    """The name of the value."""
    naming: Naming = Naming.HARMLESS
    """The meaning that the name gives to the value."""
    spans: tuple[Span, ...] = ()
    """Secrets in it that its neighbours reveal."""
    in_list: bool = False
    """Whether it is an item of a list, where a list of two may be a name and its value."""


NOTHING: Final = Context()
"""The context of a value about which nothing is known."""


def _is_group(context: Context) -> bool:
    """Whether everything below a name is a secret: `passwords`."""
    return context.naming is Naming.STRONG and context.name.lower().endswith(_GROUPS)


def in_dict(
    value: dict[str, Any], key: str, outer: Context, naming_of: Callable[[str], Naming]
) -> Context:
    """The context of a value of a dict."""
    if key[:1] == "$":  # a tag of the stored form
        return outer
    if outer.naming is Naming.COOKIE:  # `cookies={"session": …}`
        title = _title(value)
        name = key if title is None else title if key in CONTENTS else ""
        return Context(name, naming_of_cookie(name)) if name else NOTHING
    said = naming_of(key)
    if said is not Naming.HARMLESS:
        is_login = said is Naming.LIKELY and not _USERS.isdisjoint(value)
        return Context(key, Naming.STRONG if is_login else said)
    if key in CONTENTS and len(value) > 1 and (title := _title(value)) is not None:
        said = naming_of(title)
        if said is not Naming.HARMLESS:
            return Context(title, said)
    if outer.naming is Naming.STRONG and (key in CONTENTS or _is_group(outer)):
        return outer._replace(in_list=False)
    return NOTHING


def _title(value: dict[str, Any]) -> str | None:
    """The name in an object such as `{name: Authorization, value: …}`."""
    return next((title for word in TITLES if isinstance(title := value.get(word), str)), None)


def in_list(
    value: list[Any], outer: Context, naming_of: Callable[[str], Naming], *, by_names: bool
) -> Iterator[Context]:
    """The context of each item of a list."""
    if len(value) == 2 and (said := _pair(value, outer, naming_of)) is not None:
        yield from (NOTHING, said)
        return
    base = outer if outer.in_list else outer._replace(in_list=True)
    arguments = _arguments(value, base, naming_of) if by_names else {}
    for index in range(len(value)):
        yield arguments.get(index, base)


def _pair(value: list[Any], outer: Context, naming_of: Callable[[str], Naming]) -> Context | None:
    """The context of the second of two values, if they are a header or a login."""
    if outer.name.lower() in _LOGINS and outer.naming is not Naming.HARMLESS:
        return Context("password", naming_of("password"))
    title = text_of(value[0])
    if title is None or len(title) > _LONGEST_NAME:
        return None
    said = naming_of(title)
    is_header = said in (Naming.AUTHORIZATION, Naming.COOKIE) or "-" in title
    if said is Naming.HARMLESS or not (outer.in_list or is_header):
        return None
    return Context(title, said)


def _arguments(
    value: list[Any], base: Context, naming_of: Callable[[str], Naming]
) -> dict[int, Context]:
    """The contexts of the arguments of a command, by index."""
    if not any(isinstance(item, str) and item[:1] == "-" for item in value):
        return {}
    words = [item if isinstance(item, str) else "" for item in value]
    found = {number: base._replace(spans=spans) for number, spans in argument_spans(words).items()}
    for number, (option, word) in enumerate(pairwise(words), start=1):
        if option[:1] == "-" and word[:1] != "-" and number not in found:
            name = option.lstrip("-")
            said = naming_of(name) if len(name) <= _LONGEST_NAME else Naming.HARMLESS
            if said is not Naming.HARMLESS:
                found[number] = Context(name, Naming.LIKELY if said is Naming.WEAK else said)
    return found


def text_of(value: Plain) -> str | None:
    """The text of a stored string, also of bytes; None for any other value."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        if set(value) == {BASE64}:
            return bytes_from_plain(value, expected="bytes").decode("latin-1")
        if set(value) == {TYPE, VALUE}:
            return text_of(value[VALUE])
    return None


def is_binary(value: Plain) -> bool:
    """Whether a stored value is bytes that are no text."""
    if isinstance(value, dict):
        return set(value) == {BASE64} or (set(value) == {TYPE, VALUE} and is_binary(value[VALUE]))
    return False


def as_bytes(text: str) -> str:
    """The UTF-8 of a text as latin-1: so texts beside binary data are searched with it."""
    return text if text.isascii() else text.encode("utf-8", "surrogatepass").decode("latin-1")
