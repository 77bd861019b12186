"""What a function of the user's depends on, as far as it can be seen: code, closure, globals, defaults, attributes.

Two fingerprints are equal if everything that was seen is; what cannot be seen into (iterators, random generators,
objects of other languages) is named. Files and clocks cannot be noticed at all.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import hashlib
import types
import weakref
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from .code_digest import BOOKKEEPING, OWN, code_digest, generated, installed, known, names_in

#: a walk over more things than this is not finished
_LARGEST_WALK = 50_000
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


def fingerprint(*things: Any) -> Fingerprint:
    """The fingerprint of functions and data."""
    walk = Walk()
    for thing in things:
        walk.visit(thing)
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
        self._busy = busy  # values around this one, whose walks are under way
        self._alive: list[Any] = []
        self._names: frozenset[str] = frozenset()  # those in the function that is being visited
        self._looked_up: set[tuple[int, str]] = set()

    def visit(self, x: Any) -> None:
        """Take in one thing."""
        kind = type(x)
        plain = _PLAIN.get(kind)
        if plain is not None:
            self._add(kind.__name__, plain(x))
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
        special = _VISITS.get(kind)
        if special is not None:
            special(self, x)
        else:
            self._object(x, kind)

    def visit_all(self, tag: str, things: Iterable[Any]) -> None:
        """Take in several things."""
        things = list(things)
        self._add(tag, len(things).to_bytes(4, "little"))
        for x in things:
            self.visit(x)

    def changeable(self, x: Any) -> None:
        """Called with every container that could change; x has been taken in as it is now."""
        self.fixed = False

    def _add(self, tag: str, content: bytes = b"") -> None:
        self.hash.update(tag.encode() + b":" + len(content).to_bytes(4, "little") + content)

    def _object(self, x: Any, kind: type) -> None:
        """Anything of a type that is not one of Python's own."""
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
        elif isinstance(x, np.generic):
            self._add(kind.__name__, x.tobytes())
        elif isinstance(x, enum.Enum):
            self._add(_title(kind), x.name.encode())
        elif isinstance(x, dict):
            self._mapping(x)
        elif isinstance(x, list | collections.deque):
            self._list(x)
        elif isinstance(x, tuple):
            self.visit_all(_title(kind), x)
        elif dataclasses.is_dataclass(x) and _root(kind) == OWN and kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
            self._own_value(x, lambda: [getattr(x, field.name) for field in dataclasses.fields(x)])
        elif _root(kind) == OWN:
            self._by_identity(x)
        elif isinstance(x, np.random.Generator | np.random.RandomState) or hasattr(kind, "__next__"):
            self._hidden(x)
        else:
            self._instance(x, kind)

    def _own_value(self, x: Any, parts: Callable[[], Iterable[Any]]) -> None:
        """A frozen value of this package: its digest is kept if nothing in it can change."""
        kept = _digests.get(id(x))
        if kept is not None and kept[0]() is x:
            self._add("value", kept[1])
            return
        inside = self._inside(x)
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

    def _inside(self, x: Any) -> Walk:
        """A walk of its own through what is inside of x."""
        return Walk(self._busy | {id(x)})

    def _instance(self, x: Any, kind: type) -> None:
        """An object of a class of the user's or of another library: the class and all attributes."""
        attributes = getattr(x, "__dict__", None)
        slots = [name for base in kind.__mro__ for name in _slots(base) if hasattr(x, name)]
        if hasattr(kind, "__array__"):
            self._like_array(x)
            return
        if (attributes is None and not slots) or any(
            not base.__flags__ & _HEAP for base in kind.__mro__[:-1]
        ):
            self._hidden(x)
            return
        self._class(kind)
        caches = functools.cached_property
        shown = {
            k: a for k, a in (attributes or {}).items() if not isinstance(getattr(kind, k, None), caches)
        }
        self.visit_all("attributes", [part for item in shown.items() for part in item])
        self.visit_all("slots", [getattr(x, name) for name in slots])
        if attributes is not None:
            self.changeable(x)

    def _class(self, kind: type) -> None:
        self._add("class", _title(kind).encode())
        if known(kind.__module__):
            return
        self.fixed = False
        self.code.append(kind.__qualname__)
        for base in kind.__mro__:
            if not known(base.__module__) and not installed(base.__module__):
                for name, x in tuple(vars(base).items()):
                    if name not in BOOKKEEPING and not generated(x):
                        self._add("name", name.encode())
                        self.visit(x)

    def _function(self, x: types.FunctionType) -> None:
        self._add("function", f"{x.__module__}.{x.__qualname__}".encode())
        self.visit_all("defaults", [x.__defaults__, x.__kwdefaults__])
        names, outer, foreign = names_in(x.__code__), self._names, installed(x.__module__ or "")
        self._names = names
        self.visit_all("closure", x.__closure__ or ())
        if known(x.__module__ or ""):
            self._names = outer
            return
        self.fixed = False
        self.code.append(x.__qualname__)
        self._code(x)
        for name in sorted(names):
            # of code that was installed only the numbers count: it is not walked through
            if name.startswith("@"):  # what pytest puts in for its words about an assertion
                continue
            if name in x.__globals__ and (not foreign or _is_data(x.__globals__[name])):
                self._add("global", name.encode())
                self.visit(x.__globals__[name])
        self._names = outer
        if len(vars(x)):
            self.visit_all("attributes", [part for item in vars(x).items() for part in item])
        self.changeable(x)

    def _code(self, x: types.FunctionType) -> None:
        self._add("code", code_digest(x.__code__))

    def _module(self, x: types.ModuleType) -> None:
        """Of a module of the user's, what the function that names it may use."""
        self._add("module", x.__name__.encode())
        if not known(x.__name__):
            self.fixed = False
            for name in sorted(self._names & vars(x).keys()):
                self._add("global", name.encode())
                if (id(x), name) not in self._looked_up:
                    self._looked_up.add((id(x), name))
                    self.visit(vars(x)[name])

    def _array(self, x: np.ndarray) -> None:
        if x.dtype == object:
            self.visit_all(f"objects{x.shape}", x.ravel().tolist())
        else:
            content = np.ascontiguousarray(x)
            self._add(f"array{x.shape}{x.dtype.str}")
            self.hash.update(content.data if content.size else b"")
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
            inside = self._inside(x)
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
    int: lambda x: str(x).encode(),
    float: lambda x: np.float64(x).tobytes(),
    complex: lambda x: np.complex128(x).tobytes(),
    str: lambda x: x.encode("utf-8", "surrogatepass"),
    bytes: lambda x: x,
    type(...): lambda x: b"",
    type(NotImplemented): lambda x: b"",
    range: lambda x: repr(x).encode(),
    np.ufunc: lambda x: x.__name__.encode(),
    np.float64: lambda x: x.tobytes(),
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
    type(functools.lru_cache(len)): lambda walk, x: walk._parts("cached", x.__wrapped__),
    bytearray: lambda walk, x: walk._parts("bytes", bytes(x)),
    np.dtype: lambda walk, x: walk._add("dtype", x.str.encode()),
}


def _is_data(x: Any) -> bool:
    return type(x) in _PLAIN or isinstance(x, np.ndarray)


def _root(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _title(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _slots(kind: type) -> tuple[str, ...]:
    slots = vars(kind).get("__slots__", ())
    return tuple(name for name in ((slots,) if isinstance(slots, str) else slots) if name != "__weakref__")


def _forget(key: int, _: Any) -> None:
    _digests.pop(key, None)
