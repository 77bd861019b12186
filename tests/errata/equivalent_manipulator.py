"""The dynamically equivalent manipulator of a chain, as From et al. 2010, eq. (82) give it."""

from __future__ import annotations

import numpy as np

from unmoored.model import Body, Inertia, Pose, Spherical, Tree


def printed_equivalent_manipulator(tree: Tree) -> Tree:
    """The vehicle on a ball joint, the same joints, pitches not scaled by M_{i−1}/M_t as they should."""
    masses = np.cumsum([link.mass for link in tree.links])
    M_t = masses[-1]
    first = tree.bodies[0]
    link_1 = Inertia(
        1.0, (0, 0, 0), first.inertia.tensor
    )  # its mass is arbitrary, it sits on the fixed point
    bodies = [Body(name=first.name, parent="world", joint=Spherical(), inertia=link_1)]
    for i, (body, inboard) in enumerate(zip(tree.bodies[1:], tree.bodies, strict=False), 1):
        scale = masses[i - 1] / M_t
        R, L = body.at.matrix[:3, 3] - inboard.inertia.com, inboard.inertia.com
        W = R * scale + L * (masses[i - 2] / M_t if i > 1 else 0.0)
        mass = body.inertia.mass * M_t**2 / (masses[i - 1] * masses[i])
        inertia = Inertia(mass, body.inertia.com * scale, body.inertia.tensor)
        at = Pose(xyz=W, rotation=body.at.matrix[:3, :3])
        bodies.append(Body(name=body.name, parent=body.parent, joint=body.joint, inertia=inertia, at=at))
    return Tree(name="equivalent", bodies=tuple(bodies))
