"""Quantities that tell whether a run can be believed, computed from its rows when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..dynamics.energy import Energy
from ..dynamics.kinematics import body_poses, centre_of_mass
from ..lie import se3
from ..model import ModelError
from ..model.joints import SubgroupJoint, pose_from_numbers
from .conserved_momentum import conserved

if TYPE_CHECKING:
    from .run import Run

#: worlds that add no mass to bodies
_WITHOUT_WATER = ("Space", "Earth", "Sea")


def energy(run: Run) -> Energy:
    """Energies ([S,] T) [J]: of the plant in its world, or of the dry system without gravity."""
    if run.plant is None:
        return run.system.energy(run.q, run.v)
    found = run.plant.energy(_times(run), run.q, run.v, x=run.x, p=_parameters(run))
    return Energy(found.kinetic, found.potential)


def energy_balance(run: Run) -> np.ndarray | None:
    """E(t) − E(0) − work − what switches added ([S,] T) [J]; None if the plant is not known.

    Work as the run integrated it (`simulate(balance=True)`); else the power's integral over the rows, of fourth
    order in their distance: with coarse rows it is the larger error, and stretches in which an event switches are left
    out.
    """
    if run.plant is None:
        return None
    if run.work is not None:
        E = run.energy().total
        return E - E[..., :1] - (run.work - run.work[..., :1, :]).sum(axis=-1)
    power = run.plant.power(_times(run), run.q, run.v, run.u, x=run.x, p=_parameters(run)).total
    E = run.energy().total
    off = E - E[..., :1] - cumulative(run.t, np.broadcast_to(power, E.shape))
    return _without_switches(run, off)


def _without_switches(run: Run, off: np.ndarray) -> np.ndarray:
    """What is off ([S,] T) without its changes between the rows around an event that switches."""
    found = np.array(off)
    for event in run.events if run.switches else ():
        own = found[event.sample] if run.batched else found
        k = int(np.searchsorted(run.t, event.time))
        if 0 < k < len(run.t):
            own[k:] -= own[k] - own[k - 1]
    return found


def on_group_error(run: Run) -> np.ndarray:
    """Largest |RᵀR − 1| over all stored rotations and rows of each sample, ([S])."""
    worst = np.zeros(run.q.shape[:-1])
    for link in run.system.tree.links:
        if isinstance(link.joint, SubgroupJoint) and link.joint.nv > 1:
            R = se3.rotation(pose_from_numbers(run.q[..., link.q]))
            off = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(axis=(-1, -2))
            worst = np.maximum(worst, off)
    return _largest(worst)


def momentum(run: Run, about: str = "world") -> np.ndarray:
    """Momentum ([S,] T, 6) of the plant, with added mass and wheels; refused if these are not known."""
    if run.plant is None:
        if not _is_dry(run):
            expected = (
                "its plant, um.load_run(path, plant); run.system.momentum(run.q, run.v) is the dry system's"
            )
            raise ModelError.single("run", "momentum", expected=expected, given="a run without its plant")
        return run.system.momentum(run.q, run.v, about=about)
    return run.plant.momentum(_times(run), run.q, run.v, run.x, p=_parameters(run), about=about)


def _is_dry(run: Run) -> bool:
    """Whether a run without its plant had nothing with momentum but its bodies: no water, no states of actuators."""
    worlds = run.provenance.get("world", [""])
    return run.x is None and all(str(world).partition("(")[0] in _WITHOUT_WATER for world in worlds)


def _refuse_unknown(run: Run, what: str, ties: str) -> None:
    """Refuse loads of elements or closures that a run without its plant had."""
    if run.plant is None and run.provenance.get(ties):
        expected = "its plant: um.load_run(path, plant)"
        given = f"a run without it, which had {', '.join(run.provenance[ties])}"
        raise ModelError.single("run", what, expected=expected, given=given)


def element_loads(run: Run) -> dict[str, np.ndarray]:
    """Wrenches ([S,] T, 6) of the plant's elements, by name."""
    _refuse_unknown(run, "element_loads", "elements")
    if run.plant is None or not run.plant.elements:
        return {}
    F = run.plant.element_loads(_times(run), run.q, run.v, p=_parameters(run))
    return {element.label: F[..., k, :] for k, element in enumerate(run.plant.elements)}


def closure_loads(run: Run) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Wrenches ([S,] T, 6) of the plant's closures, and whether they are unique ([S,] T), by name."""
    _refuse_unknown(run, "closure_loads", "closures")
    if run.plant is None or not run.plant.closures:
        return {}, {}
    found = run.plant.closure_loads(_times(run), run.q, run.v, run.u, x=run.x, p=_parameters(run))
    names = [closure.label for closure in run.plant.closures]
    wrenches = {name: found.wrench[..., k, :] for k, name in enumerate(names)}
    return wrenches, {name: found.unique[..., k] != 0.0 for k, name in enumerate(names)}


