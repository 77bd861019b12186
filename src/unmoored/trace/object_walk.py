"""A walk through everything that can be reached from functions and data: objects, containers, arrays."""

from __future__ import annotations

import collections
import dataclasses
import decimal
import enum
import functools
import hashlib
import os
import random
import types
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .code_digest import OWN, code_digest, known
from .code_walk import visit_builtin, visit_class, visit_function, visit_remembering
from .object_parts import attributes_of, dtype_text, filled_slots, labels, root, slots, title

#: what random numbers are drawn from
GENERATORS = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, random.Random)
#: a walk over more things than this is not finished
_LARGEST_WALK = 50_000
#: flag of classes made at run time: others may keep data that Python does not show
_HEAP = 1 << 9


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
        self.names: set[str] = (
            set()
        )  # all names in functions that were visited, and strings that could be names
        self.modules: dict[int, types.ModuleType] = {}  # those of the user's that were met
        self._looked_up: set[tuple[int, str]] = set()

    def visit(self, x: Any) -> None:
        """Take in one thing."""
        kind = type(x)
        plain = _PLAIN.get(kind)
        if plain is not None:
            self.add(kind.__name__, plain(x))
            if kind is str and x.isidentifier():
                self.names.add(x)
            return
        if kind is types.ModuleType:
            self.visit_module(x)
            return
        met = self._order.get(id(x))
        if met is not None:
            self.add("again", met.to_bytes(4, "little"))
            return
        if id(x) in self._busy:
            self.add("cycle")
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
            self.hidden(x)

    def visit_all(self, tag: str, things: Iterable[Any]) -> None:
        """Take in several things."""
        things = list(things)
        self.add(tag, len(things).to_bytes(4, "little"))
        for x in things:
            self.visit(x)

    def finish(self) -> None:
        """Look up, in the modules that were met, all names that were met: a module may be handed to any function,
        and be looked into by a name in a string."""
        while True:
            found = [
                (module, name)
                for module in tuple(self.modules.values())
                for name in sorted(self.names & vars(module).keys())
                if (id(module), name) not in self._looked_up
            ]
            if not found:
                return
            for module, name in found:
                self._looked_up.add((id(module), name))
                self.add("global", name.encode())
                self.visit(vars(module)[name])

    def changeable(self, x: Any) -> None:
        """Called with every container that could change; x has been taken in as it is now."""
        self.fixed = False

    def add(self, tag: str, content: bytes = b"") -> None:
        """Take in a tag with content of its own."""
        self.hash.update(tag.encode() + b":" + len(content).to_bytes(4, "little") + content)

    def _object(self, x: Any) -> None:
        """Anything of a type that is not one of Python's own."""
        kind = type(x)
        for base in kind.__mro__:
            if base in _CONTENTS:
                content = _CONTENTS[base]
                if root(kind) == OWN:
                    self._own_value(x, lambda content=content: [content(x)])
                else:
                    self.add(title(kind))
                    visit_class(self, kind)
                    self.visit(content(x))
                return
        if isinstance(x, type):
            visit_class(self, x)
        elif isinstance(x, np.ndarray):
            self._array(x)
            self._beyond(x, kind)
        elif isinstance(x, np.generic):
            self._array(np.asarray(x))
        elif isinstance(x, enum.Enum):
            self.visit(kind)
            self.add(title(kind), str(x.name).encode())
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
            self.visit_all(title(kind), x)
            self._beyond(x, kind)
        elif dataclasses.is_dataclass(x) and root(kind) == OWN and kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
            self._own_value(x, lambda: [getattr(x, field.name) for field in dataclasses.fields(x)])
        elif root(kind) == OWN and not getattr(kind, "_changes", False):
            self._by_identity(x)
        elif root(kind) == OWN or isinstance(x, GENERATORS) or hasattr(kind, "__next__"):
            self.hidden(x)
        else:
            self._instance(x, kind)

    def _own_value(self, x: Any, parts: Callable[[], Iterable[Any]]) -> None:
        """A frozen value of this package: its digest is kept if nothing in it can change."""
        kept = _digests.get(id(x))
        if kept is not None and kept[0]() is x:
            self.add("value", kept[1])
            return
        inside = self._within(x)
        inside.add(title(type(x)))
        for part in parts():
            inside.visit(part)
        digest = inside.hash.digest()
        self.add("value", digest)
        self._take_over(inside)
        if inside.fixed and not inside.code and not inside.unseen and not inside.kept:
            _digests[id(x)] = weakref.ref(x, functools.partial(_forget, id(x))), digest

    def _take_over(self, inside: Walk) -> None:
        """What a walk inside has met, all but its digest."""
        self.fixed = self.fixed and inside.fixed
        self.code += inside.code
        self.unseen += inside.unseen
        self.kept += inside.kept
        self.names |= inside.names
        self.modules.update(inside.modules)

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
        attributes = attributes_of(x)
        if (attributes is None and not slots(kind)) or any(
            not base.__flags__ & _HEAP for base in kind.__mro__[:-1]
        ):
            self.hidden(x)
            return
        self._beyond(x, kind)

    def _beyond(self, x: Any, kind: type) -> None:
        """The class and all attributes, beside what an object holds as an array or container."""
        visit_class(self, kind)
        attributes, filled = attributes_of(x), filled_slots(x, kind)
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

    def surroundings(self, x: types.FunctionType, names: frozenset[str]) -> None:
        """The environment of the process, where a function may read it."""
        if x is os.getenv or (not _ENVIRONMENT.isdisjoint(names) and not known(x.__module__ or "")):
            self.visit_all("environment", sorted(os.environ.items()))

    def source(self, x: types.FunctionType) -> None:
        """Take in the code of a function."""
        self.add("code", code_digest(x.__code__))

    def visit_module(self, x: types.ModuleType) -> None:
        """Of a module of the user's, what the functions that were met may use: see `finish`."""
        self.add("module", x.__name__.encode())
        if not known(x.__name__) and id(x) not in self.modules:
            self.fixed = False
            self.modules[id(x)] = x
            self.changeable(x)

    def _array(self, x: np.ndarray) -> None:
        plain = np.asarray(x)
        if plain.dtype.hasobject:
            self.visit_all(f"objects{x.shape}{dtype_text(plain.dtype)}", plain.ravel().tolist())
        else:
            content = np.ascontiguousarray(plain)
            self.add(f"array{x.shape}{dtype_text(x.dtype)}")
            self.hash.update(
                content.tobytes() if content.dtype.names else content.data if content.size else b""
            )
        if x.flags.writeable:
            self.changeable(x)

    def _like_array(self, x: Any) -> None:
        try:
            content = np.asarray(x)
        except Exception:
            self.hidden(x)
        else:
            self.add(title(type(x)))
            self._array(content)
            self.visit(labels(x))
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
        self.add("set", b"".join(sorted(digests)))
        self.changeable(x)

    def _cell(self, x: types.CellType) -> None:
        try:
            content = x.cell_contents
        except ValueError:
            self.add("empty cell")
        else:
            self.visit(content)
        self.changeable(x)

    def _ufunc(self, x: np.ufunc) -> None:
        if all(
            set(kinds) <= set("O->") for kinds in x.types
        ):  # of `frompyfunc`: a function of Python's in it
            self.hidden(x)
        else:
            self.add("ufunc", x.__name__.encode())

    def visit_parts(self, tag: str, *parts: Any) -> None:
        """Take in several things, one by one."""
        self.visit_all(tag, parts)

    def _by_identity(self, x: Any) -> None:
        """An object of this package that never changes, such as a kernel."""
        self.add(title(type(x)), id(x).to_bytes(8, "little"))
        self.kept.append(x)

    def hidden(self, x: Any) -> None:
        """What cannot be seen into."""
        self.add(title(type(x)), id(x).to_bytes(8, "little"))
        self.unseen.append(title(type(x)))
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
    types.FunctionType: visit_function,
    types.CellType: Walk._cell,
    types.BuiltinFunctionType: visit_builtin,
    types.MethodType: lambda walk, x: walk.visit_parts("method", x.__func__, x.__self__),
    types.MethodWrapperType: lambda walk, x: walk.visit_parts("method", x.__name__, x.__self__),
    types.WrapperDescriptorType: lambda walk, x: walk.add("descriptor", x.__qualname__.encode()),
    types.MethodDescriptorType: lambda walk, x: walk.add("descriptor", x.__qualname__.encode()),
    types.MemberDescriptorType: lambda walk, x: walk.add("slot", x.__qualname__.encode()),
    types.GetSetDescriptorType: lambda walk, x: walk.add("slot", x.__qualname__.encode()),
    types.MappingProxyType: lambda walk, x: walk.visit_parts("mapping", dict(x)),
    slice: lambda walk, x: walk.visit_parts("slice", x.start, x.stop, x.step),
    property: lambda walk, x: walk.visit_parts("property", x.fget, x.fset),
    staticmethod: lambda walk, x: walk.visit_parts("static", x.__func__),
    classmethod: lambda walk, x: walk.visit_parts("class", x.__func__),
    functools.cached_property: lambda walk, x: walk.visit_parts("cached", x.func),
    functools.partial: lambda walk, x: walk.visit_parts("partial", x.func, x.args, x.keywords),
    type(functools.lru_cache(len)): visit_remembering,
    type(vars(collections.namedtuple("_OneField", "place"))["place"]): lambda walk, x: walk.visit_parts(
        "field", x.__reduce__()[1]
    ),
    np.ufunc: Walk._ufunc,
    bytearray: lambda walk, x: walk.visit_parts("bytes", bytes(x)),
    object: Walk._by_identity,
    np.dtype: lambda walk, x: walk.add("dtype", dtype_text(x).encode()),
}

#: names by which the environment of the process is read
_ENVIRONMENT = frozenset(("environ", "environb", "getenv", "getenvb"))


def _forget(key: int, _: Any) -> None:
    _digests.pop(key, None)
