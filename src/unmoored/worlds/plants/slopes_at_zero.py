"""Derivatives by a tangent at zero: of functions that move their other arguments along it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...trace import Symbol, is_symbolic, jacobian, trace
from ...trace.embed import embedded
from ...trace.symbol import innermost, node_of


def shifted(y: np.ndarray, δ: np.ndarray) -> np.ndarray:
    """y + δ; of y there may be more entries, which stay: addresses behind the parameters."""
    own = δ.shape[-1]
    return y + δ if y.shape[-1] == own else np.concatenate([y[..., :own] + δ, y[..., own:]], axis=-1)


def at_zero(function: Callable[..., Any], size: int, t: Any, *arrays: np.ndarray) -> np.ndarray:
    """The Jacobian (..., m, size) by z; of one sample after the other where it is numbers."""
    derivative = jacobian(function, wrt=0)
    if is_symbolic(t, *arrays):
        return derivative(np.zeros(size), t, *arrays)
    batch = np.broadcast_shapes(np.shape(t), *(x.shape[:-1] for x in arrays))
    full = [np.broadcast_to(x, (*batch, x.shape[-1])) for x in arrays]
    times = np.broadcast_to(t, batch)
    found = [derivative(np.zeros(size), times[i], *(x[i] for x in full)) for i in np.ndindex(batch)]
    return np.reshape(found, (*batch, *np.shape(found[0])))


def written_out_jacobian(function: Callable[..., Any], arguments: tuple[Any, ...]) -> np.ndarray:
    """The derivatives (k, n) by the first argument, at symbols, written out: what is always zero is a number."""
    derivative = jacobian(trace(function, *map(np.shape, arguments), exact_zeros=False), wrt=0)
    graph: Any = innermost(*(x for part in arguments[1:] for x in np.ravel(part)))
    given = [node_of(graph, x) for part in arguments for x in np.asarray(part, dtype=object).ravel()]
    nodes = embedded(graph, derivative, given, folded=True)
    found = [graph.values.get(k, Symbol(graph, k)) for k in nodes]
    return np.array([*found, None], dtype=object)[:-1].reshape(derivative.output_shapes[0])
