"""A plant that nothing outside pushes, moved with its momentum as a constant (theory.md §9).

The velocities that are carried are y = (μ, w) in the place of v = (u, w): μ the momentum of the vehicle's DoFs in the
frame that its joint sits in, w the shape velocity. With P = Ad_hᵀ μ

    u = M₀⁻¹ (P − M₀ₘ w),   ẏ = (0, ẇ):

no step changes μ, so that momentum is as exact in the last row as in the first. ẇ is that of the reduced equations
M̂ ẇ + Ĉ w + N̂ = F_w − Aᵀ F_u, taken from the O(N) recursions at the velocity (u, w): the shape's rows are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...dynamics.lagrange_poincare.vehicle_split import Split, split
from ...dynamics.mass_matrix import mass_matrix
from ...dynamics.spacecraft import spatial_momentum
from ...lie.arrays import apply, solved, transpose
from ...model import WORLD, ModelError
from ...trace import is_zero
from ..actuators import Brake, Clutch, ElasticMotor, JointMotor, Stiction
from ..loads import setting
from ..orbits.space import Space
from .plant_equations import right_hand_side

if TYPE_CHECKING:
    from .plant import Plant

EQUATIONS = ("full", "reduced")
#: actuators between two bodies of the system
_INNER = (JointMotor, ElasticMotor, Stiction, Brake, Clutch)
_METHODS = ("euler", "heun", "rkmk4", "dopri5")


def check_floats(where: str, plant: Plant, method: str, law: Any) -> None:
    """Refuse a plant whose momentum is not constant for certain, with what pushes it."""

    def refused(what: str, expected: str, given: str) -> ModelError:
        return ModelError.single(where, f'equations="reduced": {what}', expected=expected, given=given)

    if method not in _METHODS:
        raise refused("method", f"one of {', '.join(_METHODS)}, which do not iterate", method)
    for world in plant.worlds:
        if type(world) is not Space or world.in_orbit:
            given = "an orbit, whose tide pushes" if type(world) is Space else type(world).__name__
            raise refused("world", "Space() without an orbit: nothing to push against", given)
    for parameter in plant._declared:
        if parameter.name in ("gravity", "space.orbital_rate"):
            raise refused("free", "no gravity or orbit that can change", parameter.name)
    vehicles = plant.tree.vehicles
    if len(vehicles) != 1:
        raise refused("vehicle", "one", ", ".join(vehicles))
    for what, given in (
        ("constraints", [type(c).__name__ for c in plant.constraints]),
        ("closures", [closure.label for closure in plant.closures]),
        ("prescribed", [name for name, _ in plant.velocities.prescribed]),
        ("couplings", [coupling.joint for coupling in plant.velocities.couplings]),
    ):
        if given:
            raise refused(what, "none: all velocities are independent", given[0])
    for element in plant.elements:
        if WORLD in (element.frame_a, element.frame_b):
            raise refused(
                "elements", "elements between two bodies of the system", f"{element.label}, to the world"
            )
    vehicle = split(plant.tree, vehicles[0]).link
    joint = vehicle.joint
    for what in ("armature", "stiffness", "damping", "friction"):
        if not is_zero(getattr(joint, what)) or any(
            p.name == f"{vehicle.name}.{what}" for p in plant._declared
        ):
            raise refused(f"{what} of the vehicle's joint", "none: it is tied to the world", vehicle.name)
    if joint.limits is not None and np.isfinite(joint.limits).any():
        raise refused("limits of the vehicle's joint", "none: stops push", vehicle.name)
    _check_actuators(plant, vehicle.name, law, refused)


def _check_actuators(plant: Plant, vehicle: str, law: Any, refused: Any) -> None:
    """Refuse what pushes the vehicle."""
    if plant.actuators is None:
        if law is not None:
            expected = "actuators=[JointMotor(…), …]: without any, inputs are forces along all DoFs, the vehicle's too"
            raise refused("actuators", expected, "none")
        return
    own = set(plant.tree.dofs(vehicle).tolist())
    for actuator in plant.actuators:
        if type(actuator) not in _INNER:
            more = "; a wheel that is a body on a Revolute joint moves the same" * (
                actuator.suffix == "wheel"
            )
            raise refused("actuators", f"motors, brakes and friction in joints{more}", actuator.label)
        places = [getattr(actuator, place) for place in actuator.places if hasattr(actuator, place)]
        if own & {int(i) for place in places for i in plant.tree.dofs(place)}:
            raise refused("actuators", f"none on {vehicle!r}, which nothing may push", actuator.label)


def carried(plant: Plant, q: np.ndarray, v: np.ndarray, p: np.ndarray) -> np.ndarray:
    """y = (μ, w) (..., nv) of the velocity v (..., nv) at q (..., nq), parameters p (..., n)."""
    tree = setting(plant, p).tree
    at = _split(plant)
    return at.joined(spatial_momentum(tree, q, v, tree.vehicles[0]), at.others(v))


def recovered(plant: Plant, q: np.ndarray, y: np.ndarray, p: np.ndarray) -> np.ndarray:
    """v = (u, w) (..., nv) of y = (μ, w) (..., nv) at q (..., nq), parameters p (..., n)."""
    at, tree = _split(plant), setting(plant, p).tree
    w, h = at.others(y), at.joint.transform(q[..., at.link.q])
    P = apply(transpose(at.joint.group.Ad(h)), at.vehicle(y))
    rows = mass_matrix(tree, q)[..., at.group, :]
    u = solved(rows[..., at.group], P - apply(rows[..., at.shape], w) if len(at.shape) else P)
    return at.joined(u, w)


def floating_rates(
    plant: Plant, t: Any, q: np.ndarray, v: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(ẏ = (0, ẇ) (..., nv), ẋ (..., nx)) at the recovered velocity v (..., nv) and inputs u (..., nu)."""
    at = _split(plant)
    a, x_dot = right_hand_side(plant, t, q, v, x, u, p)
    return at.joined(0.0 * at.vehicle(a), at.others(a)), x_dot


def _split(plant: Plant) -> Split:
    return split(plant.tree, plant.tree.vehicles[0])
