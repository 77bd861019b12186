"""Joining two plants: added mass counts, wheels keep their momentum, what is bound stays bound (theory.md §23)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...dynamics.free_numbers import Parameter, with_parameters
from ...dynamics.joined_trees import Joined, join_trees
from ...dynamics.joining_impulse import jump
from ...lie.arrays import join
from ...model import Joint, ModelError, Tree
from ...system import System
from ...system.argument_kinds import checked_array
from ..actuators import Actuator
from ..elements import Element
from ..independent_velocities import Velocities
from ..loads import refuse_by_place, refuse_closed, setting, with_added_inertia
from .plant_equations import passive_mask
from .plant_parameters import actuators_at

if TYPE_CHECKING:
    from .plant import Plant

_OF_PLACE = ("xyz", "rpy")
_SAME_PLACE = 1e-9  # m, rad


class JoinedPlant(NamedTuple):
    """The joined plant with its state just after: q (..., nq), v (..., nv), x (..., nx), and its parameters p (..., n).

    impulse: (..., 6) on the guest's vehicle, at its origin in its axes (N s, N m s).  energy_lost: (...) J of kinetic
    energy, never negative unless prescribed motions do work.
    """

    plant: Any
    q: np.ndarray
    v: np.ndarray
    x: np.ndarray
    p: np.ndarray
    impulse: np.ndarray
    energy_lost: np.ndarray


class State(NamedTuple):
    """What one side brings: q (..., nq), v (..., nv), x (..., nx) or None for zeros, p (..., n) or None."""

    q: Any
    v: Any
    x: Any
    p: Any


class _Guest(NamedTuple):
    """A guest, with or without a world of its own: its tree as built, and what of a plant it has."""

    tree: Tree
    actuators: tuple[Actuator, ...]
    prescribed: dict[str, Any]
    parameters: tuple[Parameter, ...]
    velocities: Velocities
    nx: int
    elements: tuple[Element, ...] = ()


def join_plants(
    host: Plant,
    state: State,
    guest: Plant | System,
    state_guest: State,
    t: Any,
    frame: str,
    joint: Joint | None,
    prefix: str | None,
) -> JoinedPlant:
    """See `Plant.join`; t () [s]."""
    refuse_closed(host, "join")
    if isinstance(guest, type(host)):
        refuse_closed(guest, "join")
    other = _as_guest(host, guest)
    refuse_by_place(host, "join")
    t = np.asarray(checked_array(host.name, "t", t, ()), dtype=float)
    if t.ndim:
        raise ModelError.single(host.name, "t", expected="one time, no batch", given=f"shape {t.shape}")
    q, v, x, p = _read(host.name, state, host.tree, host.nx, host._declared)
    q_guest, v_guest, x_guest, p_guest = _read(
        other.tree.name, state_guest, other.tree, other.nx, other.parameters
    )
    now = setting(host, p)
    q, v = _moving(now.velocities, t, q, v)
    q_guest, v_guest = _moving(other.velocities, t, q_guest, v_guest)
    dry = with_parameters(other.tree, other.parameters, p_guest) if other.parameters else other.tree
    _refuse_varied(now.dry, frame)
    placed = join_trees(now.dry, q, dry, q_guest, frame, joint, prefix, (host.system.tree, other.tree))
    varied = placed.places if _differ(placed.places) else {}
    plant = _joined(host, other, placed, list(varied))
    p_new = join([p, p_guest, *varied.values()])
    then = setting(plant, p_new)
    acting = actuators_at(other.actuators, other.parameters, p_guest)
    middle = np.zeros(plant.nv - host.nv - (other.tree.nv - 6))
    bound = _bound(plant, then.velocities, t, placed.q, join([v, middle, v_guest[..., 6:]]))
    wet_guest = with_added_inertia(dry, now.worlds, acting)
    jumped = jump(now.tree, (q, v), wet_guest, (q_guest, v_guest), then.tree, placed.q, placed.vehicle, bound)
    return JoinedPlant(
        plant, placed.q, jumped.v, join([x, x_guest]), p_new, jumped.impulse, jumped.energy_lost
    )


def _refuse_varied(tree: Tree, frame: str) -> None:
    """A frame whose own place differs over a batch has no one place for a joint."""
    at = tree.locate(frame)[1].reshape(-1, 4, 4)
    if np.abs(at - at[0]).max() > 0:
        expected = "a frame at one place on its body"
        raise ModelError.single(frame, "join", expected=expected, given="a place that differs over the batch")


def _differ(places: Mapping[str, np.ndarray]) -> bool:
    """Whether the samples of a batch hold the guest at different places, beyond rounding."""
    return any(np.abs(x - x.reshape(-1, 3)[0]).max() > _SAME_PLACE for x in places.values())


def _moving(
    velocities: Velocities, t: np.ndarray, q: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(q, v) with what constraints tie and trajectories prescribe."""
    q = velocities.configuration(t, q)
    return q, velocities.full(t, q, velocities.independent(q, v))


