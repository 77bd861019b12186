"""What is public: the names in `unmoored.__all__`, with their members; as a list of names and as a page."""

import inspect
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import ModuleType
from typing import Any, NamedTuple
from unittest.mock import MagicMock

import unmoored as um

#: headings of the page, by the module that holds a name; the first that fits counts
HEADINGS = {
    "unmoored.error_roots": "Errors and warnings",
    "unmoored.model.errors": "Errors and warnings",
    "unmoored.trace.tracing_error": "Errors and warnings",
    "unmoored.kernels.cuda": "Errors and warnings",
    "unmoored.system": "Systems",
    "unmoored.model": "Models",
    "unmoored.dynamics": "Constraints of wheels and balls",
    "unmoored.worlds": "Plants, worlds and actuators",
    "unmoored.control": "Control laws and references",
    "unmoored.simulation": "Simulation and scenarios",
    "unmoored.integrators": "Simulation and scenarios",
    "unmoored.views": "Views",
}
#: libraries that need not be installed: what the bridges import of them, and the bridges that import them
LIBRARIES = {"jax": ("jax", "jax.numpy"), "torch": ("torch",)}
BRIDGES = {"jax": ("jax",), "torch": ("torch", "torch_environment")}
MODULES = "Modules"
OTHER = "Others"


class Name(NamedTuple):
    """A public name, its signature ("" for a value), its text, and the names that it holds."""

    name: str
    signature: str
    text: str
    members: tuple["Name", ...]
    heading: str


def public_names() -> list[Name]:
    """All public names, in the order of the alphabet."""
    with _stand_ins():
        return [_described(name, getattr(um, name)) for name in sorted(um.__all__, key=str.lower)]


@contextmanager
def _stand_ins() -> Iterator[None]:
    """Bridges to libraries that are not installed have the same names and texts as with them.

    After it, only the stand-ins and the bridges that were imported with them are forgotten, never all that was
    imported inside it: torch and jaxlib are machine code that breaks the process when it is imported again.
    """
    missing = [name for name in BRIDGES if find_spec(name) is None]
    stand_ins = [module for name in missing for module in LIBRARIES[name]]
    sys.modules.update({module: MagicMock(__spec__=None) for module in stand_ins})
    try:
        yield
    finally:
        for module in stand_ins:
            del sys.modules[module]
        for bridge in [bridge for name in missing for bridge in BRIDGES[name]]:
            sys.modules.pop(f"unmoored.bridges.{bridge}", None)
            vars(um.bridges).pop(bridge, None)


def lines(name: Name, owner: str = "") -> Iterator[str]:
    """`owner.name(signature)` of a name and of all that it holds."""
    yield f"{owner}{name.name}{name.signature}"
    for member in name.members:
        yield from lines(member, f"{owner}{name.name}.")


def page() -> str:
    """The reference page."""
    names = public_names()
    order = [*dict.fromkeys(HEADINGS.values()), OTHER, MODULES]
    parts = [
        "# Reference\n\nEvery public name, from the docstrings; `import unmoored as um`. "
        "What is not on this page may change without notice ([stability](stability.md)).\n"
    ]
    for heading in order:
        found = [name for name in names if name.heading == heading]
        if found:
            parts.append(f"\n## {heading}\n")
            parts += [_entry(name) for name in found]
    return "".join(parts)


def _entry(name: Name) -> str:
    parameter = r"((?:`\w+`, )*`\w+`(?: \([^()]*\))?: )"
    told = re.sub(
        rf"(?m)(?:^|(?<=\S)(  )){parameter}", lambda m: ("\n" if m[1] else "") + f"* {m[2]}", _told(name)
    )
    text = f"\n### `um.{name.name}{name.signature}`\n\n{told}\n"
    if name.members:
        text += "\n" + "".join(_item(member) for member in name.members)
    return text


def _item(member: Name, indent: str = "") -> str:
    """The whole text of a member: paragraphs are lines of one item, formulas and code in code type."""
    lines = [_one_line(paragraph) for paragraph in _told(member).split("\n\n")]
    text = f"{indent}- `{member.name}{member.signature}`: " + f"\\\n{indent}  ".join(lines) + "\n"
    return text + "".join(_item(inner, indent + "  ") for inner in member.members)


