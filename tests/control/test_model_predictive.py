"""Model predictive control: the linear regulator where it is one, limits, batches, and the Stepper."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import unmoored as um
from unmoored import planning

PERIOD, N = 0.1, 10


def cart(**motor):
    b = um.SystemBuilder("cart")
    b.vehicle("cart", um.Prismatic((1, 0, 0)), inertia=um.Inertia(2.0, (0, 0, 0), np.eye(3)))
    return um.Plant(b.build(), actuators=[um.JointMotor("cart", name="motor", **motor)])


def law(plant, target=1.0, **options):
    running = [planning.Effort(plant, 0.1), planning.Posture(plant, target, 3.0), planning.Speed(plant, 0.5)]
    return um.ModelPredictive(plant, N, tuple(running), (planning.Posture(plant, target, 5.0),), **options)


def first_gain(plant):
    """Riccati's K of the first period."""
    d = plant.step_derivatives(0.0, [0.0], [0.0], None, PERIOD)
    A, B = d.state, d.input
    Q, R = PERIOD * np.diag([3.0, 0.5, 0.0][: len(A)]), PERIOD * np.array([[0.1]])
    P = np.diag([5.0, 0.0, 0.0][: len(A)])
    for _ in range(N):
        K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
        P = Q + A.T @ P @ (A - B @ K)
    return K


@pytest.fixture(scope="module")
def plant():
    return cart()


@pytest.mark.parametrize("motor", [{}, {"lag": 0.15}])
def test_on_a_linear_plant_it_is_the_regulator_of_its_horizon(motor):
    plant = cart(**motor)
    run = um.simulate(
        plant,
        [0.2],
        [0.1],
        duration=1.0,
        step=PERIOD,
        control_step=PERIOD,
        controller=law(plant),
        method="rkmk4",
    )
    K = first_gain(plant)
    for k in range(10):
        expected = -K @ np.array([run.q[k, 0] - 1.0, run.v[k, 0], *(() if run.x is None else run.x[k])])
        assert np.allclose(run.u[k], expected, atol=1e-9)
    assert np.all(run.memory["gained"] >= -1e-12)
    assert np.all(np.diff(run.memory["cost"][1:]) <= 1e-9)


def test_limits_and_targets_of_every_sample(plant):
    targets = np.array([[0.5], [1.0], [-0.7]])
    limited = law(plant, targets, input_limits=(-1.5, 1.0), iterations=2)
    stepper = um.Stepper(plant, 3, step=PERIOD, control_step=PERIOD, controller=limited)
    for _ in range(80):
        state = stepper.step()
    assert np.all(state.status == 0)
    assert np.allclose(state.q, targets, atol=2e-2)
    one = um.simulate(
        plant,
        [0.0],
        duration=2.0,
        step=PERIOD,
        control_step=PERIOD,
        controller=law(plant, targets[1], input_limits=(-1.5, 1.0), iterations=2),
    )
    assert one.u.max() == 1.0
    assert one.u.min() >= -1.5


def test_targets_change_while_it_runs(plant):
    stepper = um.Stepper(
        plant, 3, step=PERIOD, control_step=PERIOD, controller=law(plant, [1.0], iterations=2)
    )
    for name in ("running.1.target", "final.0.target"):
        stepper.tune({name: [[0.4], [0.9], [-0.3]]}, mask=np.array([True, False, True]))
    for _ in range(60):
        state = stepper.step()
    assert np.allclose(state.q[:, 0], [0.4, 1.0, -0.3], atol=2e-2)
    with pytest.raises(um.ModelError, match="gain"):
        stepper.tune({"target": [1.0]})
    with pytest.raises(um.ModelError, match="shape"):
        stepper.tune({"final.0.target": [1.0, 2.0]})


def test_a_model_that_is_off_is_corrected(plant):
    """The law predicts with 2 kg; the plant has 3 kg."""
    b = um.SystemBuilder("cart")
    b.vehicle("cart", um.Prismatic((1, 0, 0)), inertia=um.Inertia(3.0, (0, 0, 0), np.eye(3)))
    heavy = um.Plant(b.build(), actuators=plant.actuators)
    run = um.simulate(heavy, [0.0], duration=6.0, step=PERIOD, control_step=PERIOD, controller=law(plant))
    assert np.abs(run.q[-1, 0] - 1.0) < 1e-2


