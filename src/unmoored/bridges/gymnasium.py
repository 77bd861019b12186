"""Gymnasium: tasks as vector environments, all samples in one kernel, and as single ones.

    environment = bridges.gymnasium.TaskVectorEnv(bridges.tasks.station_keeping(), num_envs=4096)
    gymnasium.make("unmoored/StationKeeping-v0"), gymnasium.make_vec("unmoored/Reaching-v0", num_envs=64)

Actions are bounded by the limits of the actuators, in their units. What ends an episode by itself terminates it, with a
reason in the infos; the end of its time truncates it. docs/bridges.md has the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..error_roots import optional
from ..model import ModelError
from .episodes import Episodes, Outcome
from .learning_task import Task
from .tasks import reaching, station_keeping

gymnasium = optional("gymnasium", "gymnasium", "unmoored.bridges.gymnasium")
AutoresetMode = gymnasium.vector.AutoresetMode


__all__ = ["TaskEnv", "TaskVectorEnv"]


class TaskVectorEnv(gymnasium.vector.VectorEnv):
    """`num_envs` episodes of a task, stepped together by one kernel.

    autoreset_mode: AutoresetMode.SAME_STEP (an ended episode's last observation is in infos["final_obs"]), NEXT_STEP
    (the step after an episode's end ignores the action and begins another) or DISABLED (`reset` with
    options={"reset_mask": mask}); `metadata["autoreset_mode"]` says which.
    dtype: "float64" or "float32", of the kernels, observations and actions.
    """

    def __init__(
        self,
        task: Task,
        num_envs: int,
        *,
        autoreset_mode: Any = AutoresetMode.SAME_STEP,
        dtype: str = "float64",
    ) -> None:
        self.task, self.num_envs = task, num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        self.episodes = Episodes(task, num_envs, dtype=dtype)
        self.single_observation_space, self.single_action_space = spaces(self.episodes, dtype)
        batched = gymnasium.vector.utils.batch_space
        self.observation_space = batched(self.single_observation_space, num_envs)
        self.action_space = batched(self.single_action_space, num_envs)
        self._ended, self._seeded = np.zeros(num_envs, dtype=bool), False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Observations (num_envs, n) at the start of episodes: of all samples, or those of options["reset_mask"].

        seed: sample k gets seed + k, or the k-th of a list, where None lets it go on with the one that it has.
        """
        super().reset(seed=seed if isinstance(seed, int) else None)
        mask = self._mask(options)
        self._seed(seed, mask)
        observation = self.episodes.reset(mask)
        self._ended &= False if mask is None else ~mask
        return observation, {}

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """(observations, rewards, terminations, truncations, infos) after one control period."""
        before, mode = self._ended, self.autoreset_mode
        if mode is AutoresetMode.DISABLED and before.any():
            given = f"{int(before.sum())} that have ended"
            raise ModelError.single(
                self.task.name, "step", expected="environments that were reset", given=given
            )
        out = self.episodes.step(np.asarray(actions), renew=mode is AutoresetMode.SAME_STEP)
        self._ended = out.terminated | out.truncated
        infos = self._infos(out)
        if mode is AutoresetMode.NEXT_STEP and before.any():
            observation = self.episodes.reset(before)
            fresh = np.where(before[:, None], observation, out.observation)
            terminated, truncated = out.terminated & ~before, out.truncated & ~before
            self._ended = terminated | truncated
            out = out._replace(observation=fresh, reward=np.where(before, 0.0, out.reward))
            out = out._replace(terminated=terminated, truncated=truncated)
            infos = self._infos(out)
        return out.observation, out.reward.astype(np.float64), out.terminated, out.truncated, infos

    def _infos(self, out: Outcome) -> dict[str, Any]:
        """The last observations of ended episodes where they are not the observations, and reasons of terminations."""
        if not self._ended.any():
            return {}
        ended, terminated = self._ended.copy(), out.terminated.copy()
        reasons = np.full(self.num_envs, None, dtype=object)
        for k in np.flatnonzero(terminated):
            reasons[k] = self.episodes.reasons[out.reason[k]]
        told: dict[str, Any] = {"reason": reasons, "_reason": terminated} if terminated.any() else {}
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            return told
        last = np.full(self.num_envs, None, dtype=object)
        for k in np.flatnonzero(ended):
            last[k] = out.final_observation[k].copy()
        return {"final_obs": last, "_final_obs": ended, "final_info": told, "_final_info": ended}

    def _mask(self, options: dict[str, Any] | None) -> np.ndarray | None:
        mask = None if options is None else options.get("reset_mask")
        if mask is None:
            return None
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != bool:
            expected = f"an array of truth values of shape ({self.num_envs},)"
            raise ModelError.single(self.task.name, "reset_mask", expected=expected, given=repr(mask)[:100])
        return mask

    def _seed(self, seed: Any, mask: np.ndarray | None) -> None:
        if seed is None:
            if not self._seeded:
                self.episodes.seed(random_seed())
            self._seeded = True
            return
        if isinstance(seed, int | np.integer):
            self.episodes.seed(int(seed), mask)
        else:
            given = list(seed)
            own = np.array([s is not None for s in given])
            chosen = own if mask is None or len(own) != len(mask) else own & mask
            if not self._seeded:
                self.episodes.seed(random_seed())
            self.episodes.seed([0 if s is None else int(s) for s in given], chosen)
        self._seeded = True


class TaskEnv(gymnasium.Env):
    """One sample of a task, as a single environment: for checkers and for agents that know no vectors."""

    metadata = {"render_modes": []}  # noqa: RUF012 (gymnasium's way)

    def __init__(self, task: Task, *, dtype: str = "float64", render_mode: str | None = None) -> None:
        if render_mode is not None:
            raise ModelError.single(task.name, "render_mode", expected="None", given=repr(render_mode))
        self.task, self.render_mode = task, None
        self.episodes = Episodes(task, 1, dtype=dtype)
        self.observation_space, self.action_space = spaces(self.episodes, dtype)
        self._seeded = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """(observation at the start of an episode, {}); without a seed, the next episode of the last one."""
        super().reset(seed=seed)
        if seed is not None or not self._seeded:
            self.episodes.seed(random_seed() if seed is None else int(seed))
            self._seeded = True
        return self.episodes.reset()[0], {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """(observation, reward, terminated, truncated, infos) after one control period."""
        out = self.episodes.step(np.asarray(action)[None], renew=False)
        terminated = bool(out.terminated[0])
        info = {"reason": self.episodes.reasons[int(out.reason[0])]} if terminated else {}
        return out.observation[0], float(out.reward[0]), terminated, bool(out.truncated[0]), info


def spaces(episodes: Episodes, dtype: str) -> tuple[Any, Any]:
    """(observation space, action space) of one sample: without bounds; the limits of the actuators."""
    box, size = gymnasium.spaces.Box, episodes.observation_size
    low, high = (x.astype(dtype) for x in episodes.task.action_bounds)
    return box(-np.inf, np.inf, (size,), dtype=np.dtype(dtype).type), box(
        low, high, dtype=np.dtype(dtype).type
    )


def random_seed() -> int:
    """A seed that nobody chose."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(2))


def _register(name: str, make: Any) -> None:
    gymnasium.register(
        f"unmoored/{name}-v0",
        entry_point=lambda dtype="float64", render_mode=None, **options: TaskEnv(
            make(**options), dtype=dtype, render_mode=render_mode
        ),
        vector_entry_point=lambda num_envs=1, dtype="float64", autoreset_mode=AutoresetMode.SAME_STEP, **options: (
            TaskVectorEnv(make(**options), num_envs, autoreset_mode=autoreset_mode, dtype=dtype)
        ),
    )


_register("StationKeeping", station_keeping)
_register("Reaching", reaching)
