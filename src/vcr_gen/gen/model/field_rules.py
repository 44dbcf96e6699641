"""Applies the rules of `[[tool.vcr-gen.boundary]]` to single fields of a Protocol's calls."""

from collections.abc import Mapping
from dataclasses import dataclass

from vcr_gen.errors import UsageError
from vcr_gen.gen.diagnostics import closest
from vcr_gen.gen.model.boundaries import Attribute, Boundary, Method, Property
from vcr_gen.paths import ROOTS, FieldPath, parse_path

__all__ = [
    "Place",
    "check_fields",
    "matched_places",
    "names_parameter",
    "places_inside",
    "split_match",
]


@dataclass(frozen=True, slots=True)
class Place:
    """A field of one member's calls."""

    member: str
    path: FieldPath

    @property
    def is_parameter(self) -> bool:
        """Whether it is a whole parameter, whose annotation can carry the mark."""
        return not self.path.steps and self.path.root not in ("*", *ROOTS)


def names_parameter(
    boundary: Boundary, texts: tuple[str, ...], member: str, parameter: str
) -> bool:
    """Whether a text names this parameter as a whole."""
    return any(
        place.is_parameter and (place.member, place.path.root) == (member, parameter)
        for text in texts
        for place in _places(boundary, text)
    )


def places_inside(boundary: Boundary, texts: tuple[str, ...]) -> dict[str, list[str]]:
    """The field paths that no annotation of an event carries, by member."""
    attributes = {member.name for member in boundary.members if isinstance(member, Attribute)}
    found: dict[str, list[str]] = {}
    for text in texts:
        for place in _places(boundary, text):
            if not place.is_parameter or place.member in attributes:
                found.setdefault(place.member, []).append(place.path.text)
    return found


def matched_places(boundary: Boundary) -> dict[str, dict[str, tuple[str, str]]]:
    """For each member the field paths that a function compares: its module and its name."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for text in boundary.field_rules.match:
        path, module, name = split_match(text)
        for place in _places(boundary, path):
            found.setdefault(place.member, {})[place.path.text] = module, name
    return found


def split_match(text: str) -> tuple[str, str, str]:
    """`path = module:function` as its three parts; the last is empty if it is not spelled so."""
    path, _, function = text.rpartition("=")
    module, _, name = function.strip().partition(":")
    right = name.isidentifier() and all(part.isidentifier() for part in module.split("."))
    return path.strip(), module, name if right else ""


def check_fields(boundary: Boundary) -> list[tuple[str, str]]:
    """What is wrong with the fields that a rule names, each with a hint."""
    problems: list[tuple[str, str]] = []
    listed = [("secret", text) for text in boundary.field_rules.secret]
    listed += [("volatile", text) for text in boundary.field_rules.volatile]
    for text in boundary.field_rules.match:
        path, _, name = split_match(text)
        listed.append(("match", path))
        if not name:
            message = f"`match` has entries `path = package.module:function`; got {text!r}"
            problems.append((message, 'such as `match = ["place.at = app.matching:about"]`'))
    for key, text in listed:
        try:
            found = _places(boundary, text)
        except UsageError as error:
            message, _, hint = str(error).partition("\n\nhint: ")
            problems.append((f"`{key}`: {message}", hint))
            continue
        if not found:
            message = (
                f"`{key}`: `{boundary.qualname}` has no parameter or attribute that {text!r} names"
            )
            problems.append((message, _suggestion(boundary, text)))
    return problems


def _places(boundary: Boundary, text: str) -> list[Place]:
    """What a text names: in the member that it starts with, or in each that has the parameter.

    The name of a property or attribute is that of its value, read or set.
    """
    members = _parameters(boundary)
    head, _, rest = text.partition(".")
    if head in members and rest:
        own = Place(head, parse_path(rest))
        if _exists(own, members[head]):
            return [own]
    path = parse_path(text)
    every = [Place(member, path) for member in members]
    found = [place for place in every if _exists(place, members[place.member])]
    if text in _values(boundary):
        roots = ("$result", *members[text])
        found += (Place(text, parse_path(root)) for root in roots)
    return found


def _exists(place: Place, parameters: tuple[str, ...]) -> bool:
    return place.path.root in ("*", *ROOTS, *parameters)


def _parameters(boundary: Boundary) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for member in boundary.members:
        if isinstance(member, Method):
            signatures = (member.signature, *member.overloads)
            names = (
                parameter.name for signature in signatures for parameter in signature.parameters
            )
            found[member.name] = tuple(dict.fromkeys(names))
        elif isinstance(member, Property):
            found[member.name] = () if member.setter is None else ("value",)
        elif isinstance(member, Attribute):
            found[member.name] = ("value",) if member.settable else ()
    return found


def _values(boundary: Boundary) -> set[str]:
    """The properties and attributes."""
    return {member.name for member in boundary.members if isinstance(member, Property | Attribute)}


def _suggestion(boundary: Boundary, text: str) -> str:
    members = _parameters(boundary)
    names = {name for parameters in members.values() for name in parameters} | _values(boundary)
    qualified = {f"{member}.{name}" for member, found in members.items() for name in found}
    meant = closest(text, sorted(names | qualified))
    return f"did you mean `{meant}`?" if meant else f"there are: {', '.join(sorted(names))}"
