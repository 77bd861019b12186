"""`Episodes`: many samples of a `Task`, stepped by actions, judged and begun anew where the kernel runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import kernels
from ..kernels import cuda
from ..kernels.cuda.device import cupy, device_array
from ..lie.arrays import join
from ..model import ModelError
from ..model.identity_of_code import traced_pure
from ..simulation.stepper import Stepper
from ..trace import fingerprint
from .counter_draws import uniforms
from .learning_task import Instant, Task


class Outcome(NamedTuple):
    """What a period of all samples gave: arrays of NumPy, or of CuPy on the GPU, new at every call.

    observation (S, n): of the new episode where one has ended and was begun anew.  reward (S,).
    terminated, truncated (S,): truth values; a sample that ended by itself in its last period is not truncated.
    final_observation (S, n): at the end of the period, before anything begins anew.
    reason (S,): 0, or why a sample was terminated: `Episodes.reasons[reason]`.
    """

    observation: Any
    reward: Any
    terminated: Any
    truncated: Any
    final_observation: Any
    reason: Any


class Episodes:
    """`samples` episodes of a task that run side by side. The numbers of an episode depend on its sample's seed and on
    how many episodes that sample has begun, and on nothing else.

    backend: "cpu" or "cuda".  dtype: "float64" or "float32".
    """

    def __init__(
        self,
        task: Task,
        samples: int,
        *,
        seed: int | Sequence[int] = 0,
        backend: str = "cpu",
        dtype: str = "float64",
    ) -> None:
        self.task, self.samples, plant = task, samples, task.plant
        self._made_of, self._steps = fingerprint(task), 0
        self.stepper = Stepper(
            plant, samples, step=task.step, control_step=task.control_step, controller=task.controller,
            method=task.method, backend=backend, dtype=dtype,
        )  # fmt: skip
        #: words for the codes of `Outcome.reason`
        self.reasons: tuple[str, ...] = ("", *task.terminated, "blew up: its state is no longer finite")
        xp = self._xp
        self._dtype = np.dtype(dtype)
        self._sizes = {
            "t": 1, "elapsed": 1, "q": plant.nq, "v": plant.nv, "x": plant.nx, "p": len(plant.nominal_parameters),
            "u": plant.nu, "d": task.drawn_size, "m": sum(task.memory.values()),
        }  # fmt: skip
        self._drawn = xp.zeros((samples, self._sizes["d"]), dtype)
        self._memory = xp.zeros((samples, self._sizes["m"]), dtype)
        self._u = xp.zeros((samples, plant.nu), dtype)
        self._period = xp.zeros(samples, np.int64)
        self._cut = xp.zeros(samples, np.int64)
        self._episode = xp.zeros(samples, np.uint64)
        self._seeds = xp.zeros(samples, np.uint64)
        self._places = xp.asarray(task.places) if task.inputs is not None else None
        self._begin = self._compiled("begun", self._begun, [(task.numbers,)])
        self._look = self._compiled("observed", self._observed, self._shapes)
        self._judge = self._compiled("judged", self._judged, self._shapes)
        self.seed(seed)
        self.reset()

    @property
    def observation_size(self) -> int:
        """Length of an observation."""
        return sum(self.observation_sizes.values())

    @property
    def observation_sizes(self) -> dict[str, int]:
        """{name: length} of the parts of an observation, in order."""
        return self.task.observation_sizes

    def seed(self, seed: int | Sequence[int], mask: Any = None) -> None:
        """Seeds of the samples, or of those in the mask (S,): one each, or seed + k for sample k. They start anew."""
        xp = self._xp
        seeds = np.arange(self.samples) + seed if isinstance(seed, int | np.integer) else np.asarray(seed)
        if seeds.shape != (self.samples,) or seeds.dtype.kind not in "iu" or np.any(seeds < 0):
            expected = f"a whole number ≥ 0, or {self.samples} of them"
            raise ModelError.single(self.task.name, "seed", expected=expected, given=repr(seed)[:100])
        mask = None if mask is None else xp.asarray(mask)
        self._put(self._seeds, xp.asarray(seeds.astype(np.uint64)), mask)
        self._put(self._episode, xp.zeros_like(self._episode), mask)

    def reset(self, mask: Any = None, spread: bool = False) -> Any:
        """Begin an episode in all samples, or in those in the mask (S,) of truth values; observations (S, n).

        spread: these first episodes are truncated early, at random, so that samples do not all end in the same period.
        """
        self._check_unchanged()
        mask = None if mask is None else self._xp.asarray(mask)
        self._renew(mask)
        if spread:
            part = uniforms(self._seeds, self._episode + self._xp.uint64(1 << 40), 1, self._xp)[:, 0]
            self._put(self._cut, (part * self.task.periods).astype(np.int64), mask)
        return self._look(*self._given())

    def step(self, actions: Any, renew: bool = True) -> Outcome:
        """One control period with actions (S, n), n inputs in the order of `task.actions`.

        renew: whether samples whose episode ends begin another at once.
        """
        xp, task, stepper = self._xp, self.task, self.stepper
        self._act(actions)
        self._steps += 1
        if self._steps % task.periods == 0:  # looking takes longer than a step of one sample
            self._check_unchanged()
        stepper.step(self._u)
        self._period += 1
        memory, observation, reward, code = self._parts(self._judge(*self._given()))
        if memory is not None:
            self._memory = memory
        broken = stepper.state.status != 0
        reason = xp.where(broken, len(self.reasons) - 1, code.astype(np.int64))
        reward = xp.where(broken, self._dtype.type(task.blow_up_reward), reward)
        terminated = reason != 0
        truncated = (self._period + self._cut >= task.periods) & ~terminated
        ended, now = terminated | truncated, observation
        if renew and (xp is not np or ended.any()):
            self._renew(ended)
            now = self._look(*self._given())
        return Outcome(now, reward, terminated, truncated, observation, reason)

    def _check_unchanged(self) -> None:
        """Refuse to go on if the functions of the task read other data by now than its kernels were made with."""
        now = fingerprint(self.task)
        if not now.unseen and now.digest != self._made_of.digest:
            expected = "what it was when its kernels were made: draw what changes, or make new episodes"
            raise ModelError.single(
                self.task.name, "functions", expected=expected, given="code or data that have changed"
            )

    def _renew(self, mask: Any) -> None:
        """Begin an episode in the samples of the mask."""
        xp, stepper, sizes = self._xp, self.stepper, self._sizes
        r = uniforms(self._seeds, self._episode, self.task.numbers, xp).astype(self._dtype)
        found = iter(_tuple(self._begin(r)))
        first = next(found)
        if sizes["p"]:
            self._put(stepper._params[:, : sizes["p"]], next(found), mask)
        if sizes["d"]:
            self._put(self._drawn, next(found), mask)
        stepper._begin(first, mask)
        one = xp.ones_like(self._episode)
        self._episode += one if mask is None else mask.astype(np.uint64)
        for kept in (self._memory, self._u, self._period, self._cut):
            self._put(kept, xp.zeros_like(kept), mask)

    def _act(self, actions: Any) -> None:
        """Put actions into the inputs of the plant."""
        xp, n = self._xp, len(self.task.actions)
        if xp is np:
            actions = actions if isinstance(actions, np.ndarray) else np.asarray(actions)
        else:
            actions = device_array(actions)
        if actions.shape != (self.samples, n) or actions.dtype.kind not in "fiu":
            expected, given = f"numbers ({self.samples}, {n})", f"{actions.dtype} of shape {actions.shape}"
            raise ModelError.single(self.task.name, "actions", expected=expected, given=given)
        if self._places is None:
            self._u[...] = actions
        else:
            self._u[:, self._places] = actions.astype(self._dtype, copy=False)

    def _given(self) -> list[Any]:
        """The arrays of an `Instant` that have entries."""
        state, sizes = self.stepper.state, self._sizes
        t = state.t[:, None]
        elapsed = (self._period * self.task.control_step).astype(self._dtype)[:, None]
        p = self.stepper._params[:, : sizes["p"]]
        every = (t, elapsed, state.q, state.v, state.x, p, self._u, self._drawn, self._memory)
        return [x for x, size in zip(every, sizes.values(), strict=True) if size]

    @property
    def _shapes(self) -> list[tuple[int, ...]]:
        return [(size,) for size in self._sizes.values() if size]

    def _instant(self, given: tuple[Any, ...]) -> Instant:
        rest = iter(given)
        x = {name: next(rest) if size else np.zeros(0) for name, size in self._sizes.items()}
        drawn, memory = self.task.split_drawn(x["d"]), self.task.split_memory(x["m"])
        return Instant(x["t"][0], x["elapsed"][0], x["q"], x["v"], x["x"], x["p"], x["u"], drawn, memory)

    def _begun(self, r: np.ndarray) -> tuple[np.ndarray, ...]:
        found = self.task.begun(r, np.asarray(self.stepper._memory[0]))
        return tuple(x + 0.0 * r[0] for x in found if np.size(x))

    def _observed(self, *given: Any) -> np.ndarray:
        return join(list(self.task.observed(self._instant(given)).values()))

    def _judged(self, *given: Any) -> tuple[Any, ...]:
        task, now = self.task, self._instant(given)
        memory = task.remembered(now)
        now = now._replace(memory=task.split_memory(memory))
        reward, code = np.reshape(task.reward(now), ()), np.reshape(task.end(now), ())
        found = (join(list(task.observed(now).values())), reward, code)
        return (memory, *found) if len(memory) else found

    def _parts(self, found: tuple[Any, ...]) -> tuple[Any, ...]:
        return found if self._sizes["m"] else (None, *found)

    def _compiled(self, what: str, function: Callable[..., Any], shapes: list[tuple[int, ...]]) -> Any:
        known, place = self.task.compiled, (what, self.stepper.backend, self._dtype.name)
        if not self._made_of.unseen:
            place = (*place, self._made_of.digest)
        if place not in known or self._made_of.unseen:
            graph = traced_pure(f"{self.task.name}: {what}", function, *shapes, name=what, exact_zeros=True)
            make = kernels.compile if self._xp is np else cuda.compile
            known[place] = make(graph, name=f"{self.task.name}.{what}", dtype=self._dtype.name)
        return known[place]

    def _put(self, target: Any, values: Any, mask: Any) -> None:
        self.stepper._put(target, values, mask)

    @property
    def _xp(self) -> Any:
        return np if self.stepper.backend == "cpu" else cupy()


def _tuple(x: Any) -> tuple[Any, ...]:
    return x if isinstance(x, tuple) else (x,)
