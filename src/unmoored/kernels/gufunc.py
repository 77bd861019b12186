"""NumPy functions from machine code: generalised ufuncs, and the direct entry in front of them.

Both are made through NumPy's and Python's C interfaces, whose positions are part of their stable binary
interfaces (NumPy 1.26 to 2.x). Each keeps the code that it calls, and what else it points to, as long as it lives.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from .llvm_source import FIELDS
from .machine_code import LoadedCode

Shape = tuple[int, ...]
_UFUNC_FROM_SIGNATURE = 31
_ARRAY_TYPE, _ARRAY_RETURN, _ARRAY_NEW = 2, 76, 93
_METH_FASTCALL = 0x0080
_address = ctypes.c_void_p
#: fields of NumPy's ufunc object: functions, data, name, types, and an object that it keeps alive
_FUNCTIONS, _DATA, _NAME, _TYPES, _KEPT = 32, 40, 56, 64, 88
#: what ufuncs point to, where their fields lie elsewhere
_for_ever: list[Any] = []


class _Context(bytes):
    """Addresses for the direct entry, which is given this as its `self`, and so keeps `owned`."""

    owned: Any


class _MethodDefinition(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p), ("function", _address), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p),
    )  # fmt: skip


@cache
def _interfaces() -> tuple[Any, Any]:
    """Tables of NumPy's array and ufunc functions."""
    version = int(np.__version__.split(".")[0])
    core = import_module("numpy._core._multiarray_umath" if version >= 2 else "numpy.core._multiarray_umath")
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = _address, [ctypes.py_object, ctypes.c_char_p]
    tables = (core._ARRAY_API, 300), (core._UFUNC_API, 40)
    arrays, ufuncs = ((_address * size).from_address(pointer(capsule, None)) for capsule, size in tables)
    return arrays, ufuncs


def signature(inputs: Sequence[Shape], outputs: Sequence[Shape]) -> str:
    """NumPy's notation for the shapes, such as `(19),(13)->(13)`."""
    left, right = (
        ",".join(f"({','.join(map(str, shape))})" for shape in shapes) for shapes in (inputs, outputs)
    )
    return f"{left}->{right}"


def make_gufunc(
    code: LoadedCode, name: str, doc: str, inputs: Sequence[Shape], outputs: Sequence[Shape], dtype: np.dtype
) -> np.ufunc:
    """The generalised ufunc whose inner loop is the first function of the code."""
    _, ufuncs = _interfaces()
    maker = ctypes.PYFUNCTYPE(
        ctypes.py_object, _address, _address, _address, *[ctypes.c_int] * 4, ctypes.c_char_p, ctypes.c_char_p,
        ctypes.c_int, ctypes.c_char_p,
    )(ufuncs[_UFUNC_FROM_SIGNATURE])  # fmt: skip
    count = len(inputs) + len(outputs)
    loops, data = (_address * 1)(code.addresses[0]), (_address * 1)(0)
    types = (ctypes.c_char * count)(*[dtype.num] * count)
    texts = name.encode(), doc.encode(), signature(inputs, outputs).encode()
    pointers = [ctypes.addressof(thing) for thing in (loops, data, types)]
    made = maker(*pointers, 1, len(inputs), len(outputs), -1, texts[0], texts[1], 0, texts[2])
    _keep(made, (code, loops, data, types, texts), pointers)
    return made


def _keep(ufunc: np.ufunc, owned: Any, pointers: list[int]) -> None:
    """Let a ufunc keep an object: in the field where those made from Python functions keep theirs."""
    fields = (_address * 12).from_address(id(ufunc))
    known = [fields[place // 8] for place in (_FUNCTIONS, _DATA, _TYPES)] == pointers
    if object.__basicsize__ == 16 and known and fields[_KEPT // 8] is None:
        fields[_KEPT // 8] = id(owned)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(owned))
    else:
        _for_ever.append(owned)


def make_entry(
    code: LoadedCode,
    name: str,
    ufunc: np.ufunc,
    slow: Callable[..., Any],
    inputs: Sequence[Shape],
    dtype: np.dtype,
) -> Callable[..., Any]:
    """The second function of the code as the direct entry, which passes what it cannot take to `slow`; `slow` itself
    if it fails.

    It reads fields of arrays at fixed places, so it is tried out against the ufunc before it is used.
    """
    if (object.__basicsize__, bytes.__basicsize__, struct.calcsize("P")) != (16, 33, 8):
        return slow
    arrays, _ = _interfaces()
    if arrays[_ARRAY_TYPE] != id(np.ndarray):
        return slow
    python = {
        field: ctypes.cast(getattr(ctypes.pythonapi, field), _address).value
        for field in FIELDS if field.startswith(("PyObject_", "PyTuple_"))
    }  # fmt: skip
    known = {
        "array_type": id(np.ndarray), "descriptor": id(dtype), "slow": id(slow),
        "PyArray_New": arrays[_ARRAY_NEW], "PyArray_Return": arrays[_ARRAY_RETURN], **python,
    }  # fmt: skip
    context = _Context(struct.pack(f"{len(FIELDS)}P", *(known[field] for field in FIELDS)))
    definition = _MethodDefinition(name.encode(), code.addresses[1], _METH_FASTCALL, None)
    context.owned = (code, definition, slow, dtype)
    maker = ctypes.pythonapi.PyCFunction_NewEx
    maker.restype, maker.argtypes = ctypes.py_object, [_address, ctypes.py_object, _address]
    direct = maker(ctypes.addressof(definition), context, None)
    return direct if _agrees(direct, ufunc, inputs, dtype) else slow


def _agrees(direct: Callable[..., Any], ufunc: np.ufunc, inputs: Sequence[Shape], dtype: np.dtype) -> bool:
    """Whether the direct entry gives what the ufunc gives, types and shapes included."""
    samples = [np.full(shape, 0.25, dtype) for shape in inputs]
    with np.errstate(all="ignore"):
        pairs = [
            (result if isinstance(result, tuple) else (result,))
            for result in (direct(*samples), ufunc(*samples))
        ]
    return len(pairs[0]) == len(pairs[1]) and all(
        type(a) is type(b)
        and a.dtype == b.dtype
        and a.shape == b.shape
        and np.array_equal(a, b, equal_nan=True)
        for a, b in zip(*pairs, strict=True)
    )
