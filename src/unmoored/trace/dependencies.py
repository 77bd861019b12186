"""What a function of the user's depends on, as far as it can be seen: code, closure, globals, defaults, attributes.

Two fingerprints are equal if everything that was seen is; what cannot be seen into (iterators, random generators,
objects of other languages) is named. Files and clocks cannot be noticed at all.
"""

from __future__ import annotations

import collections
import dataclasses
import decimal
import enum
import functools
import hashlib
import os
import random
import sys
import types
import weakref
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from .code_digest import BOOKKEEPING, OWN, code_digest, generated, installed, known, names_in

#: what random numbers are drawn from
GENERATORS = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, random.Random)
#: a walk over more things than this is not finished
_LARGEST_WALK = 50_000
#: nor one through more functions
_MOST_FUNCTIONS = 2_000
#: flag of classes made at run time: others may keep data that Python does not show
_HEAP = 1 << 9


class Fingerprint(NamedTuple):
    """digest: of all that was seen.  code: names of functions and classes that are not this package's.  unseen: what
    could not be seen into.  kept: objects that are told apart by identity; as long as they are kept, no other has the
    same."""

    digest: bytes
    code: tuple[str, ...]
    unseen: tuple[str, ...]
    kept: tuple[Any, ...]

    @property
    def own(self) -> bool:
        """Whether all code is this package's."""
        return not self.code and not self.unseen


def fingerprint(*things: Any, with_caches: bool = True) -> Fingerprint:
    """The fingerprint of functions and data; with_caches: with the values that cached properties have kept."""
    walk = Walk()
    walk.with_caches = with_caches
    try:
        for thing in things:
            walk.visit(thing)
        walk.finish()
    except RecursionError:
        walk.unseen.append("data nested too deeply")
    return Fingerprint(walk.hash.digest(), tuple(walk.code), tuple(walk.unseen), tuple(walk.kept))


#: what stands for an object of a type: {type: function of the object}
_CONTENTS: dict[type, Callable[[Any], Any]] = {}
#: digests of frozen values of this package that cannot change: {id: (reference, digest)}
_digests: dict[int, tuple[weakref.ref, bytes]] = {}


def looks_inside(kind: type, content: Callable[[Any], Any]) -> None:
    """Let content(x) stand for objects x of a type and its subclasses."""
    _CONTENTS[kind] = content


