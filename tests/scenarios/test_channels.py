"""Channels are what their names say."""

import numpy as np
import pytest

import unmoored as um
from unmoored import kernels
from unmoored.simulation.channel import OF_FRAMES, channel, channel_unit, known_channels

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


def crane():
    """A vehicle of six DoFs, a rail and a hinge of one, a wrist of three."""
    b = um.SystemBuilder("crane")
    b.vehicle("bus", um.Free(), inertia=um.Inertia.box(mass=1.0, size=(1, 1, 1)))
    box = um.Inertia.box(mass=1.0, size=(0.1, 0.1, 0.1))
    b.link("rail", parent="bus", joint=um.Prismatic((1, 0, 0)), inertia=box)
    b.link("boom", parent="rail", joint=um.Revolute((0, 1, 0)), inertia=box)
    b.link("wrist", parent="boom", joint=um.Spherical(), inertia=box)
    return b.build().tree


def test_every_channel_of_a_state_has_the_unit_of_its_coordinate_or_rate():
    tree = crane()
    units = {
        "time": "s", "rail": "m", "rail.rate": "m/s", "boom": "rad", "boom.rate": "rad/s", "bus.vx": "m/s",
        "bus.wz": "rad/s", "wrist.wx": "rad/s",
    }  # fmt: skip
    assert {name: channel_unit(tree, name) for name in units} == units
    of_frames = [channel_unit(tree, f"rail.{what}") for what in OF_FRAMES]
    assert of_frames == ["m", "m", "m", "rad", "rad", "rad", "rad", "m/s", "rad/s"]


def test_the_channels_that_there_are_are_told_by_kind():
    told = known_channels(crane())
    assert told == (
        "time, a joint (rail, boom) or its .rate, a DoF (bus.vx, bus.vy, bus.vz, bus.wx, bus.wy, bus.wz, wrist.wx, "
        "wrist.wy, wrist.wz), or .x, .y, .z, .roll, .pitch, .yaw, .tilt, .speed, .turning of a frame "
        "(bus, rail, boom, wrist)"
    )
    for wrong in ("wrist", "wrist.rate", "boom.wx", "time.rate", "crane.x"):
        with pytest.raises(um.ModelError, match=r"unknown channel: expected time, a joint \(rail, boom\)"):
            channel(crane(), wrong)


def test_the_time_is_the_same_whatever_the_state_is():
    """Of every sample its own; a sample whose numbers are gone still has one."""
    q = np.stack([Q, np.full_like(Q, np.nan), 1e9 * Q])
    t = np.array([0.5, -1.5, 3.0])
    np.testing.assert_array_equal(channel(TREE, "time")(t, q, 0.0 * q), t)
    np.testing.assert_array_equal(channel(TREE, "time")(2.0, q, 0.0 * q), [2.0, 2.0, 2.0])
