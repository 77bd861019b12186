"""The map of a step near where samples are: its derivative by differences, from kernels that the run has anyway."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..integrators import State
from ..model import Link
from .state_vector import Carried
from .time_step import TimeStep

#: states (N, n) and parameters (N, m) → the states' first parts (q, w, x) (N, nq + nw + nx) after a step
Ends = Callable[[np.ndarray, np.ndarray], np.ndarray]


def step_map(
    e: TimeStep, t: float, state: np.ndarray, params: np.ndarray, ends: Ends, difference: float = 1e-6
) -> np.ndarray:
    """Φ (S, n, n) with z(end) = Φ z for small z = (dq, w, x), at time t (s), states (S, size), parameters (S, m).

    dq is along retract from where each sample is, at the end from where it ends; central differences. What would open
    closures is put back on them first.
    """
    layout, links = e.layout, e.plant.tree.links
    start, nv = layout.split(state.astype(float)[:, None]), e.plant.nv
    n = nv + layout.nw + layout.nx
    moves = np.concatenate([np.eye(n), -np.eye(n), np.zeros((1, n))]) * difference
    dq, dw, dx = np.split(moves, [nv, nv + layout.nw], axis=1)
    batch = (len(state), len(moves))
    changed = start._replace(q=_retracted(links, start.q, dq), w=start.w + dw, x=start.x + dx)
    if e.plant.closures:
        changed = _closed(e, t, start, changed, params.astype(float)[:, None])
    rows = layout.join(Carried(*(np.broadcast_to(part, (*batch, part.shape[-1])) for part in changed)))
    with np.errstate(all="ignore"):
        new = ends(rows.reshape(-1, rows.shape[-1]), np.repeat(params, len(moves), axis=0))
        new = new.reshape(*batch, -1)
        rest = new[..., layout.nq : layout.nq + layout.nw + layout.nx]
        z = np.concatenate([_local(links, nv, new[:, -1:], new), rest], axis=-1)
        return np.swapaxes(z[:, :n] - z[:, n:-1], 1, 2) / (2.0 * difference)


def _closed(e: TimeStep, t: float, start: Carried, changed: Carried, params: np.ndarray) -> Carried:
    """States (S, N, …) near the start (S, 1, …) with their loops closed."""
    given = (start.q, start.w, e.own(start.x), np.zeros(e.plant.nu), e.plant_arguments(params))
    _, _, kept = e.parts.first_rates(t, *given)
    spread = (np.broadcast_to(x, (*changed.q.shape[:-1], x.shape[-1])) for x in (params, kept))
    closed, _ = e.put_back(t, State(changed.q, changed.w, changed.x), *spread)
    return changed._replace(q=closed.q, w=closed.w)


def _retracted(links: Sequence[Link], q: np.ndarray, dq: np.ndarray) -> np.ndarray:
    """retract(q, dq) (S, N, nq) of q (S, 1, nq), dq (N, nv); joints that are stored as they move are added at once."""
    found = np.repeat(q, len(dq), axis=1)
    flat = [link for link in links if link.joint.nq == link.joint.nv]
    found[..., _entries(flat, "q")] += dq[:, _entries(flat, "v")]
    for link in links:
        if link.joint.nq != link.joint.nv:
            found[..., link.q] = link.joint.retract(q[..., link.q], dq[:, link.v])
    return found


def _local(links: Sequence[Link], nv: int, q0: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The tangents (S, N, nv) from q0 (S, 1, nq) to q (S, N, nq), whatever follows the configurations."""
    found = np.zeros((*q.shape[:-1], nv))
    flat = [link for link in links if link.joint.nq == link.joint.nv]
    columns = _entries(flat, "q")
    found[..., _entries(flat, "v")] = q[..., columns] - q0[..., columns]
    for link in links:
        if link.joint.nq != link.joint.nv:
            found[..., link.v] = link.joint.local(q0[..., link.q], q[..., link.q])
    return found


def _entries(links: Sequence[Link], what: str) -> list[int]:
    """Where the joints' numbers are in q or v."""
    return [k for link in links for k in range(*_bounds(getattr(link, what)))]


def _bounds(part: Any) -> tuple[int, int]:
    return part.start, part.stop
