"""Tool laws for some directions of a frame: with passive DoFs, and with fewer than six that are driven."""

import numpy as np
import pytest
from tests.control.test_tool_laws import PLANT, SYSTEM, bent, moving, tool_acceleration
from tests.control.tracked_plants import rate_along_motion

import unmoored as um
from unmoored.control.tool_errors import DIRECTIONS, ToolError, approach
from unmoored.lie import se3, so3
from unmoored.sensing import Signal
from unmoored.worlds import Seen


def parted(law, t, q, v):
    """(p_e, log R_e) of the frame, in its axes."""
    g_e = law.error(t, q, v).pose
    return np.concatenate([g_e[:3, 3], so3.log(g_e[:3, :3])])


@pytest.mark.parametrize("directions", [("x", "y", "z"), ("z", "rx", "rz"), ("ry",)])
def test_chosen_errors_obey_their_equation_with_vehicle_and_hand_passive(directions):
    """ṡ = −w s for s = ė + k e, toward a target that turns and accelerates; four DoFs are driven."""
    q, v = bent()
    k, w = np.arange(1.0, 7.0), np.arange(9.0, 3.0, -1.0)
    law = um.ToolTracking(
        PLANT, "tip", moving(q), passive=["bus", "hand"], directions=directions, rate=k, bandwidth=w
    )
    assert np.abs(law(0.5, q, v)[[*range(6), 10, 11, 12]]).max() == 0.0
    places = [DIRECTIONS.index(name) for name in directions]

    def rate(t, q, v):  # ė as on the page
        off = law.error(t, q, v)
        p, φ = off.pose[:3, 3], so3.log(off.pose[:3, :3])
        turned = so3.dexp_inv(-φ) @ off.rate[3:]
        return np.concatenate([off.rate[:3] - so3.cross(p, off.rate[3:]), turned])

    h = 1e-4
    e = [parted(law, 0.5 + c * h, SYSTEM.retract(q, c * h * v), v) for c in (-2, -1, 1, 2)]
    assert np.abs((e[0] - 8 * e[1] + 8 * e[2] - e[3]) / (12 * h) - rate(0.5, q, v)).max() < 1e-8
    for i in places:

        def s(t, q, v, i=i):
            return rate(t, q, v)[i] + k[i] * parted(law, t, q, v)[i]

        found = rate_along_motion(PLANT, s, law, 0.5, q, v)
        assert abs(found + w[i] * s(0.5, q, v)) < 1e-9 * (1.0 + abs(found))


@pytest.mark.long
def test_a_place_is_reached_exponentially_by_three_of_four_joints():
    q, v = bent()
    law = um.ToolTracking(
        PLANT, "tip", moving(q), passive=["bus", "hand"], directions=("x", "y", "z"), rate=1.5, bandwidth=12.0
    )
    off = law.error(0.5, q, v)
    p = off.pose[:3, 3]
    s = off.rate[:3] - np.cross(p, off.rate[3:]) + 1.5 * p
    J = SYSTEM.jacobian(q, "tip")
    rows = (J[:3] - so3.hat(p) @ J[3:])[:, 6:10]
    v[6:10] += np.linalg.pinv(rows) @ s  # on s = 0
    run = um.simulate(PLANT, q, v, t0=0.5, duration=0.4, step=1e-3, controller=law, record_every=200)
    assert run.completed
    assert run.provenance["controller_in"] == "kernel"
    e = [parted(law, *now)[:3] for now in zip(run.t, run.q, run.v, strict=True)]
    assert np.abs(e[-1] - np.exp(-1.5 * 0.4) * e[0]).max() < 1e-8
    assert np.abs(e[0]).max() > 0.1


