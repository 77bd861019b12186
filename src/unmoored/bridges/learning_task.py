"""`Task`: what an agent is asked to do with a plant, in traceable NumPy: it is judged where the plant is stepped."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..lie.arrays import join
from ..model import ModelError
from ..model.errors import unknown_name
from ..simulation import arguments
from ..trace import where
from ..worlds.plants.plant_derivatives import is_tied
from .distributions import numbers_for, shape_of, value_of

__all__ = ["Instant", "Task"]

#: draws of parameters that are tried when a task is made
_TRIED = 256


class Instant(NamedTuple):
    """What observations, rewards and ends are functions of.

    t: time (s).  elapsed: time since the episode began (s).  q, v, x: the plant's state.  p: its free parameters.
    u (nu): the inputs of the control period that ends here.  drawn: {name: numbers of this episode}.
    memory: {name: numbers kept from period to period}.
    """

    t: Any
    elapsed: Any
    q: np.ndarray
    v: np.ndarray
    x: np.ndarray
    p: np.ndarray
    u: np.ndarray
    drawn: Mapping[str, np.ndarray]
    memory: Mapping[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Task:
    """A plant, what is seen of it, what is rewarded, how episodes begin and end.

    observe(instant) → {name: numbers}, in this order the observation; reward(instant) → one number.
    duration: of an episode (s), after which it is truncated.  control_step: period of an action (s).  step: of the
    integrator `method` (s).
    inputs: names of the plant's inputs that actions are, all if None; the others get what `controller`, a law inside
    the kernel, gives, or nothing.
    terminated: {reason: function of an instant, true where the episode is over}.
    vary: {free parameter of the plant: distribution}, draw: {name: distribution}, both drawn anew for every episode.
    start(drawn, p) → (q, v) where an episode begins; neutral and at rest if None. start_time: its time (s), a
    distribution or a number.
    memory: {name: size}, zero when an episode begins; remember(instant) → {name: numbers} after every period, before
    the observation.
    blow_up_reward: what a period gives in which the numbers of a sample are no longer finite; it terminates.
    All functions are traceable NumPy with public methods of systems and plants.
    """

    plant: Any
    observe: Callable[[Instant], Mapping[str, Any]]
    reward: Callable[[Instant], Any]
    duration: float
    control_step: float
    step: float = 1e-3
    name: str = "task"
    inputs: tuple[str, ...] | None = None
    terminated: Mapping[str, Callable[[Instant], Any]] = field(default_factory=dict)
    vary: Mapping[str, Any] = field(default_factory=dict)
    draw: Mapping[str, Any] = field(default_factory=dict)
    start: Callable[[Mapping[str, np.ndarray], np.ndarray], tuple[Any, Any]] | None = None
    start_time: Any = 0.0
    memory: Mapping[str, int] = field(default_factory=dict)
    remember: Callable[[Instant], Mapping[str, Any]] | None = None
    controller: Any = None
    method: str = "rkmk4"
    blow_up_reward: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "plant", arguments.as_plant(self.plant, "Task"))
        periods = self.duration / self.control_step
        if not (math.isfinite(periods) and periods > 0.5 and abs(periods - round(periods)) < 1e-9 * periods):
            expected = f"a whole multiple of control_step = {self.control_step!r}"
            raise ModelError.single("Task", "duration", expected=expected, given=repr(self.duration))
        for name in self.inputs or ():
            if name not in self.plant.input_names:
                raise unknown_name("Task", "input", name, self.plant.input_names)
        if bool(self.memory) != (self.remember is not None):
            raise ModelError.single(
                "Task", "memory", expected="together with remember", given=repr(self.memory)
            )
        self._try_parameters()

    @property
    def periods(self) -> int:
        """Control periods of an episode."""
        return round(self.duration / self.control_step)

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """Names of the entries of an action."""
        return self.plant.input_names if self.inputs is None else tuple(self.inputs)

    @cached_property
    def places(self) -> list[int]:
        """Where the entries of an action are among the inputs of the plant."""
        return [self.plant.input_names.index(name) for name in self.actions]

    @cached_property
    def action_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """(lowest, highest) action: the limits of the actuators, infinite where there are none."""
        plant = self.plant
        far = np.full(plant.nu, np.inf)
        pairs = (
            [a.bounds(plant.tree) for a in plant.actuators or ()]
            if plant.actuators is not None
            else [(-far, far)]
        )
        low, high = (np.concatenate([np.zeros(0), *side]) for side in zip(*pairs, strict=True))
        return low[self.places], high[self.places]

    @cached_property
    def compiled(self) -> dict[tuple, Any]:
        """Kernels that were made of the task, by what they compute and where."""
        return {}

    @cached_property
    def observation_sizes(self) -> dict[str, int]:
        """{name: length} of the parts of an observation, in order; known once it has been traced."""
        return {}

    @property
    def numbers(self) -> int:
        """Uniform numbers that an episode begins with."""
        return sum(numbers_for(d, name) for name, d in self._distributions.items()) or 1

    @cached_property
    def drawn_size(self) -> int:
        """Length of the vector of what is drawn beside parameters."""
        return sum(math.prod(shape_of(d, name)) for name, d in self.draw.items())

    def begun(self, r: np.ndarray, law_memory: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(state vector of a stepper at the start of an episode, p, drawn), from uniform numbers r (n,).

        law_memory: the memory of the controller at the start.
        """
        plant, values, first = self.plant, {}, 0
        for name, distribution in self._distributions.items():
            count = numbers_for(distribution, name)
            values[name] = value_of(distribution, r[first : first + count])
            first += count
        p = join([self._parameter(one, values) for one in plant._declared] or [np.zeros(0)])
        drawn = {name: values[f"draw {name}"] for name in self.draw}
        t = values["start_time"] if "start_time" in values else float(self.start_time) + 0.0 * r[0]
        q, v = self._start(drawn, p)
        w = v
        if is_tied(plant):
            q = plant.configuration(t, q, p) if len(p) else plant.configuration(t, q)
            w = plant.independent_velocity(q, v)
        rest = [np.zeros(plant.nx + plant.nu), law_memory, np.zeros(2), np.reshape(t, (1,))]
        vector = join([part for part in (q, w, *rest) if np.size(part)])
        return vector, p, join([np.reshape(x, -1) for x in drawn.values()] or [np.zeros(0)])

    def split_drawn(self, d: np.ndarray) -> dict[str, np.ndarray]:
        """{name: drawn} from the vector of what is drawn."""
        found, first = {}, 0
        for name, distribution in self.draw.items():
            shape = shape_of(distribution, name)
            size = math.prod(shape)
            found[name] = d[first] if shape == () else d[first : first + size].reshape(shape)
            first += size
        return found

    def split_memory(self, m: np.ndarray) -> dict[str, np.ndarray]:
        """{name: kept} from the vector of the memory."""
        found, first = {}, 0
        for name, size in self.memory.items():
            found[name] = m[first : first + size]
            first += size
        return found

    def remembered(self, now: Instant) -> np.ndarray:
        """The vector of the memory after a period."""
        if self.remember is None:
            return np.zeros(0)
        given = self.remember(now)
        if set(given) != set(self.memory):
            expected, found = f"{{{', '.join(self.memory)}}}", ", ".join(given)
            raise ModelError.single("Task", "remember", expected=expected, given=found)
        for name, size in self.memory.items():
            if np.shape(given[name]) != (size,):
                found = f"shape {np.shape(given[name])}"
                raise ModelError.single("Task", f"remember: {name}", expected=f"shape ({size},)", given=found)
        return join([given[name] for name in self.memory])

    def observed(self, now: Instant) -> dict[str, np.ndarray]:
        """{name: (n,)} of an observation."""
        given = self.observe(now)
        if not isinstance(given, Mapping) or not given:
            raise ModelError.single("Task", "observe", expected="{name: numbers}", given=type(given).__name__)
        found = {name: np.reshape(np.asarray(x), -1) for name, x in given.items()}
        self.observation_sizes.update({name: len(x) for name, x in found.items()})
        return found

    def end(self, now: Instant) -> Any:
        """0 while the episode goes on, else 1 + the number of the first reason that ends it."""
        code: Any = 0.0 * now.elapsed
        for k, over in reversed(list(enumerate(self.terminated.values(), 1))):
            code = where(over(now), float(k), code)
        return code

    @cached_property
    def _distributions(self) -> dict[str, Any]:
        """All that is drawn, in the order of the uniform numbers that it takes."""
        own = {f"draw {name}": d for name, d in self.draw.items()}
        timed = {} if isinstance(self.start_time, int | float) else {"start_time": self.start_time}
        return {**{f"vary {name}": d for name, d in self.vary.items()}, **own, **timed}

    def _parameter(self, one: Any, values: Mapping[str, np.ndarray]) -> np.ndarray:
        return np.reshape(values.get(f"vary {one.name}", one.nominal), -1)

    def _start(self, drawn: Mapping[str, np.ndarray], p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        plant = self.plant
        if self.start is None:
            return plant.system.neutral(), np.zeros(plant.nv)
        given = self.start(drawn, p)
        if not (isinstance(given, tuple) and [np.shape(x) for x in given] == [(plant.nq,), (plant.nv,)]):
            expected = f"(q ({plant.nq},), v ({plant.nv},))"
            raise ModelError.single("Task", "start", expected=expected, given=repr(given)[:100])
        return given

    def _try_parameters(self) -> None:
        """Refuse distributions that do not fit the parameters, or whose values they would refuse."""
        known = {parameter.name: parameter for parameter in self.plant._declared}
        rng = np.random.default_rng(0)
        for name, distribution in self.vary.items():
            if name not in known:
                raise unknown_name("Task", "parameter (declare it: Plant(…, free=[…]))", name, known)
            size = math.prod(shape_of(distribution, f"vary {name}"))
            if size != len(known[name].nominal):
                expected = f"{len(known[name].nominal)} numbers"
                raise ModelError.single("Task", f"vary {name}", expected=expected, given=f"{size}")
            known[name].flat(distribution.drawn(_TRIED, rng))
