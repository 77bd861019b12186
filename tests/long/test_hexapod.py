"""A parallel mechanism of 27 DoFs with six loops: a platform on six legs that carries an arm."""

import numpy as np
import pytest

import unmoored as um
from unmoored.lie import se3


def hexapod(joints: int) -> tuple[um.System, list[um.Closure]]:
    """A platform on six legs with universal feet and ball joints above, and an arm of so many joints on it."""
    b = um.SystemBuilder("hexapod")
    platform = b.vehicle("platform", um.Free(), inertia=um.Inertia.box(mass=50.0, size=(1, 1, 0.1)))
    closures = []
    for k in range(6):
        low, high = (2 * np.pi / 3 * (k // 2) + (x if k % 2 else -x) for x in (0.2, 0.8))
        leg = b.link(
            f"leg{k}", parent="world", joint=um.Universal(), at=um.Pose(xyz=(1.2 * np.cos(low), 1.2 * np.sin(low), 0)),
            inertia=um.Inertia(mass=2.0, com=(0, 0, 0.3), tensor=np.diag([0.05, 0.05, 0.01])),
        )  # fmt: skip
        b.link(
            f"rod{k}", parent=leg, joint=um.Prismatic((0, 0, 1)),
            inertia=um.Inertia(mass=1.0, com=(0, 0, -0.2), tensor=np.diag([0.02, 0.02, 0.005])),
        )  # fmt: skip
        b.frame(f"top{k}", parent=platform, at=um.Pose(xyz=(0.7 * np.cos(high), 0.7 * np.sin(high), 0)))
        closures.append(um.Closure(f"rod{k}", f"top{k}", joint=um.Spherical(), name=f"ball{k}"))
    parent = platform
    for k in range(joints):
        inertia = um.Inertia(mass=2.0, com=(0, 0, 0.1), tensor=np.diag([0.02, 0.02, 0.01]))
        parent = b.link(
            f"arm{k}",
            parent=parent,
            joint=um.Revolute((0, 1, 0)),
            at=um.Pose(xyz=(0, 0, 0.3)),
            inertia=inertia,
        )
    return b.build(), closures


@pytest.mark.parametrize("joints", [0, 3])
def test_a_platform_on_six_legs(joints: int) -> None:
    """Nothing but the closures acts, unrolled (24 DoFs) and by loops (27); energy, gaps, unique loads."""
    system, closures = hexapod(joints)
    plant = um.Plant(system, um.Earth(), closures=closures)
    q = system.pack({"platform": um.Pose(xyz=(0, 0, 1)).matrix, **{f"rod{k}": 1.0 for k in range(6)}})
    q, v = plant.assemble(q, np.random.default_rng(0).normal(size=system.nv) * 0.1)
    a = plant.forward_dynamics(0.0, q, v)
    rows = []
    for k in range(6):
        g = np.linalg.inv(system.pose(q, f"rod{k}")) @ system.pose(q, f"top{k}")
        J = system.jacobian(q, f"top{k}") - se3.Ad(se3.inverse(g)) @ system.jacobian(q, f"rod{k}")
        rows.append(J[:3])
    J = np.concatenate(rows)
    n = np.linalg.svd(J)[2][18:]
    needed = plant.inverse_dynamics(0.0, q, v, a)
    assert np.abs(n @ needed).max() < 1e-9 * np.abs(needed).max()  # nothing but the closures acts
    run = um.simulate(plant, q, v, duration=0.05, step=1e-3)
    assert run.invariants()["energy_balance"] < 1e-10
    for k in range(6):
        off = system.pose(run.q, f"rod{k}")[:, :3, 3] - system.pose(run.q, f"top{k}")[:, :3, 3]
        assert np.abs(off).max() < 1e-14
    assert run.closure_loads_unique["ball0"].all()
