"""Output error and equations of motion: exact without noise, as sure as they say with it, and honest about the rest."""

from functools import cache

import numpy as np
import pytest

import unmoored as um
from unmoored.identification import Positions, Tilt, Velocities, cross_validate, identify
from unmoored.identification.singular_directions import covariance_of
from unmoored.identification.trajectory_fit import TrajectoryOptions, problem_of

FREE = ["upper.mass", "upper.damping", "fore.com", "fore.tensor", "fore.friction"]
TRUE = {"upper.mass": 2.0, "upper.damping": 0.4, "fore.com": (0.2, 0.03, -0.02),
        "fore.tensor": (0.02, 0.05, 0.06, 0.002, -0.001, 0.003), "fore.friction": 0.3}  # fmt: skip


def arm(upper=2.0, damping=0.4, com=(0.2, 0.03, -0.02), tensor=TRUE["fore.tensor"], friction=0.3):
    """Two links that swing about axes at right angles, on Earth."""
    xx, yy, zz, xy, xz, yz = tensor
    b = um.SystemBuilder("arm")
    shoulder = um.Revolute((0, 1, 0), damping=damping)
    up = b.vehicle("upper", shoulder, inertia=um.Inertia(upper, (0.25, 0, 0), (0.01, 0.06, 0.06)))
    turn = um.Revolute((0, 0, 1), friction=friction)
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    b.link(
        "fore",
        parent=up,
        joint=turn,
        inertia=um.Inertia(1.2, com, J),
        at=um.Pose(xyz=(0.5, 0, 0), rpy=(0.4, 0, 0)),
    )
    return um.Plant(b.build(), um.Earth())


@cache
def motions():
    """Two recordings of the true arm under torques that are known, held over every row; the accelerations are exact."""
    plant, found = arm(), []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        t = np.linspace(0.0, 4.0, 161)
        u = np.stack([4.0 * np.sin(2.1 * t + seed), 1.5 * np.sin(3.3 * t + 2 * seed)], axis=1)
        q, v = rng.normal(size=2), rng.normal(size=2)
        rows = [(q, v)]
        for k in range(160):
            q, v, _ = plant.step(t[k], q, v, u[k], 0.025 / 5, steps=5)
            rows.append((q, v))
        q, v = (np.array(x) for x in zip(*rows, strict=True))
        a = plant.forward_dynamics(t, q, v, u)
        found.append(um.Recording(t, q, v, u=u, a=a, name=f"swing {seed}", between="held"))
    return found


def guess():
    return arm(upper=1.5, damping=0.1, com=(0.15, 0, 0), tensor=(0.03, 0.03, 0.04, 0, 0, 0), friction=0.1)


def right():
    return np.concatenate([np.ravel(TRUE[name]) for name in FREE])


TOLD = ["upper.mass", "upper.damping", "fore.com[0]", "fore.com[1]", "fore.friction"]


@pytest.mark.parametrize("by", ["trajectories", "accelerations"])
def test_exact_without_noise(by):
    """What the motions tell is exact to 1e-7, from a guess 25 % to 75 % off. Windows of half a second keep motions
    of the guess near the recorded ones."""
    options = {"step": 0.005, "window": 0.5} if by == "trajectories" else {}
    found = identify(guess(), motions(), free=FREE, by=by, **options)
    assert found.converged
    told = np.isfinite(found.standard_errors)
    assert {found.names[k] for k in np.flatnonzero(told)} >= set(TOLD)
    assert np.abs(found.values - right())[told].max() < 1e-7
    assert max(np.abs(r.values).max() for r in found.residuals) < 1e-6


def test_energy_tells_what_stores_it_without_accelerations():
    """Masses and moments of the arm from q, v and u alone: without noise as exact as the work between rows is
    integrated, about inputs that jump; as sure as said with noise."""
    free = ["upper.mass", "fore.com", "fore.tensor"]
    start = arm(upper=1.5, com=(0.15, 0, 0), tensor=(0.03, 0.03, 0.04, 0, 0, 0))
    true = np.concatenate([np.ravel(TRUE[name]) for name in free])
    bare = [um.Recording(r.t, r.q, r.v, u=r.u, name=r.name, between="held") for r in motions()]
    found = identify(start, bare, free=free, by="energy")
    assert found.converged
    told = np.isfinite(found.standard_errors)
    assert told.sum() >= 6
    np.testing.assert_allclose(found.values[told], true[told], rtol=1e-3, atol=5e-4)
    z = []
    for seed in range(6):
        rng, σ = np.random.default_rng(seed), 2e-3
        noisy = [
            um.Recording(r.t, r.q, r.v + σ * rng.normal(size=r.v.shape), u=r.u, v_noise=σ, between="held")
            for r in bare
        ]
        fit = identify(start, noisy, free=free, by="energy")
        z.append(((fit.values - true) / fit.standard_errors)[told])
    assert 0.7 < np.sqrt(np.mean(np.square(z))) < 1.4
    with pytest.raises(um.ModelError, match=r"upper\.damping"):
        identify(start, bare, free=["upper.mass", "upper.damping"], by="energy")


