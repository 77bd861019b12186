"""Episodes of tasks: seeds, ends, memory, randomised parameters, against the stepper and NumPy; CPU and GPU alike."""

import numpy as np
import pytest
from tests.support.gpu_or_host import on_gpu_or_host

import unmoored as um
from unmoored.bridges import episodes as module
from unmoored.bridges.counter_draws import GOLDEN, mixed, uniforms
from unmoored.bridges.distributions import InBall, Normal, Uniform, numbers_for, value_of
from unmoored.bridges.episodes import Episodes
from unmoored.bridges.learning_task import Task

SYSTEM = um.load("bluerov2_heavy")
THRUSTERS = [um.Thruster(f"thruster_{k}", limits=(-40.0, 40.0), lag=0.1) for k in range(1, 9)]
PLANT = um.Plant(SYSTEM, um.Ocean(), THRUSTERS, free=["ocean.current", "rov.mass"])


def task(**changes):
    """Stay at a point that is drawn; the memory is the sum of the distances."""
    settings = {
        "plant": PLANT,
        "observe": lambda now: {
            "off": now.q[9:12] - now.drawn["point"], "elapsed": now.elapsed, "sum": now.memory["sum"],
            "current": now.p[:3], "speed": now.v,
        },
        "reward": lambda now: -np.sqrt((now.q[9:12] - now.drawn["point"]) @ (now.q[9:12] - now.drawn["point"])),
        "duration": 0.4,
        "control_step": 0.1,
        "step": 0.05,
        "terminated": {"deep": lambda now: now.q[11] < -0.02, "high": lambda now: now.q[11] > 0.02},
        "vary": {"ocean.current": InBall(0.4), "rov.mass": Uniform(13.0, 14.0)},
        "draw": {"point": Normal(np.zeros(3), np.ones(3)), "turn": Uniform(-0.3, 0.3)},
        "start": lambda drawn, p: (
            SYSTEM.retract(SYSTEM.neutral(), np.concatenate([np.zeros(5), np.reshape(drawn["turn"], 1)])), np.zeros(6)),
        "memory": {"sum": 1},
        "remember": lambda now: {"sum": now.memory["sum"] + np.reshape(now.q[9] - now.drawn["point"][0], 1)},
        "blow_up_reward": -7.0,
    }  # fmt: skip
    return Task(**(settings | changes))


TASK = task()


def test_changed_data_of_a_task_are_seen_by_new_episodes_and_refused_in_old_ones():
    goal = [1.0]
    changing = task(reward=lambda now: goal[0] + 0.0 * now.q[9])
    old = Episodes(changing, 1)
    still = np.zeros((1, PLANT.nu))
    assert old.step(still).reward == 1.0
    goal[0] = 2.0
    assert Episodes(changing, 1).step(still).reward == 2.0
    with pytest.raises(um.ModelError, match="code or data that have changed"):
        old.reset()
    for _ in range(changing.periods - 2):
        old.step(still)
    with pytest.raises(um.ModelError, match="code or data that have changed"):
        old.step(still)


def test_the_numbers_of_splitmix():
    seed = np.uint64(1234567)
    first = [int(mixed(np.array([seed + np.uint64((k * GOLDEN) % 2**64)]), np)[0]) for k in (1, 2, 3)]
    assert first == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_numbers_are_uniform_and_belong_to_seed_and_episode():
    seeds, episodes = np.arange(4000, dtype=np.uint64), np.zeros(4000, dtype=np.uint64)
    r = uniforms(seeds, episodes, 6)
    assert r.min() > 0.0
    assert r.max() < 1.0
    assert np.abs(r.mean(axis=0) - 0.5).max() < 5.0 / np.sqrt(12 * 4000)
    others = [
        uniforms(seeds, episodes + np.uint64(1), 6),
        uniforms(seeds + np.uint64(4000), episodes, 6),
        r[:, ::-1],
    ]
    for other in others:
        assert np.abs(np.mean((r - 0.5) * (other - 0.5), axis=0)[[0, 1]]).max() < 5.0 / 12 / np.sqrt(4000)
    np.testing.assert_array_equal(uniforms(seeds[7:9], episodes[7:9], 6), r[7:9])


