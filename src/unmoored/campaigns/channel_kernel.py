"""Channels of many samples at once, each with its own parameters, as one compiled function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import kernels
from ..dynamics.free_numbers import with_parameters
from ..kernels import cuda
from ..kernels.cuda import device
from ..lie.arrays import vector
from ..simulation.channel import channel
from ..worlds import Plant


class ChannelKernel:
    """Values of named channels; see `channel`."""

    def __init__(self, plant: Plant, names: tuple[str, ...], backend: str, dtype: str):
        self.names, self._parameters = names, len(plant.nominal_parameters)
        self._kernel: Any = None
        if not names:
            return
        module = cuda if backend == "cuda" else kernels
        options = {"name": "channels", "dtype": dtype, "exact_zeros": False, "watched": True}
        self._kernel = module.compile(*channel_function(plant, names), **options)

    def __call__(self, t: Any, q: Any, v: Any, p: Any) -> Any:
        """Values (S, T, channels), NaN where q is: t (T,) or (S, T), q (S, T, nq), v (S, T, nv), p (S, n) or None."""
        xp = device.cupy() if cuda.on_device(q) else np
        if self._kernel is None:
            return xp.zeros((*q.shape[:2], 0))
        t = xp.broadcast_to(xp.asarray(t, dtype=q.dtype), q.shape[:2])[..., None]
        given = (t, q, v)
        if self._parameters:
            given = (*given, xp.asarray(p, dtype=q.dtype)[:, None, :])
        return self._kernel(*given)


def channel_function(
    plant: Plant, names: tuple[str, ...]
) -> tuple[Callable[..., np.ndarray], list[tuple[int, ...]]]:
    """(function of t (1,), q (nq,), v (nv,) and p (n,), if there are parameters, to values (channels,); its shapes)."""
    tree, count = plant.system.tree, len(plant.nominal_parameters)

    def values(t: np.ndarray, q: np.ndarray, v: np.ndarray, p: Any = None) -> np.ndarray:
        own = tree if p is None else with_parameters(tree, plant._declared, p)
        return vector([channel(own, name)(t[..., 0], q, v) for name in names])

    return values, [(1,), (plant.nq,), (plant.nv,), *([(count,)] if count else [])]
