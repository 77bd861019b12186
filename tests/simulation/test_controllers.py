"""A controller inside the kernel and the same controller in Python give the same bits."""

import warnings
from functools import cached_property

import numpy as np
import pytest
from tests.simulation.arms import damper, slow_damper, small_arm, states

import unmoored as um
from unmoored import kernels
from unmoored.simulation.controller import as_rows, by_sample
from unmoored.simulation.noise import standard_normals

SYSTEM = small_arm()
Q, V = states(SYSTEM, 3, seed=4)
NOISE = um.Noise(configuration=1e-2, velocity=[2e-2] * 8, input=1e-3)


def same_bits(a, b):
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("q", "v", "u"))


@pytest.mark.parametrize(
    ("method", "control_step"), [("rkmk4", None), ("rkmk4", 0.03), ("lie_midpoint", None), ("dopri5", 0.03)]
)
def test_python_in_the_loop_gives_the_same_bits(method, control_step):
    def run(law, place):
        options = {"controller_in": place, "control_step": control_step, "method": method}
        return um.simulate(SYSTEM, Q, V, duration=0.3, step=0.01, controller=law, **options)

    traced, slow = run(damper, None), run(slow_damper, "python")
    assert traced.provenance["controller_in"] == "kernel"
    assert slow.provenance["controller_in"] == "python"
    assert same_bits(traced, slow)


@pytest.mark.parametrize("control_step", [None, 0.03])
def test_with_noise_too(control_step):
    def run(law, place):
        options = {"control_step": control_step, "noise": NOISE, "seed": 9, "controller_in": place}
        return um.simulate(SYSTEM, Q, V, duration=0.3, step=0.01, controller=law, **options)

    assert same_bits(run(damper, "kernel"), run(slow_damper, "python"))


def test_a_law_with_sines_has_the_same_bits_where_python_calls_its_kernel():
    def swing(t, q, v):
        return -0.2 * v + np.sin(3.0 * t) * np.cos(q[12])

    kernel = kernels.compile(swing, [(), (SYSTEM.nq,), (SYSTEM.nv,)])
    run = [
        um.simulate(
            SYSTEM,
            Q[0],
            V[0],
            duration=0.3,
            step=0.01,
            controller=law,
            controller_in=place,
            control_step=0.01,
        )
        for law, place in ((swing, "kernel"), (lambda t, q, v: kernel(np.asarray(t), q, v), "python"))
    ]
    # the kernel of the law alone fuses products with sums, the one in the loop rounds as NumPy does
    assert np.abs(run[0].q - run[1].q).max() < 1e-15


def test_held_inputs_change_at_their_own_rate():
    run = um.simulate(SYSTEM, Q[0], V[0], duration=0.3, step=0.01, controller=damper, control_step=0.05)
    held = run.u.reshape(-1, SYSTEM.nv)
    for k in range(30):
        assert np.array_equal(held[k], held[k - k % 5])
    assert not np.array_equal(held[4], held[5])
    assert np.allclose(held[5], damper(0.05, run.q[5], run.v[5]), atol=1e-15)
    assert np.array_equal(held[-1], held[-2])  # the inputs of the last period are still held


def test_continuous_feedback_is_what_faster_and_faster_control_tends_to():
    continuous = um.simulate(SYSTEM, Q[0], V[0], duration=0.3, step=0.01, controller=damper)
    errors = []
    for h in (1e-2, 5e-3, 2.5e-3):
        held = um.simulate(SYSTEM, Q[0], V[0], duration=0.3, step=h, controller=damper, control_step=h)
        errors.append(np.abs(held.q[-1] - continuous.q[-1]).max())
    assert errors[0] > 1e-7
    assert np.allclose(np.diff(np.log2(errors)), -1.0, atol=0.1)


