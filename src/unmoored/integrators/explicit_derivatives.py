"""The derivative of one explicit step on the group: the chain rule over its stages (docs/step.md).

Tangents are matrices (..., n, c): a column for every direction of z = (δq, δw, δx, δu, δp). Stage i:

    θ_i = h Σ a_ij k_j                           δθ_i = h Σ a_ij δk_j
    δq_i = Ad_{exp(−θ_i)} δq + dexp(θ_i) δθ_i        δw_i = δw + h Σ a_ij δẇ_j, δx_i likewise
    k_i = Π(θ_i) v_i                             δk_i = Π(θ_i) δv_i − (½ad_v + ¹⁄₁₂(ad_[θ,v] + ad_θ ad_v)) δθ_i

with Π(θ) = 1 + ½ad_θ + ¹⁄₁₂ad_θ² as in the step itself. The derivatives of the right-hand side are one function, called
for every stage; all that is done with matrices of tangents are loops (`tangent_programs`), lanes are samples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..dynamics.configuration import retract
from ..dynamics.configuration_derivatives import Ad_exp_inverse, commutes, dexp, times_blocks
from ..dynamics.tree_scans import split_velocity
from ..lie.arrays import scale, scale_vector, stacked_rows
from ..model import Link, Tree
from ..trace import Part, is_symbolic
from . import tangent_programs as programs
from .state import Rate, State, pull_back
from .tableau import Tableau


class Slopes(NamedTuple):
    """The rates at a state with their derivatives: J (..., m, n) by the state's tangent (δq, δw, δx), and
    B (..., m, r) by (δu, δp); their rows are (v, ẇ, ẋ), or (ẇ, ẋ) where v is w."""

    rate: Rate
    J: np.ndarray
    B: np.ndarray


#: (f, s (..., n), S (..., n, c)): f s is a sum of slopes, f S of their tangents; None for an empty sum
Sums = tuple[float, np.ndarray | None, np.ndarray | None]
#: slopes(t (...), state, u (..., nu), p (..., np)) → Slopes
SlopesOf = Callable[..., Slopes]


@dataclass(frozen=True, eq=False)
class StageChain:
    """A step with a tableau, and its derivatives.

    slopes: the right-hand side with its derivatives.  sizes: (nv, nw, nx, number of columns of u and p).
    """

    tableau: Tableau
    tree: Tree
    slopes: SlopesOf
    sizes: tuple[int, int, int, int]

    def derivatives(self, t: Any, y: State, h: Any, u: np.ndarray, p: np.ndarray) -> tuple[State, np.ndarray]:
        """The state after a step of size h (...) from time t (...), and its derivatives (..., n, n + r) by z."""
        slopes = Part(self._slopes, "slopes")
        if len(self.tableau.b) == 1 and is_symbolic(t, h, *y, u, p) and self.sizes[0] == self.sizes[1]:
            found = self._one_stage(slopes, t, y, h, u, p)
            if found is not None:
                return found
        rates: list[np.ndarray] = []
        tangents: list[np.ndarray] = []
        for a, c in zip(self.tableau.a, self.tableau.c, strict=True):
            k, K = self._stage(slopes, t + c * h, y, h, u, p, _weighted(rates, tangents, a))
            rates.append(k)
            tangents.append(K)
        factor, s, S = _weighted(rates, tangents, self.tableau.b)
        assert s is not None
        assert S is not None
        s = scale_vector(factor * h, s)
        return self.moved(y, s), self.carried(factor * h, s, S)

    def _one_stage(
        self, slopes: Part, t: Any, y: State, h: Any, u: np.ndarray, p: np.ndarray
    ) -> tuple[State, np.ndarray] | None:
        """The same for a method of one stage, if v is w."""
        v, w_dot, x_dot, J, B = slopes(t, *y, u, p)
        m, n = J.shape
        if m == n:
            return None
        step = self.tableau.b[0] * h
        s = scale_vector(step, np.concatenate([v, w_dot, x_dot], axis=-1))
        turns, bent = (_matrices(self.tree, of, s[: self.sizes[0]]) for of in (Ad_exp_inverse, dexp))
        part = programs.OneStage(n, m, self.sizes[3], turning_blocks(self.tree))
        Z = programs.run(part, (n, n + self.sizes[3]), step, J, B, _flat(turns), _flat(bent))
        return self.moved(y, s), Z

    def _slopes(
        self, t: Any, q: np.ndarray, w: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        rate, J, B = self.slopes(t, State(q, w, x), u, p)
        return (*rate, J, B)

    def _stage(
        self, slopes: Part, t: Any, y: State, h: Any, u: np.ndarray, p: np.ndarray, sums: Sums
    ) -> tuple[np.ndarray, np.ndarray]:
        """(k_i (..., n), K_i (..., n, n + r)) at the state moved by h times the sums of the slopes before."""
        factor, s, S = sums
        if s is None or S is None:
            v, w_dot, x_dot, J, B = slopes(t, *y, u, p)
            return np.concatenate([v, w_dot, x_dot], axis=-1), self._first(J, B)
        h = factor * h
        s = scale_vector(h, s)
        θ = s[..., : self.sizes[0]]
        v, w_dot, x_dot, J, B = slopes(t, *self.moved(y, s), u, p)
        K = self._bent(θ, v, h, S, self.carried(h, s, S), J, B)
        return np.concatenate([pull_back(self.tree, θ, v), w_dot, x_dot], axis=-1), K

    @property
    def initial(self) -> np.ndarray:
        """The tangents (n, n + r) before the step: the state's own directions."""
        n = sum(self.sizes[:3])
        return np.concatenate([np.eye(n), np.zeros((n, self.sizes[3]))], axis=1)

    def moved(self, y: State, s: np.ndarray) -> State:
        """The state moved by s (..., n) = (θ, Δw, Δx)."""
        nv, nw, _, _ = self.sizes
        θ, Δw, Δx = s[..., :nv], s[..., nv : nv + nw], s[..., nv + nw :]
        return State(retract(self.tree, y.q, θ), y.w + Δw, y.x + Δx)

    def carried(self, h: Any, s: np.ndarray, S: np.ndarray) -> np.ndarray:
        """Tangents (..., n, n + r) of the state moved by s (..., n) = (θ, Δw, Δx), whose own tangents are h S."""
        nv, r, θ = self.sizes[0], self.sizes[3], s[..., : self.sizes[0]]
        Z, turns, slopes = self.initial, *(_matrices(self.tree, of, θ) for of in (Ad_exp_inverse, dexp))
        if is_symbolic(S):
            part = programs.Carried(len(Z), r, turning_blocks(self.tree))
            return programs.run(part, Z.shape, h, S, _flat(turns), _flat(slopes))
        S = scale(h, S)
        own = times_blocks(self.tree, slopes, S[..., :nv, :])
        turned = times_blocks(self.tree, turns, np.broadcast_to(np.eye(nv), (*s.shape[:-1], nv, nv)))
        first = np.concatenate([own[..., :nv] + turned, own[..., nv:]], axis=-1)
        return stacked_rows([first, Z[nv:] + S[..., nv:, :]])

    def _first(self, J: np.ndarray, B: np.ndarray) -> np.ndarray:
        """Tangents (..., n, n + r) of (v, ẇ, ẋ) at the start of the step."""
        Z, (m, n) = self.initial, J.shape[-2:]
        if is_symbolic(J, B):
            return programs.run(programs.FirstSlopes(n, m, self.sizes[3]), Z.shape, J, B)
        slopes = np.concatenate([J, B], axis=-1)
        return slopes if m == n else stacked_rows([Z[n - m : 2 * (n - m)], slopes])

    def _bent(
        self, θ: np.ndarray, v: np.ndarray, h: Any, S: np.ndarray, Z: np.ndarray, J: np.ndarray, B: np.ndarray
    ) -> np.ndarray:
        """Tangents (..., n, n + r) of (k, ẇ, ẋ) at a stage whose state has the tangents Z (..., n, n + r)."""
        nv, (m, n) = self.sizes[0], J.shape[-2:]
        through, bending = _matrices(self.tree, _Π, θ), _matrices(self.tree, _bending, θ, v)
        if is_symbolic(Z, J):
            part = programs.StageSlopes(n, m, self.sizes[3], turning_blocks(self.tree))
            return programs.run(part, self.initial.shape, h, S, Z, J, B, _flat(through), _flat(bending))
        K = J @ Z
        K = np.concatenate([K[..., :n], K[..., n:] + B], axis=-1)
        K = K if m == n else stacked_rows([Z[..., nv : 2 * nv, :], K])
        still = [
            np.zeros((link.joint.nv,) * 2) if A is None else A
            for link, A in zip(self.tree.links, bending, strict=True)
        ]
        top = times_blocks(self.tree, through, K[..., :nv, :])
        return stacked_rows([top - times_blocks(self.tree, still, scale(h, S)[..., :nv, :]), K[..., nv:, :]])


