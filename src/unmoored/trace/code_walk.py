"""What functions and classes of the user's depend on: code, defaults, closures, globals, modules imported inside."""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, Any

from .code_digest import BOOKKEEPING, generated, installed, known, names_in
from .object_parts import home, title

if TYPE_CHECKING:
    from .object_walk import Walk

#: a walk through more functions than this is not finished
_MOST_FUNCTIONS = 2_000
#: functions by which code may use names that it does not spell
_UNFORESEEN = frozenset(("eval", "exec", "globals", "__import__"))


def visit_class(walk: Walk, kind: type) -> None:
    """The code and data of a class and its bases."""
    walk.add("class", title(kind).encode())
    if known(kind.__module__):
        return
    walk.fixed = False
    walk.changeable(kind)
    if type(kind) is not type:
        walk.visit(type(kind))
    walk.code.append(kind.__qualname__)
    for base in kind.__mro__:
        if not known(base.__module__):
            for name, x in tuple(vars(base).items()):
                if name not in BOOKKEEPING and not generated(x):
                    walk.add("name", name.encode())
                    walk.visit(x)


def visit_function(walk: Walk, x: types.FunctionType) -> None:
    """A function of Python's with what its code may use."""
    walk.add("function", f"{x.__module__}.{x.__qualname__}".encode())
    walk.visit_all("defaults", [x.__defaults__, x.__kwdefaults__])
    names = names_in(x.__code__)
    walk.surroundings(x, names)
    walk.visit_all("closure", x.__closure__ or ())
    if known(x.__module__ or ""):
        return
    walk.fixed = False
    if len(walk.code) > _MOST_FUNCTIONS:
        walk.unseen[:] = walk.unseen or ["more code than can be looked through"]
        return
    walk.code.append(x.__qualname__)
    walk.names |= names
    foreign = (x.__module__ or "").partition(".")[0] if installed(x.__module__ or "") else ""
    walk.source(x)
    for name in sorted(names):
        # code that was installed is followed within its own package
        if name.startswith("@"):  # what pytest puts in for its words about an assertion
            continue
        if name in x.__globals__:
            if not foreign or home(x.__globals__[name]) in ("builtins", foreign):
                walk.add("global", name.encode())
                walk.visit(x.__globals__[name])
        elif name in _UNFORESEEN and not foreign:
            walk.unseen.append(f"{name} in {x.__qualname__}")
        elif not foreign:
            _visit_imported(walk, x, name)
    if len(vars(x)):
        walk.visit_all("attributes", [part for item in vars(x).items() for part in item])
    walk.changeable(x)


def _visit_imported(walk: Walk, x: types.FunctionType, name: str) -> None:
    """A module that a function imports itself."""
    package = x.__globals__.get("__package__")
    for path in (name, f"{package}.{name}"):
        if isinstance(sys.modules.get(path), types.ModuleType):
            walk.visit_module(sys.modules[path])


def visit_builtin(walk: Walk, x: Any) -> None:
    """A function that is not written in Python, and the object that it is bound to."""
    owner = getattr(x, "__self__", None)
    walk.add("builtin", f"{x.__module__}.{x.__qualname__}".encode())
    if owner is not None and not isinstance(owner, types.ModuleType):
        walk.visit(owner)


def visit_remembering(walk: Walk, x: Any) -> None:
    """What `functools.cache` makes: it may give results of before."""
    walk.visit_parts("cached", x.__wrapped__)
    if walk.with_caches and x.cache_info().currsize:
        walk.hidden(x)
