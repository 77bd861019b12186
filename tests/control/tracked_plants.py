"""Plants and moving references for tests of laws that track with all joints."""

from functools import cache

import numpy as np

import unmoored as um
from unmoored.lie import se3
from unmoored.trace import evaluate, jvp, trace


@cache
def ball_arm(wet=False):
    """A free vehicle with a ball joint and a revolute one; in a current, with added mass and drag, if it is wet."""
    builder = um.SystemBuilder("wet_ball" if wet else "ball")
    rng = np.random.default_rng(2)

    def fluid(scale):
        A = rng.normal(size=(6, 6))
        return um.Fluid(volume=0.01 * scale, added_mass=scale * (A @ A.T) / 6, linear_drag=scale * np.ones(6),
                        quadratic_drag=2 * scale * np.ones(6)) if wet else None  # fmt: skip

    bus = builder.vehicle(
        "bus", um.Free(), inertia=um.Inertia.box(mass=20.0, size=(1.0, 0.8, 0.6)), fluid=fluid(8.0)
    )
    link = um.Inertia(mass=2.0, com=(0.05, 0, 0.3), tensor=np.diag([0.1, 0.12, 0.05]))
    ball = builder.link("ball", parent=bus, joint=um.Spherical(), at=um.Pose(xyz=(0.2, 0, 0.3), rpy=(0.2, 0.3, 0.4)),
                        inertia=link, fluid=fluid(1.0))  # fmt: skip
    builder.link(
        "arm", parent=ball, joint=um.Revolute(axis=(1, 0, 0)), at=um.Pose(xyz=(0, 0, 0.6)), inertia=link
    )
    return builder.build()


def plant_of(wet=False):
    return um.Plant(ball_arm(wet), world=um.Ocean(current=(0.3, -0.2, 0.1)) if wet else um.Earth())


def moving_targets(seed=5):
    """References of all joints that turn by about a radian between points."""
    rng = np.random.default_rng(seed)
    poses, turns = [np.eye(4)], [np.eye(4)]
    for _ in range(2):
        poses.append(poses[-1] @ se3.exp(0.6 * rng.normal(size=6)))
        turns.append(turns[-1] @ se3.exp(np.array([0, 0, 0, *(0.6 * rng.normal(size=3))])))
    times = [0.0, 2.0, 4.0]
    return {
        "bus": um.PoseSpline(times, poses),
        "ball": um.PoseSpline(times, turns),
        "arm": um.Sine(0.7, 3.0, phase=0.3),
    }


#: distinct in all directions
STIFFNESS = np.array([300.0, 200.0, 250.0, 60.0, 80.0, 70.0, 20.0, 30.0, 25.0, 15.0])
DAMPING = np.array([200.0, 150.0, 170.0, 40.0, 50.0, 45.0, 9.0, 11.0, 10.0, 8.0])


def off_state(system, seed=1):
    """A state (q, v) that is off the references by much, with all rates."""
    rng = np.random.default_rng(seed)
    return system.random_configuration(rng), rng.normal(size=system.nv)


def rate_along_motion(plant, energy, law, t, q, v):
    """d/dt energy(t, q, v) where the plant moves under the law: its program is differentiated."""
    a = plant.forward_dynamics(t, q, v, law(t, q, v))
    nv = plant.nv
    traced = trace(
        lambda t, dq, v: np.asarray(energy(t[0], plant.system.retract(q, dq), v)), (1,), (nv,), (nv,)
    )
    return evaluate(jvp(traced), np.array([t]), np.zeros(nv), v, np.ones(1), v, a)
