"""What every control law offers: a pure function of time and state, with gains that may differ by sample."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..lie.arrays import join
from ..model import ModelError
from ..model.value import Value, has_own_code, replace_arrays
from ..worlds import Plant


class Law(Value, ABC):
    """A control law u = law(t, q, v), in traceable NumPy. Frozen; laws add up with +.

    Gains are run-time data: given with a leading dimension, each sample of a batch has its own.
    """

    @abstractmethod
    def __call__(self, t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Inputs u (..., nu) at time t (...) [s], configuration q (..., nq), velocity v (..., nv)."""

    def __add__(self, other: Law) -> Law:
        """The law that gives the sum of both inputs."""
        laws = [
            *(self.laws if isinstance(self, Sum) else (self,)),
            *(other.laws if isinstance(other, Sum) else (other,)),
        ]
        return Sum(tuple(laws))

    def gain_shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of every gain for one sample."""
        return {}

    def gain_values(self) -> dict[str, np.ndarray]:
        """Every gain (..., *shape)."""
        return {name: getattr(self, name) for name in self.gain_shapes()}

    def with_gains(self, values: Mapping[str, Any]) -> Law:
        """The same law with other gains, unchecked: they may be symbols."""
        changed = copy.copy(self)
        replace_arrays(changed, **values)
        return changed

    def structure(self) -> str | None:
        """Everything but the values of gains, as text; None if code of the user's is part of it."""
        if not has_own_code(self):
            return None
        gains = self.gain_shapes()
        texts = [_text(getattr(self, field.name)) for field in fields(self) if field.name not in gains]  # type: ignore[arg-type]
        if any(text is None for text in texts):
            return None
        return f"{type(self).__name__}({', '.join(map(str, texts))}, {gains})"


@dataclass(frozen=True, eq=False, repr=False)
class Sum(Law):
    """Several laws whose inputs add up."""

    laws: tuple[Law, ...]

    def __post_init__(self):
        for law in self.laws:
            if not isinstance(law, Law):
                raise ModelError.single("Sum", "laws", expected="laws of unmoored.control", given=repr(law))

    def __call__(self, t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        inputs = [law(t, q, v) for law in self.laws]
        return sum(inputs[1:], inputs[0])

    def gain_shapes(self) -> dict[str, tuple[int, ...]]:
        return {f"{i}.{name}": s for i, law in enumerate(self.laws) for name, s in law.gain_shapes().items()}

    def gain_values(self) -> dict[str, np.ndarray]:
        return {f"{i}.{name}": g for i, law in enumerate(self.laws) for name, g in law.gain_values().items()}

    def with_gains(self, values: Mapping[str, Any]) -> Law:
        changed = []
        for i, law in enumerate(self.laws):
            own = {name: values[f"{i}.{name}"] for name in law.gain_shapes()}
            changed.append(law.with_gains(own))
        return Sum(tuple(changed))


def gain(law: str, name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """A gain as an array (..., *shape): one number stands for all entries."""
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ModelError.single(law, name, expected=f"numbers of shape {shape}", given=repr(value)) from None
    if array.ndim == 0:
        array = np.full(shape, float(array))
    rank = len(shape)
    if array.ndim < rank or array.shape[array.ndim - rank :] != shape or not np.all(np.isfinite(array)):
        expected = f"one number, or finite numbers of shape {shape} or (samples, {str(shape)[1:]}"
        raise ModelError.single(law, name, expected=expected, given=repr(value))
    array.setflags(write=False)
    return array


def along_dofs(plant: Plant, parts: Mapping[int, np.ndarray]) -> np.ndarray:
    """Forces (..., nv) from those of some links (..., nv_i), by index; zero along all other DoFs."""
    return join([parts.get(link.index, np.zeros(link.joint.nv)) for link in plant.tree.links])


def check_plant(law: str, plant: Any) -> None:
    """Refuse what is not a plant."""
    if not isinstance(plant, Plant):
        raise ModelError.single(law, "plant", expected="a Plant", given=repr(plant))


def _text(x: Any) -> str | None:
    if isinstance(x, Plant):
        return x.digest
    if isinstance(x, Law):
        return x.structure()
    if isinstance(x, tuple):
        texts = [_text(part) for part in x]
        return None if any(text is None for text in texts) else f"({', '.join(map(str, texts))})"
    return None if callable(x) and not isinstance(x, Value) else repr(x)
