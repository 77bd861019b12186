"""A digest of what an object says, the same in every process: to tell whether two plants, laws or events are the same.

Frozen values by their fields, arrays by their bits, graphs by their nodes, functions by their source and what they
capture. Notes and pictures (`visuals`, `description`, …) do not count. What a function reads elsewhere (files, clocks,
counters of its own) cannot be seen.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..trace import graph_digest, trace
from ..trace.graph import Graph
from ..trace.kept_data import Snapshot

_LEFT_OUT = frozenset(("visuals", "description", "sources", "assumptions"))
_PLAIN = (int, float, complex, str, bytes, bool, type(None))


def fingerprint(x: Any) -> str:
    """64 hexadecimal digits for what x says."""
    digest = hashlib.sha256()
    for token in _tokens(x, {}):
        digest.update(token.encode() + b"\0")
    return digest.hexdigest()


def traced_fingerprint(function: Callable[..., Any], *shapes: tuple[int, ...]) -> str:
    """The digest of the graph that a function makes of arrays of these shapes; of its source if it makes none."""
    before = Snapshot(function)
    try:
        return graph_digest(trace(function, *shapes, name="compared"))
    except Exception:
        return fingerprint(function)
    finally:
        before.restore()


def _tokens(x: Any, seen: dict[int, Any]) -> Any:
    if isinstance(x, _PLAIN):
        yield f"{type(x).__name__} {x!r}"
        return
    if isinstance(x, np.ndarray | np.generic) and x.dtype != object:
        yield f"array {x.dtype.str} {x.shape} {hashlib.sha256(np.ascontiguousarray(x).tobytes()).hexdigest()}"
        return
    if id(x) in seen:
        yield "again"
        return
    seen[id(x)] = x  # kept, so that no other object takes its place in memory
    yield f"{type(x).__module__}.{type(x).__qualname__}"
    for part in _parts(x):
        yield from _tokens(part, seen)
    yield "end"


def _parts(x: Any) -> Any:
    """What an object is made of."""
    if isinstance(x, Mapping):
        return [part for item in sorted(x.items(), key=lambda item: str(item[0])) for part in item]
    if isinstance(x, frozenset | set):
        return sorted(map(fingerprint, x))
    if isinstance(x, tuple | list | np.ndarray):
        return list(x)
    if isinstance(x, type | types.ModuleType | types.BuiltinFunctionType):
        return [getattr(x, "__module__", ""), getattr(x, "__qualname__", x.__name__)]
    if isinstance(x, types.MethodType):
        return [x.__func__, x.__self__]
    if isinstance(x, types.FunctionType):
        return _of_function(x)
    if isinstance(x, Graph):
        return [x.nodes, x.parts]
    if dataclasses.is_dataclass(x):
        fields = [field.name for field in dataclasses.fields(x) if field.name not in _LEFT_OUT]
        return [part for name in fields for part in (name, getattr(x, name, None))]
    state = getattr(x, "__dict__", None) or {
        name: getattr(x, name, None) for name in getattr(type(x), "__slots__", ())
    }
    own = type(x).__call__ if callable(x) else None
    return [dict(state), own if isinstance(own, types.FunctionType) else None]


def _of_function(function: types.FunctionType) -> list[Any]:
    code = function.__code__
    try:
        text: Any = inspect.getsource(function)
    except (OSError, TypeError):
        text = [code.co_code, [c for c in code.co_consts if isinstance(c, _PLAIN)]]
    captured = [_content(cell) for cell in function.__closure__ or ()]
    used = {name: function.__globals__[name] for name in code.co_names if name in function.__globals__}
    plain = {name: value for name, value in used.items() if _counts(value, function)}
    return [function.__qualname__, text, captured, function.__defaults__, function.__kwdefaults__, plain]


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


def _counts(value: Any, function: types.FunctionType) -> bool:
    """Whether a global belongs to what a function says: numbers, and functions of the same module."""
    own = isinstance(value, types.FunctionType) and value.__module__ == function.__module__
    return own or isinstance(value, (*_PLAIN, tuple, list, dict, np.ndarray))
