"""References over time."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import unmoored as um
from unmoored.lie import so3
from unmoored.trace import evaluate, trace

TIMES = [0.5, 1.0, 2.2, 3.0]
VALUES = [[0.0, 1.0], [1.0, 0.0], [-2.0, 0.5], [1.0, 1.0]]
REFERENCES = {
    "Constant": um.Constant([0.3, -0.2]),
    "Sine": um.Sine([0.3, 1.0], [2.0, 0.7], mean=0.1, phase=[0.0, 0.4]),
    "Quintic": um.Quintic(TIMES, VALUES),
    "Sampled": um.Sampled(TIMES, VALUES),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_derivatives_are_those_of_the_value(name):
    reference, h = REFERENCES[name], 1e-4
    t = np.linspace(0.51, 2.99, 40)
    t = t[np.abs(t[:, None] - TIMES).min(axis=1) > 2 * h]
    x, v, a = reference.at(t)
    ahead, behind = reference.at(t + h), reference.at(t - h)
    assert np.abs((ahead[0] - behind[0]) / (2 * h) - v).max() < 1e-4 * (1 + np.abs(a).max())
    assert np.abs((ahead[1] - behind[1]) / (2 * h) - a).max() < 1e-3 * (1 + np.abs(a).max())
    assert x.shape == v.shape == a.shape == (len(t), 2)


@pytest.mark.whole
@pytest.mark.parametrize("name", REFERENCES)
def test_derivatives_of_any_order_are_those_of_the_one_before(name):
    reference, h, t = REFERENCES[name], 1e-4, np.array([0.6, 1.3, 2.6])
    found, ahead, behind = (reference.derivatives(s, 4) for s in (t, t + h, t - h))
    assert [x.shape for x in found] == [(3, 2)] * 5
    for x, own in zip(found, reference.at(t), strict=False):
        np.testing.assert_allclose(x, own, rtol=1e-12, atol=1e-12)
    for k in range(4):
        slope = (ahead[k] - behind[k]) / (2 * h)
        np.testing.assert_allclose(found[k + 1], slope, atol=1e-3, rtol=1e-5, err_msg=str(k + 1))


@pytest.mark.parametrize("name", REFERENCES)
def test_references_can_be_traced(name):
    reference = REFERENCES[name]
    traced = trace(lambda t: tuple(reference.at(t)), ())
    for t in (0.0, 0.5, 0.7, 1.0, 2.9, 3.0, 5.0):
        for a, b in zip(evaluate(traced, t), reference.at(t), strict=True):
            assert np.abs(a - b).max() < 1e-13


def test_sampled_is_the_clamped_spline():
    spline = CubicSpline(TIMES, VALUES, bc_type="clamped")
    t = np.linspace(0.5, 2.999, 100)
    for k, part in enumerate(REFERENCES["Sampled"].at(t)):
        assert np.abs(part - spline(t, k)).max() < 1e-12


def test_quintics_rest_at_every_value_and_hold_the_ends():
    for k, t in enumerate(TIMES):
        x, v, a = REFERENCES["Quintic"].at(t)
        assert np.allclose(x, VALUES[k], atol=1e-14)
        assert np.allclose(v, 0, atol=1e-13)
        assert np.allclose(a, 0, atol=1e-12)
    assert np.allclose(REFERENCES["Quintic"](9.0), VALUES[-1])
    assert np.allclose(REFERENCES["Quintic"](0.0), VALUES[0])


def test_a_prescribed_joint_follows_its_reference():
    builder = um.SystemBuilder("arm")
    link = um.Inertia(mass=2.0, com=(0, 0, -0.3), tensor=0.05 * np.eye(3))
    first = builder.vehicle("upper", um.Revolute(axis=(0, 1, 0)), inertia=link)
    builder.link(
        "lower", parent=first, joint=um.Revolute(axis=(0, 1, 0)), at=um.Pose(xyz=(0, 0, -0.6)), inertia=link
    )
    system = builder.build()
    path = um.Quintic([0.2, 0.8], [0.0, 1.0])
    plant = um.Plant(system, world=um.Earth(), prescribed={"upper": path})
    run = um.simulate(plant, [0.0, 0.3], None, duration=1.0, step=1e-3)
    # coefficients of up to 80 in the polynomials, which kernels evaluate with fused operations
    assert np.abs(run.q[:, :1] - path.at(run.t)[0]).max() < 1e-13
    assert np.abs(run.v[:, :1] - path.at(run.t)[1]).max() < 1e-13
    assert run.invariants()["energy_balance"] < 1e-7  # the jerk of the path jumps between rows
    with pytest.raises(um.ModelError, match="a joint with 2 coordinates"):
        um.Plant(system, prescribed={"upper": REFERENCES["Quintic"]})


def test_a_joint_stored_as_a_pose_follows_its_reference_on_the_group():
    """A ball joint along exp(x(t)): its pose, and the body velocity dexp(x) ẋ; a rate in the wrong frame differs."""
    builder = um.SystemBuilder("ball")
    builder.vehicle("ball", um.Spherical(), inertia=um.Inertia(1.0, (0, 0, 0.2), (0.1, 0.2, 0.3)))
    system = builder.build()
    path, joint = (
        um.Sine([0.9, -0.7, 1.1], [2.0, 1.5, 3.0], phase=[0.0, 0.4, 1.0]),
        system.tree.links[0].joint,
    )
    path.check("ball", joint)
    for t in (0.0, 0.3, 1.7):
        x, x_dot, _ = path.at(t)
        configuration, u, u_dot = path.motion(np.asarray(t), joint)
        assert np.abs(configuration[:9].reshape(3, 3) - so3.exp(x)).max() < 1e-14
        assert np.abs(joint.group.dexp_inv(x) @ u - x_dot).max() < 1e-13
        h = 1e-5
        ahead, behind = (path.motion(np.asarray(t + s), joint)[1] for s in (h, -h))
        assert np.abs((ahead - behind) / (2 * h) - u_dot).max() < 1e-7
    plant = um.Plant(system, prescribed={"ball": path})
    run = um.simulate(
        plant,
        system.retract(system.neutral(), path(0.0)),
        path.motion(np.asarray(0.0), joint)[1],
        duration=1,
        step=0.01,
    )
    assert np.abs(run.q[-1, :9].reshape(3, 3) - so3.exp(path(1.0))).max() < 1e-12


def test_joint_pd_tracks_a_reference_on_the_group():
    builder = um.SystemBuilder("ball")
    builder.vehicle("ball", um.Spherical(), inertia=um.Inertia(1.0, (0, 0, 0), (0.1, 0.2, 0.3)))
    system = builder.build()
    plant, path = um.Plant(system), um.Quintic([0.0, 2.0], [[0, 0, 0], [1.2, -0.8, 0.5]])
    law = um.JointPD(plant, {"ball": path}, 400.0, 40.0)
    run = um.simulate(plant, system.neutral(), None, duration=2.0, step=1e-3, controller=law)
    target = so3.exp(path(run.t[1000]))
    assert (
        np.abs(run.q[1000, :9].reshape(3, 3) - target).max() < 5e-3
    )  # the lag of a law without feed-forward
    assert np.abs(run.q[-1, :9].reshape(3, 3) - so3.exp(path(2.0))).max() < 2e-3


def test_a_function_of_one_dof_may_give_a_number():
    builder = um.SystemBuilder("arm")
    builder.vehicle("arm", um.Revolute(axis=(0, 1, 0)), inertia=um.Inertia(1.0, (0, 0, 0.2), (0.1, 0.2, 0.3)))
    system = builder.build()
    number, array = um.Motion(lambda t: np.sin(t)), um.Motion(lambda t: np.array([np.sin(t)]))
    joint = system.tree.links[0].joint
    for a, b in zip(number.motion(np.asarray(0.3), joint), array.motion(np.asarray(0.3), joint), strict=True):
        assert np.array_equal(a, b)
    um.Plant(system, prescribed={"arm": lambda t: 0.2 * np.sin(t)})
    builder = um.SystemBuilder("ball")
    builder.vehicle("ball", um.Spherical(), inertia=um.Inertia(1.0, (0, 0, 0.2), (0.1, 0.2, 0.3)))
    with pytest.raises(um.ModelError, match=r"poses \(4, 4\)"):
        um.Plant(builder.build(), prescribed={"ball": lambda t: 0.2 * np.sin(t)})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: um.Quintic([1.0, 1.0], [0, 1]), "two or more, increasing"),
        (lambda: um.Sampled([0.0, 1.0], [0, 1, 2]), "2 values, or as many rows"),
        (lambda: um.Sine(1.0, 0.0), "period: expected > 0"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(um.ModelError, match=message):
        make()


def test_times_in_a_table_are_refused_by_name():
    for kind in (um.Sampled, um.Quintic):
        with pytest.raises(um.ModelError, match="times"):
            kind([[0.0, 1.0], [2.0, 3.0]], [0.0, 1.0])


def test_higher_derivatives_of_a_sine():
    """The third is −ω² times the first, the fourth −ω² times the second; the others are those of the motion itself."""
    sine, t = um.Sine(amplitude=[0.3, 0.2], period=2.0), np.linspace(0.0, 3.0, 7)
    found = sine.derivatives(t, 4)
    assert len(found) == 5
    for ours, motion in zip(found[:3], sine.at(t), strict=True):
        assert np.abs(ours - motion).max() < 1e-13
    for k in (3, 4):
        assert np.abs(found[k] + np.pi**2 * found[k - 2]).max() < 1e-12


def test_a_sine_begins_at_its_mean_and_comes_back_to_it():
    amplitude, mean, φ, T = (np.array(x) for x in ([0.3, 2.0], [0.4, -0.2], [0.5, 1.2], [2.0, 3.0]))
    sine = um.Sine(amplitude, T, mean, φ)
    for i in range(2):
        for share, off in (
            (0.0, 0.0),
            (0.25, np.cos(φ[i]) - np.sin(φ[i])),
            (0.5, -2.0 * np.sin(φ[i])),
            (1.0, 0.0),
        ):
            found = sine(np.array([share * T[i]]))[0, i]
            assert found == pytest.approx(mean[i] + amplitude[i] * off, abs=1e-14)


@pytest.mark.parametrize(("name", "degree"), [("Constant", 0), ("Sampled", 3), ("Quintic", 5)])
def test_beyond_their_degree_derivatives_are_zero(name, degree):
    """At the times themselves, before and after, of one time and of several."""
    reference = REFERENCES[name]
    for t in (np.array(0.5), np.array([0.0, 0.5, 1.7, 3.0, 4.0])):
        found = reference.derivatives(t, 7)
        assert [x.shape for x in found] == [(*t.shape, 2)] * 8
        for x in found[degree + 1 :]:
            np.testing.assert_array_equal(x, np.zeros((*t.shape, 2)))
    if degree:
        assert np.abs(found[degree]).max() > 0.1


def test_a_constant_is_the_same_at_all_times():
    for t in (np.array(0.4), np.array([[0.0, 1.0, 2.0]])):
        x, v, a = REFERENCES["Constant"].at(t)
        np.testing.assert_array_equal(x, np.broadcast_to([0.3, -0.2], (*t.shape, 2)))
        np.testing.assert_array_equal([v, a], np.zeros((2, *t.shape, 2)))


def test_speeds_of_a_timing_make_its_steps():
    """To a thousand-millionth of the largest; σ has one number per time."""
    for off, fits in ((0.8e-9, True), (1.6e-9, False)):
        given = ([0.0, 0.5, 2.0], [0.0, 100.0, 1000.0], [400.0 + 4.0 * off * 900.0, 0.0, 1200.0])
        if fits:
            um.Timing(*given)
        else:
            with pytest.raises(um.ModelError, match="speeds: expected means times Δt that are the steps"):
                um.Timing(*given)
    with pytest.raises(um.ModelError, match="values: expected one number per time, given 2 dimensions"):
        um.Timing([0.0, 1.0], [[0.0], [1.0]], [1.0, 1.0])