def test_a_step_is_halved_until_it_lowers_the_cost_that_is_told():
    """A pendulum to be swung up: of the steps 1, ½ and ¼ only the last is of use; its cost is that of its motion."""
    b = um.SystemBuilder("pendulum")
    b.vehicle("rod", um.Revolute((0, 1, 0)), inertia=um.Inertia.point(1.0, com=(0, 0, -1.0)))
    plant = um.Plant(b.build(), um.Earth(), actuators=[um.JointMotor("rod", name="motor")])
    period, weight, goal, end = 0.5, 1e-4, 2.8, 50.0
    running = (planning.Effort(plant, weight), planning.Posture(plant, goal, 1.0))
    runs = [
        um.simulate(
            plant, [0.1], duration=period, step=period, control_step=period, method="rkmk4",
            controller=um.ModelPredictive(plant, 6, running, (planning.Posture(plant, goal, end),), lengths=lengths),
        )
        for lengths in (2, 3)
    ]  # fmt: skip
    assert runs[0].memory["gained"][-1] == 0.0
    assert runs[1].memory["gained"][-1] > 50.0
    assert runs[0].memory["cost"][-1] == runs[1].memory["cost"][-1] + runs[1].memory["gained"][-1]
    x, cost = np.array([0.1, 0.0]), 0.0
    for u in (runs[1].u[0, 0], *runs[1].memory["u"][-1, :5, 0]):

        def rate(x, u=u):
            return np.array([x[1], u - 9.81 * np.sin(x[0])])

        cost += 0.5 * period * ((x[0] - goal) ** 2 + weight * u**2)
        k1 = rate(x)
        k2 = rate(x + 0.5 * period * k1)
        k3 = rate(x + 0.5 * period * k2)
        x = x + period / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + rate(x + period * k3))
    cost += 0.5 * end * (x[0] - goal) ** 2
    assert runs[1].memory["cost"][-1] == pytest.approx(cost, rel=1e-3)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_with_limits_it_is_the_least_cost_of_all_inputs_within_them(side):
    """The cost is ½|A U + b|² of the inputs: the least in a box, by SciPy's own method; so is what was gained."""
    plant, N, period, goal = cart(), 6, 0.4, side
    q, speed, (low, high) = -0.4 * side, 0.7 * side, sorted([-0.8 * side, 1.3 * side])
    running = (planning.Effort(plant, 0.02), planning.Posture(plant, goal, 3.0), planning.Speed(plant, 0.5))
    law = um.ModelPredictive(
        plant, N, running, (planning.Posture(plant, goal, 50.0),), input_limits=(low, high), iterations=20,
        first=[0.3 * side],
    )  # fmt: skip
    run = um.simulate(
        plant, [q], [speed], duration=period, step=period, control_step=period, controller=law, method="rkmk4"
    )

    def residuals(U):
        x, v, found = q, speed, []
        for u in U:
            found.append(np.sqrt(period * np.array([0.02, 3.0, 0.5])) * [u, x - goal, v])
            x, v = x + period * v + 0.25 * period**2 * u, v + 0.5 * period * u  # 2 kg
        return np.append(np.ravel(found), np.sqrt(50.0) * (x - goal))

    b = residuals(np.zeros(N))
    A = np.stack([residuals(e) - b for e in np.eye(N)], axis=-1)
    best = lsq_linear(A, -b, bounds=(low, high), tol=1e-14)
    assert 1 <= (best.active_mask != 0).sum() < N
    np.testing.assert_allclose([run.u[0, 0], *run.memory["u"][-1, :-1, 0]], best.x, atol=1e-6)
    first, least = (0.5 * np.sum(residuals(U) ** 2) for U in (np.full(N, 0.3 * side), best.x))
    np.testing.assert_allclose(run.memory["cost"][-1], least, rtol=1e-9)
    np.testing.assert_allclose(run.memory["gained"][-1], first - least, rtol=1e-9)


