"""Loops of joints that turn a vehicle: as the simulation of the same joints turns it."""

import numpy as np
import pytest

import unmoored as um
from unmoored import planning


def flyer(limit=None):
    b = um.SystemBuilder("cat")
    parent = b.vehicle("bus", um.Free(), inertia=um.Inertia.box(12.0, (0.5, 0.4, 0.4)))
    for k, axis in enumerate(((0, 0, 1), (0, 1, 0), (1, 0, 0))):
        parent = b.link(
            f"j{k}", parent=parent, joint=um.Revolute(axis, limits=None if limit is None else (-limit, limit)),
            at=um.Pose(xyz=(0, 0, 0.4)), inertia=um.Inertia(4.0, (0.1, 0.05, 0.2), 0.1 * np.eye(3)),
        )  # fmt: skip
    return b.build()


SYSTEM = flyer()
Q0 = SYSTEM.retract(SYSTEM.neutral(), np.r_[0.2, 0.1, -0.3, 0.3, -0.2, 0.5, 0.2, 0.4, -0.3])


def simulated(system, found, duration=4.0):
    """The configuration after the loops, by the dynamics with the joints driven."""
    t = np.linspace(0.0, duration, 1201)
    joints = found.joints_at(t, duration)
    moves = {name: um.Sampled(t, joints[:, k]) for k, name in enumerate(found.joints)}
    q0 = found.q[0]
    return um.simulate(um.Plant(system, prescribed=moves), q0, duration=duration, step=duration / 800).q[-1]


def turned(q0, q1):
    return um.lie.so3.log(q0[:9].reshape(3, 3).T @ q1[:9].reshape(3, 3))


def test_the_vehicle_turns_by_what_is_wished():
    wish = np.array([0.05, -0.1, 0.15])
    found = planning.reorient(SYSTEM, Q0, wish)
    assert found.solved
    assert found.loops == 1
    np.testing.assert_allclose(turned(Q0, found.q[-1]), wish, atol=1e-6)
    np.testing.assert_allclose(found.q[-1, 12:], Q0[12:], atol=1e-12)  # the joints are back
    end = simulated(SYSTEM, found)
    np.testing.assert_allclose(turned(Q0, end), wish, atol=2e-5)
    assert np.abs(end[12:] - Q0[12:]).max() < 1e-9
    back = np.flip(found.joints_at(np.linspace(0, 1, 1201), 1.0), axis=0)
    moves = {name: um.Sampled(np.linspace(0, 4, 1201), back[:, k]) for k, name in enumerate(found.joints)}
    undone = um.simulate(um.Plant(SYSTEM, prescribed=moves), found.q[-1], duration=4.0, step=5e-3).q[-1]
    np.testing.assert_allclose(turned(Q0, undone), 0.0, atol=4e-5)  # run the other way, it turns back


@pytest.mark.long
def test_limits_take_more_loops():
    tight = flyer(0.9)
    found = planning.reorient(tight, Q0, [0.0, 0.0, 0.4], starts=8)
    assert found.solved
    assert found.loops > 1
    assert len(found.q) == found.loops * 48 + 1
    assert np.abs(found.q[:, 12:]).max() <= 0.9 + 1e-12
    np.testing.assert_allclose(turned(Q0, found.q[-1]), [0, 0, 0.4], atol=1e-6)
    np.testing.assert_allclose(turned(Q0, simulated(tight, found, 8.0)), [0, 0, 0.4], atol=2e-4)


def test_a_planar_vehicle_and_a_turn_that_it_cannot_make():
    system = um.load("papadopoulos_dubowsky")
    q0 = system.pack({"shoulder": 0.5, "elbow": 0.8})
    found = planning.reorient(system, q0, [0.0, 0.0, np.radians(10.0)], starts=12)
    assert found.solved
    np.testing.assert_allclose(turned(q0, found.q[-1])[2], np.radians(10.0), atol=1e-6)
    with pytest.raises(um.ModelError, match="can make"):
        planning.reorient(system, q0, [0.1, 0.0, 0.0])
    with pytest.raises(um.ModelError, match="beside the vehicle"):
        planning.reorient(um.load("tumbling_brick"), um.load("tumbling_brick").neutral(), [0.1, 0.0, 0.0])
