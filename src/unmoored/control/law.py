"""What every control law offers: a pure function of time and state, with gains that may differ by sample."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..model import ModelError
from ..model.value import Value, replace_arrays


class Law(Value, ABC):
    """A control law u = law(t, q, v), in traceable NumPy. Frozen.

    gains: the fields that are run-time data, with their shapes for one sample; given with leading dimensions,
    each sample has its own.
    """

    gains: ClassVar[Mapping[str, Any]] = {}

    @abstractmethod
    def __call__(self, t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Inputs u (..., nu) at time t (...) [s], configuration q (..., nq), velocity v (..., nv)."""

    def gain_shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of every gain for one sample."""
        return {}

    def with_gains(self, values: Mapping[str, Any]) -> Law:
        """The same law with other gains, unchecked: they may be symbols."""
        changed = copy.copy(self)
        replace_arrays(changed, **values)
        return changed


def gain_array(law: str, name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """A gain as an array (..., *shape): one number stands for all entries."""
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ModelError.single(law, name, expected=f"numbers (..., {shape})", given=repr(value)) from None
    if array.ndim == 0:
        array = np.full(shape, float(array))
    if array.shape[array.ndim - len(shape) :] != shape or not np.all(np.isfinite(array)):
        given = f"shape {array.shape}" if np.all(np.isfinite(array)) else repr(value)
        raise ModelError.single(
            law, name, expected=f"one number, or finite numbers of shape (..., {shape})", given=given
        )
    array.setflags(write=False)
    return array
