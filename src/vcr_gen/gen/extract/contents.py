"""What an extracted Protocol holds: the members of the class, as a Protocol can say them."""

import ast
from dataclasses import dataclass, replace

from vcr_gen.gen.diagnostics import Diagnostic
from vcr_gen.gen.extract.classes import FoundClass, adds_to, ancestors, interface, is_frozen
from vcr_gen.gen.extract.decorators import LeftOut
from vcr_gen.gen.extract.generics import completed
from vcr_gen.gen.extract.members import Member, Place, copy_member
from vcr_gen.gen.extract.own_name import OwnName
from vcr_gen.gen.extract.receivers import attributes_of
from vcr_gen.gen.extract.variables import Variables, class_variables, read
from vcr_gen.gen.extract.variance import variances
from vcr_gen.gen.settings.config import Config
from vcr_gen.gen.sources.library import Library
from vcr_gen.gen.sources.modules import Binding, class_bindings
from vcr_gen.gen.types.scope import Scope

__all__ = ["Contents", "read_contents"]


@dataclass(frozen=True, slots=True)
class Contents:
    """What a Protocol holds."""

    members: tuple[Member, ...]
    missing: tuple[tuple[FoundClass, Binding, LeftOut], ...]
    variables: Variables
    parameters: tuple[str, ...] = ()
    """Those of the variables that the Protocol itself has."""

    def left_out(self, config: Config) -> tuple[Diagnostic, ...]:
        """What to tell about the members that it lacks."""
        return tuple(
            Diagnostic(
                config.display(owner.module.path),
                binding.node.lineno,
                binding.node.col_offset + 1,
                why.code,
                f"`{owner.node.name}.{binding.name}` is left out: {why.reason}",
                why.hint,
            )
            for owner, binding, why in self.missing
        )


def read_contents(library: Library, found: FoundClass, own: OwnName) -> Contents:
    """What the Protocol holds; its variables get the variance that its members demand."""
    scope = Scope(library, found.module)
    given = {
        name: one.limited(lambda limit: own.taken(completed(limit, scope)))
        for name, one in class_variables(library, found.module, found.node).items()
    }
    as_they_are = replace(found, arguments={name: name for name in given})
    contents = _read_members(library, as_they_are, own, Variables(dict(given)))
    demanded = variances(library, contents.members, given, own)
    variables = Variables()
    renamed = {name: variables.name_for(one.used_as(demanded[name])) for name, one in given.items()}
    contents = _read_members(library, replace(found, arguments=renamed), own, variables)
    return replace(contents, parameters=tuple(renamed.values()))


def _read_members(
    library: Library, found: FoundClass, own: OwnName, variables: Variables
) -> Contents:
    """Public members, inherited ones after the class's own; each in the module that declares it."""
    members: list[Member] = []
    missing: list[tuple[FoundClass, Binding, LeftOut]] = []
    seen: set[str] = set()
    assigned: set[str] = set()
    classes = list(ancestors(library, found, set()))
    attributes = attributes_of(one.node for one in classes)
    for ancestor in classes:
        declared: set[str] = set()
        meant = read(library, library.follow(ancestor.module, own.name))
        place = Place(
            library,
            ancestor.module,
            ancestor.node,
            own,
            known=meant is not None and meant.node is found.node,
            extracted=ancestor.node is found.node,
            variables=variables,
            arguments=ancestor.arguments,
            frozen=is_frozen(ancestor.node),
            assigned=frozenset(assigned),
        )
        for binding in interface(library, ancestor, attributes):
            if binding.name in seen or (binding.name in declared and not adds_to(binding.node)):
                continue  # the other branch of a condition
            member = copy_member(binding.node, place)
            if isinstance(member, Member):
                members.append(member)
            elif member is not None:
                missing.append((ancestor, binding, member))
            if member is not None:
                declared.add(binding.name)
        seen |= declared
        assigned |= {
            one.name
            for one in class_bindings(ancestor.module, ancestor.node)
            if isinstance(one.node, ast.Assign)
        }
    used = {name for member in members for name in member.needs}
    members.sort(key=lambda one: one.name in used)  # below it, `def list` hides the type
    return Contents(tuple(members), tuple(missing), variables)
