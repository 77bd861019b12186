"""The controller of a run: traced into the kernel where that is possible, Python in the loop otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..control.law import Law
from ..model import ModelError
from ..model.errors import unknown_name
from ..trace import trace

PLACES = ("kernel", "python")


@dataclass(frozen=True, eq=False)
class Controller:
    """A law u = law(t, q, v) with its gains laid out as a flat vector.

    place: "kernel" if the law is traced, "python" if it is called in the loop.  gains: values (..., n).
    """

    law: Callable[..., Any]
    place: str
    layout: tuple[tuple[str, tuple[int, ...]], ...]
    gains: np.ndarray

    def __call__(self, t: Any, q: np.ndarray, v: np.ndarray, gains: np.ndarray) -> np.ndarray:
        """Inputs u (nu,) of one sample, or of a batch if the law takes batches."""
        law = self.law
        if self.layout:
            assert isinstance(law, Law)
            law = law.with_gains(self._unpacked(gains))
        return np.asarray(law(t, q, v))

    def by_sample(self, t: Any, q: np.ndarray, v: np.ndarray, gains: np.ndarray) -> np.ndarray:
        """Inputs (..., nu), one sample after the other: t (...), q (..., nq), v (..., nv), gains (..., n)."""
        return by_sample(self, t, q, v, gains)

    def _unpacked(self, gains: np.ndarray) -> dict[str, np.ndarray]:
        values, first = {}, 0
        for name, shape in self.layout:
            size = math.prod(shape)
            values[name] = gains[..., first : first + size].reshape((*gains.shape[:-1], *shape))
            first += size
        return values


def by_sample(function: Callable[..., Any], t: Any, *vectors: np.ndarray) -> np.ndarray:
    """function(t, *vectors) of one sample after the other, for t (...) and vectors (..., n_i), stacked."""
    batch = np.broadcast_shapes(np.shape(t), *(x.shape[:-1] for x in vectors))
    times = np.broadcast_to(t, batch).ravel().tolist()
    rows = [as_rows(x, batch) for x in vectors]
    results = [np.asarray(function(*row), dtype=float) for row in zip(times, *rows, strict=True)]
    return np.reshape(results, (*batch, *results[0].shape))


def as_rows(x: np.ndarray, batch: tuple[int, ...]) -> np.ndarray:
    """Vectors x (..., n), n maybe zero, as rows (S, n) for the samples of a batch."""
    return np.broadcast_to(x, (*batch, x.shape[-1])).reshape(math.prod(batch), x.shape[-1])


def as_controller(
    law: Any, place: str | None, plant: Any, t0: float, q0: np.ndarray, v0: np.ndarray
) -> Controller | None:
    """The controller for a law; `place` None: in the kernel if it can be traced."""
    if law is None:
        return None
    if not callable(law):
        raise ModelError.single("simulate", "controller", expected="a law u = law(t, q, v)", given=repr(law))
    if place is not None and place not in PLACES:
        raise unknown_name("simulate", "controller_in", place, PLACES)
    shapes = law.gain_shapes() if isinstance(law, Law) else {}
    given = law.gain_values() if isinstance(law, Law) else {}
    values = [_flat(np.asarray(given[name]), shape) for name, shape in shapes.items()]
    gains = np.concatenate(np_broadcast(values), axis=-1) if values else np.zeros(0)
    controller = Controller(law, place or "kernel", tuple(shapes.items()), gains)
    if place == "python":
        _checked(_called(controller, t0, q0, v0).shape, plant)
        return controller
    return _traced(controller, place, plant, t0, q0, v0)


def _traced(controller: Controller, place: str | None, plant: Any, t0: float, q0: Any, v0: Any) -> Controller:
    shapes = ((), (plant.nq,), (plant.nv,), controller.gains.shape[-1:])
    try:
        found = trace(controller, *shapes, name="controller")
    except Exception as why_not:
        if place == "kernel":
            raise
        try:
            shape = _called(controller, t0, q0, v0).shape
        except Exception as wrong:
            raise wrong from why_not
        _checked(shape, plant)
        return Controller(controller.law, "python", controller.layout, controller.gains)
    _checked(found.output_shapes[0] if found.single else tuple(found.output_shapes), plant)
    return controller


def _called(controller: Controller, t0: float, q0: np.ndarray, v0: np.ndarray) -> np.ndarray:
    """The law at the initial state of the first sample."""
    q, v, gains = (as_rows(x, x.shape[:-1])[0] for x in (q0, v0, controller.gains))
    return controller(t0, q, v, gains)


def _checked(shape: Any, plant: Any) -> None:
    if shape != (plant.nu,):
        names = ", ".join(plant.input_names)
        raise ModelError.single(
            "simulate",
            "controller",
            expected=f"inputs of shape ({plant.nu},): {names}",
            given=f"shape {shape}",
        )


def _flat(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return array.reshape(*array.shape[: array.ndim - len(shape)], math.prod(shape))


def np_broadcast(arrays: list[np.ndarray]) -> list[np.ndarray]:
    """Arrays (..., n_i) with their leading dimensions broadcast together."""
    batch = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    return [np.broadcast_to(array, (*batch, array.shape[-1])) for array in arrays]