def _as_guest(host: Plant, guest: Plant | System) -> _Guest:
    """The guest, if it fits: in the same world, free, and driven in the same manner."""
    if isinstance(guest, System):
        return _Guest(guest.tree, (), {}, (), Velocities(guest.tree, (), (), guest.tree.couplings), 0)
    if not isinstance(guest, type(host)):
        raise ModelError.single(host.name, "guest", expected="a Plant or a System", given=repr(guest))
    rules = {
        "world": (guest.worlds == host.worlds, "the world of the host", repr(guest.worlds)),
        "joints": (guest.joints == host.joints, "the effects of joints of the host", repr(guest.joints)),
        "constraints": (not guest.constraints, "a guest without constraints", repr(guest.constraints)),
        "actuators": (
            (guest.actuators is None) == (host.actuators is None),
            "lists on both sides ([] for none), or None on both",
            f"{'None' if host.actuators is None else 'a list'} for the host, "
            f"{'None' if guest.actuators is None else 'a list'} for the guest",
        ),
    }
    tree, moved = guest.system.tree, dict(guest._own_prescribed)  # type: ignore[attr-defined]
    vehicle = tree.names[0]
    prescribed = [name for name in moved if tree.link(name).name == vehicle]
    rules["prescribed"] = (not prescribed, "a vehicle that no trajectory moves", repr(prescribed))
    fixed = [d.name for d in guest._declared if d.owner == vehicle and d.field in _OF_PLACE]
    rules["free"] = (not fixed, "no free place of the vehicle, which the host holds", repr(fixed))
    for rule, (good, expected, given) in rules.items():
        if not good:
            raise ModelError.single(guest.name, f"guest: {rule}", expected=expected, given=given)
    own = _own_parameters(host, guest)
    return _Guest(tree, guest.actuators or (), moved, own, guest.velocities, guest.nx, guest.elements)


def _own_parameters(host: Plant, guest: Plant) -> tuple[Parameter, ...]:
    """The guest's free numbers; a number of the world is the host's, and cannot be free for the guest alone."""
    worlds = {world.name for world in guest.worlds}
    shared = [d.name for d in guest._declared if d.owner in worlds or d.name == "gravity"]
    if shared:
        expected = "numbers of the world free in the host only, which joins with its own"
        raise ModelError.single(guest.name, "guest: free", expected=expected, given=", ".join(shared))
    return guest._declared


def _read(where: str, state: State, tree: Tree, nx: int, parameters: tuple[Parameter, ...]) -> State:
    """The numbers of one side, checked."""
    nominal = np.concatenate([np.zeros(0), *(d.nominal for d in parameters)])
    p = checked_array(where, "p", nominal if state.p is None else state.p, nominal.shape)
    x = checked_array(where, "x", np.zeros(nx) if state.x is None else state.x, (nx,))
    q, v = checked_array(where, "q", state.q, (tree.nq,)), checked_array(where, "v", state.v, (tree.nv,))
    return State(*(np.asarray(array, dtype=float) for array in (q, v, x, p)))


def _joined(host: Plant, guest: _Guest, placed: Joined, varied: list[str]) -> Plant:
    """The joined plant, in the host's world; its parameters are the host's, then the guest's, then the places."""
    prefix = placed.prefix
    carried = [actuator.carried(prefix) for actuator in guest.actuators]
    labels = dict(zip((a.label for a in guest.actuators), (a.label for a in carried), strict=True))
    labels |= {x.label: x.carried(prefix).label for x in guest.elements}
    free = [d.name for d in host._declared]
    free += [f"{labels.get(d.owner, f'{prefix}/{d.owner}')}.{d.field}" for d in guest.parameters]
    moved = {f"{prefix}/{name}": path for name, path in guest.prescribed.items()}
    return type(host)(
        System(placed.tree),
        host.worlds,
        None if host.actuators is None else (*host.actuators, *carried),
        host.constraints,
        {**host._own_prescribed, **moved},  # type: ignore[attr-defined]
        [*free, *varied],
        host.joints,
        (*host.elements, *(element.carried(prefix) for element in guest.elements)),
    )


def _bound(
    plant: Plant, velocities: Velocities, t: np.ndarray, q: np.ndarray, kept: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """E (..., nv, nw) and b (..., nv) with ν⁺ = E w + b; kept (..., nv): what prescribed joints go on with."""
    if velocities.is_projected:
        return velocities.embedding(q), velocities.full(t, q, np.zeros((*q.shape[:-1], plant.nw)))
    if not velocities.prescribed:
        return None
    free = np.asarray(passive_mask(plant, t)) > 0
    return np.eye(plant.nv)[:, free], np.where(free, 0.0, kept)