def turning_blocks(tree: Tree) -> programs.Blocks:
    """(first, size) of the rows of joints whose motions do not commute."""
    return tuple((link.v.start, link.joint.nv) for link in tree.links if not commutes(link))


def _weighted(rates: Sequence[np.ndarray], tangents: Sequence[np.ndarray], weights: Sequence[float]) -> Sums:
    """(f, s (..., n), S (..., n, c)) with f s = Σ a_j k_j and f S = Σ a_j K_j, None for no sum at all."""
    chosen = [(a, k, K) for a, k, K in zip(weights, rates, tangents, strict=False) if a != 0.0]
    if not chosen:
        return 0.0, None, None
    factor, s, S = chosen[0]
    for a, k, K in chosen[1:]:
        s, S = s + (a / factor) * k, programs.added(S, K, a / factor)
    return factor, s, S


def _flat(matrices: Sequence[np.ndarray | None]) -> np.ndarray:
    """The entries of matrices (m, m), one after the other."""
    return np.concatenate([np.zeros(0), *(A.ravel() for A in matrices if A is not None)])


def _matrices(tree: Tree, block: Callable[..., np.ndarray], *vectors: np.ndarray) -> list[np.ndarray | None]:
    """block(link, …) of every joint whose motions do not commute, with its parts of the vectors (..., nv)."""
    parts = [split_velocity(tree, x) for x in vectors]
    return [
        None if commutes(link) else block(link, *(part[link.index] for part in parts)) for link in tree.links
    ]


def _Π(link: Link, θ: np.ndarray) -> np.ndarray:
    """1 + ½ad_θ + ¹⁄₁₂ad_θ² (..., m, m)."""
    ad = link.joint.group.ad(θ)  # type: ignore[attr-defined]
    return np.eye(link.joint.nv) + 0.5 * ad + (1.0 / 12.0) * (ad @ ad)


def _bending(link: Link, θ: np.ndarray, v: np.ndarray) -> np.ndarray:
    """−∂(Π(θ) v)/∂θ = ½ad_v + ¹⁄₁₂(ad_[θ,v] + ad_θ ad_v) (..., m, m)."""
    group = link.joint.group  # type: ignore[attr-defined]
    ad_v = group.ad(v)
    return 0.5 * ad_v + (1.0 / 12.0) * (group.ad(group.bracket(θ, v)) + group.ad(θ) @ ad_v)
