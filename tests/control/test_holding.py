"""Springs and dampers: where K e is a gradient, energy falls by the damping alone; within bounds nothing is done."""

import numpy as np
from tests.control.test_task_priority import arm
from tests.control.tracked_plants import rate_along_motion

import unmoored as um
from unmoored.lie import se3, so3


def test_joints_with_coordinates_lose_energy_by_damping_alone():
    plant = um.Plant(arm(3), world=um.Earth(gravity=(0, -9.81, 0)))
    K, D = np.array([30.0, 20.0, 10.0]), np.array([3.0, 2.0, 1.0])
    goal = np.array([0.2, -0.3, 0.5])
    law = um.JointPD(plant, {f"rod{k}": goal[k] for k in range(3)}, stiffness=K, damping=D)

    def energy(t, q, v):
        return 0.5 * v @ (plant.mass_matrix(q) @ v) + 0.5 * (K * (goal - q) ** 2).sum()

    q, v = np.array([0.9, -1.4, 0.8]), np.array([1.0, -2.0, 1.5])
    lost = v @ (D * v)
    assert abs(rate_along_motion(plant, energy, law, 0.0, q, v) + lost) < 1e-10 * lost


def test_attitudes_with_one_stiffness_lose_energy_by_damping_alone():
    b = um.SystemBuilder("ball")
    b.vehicle("ball", um.Spherical(), inertia=um.Inertia(2.0, (0, 0, 0), np.diag([0.3, 0.5, 0.6])))
    plant = um.Plant(b.build())
    D = np.array([1.0, 1.0, 1.0, 0.3, 0.4, 0.5])
    target = um.Pose(rpy=(0.4, -0.3, 0.9))
    law = um.StationKeeping(plant, "ball", target, stiffness=2.0, damping=D)

    def energy(t, q, v):
        e = so3.log(q.reshape(-1)[:9].reshape(3, 3).T @ target.matrix[:3, :3])
        return 0.5 * v @ (plant.mass_matrix(q) @ v) + 1.0 * (e * e).sum()

    q, v = (
        plant.system.retract(plant.system.neutral(), np.array([-0.9, 0.7, -0.5])),
        np.array([0.4, -0.6, 0.8]),
    )
    lost = v @ (D[3:] * v)
    assert abs(rate_along_motion(plant, energy, law, 0.0, q, v) + lost) < 1e-10 * lost


def test_inside_its_bounds_a_vehicle_drifts():
    b = um.SystemBuilder("box")
    b.vehicle("box", um.Free(), inertia=um.Inertia.box(mass=10.0, size=(0.5, 0.4, 0.3)))
    plant = um.Plant(b.build())
    law = um.ReactionMode(
        plant, "box", um.Pose(), stiffness=10.0, damping=3.0, position_bound=0.2, angle_bound=0.1
    )
    near, far = (plant.system.pack({"box": um.Pose(xyz=(x, 0, 0)).matrix}) for x in (0.15, 0.5))
    v = np.full(6, 0.1)
    assert np.all(law(0.0, near, v) == 0.0)
    assert np.allclose(law(0.0, far, v)[:3], [-3.0 - 0.3, -0.3, -0.3])
    assert np.all(law(0.0, far, v)[3:] == 0.0)


def test_a_target_that_turns_is_seen_from_where_the_vehicle_is():
    """V_r − V is the rate of g⁻¹g_d, whatever is between the two poses."""
    b = um.SystemBuilder("box")
    b.vehicle("box", um.Free(), inertia=um.Inertia.box(mass=10.0, size=(0.5, 0.4, 0.3)))
    plant, h = um.Plant(b.build()), 1e-5
    path = um.ScrewPath([0, 4], [um.Pose(), um.Pose(xyz=(1, 0.5, -0.3), rpy=(0.4, -0.6, 0.9))])
    q = plant.system.pack({"box": um.Pose(xyz=(0.4, -0.7, 0.6), rpy=(-0.5, 0.3, 0.8)).matrix})
    v = np.array([0.3, -0.2, 0.1, 0.4, 0.5, -0.6])
    soft, firm = (
        um.StationKeeping(plant, "box", path, 5.0, damping=d, compensation=False) for d in (1.0, 2.0)
    )
    seen = [
        se3.inverse(plant.system.pose(plant.system.retract(q, c * h * v), "box")) @ path.at(1.5 + c * h).pose
        for c in (-1, 1)
    ]
    rate = se3.log(seen[1] @ se3.inverse(seen[0])) / (2 * h)
    assert np.abs(firm(1.5, q, v) - soft(1.5, q, v) - rate).max() < 1e-8
