"""Finds out how to refer to a module's name from a generated module."""

import ast
import builtins
from typing import Final, Literal

from vcr_gen.gen.model.annotation import Reference, When
from vcr_gen.gen.sources.loader import Definition, SourceLoader, Unread, is_standard
from vcr_gen.gen.sources.modules import Binding, Module
from vcr_gen.gen.types.scope import Scope, is_type_variable

_BUILTINS: Final = frozenset(dir(builtins))
AT_HAND: Final = frozenset(
    {
        "abc",
        "collections",
        "collections.abc",
        "contextlib",
        "contextvars",
        "dataclasses",
        "datetime",
        "decimal",
        "enum",
        "functools",
        "os",
        "pathlib",
        "re",
        "threading",
        "types",
        "typing",
        "uuid",
    }
)
"""Modules of Python that the runtime imports anyway: importing them for real costs nothing."""
_FOR_CHECKERS: Final = frozenset({"typing.Protocol", "typing.type_check_only"})


def reference_to(
    loader: SourceLoader, module: Module, name: str, chain: list[str]
) -> Reference | None:
    """How to refer to a module-level name of `module` from another module."""
    key = (module.name, name, tuple(chain))
    if key not in loader.references:
        loader.references[key] = _reference(loader, module, name, chain)
    return loader.references[key]


def _reference(
    loader: SourceLoader, module: Module, name: str, chain: list[str]
) -> Reference | None:
    binding = _binding(loader, module, name, chain)
    if binding is None:
        if name in _BUILTINS:
            return Reference(name, "builtin", full_name=f"builtins.{name}")
        return None
    found = loader.follow(module, name)
    if not binding.module:
        return _defined(loader, module, name, binding, found)
    return _imported(loader, module, name, binding, found)


def _binding(loader: SourceLoader, module: Module, name: str, chain: list[str]) -> Binding | None:
    """The binding of a name; of several `import a.b`, the one that the dotted name needs."""
    best = loader.binding(module, name)
    if best is not None and isinstance(best.node, ast.Import):
        dotted = ".".join([name, *chain])
        fitting = [
            binding for binding in module.bindings[name] if dotted.startswith(f"{binding.module}.")
        ]
        best = max(fitting, key=lambda binding: len(binding.module), default=best)
    return best


def _defined(
    loader: SourceLoader,
    module: Module,
    name: str,
    binding: Binding,
    found: Definition | Unread | None,
) -> Reference:
    variable = is_type_variable(loader, module, binding.node)
    when, home = _runtime(loader, module, name, binding)
    return Reference(
        name,
        "variable" if variable else "import",
        module.name,
        name,
        when,
        home,
        found.full_name if found else f"{module.name}.{name}",
    )


def _imported(
    loader: SourceLoader,
    module: Module,
    name: str,
    binding: Binding,
    found: Definition | Unread | None,
) -> Reference:
    when, home = _runtime(loader, module, name, binding)
    meaning = found.full_name if found else f"{binding.module}.{binding.attribute}"
    if isinstance(binding.node, ast.Import):
        return Reference(name, "import", binding.module, "", when, home, meaning)
    source, attribute = exporter(loader, binding, name)
    variable = meaning == "typing.AnyStr"
    if isinstance(found, Unread) and _is_typeshed(found.module):
        found = loader.read_standard(found)
    if isinstance(found, Definition):
        variable = is_type_variable(loader, found.module, found.node)
    if not _exists(loader, source, attribute):
        when = When.NEVER
        if _surely_runs(module, binding):
            when, home = When.CHECKING, module.name
    elif module.is_stub and isinstance(found, Definition) and _is_compiled(loader, found.module):
        when = max(when, _compiled(loader, found.module, found.node))
    kind: Literal["variable", "import"] = "variable" if variable else "import"
    return Reference(name, kind, source, attribute, when, home, meaning)


def exporter(loader: SourceLoader, binding: Binding, name: str) -> tuple[str, str]:
    """The module to import from: the one in the source, or the next that exports the name."""
    module_name = binding.module
    attribute = name if binding.attribute == "*" else binding.attribute
    for _ in range(20):
        if is_standard(module_name):
            break
        module = loader.module(module_name)
        inner = module.binding(attribute) if module else None
        if module is None or inner is None:
            star = loader.from_star(module, attribute) if module else None
            if star is None:
                break
            return module_name, attribute
        exported = module.exported is not None and attribute in module.exported
        if not inner.module or inner.explicit or exported:
            break
        if isinstance(inner.node, ast.Import):
            return inner.module, ""
        if loader.module(inner.module) is None and not is_standard(inner.module):
            break
        module_name, attribute = inner.module, inner.attribute
    return module_name, attribute


def _exists(loader: SourceLoader, module_name: str, attribute: str) -> bool:
    """Whether a name in a stub can be imported at run time, as far as the source shows."""
    if _is_typeshed(module_name):
        return False
    if is_standard(module_name):
        return True
    module = loader.module(module_name)
    if module is None or not module.is_stub:
        return True
    running = loader.runtime_module(module)
    if running is not None:
        return not attribute or running.may_run_with(attribute) or bool(running.star_imports)
    return loader.is_compiled(module_name)


def _is_typeshed(module_name: str) -> bool:
    """Whether a module exists for stubs alone; its type variables are read from its stub too."""
    return module_name.partition(".")[0] == "_typeshed"


def _surely_runs(module: Module, binding: Binding) -> bool:
    """Whether importing the source brings the name, though its own module cannot be found.

    Modules inside an extension module have stubs, and no file that runs.
    """
    return not module.is_stub and binding.when is When.ALWAYS and binding.attribute != "*"


def _is_compiled(loader: SourceLoader, module: Module) -> bool:
    return module.is_stub and not module.standard and loader.runtime_module(module) is None


def _compiled(loader: SourceLoader, stub: Module, node: ast.stmt) -> When:
    """Whether a compiled module has what its stub defines: maybe a class, never a Protocol."""
    if not loader.is_compiled(stub.name) or not isinstance(node, ast.ClassDef):
        return When.NEVER
    scope = Scope(loader, stub)
    named = {scope.name_of(mentioned) for mentioned in (*node.bases, *node.decorator_list)}
    return When.NEVER if named & _FOR_CHECKERS else When.CHECKING


def _runtime(loader: SourceLoader, module: Module, name: str, binding: Binding) -> tuple[When, str]:
    """Whether a name can be imported at run time, and from where if checkers look elsewhere."""
    if module.is_stub and not module.standard and not binding.module:
        running = loader.runtime_module(module)
        if running is None:
            return _compiled(loader, module, binding.node), ""
        return (When.ALWAYS if running.may_run_with(name) else When.NEVER), ""
    if module.standard and not binding.module and name.startswith("_"):
        return When.NEVER, ""
    if binding.when is When.ALWAYS:
        return When.ALWAYS, ""
    home = module.name if module.runs_with(name) else ""
    if binding.when is When.CHECKING and not home and _is_at_hand(binding):
        return When.ALWAYS, ""
    return binding.when, home


def _is_at_hand(binding: Binding) -> bool:
    """Whether a name that the source imports for type checkers only may as well be imported."""
    return binding.module in AT_HAND and not binding.attribute.startswith("_")
