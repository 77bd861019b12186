"""A law of a plant as one traced function of named arrays, for C and for CasADi."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model import ModelError
from ..trace import Part, Traced, call_traced, trace
from .controller import Controller, as_controller
from .step_parts import CONTROLLER


@dataclass(frozen=True, eq=False)
class LawFunction:
    """traced: the law, its arguments called `inputs` and its results `outputs`.  start: its memory (m,) at first.

    controller: the law as a run would take it.
    """

    traced: Traced
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    start: np.ndarray
    controller: Controller


def law_function(
    plant: Any, law: Callable[..., Any], control_step: float | None, gains: bool = False
) -> LawFunction:
    """u of (t, q, v), or (u, memory) of (t, q, v, x, memory); it rounds as in a run.

    What has no entries is left out. gains: whether the law's gains are an argument of their own.
    """
    controller = as_controller(law, "kernel", plant, control_step)
    if controller is None:
        raise ModelError.single(plant.name, "law", expected="a law u = law(t, q, v)", given="None")
    if controller.gains.ndim > 1:
        expected, given = "gains of one sample", f"of {len(controller.gains)}"
        raise ModelError.single(f"law {type(law).__name__}", "gains", expected=expected, given=given)
    own = controller.identity is not None and controller.identity.own
    count = controller.gains.shape[-1]
    whole = {
        "t": (),
        "q": (plant.nq,),
        "v": (plant.nv,),
        "x": (plant.nx if controller.full else 0,),
        "memory": (controller.remembers,),
        "y": (0,),
        "gains": (count,),
    }
    part = Part(controller, CONTROLLER, as_written=True, exact_zeros=not own).traced(*whole.values())
    held = count - int(controller.full)  # the last one is the control period, which is no gain
    fixed = controller.gains if not gains else controller.gains[held:]
    left = {name: shape for name, shape in whole.items() if 0 not in shape} | {"gains": (held,)}
    if not gains or not held:
        del left["gains"]

    def of_arrays(*arrays: Any) -> Any:
        given = dict(zip(left, arrays, strict=True))
        given["gains"] = np.concatenate([given["gains"], fixed]) if "gains" in given else fixed
        found = call_traced(part, *(given.get(name, np.zeros(shape)) for name, shape in whole.items()))
        return (found[: plant.nu], found[plant.nu :]) if controller.remembers else found

    traced = trace(of_arrays, *left.values(), name="law")
    outputs = ("u", "memory_out") if controller.remembers else ("u",)
    return LawFunction(traced, tuple(left), outputs, controller.start, controller)
