"""The two loops of a rollout: forward over the steps, and backward with the adjoints (docs/step.md).

Forward the state vector is (q, w, x, held inputs u, memory m of the law, memory before the period). Backward it is

    (q at the end of the step, η_q, η_w, η_x, η_u, η_m, p̄, ḡ, ū of the last period),

η dual to tangents: a step back is η_k = A_kᵀ η_k+1 + the weights at k, the start of a control period moves η_u and η_m
through the law. Only states are kept; what is between them is computed anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..dynamics.configuration_derivatives import pull_back, push_weights
from ..integrators import TABLEAUS, State
from ..integrators.runge_kutta import moved, stages
from ..lie.arrays import join
from ..trace import vjp
from ..worlds.plants.plant_derivatives import is_tied
from ..worlds.plants.plant_step_derivatives import with_derivatives
from .run_kernels import RunKernels
from .state_vector import Layout, split
from .time_step import TimeStep


@dataclass(frozen=True, eq=False)
class RolloutStep(TimeStep):
    """A step without guards whose inputs are held over control periods, and its adjoint.

    Parameters of a sample: the plant's, the law's gains, the addresses of tables, the time at its start. In kernels p
    and gains have the addresses of their tables behind them, by which nothing is differentiated.
    """

    hold: bool = True

    @cached_property
    def layout(self) -> Layout:
        """Of the state vectors that the step itself takes; inputs are always held."""
        return Layout(self.plant.nq, self.plant.nw, self.plant.nx, self.plant.nu, self.memory, 0)

    @property
    def memory(self) -> int:
        """Number of entries of the law's memory."""
        return 0 if self.controller is None else self.controller.remembers

    @cached_property
    def forward_sizes(self) -> tuple[int, ...]:
        """Of q, w, x, u, m, m before."""
        plant = self.plant
        return plant.nq, plant.nw, plant.nx, plant.nu, self.memory, self.memory

    @cached_property
    def backward_sizes(self) -> tuple[int, ...]:
        """Of q, η_q, η_w, η_x, η_u, η_m, p̄, ḡ, ū."""
        plant = self.plant
        free = len(plant.nominal_parameters), self.gains
        return plant.nq, plant.nv, plant.nw, plant.nx, plant.nu, self.memory, *free, plant.nu

    @property
    def sizes(self) -> tuple[int, ...]:
        """Lengths of clock, state, parameters, inputs of the forward loop."""
        count = len(self.plant.nominal_parameters) + self.gains + sum(self.addresses) + 1
        return 2, sum(self.forward_sizes), count, self.plant.nu

    def split_parameters(self, params: np.ndarray) -> tuple[np.ndarray, np.ndarray, Any]:
        """(p, gains, each with the addresses of its tables, time at the start)."""
        return self.plant_arguments(params), self.law_arguments(params), params[..., -1]

    def _own(self, p_bar: np.ndarray) -> np.ndarray:
        """Of gradients by p and addresses those by p."""
        return p_bar[..., : len(self.plant.nominal_parameters)]

    def period(self, t: Any, y: np.ndarray, params: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The state vector at the start of a control period with inputs u: the law's are added."""
        q, w, x, _, m, _ = split(y, self.forward_sizes)
        p, gains, start = self.split_parameters(params)
        if self.controller is None:
            return join([q, w, x, u])
        given = self._law(start + t, *self._seen(start + t, q, w, p), x, m, gains)
        nu = self.plant.nu
        return join([part for part in (q, w, x, u + given[:nu], given[nu:], m) if part.shape[-1]])

    def forward(self, t: Any, h: Any, y: np.ndarray, params: np.ndarray) -> np.ndarray:
        """The state vector after a step of size h (s)."""
        q, w, x, *rest = split(y, self.forward_sizes)
        new, _ = self.moved(
            self.split_parameters(params)[2] + t, h, join_carried(self, q, w, x, rest[0]), params, np.zeros(0)
        )
        return join([part for part in (*new, *rest) if part.shape[-1]])

    def back(
        self, t: Any, h: Any, b: np.ndarray, params: np.ndarray, y: np.ndarray, dq: np.ndarray, dv: np.ndarray
    ) -> np.ndarray:
        """The adjoints before a step from y, with the weights dq, dv on its tangent and velocity added."""
        q, w, x, u, _, _ = split(y, self.forward_sizes)
        p, _, start = self.split_parameters(params)
        after, η_q, η_w, η_x, η_u, η_m, p_bar, *rest = split(b, self.backward_sizes)
        bars = self._pulled(start + t, h, q, w, x, u, p, after, η_q, η_w, η_x)
        seen = self._weighted(start + t, q, w, p, dq, dv)
        η_q, η_w, p_bar = bars[0] + seen[0], bars[1] + seen[1], p_bar + bars[4] + seen[2]
        return joined((q, η_q, η_w, bars[2], η_u + bars[3], η_m, p_bar, *rest))

    def back_to_period(self, t: Any, b: np.ndarray, params: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The adjoints before a control period began at y: those of the inputs are put by, and go through the law."""
        q, w, x, _, _, m = split(y, self.forward_sizes)
        p, gains, start = self.split_parameters(params)
        at, η_q, η_w, η_x, η_u, η_m, p_bar, g_bar, _ = split(b, self.backward_sizes)
        put_by, t = η_u, start + t
        if self.controller is not None:
            q_seen, v_seen = self._seen(t, q, w, p)
            back = vjp(self._law, wrt=(1, 2, 3, 4, 5))
            bars = back(t, q_seen, v_seen, x, m, gains, join([η_u, η_m]) if self.memory else η_u)
            seen = self._through_seen(t, q, w, p, bars[0], bars[1])
            η_q, η_w, p_bar = η_q + seen[0], η_w + seen[1], p_bar + seen[2]
            η_x, η_m, g_bar = η_x + bars[2], bars[3], g_bar + bars[4][..., : self.gains]
        return joined((at, η_q, η_w, η_x, 0.0 * η_u, η_m, p_bar, g_bar, put_by))

    def weighted(
        self, t: np.ndarray, q: np.ndarray, w: np.ndarray, p: np.ndarray, dq: np.ndarray, dv: np.ndarray
    ) -> np.ndarray:
        """Adjoints (tangent at q, w, p) of weights dq, dv (nv,) on the tangent and velocity that are seen at t (1,)."""
        return joined(self._weighted(t[0], q, w, p, dq, dv))

    def _weighted(
        self, t: Any, q: np.ndarray, w: np.ndarray, p: np.ndarray, dq: np.ndarray, dv: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if not is_tied(self.plant):
            return dq, dv, 0.0 * self._own(p)
        q_seen, _ = self._seen(t, q, w, p)
        return self._through_seen(t, q, w, p, push_weights(self.plant.tree, q_seen, dq), dv)

    def shown(self, t: np.ndarray, q: np.ndarray, w: np.ndarray, p: np.ndarray) -> np.ndarray:
        """(q, v) at time t (1,), with constraints and prescribed joints put in."""
        return join(self._seen(t[0], q, w, p))

    def independent(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """w (nw,) of v (nv,)."""
        return self.plant.velocities.independent(q, v)

    def start_adjoint(self, q: np.ndarray, v: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Gradients by (tangent at q, v) of weights (nw,) on the independent velocities there."""
        bars = vjp(self.independent)(q, v, weights)
        return join([pull_back(self.plant.tree, q, bars[0]), bars[1]])

    def _through_seen(
        self, t: Any, q: np.ndarray, w: np.ndarray, p: np.ndarray, q_bar: np.ndarray, v_bar: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Adjoints of (the tangent at q, w, p), from gradients by the numbers of q and v as they are seen."""
        tree = self.plant.tree
        if not is_tied(self.plant):
            return pull_back(tree, q, q_bar), v_bar, 0.0 * self._own(p)

        def both(t: Any, q: np.ndarray, w: np.ndarray, p: np.ndarray) -> np.ndarray:
            return join(self._seen(t, q, w, p))

        bars = vjp(both, wrt=(1, 2, 3))(t, q, w, p, join([q_bar, v_bar]))
        return pull_back(tree, q, bars[0]), bars[1], self._own(bars[2])

    def _seen(self, t: Any, q: np.ndarray, w: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.parts.seen(t, q, w, p) if is_tied(self.plant) else (q, w)

    def _law(
        self, t: Any, q: np.ndarray, v: np.ndarray, x: np.ndarray, m: np.ndarray, gains: np.ndarray
    ) -> np.ndarray:
        return self.parts.law(t, q, v, x, m, np.zeros(0), gains)

    def _pulled(
        self, t: Any, h: Any, q: np.ndarray, w: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray,
        after: np.ndarray, η_q: np.ndarray, η_w: np.ndarray, η_x: np.ndarray,
    ) -> list[np.ndarray]:  # fmt: skip
        """Adjoints of (the tangent at q, w, x, u, p) before a step that ends at the configuration `after`."""
        plant, tree = self.plant, self.plant.tree
        if self.method not in TABLEAUS or plant.closures:
            _, Z = with_derivatives(plant, self.method)(t, State(q, w, x), h, u, p)
            row = join([η_q, η_w, η_x]) @ Z
            return split(row, (plant.nv, plant.nw, plant.nx, plant.nu, len(plant.nominal_parameters)))
        weights = join([push_weights(tree, after, η_q), η_w, η_x])
        bars = list(vjp(self._stepped, wrt=(2, 3, 4, 5, 6))(t, h, q, w, x, u, p, weights))
        return [pull_back(tree, q, bars[0]), *bars[1:4], self._own(bars[4])]

    def _stepped(
        self, t: Any, h: Any, q: np.ndarray, w: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
    ) -> np.ndarray:
        """(q, w, x) after an explicit step; rotations as they come: renormalising them changes no tangent."""
        tableau, tree = TABLEAUS[self.method], self.plant.tree
        own = self._own(p)
        params = join([own, np.zeros(self.gains), p[..., own.shape[-1] :]])
        f = self.right_hand_side(self.layout.split(join_carried(self, q, w, x, u)), params, np.zeros(0))
        y, t, h = State(q, w, x), np.array([t]), np.array([h])
        return join(
            [part for part in moved(tree, y, stages(tableau, tree, f, t, y, h), tableau.b, h) if part.size]
        )


def forward_loop(kernels: RunKernels, samples: int) -> Any:
    """The loop over the steps, all of whose states are recorded."""
    e = kernels.time_step
    assert isinstance(e, RolloutStep)
    return kernels.loop_of(
        name="forward_loop",
        samples=samples,
        step=lambda t, h, y, p, u: (e.forward(t, h, y, p), 0.0),
        record=lambda t, y, p, u: y,
        update=e.period,
        sizes=e.sizes[1:],
    )


def backward_loop(kernels: RunKernels, samples: int) -> Any:
    """The loop back over the steps: inputs are the states before them and the weights; ū is recorded by periods."""
    e = kernels.time_step
    assert isinstance(e, RolloutStep)
    inputs = e.sizes[1], e.plant.nv, e.plant.nv
    return kernels.loop_of(
        name="backward_loop",
        samples=samples,
        step=lambda t, h, b, p, z: (e.back(t, -h, b, p, *split(z, inputs)), 0.0),
        record=lambda t, b, p, z: b[-(e.plant.nu or 1) :],  # a row holds one number at least
        update=None,
        sizes=(sum(e.backward_sizes), e.sizes[2], inputs),  # type: ignore[arg-type]
        after=lambda t, b, p, z: e.back_to_period(t, b, p, split(z, inputs)[0]),
    )


def join_carried(e: TimeStep, q: np.ndarray, w: np.ndarray, x: np.ndarray, u: np.ndarray) -> np.ndarray:
    """The state vector of a rollout with these parts; memory, code and count are zero, and there are no events."""
    zeros = np.zeros(e.layout.memory + 2)
    return join([part for part in (q, w, x, u, zeros) if part.shape[-1]])


def joined(parts: tuple[np.ndarray, ...]) -> np.ndarray:
    """The vector of the parts that have entries."""
    return join([part for part in parts if part.shape[-1]])
