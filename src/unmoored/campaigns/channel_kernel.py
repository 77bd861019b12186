"""Channels of many samples at once, each with its own parameters, as compiled functions of what a run has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import kernels
from ..control.allocation.input_limits import limits_of
from ..dynamics.free_numbers import with_parameters
from ..kernels import cuda
from ..kernels.cuda import device
from ..lie.arrays import vector
from ..simulation.channel import channel, shared_poses
from ..simulation.law_channels import LawChannel, duty, error_of, estimated_state, law_channel
from ..worlds import Plant
from ..worlds.law_memory import MemoryLayout


class ChannelKernel:
    """Values of named channels: of states (see `channel`), and of what a law with this memory tells (`law_channel`).

    What a filter believes is computed with the numbers of the plant as it was built, which is all that it knows.
    """

    def __init__(self, plant: Plant, names: tuple[str, ...], backend: str, dtype: str, memory: MemoryLayout):
        self.names = names
        self._told = [law_channel(plant.system.tree, name, plant.input_names, memory) for name in names]
        self._inputs, self._limits = tuple(plant.input_names), None
        if any(told is not None and told.kind == "duty" for told in self._told):
            self._limits = limits_of(plant)
        true = [name for name, told in zip(names, self._told, strict=True) if told is None]
        true += [told.owner for told in self._told if told is not None and told.kind == "estimate_error"]
        believed = [
            told.owner for told in self._told if told is not None and told.kind.startswith("estimate")
        ]
        self._true = _OfStates(plant, tuple(dict.fromkeys(true)), backend, dtype, nominal=False)
        self._believed = _OfStates(plant, tuple(dict.fromkeys(believed)), backend, dtype, nominal=True)

    def __call__(self, t: Any, q: Any, v: Any, u: Any, memory: Mapping[str, Any], p: Any) -> Any:
        """Values (S, T, channels), NaN where q is: t (T,) or (S, T), q (S, T, nq), v (S, T, nv), u (S, T, nu) or None,
        memory by name (S, T, ...), p (S, n) or None."""
        true = self._true(t, q, v, p)
        if not any(self._told):
            return true
        xp = device.cupy() if cuda.on_device(q) else np
        believed = self._believed(t, *estimated_state(memory), None) if self._believed.names else None
        found = [
            true[..., self._true.names.index(name)]
            if told is None
            else self._of_law(told, u, memory, true, believed, xp)
            for name, told in zip(self.names, self._told, strict=True)
        ]
        return xp.stack(found, axis=-1)

    def _of_law(
        self, told: LawChannel, u: Any, memory: Mapping[str, Any], true: Any, believed: Any, xp: Any
    ) -> Any:
        """Values (S, T) of a number that the law tells."""
        if told.kind == "memory":
            return memory[told.owner][(..., *told.entry)]
        if told.kind in ("input", "duty"):
            i = self._inputs.index(told.owner)
            if self._limits is None or told.kind == "input":
                return u[..., i]
            return duty(u[..., i : i + 1], self._limits[i : i + 1], xp)[..., 0]
        own = believed[..., self._believed.names.index(told.owner)]
        if told.kind == "estimate":
            return own
        return error_of(told.owner, own, true[..., self._true.names.index(told.owner)], xp)


class _OfStates:
    """Values of channels of states. nominal: with the numbers of the plant as it was built."""

    def __init__(self, plant: Plant, names: tuple[str, ...], backend: str, dtype: str, *, nominal: bool):
        self.names = names
        function, shapes = channel_function(plant, names, nominal=nominal)
        self._parameters = len(shapes) > 3
        module = cuda if backend == "cuda" else kernels
        options = {"name": "channels", "dtype": dtype, "exact_zeros": False, "watched": True}
        self._kernel: Any = module.compile(function, shapes, **options) if names else None

    def __call__(self, t: Any, q: Any, v: Any, p: Any) -> Any:
        """Values (S, T, channels)."""
        xp = device.cupy() if cuda.on_device(q) else np
        if self._kernel is None:
            return xp.zeros((*q.shape[:2], 0))
        t = xp.broadcast_to(xp.asarray(t, dtype=q.dtype), q.shape[:2])[..., None]
        given = (t, q, v)
        if self._parameters:
            given = (*given, xp.asarray(p, dtype=q.dtype)[:, None, :])
        return self._kernel(*given)


def channel_function(
    plant: Plant, names: tuple[str, ...], *, nominal: bool = False
) -> tuple[Callable[..., np.ndarray], list[tuple[int, ...]]]:
    """(function of t (1,), q (nq,), v (nv,) and p (n,), if there are parameters, to values (channels,); its shapes).

    nominal: with the numbers of the plant as it was built, whatever its parameters are.
    """
    tree, count = plant.system.tree, 0 if nominal else len(plant.nominal_parameters)

    def values(t: np.ndarray, q: np.ndarray, v: np.ndarray, p: Any = None) -> np.ndarray:
        own = tree if p is None else with_parameters(tree, plant._declared, p)
        pose_of = shared_poses(own)
        return vector([channel(own, name, pose_of)(t[..., 0], q, v) for name in names])

    return values, [(1,), (plant.nq,), (plant.nv,), *([(count,)] if count else [])]