class Walk:
    """Visits everything that can be reached from some things, and hashes it."""

    def __init__(self, busy: frozenset[int] = frozenset()):
        self.hash: Any = hashlib.blake2b(digest_size=16)
        self.fixed: bool = True
        self.code: list[str] = []
        self.unseen: list[str] = []
        self.kept: list[Any] = []
        self._order: dict[int, int] = {}
        self.with_caches = True
        self._busy = busy  # values around this one, whose walks are under way
        self._alive: list[Any] = []
        self._names: set[str] = (
            set()
        )  # all names in functions that were visited, and strings that could be names
        self._modules: dict[int, types.ModuleType] = {}  # those of the user's that were met
        self._looked_up: set[tuple[int, str]] = set()

    def visit(self, x: Any) -> None:
        """Take in one thing."""
        kind = type(x)
        plain = _PLAIN.get(kind)
        if plain is not None:
            self._add(kind.__name__, plain(x))
            if kind is str and x.isidentifier():
                self._names.add(x)
            return
        if kind is types.ModuleType:
            self._module(x)
            return
        met = self._order.get(id(x))
        if met is not None:
            self._add("again", met.to_bytes(4, "little"))
            return
        if id(x) in self._busy:
            self._add("cycle")
            self.fixed = False
            return
        if len(self._order) > _LARGEST_WALK:
            if len(self.unseen) < 2:
                self.unseen.append("more data than can be looked through")
            return
        self._order[id(x)] = len(self._order)
        self._alive.append(x)
        try:
            special = _VISITS.get(kind)
            if special is not None:
                special(self, x)
            else:
                self._object(x)
        except RecursionError:
            raise
        except Exception:  # an object that does not let itself be looked at
            self._hidden(x)

    def visit_all(self, tag: str, things: Iterable[Any]) -> None:
        """Take in several things."""
        things = list(things)
        self._add(tag, len(things).to_bytes(4, "little"))
        for x in things:
            self.visit(x)

    def finish(self) -> None:
        """Look up, in the modules that were met, all names that were met: a module may be handed to any function,
        and be looked into by a name in a string."""
        while True:
            found = [
                (module, name)
                for module in tuple(self._modules.values())
                for name in sorted(self._names & vars(module).keys())
                if (id(module), name) not in self._looked_up
            ]
            if not found:
                return
            for module, name in found:
                self._looked_up.add((id(module), name))
                self._add("global", name.encode())
                self.visit(vars(module)[name])

    def changeable(self, x: Any) -> None:
        """Called with every container that could change; x has been taken in as it is now."""
        self.fixed = False

    def _add(self, tag: str, content: bytes = b"") -> None:
        self.hash.update(tag.encode() + b":" + len(content).to_bytes(4, "little") + content)

    def _object(self, x: Any) -> None:
        """Anything of a type that is not one of Python's own."""
        kind = type(x)
        for base in kind.__mro__:
            if base in _CONTENTS:
                content = _CONTENTS[base]
                if _root(kind) == OWN:
                    self._own_value(x, lambda content=content: [content(x)])
                else:
                    self._add(_title(kind))
                    self._class(kind)
                    self.visit(content(x))
                return
        if isinstance(x, type):
            self._class(x)
        elif isinstance(x, np.ndarray):
            self._array(x)
            self._beyond(x, kind)
        elif isinstance(x, np.generic):
            self._array(np.asarray(x))
        elif isinstance(x, enum.Enum):
            self.visit(kind)
            self._add(_title(kind), str(x.name).encode())
            self.visit(x.value)
        elif isinstance(x, dict):
            self._mapping(x)
            self._beyond(x, kind)
            self.visit(getattr(x, "default_factory", None))
        elif isinstance(x, list | collections.deque):
            self._list(x)
            self._beyond(x, kind)
            self.visit(getattr(x, "maxlen", None))
        elif isinstance(x, set | frozenset):
            self._set(x)
            self._beyond(x, kind)
        elif isinstance(x, tuple):
            self.visit_all(_title(kind), x)
            self._beyond(x, kind)
        elif dataclasses.is_dataclass(x) and _root(kind) == OWN and kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
            self._own_value(x, lambda: [getattr(x, field.name) for field in dataclasses.fields(x)])
        elif _root(kind) == OWN and not getattr(kind, "_changes", False):
            self._by_identity(x)
        elif _root(kind) == OWN or isinstance(x, GENERATORS) or hasattr(kind, "__next__"):
            self._hidden(x)
        else:
            self._instance(x, kind)

    def _own_value(self, x: Any, parts: Callable[[], Iterable[Any]]) -> None:
        """A frozen value of this package: its digest is kept if nothing in it can change."""
        kept = _digests.get(id(x))
        if kept is not None and kept[0]() is x:
            self._add("value", kept[1])
            return
        inside = self._within(x)
        inside._add(_title(type(x)))
        for part in parts():
            inside.visit(part)
        digest = inside.hash.digest()
        self._add("value", digest)
        self._take_over(inside)
        if inside.fixed and not inside.code and not inside.unseen and not inside.kept:
            _digests[id(x)] = weakref.ref(x, functools.partial(_forget, id(x))), digest

    def _take_over(self, inside: Walk) -> None:
        """What a walk inside has met, all but its digest."""
        self.fixed = self.fixed and inside.fixed
        self.code += inside.code
        self.unseen += inside.unseen
        self.kept += inside.kept
        self._names |= inside._names
        self._modules.update(inside._modules)

    def _within(self, x: Any) -> Walk:
        inside = self._inside(x)
        inside.with_caches = self.with_caches
        return inside

    def _inside(self, x: Any) -> Walk:
        """A walk of its own through what is inside of x."""
        return Walk(self._busy | {id(x)})

    def _instance(self, x: Any, kind: type) -> None:
        """An object of a class of the user's or of another library: the class and all attributes."""
        if hasattr(kind, "__array__"):
            self._like_array(x)
            return
        attributes = _attributes(x)
        if (attributes is None and not slots(kind)) or any(
            not base.__flags__ & _HEAP for base in kind.__mro__[:-1]
        ):
            self._hidden(x)
            return
        self._beyond(x, kind)

    def _beyond(self, x: Any, kind: type) -> None:
        """The class and all attributes, beside what an object holds as an array or container."""
        self._class(kind)
        attributes, filled = _attributes(x), filled_slots(x, kind)
        if attributes:
            caches = () if self.with_caches else functools.cached_property
            shown = [
                item for item in attributes.items() if not isinstance(getattr(kind, item[0], None), caches)
            ]
            self.visit_all("attributes", [part for item in shown for part in item])
        if filled:
            self.visit_all("slots", [part for name in filled for part in (name, getattr(x, name))])
        if attributes is not None or slots(kind):
            self.changeable(x)

    def _class(self, kind: type) -> None:
        self._add("class", _title(kind).encode())
        if known(kind.__module__):
            return
        self.fixed = False
        self.changeable(kind)
        if type(kind) is not type:
            self.visit(type(kind))
        self.code.append(kind.__qualname__)
        for base in kind.__mro__:
            if not known(base.__module__):
                for name, x in tuple(vars(base).items()):
                    if name not in BOOKKEEPING and not generated(x):
                        self._add("name", name.encode())
                        self.visit(x)

    def _function(self, x: types.FunctionType) -> None:
        self._add("function", f"{x.__module__}.{x.__qualname__}".encode())
        self.visit_all("defaults", [x.__defaults__, x.__kwdefaults__])
        names = names_in(x.__code__)
        self._surroundings(x, names)
        self.visit_all("closure", x.__closure__ or ())
        if known(x.__module__ or ""):
            return
        self.fixed = False
        if len(self.code) > _MOST_FUNCTIONS:
            self.unseen[:] = self.unseen or ["more code than can be looked through"]
            return
        self.code.append(x.__qualname__)
        self._names |= names
        foreign = (x.__module__ or "").partition(".")[0] if installed(x.__module__ or "") else ""
        self._code(x)
        for name in sorted(names):
            # code that was installed is followed within its own package
            if name.startswith("@"):  # what pytest puts in for its words about an assertion
                continue
            if name in x.__globals__:
                if not foreign or _home(x.__globals__[name]) in ("builtins", foreign):
                    self._add("global", name.encode())
                    self.visit(x.__globals__[name])
            elif name in _UNFORESEEN and not foreign:
                self.unseen.append(f"{name} in {x.__qualname__}")
            elif not foreign:
                self._imported(x, name)
        if len(vars(x)):
            self.visit_all("attributes", [part for item in vars(x).items() for part in item])
        self.changeable(x)

    def _imported(self, x: types.FunctionType, name: str) -> None:
        """A module that a function imports itself."""
        package = x.__globals__.get("__package__")
        for path in (name, f"{package}.{name}"):
            if isinstance(sys.modules.get(path), types.ModuleType):
                self._module(sys.modules[path])

    def _surroundings(self, x: types.FunctionType, names: frozenset[str]) -> None:
        """The environment of the process, where a function may read it."""
        if x is os.getenv or (not _ENVIRONMENT.isdisjoint(names) and not known(x.__module__ or "")):
            self.visit_all("environment", sorted(os.environ.items()))

    def _code(self, x: types.FunctionType) -> None:
        self._add("code", code_digest(x.__code__))

    def _module(self, x: types.ModuleType) -> None:
        """Of a module of the user's, what the functions that were met may use: see `finish`."""
        self._add("module", x.__name__.encode())
        if not known(x.__name__) and id(x) not in self._modules:
            self.fixed = False
            self._modules[id(x)] = x
            self.changeable(x)

    def _array(self, x: np.ndarray) -> None:
        plain = np.asarray(x)
        if plain.dtype.hasobject:
            self.visit_all(f"objects{x.shape}{_dtype(plain.dtype)}", plain.ravel().tolist())
        else:
            content = np.ascontiguousarray(plain)
            self._add(f"array{x.shape}{_dtype(x.dtype)}")
            self.hash.update(
                content.tobytes() if content.dtype.names else content.data if content.size else b""
            )
        if x.flags.writeable:
            self.changeable(x)

    def _like_array(self, x: Any) -> None:
        try:
            content = np.asarray(x)
        except Exception:
            self._hidden(x)
        else:
            self._add(_title(type(x)))
            self._array(content)
            self.visit(_labels(x))
            if not known(type(x).__module__):
                self._beyond(x, type(x))
            self.changeable(x)

    def _list(self, x: Any) -> None:
        self.visit_all(type(x).__name__, x)
        self.changeable(x)

    def _mapping(self, x: Any) -> None:
        self.visit_all(type(x).__name__, [part for item in x.items() for part in item])
        self.changeable(x)

    def _set(self, x: Any) -> None:
        """In any order."""
        digests = []
        for part in x:
            inside = self._within(x)
            inside.visit(part)
            digests.append(inside.hash.digest())
            self._take_over(inside)
        self._add("set", b"".join(sorted(digests)))
        self.changeable(x)

    def _cell(self, x: types.CellType) -> None:
        try:
            content = x.cell_contents
        except ValueError:
            self._add("empty cell")
        else:
            self.visit(content)
        self.changeable(x)

    def _builtin(self, x: Any) -> None:
        owner = getattr(x, "__self__", None)
        self._add("builtin", f"{x.__module__}.{x.__qualname__}".encode())
        if owner is not None and not isinstance(owner, types.ModuleType):
            self.visit(owner)

    def _ufunc(self, x: np.ufunc) -> None:
        if all(
            set(kinds) <= set("O->") for kinds in x.types
        ):  # of `frompyfunc`: a function of Python's in it
            self._hidden(x)
        else:
            self._add("ufunc", x.__name__.encode())

    def _remembering(self, x: Any) -> None:
        """What `functools.cache` makes: it may give results of before."""
        self._parts("cached", x.__wrapped__)
        if self.with_caches and x.cache_info().currsize:
            self._hidden(x)

    def _parts(self, tag: str, *parts: Any) -> None:
        self.visit_all(tag, parts)

    def _by_identity(self, x: Any) -> None:
        """An object of this package that never changes, such as a kernel."""
        self._add(_title(type(x)), id(x).to_bytes(8, "little"))
        self.kept.append(x)

    def _hidden(self, x: Any) -> None:
        """What cannot be seen into."""
        self._add(_title(type(x)), id(x).to_bytes(8, "little"))
        self.unseen.append(_title(type(x)))
        self.fixed = False
        self.changeable(x)


