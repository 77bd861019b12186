"""Fluid data from the shapes that show a system: a first guess for models that say nothing of water."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..dynamics import configuration
from ..dynamics.kinematics import body_poses
from ..lie import se3
from ..model import Body, Box, Capsule, Cylinder, Fluid, Hull, ModelError, Pose, Sphere, Visual
from ..model.errors import unknown_name
from ..model.short_text import short_repr
from ..model.type_checks import check_type
from ..model.value import frozen_array
from .system import System

_GRAVITY = 9.81
_GRID = 16
_TOLD = 0.01  # share of a shape in another beyond which it is told
_LIGHT = 0.5  # mass over displaced mass below which a body is taken for hollow


@dataclass(frozen=True)
class FluidFromVisuals:
    """A system with fluids from its visuals, and what one should know of them; `print` shows it all.

    system: the same with fluids.  volumes: {body: displaced volume (m³)}, scaled.  scale: the factor on all of them.
    overlaps: (shape or body, the other, share of the first that lies in the second).  hollow: bodies of less than
    half the mass of the water they displace: flooded, or foam?  shapeless: bodies with a mesh or no visual: no water.
    kept: bodies that had fluid data already.  density: of the water (kg/m³).
    """

    __repr__ = short_repr

    system: System
    volumes: dict[str, float]
    scale: float
    overlaps: tuple[tuple[str, str, float], ...]
    hollow: tuple[str, ...]
    shapeless: tuple[str, ...]
    kept: tuple[str, ...]
    density: float

    @property
    def volume(self) -> float:
        """Displaced volume of all bodies (m³)."""
        return sum(self.volumes.values())

    @property
    def buoyancy(self) -> float:
        """ρ g volume (N), with g = 9.81 m/s²."""
        return self.density * _GRAVITY * self.volume

    def __str__(self) -> str:
        lines = [f"{name}: {1e3 * volume:.4g} l" for name, volume in self.volumes.items()]
        lines.append(
            f"all: {1e3 * self.volume:.4g} l (scaled by {self.scale:.4g}), buoyancy {self.buoyancy:.4g} N, "
            f"weight {_GRAVITY * self.system.mass:.4g} N"
        )
        lines += [f"overlap: {100 * share:.0f} % of {a} lies in {b}" for a, b, share in self.overlaps]
        for words, names in (
            ("hollow or flooded? lighter than half of their water", self.hollow),
            ("no simple shape, so no water", self.shapeless),
            ("had fluid data, kept", self.kept),
        ):
            lines += [f"{words}: {', '.join(names)}"] if names else []
        return "\n".join(lines)


def fluid_from_visuals(
    system: System,
    density: float = 1026.0,
    *,
    volume: float | None = None,
    flooded: Sequence[str] = (),
) -> FluidFromVisuals:
    """A system whose bodies have fluid data from their boxes, cylinders, spheres and capsules (see `Fluid.box` …).

    Added mass and drag of several shapes on a body add up; the volume is that of their union.  density: of the water
    (kg/m³).  volume: what the whole displaces (m³), if it is known: all volumes are scaled to it.  flooded: bodies that
    water fills: they displace nothing, but are dragged and have added mass.
    """
    check_type("fluid_from_visuals", "system", system, System)
    density = _positive("density", density)
    tree = system.tree
    for name in flooded:
        if name not in tree.names:
            raise unknown_name("fluid_from_visuals", "body", name, tree.names)
    shaped = {body.name: _shapes(body) for body in tree.bodies if body.fluid is None and _shapes(body)}
    if not shaped:
        expected = "a body with a box, cylinder, sphere or capsule and no fluid data"
        meshes = any(visual.kind == "Mesh" for body in tree.bodies for visual in body.visuals)
        given = "meshes only: give those bodies um.Fluid.cylinder and its like by hand" if meshes else "none"
        raise ModelError.single(system.name, "visuals", expected=expected, given=given)
    fluids, overlaps = {}, []
    for name, shapes in shaped.items():
        fluids[name], found = _fluid_of(name, shapes, density)
        overlaps += found
    overlaps += _between_bodies(system, shaped)
    raw = {name: 0.0 if name in flooded else fluid.volume for name, fluid in fluids.items()}
    scale = 1.0 if volume is None else _positive("volume", volume) / (sum(raw.values()) or np.nan)
    if not np.isfinite(scale):
        raise ModelError.single(system.name, "volume", expected="a body that is not flooded", given="none")
    bodies = tuple(
        replace(body, fluid=replace(fluids[body.name], volume=scale * raw[body.name]))
        if body.name in fluids
        else body
        for body in tree.bodies
    )
    volumes = {name: scale * x for name, x in raw.items()}
    hollow = [
        name
        for name, x in volumes.items()
        if tree.bodies[tree.index(name)].inertia.mass < _LIGHT * density * x
    ]
    return FluidFromVisuals(
        System(replace(tree, bodies=bodies)),
        volumes,
        scale,
        tuple(found for found in overlaps if found[-1] > _TOLD),
        tuple(hollow),
        tuple(body.name for body in tree.bodies if body.fluid is None and body.name not in shaped),
        tuple(body.name for body in tree.bodies if body.fluid is not None),
        density,
    )


def _shapes(body: Body) -> list[Visual]:
    return [shape for shape in body.visuals if isinstance(shape, Box | Cylinder | Sphere)]


def _fluid_of(name: str, shapes: list[Visual], density: float) -> tuple[Fluid, list[tuple[str, str, float]]]:
    """The fluid of all shapes of a body together, and how much of each lies in every other."""
    fluids = [_of_shape(shape, density) for shape in shapes]
    if len(fluids) == 1:
        return fluids[0], []
    overlaps, volumes, centres, moments = [], [], [], []
    for i, (shape, fluid) in enumerate(zip(shapes, fluids, strict=True)):
        points = _points(shape)
        inside = [
            np.ones(len(points), dtype=bool) if k == i else _contains(other, points)
            for k, other in enumerate(shapes)
        ]
        weights = (
            fluid.volume / len(points) / np.sum(inside, axis=0)
        )  # what lies in k shapes counts 1/k in each
        volumes.append(weights.sum())
        centres.append(weights @ points)
        moments.append((points * weights[:, None]).T @ points)
        overlaps += [
            (f"{name} {shape.kind} {i}", f"{name} {other.kind} {k}", float(inside[k].mean()))
            for k, other in enumerate(shapes)
            if k != i
        ]
    volume = float(sum(volumes))
    centre = sum(centres) / volume
    spread, axes = np.linalg.eigh(sum(moments) / volume - np.outer(centre, centre))
    axes = axes * np.sign(np.linalg.det(axes))
    hull = Hull("ellipsoid", 2.0 * np.sqrt(5.0 * spread), Pose(rotation=axes))
    parts = tuple(part for fluid in fluids for part in fluid.flow_parts)
    added = sum(fluid.added_mass for fluid in fluids)
    whole = Fluid(
        added_mass=added,
        volume=volume,
        centre_of_buoyancy=centre,
        flow_parts=parts,
        hull=hull,
        density=density,
    )
    return whole, overlaps


def _of_shape(shape: Any, density: float) -> Fluid:
    axis, centre = shape.at.rotation[:, 2], shape.at.xyz
    if isinstance(shape, Box):
        return Fluid.box(shape.size, density, at=shape.at)
    if isinstance(shape, Capsule):
        return Fluid.capsule(shape.radius, shape.length, axis, density, centre=centre)
    if isinstance(shape, Cylinder):
        return Fluid.cylinder(shape.radius, shape.length, axis, density, centre=centre)
    return Fluid.sphere(shape.radius, density, centre=centre)


def _points(shape: Any) -> np.ndarray:
    """Points (n, 3) on a grid inside a shape, in body axes."""
    if isinstance(shape, Box):
        extent = np.array(shape.size)
    else:
        along = shape.length if isinstance(shape, Cylinder) else 2 * shape.radius
        along += 2 * shape.radius if isinstance(shape, Capsule) else 0.0
        extent = np.array([2 * shape.radius, 2 * shape.radius, along])
    steps = (np.arange(_GRID) + 0.5) / _GRID - 0.5
    grid = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3) * extent
    points = grid @ shape.at.rotation.T + shape.at.xyz
    return points[_contains(shape, points)]


def _contains(shape: Any, points: np.ndarray) -> np.ndarray:
    """Which of the points (n, 3), in body axes, lie in a shape."""
    x = (points - shape.at.xyz) @ shape.at.rotation
    if isinstance(shape, Box):
        return np.all(np.abs(x) <= 0.5 * np.array(shape.size), axis=1)
    if isinstance(shape, Capsule):
        z = np.clip(x[:, 2], -0.5 * shape.length, 0.5 * shape.length)
        return np.hypot(np.hypot(x[:, 0], x[:, 1]), x[:, 2] - z) <= shape.radius
    if isinstance(shape, Cylinder):
        return (np.hypot(x[:, 0], x[:, 1]) <= shape.radius) & (np.abs(x[:, 2]) <= 0.5 * shape.length)
    return np.linalg.norm(x, axis=1) <= shape.radius


def _between_bodies(system: System, shaped: dict[str, list[Visual]]) -> list[tuple[str, str, float]]:
    """Shares of bodies that lie in their parents, all joints neutral: both displace that water."""
    poses = body_poses(system.tree, configuration.neutral(system.tree))
    found = []
    for body in system.tree.bodies:
        if body.name in shaped and body.parent in shaped:
            points = np.concatenate([_points(shape) for shape in shaped[body.name]])
            g = se3.inverse(poses[system.tree.index(body.parent)]) @ poses[system.tree.index(body.name)]
            there = points @ g[:3, :3].T + g[:3, 3]
            inside = np.any([_contains(shape, there) for shape in shaped[body.parent]], axis=0)
            found.append((body.name, body.parent, float(inside.mean())))
    return found


def _positive(what: str, x: Any) -> float:
    number = float(frozen_array(x, (), where="fluid_from_visuals", what=what))
    if not number > 0:
        raise ModelError.single("fluid_from_visuals", what, expected="> 0", given=repr(x))
    return number