def test_goals_that_move_are_known_ahead_of_time():
    """A cart after a goal that runs away, asked at 1.3 s: the least cost of the motion to come, by SciPy."""
    plant, N, period, t0 = cart(), 5, 0.4, 1.3
    after = planning.Residual(lambda t, q, v, u: q - 0.8 * t * t, 3.0)
    end = planning.Residual(lambda t, q, v: q - 0.8 * t * t, 50.0)
    law = um.ModelPredictive(plant, N, (planning.Effort(plant, 0.02), after), (end,), iterations=3)
    run = um.simulate(
        plant, [0.9], [0.7], t0=t0, duration=period, step=period, control_step=period, controller=law, method="rkmk4"
    )  # fmt: skip

    def residuals(U):
        x, v, found = 0.9, 0.7, []
        for k, u in enumerate(U):
            found.append(np.sqrt(period * np.array([0.02, 3.0])) * [u, x - 0.8 * (t0 + k * period) ** 2])
            x, v = x + period * v + 0.25 * period**2 * u, v + 0.5 * period * u  # 2 kg
        return np.append(np.ravel(found), np.sqrt(50.0) * (x - 0.8 * (t0 + N * period) ** 2))

    b = residuals(np.zeros(N))
    A = np.stack([residuals(e) - b for e in np.eye(N)], axis=-1)
    best = np.linalg.lstsq(A, -b)[0]
    np.testing.assert_allclose([run.u[0, 0], *run.memory["u"][-1, :-1, 0]], best, atol=1e-6)
    assert run.memory["u"][-1, -1] == run.memory["u"][-1, -2]  # moved on by one period, the last one twice
    least = 0.5 * np.sum(residuals(best) ** 2)
    np.testing.assert_allclose(run.memory["cost"][-1], least, rtol=1e-9)
    np.testing.assert_allclose(run.memory["gained"][-1], 0.5 * np.sum(b**2) - least, rtol=1e-9)


def test_it_begins_with_inputs_within_their_limits(plant):
    for limits, bounded in ((None, False), ((-1.5, 1e30), True), ((-1e30, 1.0), True), ((-1.5, 1.0), True)):
        assert law(plant, input_limits=limits).bounded is bounded
    for limits, start in (((0.5, 1.0), 0.5), ((-2.0, -0.3), -0.3), ((-1.0, 1.0), 0.0)):
        made = law(plant, input_limits=limits)
        assert made.first == start
        assert made.memory == {"u": pytest.approx(np.full((N, 1), start)), "cost": 0.0, "gained": 0.0}
        for edge in limits:
            assert law(plant, input_limits=limits, first=[edge]).first == edge
        for beyond in (limits[0] - 1e-9, limits[1] + 1e-9):
            with pytest.raises(um.ModelError, match="first: expected inputs within their limits"):
                law(plant, input_limits=limits, first=[beyond])


def test_refused(plant):
    for change in (
        {"iterations": 0},
        {"lengths": 0},
        {"steps": 0},
        {"first": [5.0], "input_limits": (-1.0, 1.0)},
        {"first": ["0"]},
        {"first": [0.0, 0.0]},
        {"first": True},
    ):
        with pytest.raises(um.ModelError, match=rf"^ModelPredictive: {next(iter(change))}: expected"):
            law(plant, **change)
    with pytest.raises(um.ModelError, match="ModelPredictive: periods"):
        um.ModelPredictive(plant, 0)
    with pytest.raises(um.ModelError, match=r"^ModelPredictive: unknown method"):
        law(plant, method="magic")
    with pytest.raises(um.ModelError, match=r"^ModelPredictive: plant"):
        um.ModelPredictive(plant.system, 3)
    with pytest.raises(um.ModelError, match=r"^ModelPredictive: input_limits"):
        law(plant, input_limits=(1.0, -1.0))
    with pytest.raises(um.ModelError, match="control_step"):
        um.simulate(plant, [0.0], duration=1.0, step=0.1, controller=law(plant))
