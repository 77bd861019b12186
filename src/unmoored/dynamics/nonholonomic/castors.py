"""Castor wheels: a wheel behind a joint that steers itself, in the wake of its vehicle (theory.md §39).

The steering axis stands at p on the vehicle's frame, the wheel's hub at d from it, its axle a, its heading e = a × z.
With the frame's motion (v_x, v_y, ω_z), v_p = (v_x − ω p_y, v_y + ω p_x), and ω_f = ω + ψ̇ the turning of the fork:

    a · v_p + ω_f (e · d) = 0,   r ω_r = e · v_p − ω_f (a · d).

e · d = −b, the trail; a and e turn with ψ, the two products do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...lie import se3
from ...model import Link, ModelError, Revolute, Tree
from .constraint import parallel, refuse_run_time_place

_TOLERANCE = 1e-9


class Fork(NamedTuple):
    """A castor on its vehicle's frame: the steering link and the sense (±1) of its axis, the wheel's link, p (2,),
    a at ψ = 0 (2,), e·d and a·d (m)."""

    steering: Link
    sense: int
    wheel: Link
    place: np.ndarray
    axle: np.ndarray
    ahead: float
    beside: float


def forks(tree: Tree, carrier: Link, frame: np.ndarray, castors: Sequence[str]) -> list[Fork]:
    """The castors by the names of their wheels, on a frame (4, 4) of the carrier."""
    return [_fork(tree, carrier, frame, name) for name in castors]


def castor_dofs(found: Sequence[Fork]) -> list[int]:
    """Velocity indices: of the steering and the wheel, castor by castor."""
    return [int(i) for fork in found for i in (fork.steering.v.start, fork.wheel.v.start)]


def castor_rates(found: Sequence[Fork], radius: float, q: np.ndarray) -> np.ndarray:
    """C (..., 2k, 3) with rates (ψ̇, ω_r, …) = C (v_x, v_y, ω_z) at q (..., nq)."""
    return _rows([_motion(fork, radius, *_axle(fork, q)) for fork in found])


def castor_rates_rate(found: Sequence[Fork], radius: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Ċ (..., 2k, 3) at q (..., nq), v (..., nv): a turns with the fork, seen from the vehicle."""
    rows = []
    for fork in found:
        a_x, a_y = _axle(fork, q)
        turn = fork.sense * v[..., fork.steering.v.start]
        rows.append(_motion(fork, radius, -turn * a_y, turn * a_x, own=0.0))
    return _rows(rows)


def _axle(fork: Fork, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a (...), its two entries in the frame's axes."""
    ψ = fork.sense * q[..., fork.steering.q.start]
    c, s = np.cos(ψ), np.sin(ψ)
    return c * fork.axle[0] - s * fork.axle[1], s * fork.axle[0] + c * fork.axle[1]


def _motion(
    fork: Fork, radius: float, a_x: np.ndarray, a_y: np.ndarray, own: float = 1.0
) -> list[list[np.ndarray]]:
    """Rows of ψ̇ and ω_r over (v_x, v_y, ω_z); they are linear in a but for ψ̇'s own −ω, which counts `own` times."""
    p_x, p_y = fork.place
    across = [a_x, a_y, a_y * p_x - a_x * p_y]  # a · v_p
    along = [a_y, -a_x, -a_x * p_x - a_y * p_y]  # e · v_p, e = a × z = (a_y, −a_x)
    turning = [-x / fork.ahead for x in across]  # ω_f
    steer = [fork.sense * x for x in (turning[0], turning[1], turning[2] - own)]
    roll = [(x - y * fork.beside) / radius for x, y in zip(along, turning, strict=True)]
    return [steer, roll]


def _rows(rows: list[list[list[np.ndarray]]]) -> np.ndarray:
    return np.stack([np.stack(row, axis=-1) for pair in rows for row in pair], axis=-2)


def _fork(tree: Tree, carrier: Link, frame: np.ndarray, name: str) -> Fork:
    wheel = tree.link(name)
    steering = tree.links[wheel.parent] if wheel.parent >= 0 else None
    axle, upright = wheel.joint, None if steering is None else steering.joint
    fits = steering is not None and steering.parent == carrier.index
    if steering is None or not (fits and isinstance(axle, Revolute) and isinstance(upright, Revolute)):
        expected = f"a wheel with a Revolute joint on a fork with a Revolute joint on {carrier.name}"
        raise ModelError.single(name, "castor", expected=expected, given=wheel.joint.kind)
    for link in (steering, wheel):
        refuse_run_time_place(link.name, link.placement)
    fork = se3.inverse(frame) @ steering.placement
    sense = parallel(se3.rotation(fork) @ upright.axis, np.eye(3)[2])
    on_frame = fork @ wheel.placement
    a = se3.rotation(on_frame) @ axle.axis
    if sense == 0 or abs(a[2]) > _TOLERANCE:
        expected = "a steering axis along ±z of the vehicle's frame, and a level axle"
        raise ModelError.single(name, "castor", expected=expected, given=f"axle {a.round(6).tolist()}")
    d = (se3.position(on_frame) - se3.position(fork))[:2]
    ahead, beside = float(d @ [a[1], -a[0]]), float(d @ a[:2])
    if abs(ahead) < _TOLERANCE:
        expected = "a hub ahead of or behind the steering axis (a trail)"
        raise ModelError.single(name, "castor", expected=expected, given=f"{ahead:g} m")
    return Fork(steering, sense, wheel, se3.position(fork)[:2], a[:2], ahead, beside)
