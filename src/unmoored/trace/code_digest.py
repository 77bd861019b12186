"""Digests of code, and whose code it is."""

from __future__ import annotations

import functools
import hashlib
import sys
import sysconfig
import types
import weakref

#: modules whose functions are known by their names: their code does not change while a process lives
_LIBRARIES = frozenset(
    (
        "numpy", "scipy", "matplotlib", "torch", "jax", "jaxlib", "casadi", "cupy", "llvmlite", "xarray", "pandas",
        "sympy", "numba", "sklearn", "pydantic", "typing_extensions", "mujoco", "pinocchio", "trimesh", "h5py", "zarr",
        "dask", "distributed", "gymnasium", "rich", "pytest", "_pytest", "hypothesis", "IPython",
    )
)  # fmt: skip
#: entries of a class that say nothing about what it does
BOOKKEEPING = frozenset(
    (
        "__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__dataclass_fields__",
        "__dataclass_params__", "__abstractmethods__", "_abc_impl", "__firstlineno__", "__static_attributes__",
        "__match_args__", "__qualname__", "__parameters__", "__orig_bases__", "__annotate_func__", "__slots__",
        "__annotations_cache__", "__hash__", "__slotnames__",
    )
)  # fmt: skip
OWN = __name__.partition(".")[0]


@functools.cache
def known(module: str) -> bool:
    """Whether a module is this package's, Python's or a library's, so that its names tell its code."""
    root = module.partition(".")[0]
    if root == OWN or root in _LIBRARIES or root in sys.builtin_module_names:
        return True
    file = getattr(sys.modules.get(root), "__file__", None)
    library = sysconfig.get_path("stdlib")
    return (
        root != "__main__" and file is not None and file.startswith(library) and "site-packages" not in file
    )


@functools.cache
def installed(module: str) -> bool:
    """Whether a module lies where packages are installed."""
    file = getattr(sys.modules.get(module.partition(".")[0]), "__file__", None) or ""
    return "site-packages" in file or "dist-packages" in file


_code_digests: weakref.WeakKeyDictionary[types.CodeType, tuple[bytes, frozenset[str]]]
_code_digests = weakref.WeakKeyDictionary()


def _code(code: types.CodeType) -> tuple[bytes, frozenset[str]]:
    """Digest of a code object, those in it included, and all names in it that may be global."""
    found = _code_digests.get(code)
    if found is None:
        inner = [_code(c) for c in code.co_consts if isinstance(c, types.CodeType)]
        constants = [
            repr(sorted(map(repr, c)))
            if isinstance(c, frozenset)
            else repr(c)  # whose order is no part of it
            for c in code.co_consts
            if not isinstance(c, types.CodeType)
        ]
        text = (
            code.co_code.hex(), constants, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars,
            code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, code.co_flags,
            [digest for digest, _ in inner], code.co_exceptiontable,
        )  # fmt: skip
        spelt = {
            c for c in code.co_consts if type(c) is str and c.isidentifier()
        }  # `getattr(module, "gain")`
        names = frozenset(code.co_names).union(spelt, *(names for _, names in inner))
        found = hashlib.blake2b(repr(text).encode(), digest_size=16).digest(), names
        _code_digests[code] = found
    return found


def code_digest(code: types.CodeType) -> bytes:
    """Digest of a code object, those in it included."""
    return _code(code)[0]


def names_in(code: types.CodeType) -> frozenset[str]:
    """All names in the code that may be global."""
    return _code(code)[1]


def generated(x: object) -> bool:
    """Whether a function was written by `dataclass`: its fields tell it."""
    return isinstance(x, types.FunctionType) and x.__code__.co_filename == "<string>"
