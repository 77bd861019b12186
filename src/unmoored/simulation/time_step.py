"""One step of a run as a pure, traceable function of vectors, from the plant, method, controller and events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..dynamics.configuration import retract
from ..integrators import IMPLICIT, ITERATIONS, Rate, State
from ..integrators.iteration import excess
from ..integrators.step_control import Tolerances
from ..lie.arrays import join, vector
from ..sensing.sensor_suite import Suite
from ..trace import equal, where
from ..trace.span_table import HANDLE, SpanTable
from ..worlds.plants.closed_plant import CLOSED
from ..worlds.plants.plant_step import moved
from . import status
from .controller import Controller
from .events import Event
from .noise import Noise
from .state_vector import Carried, Layout, all_within, chosen, column, split
from .step_guard import guarded
from .step_parts import WORK, Parts
from .switchboard import Switchboard


class Parameters(int):
    """The number of parameters of a run: to kernels they are given with the addresses of tables after them."""


@dataclass(frozen=True, eq=False)
class TimeStep:
    """Everything that the motion depends on.

    hold: whether inputs are held over control periods (else the controller acts in every stage).
    noise: None for none.  dtype: name of the number format.  tolerances: of adaptive steps, None for fixed ones.
    iterations: of an implicit method.  suite: the sensors, None without any; they need control periods.
    equations: "reduced" where the momentum is carried in the place of the vehicle's velocity.
    balance: whether work and energy switched (J) are carried behind the states of the actuators.
    """

    plant: Any
    method: str
    controller: Controller | None
    events: tuple[Event, ...]
    noise: Noise | None
    hold: bool
    dtype: str = "float64"
    tolerances: Tolerances | None = None
    iterations: int = ITERATIONS
    suite: Suite | None = None
    switches: Switchboard | None = None
    equations: str = "full"
    balance: bool = False

    @cached_property
    def layout(self) -> Layout:
        """Where everything is in the state vector."""
        plant = self.plant
        held = plant.nu if self.hold and self.controller is not None else 0
        memory = 0 if self.controller is None else self.controller.remembers
        switches = 0 if self.switches is None else self.switches.size
        sizes = (*self.sensing_sizes, switches)
        return Layout(
            plant.nq,
            plant.nw,
            plant.nx + (WORK if self.balance else 0),
            held,
            memory,
            len(self.events),
            *sizes,
        )

    @cached_property
    def sensing_sizes(self) -> tuple[int, int]:
        """Lengths of the sensors' signals and of what they keep."""
        return (0, 0) if self.suite is None else (sum(self.suite.seen_sizes), sum(self.suite.kept_sizes))

    @cached_property
    def updates(self) -> bool:
        """Whether anything happens at the start of a control period."""
        return self.hold and (self.controller is not None or self.suite is not None)

    @cached_property
    def scales(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Standard deviations of the noise channels of q, v and u; each empty without noise."""
        if self.noise is None:
            return np.zeros(0), np.zeros(0), np.zeros(0)
        return self.noise.scales(self.plant.nv, self.plant.nu)

    @cached_property
    def kernels(self) -> dict[str, Any]:
        """The compiled functions of its runs, by backend: `run_kernels` puts them here."""
        return {}

    @cached_property
    def noise_channels(self) -> int:
        """Number of channels of `Noise`."""
        return sum(map(len, self.scales))

    @cached_property
    def sprung(self) -> bool:
        """Whether something may be stiff: springs, damping or friction in joints, elements, actuators with states."""
        plant, effects = self.plant, self.plant.joints
        joints = any(
            (effects.springs and np.any(link.joint.stiffness))
            or (effects.damping and np.any(link.joint.damping))
            or (effects.friction and np.any(link.joint.friction))
            for link in plant.system.tree.links
        )
        free = any(name.endswith((".stiffness", ".damping", ".friction")) for name in plant.parameter_names)
        return joints or free or bool(plant.elements) or plant.nx > 0

    @property
    def streams(self) -> tuple[tuple[int, int], ...]:
        """(stream, channels) of every sensor."""
        return () if self.suite is None else self.suite.streams

    @cached_property
    def channels(self) -> int:
        """Number of random numbers in a control period: those of `Noise`, then those of the sensors."""
        return self.noise_channels + sum(count for _, count in self.streams)

    @cached_property
    def law_gains(self) -> int:
        """Number of run-time gains of the controller."""
        return 0 if self.controller is None else self.controller.gains.shape[-1]

    @cached_property
    def gains(self) -> int:
        """Number of run-time gains of the controller, and after them the numbers of the sensors."""
        return self.law_gains + (0 if self.suite is None else self.suite.gains.shape[-1])

    @cached_property
    def form(self) -> str | None:
        """What tells the plant from others in the keys of kernels; None if code of the user's is part of it."""
        return self.plant.form

    @cached_property
    def tables(self) -> tuple[SpanTable, ...]:
        """Tables in the plant's prescribed motions that kernels read where they are."""
        return self.plant._tables

    @cached_property
    def addresses(self) -> tuple[int, int]:
        """How many numbers the addresses of the plant's and of the law's tables are; they follow the parameters."""
        law = self.controller
        return HANDLE * len(self.tables), 0 if law is None else HANDLE * len(law.tables)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Lengths of the arguments of `step`: clock, state, parameters (plant's, then gains), noise."""
        parameters = Parameters(len(self.plant.nominal_parameters) + self.gains)
        return 2, self.layout.size, parameters, self.channels

    @cached_property
    def parts(self) -> Parts:
        """The functions that stay out of line."""
        return Parts(self)

    def plant_parameters(self, params: np.ndarray) -> np.ndarray:
        """The plant's own among the parameters: p (..., n)."""
        return params[..., : len(self.plant.nominal_parameters)]

    @cached_property
    def as_carried(self) -> bool:
        """Whether what a reader sees (q, v, u) is in the state vector as it is."""
        return self.plain and (self.controller is None or self.hold)

    def seen(self, t: Any, q: np.ndarray, w: np.ndarray, params: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(q, v) with prescribed joints, couplings and constraints put in."""
        return (q, w) if self.plain else self.parts.seen(t, q, w, self.plant_arguments(params))

    @property
    def plain(self) -> bool:
        """Whether the velocities that are carried are those that a reader sees."""
        return self.plant.velocities.is_plain and self.equations == "full"

    def split_arguments(self, params: np.ndarray) -> list[np.ndarray]:
        """The plant's parameters, the law's gains, the sensors' numbers, and in a kernel the addresses of the plant's
        and of the law's tables."""
        sensors = self.gains - self.law_gains
        return split(params, (len(self.plant.nominal_parameters), self.law_gains, sensors, *self.addresses))

    def plant_arguments(self, params: np.ndarray) -> np.ndarray:
        """The plant's parameters, and in a kernel the addresses of its tables."""
        p, _, _, address, _ = self.split_arguments(params)
        return join([p, address]) if address.shape[-1] else p

    def law_arguments(self, params: np.ndarray) -> np.ndarray:
        """The law's gains, and in a kernel the addresses of its tables."""
        _, gains, _, _, address = self.split_arguments(params)
        return join([gains, address]) if address.shape[-1] else gains

    def sensed(
        self, t: Any, q: np.ndarray, v: np.ndarray, now: Carried, params: np.ndarray, noise: np.ndarray
    ) -> Carried:
        """The state with the sensors' readings of a new control period in it, at the true q, v."""
        if self.suite is None:
            return now
        gains = self.split_arguments(params)[2]
        held = now.u if now.u.shape[-1] else np.zeros(self.plant.nu)
        w = v if self.equations == "reduced" else now.w
        given = (t, q, w, v, self.own(now.x), held, now.y, now.z, noise[..., self.noise_channels :], gains)
        y, z = self.parts.sensing(*given, self.plant_arguments(params))
        return now._replace(y=y, z=z)

    def visible(self, y: np.ndarray) -> np.ndarray:
        """What laws see of the sensors' signals y (..., n)."""
        return y if self.suite is None else self.suite.visible(y)

    def inputs(
        self, t: Any, q: np.ndarray, v: np.ndarray, now: Carried, params: np.ndarray, noise: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """(inputs u (..., nu), new memory) of the controller at the true state q, v, with noise on what it sees and
        gives."""
        assert self.controller is not None
        σ_q, σ_v, σ_u = self.scales
        ε_q, ε_v, ε_u = split(noise, [len(σ) for σ in self.scales])
        q = retract(self.plant.tree, q, σ_q * ε_q) if len(σ_q) else q
        v = v + σ_v * ε_v if len(σ_v) else v
        x = self.own(now.x)
        if self.switches is not None and self.switches.modes:
            x = join([x, self.switches.modes_in(now.s)])
        given = self.parts.law(t, q, v, x, now.m, self.visible(now.y), self.law_arguments(params))
        u, memory = split(given, (self.plant.nu, self.controller.remembers))
        return u + σ_u * ε_u if len(σ_u) else u, memory

    def right_hand_side(
        self, now: Carried, params: np.ndarray, noise: np.ndarray, kept: np.ndarray | None = None
    ) -> Callable[[Any, State], Rate]:
        """f(t, y) for the integrators; kept: rows of closures that count in this step."""
        p = self.plant_arguments(params)
        acts = self.controller is not None and not self.hold
        rows = () if kept is None else (kept,)

        def f(t: Any, y: State) -> Rate:
            t = t[..., 0]
            q, v = self.seen(t, y.q, y.w, params)
            u = self.inputs(t, q, v, now._replace(x=y.x), params, noise)[0] if acts else now.u
            w = v if self.equations == "reduced" else y.w
            w_dot, x_dot = self.parts.rates(t, y.q, w, self.own(y.x), u, *rows, p)
            return Rate(v, w_dot, x_dot)

        def of_held(t: Any, y: State) -> Rate:
            return Rate(*self.parts.motion(t[..., 0], y.q, y.w, self.own(y.x), now.u, *rows, p))

        return f if acts or self.plain else of_held

    def step(self, clock: np.ndarray, state: np.ndarray, params: np.ndarray, noise: np.ndarray) -> np.ndarray:
        """The state vector (..., n) after a step of size h (s) from time t (s); clock = (t, h) (..., 2).

        A sample that has stopped stays as it is. One whose next state is no good, or beyond an event, stops before it.
        """
        t, h = clock[..., 0], clock[..., 1]
        new, left = self.moved(t, h, state, params, noise)
        return guarded(self, t, h, self.layout.split(state), new, left, params)

    def moved(
        self, t: Any, h: Any, state: np.ndarray, params: np.ndarray, noise: np.ndarray
    ) -> tuple[State, Any]:
        """The integrator's step from time t (...) [s] of size h (...) [s]: whatever comes out, and for an implicit one
        what is left of its equation as parts of what may be left (..., nv + nx), else (..., 0); then the same of the
        closures' gaps (..., c)."""
        now = self.layout.split(state)
        params = self.with_switches(now, params)
        y, closed = State(now.q, now.w, now.x), bool(self.plant.closures)
        first, kept = self.first_slope(t, y, now, params, noise) if closed else (None, None)
        f = self.right_hand_side(now, params, noise, kept)
        p, count = self.plant_parameters(params), self.iterations
        new, left = moved(self.plant, self.method, f, column(t), y, column(h), p, count, first)
        if self.method in IMPLICIT:  # work follows from the others: it is as good as they are
            before, after = (state._replace(x=self.own(state.x)) for state in (y, new))
            left = excess(
                left[..., : left.shape[-1] - y.x.shape[-1] + before.x.shape[-1]], before, after, self.dtype
            )
        if kept is None:
            return new, left
        new, off = self.put_back(t + h, new, params, kept)
        return new, join([left, off]) if left.shape[-1] else off

    def put_back(self, t: Any, y: State, params: np.ndarray, kept: np.ndarray) -> tuple[State, np.ndarray]:
        """A step's end on the closures, and what is left of their gaps as parts of what may be left (..., c)."""
        q, w, gap = self.parts.put_back(t, y.q, y.w, kept, self.plant_arguments(params))
        return State(q, w, y.x), np.abs(gap) / CLOSED[self.dtype]

    def first_slope(
        self, t: Any, y: State, now: Carried, params: np.ndarray, noise: np.ndarray
    ) -> tuple[Rate, np.ndarray]:
        """The slope at the start of a step, and the rows of closures that are kept in all of it."""
        q, v = self.seen(t, y.q, y.w, params)
        acts = self.controller is not None and not self.hold
        u = self.inputs(t, q, v, now, params, noise)[0] if acts else now.u
        given = (t, y.q, y.w, self.own(y.x), u, self.plant_arguments(params))
        w_dot, x_dot, kept = self.parts.first_rates(*given)
        return Rate(v, w_dot, x_dot), kept

    def update(
        self, clock: np.ndarray, state: np.ndarray, params: np.ndarray, noise: np.ndarray
    ) -> np.ndarray:
        """The state vector with what the sensors read, inputs held anew and the law's memory moved on, at the start of
        a control period."""
        t, now = clock[..., 0], self.layout.split(state)
        params = self.with_switches(now, params)
        q, v = self.seen(t, now.q, now.w, params)
        after = self.sensed(t, q, v, now, params, noise)
        if self.controller is not None:
            u, memory = self.inputs(t, q, v, after, params, noise)
            after = after._replace(u=u, m=memory)
        code = now.code[..., 0]
        running = equal(code, status.RUNNING)
        new = {name: getattr(after, name) for name in ("u", "m", "y", "z") if getattr(now, name).shape[-1]}
        finite = all_within(join(list(new.values())), status.LARGEST[self.dtype]) if new else equal(0.0, 0.0)
        bad = where(finite, code, where(running, status.NOT_FINITE, code))
        parts = {name: chosen(running, part, getattr(now, name)) for name, part in new.items()}
        return self.layout.join(now._replace(**parts, code=column(bad)))

    def with_switches(self, now: Carried, params: np.ndarray) -> np.ndarray:
        """The parameters with what events have switched in this sample."""
        return params if self.switches is None else self.switches.put_in(params, now.s)

    def switched(
        self, i: int, clock: np.ndarray, state: np.ndarray, params: np.ndarray, noise: np.ndarray
    ) -> np.ndarray:
        """The state vector after what event i does, at time t (s), clock = (t, 0); it runs again."""
        assert self.switches is not None
        t, now = clock[..., 0], self.layout.split(state)
        w, s = self.switches.thrown(self.events[i].then, t, now.q, now.w, now.s, params)
        after = now._replace(w=w, s=s, g=self.event_values(t, now.q, w, params))
        if self.balance:
            gained = self._energy(t, after, params) - self._energy(t, now, params)
            after = after._replace(x=join([now.x[..., :-1], now.x[..., -1:] + column(gained)]))
        return self.layout.join(after._replace(code=0.0 * now.code))

    def own(self, x: np.ndarray) -> np.ndarray:
        """The states of the actuators alone, without work and energy switched."""
        return x[..., : self.plant.nx] if self.balance else x

    def _energy(self, t: Any, now: Carried, params: np.ndarray) -> Any:
        """Energy (...) [J] of the plant, with what is switched as it is."""
        params = self.with_switches(now, params)
        q, v = self.seen(t, now.q, now.w, params)
        return self.parts.energy(t, q, v, self.own(now.x), self.plant_arguments(params))

    def event_values(self, t: Any, q: np.ndarray, w: np.ndarray, params: np.ndarray) -> np.ndarray:
        """Values (..., events) of the event functions."""
        q, v = self.seen(t, q, w, params)
        p = self.plant_parameters(params)

        def value(part: Callable[..., Any], event: Event) -> Any:
            return part(t, q, v) if event.of_tree is None else part(t, q, v, p)

        return vector([*map(value, self.parts.events, self.events)])

    def observe(
        self, t: np.ndarray, state: np.ndarray, params: np.ndarray, noise: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        """(q, v) at time t (..., 1), and u if a controller acts in every stage."""
        now = self.layout.split(state)
        params = self.with_switches(now, params)
        q, v = self.seen(t[..., 0], now.q, now.w, params)
        if self.controller is None or self.hold:
            return q, v
        return q, v, self.inputs(t[..., 0], q, v, now, params, noise)[0]

    def row(self, t: Any, state: np.ndarray, params: np.ndarray, noise: np.ndarray) -> np.ndarray:
        """What is recorded of a state (n,) at time t: its first parts, and what a reader sees that they do not hold."""
        carried = state[..., : self.layout.shown]
        if self.as_carried:
            return carried
        seen = self.observe(column(t), state, params, noise)
        return join([carried, *(seen[2:] if self.plain else seen)])

    @cached_property
    def _beside(self) -> tuple[int, ...]:
        """Sizes of what a row has behind the state's first parts: q and v as they are seen, inputs."""
        seen = () if self.plain else (self.plant.nq, self.plant.nv)
        return (*seen, self.plant.nu) if self.controller is not None and not self.hold else seen

    @cached_property
    def row_size(self) -> int:
        """Length of a row."""
        return self.layout.shown + sum(self._beside)

    def shown(self, row: Any) -> tuple[Any, Any, Any, Any, Any, Any]:
        """(q, v, x, u, memory, signals) of rows (..., m): views of them; u is empty without a controller."""
        q, v, x, u, memory, _, y = (row[..., part] for part in self.layout.slices[:7])
        _, *beside = split(row, (self.layout.shown, *self._beside))
        if not self.plain:
            q, v, *beside = beside
        return q, v, x, beside[0] if beside else u, memory, y
