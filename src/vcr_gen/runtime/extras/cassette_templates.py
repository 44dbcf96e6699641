"""Templates in a cassette: values that each replay computes.

    returned: !template "{{ args.order_id }}"

A template may take the place of what the environment gives: in what an outbound call returns,
raises or streams, and in the arguments of an inbound call. What the program gives is compared, and
a template there would compare nothing: it is refused.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, final
from uuid import uuid4

from vcr_gen.errors import CassetteTemplateError
from vcr_gen.runtime.formats.file_layout import TEMPLATE_KEY
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import End, Event, Item, Start
from vcr_gen.runtime.tape.reading import Reading, read_events

if TYPE_CHECKING:
    from jinja2.nodes import Template

_E = TypeVar("_E", bound=Event)


def open_templates(reading: Reading, *, allowed: bool) -> "Templates | None":
    """The checked templates of a cassette; None if it contains no template."""
    path = reading.path
    templates: Templates | None = None
    for event, start, _, line in read_events(reading, path):
        for text in _texts(_value(event)):
            if not allowed:
                raise CassetteTemplateError(
                    "the value is a template, and templates are not allowed\n\n"
                    "hint: if you trust the file, open it with Cassette(..., templates=True)",
                    path=path,
                    line=line,
                )
            if not _is_fed(event, start):
                raise CassetteTemplateError(
                    "a template replaces a value that is compared with the program's\n\n"
                    "hint: to loosen the comparison, use a rule: "
                    f"Rule({start.of!r}, …, Volatile)",
                    path=path,
                    line=line,
                )
            templates = templates or Templates(path)
            templates.parse(text, line)
    return templates


@final
class Templates:
    """Renders the templates of one session."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._parsed: dict[str, tuple[Template, int]] = {}
        """Each text, with the first line that has it."""
        self._arguments: dict[int, Mapping[str, Plain]] = {}

    def parse(self, text: str, line: int) -> None:
        """Check a template, and make it ready to render."""
        if text in self._parsed:
            return
        try:
            from vcr_gen.runtime.extras import template_rendering
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in ("jinja2", "markupsafe"):
                raise
            raise CassetteTemplateError(
                'templates need jinja2, which is not installed\n\nhint: pip install "vcr-gen[gen]"',
                path=self._path,
                line=line,
            ) from None
        try:
            self._parsed[text] = template_rendering.parse_template(text, _NAMES), line
        except template_rendering.RenderError as error:
            raise self._wrong(text, line, error) from None

    def begin(self, call: int, arguments: Mapping[str, Plain]) -> None:
        """Remember the arguments of a call: its templates may use them."""
        self._arguments[call] = arguments

    def rendered(self, event: _E) -> _E:
        """The event with its templates rendered."""
        value = _value(event)
        if next(_texts(value), None) is None:
            made = event
        elif isinstance(event, Start):
            arguments = self._render(dict(event.arguments), {})
            assert isinstance(arguments, dict)
            made = replace(event, arguments=arguments)
        else:
            context = self._arguments.get(event.call, {})
            made = replace(event, value=self._render(value, context))
        if isinstance(event, End):
            self._arguments.pop(event.call, None)
        return made

    def _render(self, plain: Plain, arguments: Mapping[str, Plain]) -> Plain:
        if isinstance(plain, dict):
            if (text := _text_of(plain)) is not None:
                return self._made(text, arguments)
            return {key: self._render(item, arguments) for key, item in plain.items()}
        if isinstance(plain, list):
            return [self._render(item, arguments) for item in plain]
        return plain

    def _made(self, text: str, arguments: Mapping[str, Plain]) -> Plain:
        from vcr_gen.runtime.extras.template_rendering import RenderError, render_template

        template, line = self._parsed[text]
        try:
            return render_template(template, {**_NAMES, "args": arguments})
        except RenderError as error:
            raise self._wrong(text, line, error) from None

    def _wrong(self, text: str, line: int, error: Exception) -> CassetteTemplateError:
        shown = text if len(text) <= 60 else f"{text[:59]}…"
        return CassetteTemplateError(f"the template {shown!r}: {error}", path=self._path, line=line)


def _now(*, format: str = "", **distance: float) -> str:  # noqa: A002 - the name one would guess
    """The moment of the replay, or one that far from it (`hours=1`), in UTC, as text."""
    moment = datetime.now(UTC) + timedelta(**distance)
    return moment.strftime(format) if format else moment.isoformat()


def _timestamp(**distance: float) -> float:
    """The time in seconds since 1970."""
    return (datetime.now(UTC) + timedelta(**distance)).timestamp()


_NAMES: Final[Mapping[str, object]] = {
    "args": None,
    "now": _now,
    "timestamp": _timestamp,
    "uuid": lambda: str(uuid4()),
}
"""The names in a template; `args` are the arguments of its call."""


def _value(event: Event) -> Plain:
    return dict(event.arguments) if isinstance(event, Start) else event.value


def _is_fed(event: Event, start: Start) -> bool:
    """Whether a value comes from the environment, in a place where templates are rendered."""
    if isinstance(event, Start):
        return event.inbound
    return isinstance(event, Item | End) and not start.inbound


def _texts(plain: Plain) -> Iterator[str]:
    """The texts of all templates in a value."""
    pending = [plain]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            text = _text_of(each)
            if text is not None:
                yield text
            pending.extend(each.values())
        elif isinstance(each, list):
            pending.extend(each)


def _text_of(plain: dict[str, Plain]) -> str | None:
    text = plain.get(TEMPLATE_KEY) if len(plain) == 1 else None
    return text if isinstance(text, str) else None