@pytest.mark.long
def test_predictions_of_recordings_that_were_not_in_the_fit():
    wrong = arm(upper=1.8, damping=0.3)
    found = identify(wrong, motions()[0], free=["upper.mass", "upper.damping"], step=0.005)
    np.testing.assert_allclose(found.values, (2.0, 0.4), atol=1e-7)
    assert np.abs(found.predict(motions()[1])[0].values).max() < 1e-6
    assert found.predict(motions()[1], fitted=False)[0].rms.max() > 0.05
    rows = identify(wrong, motions(), free=["upper.mass"], by="accelerations")
    with pytest.raises(um.ModelError, match="predict"):
        rows.predict(motions())


@pytest.mark.long
def test_windows_from_a_guess_that_diverges_over_the_whole():
    """Multiple shooting: windows of half a second, each from a start of its own."""
    wrong = arm(upper=4.0, friction=0.0)
    found = identify(wrong, motions(), free=["upper.mass", "fore.friction"], window=0.5, step=0.005)
    assert len(found.residuals[0].t) == 161  # every row once
    assert found.converged
    np.testing.assert_allclose(found.values, (2.0, 0.3), atol=1e-7)


def test_derivatives_of_windows_are_exact():
    """The reduced Jacobian against differences of the cost: gradient at fixed starts, by p and by starts."""
    plant = guess()._with_free(("upper.mass", "fore.friction"))
    problem, _ = problem_of(plant, motions(), TrajectoryOptions(window=1.0, step=0.0125), "test")
    p, start = plant.nominal_parameters, problem.start()
    motion = problem.motion(p, start)
    S = problem.sensitivities(p, motion)
    h = 1e-6
    for k in range(2):
        e = h * np.eye(2)[k]
        above, below = problem.motion(p + e, start), problem.motion(p - e, start)
        slope = np.concatenate([above.q - below.q, above.v - below.v], axis=-1) / (2 * h)
        assert np.abs(slope - S[..., 4 + k]).max() < 1e-6 * np.abs(S[..., 4 + k]).max()


def test_the_stated_region_holds_with_noise():
    """Noise on angles: of 8 runs nearly all regions of 95 % hold the truth, and deviations are as stated."""
    free = ["upper.mass", "upper.damping", "fore.com"]
    truth = np.array([2.0, 0.4, 0.2, 0.03, -0.02])
    z, inside = [], 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        noisy = [
            um.Recording(
                r.t, r.q + 0.01 * rng.normal(size=r.q.shape), r.v, u=r.u, q_noise=0.01, between="held"
            )
            for r in (m.every(4) for m in slow())
        ]
        found = identify(arm(friction=0.0), noisy, free=free, step=0.025, window=1.0)
        z.append((found.values - truth) / found.standard_errors)
        inside += found.region_holds(truth)
    assert inside >= 6
    assert 0.6 < np.sqrt(np.mean(np.square(z))) < 1.4


@cache
def slow():
    """Motions without friction, with inputs held over four rows."""
    plant, found = arm(friction=0.0), []
    for r in motions():
        q, v, rows = r.q[0], r.v[0], []
        for k in range(len(r.t)):
            rows.append((q, v))
            q, v, _ = plant.step(r.t[k], q, v, r.u[k - k % 4], 0.025)
        q, v = (np.array(x) for x in zip(*rows, strict=True))
        found.append(um.Recording(r.t, q, v, u=r.u[np.arange(161) - np.arange(161) % 4], between="held"))
    return found


