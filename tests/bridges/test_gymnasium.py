"""Vector environments of Gymnasium against its own rules: checkers, autoreset modes, seeds, bounds, infos."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode
from tests.bridges.test_episodes import PLANT, TASK, task

import unmoored as um
from unmoored.bridges.gymnasium import TaskEnv, TaskVectorEnv

SHORT = task(terminated={"deep": lambda now: now.q[11] < -0.004})


def test_the_single_environment_passes_the_checker():
    with (
        warnings.catch_warnings()
    ):  # its advice on bounds: observations have none, actions have the actuators'
        warnings.filterwarnings("ignore", ".*(infinity|symmetric and normalized|not within).*")
        warnings.filterwarnings("ignore", ".*spec.*")
        check_env(TaskEnv(TASK), skip_render_check=True)


def test_spaces_are_those_of_the_plant():
    environment = TaskVectorEnv(TASK, 3, dtype="float32")
    np.testing.assert_array_equal(environment.single_action_space.low, np.full(8, -40.0))
    np.testing.assert_array_equal(environment.single_action_space.high, np.full(8, 40.0))
    assert environment.action_space.shape == (3, 8)
    observation, infos = environment.reset(seed=1)
    assert observation in environment.observation_space
    assert infos == {}
    observation, reward, terminated, truncated, _ = environment.step(environment.action_space.sample())
    assert observation in environment.observation_space
    assert reward.shape == terminated.shape == truncated.shape == (3,)
    assert terminated.dtype == truncated.dtype == bool


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_modes_agree_with_gymnasiums_own_vector_of_single_environments(mode):
    """What `SyncVectorEnv` makes of single environments is the rule, observation by observation."""
    own = gymnasium.vector.SyncVectorEnv([lambda: TaskEnv(SHORT)] * 4, autoreset_mode=mode)
    ours = TaskVectorEnv(SHORT, 4, autoreset_mode=mode)
    assert ours.metadata["autoreset_mode"] is mode
    rng, ends = np.random.default_rng(0), 0
    assert data_equivalence(own.reset(seed=[5, 6, 7, 8]), ours.reset(seed=[5, 6, 7, 8]))
    for _ in range(12):
        actions = rng.uniform(-2, 2, (4, 8))
        a, b = own.step(actions), ours.step(actions)
        for one, other in zip(a[:4], b[:4], strict=True):
            np.testing.assert_array_equal(one, other)
        ended = a[2] | a[3]
        ends += ended.sum()
        if mode is AutoresetMode.SAME_STEP and ended.any():
            np.testing.assert_array_equal(a[4]["_final_obs"], b[4]["_final_obs"])
            for k in np.flatnonzero(ended):
                np.testing.assert_array_equal(a[4]["final_obs"][k], b[4]["final_obs"][k])
        told = (b[4].get("final_info", {}) if mode is AutoresetMode.SAME_STEP else b[4]).get(
            "reason", [None] * 4
        )
        assert [word == "deep" for word in told] == b[2].tolist()
        if mode is AutoresetMode.DISABLED and ended.any():
            with pytest.raises(um.ModelError, match="were reset"):
                ours.step(actions)
            first, second = (
                own.reset(options={"reset_mask": ended.copy()}),
                ours.reset(options={"reset_mask": ended}),
            )
            np.testing.assert_array_equal(first[0][ended], second[0][ended])
    assert ends > 4


def test_seeds_of_samples():
    environment = TaskVectorEnv(TASK, 3)
    first, _ = environment.reset(seed=7)
    second, _ = environment.reset()
    assert not np.any(first[:, :3] == second[:, :3])
    again, _ = environment.reset(seed=[7, 8, 9])
    np.testing.assert_array_equal(again, first)
    mixed, _ = environment.reset(seed=[8, None, None])
    np.testing.assert_array_equal(mixed[0], first[1])
    np.testing.assert_array_equal(mixed[1:], second[1:])
    unseeded = [TaskVectorEnv(TASK, 1).reset()[0] for _ in range(2)]
    assert not np.any(unseeded[0][:, :3] == unseeded[1][:, :3])
    with pytest.raises(um.ModelError, match="reset_mask"):
        environment.reset(options={"reset_mask": np.ones(3)})


def test_a_blow_up_is_told():
    environment = TaskVectorEnv(task(terminated={}), 2)
    environment.reset(seed=0)
    _, reward, terminated, _, infos = environment.step(np.array([[np.nan] * 8, [0.0] * 8]))
    assert terminated.tolist() == [True, False]
    assert reward[0] == -7.0
    assert infos["final_info"]["reason"][0].startswith("blew up")
    assert infos["final_obs"][1] is None


def test_registered_tasks_are_made_and_reach_their_start():
    environment = gymnasium.make_vec("unmoored/Reaching-v0", num_envs=3, duration=0.1)
    observation, _ = environment.reset(seed=3)
    assert np.all(np.linalg.norm(observation[:, :3], axis=1) < 1.2)
    for k in range(2):
        observation, _, terminated, truncated, _ = environment.step(environment.action_space.sample())
        assert truncated.all() == (k == 1)
        assert not terminated.any()
    assert PLANT.nu == 8
