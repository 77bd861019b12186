"""Every public function says what it does; one that deals in arrays says shapes, and units or frames."""

import importlib
import inspect
import pkgutil
import re

import pytest

import unmoored

ARRAY_ROOMS = ("lie", "dynamics", "system")
SHAPE = re.compile(
    r"\(\.\.\.|\(\d|\(n[qv]?[,)]|\(m[,)]|\d×\d|m×m|scalar|number|\bname|shape|list|tree|[Ss]ystem|matrix|vector|order"
)
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(unmoored.__path__, "unmoored.")
    if not any(part.startswith("_") for part in module.name.split("."))
)


def public_functions(module_name):
    module = importlib.import_module(module_name)
    for name, member in vars(module).items():
        if name.startswith("_") or getattr(member, "__module__", None) != module_name:
            continue
        if inspect.isfunction(member):
            yield name, member
        elif inspect.isclass(member):
            yield name, member
            for method_name, method in vars(member).items():
                function = (
                    method.fget if isinstance(method, property) else getattr(method, "__func__", method)
                )
                if not method_name.startswith("_") and inspect.isfunction(function):
                    yield f"{name}.{method_name}", function


def inherited_docstring(module_name, name):
    """Docstring of a method, from the class or from what it overrides."""
    member = importlib.import_module(module_name)
    for part in name.split("."):
        member = inspect.getattr_static(member, part) if inspect.isclass(member) else getattr(member, part)
    if "." in name:
        owner = getattr(importlib.import_module(module_name), name.split(".")[0])
        return inspect.getdoc(getattr(owner, name.split(".")[1])) or ""
    return inspect.getdoc(member) or ""


@pytest.mark.parametrize("module_name", MODULES)
def test_public_functions_have_docstrings(module_name):
    try:
        importlib.import_module(module_name)
    except unmoored.MissingExtraError as error:
        pytest.skip(str(error))
    missing = [
        name for name, _ in public_functions(module_name) if not inherited_docstring(module_name, name)
    ]
    assert not missing


@pytest.mark.parametrize("module_name", [m for m in MODULES if m.split(".")[1] in ARRAY_ROOMS])
def test_array_functions_state_their_shapes(module_name):
    vague = []
    for name, member in public_functions(module_name):
        if inspect.isclass(member):
            continue
        annotations = inspect.signature(member).parameters.values()
        takes_arrays = any(
            "ndarray" in str(p.annotation) or "Array" in str(p.annotation) for p in annotations
        )
        if takes_arrays and not SHAPE.search(inherited_docstring(module_name, name)):
            vague.append(name)
    assert not vague, f"say the shapes, units and frames of {vague}"
