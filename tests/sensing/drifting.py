"""A vehicle that is held near a place and pushed about, with an inertial unit and what corrects it."""

from functools import cache

import numpy as np

import unmoored as um
from unmoored.lie import se3, so3
from unmoored.sensing import extended_pose

RATE = 100.0
IMU = um.Imu("imu", "unit", grade="ADIS16488", sampling="average")
DVL = um.Dvl("dvl", "log", grade="WHN600", rate=5.0)
DEPTH = um.DepthGauge("depth", "unit", grade="MS5837-30BA", rate=10.0)
USBL = (
    um.Usbl("usbl_1", "unit", transponder=(6.0, 0.0, -3.0), grade="low-cost", rate=1.0),
    um.Usbl("usbl_2", "unit", transponder=(-3.0, 5.0, -2.0), grade="low-cost", rate=1.0),
)
SENSORS = (IMU, DVL, DEPTH, *USBL)


@cache
def plant():
    b = um.SystemBuilder("drifter")
    hull = b.vehicle("hull", um.Free(), inertia=um.Inertia.box(mass=12.0, size=(0.6, 0.4, 0.3)))
    b.frame("unit", parent=hull, at=um.Pose(xyz=(0.1, 0.05, -0.02), rpy=(0.1, -0.2, 0.3)))
    b.frame("log", parent=hull, at=um.Pose(xyz=(-0.2, 0.0, -0.1), rpy=(0.0, 0.1, -0.2)))
    return um.Plant(b.build(), world=um.Earth())


class Stirring(um.Law):
    """Forces and moments that come and go."""

    def __call__(self, t, q, v):
        rates = np.array([0.31, 0.47, 0.23, 0.41, 0.37, 0.29])
        sizes = np.array([6.0, 5.0, 4.0, 0.15, 0.2, 0.25])
        return sizes * np.sin(2.0 * np.pi * rates * t + np.arange(6.0))


def mover():
    """What moves the vehicle: it knows the truth."""
    hold = um.StationKeeping(
        plant(), "hull", um.Pose(), stiffness=(8, 8, 8, 2, 2, 2), damping=(12, 12, 12, 1, 1, 1)
    )
    return hold + Stirring()


def believed_at(true, ξ):
    """χ̂ with χ = retract(χ̂, ξ)."""
    turn = se3.exp(-ξ[:, 3:])
    R = true.R @ se3.rotation(turn)
    v = true.v + (true.R @ se3.position(turn)[..., None])[..., 0]
    first = extended_pose.ExtendedPose(R, v, true.p - (R @ ξ[:, :3, None])[..., 0])
    assert abs(extended_pose.local(first, true) - ξ).max() < 1e-12
    return first


def start(samples, seed, attitude, position=1.0, velocity=0.1):
    """(q, v, first estimates) of vehicles; errors of estimates have these standard deviations (rad, m, m/s)."""
    rng = np.random.default_rng(seed)
    system = plant().system
    moves = rng.standard_normal((samples, 6)) * [1.0, 1.0, 1.0, 0.2, 0.2, 0.5]
    g = se3.exp(moves)
    V = 0.1 * rng.standard_normal((samples, 6))
    q = system.pack({"hull": g})
    deviations = np.repeat([position, velocity, attitude], 3)
    ξ = rng.standard_normal((samples, 9)) * deviations
    R = g[:, :3, :3]
    true = extended_pose.ExtendedPose(R, (R @ V[:, :3, None])[..., 0], g[:, :3, 3])
    first = believed_at(true, ξ)
    believed = (np.swapaxes(first.R, -1, -2) @ first.v[..., None])[..., 0]
    options = {"pose": se3.pose(first.R, first.p), "velocity": believed}
    options |= {
        "position_deviation": position,
        "velocity_deviation": velocity,
        "attitude_deviation": attitude,
    }
    return q, V, options


def turned(samples, seed, angle):
    """First estimates that are turned by an angle (rad) about any axis, believed to be off by as much."""
    q, V, options = start(samples, seed, 1e-9)
    rng = np.random.default_rng(seed + 1)
    axes = rng.standard_normal((samples, 3))
    axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
    pose = options["pose"].copy()
    pose[:, :3, :3] = pose[:, :3, :3] @ so3.exp(angle * axes)
    return q, V, options | {"pose": pose, "attitude_deviation": angle / np.sqrt(3.0)}


def run(samples, seed, duration, options, q, V, believed=SENSORS, sensors=SENSORS, record=1.0):
    """The run, and the filter in it."""
    imu, *aiding = believed
    filter_ = um.InvariantFilter(plant(), imu, tuple(aiding), **options)
    nothing = um.Inputs(plant(), np.zeros(6))
    law = um.Estimated(filter_, nothing) + mover()
    return filter_, um.simulate(
        plant(), q, V, duration=duration, step=1.0 / RATE, control_step=1.0 / RATE, controller=law, sensors=sensors,
        seed=seed, record_every=round(record * RATE),
    )  # fmt: skip
