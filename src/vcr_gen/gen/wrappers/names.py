"""Chooses the names of a generated module, and the imports that bring them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from vcr_gen.gen.model.annotation import (
    STR,
    Annotation,
    Name,
    Quoted,
    Reference,
    When,
    fold,
    imported,
    names_in,
    references,
    replace_nodes,
    without_quotes,
)
from vcr_gen.gen.model.annotation_text import string_literal, to_text
from vcr_gen.gen.model.boundary_model import TypeVariable

_BACKPORTS: Final = frozenset({"typing", "typing_extensions"})
"""Modules that define one name differently, such as `TypeVar` with a default."""
_BUILTINS_MODULE = Reference("builtins", "import", "builtins", full_name="builtins")


@dataclass
class Use:
    """One imported or redeclared name of the generated module."""

    reference: Reference
    name: str
    evaluated: bool = False
    """Whether the module cannot be imported without it."""


@dataclass
class Names:
    """Chooses names: parameters and members keep theirs, imports are renamed."""

    reserved: Collection[str]
    """The names that the module defines."""
    lazy: bool
    """Whether annotations are never evaluated when the module is imported."""
    brackets: Collection[str] = ()
    """The PEP 695 type parameters in scope, which hide all other names."""
    uses: dict[tuple[Reference, str], Use] = field(default_factory=dict)
    _taken: dict[str, Reference] = field(default_factory=dict)

    def inside(self, variables: Iterable[TypeVariable]) -> "Names":
        """The same names, with more PEP 695 type parameters in scope."""
        added = (variable.name for variable in variables if variable.reference.kind == "parameter")
        return replace(self, brackets=frozenset((*self.brackets, *added)))

    def claim(self, reference: Reference) -> None:
        """Reserve a name of the source with its meaning there."""
        if reference.kind != "parameter" and (
            self._is_free(reference, reference.spelling, ()) or self._is_surer(reference)
        ):
            self._taken[reference.spelling] = reference

    def _is_surer(self, reference: Reference) -> bool:
        """Whether a module imports for real what another imports for type checkers only."""
        taken = self._taken.get(reference.spelling)
        return taken is not None and reference.when < taken.when and means(taken, reference)

    def annotation(
        self,
        annotation: Annotation,
        *,
        lazy: bool | None = None,
        bound: Collection[str] = (),
        bound_in_text: Collection[str] | None = None,
    ) -> str:
        """An annotation; quoted where the source keeps text and the module does not.

        In a string, other names may be bound than outside.
        """
        kept = (
            self.lazy or bool(lazy) or any(map(_is_missing, references(annotation, strings=False)))
        )
        shown = self.spell(annotation, bound=bound, bound_in_text=bound_in_text, evaluated=not kept)
        if self.lazy or not kept:
            return shown
        string = self.quoted(annotation, bound=bound, bound_in_text=bound_in_text)
        if shown[0] == "*" or "\n" in shown:  # type checkers cannot read such a string
            return f"{self.spell(STR, bound=bound)}({string})"
        return string

    def own_annotation(self, annotation: Annotation, *, bound: Collection[str] = ()) -> str:
        """An annotation that only generated code has: quoted when a name may be missing."""
        missing = any(reference.when is not When.ALWAYS for reference in references(annotation))
        return self.annotation(self.known(annotation), lazy=missing, bound=bound)

    def quoted(
        self,
        annotation: Annotation,
        *,
        bound: Collection[str] = (),
        bound_in_text: Collection[str] | None = None,
    ) -> str:
        """An annotation as a string."""
        return string_literal(
            self.spell(annotation, bound=bound, bound_in_text=bound_in_text, in_string=True)
        )

    def known(self, annotation: Annotation) -> Annotation:
        """An annotation of generated code with the names that the source imports."""
        return replace_nodes(
            without_quotes(annotation),
            lambda node: (
                replace(node, reference=self._known(node.reference))
                if isinstance(node, Name)
                else None
            ),
        )

    def spell(
        self,
        annotation: Annotation,
        *,
        bound: Collection[str] = (),
        bound_in_text: Collection[str] | None = None,
        evaluated: bool = False,
        in_string: bool = False,
    ) -> str:
        """An annotation as text; `bound` are names that mean something else here."""
        hidden = bound if bound_in_text is None else bound_in_text
        return to_text(
            annotation,
            lambda name: self._dotted(name, bound, evaluated=evaluated),
            lambda quoted: self._content(quoted, hidden),
            in_string=in_string,
        )

    def _dotted(self, name: Name, bound: Collection[str], *, evaluated: bool = False) -> str:
        reference, tail = name.reference, name.tail
        if name.submodule and not self._is_free(reference, reference.spelling, bound):
            # Where `a` is something else, `import a.b` gives way as a whole: `import a as _a` would
            # not bring `_a.b`, which type checkers notice.
            reference = replace(reference, spelling="_" + reference.module.replace(".", "_"))
            tail = tail[len(name.submodule) :]
        return ".".join((self.name(reference, bound=bound, evaluated=evaluated), *tail))

    def _content(self, quoted: Quoted, bound: Collection[str]) -> str:
        """The content of a string annotation: the source's text unless a name in it changes."""
        shown = self.spell(quoted.inner, bound=bound, in_string=True)
        kept = all(self._dotted(name, bound) == name.source for name in names_in(quoted.inner))
        return quoted.original if quoted.original and kept else shown

    def name(
        self, reference: Reference, *, bound: Collection[str] = (), evaluated: bool = False
    ) -> str:
        """The name of something in this module; `bound` names are taken."""
        if reference.kind == "parameter":
            hidden = reference.spelling in bound  # by a parameter of the function
            return self.own("typing", "Any", bound=bound) if hidden else reference.spelling
        if reference.kind == "builtin":
            if self._is_free(reference, reference.spelling, bound):
                self._taken[reference.spelling] = reference
                return reference.spelling
            module = self.name(_BUILTINS_MODULE, bound=bound, evaluated=evaluated)
            return f"{module}.{reference.spelling}"
        taken = self._taken.get(reference.spelling)
        if taken is not None and taken.when is When.ALWAYS and means(taken, reference):
            reference = taken
        name = reference.spelling
        number = 1
        while not self._is_free(reference, name, bound):
            name = f"_{reference.spelling.lstrip('_')}" + (str(number) if number > 1 else "")
            number += 1
        self._taken[name] = reference
        use = self.uses.setdefault((reference, name), Use(reference, name))
        use.evaluated = use.evaluated or evaluated
        return name

    def _is_free(self, reference: Reference, name: str, bound: Collection[str]) -> bool:
        taken = self._taken.get(name)
        private = name.startswith("__") and name.isidentifier() and not name.endswith("__")
        return (
            not private  # in the body of a class, Python mangles it
            and name not in bound
            and name not in self.reserved
            and name not in self.brackets
            and (taken is None or _same(taken, reference))
        )

    def own(self, module: str, name: str, *, bound: Collection[str] = ()) -> str:
        """Something that generated code needs for itself, such as `typing.Any`."""
        return self.name(self._known(imported(module, name)), bound=bound, evaluated=True)

    def _known(self, reference: Reference) -> Reference:
        """What the source already imports under that name, if it is the same thing."""
        taken = self._taken.get(reference.spelling)
        if taken is None or taken.kind != "import" or taken.when is not When.ALWAYS:
            return reference
        return taken if fold(taken.full_name) == fold(reference.full_name) else reference