def invariants(run: Run) -> dict[str, Any]:
    """What must be small for the run to be believed, the largest over the rows of each sample, by name.

    "on_group_error"; "energy_balance": energy that neither work nor switches explain, relative; and the relative drifts
    of those components of linear and angular momentum that this plant conserves in this run: none that weight, drag,
    thrusters, wheels on the ground or the tide change. Without a plant only the first is known.
    """
    found: dict[str, Any] = {"on_group_error": on_group_error(run)}
    balance = energy_balance(run)
    if balance is None:
        return found
    E = run.energy()
    scale = np.fmax(
        np.nanmax(np.abs(E.kinetic), axis=-1), np.nanmax(np.abs(E.total - E.total[..., :1]), axis=-1)
    )
    found["energy_balance"] = _relative(_largest(np.abs(balance)), scale)
    mass = np.reshape(run.tree.mass, (-1,) if run.batched else ())
    typical = np.sqrt(2 * mass * np.nanmax(E.kinetic, axis=-1))  # kg m/s
    kept = conserved(run)
    if kept.linear:
        found["linear_momentum_drift"] = _drift(momentum(run)[..., list(kept.linear)], typical)
    if kept.about is not None:
        found["angular_momentum_drift"] = _drift(momentum(run, kept.about)[..., 3:], typical * _reach(run))
    return found


def cumulative(t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """∫ y dt (..., T) from the first row, exact for cubics: each stretch by the cubic through four rows around it."""
    n = len(t)
    if n < 4:
        steps = np.diff(t) * 0.5 * (y[..., 1:] + y[..., :-1])
    else:
        around = np.clip(np.arange(n - 1) - 1, 0, n - 4)[:, None] + np.arange(4)
        weights = _cubic_weights(t[around], t[:-1], t[1:])
        steps = (weights * y[..., around]).sum(axis=-1)
    return np.concatenate([np.zeros((*y.shape[:-1], 1)), np.cumsum(steps, axis=-1)], axis=-1)


def _cubic_weights(nodes: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Weights (n, 4) with ∫_a^b of the cubic through values at nodes (n, 4) = Σ weights · values."""
    scale = (b - a)[:, None]
    s = (nodes - a[:, None]) / scale
    vandermonde = s[:, None, :] ** np.arange(4)[None, :, None]
    moments = np.broadcast_to(1.0 / np.arange(1.0, 5.0), (len(a), 4))
    return np.linalg.solve(vandermonde, moments[..., None])[..., 0] * scale


def _times(run: Run) -> np.ndarray:
    return np.broadcast_to(run.t, run.q.shape[:-1])


def _parameters(run: Run) -> np.ndarray | None:
    if run.parameters is None:
        return None
    p = run.parameters[..., None, :] if run.parameters.ndim == 2 else run.parameters
    return switched_parameters(run, p)


def switched_parameters(run: Run, p: np.ndarray) -> np.ndarray:
    """Parameters p ([S, 1,] n) with what events have switched, of every row, where there is any."""
    own = {x.name: x for x in run.plant._declared if x.name in run.switches}
    if not own:
        return p
    p = np.array(np.broadcast_to(p, (*run.q.shape[:-1], p.shape[-1])))
    for name, x in own.items():
        values = run.switches[name]
        p[..., x.place] = values.reshape((*run.q.shape[:-1], -1))
    return p


def _largest(x: np.ndarray) -> np.ndarray:
    """Largest over the rows, of those that count."""
    return np.nanmax(x, axis=-1)


def _reach(run: Run) -> np.ndarray:
    """Largest distance ([S]) of a body's frame from the centre of mass at the first row (m)."""
    tree, q = run.tree, run.q[..., [0], :]
    centre = centre_of_mass(tree, q)
    distances = [np.linalg.norm(se3.position(g) - centre, axis=-1) for g in body_poses(tree, q)]
    return np.max(distances, axis=0)[..., 0]


def _drift(p: np.ndarray, typical: np.ndarray) -> np.ndarray:
    """Largest change of a momentum (..., T, 3), relative to its largest size or the typical one, whichever is larger.

    The typical one is that of the kinetic energy: a run at zero momentum has moving parts too.
    """
    change = np.linalg.norm(p - p[..., :1, :], axis=-1)
    size = np.fmax(np.nanmax(np.linalg.norm(p, axis=-1), axis=-1), typical)
    return _relative(_largest(change), size)


def _relative(x: np.ndarray, size: np.ndarray) -> np.ndarray:
    """x over a size; as it is where there is none."""
    return x / np.where(size > 0, size, 1.0)
