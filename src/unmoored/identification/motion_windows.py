"""Output error: a model's motions through windows of recordings, their differences, and all derivatives by steps.

Each window begins at a state of its own, which is an unknown too (multiple shooting); a window that is the whole
recording is single shooting. Between rows the plant is stepped, and the derivative of a motion is the product of those
of its steps, S_{k+1} = A_k S_k + [0 B_k], taken for all rows and windows at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .. import kernels
from ..dynamics.configuration import local, retract
from ..trace import jacobian
from ..worlds import Plant
from ..worlds.plants.closed_tangents import independent_tangents
from .levenberg_marquardt import Linearised
from .outputs import Output
from .recorded_windows import Windows
from .recording import Array, Recording, wrong
from .tall_matrices import triangle

#: Newton steps to an equilibrium
_SETTLINGS = 20
#: standard deviation (rad, m, rad/s, m/s) of an initial state about the recorded one where that is not told
_VAGUE = 1.0


class Start(NamedTuple):
    """States at the starts of windows: q (B, nq), w (B, nw), x (B, nx); biases (B, m) of outputs that have some."""

    q: Array
    w: Array
    x: Array
    biases: Array


class Motion(NamedTuple):
    """A model's motion through all windows: q (B, N + 1, nq), v (B, N + 1, nv), x (B, N + 1, nx)."""

    q: Array
    v: Array
    x: Array