def test_a_law_that_fails_in_python_too_shows_its_own_error():
    with pytest.raises(KeyError, match="gains"):
        um.simulate(SYSTEM, Q[0], V[0], duration=0.1, step=0.01, controller=lambda t, q, v: {}["gains"] * v)
    with pytest.raises(TypeError):
        um.simulate(
            SYSTEM, Q[0], V[0], duration=0.1, step=0.01, controller=slow_damper, controller_in="kernel"
        )


def test_noise_belongs_to_seed_and_sample_alone():
    def run(samples, seed, q=Q, v=V):
        options = {"control_step": 0.02, "noise": NOISE, "seed": seed, "samples": samples}
        return um.simulate(SYSTEM, q, v, duration=0.2, step=0.01, controller=damper, **options)

    batch = run(None, 5)
    for i in range(3):
        assert same_bits(run([i], 5, Q[i], V[i]), batch.sample(i))
    assert not np.array_equal(run([1], 6, Q[1], V[1]).q, batch.q[1])
    assert not np.array_equal(run([2], 5, Q[1], V[1]).q, batch.q[1])


def test_noise_is_gaussian_with_the_given_deviation():
    from unmoored.simulation.noise import standard_normals

    drawn = standard_normals(3, np.arange(20), 7, 500, 5)
    assert np.array_equal(drawn[4:5, 100:110], standard_normals(3, np.array([4]), 107, 10, 5))
    n = drawn.size
    assert abs(drawn.mean()) < 4 / np.sqrt(n)
    assert abs(drawn.var() - 1) < 4 * np.sqrt(2 / n)
    assert abs((drawn**4).mean() - 3) < 4 * np.sqrt(96 / n)
    flat = drawn.reshape(-1, 5)
    assert np.abs(np.corrcoef(flat.T) - np.eye(5)).max() < 4 / np.sqrt(len(flat))


def test_laws_of_plants_with_other_inputs_or_dofs_are_refused():
    """They go by places: inputs for a thruster went to another one in silence."""
    builder = um.SystemBuilder("box")
    builder.vehicle("box", um.Planar(), inertia=um.Inertia.box(mass=10.0, size=(1, 1, 1)))
    system = builder.build()
    jets = [
        um.Thruster("box", direction=axis, name=name) for name, axis in (("x", (1, 0, 0)), ("y", (0, 1, 0)))
    ]
    one, other = um.Plant(system, actuators=jets), um.Plant(system, actuators=jets[::-1])
    law = um.Inputs(one, {"x": 10.0})
    go = {"duration": 0.1, "step": 0.1}
    for wrong in (law, law + law, um.Allocated(one, um.StationKeeping(one, "box", um.Pose(), 1.0, 1.0))):
        with pytest.raises(
            um.ModelError, match=r"plant: expected that of the run.* inputs\[0\] 'y', given 'x'"
        ):
            um.simulate(other, system.neutral(), controller=wrong, **go)
    with pytest.raises(um.ModelError, match="law Inputs: plant"):
        um.Stepper(other, controller=law)
    run = um.simulate(um.Plant(system, um.Earth(), actuators=jets), system.neutral(), controller=law, **go)
    assert run.v[-1, 0] == pytest.approx(0.1)  # another world: a law's model may be wrong
    builder = um.SystemBuilder("other")
    builder.vehicle("cart", um.Planar(), inertia=um.Inertia.box(mass=10.0, size=(1, 1, 1)))
    with pytest.raises(um.ModelError, match=r"law StationKeeping: plant.* DoFs\[0\] 'cart"):
        um.simulate(
            um.Plant(builder.build()), system.neutral(),
            controller=um.StationKeeping(um.Plant(system), "box", um.Pose(), 1.0, 1.0), **go,
        )  # fmt: skip