_PLAIN: dict[type, Callable[[Any], bytes]] = {
    type(None): lambda x: b"",
    bool: lambda x: b"1" if x else b"0",
    int: lambda x: hex(x).encode(),
    float: lambda x: np.float64(x).tobytes(),
    complex: lambda x: np.complex128(x).tobytes(),
    str: lambda x: x.encode("utf-8", "surrogatepass"),
    bytes: lambda x: x,
    type(...): lambda x: b"",
    type(NotImplemented): lambda x: b"",
    range: lambda x: repr(x).encode(),
    np.float64: lambda x: x.tobytes(),
    decimal.Decimal: lambda x: repr(x).encode(),
    types.GenericAlias: lambda x: repr(x).encode(),
    types.UnionType: lambda x: repr(x).encode(),
}

_VISITS: dict[type, Callable[[Walk, Any], None]] = {
    tuple: lambda walk, x: walk.visit_all("tuple", x),
    list: Walk._list,
    dict: Walk._mapping,
    set: Walk._set,
    frozenset: Walk._set,
    np.ndarray: Walk._array,
    types.FunctionType: Walk._function,
    types.CellType: Walk._cell,
    types.BuiltinFunctionType: Walk._builtin,
    types.MethodType: lambda walk, x: walk._parts("method", x.__func__, x.__self__),
    types.MethodWrapperType: lambda walk, x: walk._parts("method", x.__name__, x.__self__),
    types.WrapperDescriptorType: lambda walk, x: walk._add("descriptor", x.__qualname__.encode()),
    types.MethodDescriptorType: lambda walk, x: walk._add("descriptor", x.__qualname__.encode()),
    types.MemberDescriptorType: lambda walk, x: walk._add("slot", x.__qualname__.encode()),
    types.GetSetDescriptorType: lambda walk, x: walk._add("slot", x.__qualname__.encode()),
    types.MappingProxyType: lambda walk, x: walk._parts("mapping", dict(x)),
    slice: lambda walk, x: walk._parts("slice", x.start, x.stop, x.step),
    property: lambda walk, x: walk._parts("property", x.fget, x.fset),
    staticmethod: lambda walk, x: walk._parts("static", x.__func__),
    classmethod: lambda walk, x: walk._parts("class", x.__func__),
    functools.cached_property: lambda walk, x: walk._parts("cached", x.func),
    functools.partial: lambda walk, x: walk._parts("partial", x.func, x.args, x.keywords),
    type(functools.lru_cache(len)): Walk._remembering,
    type(vars(collections.namedtuple("_OneField", "place"))["place"]): lambda walk, x: walk._parts(
        "field", x.__reduce__()[1]
    ),
    np.ufunc: Walk._ufunc,
    bytearray: lambda walk, x: walk._parts("bytes", bytes(x)),
    object: Walk._by_identity,
    np.dtype: lambda walk, x: walk._add("dtype", _dtype(x).encode()),
}

