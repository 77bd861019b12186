"""A plain NumPy interpreter of the graph: the meaning of every operation, for tests and checks."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..error_roots import ArrayError
from .graph import float_of, operands
from .loop_program import FAR, ListWriter
from .scan import Scan, run_items
from .traced import Traced


def _rounded_once(a: Any, b: Any, c: Any) -> Any:
    """a*b + c; extended precision keeps almost all of the product."""
    wide = np.longdouble
    return np.asarray(np.asarray(a, wide) * np.asarray(b, wide) + np.asarray(c, wide), float)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative,
    "fma": _rounded_once, "sqrt": np.sqrt, "abs": np.abs, "min": np.minimum, "max": np.maximum,
    "floor": np.floor, "rint": np.rint, "copysign": np.copysign,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "atan2": np.arctan2, "exp": np.exp, "log": np.log, "tanh": np.tanh,
    "lt": np.less, "le": np.less_equal, "eq": np.equal, "ne": np.not_equal,
    "and": np.logical_and, "or": np.logical_or, "not": np.logical_not, "select": np.where,
    "pow2": np.exp2, "exponent": lambda x: np.frexp(x)[1] - 1.0,
    "mantissa": lambda x: np.frexp(np.abs(x))[0] * 2.0,
    "bit0": lambda x: np.asarray(x, float).view(np.int64) & 1 != 0,
    "bit1": lambda x: np.asarray(x, float).view(np.int64) & 2 != 0,
}  # fmt: skip


def _real(traced: Traced, k: int, x: Any) -> np.ndarray:
    array = np.asarray(x)
    if array.dtype.kind not in "biuf":
        raise ArrayError(f"{traced.name}: argument {k} must have real numbers, got {array.dtype.name}")
    return array.astype(float, copy=False)


def evaluate(traced: Traced, *arrays: Any) -> Any:
    """Outputs of the traced function for numeric inputs (..., *shape); leading dimensions are a batch."""
    inputs = [_real(traced, k, array) for k, array in enumerate(arrays)]
    if len(inputs) != len(traced.input_shapes):
        raise ArrayError(f"{traced.name} takes {len(traced.input_shapes)} arrays, got {len(inputs)}")
    flat: list[np.ndarray] = []
    batches = []
    for k, (array, shape) in enumerate(zip(inputs, traced.input_shapes, strict=True)):
        cut = array.ndim - len(shape)
        if cut < 0 or array.shape[cut:] != shape:
            raise ArrayError(f"{traced.name}: argument {k} must have shape (..., {shape}), got {array.shape}")
        batches.append(array.shape[:cut])
        columns = array.reshape((*array.shape[:cut], -1))
        flat.extend(columns[..., j] for j in range(columns.shape[-1]))
    batch = np.broadcast_shapes(*batches)
    values = _run(traced, flat)
    results = []
    for indices, shape in zip(traced.outputs, traced.output_shapes, strict=True):
        columns = [np.broadcast_to(values[index], batch) for index in indices]
        stacked = np.stack(columns, axis=-1) if columns else np.zeros((*batch, 0))
        results.append(stacked.reshape(batch + shape)[()])
    return results[0] if traced.single else tuple(results)


def _run(traced: Traced, flat: list[np.ndarray]) -> dict[int, Any]:
    graph, values = traced.graph, {}
    with np.errstate(all="ignore"):
        for index in traced.live:
            node = graph.nodes[index]
            operation = node[0]
            if operation == "const":
                values[index] = float_of(node[1])
            elif operation == "input":
                values[index] = flat[node[1]]
            elif operation in ("true", "false"):
                values[index] = operation == "true"
            elif operation == "call":
                part = graph.parts[node[1]]
                inner = _run(part, [np.asarray(values[k]) for k in node[2:]])
                values[index] = [inner[k] for k in part.flat_outputs]
            elif operation == "scan":
                values[index] = _run_scan(graph.parts[node[1]], [values[k] for k in node[2:]])
            elif operation == "loop":
                values[index] = _NUMBERS.run(graph.parts[node[1]], [np.asarray(values[k]) for k in node[2:]])
            elif operation == "result":
                values[index] = values[node[1]][node[2]]
            else:
                values[index] = OPERATIONS[operation](*(values[k] for k in operands(node)))
    return values


def _run_scan(scan: Scan, operands: list[Any]) -> list[Any]:
    """Results of a scan, laid out as in memory."""

    def run(item: int, arriving: list[Any]) -> tuple[list[Any], list[Any]]:
        kind, first = scan.kinds[item], scan.variables[item]
        step = scan.steps[kind]
        own = operands[first : first + step.input_shapes[2][0]]
        values = _run(step, [np.asarray(x) for x in (*scan.tables[kind][scan.rows[item]], *arriving, *own)])
        message, kept = ([values[k] for k in output] for output in step.outputs)
        return message, kept

    return run_items(scan, operands[: scan.carry], run, np.add)


class _Numbers(ListWriter):
    """Programs run on arrays (...) of samples."""

    def constant(self, value: float) -> Any:
        return np.asarray(value)

    def number(self, index: Any) -> Any:
        return np.asarray(float(index))

    def apply(self, operation: str, *values: Any) -> Any:
        return OPERATIONS[operation](*values)

    def unless(self, flag: Any, body: Callable[[], Any]) -> None:
        if not np.all(flag >= 0.5):
            body()

    def call(self, part: Traced, arguments: Any, results: Any) -> None:
        count = part.input_offsets[-1]
        values = _run(part, [np.asarray(self.load(arguments, k)) for k in range(count)])
        for k, index in enumerate(part.flat_outputs):
            self.store(results, k, values[index])

    def gather(self, array: Any, size: int, place: Any) -> Any:
        entries = np.broadcast_arrays(place, *(self.load(array, k) for k in range(size)))
        chosen = np.nan_to_num(entries[0]).astype(int)[None]
        return np.take_along_axis(np.stack(entries[1:]), chosen, axis=0)[0]

    def far(self, handle: Sequence[Any]) -> Any:
        mark, *parts = (float(np.ravel(number)[0]) for number in handle)
        return sum(int(x) << 16 * k for k, x in enumerate(parts)) if mark == FAR else None

    def known(self, double: np.ndarray, single: np.ndarray) -> Any:
        return double

    def fetch(self, far: Any, first: int, place: Any) -> Any:
        if isinstance(far, np.ndarray):
            return far[np.asarray(place).astype(int) + first]
        if far is None:
            return np.full(np.shape(place), np.nan)
        places = np.asarray(place).astype(int) + first
        memory = np.ctypeslib.as_array((ctypes.c_double * (int(places.max()) + 1)).from_address(far))
        return memory[places]

    def scatter_add(self, array: Any, size: int, place: Any, value: Any) -> None:
        for k in range(size):
            old = self.load(array, k)
            self.store(array, k, np.where(place == k, old + value, old))


_NUMBERS = _Numbers()


def run_program(part: Any, *operands: Any) -> np.ndarray:
    """The results (..., size) of a program for arrays (..., n) of its operands."""
    arrays = [np.asarray(array, dtype=float) for array in operands]
    flat = [array[..., k] for array in arrays for k in range(array.shape[-1])]
    with np.errstate(all="ignore"):
        return np.stack(np.broadcast_arrays(*_NUMBERS.run(part, flat)), axis=-1)
