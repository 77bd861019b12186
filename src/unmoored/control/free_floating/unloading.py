"""Wheels, thrusters and motors together: a law's forces by wheels and motors, while thrusters empty the wheels.

With h_w the momentum in the wheels (in the vehicle's axes) and k a rate, thrusters give the torque −k h_w and what
wheels and motors cannot give of the forces that the law asks for, as far as their limits go; wheels and motors the
rest. The sum is what the law asks for, and ḣ_w = −k h_w where the law asks for no torque.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...lie import so3
from ...lie.arrays import apply
from ...model import ModelError
from ...model.field_types import Number
from ...model.value import replace_arrays
from ...worlds import ReactionWheel, Thruster
from ...worlds.bounded_allocation import Allocation, bounded_allocation
from ...worlds.law import Law, respond
from ..allocation.input_limits import limits_of
from ..law_parts import gain
from .wheel_momentum import torque_along_dofs, wheels_of

#: what the law remembers for those who look at runs
_REPORTS = ("unallocated", "allocation.wanted")


class Unloading(Law):
    """A law that gives forces along the DoFs, shared out among wheels and motors, while thrusters unload the wheels.

    plant: with three or more reaction wheels on `vehicle` and thrusters.  law: gives forces (nv,).
    rate: k (1/s) at which the momentum in the wheels falls; 0 leaves the thrusters off.
    gyroscopic: ask wheels for ω × h_w too, so that the vehicle feels just what the law asks for.
    regularization: of both allocations.  `run.unallocated` tells the forces that could not be given.
    It needs `control_step`, since it sees the wheels.
    """

    plant: Any
    law: Any
    vehicle: str
    rate: Number = 0.01
    gyroscopic: bool = True
    regularization: float = 1e-6

    def __post_init__(self) -> None:
        wheels_of("Unloading", self.plant, self.vehicle)
        plant = self.plant
        if not isinstance(self.law, Law):
            raise ModelError.single("Unloading", "law", expected="a law (um.Law)", given=repr(self.law))
        if plant.thrust_names != plant.input_names:
            given = ", ".join(plant.thrust_names)
            raise ModelError.single(
                "Unloading", "actuators", expected="inputs that are thrusts or forces", given=given
            )
        if not self._thrusters:
            raise ModelError.single(
                "Unloading", "actuators", expected="thrusters beside the wheels", given="none"
            )
        rate = gain("Unloading", "rate", self.rate, ())
        if np.any(rate < 0):
            raise ModelError.single("Unloading", "rate", expected="≥ 0 (1/s)", given=repr(self.rate))
        replace_arrays(self, rate=rate)

    @property
    def _thrusters(self) -> list[int]:
        """Places of the thrusters' inputs."""
        kinds = [a for a in self.plant.actuators for _ in a.inputs(self.plant.tree)]
        return [
            k for k, a in enumerate(kinds) if isinstance(a, Thruster) and not isinstance(a, ReactionWheel)
        ]

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return {"rate": ()}

    @property
    def has_memory(self) -> bool:
        """It sees the wheels, so it is in the full form."""
        return True

    @property
    def memory(self) -> dict[str, Any]:
        """That of the law inside, the forces that could not be given, and those that were wanted."""
        inner = dict(self.law.memory) if self.law.has_memory else {}  # type: ignore[attr-defined]
        return {**inner, **dict.fromkeys(_REPORTS, self.plant.nv)}

    def __call__(self, seen: Any, memory: Any) -> Any:
        plant = self.plant
        wheels = wheels_of("Unloading", plant, self.vehicle)
        inner = {name: x for name, x in memory.items() if name not in _REPORTS}
        forces, kept = respond(self.law, seen, inner)
        h = wheels.momentum(seen.x)
        if self.gyroscopic:
            forces = forces + torque_along_dofs(plant, wheels.link, so3.cross(seen.v[wheels.turning], h))
        B, limits = plant.allocation_matrix(seen.q), limits_of(plant)
        some = self._thrusters
        rest = [k for k in range(plant.nu) if k not in some]
        dumped = torque_along_dofs(plant, wheels.link, -self.rate * h)

        def shared(places: list[int], wanted: np.ndarray) -> Allocation:
            low, high = limits[places, 0], limits[places, 1]
            return bounded_allocation(B[:, places], wanted, low, high, self.regularization)

        f = shared(some, dumped + shared(rest, forces).missing).thrusts
        others = shared(rest, forces - apply(B[:, some], f))
        u: list[Any] = [None] * plant.nu
        for k, place in enumerate(some):
            u[place] = f[k]
        for k, place in enumerate(rest):
            u[place] = others.thrusts[k]
        return np.stack(u), {**kept, "unallocated": others.missing, "allocation.wanted": forces}
