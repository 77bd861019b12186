"""Channels are what their names say."""

import numpy as np
import pytest

import unmoored as um
from unmoored import kernels
from unmoored.simulation.channel import channel

SYSTEM = um.load("rover_arm6")
TREE = SYSTEM.tree
RNG = np.random.default_rng(5)
Q, V = SYSTEM.random_configuration(RNG), RNG.standard_normal(SYSTEM.nv)


def value(name):
    return channel(TREE, name)(1.5, Q, V)


def test_joints_and_dofs():
    assert value("time") == 1.5
    assert value("elbow") == SYSTEM.unpack(Q)["elbow"]
    assert value("elbow.rate") == SYSTEM.unpack_velocity(V)["elbow"]
    assert value("rover.wz") == V[2]


def test_places_and_speeds_of_frames():
    g, twist = SYSTEM.pose(Q, "tool"), SYSTEM.jacobian(Q, "tool") @ V
    assert np.allclose([value(f"tool.{axis}") for axis in "xyz"], g[:3, 3], rtol=0, atol=1e-14)
    assert np.isclose(value("tool.speed"), np.linalg.norm(twist[:3]), rtol=1e-13)
    assert np.isclose(value("tool.turning"), np.linalg.norm(twist[3:]), rtol=1e-13)


def test_angles_are_roll_pitch_yaw_of_a_pose():
    angles = [value(f"tool.{name}") for name in ("roll", "pitch", "yaw")]
    assert np.allclose(um.Pose(rpy=angles).matrix[:3, :3], SYSTEM.pose(Q, "tool")[:3, :3], rtol=0, atol=1e-13)
    assert np.isclose(np.cos(value("tool.tilt")), SYSTEM.pose(Q, "tool")[2, 2], rtol=0, atol=1e-14)


@pytest.mark.parametrize("name", ["time", "elbow", "tool.pitch", "tool.tilt", "tool.speed", "rover.vx"])
def test_channels_run_in_kernels(name):
    function = channel(TREE, name)
    kernel = kernels.compile(
        lambda t, q, v: np.asarray(function(t[0], q, v))[None], [(1,), (TREE.nq,), (TREE.nv,)], name="channel"
    )
    assert np.isclose(kernel(np.array([1.5]), Q, V)[0], value(name), rtol=1e-13, atol=1e-14)