def means(first: Reference, second: Reference) -> bool:
    """Whether two imports bring the same thing, perhaps from different modules."""
    return (
        first.kind == second.kind == "import"
        and bool(first.attribute and second.attribute)
        and not (first.home or second.home)
        and first.full_name == second.full_name
        and (first.module == second.module or not {first.module, second.module} & _BACKPORTS)
    )


def _is_missing(reference: Reference) -> bool:
    """Whether the source cannot evaluate a name at run time."""
    if reference.when is When.CHECKING:
        return not reference.home
    return reference.when is When.NEVER


def _same(first: Reference, second: Reference) -> bool:
    if first.top_level and first.top_level == second.top_level:
        return True  # `import a.b` and `import a.c` both bind `a`
    return (first.kind, first.module, first.attribute, first.when) == (
        second.kind,
        second.module,
        second.attribute,
        second.when,
    )


def camel(name: str) -> str:
    """`read_all` → `ReadAll`; underscores at both ends are dropped."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_") if part) or "Underscore"


def snake(name: str) -> str:
    """`HTTPClient` → `http_client`."""
    result = ""
    for index, character in enumerate(name):
        before = name[index - 1] if index else "_"
        after = name[index + 1] if index + 1 < len(name) else ""
        starts = character.isupper() and (not before.isupper() or after.islower())
        result += ("_" if starts and before != "_" else "") + character.lower()
    return result.strip("_")


def declared_first(variables: Iterable[TypeVariable]) -> list[TypeVariable]:
    """Type variables in an order that Python takes: those with a default last."""
    return sorted(variables, key=lambda variable: variable.default is not None)


def free_name(wish: str, taken: Collection[str]) -> str:
    """The wished name, with as many underscores after it as it needs to be free."""
    while wish in taken:
        wish += "_"
    return wish