@pytest.mark.filterwarnings("ignore:identify. what is left is")  # a wrong model is fitted on purpose
@pytest.mark.filterwarnings("ignore:identify. steps of")  # rows are long for its friction
def test_priors_bounds_and_outliers():
    short = [m.part(0.0, 1.0) for m in motions()]
    with pytest.warns(
        um.ModelWarning, match="goes on from row to row"
    ):  # the damping is held where it is not
        held = identify(
            arm(upper=1.7),
            short,
            free=["upper.mass", "upper.damping"],
            prior={"upper.damping": (0.2, 1e-9)},
            step=0.025,
        )
    assert held.values[1] == pytest.approx(0.2, abs=1e-6)
    with pytest.warns(um.ModelWarning, match="goes on from row to row"):
        bound = identify(
            arm(upper=1.7),
            short,
            free=["upper.mass", "upper.damping"],
            bounds={"upper.damping": (0.0, 0.3)},
            step=0.025,
        )
    assert bound.values[1] == 0.3
    assert bound.at_bound == ("upper.damping",)
    assert "at bound" in str(bound)
    spoilt = []
    for m in short:
        q = m.q.copy()
        q[20:23] += 0.5
        spoilt.append(um.Recording(m.t, q, m.v, u=m.u, q_noise=1e-3, between="held"))
    plain = identify(arm(upper=1.7), spoilt, free=["upper.mass", "upper.damping"], step=0.025)
    robust = identify(arm(upper=1.7), spoilt, free=["upper.mass", "upper.damping"], step=0.025, robust=1.5)
    off = [np.abs(f.values - (2.0, 0.4)).max() for f in (plain, robust)]
    assert off[1] < 0.2 * off[0]


@pytest.mark.long
def test_driven_joints_need_no_forces():
    """A float whose arm is moved: nobody knows the torques; tilt tells where its centre of buoyancy is, from rest."""
    floater = _floater(0.02)
    path = {"boom": um.Sine(0.8, 6.0)}
    moving = um.Plant(floater.system, floater.world, prescribed=path)
    q0 = moving.trim(moving.system.neutral(), free=["q.hull.wx", "q.hull.wy"], zero=["hull.wx", "hull.wy"]).q
    run = um.simulate(moving, q0, duration=6.0, step=0.05)
    seen = um.Recording(
        run.t,
        run.q,
        run.v,
        a=_slopes(run),
        q_noise=1e-6,
        v_noise=1e-6,
    )
    free = ["hull.fluid.centre_of_buoyancy", "hull.fluid.linear_drag"]
    found = identify(
        _floater(0.03), seen, free=free, driven=["boom"],
        outputs=[Tilt(body="hull", noise=1e-3), Positions(joints=["hull"], noise=1e-3)],
        prior={"hull.fluid.linear_drag": 0.5}, step=0.05,
    )  # fmt: skip
    np.testing.assert_allclose(found.values[:3], (0.0, 0.0, 0.02), atol=2e-4)


def _slopes(run):
    return np.gradient(run.v, run.t, axis=0)


def _floater(height):
    b = um.SystemBuilder("float")
    fluid = um.Fluid(
        added_mass=(5, 6, 7, 0.2, 0.3, 0.4),
        linear_drag=(5, 5, 5, 0.5, 0.5, 0.5),
        volume=11.0 / 1026,
        centre_of_buoyancy=(0, 0, height),
    )
    hull = b.vehicle("hull", um.Free(), inertia=um.Inertia(10.0, (0, 0, 0), (0.5, 0.6, 0.7)), fluid=fluid)
    b.link(
        "boom",
        parent=hull,
        joint=um.Revolute((1, 0, 0)),
        inertia=um.Inertia.rod(1.0, 0.5, axis=(0, 1, 0), com=(0, 0.25, 0)),
    )
    return um.Plant(b.build(), um.Ocean())


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"by": "magic"}, "one of trajectories"),
        ({"free": "upper.mass"}, "a list of names"),
        ({"free": []}, "one or more names"),
        ({"free": ["upper.weight"]}, "unknown free number"),
        ({"window": -1.0}, "> 0"),
        ({"outputs": ["q"]}, "Outputs"),
        ({"by": "accelerations", "window": 1.0}, "none, by="),
        ({"driven": ["elbow"]}, "elbow"),
        ({"recordings": []}, "one or more"),
        ({"recordings": [3]}, "Recordings or Runs"),
        ({"settled": "upper"}, "a list of names"),
        ({"window": "1"}, "window: expected > 0"),
        ({"outputs": []}, "one or more Outputs"),
        ({"outputs": Positions()}, "a list of Outputs"),
        ({"driven": ["upper", "fore"]}, "driven: expected a joint that is not"),
        ({"iterations": 0}, "iterations: expected a whole number"),
        ({"iterations": 1.5}, "iterations: expected a whole number"),
        ({"tolerance": np.nan}, "tolerance: expected > 0"),
        ({"prior": {"upper.mass": np.nan}}, "prior: expected one number"),
        ({"prior": {"upper.mass": "heavy"}}, "prior: expected one number"),
        ({"prior": {"upper.mass": (2.0, -1.0)}}, "a standard deviation > 0"),
        ({"bounds": {"upper.mass": (np.nan, 1.0)}}, "bounds: expected one number"),
        ({"bounds": {"upper.mass": ([1, 2, 3], 4.0)}}, "bounds: expected one number"),
        ({"bounds": {"upper.mass": (-2.0, -1.0)}}, "a highest value > 0"),
        ({"bounds": {"upper.damping": (-2.0, -1.0)}, "free": ["upper.damping"]}, "a highest value > 0"),
    ],
)
def test_mistakes_are_named(change, told):
    given = {"recordings": motions(), "free": ["upper.mass"]} | change
    with pytest.raises(um.ModelError, match=told):
        identify(guess(), given.pop("recordings"), **given)