@dataclass(frozen=True, eq=False)
class Shooting:
    """Differences between recordings and the motions of a plant, as a least-squares problem in p.

    deviations (R, k): standard deviation of every output of every recording.  steps: integration steps in an interval.
    settled: DoFs that start in equilibrium, at rest.  robust: differences beyond so many deviations count linearly.
    """

    plant: Plant
    recordings: tuple[Recording, ...]
    windows: Windows
    outputs: tuple[Output, ...]
    deviations: Array
    steps: int
    method: str
    settled: tuple[str, ...] = ()
    robust: float | None = None

    def __post_init__(self) -> None:
        if self.plant.constraints and self.settled:
            expected = "velocity constraints or settled joints, not both, by trajectories"
            raise wrong("identify", "settled", expected, ", ".join(self.settled))
        velocities = self.plant.velocities
        if self.plant.closures and (self.settled or velocities.prescribed or velocities.couplings):
            expected = (
                "closures, or settled, driven, prescribed and coupled joints, not both, by trajectories"
            )
            raise wrong("identify", "plant", expected, self.plant.closures[0].label)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the outputs' entries."""
        return tuple(name for output in self.outputs for name in output.names(self.plant))

    @cached_property
    def _places(self) -> Array:
        """P (nv, m): δq by what may start elsewhere, which constraints of velocities do not take."""
        velocities, q = replace(self.plant.velocities, constraints=()), self.plant.system.neutral()
        m = len(velocities.names)
        return velocities.along(np.broadcast_to(q, (m, self.plant.nq)), np.eye(m)).T

    @cached_property
    def _at_start(self) -> int:
        """How many numbers there are of a start: m of its place, and its nw speeds."""
        return self._places.shape[1] + self.plant.nw

    @cached_property
    def _seen(self) -> dict[str, Array]:
        """Recorded q, v, x (B, N + 1, ·), inputs u of the intervals that begin there, u_first (B, nu) at the starts."""
        W = self.windows

        def rows(what: str, size: int, places: np.ndarray = W.rows) -> Array:
            parts = [getattr(self.recordings[i], what) for i in W.recording]
            zero = np.zeros((places.shape[1], size))
            return np.array([zero if x is None else x[row] for x, row in zip(parts, places, strict=True)])

        plant, u = self.plant, rows("u", self.plant.nu)
        lengths = np.array([len(self.recordings[i].t) for i in W.recording])
        after = rows("u", plant.nu, np.minimum(W.rows + 1, lengths[:, None] - 1)) if W.onward.any() else u
        return {
            "q": rows("q", plant.nq),
            "v": rows("v", plant.nv),
            "u": u + W.onward[..., None] * (after - u),
            "u_first": u[:, 0],
            "x": rows("x", plant.nx),
        }

    def start(self) -> Start:
        """The states as recorded, on the closures next to them; states of actuators are zero where they were not."""
        q, v, t = self._seen["q"][:, 0], self._seen["v"][:, 0], self.windows.t[:, 0]
        q = self.plant.configuration(t, q)
        if self.plant.closures:
            q, v = self.plant.assemble(q, v)
        return Start(
            q,
            np.asarray(self.plant.independent_velocity(q, v)),
            self._seen["x"][:, 0],
            np.zeros((len(q), len(self._biased))),
        )

    def begun(self, p: Array, start: Start) -> tuple[Array, Array]:
        """q (B, nq) and v (B, nv) at the starts of windows; along settled DoFs in equilibrium and at rest."""
        plant, t, dofs = self.plant, self.windows.t[:, 0], self._settled
        q, v = start.q, np.asarray(plant.full_velocity(t, start.q, start.w, p)).copy()
        if plant.closures:
            return plant.closed_state(t, q, v, p=p)
        v[:, dofs] = 0.0
        for _ in range(_SETTLINGS if len(dofs) else 0):
            δ = np.zeros((len(q), plant.nv))
            δ[:, dofs] = -np.linalg.solve(*self._slopes_at(t, q, v, p))[..., 0]
            q = retract(plant.tree, q, δ)
            if np.abs(δ).max() < 1e-12:
                break
        return q, v

    @cached_property
    def _settled(self) -> np.ndarray:
        return self.plant.tree.dofs(self.settled) if self.settled else np.zeros(0, dtype=int)

    def _slopes_at(self, t: Array, q: Array, v: Array, p: Array) -> tuple[Array, Array]:
        """Derivatives (B, d, d) of the accelerations along settled DoFs by their own configuration; these (B, d, 1)."""
        dofs = self._settled
        a, J = self._accelerations(t, q, v, p)
        return J[:, dofs][:, :, dofs], a[:, dofs, None]

    def _accelerations(self, t: Array, q: Array, v: Array, p: Array) -> tuple[Array, Array]:
        """Accelerations (B, nv), and their derivatives (B, nv, 2 nv + nx + nu + np)."""
        plant, seen = self.plant, self._seen
        u, x = seen["u_first"] if plant.nu else None, seen["x"][:, 0] if plant.nx else None
        a = plant.forward_dynamics(t, q, v, u, x=x, p=p)
        return np.asarray(a), np.asarray(plant.forward_dynamics_jacobian(t, q, v, u, x=x, p=p))

    def _start_slopes(self, p: Array, q: Array, v: Array) -> Array:
        """Derivatives (B, n, m + nw + np) of the tangent at the start by the unknown start and by p.

        Along settled DoFs a = 0: δq_d = −A_dd⁻¹ (A_d,rest δrest + A_dp δp), and δv_d = 0.
        """
        plant, P, nw, dofs = self.plant, self._places, self.plant.nw, self._settled
        n, nv, (m, many) = len(plant.tangent_names), plant.nv, (P.shape[1], self._at_start)
        S = np.zeros((len(q), n, many + len(p)))
        S[:, :nv, :m], S[:, nv : nv + nw, m:many] = P, np.eye(nw)
        if plant.closures:  # a step of no time puts back, by parameters of the closures as well
            u, x = (self._seen[k][:, 0] if size else None for k, size in (("u", plant.nu), ("x", plant.nx)))
            J = plant.step_jacobian(self.windows.t[:, 0], q, v, u, 0.0, x=x, p=p)
            S = J[..., :n] @ S
            S[..., many:] += J[..., n + plant.nu :]
            return S
        if not len(dofs):
            return S
        own = np.flatnonzero(np.isin(_leading(P), dofs))
        S[:, :, [*own, *(m + own)]] = 0.0
        _, J = self._accelerations(self.windows.t[:, 0], q, v, p)
        A = J[:, dofs]
        rest = A[..., :nv] @ S[:, :nv] + A[..., nv : 2 * nv] @ (P @ S[:, nv : nv + nw])
        rest[..., many:] += A[..., -len(p) :] if len(p) else 0.0
        S[:, dofs] -= np.linalg.solve(A[..., dofs], rest)
        return S

    @cached_property
    def _bias_deviations(self) -> Array:
        return np.concatenate([output.bias_of(self.plant) for output in self.outputs])

    @cached_property
    def _biased(self) -> np.ndarray:
        """Which outputs' entries have biases."""
        return np.flatnonzero(self._bias_deviations)

    @cached_property
    def _start_weights(self) -> Array:
        """One over the standard deviation (B, m + nw + k) of the recorded starts and of the k biases."""
        plant, compared, found = self.plant, set(self.names), []
        by_place = np.eye(plant.nv)[_leading(self._places)]
        for i, q in zip(self.windows.recording, self._seen["q"][:, 0], strict=True):
            many = np.broadcast_to(q, (plant.nv, plant.nq))
            by_speed = np.asarray(plant.independent_velocity(many, np.eye(plant.nv))).T
            recording, own = self.recordings[i], []
            for what, mark, L in (("q", "d ", by_place), ("v", "", by_speed)):
                σ = recording.noise(what, plant.nv)
                σ = np.full(plant.nv, _VAGUE) if σ is None else np.where(σ > 0, σ, _VAGUE)
                told = np.array([f"{mark}{name}" in compared for name in plant.dof_names])
                own.append(
                    np.where((L[:, told] != 0.0).any(axis=1), 1e3 * _VAGUE, np.hypot.reduce(L * σ, axis=1))
                )
            found.append(1.0 / np.concatenate([*own, self._bias_deviations[self._biased]]))
        return np.array(found)

    def motion(self, p: Array, start: Start) -> Motion:
        """The plant's motion through the windows."""
        plant, t, u = self.plant, self.windows.t, self._seen["u"]
        h = self._intervals
        q, v = self.begun(p, start)
        states = [(q, v, start.x)]
        for k in range(t.shape[1] - 1):
            after = plant.step(
                t[:, k], q, v, u[:, k] if plant.nu else None, h[:, k] / self.steps,
                x=states[-1][2] if plant.nx else None, p=p, steps=self.steps, method=self.method,
            )  # fmt: skip
            q, v, x = after.q, after.v, after.x if plant.nx else start.x
            states.append((q, v, x))
        return Motion(*(np.stack(parts, axis=1) for parts in zip(*states, strict=True)))

    @cached_property
    def _intervals(self) -> Array:
        """Lengths (B, N) of the intervals (s); of padding that of the last one."""
        h = np.diff(self.windows.t, axis=1)
        for row in h:
            real = row > 0
            row[~real] = row[real][-1]
        return h

    @property
    def longest_step(self) -> float:
        """(s)."""
        return float(self._intervals.max()) / self.steps

    @cached_property
    def _compared(self) -> Any:
        """(q, v, q_seen, v_seen) ↦ differences (k,) and their derivatives (k, nv + nw) by (δq, w), compiled."""
        plant, velocities = self.plant, self.plant.velocities

        def moved(z: Any, q: Any, v: Any) -> tuple[Any, Any]:
            at, w = retract(plant.tree, q, z[: plant.nv]), velocities.independent(q, v)
            return at, v + (velocities.along(at, w + z[plant.nv :]) - velocities.along(q, w))

        def differences(z: Any, q: Any, v: Any, q_seen: Any, v_seen: Any) -> Any:
            at = *moved(z, q, v), q_seen, v_seen
            return np.concatenate([np.atleast_1d(output.difference(plant, *at)) for output in self.outputs])

        slopes = jacobian(differences, wrt=0)

        def both(q: Any, v: Any, q_seen: Any, v_seen: Any) -> Any:
            zero = np.zeros(plant.nv + plant.nw)
            return differences(zero, q, v, q_seen, v_seen), slopes(zero, q, v, q_seen, v_seen)

        return kernels.compile(both, [(plant.nq,), (plant.nv,)] * 2, name="outputs", exact_zeros=False)

    def differences(self, motion: Motion, start: Start) -> tuple[Array, Array]:
        """Measured less modelled (B, N + 1, k), and the derivatives (B, N + 1, k, nv + nw) by (δq, w)."""
        r, C = self._compared(motion.q, motion.v, self._seen["q"], self._seen["v"])
        r[..., self._biased] -= start.biases[:, None]
        return r, C

    def _weighted(self, r: Array) -> Array:
        """Differences in units of their standard deviations, zero where they do not count."""
        weight = 1.0 / self.deviations[self.windows.recording]
        return np.where(self.windows.counted[..., None], r * weight[:, None, :], 0.0)

    def _start_residuals(self, start: Start) -> Array:
        """How far starts are from the recorded ones, and biases, (B, m + nw + k), in standard deviations."""
        own = self.start()
        δq = local(self.plant.tree, own.q, start.q)[..., _leading(self._places)]
        return np.concatenate([δq, start.w - own.w, start.biases], axis=-1) * self._start_weights

    def cost(self, p: Array, hidden: Start) -> float:
        """½ Σ of the squares of all differences, in standard deviations."""
        with np.errstate(all="ignore"):
            r = self._weighted(self.differences(self.motion(p, hidden), hidden)[0])
        off = self._start_residuals(hidden)
        total = float(self._losses(r).sum() + 0.5 * (off * off).sum())
        return total if np.isfinite(total) else np.inf

    def _losses(self, r: Array) -> Array:
        """½ r², or beyond the threshold c of robust fits c |r| − ½ c² (Huber)."""
        if self.robust is None:
            return 0.5 * r * r
        c, size = self.robust, np.abs(r)
        return np.where(size <= c, 0.5 * r * r, c * size - 0.5 * c * c)

    def sensitivities(self, p: Array, motion: Motion) -> Array:
        """Derivatives (B, N + 1, n, m + nw + np) of the tangents (δq, δw, δx) by the start and by p."""
        plant, t, many = self.plant, self.windows.t, self._at_start
        n = len(plant.tangent_names)
        J = plant.step_jacobian(
            t[:, :-1], motion.q[:, :-1], motion.v[:, :-1], self._seen["u"][:, :-1] if plant.nu else None,
            self._intervals / self.steps, x=motion.x[:, :-1] if plant.nx else None, p=p, steps=self.steps,
            method=self.method,
        )  # fmt: skip
        A, B = J[..., :n], J[..., n + plant.nu :]
        S = np.zeros((*t.shape, n, many + len(p)))
        S[:, 0] = self._start_slopes(p, motion.q[:, 0], motion.v[:, 0])
        for k in range(t.shape[1] - 1):
            S[:, k + 1] = A[:, k] @ S[:, k]
            S[:, k + 1, :, many:] += B[:, k]
        return S

    def _start_directions(self, p: Array, q: Array, v: Array) -> Array:
        """Directions Z (B, m + nw, f) along which starts at q (B, nq), v (B, nv) may move: on the closures."""
        plant, many = self.plant, self._at_start
        if not plant.closures:
            return np.broadcast_to(np.eye(many), (len(q), many, many))
        back = plant.closure_projection(self.windows.t[:, 0], q, v, p=p)
        return np.array([independent_tangents(plant, own).Z[:many] for own in back])[..., : self.free_starts]

    @cached_property
    def free_starts(self) -> int:
        """How many numbers of the start of a window are independent: its configuration and velocities."""
        plant = self.plant
        if not plant.closures:
            return self._at_start
        start, t = self.start(), self.windows.t[0, 0]
        v = np.asarray(plant.full_velocity(t, start.q[0], start.w[0]))
        back = plant.closure_projection(t, start.q[0], v)
        return round(float(np.trace(back))) - plant.nx

    def linearised(self, p: Array, hidden: Start) -> Linearised:
        """The problem about p, the starts of windows eliminated one by one."""
        plant, m, many = self.plant, self._places.shape[1], self._at_start
        motion = self.motion(p, hidden)
        Z, free = self._start_directions(p, motion.q[:, 0], motion.v[:, 0]), self.free_starts
        r, C = self.differences(motion, hidden)
        S = self.sensitivities(p, motion)
        J = C @ S[..., : plant.nv + plant.nw, :]
        by_bias = np.broadcast_to(-np.eye(J.shape[-2])[:, self._biased], (*J.shape[:-1], len(self._biased)))
        J = np.concatenate([J[..., :many] @ Z[:, None], by_bias, J[..., many:]], axis=-1)
        unknown, known = free + len(self._biased), many + len(self._biased)
        weight = 1.0 / self.deviations[self.windows.recording][:, None, :, None]
        J = np.where(self.windows.counted[..., None, None], J * weight, 0.0)
        r, off = self._weighted(r), self._start_residuals(hidden)
        if self.robust is not None:
            share = np.sqrt(np.minimum(1.0, self.robust / np.maximum(np.abs(r), 1e-300)))
            r, J = share * r, share[..., None] * J
        rows, residuals, tops, taken = [], [], [], 0.0
        for b in range(len(r)):
            spread = np.zeros((known, unknown + len(p)))
            spread[:many, :free], spread[many:, free:unknown] = Z[b], np.eye(len(self._biased))
            own = self._start_weights[b][:, None] * spread
            full = np.concatenate([J[b].reshape(-1, J.shape[-1]), own])
            right = np.concatenate([r[b].reshape(-1), off[b]])
            R = triangle(np.column_stack([full, right]))
            tops.append(R[:unknown])
            told = np.linalg.solve(R[:unknown, :unknown].T, own[:, :unknown].T)
            taken += unknown - float((told**2).sum())
            rows.append(R[unknown:, unknown:-1])
            residuals.append(R[unknown:, -1])

        def moved(δp: Array, share: float) -> Start:
            δ = np.array([-np.linalg.solve(T[:, :unknown], T[:, -1] + T[:, unknown:-1] @ δp) for T in tops])
            δ = share * δ
            δy = (Z @ δ[:, :free, None])[..., 0]
            q = retract(plant.tree, hidden.q, δy[:, :m] @ self._places.T)
            return Start(q, hidden.w + δy[:, m:], hidden.x, hidden.biases + δ[:, free:])

        return Linearised(np.concatenate(rows), np.concatenate(residuals), moved, taken)

    def with_deviations(self, deviations: Array) -> Shooting:
        """The same problem with other standard deviations."""
        return replace(self, deviations=deviations)


def _leading(P: Array) -> np.ndarray:
    """The DoF (m,) that each unknown of a place is."""
    return np.array([int(np.flatnonzero(column == 1.0)[0]) for column in P.T])
