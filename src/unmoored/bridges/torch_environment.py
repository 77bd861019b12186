"""`TorchEnvironment`: episodes of a task for agents in torch, tensors in and out, on CPU or GPU without copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..model import ModelError
from .episodes import Episodes
from .learning_task import Task
from .torch import NAMES, on_stream_of, tensor_of, torch

__all__ = ["TorchEnvironment"]


class Transition(NamedTuple):
    """What a period of all samples gave, tensors on the environment's device: `unmoored.bridges.episodes.Outcome`."""

    observation: Any
    reward: Any
    terminated: Any
    truncated: Any
    final_observation: Any
    reason: Any


class TorchEnvironment:
    """`num_envs` episodes of a task side by side; those that end begin anew in the same step.

    device: "cpu" or "cuda": where everything stays, observations and rewards come out of kernels there.
    dtype: torch.float32 or torch.float64.  seed: sample k has the seed `seed` + k, or its own of a list.
    """

    def __init__(
        self,
        task: Task,
        num_envs: int,
        *,
        device: str = "cpu",
        dtype: Any = torch.float32,
        seed: int | Sequence[int] = 0,
    ) -> None:
        if dtype not in NAMES:
            raise ModelError.single(task.name, "dtype", expected="float32 or float64", given=str(dtype))
        if torch.device(device).type not in ("cpu", "cuda"):
            raise ModelError.single(task.name, "device", expected="cpu or cuda", given=str(device))
        self.task, self.num_envs, self.dtype = task, num_envs, dtype
        self.device = torch.zeros(0, device=device).device
        with self._stream():
            self.episodes = Episodes(task, num_envs, seed=seed, backend=self.device.type, dtype=NAMES[dtype])
        low, high = (torch.as_tensor(x, dtype=dtype, device=self.device) for x in task.action_bounds)
        #: lowest and highest actions: the limits of the actuators
        self.action_low, self.action_high = low, high

    def reset(self, mask: Any = None, spread: bool = False) -> Any:
        """Begin episodes in all samples, or in those of a mask (num_envs,) of truth values; observations (num_envs, n).

        spread: these first episodes are truncated early, at random, so that they do not all end together.
        """
        with self._stream():
            found = None if mask is None else mask.numpy() if self.device.type == "cpu" else mask
            return tensor_of(self.episodes.reset(found, spread))

    def step(self, actions: Any) -> Transition:
        """One control period with actions (num_envs, n) on the environment's device."""
        if not isinstance(actions, torch.Tensor) or (actions.dtype, actions.device) != (
            self.dtype,
            self.device,
        ):
            given = (
                f"{actions.dtype} on {actions.device}"
                if isinstance(actions, torch.Tensor)
                else repr(type(actions))
            )
            expected = f"a tensor of {self.dtype} on {self.device}"
            raise ModelError.single(self.task.name, "actions", expected=expected, given=given)
        with self._stream():
            given = actions.detach()
            given = given.numpy() if self.device.type == "cpu" else given
            return Transition(*map(tensor_of, self.episodes.step(given)))

    @property
    def observation_sizes(self) -> dict[str, int]:
        """{name: length} of the parts of an observation, in order."""
        return self.episodes.observation_sizes

    def __repr__(self) -> str:
        return f"<{self.num_envs} environments of {self.task.name!r} on {self.device}>"

    def _stream(self) -> Any:
        return on_stream_of(self.device)
