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
    """Values of named channels of states (see `channel`), and of inputs: "thruster_1.input"."""

    def __init__(self, plant: Plant, names: tuple[str, ...], backend: str, dtype: str):
        self.names, self._parameters = names, len(plant.nominal_parameters)
        self._kernel: Any = None
        self._inputs = {
            k: plant.input_names.index(i) for k, n in enumerate(names) if (i := input_of(plant, n))
        }
        own = tuple(name for k, name in enumerate(names) if k not in self._inputs)
        if not own:
            return
        module = cuda if backend == "cuda" else kernels
        options = {"name": "channels", "dtype": dtype, "exact_zeros": False, "watched": True}
        self._kernel = module.compile(*channel_function(plant, own), **options)

    def __call__(self, t: Any, q: Any, v: Any, u: Any, p: Any) -> Any:
        """Values (S, T, channels), NaN where q is: t (T,) or (S, T), q (S, T, nq), v (S, T, nv), u (S, T, nu) or None,
        p (S, n) or None."""
        xp = device.cupy() if cuda.on_device(q) else np
        of_states = self._of_states(xp, t, q, v, p)
        if not self._inputs:
            return of_states
        found, states = [], iter(range(of_states.shape[-1]))
        for k in range(len(self.names)):
            found.append(u[..., self._inputs[k]] if k in self._inputs else of_states[..., next(states)])
        return xp.stack(found, axis=-1)

    def _of_states(self, xp: Any, t: Any, q: Any, v: Any, p: Any) -> Any:
        if self._kernel is None:
            return xp.zeros((*q.shape[:2], 0))
        t = xp.broadcast_to(xp.asarray(t, dtype=q.dtype), q.shape[:2])[..., None]
        given = (t, q, v)
        if self._parameters:
            given = (*given, xp.asarray(p, dtype=q.dtype)[:, None, :])
        return self._kernel(*given)


def input_of(plant: Plant, name: str) -> str | None:
    """The input that a channel "INPUT.input" tells, None if it is another channel."""
    owner, _, what = name.rpartition(".")
    return owner if what == "input" and owner in plant.input_names else None


def channel_function(
    plant: Plant, names: tuple[str, ...]
) -> tuple[Callable[..., np.ndarray], list[tuple[int, ...]]]:
    """(function of t (1,), q (nq,), v (nv,) and p (n,), if there are parameters, to values (channels,); its shapes)."""
    tree, count = plant.system.tree, len(plant.nominal_parameters)

    def values(t: np.ndarray, q: np.ndarray, v: np.ndarray, p: Any = None) -> np.ndarray:
        own = tree if p is None else with_parameters(tree, plant._declared, p)
        return vector([channel(own, name)(t[..., 0], q, v) for name in names])

    return values, [(1,), (plant.nq,), (plant.nv,), *([(count,)] if count else [])]