def test_mistakes_of_rows_outputs_and_probabilities():
    recording = motions()[0]
    hidden = um.Recording(recording.t, recording.q, recording.v, u=recording.u, seen=recording.t < 0)
    with pytest.raises(um.ModelError, match="seen: expected a row that was measured"):
        identify(guess(), hidden, free=["upper.mass"])
    for count in (0, -1, 2.0):
        with pytest.raises(um.ModelError, match="every: expected a whole number"):
            recording.every(count)
    with pytest.raises(um.ModelError, match=r"noise: expected standard deviations > 0.*'upper'"):
        Positions(["upper"])  # the first field is the noise; joints= has names
    with pytest.raises(um.ModelError, match="noise: expected standard deviations"):
        Velocities(noise=0.0)
    found = identify(guess(), recording, free=["upper.mass"], by="accelerations")
    for ask in (found.intervals, lambda p: found.region_holds([2.0], p)):
        with pytest.raises(um.ModelError, match="probability: expected between 0 and 1"):
            ask(95)


def test_rows_that_show_nothing_tell_nothing():
    """Nothing moved: every direction is singular, and no number has the variance of one that is known."""
    covariance, singular = covariance_of(np.zeros((10, 2)), np.eye(2), np.array([1.5, 0.1]), ("a", "b"))
    assert np.all(np.isinf(np.diag(covariance)))
    assert len(singular) == 2


def test_one_recording_cannot_be_held_out():
    with pytest.raises(um.ModelError, match="recordings: expected two or more"):
        cross_validate(guess(), motions()[:1], free=["upper.mass"])


@pytest.mark.long
def test_velocities_can_be_compared():
    found = identify(arm(upper=1.7), [m.part(0, 2.0) for m in motions()], free=["upper.mass", "upper.damping"],
                     outputs=[Positions(noise=1e-3), Velocities(joints=["upper"], noise=1e-2)], step=0.005)  # fmt: skip
    assert found.residuals[0].names == ("d upper", "d fore", "upper")


def test_what_was_built_small_is_found_large():
    """A damping of 0.001 as built, as URDF files have, and 2 in truth: steps go as far as the slopes say."""

    def pendulum(damping):
        b = um.SystemBuilder("pendulum")
        inertia = um.Inertia(2.0, (0, 0, -0.5), (0.1, 0.1, 0.01))
        b.vehicle("rod", um.Revolute((0, 1, 0), damping=damping), inertia=inertia)
        return um.Plant(b.build(), um.Earth())

    run = um.simulate(pendulum(2.0), [0.8], duration=2.0, step=0.01, record_every=5)
    for by in ("trajectories", "accelerations"):
        rows = um.Recording(run.t, run.q, run.v, a=pendulum(2.0).forward_dynamics(run.t, run.q, run.v))
        found = um.identify(pendulum(0.001), rows, free=["rod.damping"], by=by)
        assert found.converged
        np.testing.assert_allclose(found.values, [2.0], rtol=1e-4)  # rows are long steps