#: functions by which code may use names that it does not spell
_UNFORESEEN = frozenset(("eval", "exec", "globals", "__import__"))
_ENVIRONMENT = frozenset(("environ", "environb", "getenv", "getenvb"))


def _root(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _title(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _attributes(x: Any) -> dict[str, Any] | None:
    try:
        return x.__dict__
    except Exception:  # there are none, or a class has ideas of its own
        return None


def _home(x: Any) -> str:
    """The package that something is of; "builtins" for numbers, arrays and containers."""
    if isinstance(x, np.ndarray | np.generic):
        return "builtins"
    kind = type(x)
    if kind is types.ModuleType:
        return x.__name__.partition(".")[0]
    owner = x if kind is types.FunctionType or isinstance(x, type) else kind
    return (owner.__module__ or "").partition(".")[0]


def _dtype(dtype: np.dtype) -> str:
    return dtype.str if dtype.names is None else repr(dtype)


def _labels(x: Any) -> Any:
    """What names the entries of arrays of pandas and xarray."""
    shown = ("axes", "names", "dims", "name", "attrs")
    labels = [getattr(x, word, None) for word in shown if _root(type(x)) in ("pandas", "xarray")]
    coordinates = getattr(x, "coords", {}) if _root(type(x)) == "xarray" else {}
    return [tuple(label) if isinstance(label, list) else label for label in labels] + [
        (name, coordinate.dims, coordinate.values) for name, coordinate in sorted(coordinates.items())
    ]


def slots(kind: type) -> list[str]:
    """Names of the slots of a class, as its objects know them."""
    found = []
    for base in kind.__mro__:
        given = vars(base).get("__slots__", ())
        for name in (given,) if isinstance(given, str) else given:
            private = name.startswith("__") and not name.endswith("__")
            found.append(f"_{base.__name__.lstrip('_')}{name}" if private else name)
    return [name for name in found if name not in ("__weakref__", "__dict__")]


def filled_slots(x: Any, kind: type) -> list[str]:
    """Names of the slots of x that hold something."""
    return [name for name in slots(kind) if hasattr(x, name)]


def _forget(key: int, _: Any) -> None:
    _digests.pop(key, None)
