"""Random systems for tests: frames off every centre of mass, mixed joints, branches (docs/theory.md §17)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unmoored.lie import se3, so3
from unmoored.model import (
    Body,
    CustomJoint,
    Cylindrical,
    Fixed,
    Frame,
    Free,
    Helical,
    Inertia,
    Joint,
    Planar,
    PlanarHelical,
    Pose,
    Prismatic,
    Revolute,
    Schoenflies,
    Spherical,
    Translation,
    Tree,
    Universal,
)


def cam_pose(q):
    """A turning cam that lifts by 0.1 sin q."""
    o = 0 * q[0]
    return se3.pose(so3.exp(np.stack([o, o, q[0]])), np.stack([o, o, 0.1 * np.sin(q[0])]))


def cam_twist(q):
    """X(q) of the cam, (6, 1)."""
    o = 0 * q[0]
    return np.stack([o, o, 0.1 * np.cos(q[0]), o, o, 1 + o])[:, None]


CAM = CustomJoint(1, cam_pose, cam_twist)


def random_axis(rng: np.random.Generator) -> np.ndarray:
    axis = rng.normal(size=3)
    return axis / np.linalg.norm(axis)


#: One maker for every joint of the catalogue, about random axes.
MAKERS = {
    "Fixed": lambda rng, **o: Fixed(),
    "Revolute": lambda rng, **o: Revolute(random_axis(rng), **o),
    "Prismatic": lambda rng, **o: Prismatic(random_axis(rng), **o),
    "Helical": lambda rng, **o: Helical(random_axis(rng), rng.choice([-1, 1]) * rng.uniform(0.05, 0.3), **o),
    "Cylindrical": lambda rng, **o: Cylindrical(random_axis(rng), **o),
    "Planar": lambda rng, **o: Planar(random_axis(rng), **o),
    "Spherical": lambda rng, **o: Spherical(**o),
    "Translation1": lambda rng, **o: Translation(1, random_axis(rng), **o),
    "Translation2": lambda rng, **o: Translation(2, random_axis(rng), **o),
    "Translation3": lambda rng, **o: Translation(3, **o),
    "Schoenflies": lambda rng, **o: Schoenflies(random_axis(rng), **o),
    "PlanarHelical": lambda rng, **o: PlanarHelical(random_axis(rng), rng.uniform(0.05, 0.3), **o),
    "Free": lambda rng, **o: Free(**o),
    "Universal": lambda rng, **o: Universal(**o),
    "Custom": lambda rng, **o: CAM,
}
SUBGROUP_KINDS = tuple(kind for kind in MAKERS if kind not in ("Universal", "Custom"))
ALL_KINDS = tuple(MAKERS)


def random_pose(rng: np.random.Generator, reach: float = 0.5) -> Pose:
    return Pose(xyz=rng.uniform(-reach, reach, 3), rotation=so3.exp(rng.uniform(-1.7, 1.7, 3)))


def random_inertia(rng: np.random.Generator, *, added_mass: bool = False) -> Inertia:
    """A real rigid body's inertia, or one with an added mass that exceeds it."""
    turn = so3.exp(rng.uniform(-1, 1, 3))
    x, y, z = rng.uniform(0.05, 0.5, 3)
    mass = rng.uniform(1, 5)
    rigid = Inertia(mass, rng.uniform(-0.3, 0.3, 3), turn @ np.diag([y + z, x + z, x + y]) @ turn.T)
    if not added_mass:
        return rigid
    A = rng.normal(size=(6, 6))
    return Inertia(mass, rigid.com, rigid.tensor, full=rigid.matrix + 3 * mass * A @ A.T / 6)


def random_tree(
    seed: int,
    kinds: Sequence[str],
    *,
    branching: bool = True,
    added_mass: bool = False,
    armature: bool = False,
    vehicles: int = 1,
) -> Tree:
    """A tree whose bodies are moved by joints of these kinds, in this order; the first `vehicles` hang on the world.

    The frame "tool" sits on the last body, off its origin.
    """
    rng = np.random.default_rng(seed)
    bodies = []
    for i, kind in enumerate(kinds):
        chain = max(0, i - 1)
        parent = "world" if i < vehicles else f"b{rng.integers(max(0, i - 3), i) if branching else chain}"
        options = {"armature": rng.uniform(0.1, 0.5)} if armature and kind not in ("Fixed", "Custom") else {}
        joint: Joint = MAKERS[kind](rng, **options)
        bodies.append(
            Body(
                name=f"b{i}",
                parent=parent,
                joint=joint,
                inertia=random_inertia(rng, added_mass=added_mass),
                at=random_pose(rng),
            )
        )
    tool = Frame(name="tool", parent=f"b{len(bodies) - 1}", at=random_pose(rng))
    return Tree(name=f"random{seed}", bodies=tuple(bodies), frames=(tool,))


def random_state(
    tree: Tree, seed: int, batch: tuple[int, ...] = ()
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(q, v, a) of shapes (*batch, nq), (*batch, nv), (*batch, nv)."""
    from unmoored.dynamics import configuration

    rng = np.random.default_rng(seed)
    count = int(np.prod(batch))
    q = np.stack([configuration.random_configuration(tree, rng) for _ in range(count)]).reshape(
        *batch, tree.nq
    )
    return q, rng.normal(size=(*batch, tree.nv)), rng.normal(size=(*batch, tree.nv))


__all__ = [
    "ALL_KINDS",
    "CAM",
    "MAKERS",
    "SUBGROUP_KINDS",
    "random_inertia",
    "random_pose",
    "random_state",
    "random_tree",
]
