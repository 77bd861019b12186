"""Which spring, damper or drive is behind a fast mode of a plant: the one that holds most of its energy."""

from __future__ import annotations

import numpy as np

from ..lie import se3
from ..worlds import Plant
from ..worlds.element_loads import spanned
from ..worlds.loads import Setting, scene_at, setting
from .blow_up import FastestMode, joint_of
from .time_step import TimeStep

_DIFFERENCE = 1e-7
#: part of the mode's energy that a cause has at least; else it is something else, such as a law
_SHARE = 0.1


def cause_of(
    e: TimeStep, t: float, state: np.ndarray, params: np.ndarray, shape: np.ndarray, mode: FastestMode
) -> str:
    """ "spring of joint …", "element …", "actuator …" or "joint …" of a mode with shape (nv + nw + nx,) at time t (s).

    Each is given what it stores and loses at the mode's rate, dᵀK d + rate dᵀD d, d the mode's part in dq; all of them
    together have about rate² dᵀM d.
    """
    now, params = e.layout.split(state.astype(float)), params.astype(float)
    plant, p = e.plant, e.plant_parameters(params)
    there = setting(plant, p)
    d, x = shape[: plant.nv], shape[plant.nv + e.layout.nw :]
    q, v = e.seen(t, now.q, now.w, params) if e.equations == "full" else (now.q, np.zeros(plant.nv))
    held = _joints(plant, there, v, d, mode.rate) | _elements(there, t, q, d, mode.rate)
    M = plant.mass_matrix(q, p=p, backend="numpy")
    most = max(held, key=lambda name: held[name], default="")
    if held.get(most, 0.0) > _SHARE * mode.rate**2 * float((d.conj() @ M @ d).real):
        return most
    moving = np.abs(x)
    if plant.nx and moving.max() > np.abs(d).max():
        return f"actuator {plant.state_names[int(moving.argmax())].rsplit('.', 1)[0]}"
    return f"joint {joint_of(plant.tree, int(mode.participation.argmax()))}"


def _joints(plant: Plant, there: Setting, v: np.ndarray, d: np.ndarray, rate: float) -> dict[str, float]:
    effects, found = plant.joints, {}
    for link in there.dry.links:
        part, joint = np.abs(d[link.v]) ** 2, link.joint
        slope = (1.0 - np.tanh(v[link.v] / effects.friction_speed) ** 2) / effects.friction_speed
        for what, on, factor in (
            ("spring", effects.springs, joint.stiffness),
            ("damping", effects.damping, rate * np.asarray(joint.damping, dtype=float)),
            ("friction", effects.friction, rate * slope * np.asarray(joint.friction, dtype=float)),
        ):
            if on and joint.nv:
                found[f"{what} of joint {link.name}"] = float((part * factor).sum())
    return found


def _elements(there: Setting, t: float, q: np.ndarray, d: np.ndarray, rate: float) -> dict[str, float]:
    found = {}
    for way in (np.real(d), np.imag(d)):
        scene = scene_at(there, t, q, np.asarray(way))  # type: ignore[arg-type]
        for at in spanned(there.elements, scene):
            V = np.asarray(at.twist, dtype=float)
            size = np.abs(V).max()
            if not size:
                continue
            ε = _DIFFERENCE / size
            ahead, behind = (at.element.elastic(at.pose @ se3.exp(s * ε * V)) for s in (1.0, -1.0))
            stored = -float((np.asarray(ahead) - np.asarray(behind)) @ V) / (2.0 * ε)
            lost = rate * float(V @ np.asarray(at.element.damping_matrix(at.pose, 0.0 * V)) @ V)
            name = f"{at.element.kind} {at.element.label}"
            found[name] = found.get(name, 0.0) + at.element.active * (max(stored, 0.0) + lost)
    return found