def _one_line(paragraph: str) -> str:
    if paragraph.startswith("    "):
        return " ; ".join(f"`{' '.join(line.split())}`" for line in paragraph.splitlines())
    return " ".join(paragraph.split())


def _told(name: Name) -> str:
    """The text with parameters in code type where they are explained: "frame: of which …" as "`frame`: of which …"."""
    parameters = {part.split("=")[0].strip("*() ") for part in name.signature.split(",")}

    def marked(found: re.Match) -> str:
        names, unit = found[1].split(", "), found[2] or ""
        return ", ".join(f"`{n}`" for n in names) + f"{unit}: " if parameters.issuperset(names) else found[0]

    return re.sub(r"(?:^|(?<=[.)] )|(?<=  ))((?:\w+, )*\w+)( \([^()]*\))?: ", marked, name.text, flags=re.M)


def _described(name: str, x: Any) -> Name:
    if inspect.ismodule(x):
        return Name(name, "", _text(x), tuple(_members_of_module(x)), MODULES)
    if inspect.isclass(x):
        return Name(name, signature(x), _text(x), tuple(_members_of_class(x)), _heading(x.__module__))
    if callable(x):
        return Name(name, signature(x), _text(x), (), _heading(x.__module__))
    text = f"{type(x).__name__}." if isinstance(x, str) else _text(type(x))
    return Name(name, "", text, (), _heading(type(x).__module__))


def _heading(module: str) -> str:
    return next((text for start, text in HEADINGS.items() if f"{module}.".startswith(f"{start}.")), OTHER)


def _members_of_module(module: ModuleType) -> Iterator[Name]:
    own = [n for n, x in vars(module).items() if inspect.isfunction(x) and x.__module__ == module.__name__]
    names = getattr(module, "__all__", [name for name in own if not name.startswith("_")])
    for name in sorted(names, key=str.lower):
        x = getattr(module, name)
        if inspect.ismodule(x):
            yield Name(name, "", _text(x), tuple(_members_of_module(x)), "")
        elif callable(x):
            above = getattr(um, name, None) is x  # it has an entry of its own
            yield Name(name, signature(x), _text(x).split("\n\n")[0] if above else _text(x), (), "")
        else:
            yield Name(name, "", f"A value, {type(x).__name__}.", (), "")


def _members_of_class(cls: type) -> Iterator[Name]:
    """Methods and properties of our own, also inherited ones; the fields are in the signature."""
    for name in sorted(dir(cls)):
        member = inspect.getattr_static(cls, name)
        owner = next((base for base in cls.__mro__ if name in vars(base)), cls)
        if name.startswith("_") or not owner.__module__.startswith("unmoored"):
            continue
        function = getattr(member, "__func__", member)
        if isinstance(member, property) or (hasattr(member, "__get__") and not callable(function)):
            yield Name(name, "", _inherited(cls, name), (), "")
        elif callable(function):
            yield Name(name, signature(getattr(cls, name)), _inherited(cls, name), (), "")


def _inherited(cls: type, name: str) -> str:
    """The docstring of a member, from the class or from what it overrides."""
    found = (inspect.getdoc(vars(base)[name]) for base in cls.__mro__ if name in vars(base))
    return next((text for text in found if text), "")


def signature(x: Any) -> str:
    """Parameters with their kinds and defaults, without annotations: the same text in every version of Python."""
    try:
        parameters = list(inspect.signature(x).parameters.values())
    except (TypeError, ValueError):
        return ""
    shown, starred = [], False
    for p in parameters:
        if p.name == "self":
            continue
        if p.kind is p.KEYWORD_ONLY and not starred:
            shown.append("*")
        starred = starred or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        shown.append(stars + p.name + ("" if p.default is p.empty else f"={_default(p.default)}"))
    return f"({', '.join(shown)})"


def _default(x: Any) -> str:
    simple = x is None or isinstance(x, bool | int | float | str)
    if isinstance(x, float):
        return repr(float(x))
    if simple or (isinstance(x, tuple) and all(isinstance(i, int | float | str) for i in x)):
        return repr(x)
    return "…"


def _text(x: Any) -> str:
    return inspect.getdoc(x) or ""
