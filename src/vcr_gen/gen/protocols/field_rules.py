"""Finds the fields that the rules of `[[tool.vcr-gen.boundary]]` name in a Protocol's calls."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from vcr_gen.errors import UsageError
from vcr_gen.field_path_syntax import ROOTS, parse_path
from vcr_gen.gen.model.boundary_model import Attribute, Boundary, Method, RuledField, RuleKind
from vcr_gen.gen.settings.config import FieldRules
from vcr_gen.gen.sources.loader import SourceLoader
from vcr_gen.spelling import closest


@dataclass
class FieldFinder:
    """Looks up the fields of one Protocol, and collects what is wrong with the rules."""

    loader: SourceLoader
    boundary: Boundary
    problems: list[tuple[str, str]] = field(default_factory=list)
    """Messages, each with a hint."""

    def find(self, rules: FieldRules) -> Iterator[RuledField]:
        """The fields that the rules name."""
        for text in rules.secret:
            yield from self._named("secret", text)
        for text in rules.volatile:
            yield from self._named("volatile", text)
        for text in rules.match:
            path, _, function = text.rpartition("=")
            yield from self._named("match", path.strip(), self._function(text, function.strip()))

    def _named(
        self, kind: RuleKind, text: str, function: tuple[str, str] | None = None
    ) -> Iterator[RuledField]:
        try:
            places = self._places(text)
        except UsageError as error:
            message, _, hint = str(error).partition("\n\nhint: ")
            self.problems.append((f"`{kind}`: {message}", hint))
            return
        if not places:
            name = self.boundary.qualname
            message = f"`{kind}`: `{name}` has no parameter or attribute that {text!r} names"
            self.problems.append((message, self._suggestion(text)))
        attributes = {
            member.name for member in self.boundary.members if isinstance(member, Attribute)
        }
        for member, path in places:
            is_parameter = path in self._parameters[member] and member not in attributes
            yield RuledField(kind, member, path, is_parameter, function)

    def _places(self, text: str) -> list[tuple[str, str]]:
        """What a text names: in the member that it starts with, or in each that has the parameter.

        The name of a property or attribute is that of its value, read or set.
        """
        head, _, rest = text.partition(".")
        if head in self._parameters and rest and self._exists(head, rest):
            return [(head, parse_path(rest).text)]
        path = parse_path(text).text
        found = [(member, path) for member in self._parameters if self._exists(member, path)]
        if text in self._values:
            found += [(text, root) for root in ("$result", *self._parameters[text])]
        return found

    def _exists(self, member: str, path: str) -> bool:
        return parse_path(path).root in ("*", *ROOTS, *self._parameters[member])

    @property
    def _parameters(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for member in self.boundary.members:
            if isinstance(member, Method):
                every = [parameter for one in member.signatures for parameter in one.parameters]
                found[member.name] = tuple(dict.fromkeys(parameter.name for parameter in every))
            elif isinstance(member, Attribute):
                found[member.name] = ("value",) if member.settable else ()
            else:
                found[member.name] = ("value",) if member.setter else ()
        return found

    @property
    def _values(self) -> set[str]:
        """The properties and attributes."""
        members = self.boundary.members
        return {member.name for member in members if not isinstance(member, Method)}

    def _suggestion(self, text: str) -> str:
        members = self._parameters
        names = {name for parameters in members.values() for name in parameters} | self._values
        qualified = {f"{member}.{name}" for member, found in members.items() for name in found}
        meant = closest(text, sorted(names | qualified))
        return f"did you mean `{meant}`?" if meant else f"there are: {', '.join(sorted(names))}"

    def _function(self, text: str, function: str) -> tuple[str, str]:
        """The module and the name of a function that compares; the generated module imports it."""
        module_name, _, name = function.partition(":")
        if not name.isidentifier() or not all(map(str.isidentifier, module_name.split("."))):
            message = f"an entry of `match` must be `path = package.module:function`; got {text!r}"
            hint = 'such as `match = ["place.at = app.matching:about"]`'
            self.problems.append((message, hint))
            return module_name, name
        module = self.loader.module(module_name)
        if module is None and not self.loader.is_compiled(module_name):
            message = f"`match`: the module `{module_name}` cannot be found or read"
            hint = "install the package it comes from, or add its folder to `sources`"
            self.problems.append((message, hint))
        elif module and not self.loader.follow(module, name) and not module.binding("__getattr__"):
            meant = closest(name, [known for known in module.bindings if known != "*"])
            message = f"`match`: the module `{module_name}` has no function `{name}`"
            hint = f"did you mean `{meant}`?" if meant else "define it there, or import it"
            self.problems.append((message, hint))
        return module_name, name
