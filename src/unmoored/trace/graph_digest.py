"""The digest of a traced function: equal for functions that compute the same, operation by operation."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any

import numpy as np

from .node_order import live_nodes
from .traced import Traced


def graph_digest(*functions: Traced) -> str:
    """Digest of the operations, constants by their bits, and sub-functions of traced functions: the same everywhere."""
    known: dict[int, str] = {}
    return hashlib.sha256(" ".join(_digest(function, known) for function in functions).encode()).hexdigest()


def _digest(x: Any, known: dict[int, str]) -> str:
    if id(x) not in known:
        found = hashlib.sha256()
        for part in _of_function(x, known) if isinstance(x, Traced) else _of_part(x, known):
            found.update(part.encode() + b"\0")
        known[id(x)] = found.hexdigest()
    return known[id(x)]


def _of_function(x: Traced, known: dict[int, str]) -> list[str]:
    nodes = x.graph.nodes
    live = [(k, nodes[k]) for k in live_nodes(x.graph, x.flat_outputs)]
    parts = [_digest(part, known) for part in x.graph.parts]
    return [x.name, repr((x.input_shapes, x.outputs, x.output_shapes, x.single, live)), *parts]


def _of_part(x: Any, known: dict[int, str]) -> list[str]:
    """A scan and its like: functions and tables."""
    if isinstance(x, np.ndarray):
        return [f"{x.shape}{x.dtype.str}", hashlib.sha256(np.ascontiguousarray(x).data).hexdigest()]
    if isinstance(x, tuple | list):
        return [type(x).__name__, *(_digest(part, known) for part in x)]
    if dataclasses.is_dataclass(x):
        parts = [_digest(getattr(x, field.name), known) for field in dataclasses.fields(x)]
        return [type(x).__name__, *parts]
    if not isinstance(x, str | int | float | bool | None):
        raise TypeError(f"{type(x).__name__} has no digest")
    return [repr(x)]