def test_one_sample_after_the_other_is_asked_where_q_and_v_are_numbers():
    """What else goes wrong is for the function to say; it may write into its own arguments."""
    q = np.arange(6.0).reshape(3, 2)
    v, memory = np.array([[1.0], [np.inf], [3.0]]), np.array([[np.nan], [7.0], [8.0]])
    q[2, 1] = np.nan
    asked = []

    def law(t, q, v, memory):
        asked.append((t, q.tolist(), v.tolist()))
        q[:] = -1.0
        return np.concatenate([v, memory])

    found = by_sample(law, (2,), np.array([0.5, 1.5, 2.5]), q, v, memory)
    np.testing.assert_array_equal(found, [[1.0, np.nan], [np.nan, np.nan], [np.nan, np.nan]])
    assert asked == [(0.5, [0.0, 1.0], [1.0])]
    assert q[0].tolist() == [0.0, 1.0]


def test_rows_of_samples_may_have_no_entries():
    for x, batch, shape in (
        (np.zeros(3), (), (1, 3)),
        (np.zeros(3), (5,), (5, 3)),
        (np.zeros((2, 1, 3)), (2, 4), (8, 3)),
        (np.zeros((5, 0)), (5,), (5, 0)),
        (np.zeros(0), (2, 4), (8, 0)),
    ):
        assert as_rows(x, batch).shape == shape


def test_results_of_samples_are_real_numbers_in_the_batchs_shape():
    found = by_sample(lambda t, q, v: [1, 2, 3], (3,), np.zeros((2, 1)), np.zeros((1, 4, 2)), np.zeros(2))
    assert (found.shape, found.dtype) == ((2, 4, 3), float)
    assert by_sample(lambda t, q, v: 7, (), 0.0, np.zeros(2), np.zeros(2)).tolist() == 7.0


def test_only_data_that_samples_share_are_warned_of():
    """Neither those of a single sample, nor what a law keeps of its own numbers."""

    class Cached(um.Law):
        size: float

        @cached_property
        def table(self):
            return self.size * np.ones(SYSTEM.nv)

        def __call__(self, t, q, v):
            return -self.table * v

    class Counting:
        def __init__(self):
            self.calls = 0

        def __call__(self, t, q, v):
            self.calls += 1
            return -0.1 * v

    def run(law, q, v):
        um.simulate(SYSTEM, q, v, duration=0.02, step=0.01, controller=law, controller_in="python")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(Cached(0.2), Q, V)
        run(Counting(), Q[0], V[0])
        run(Counting(), Q[:1], V[:1])
    with pytest.warns(
        um.SharedMemoryWarning, match="Counting.* keeps data between calls, which all samples share"
    ):
        run(Counting(), Q[:2], V[:2])


@pytest.mark.parametrize("backend", ["cpu", "numpy"])
def test_a_law_sees_and_gives_numbers_with_their_noise(backend):
    """q along its DoFs, v and u, each with channels of its own: u = −2 (q + σ_q ε_q) − 3 (v + σ_v ε_v) + σ_u ε_u."""
    b = um.SystemBuilder("carts")
    for name in ("one", "two"):
        b.vehicle(name, um.Prismatic((1, 0, 0)), inertia=um.Inertia.sphere(2.0, 0.1))
    noise = um.Noise(configuration=[0.1, 0.2], velocity=0.3, input=[0.4, 0.5])
    run = um.simulate(
        b.build(), [[1.0, 2.0], [0.5, -1.0]], [[0.1, 0.2], [0.3, 0.4]], controller=lambda t, q, v: -2.0 * q - 3.0 * v,
        noise=noise, backend=backend, duration=0.08, step=0.01, control_step=0.02, seed=6, samples=[3, 8],
    )  # fmt: skip
    parts = [standard_normals(6, np.array([3, 8]), 0, 4, 6)[..., k : k + 2] for k in (0, 2, 4)]
    q, v = run.q[:, :-1:2] + np.array([0.1, 0.2]) * parts[0], run.v[:, :-1:2] + 0.3 * parts[1]
    wanted = -2.0 * q - 3.0 * v + np.array([0.4, 0.5]) * parts[2]
    np.testing.assert_allclose(run.u[:, :-1:2], wanted, atol=1e-13)