def test_a_planar_arm_of_two_joints():
    b = um.SystemBuilder("two")
    rod = um.Inertia(mass=1.0, com=(0.5, 0, 0), tensor=np.diag([0.01, 0.1, 0.1]))
    base = b.vehicle("base", um.Fixed(), inertia=rod)
    upper = b.link("upper", parent=base, joint=um.Revolute(axis=(0, 0, 1)), inertia=rod)
    fore = b.link(
        "fore", parent=upper, joint=um.Revolute(axis=(0, 0, 1)), at=um.Pose(xyz=(1.0, 0, 0)), inertia=rod
    )
    b.frame("tip", parent=fore, at=um.Pose(xyz=(1.0, 0, 0)))
    plant = um.Plant(b.build(), world=um.Earth(gravity=(0, -9.81, 0)))
    goal = um.Pose(xyz=(1.0, 0.9, 0.0))
    law = um.ToolTracking(plant, "tip", goal, directions=("x", "y"), rate=3.0, bandwidth=12.0)
    run = um.simulate(plant, [0.2, 0.7], duration=4.0, step=5e-3, controller=law, record_every=100)
    assert np.abs(plant.system.pose(run.q[-1], "tip")[:2, 3] - [1.0, 0.9]).max() < 1e-4
    with pytest.raises(um.ModelError, match="as many active DoFs as directions"):
        um.ToolTracking(plant, "tip", goal)


def test_some_directions_give_way_as_said_and_places_with_one_stiffness_lose_energy_by_damping_alone():
    q, v = bent()
    M = np.diag([5.0, 6.0, 7.0, 0.4, 0.5, 0.6]) + 0.1
    options = {"stiffness": [200, 200, 200, 20, 22, 24], "damping": [80, 85, 90, 9, 10, 11]}
    F = np.array([3.0, -2.0, 4.0, 0.5, -0.4, 0.3])
    for directions, chosen in ((("x", "y", "z"), [0, 1, 2]), (("y", "rx"), [1, 3])):
        law = um.ToolImpedance(
            PLANT, "tip", moving(q), **options, inertia_wanted=M, sensor="wrist", passive=["bus", "hand"],
            directions=directions,
        )  # fmt: skip
        u, _ = law(Seen(0.5, q, v, y={"wrist": Signal(-F, 1.0, 0.5)}, period=0.01), {})
        V_dot = tool_acceleration(PLANT, q, v, u + SYSTEM.jacobian(q, "tip").T @ F)
        off = law.error(0.5, q, v)
        right = law.damping * off.rate + law.spring(off).force + F
        left = M[np.ix_(chosen, chosen)] @ (V_dot - off.acceleration)[chosen] - right[chosen]
        assert np.abs(left).max() < 1e-9
        assert np.abs(u[:6]).max() == 0.0
    law = um.ToolImpedance(
        PLANT, "tip", moving(q), **options, inertia_wanted=M, passive=["bus", "hand"], directions=("x", "y", "z")
    )  # fmt: skip

    def energy(t, q, v):
        off = law.error(t, q, v)
        ṽ, p = off.rate[:3], off.pose[:3, 3]
        return 0.5 * ṽ @ M[:3, :3] @ ṽ + 100.0 * p @ p

    off = law.error(0.5, q, v)
    lost = off.rate[:3] @ (law.damping[:3] * off.rate[:3])
    assert abs(rate_along_motion(PLANT, energy, law, 0.5, q, v) + lost) < 1e-9 * lost


def test_refusals():
    q, _ = bent()
    for given in (("x", "x"), ("w",), ()):
        with pytest.raises(um.ModelError, match="directions"):
            um.ToolTracking(PLANT, "tip", moving(q), directions=given)
    with pytest.raises(um.ModelError, match="as many active DoFs as directions"):
        um.ToolTracking(PLANT, "tip", se3.exp(np.zeros(6)), passive=["bus", "upper", "fore"])


@pytest.mark.parametrize("directions", [("x", "ry"), DIRECTIONS])
def test_a_frame_on_its_target_is_asked_for_what_its_target_does(directions):
    """No error and no rate: T V̇ = T V̇_r, for one state and for several."""
    places = tuple(DIRECTIONS.index(name) for name in directions)
    V_dot = np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.5, 0.4, 0.3, 0.2, 0.1, 0.0]])
    off = ToolError(np.stack([np.eye(4)] * 2), np.zeros((2, 6)), V_dot, np.zeros((2, 6)))
    k, w = np.arange(1.0, 7.0), np.arange(9.0, 3.0, -1.0)
    np.testing.assert_allclose(approach(off, k, w, places).value, V_dot[:, places], atol=1e-15)
    one = approach(ToolError(*(part[1] for part in off)), k, w, places)
    np.testing.assert_allclose(one.value, V_dot[1, list(places)], atol=1e-15)
