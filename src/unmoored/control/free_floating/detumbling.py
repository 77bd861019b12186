"""Taking the rotation out of a system with a captured target, as fast as a torque allows (Aghili 2009).

    n = −n_max L/|L| ,   L the angular momentum of all bodies about their common centre of mass, without that in wheels

is of all torques with |n| ≤ n_max the fastest: d|L|/dt = −n_max, so that T = |L₀|/n_max, whatever the joints do
meanwhile: inner forces do not change L. Wheels give n as −τ_w a − ω × h_w: the law asks them for n + ω × h_w.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...dynamics.kinematics import pose as pose_of
from ...dynamics.momentum import momentum
from ...lie import se3, so3
from ...lie.arrays import apply, transpose
from ...model import ModelError
from ...model.field_types import Number
from ...model.value import checked_numbers, replace_arrays
from ...trace import maximum
from ...worlds.law import Law
from ..law_parts import gain
from .wheel_momentum import Wheels, torque_along_dofs, wheels_of


class Detumbling(Law):
    """Stops the rotation of a vehicle and all that it holds with its reaction wheels, or thrusters if it has no wheels.

    plant: with three or more wheels on `vehicle`, or none.  torque: largest |n| (N m).
    band: |L| (N m s) below which n falls with L, so that it ends without chattering.
    The law gives forces (nv,) along all DoFs: a torque on the vehicle, for `Allocated` to share out.
    It needs `control_step`, since it sees the wheels. Joints are for other laws to hold, added with +.
    """

    plant: Any
    vehicle: str
    torque: Number
    band: Number = 1e-3
    memory = {}  # noqa: RUF012

    def __post_init__(self) -> None:
        _wheels(self.plant, self.vehicle)
        for word in ("torque", "band"):
            value = gain("Detumbling", word, getattr(self, word), ())
            if np.any(value <= 0):
                raise ModelError.single("Detumbling", word, expected="> 0", given=repr(getattr(self, word)))
            replace_arrays(self, **{word: value})

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return {"torque": (), "band": ()}

    def __call__(self, seen: Any, memory: Any) -> Any:
        wheels = _wheels(self.plant, self.vehicle)
        tree = self.plant.tree
        R = se3.rotation(pose_of(tree, seen.q, self.vehicle))
        L = apply(transpose(R), momentum(tree, seen.q, seen.v, "com")[3:])
        size = np.sqrt((L * L).sum())
        n = -self.torque / maximum(size, self.band) * L
        ω = seen.v[wheels.turning]
        asked = n + so3.cross(ω, wheels.momentum(seen.x)) if wheels.states else n
        return torque_along_dofs(self.plant, wheels.link, asked), memory


def _wheels(plant: Any, vehicle: str) -> Wheels:
    """Those on the vehicle: none, or three that are independent."""
    found = wheels_of("Detumbling", plant, vehicle, needed=False)
    return wheels_of("Detumbling", plant, vehicle) if found.states else found


class DetumblingFigures(NamedTuple):
    """momentum: |H| of bodies and wheels about the centre of mass (N m s).  rotation: |L| of the bodies alone.

    least_time: |L|/torque (s), which no torque of that size beats.  capacity: of the wheels (N m s).
    """

    momentum: float
    rotation: float
    least_time: float
    capacity: float


def detumbling_figures(
    plant: Any, q: npt.ArrayLike, v: npt.ArrayLike, x: npt.ArrayLike | None = None, *, torque: float, capacity: float,
    vehicle: str | None = None,
) -> DetumblingFigures:  # fmt: skip
    """What detumbling from q (nq,), v (nv,), x (nx,) takes; refused, with the figure, if the wheels cannot hold it all.

    torque: largest on the vehicle (N m).  capacity: momentum that the wheels can hold in any direction (N m s).
    """
    where = "detumbling_figures"
    vehicle = str(plant.system.vehicles[0]) if vehicle is None else vehicle
    wheels = wheels_of(where, plant, vehicle)
    for word, value in (("torque", torque), ("capacity", capacity)):
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float | np.number)
            or not 0 < value < np.inf
        ):
            raise ModelError.single(where, word, expected="> 0", given=repr(value))
    given = (("q", q), ("v", v), ("x", np.zeros(plant.nx) if x is None else x))
    q, v, states = (checked_numbers(value, where=where, what=word) for word, value in given)
    for word, value, size in (("q", q, plant.nq), ("v", v, plant.nv), ("x", states, plant.nx)):
        if value.shape != (size,) or not np.all(np.isfinite(value)):
            raise ModelError.single(
                where, word, expected=f"({size},) finite numbers", given=f"shape {value.shape}"
            )
    L = momentum(plant.tree, q, v, "com")[3:]
    H = L + pose_of(plant.tree, q, vehicle)[:3, :3] @ wheels.momentum(states)
    total, own = float(np.linalg.norm(H)), float(np.linalg.norm(L))
    if total > capacity:
        given = f"{total:.6g} N m s to be held"
        raise ModelError.single(
            where, "momentum", expected=f"at most the wheels' {capacity:g} N m s", given=given
        )
    return DetumblingFigures(total, own, own / float(torque), float(capacity))