@pytest.mark.parametrize(
    "distribution",
    [
        Uniform(np.array([-1.0, 2.0]), np.array([0.0, 5.0])),
        Normal(np.array([1.0, -2.0]), 0.5 * np.ones(2)),
        InBall(2.0),
    ],
)
def test_distributions_are_those_of_sweeps(distribution):
    r = np.random.default_rng(1).random((20000, numbers_for(distribution, "x")))
    found = np.stack([value_of(distribution, row) for row in r])
    drawn = distribution.drawn(20000, np.random.default_rng(2))
    np.testing.assert_allclose(found.mean(axis=0), drawn.mean(axis=0), atol=0.05)
    np.testing.assert_allclose(found.std(axis=0), drawn.std(axis=0), atol=0.05)
    if isinstance(distribution, InBall):
        lengths = np.linalg.norm(found, axis=1)
        assert lengths.max() < 2.0
        assert abs(np.mean(lengths < 1.0) - 1 / 8) < 0.02


def test_an_episode_is_what_the_stepper_does():
    S, rng = 5, np.random.default_rng(3)
    found = Episodes(TASK, S, seed=11)
    start = found.stepper.state.copy()
    p = found.stepper._params[:, : len(PLANT.nominal_parameters)].copy()
    stepper = um.Stepper(PLANT, S, step=0.05, control_step=0.1)
    current, mass = p[:, :3], p[:, 3]
    assert np.all(np.linalg.norm(current, axis=1) < 0.4)
    assert len(np.unique(mass)) == S
    stepper.reset(q=start.q, v=start.v, parameters={"ocean.current": current, "rov.mass": mass})
    point = found._drawn[:, :3].copy()
    total = np.zeros(S)
    for k in range(1, 5):
        u = rng.uniform(-2, 2, (S, 8))
        out, state = found.step(u, renew=False), stepper.step(u)
        off = state.q[:, 9:12] - point
        total += off[:, 0]
        expected = np.concatenate([off, np.full((S, 1), 0.1 * k), total[:, None], current, state.v], axis=1)
        np.testing.assert_allclose(out.observation, expected, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(out.reward, -np.linalg.norm(off, axis=1), rtol=1e-12)
        reason = np.where(state.q[:, 11] < -0.02, 1, np.where(state.q[:, 11] > 0.02, 2, 0))
        np.testing.assert_array_equal(out.reason, reason)
        np.testing.assert_array_equal(out.terminated, reason != 0)
        np.testing.assert_array_equal(out.truncated, (reason == 0) & (k == 4))
    assert found.reasons[1:3] == ("deep", "high")


def test_seeds_decide_and_samples_do_not_meet():
    many, few = Episodes(TASK, 6, seed=20), Episodes(TASK, 2, seed=[23, 25])
    np.testing.assert_array_equal(many.reset()[[3, 5]], few.reset())
    u = np.random.default_rng(4).uniform(-3, 3, (9, 6, 8))
    for row in u:
        a, b = many.step(row), few.step(row[[3, 5]])
        for one, other in zip(a, b, strict=True):
            np.testing.assert_array_equal(one[[3, 5]], other)
    again = Episodes(TASK, 6, seed=0)
    again.seed([20, 21, 22, 23, 24, 25])
    fresh = Episodes(TASK, 6, seed=20)
    fresh.seed(20)
    np.testing.assert_array_equal(again.reset(), fresh.reset())


def test_ended_episodes_begin_anew_and_show_their_last_observation():
    found, still = Episodes(task(terminated={}), 3, seed=1), np.zeros((3, 8))
    for k in range(1, 9):
        out = found.step(still)
        at_end = k % 4 == 0
        assert out.truncated.all() == at_end
        assert not out.terminated.any()
        np.testing.assert_allclose(out.final_observation[:, 3], 0.1 * ((k - 1) % 4 + 1))
        np.testing.assert_allclose(out.observation[:, 3], 0.0 if at_end else out.final_observation[:, 3])
        if at_end:
            assert not np.any(out.observation[:, 4])
            assert np.all(out.observation[:, 5:8] != out.final_observation[:, 5:8])


def test_what_blows_up_is_terminated_with_its_reason():
    found = Episodes(task(terminated={}), 3, seed=1)
    u = np.zeros((3, 8))
    u[1, 2] = np.nan
    out = found.step(u)
    np.testing.assert_array_equal(out.terminated, [False, True, False])
    assert out.reward[1] == -7.0
    assert "blew up" in found.reasons[out.reason[1]]
    assert np.isfinite(out.observation).all()
    assert found.stepper.state.status[1] == 0


def test_prescribed_joints_and_chosen_inputs():
    system = um.load("free_flyer_arm7")
    moving = um.Plant(
        system,
        um.Space(),
        [um.JointMotor("elbow_pitch", limits=(-3.0, 2.0)), um.JointMotor("wrist_roll")],
        prescribed={"shoulder_yaw": um.Sine(0.5, 4.0)},
    )
    reach = Task(moving, lambda now: {"q": now.q[12:], "u": now.u}, lambda now: now.v[9], 0.2, 0.1, 0.05,
                 inputs=("elbow_pitch_motor",), start_time=Uniform(0.0, 4.0))  # fmt: skip
    assert [x.tolist() for x in reach.action_bounds] == [[-3.0], [2.0]]
    found = Episodes(reach, 4, seed=5)
    t = found.stepper.state.t.copy()
    assert len(np.unique(t)) == 4
    for _ in range(2):
        out = found.step(np.ones((4, 1)), renew=False)
    np.testing.assert_allclose(out.observation[:, 0], 0.5 * np.sin(np.pi / 2 * (t + 0.2)), atol=1e-12)
    np.testing.assert_array_equal(out.observation[:, 7:], [[1.0, 0.0]] * 4)
    assert out.truncated.all()


def test_the_gpu_gives_the_episodes_of_the_cpu(monkeypatch, tmp_path):
    on_gpu_or_host(monkeypatch, tmp_path)
    monkeypatch.setattr(module, "cupy", lambda: um.kernels.cuda.device.cupy())
    here, there = Episodes(TASK, 6, seed=3), Episodes(TASK, 6, seed=3, backend="cuda")
    u = np.random.default_rng(6).uniform(-20, 20, (6, 6, 8))
    for row in u:
        for one, other in zip(here.step(row), there.step(row), strict=True):
            np.testing.assert_allclose(
                other if isinstance(other, np.ndarray) else other.get(), one, rtol=1e-12, atol=1e-12
            )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"duration": 0.35}, "duration"),
        ({"inputs": ("propeller",)}, "propeller"),
        ({"vary": {"rov.com": Uniform(0.0, 1.0)}}, "rov.com"),
        ({"vary": {"rov.mass": Uniform(-2.0, 1.0)}}, "mass"),
        ({"vary": {"ocean.current": Uniform(-2.0, 1.0)}}, "3 numbers"),
        ({"vary": {"rov.mass": 13.0}}, "distribution"),
        ({"memory": {}}, "remember"),
    ],
)
def test_bad_tasks_are_refused(changes, words):
    with pytest.raises(um.ModelError, match=words):
        task(**changes)


def test_bad_functions_and_actions_are_refused():
    with pytest.raises(um.ModelError, match="observe"):
        Episodes(task(observe=lambda now: now.q), 2)
    with pytest.raises(um.ModelError, match="start"):
        Episodes(task(start=lambda drawn, p: SYSTEM.neutral()), 2)
    rng = np.random.default_rng(0)
    with pytest.raises(um.ModelError, match="pure function"):
        Episodes(task(reward=lambda now: rng.random() * now.t), 2)
    found = Episodes(TASK, 2)
    with pytest.raises(um.ModelError, match="actions"):
        found.step(np.zeros((2, 7)))
    with pytest.raises(um.ModelError, match="seed"):
        found.seed([1])
