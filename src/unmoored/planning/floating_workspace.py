"""Path-independent and path-dependent workspace of a free-floating arm (Papadopoulos and Dubowsky 1993).

Whether the generalized Jacobian J_G is singular depends on the shape alone, but the same place of the tool is reached
in many shapes. Seen from the centre of mass, which stays, a place is a radius R = |tool − centre of mass|:

    path dependent:    radii that the tool has in singular shapes; whether it is stuck there depends on how it came,
    path independent:  the other radii that it can have. There J_G is never singular.

Singular shapes are found as roots of det J_G along one joint, for a grid of the others; roots in neighbouring cells
that lie close belong to one branch.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..dynamics.lagrange_poincare.vehicle_split import split
from ..system import System
from .problem_checks import count, wrong

_WHERE = "floating_workspace"
_HALVINGS = 48


@dataclass(frozen=True, eq=False, repr=False)
class FloatingWorkspace:
    """reach: (least, largest) radius that the tool can have (m).

    dependent, independent: [(from, to), …] radii (m), in order.
    joints: names of the n joints.  branches: singular shapes [(k, n), …], one array for each branch, with
    radii: [(k,), …] of the tool there.
    """

    reach: tuple[float, float]
    dependent: tuple[tuple[float, float], ...]
    independent: tuple[tuple[float, float], ...]
    joints: tuple[str, ...]
    branches: tuple[np.ndarray, ...]
    radii: tuple[np.ndarray, ...]

    def __repr__(self) -> str:
        def told(spans: Any) -> str:
            return ", ".join(f"{a:.4g}…{b:.4g}" for a, b in spans) or "none"

        return (
            f"<FloatingWorkspace: independent {told(self.independent)} m, dependent {told(self.dependent)} m>"
        )


class _Shapes:
    """Functions of the shape of a system: the tool's radius and det J_G."""

    def __init__(self, system: System, frame: str, vehicle: str, rows: tuple[int, ...]) -> None:
        self.system, self.frame, self.vehicle, self.rows = system, frame, vehicle, rows
        at = split(system.tree, vehicle)
        links = [link for link in system.tree.links if link.joint.nv and link.name != vehicle]
        for link in links:
            if link.joint.nv != 1:
                raise wrong(_WHERE, link.name, "joints with one DoF beside the vehicle", f"{link.joint.nv}")
        self.joints = tuple(link.name for link in links)
        self.places = [link.q.start for link in links]
        if len(rows) != len(at.shape):
            expected = f"as many rows as joints ({len(at.shape)}), so that J_G is square"
            raise wrong(_WHERE, "rows", expected, list(rows))
        limits = [
            (-np.pi, np.pi) if link.joint.limits is None else tuple(link.joint.limits[:, 0]) for link in links
        ]
        self.low, self.high = np.array(limits).T

    def configurations(self, x: np.ndarray) -> np.ndarray:
        """q (..., nq) of shapes (..., n), the vehicle at its neutral place."""
        q = np.broadcast_to(self.system.neutral(), (*x.shape[:-1], self.system.nq)).copy()
        q[..., self.places] = x
        return q

    def radius(self, x: np.ndarray) -> np.ndarray:
        """|tool − centre of mass| (...) of shapes (..., n)."""
        q = self.configurations(x)
        return np.linalg.norm(
            self.system.pose(q, self.frame)[..., :3, 3] - self.system.centre_of_mass(q), axis=-1
        )

    def determinant(self, x: np.ndarray) -> np.ndarray:
        """det J_G (...) of the chosen rows, in the tool's axes."""
        J = self.system.generalized_jacobian(self.configurations(x), self.frame, passive=[self.vehicle])
        return np.linalg.det(J[..., list(self.rows), :])


def floating_workspace(
    system: System,
    frame: str,
    *,
    vehicle: str | None = None,
    rows: Iterable[int] = (0, 1, 2),
    along: str | None = None,
    samples: int = 181,
) -> FloatingWorkspace:
    """Radii of the path-independent and path-dependent workspace of a frame on a free-floating system.

    rows: of the frame's twist (vx, vy, vz, wx, wy, wz) that are the task, as many as there are joints: (0, 1) for a
    planar arm with two.  along: the joint along which singular shapes are sought, the last if None.
    samples: of every joint, within its limits or a whole turn. The ends of radii are right to about the square of
    the grid's spacing.
    """
    if not isinstance(system, System):
        raise wrong(_WHERE, "system", "a System", system)
    vehicle = system.vehicles[0] if vehicle is None else vehicle
    shapes = _Shapes(system, frame, vehicle, tuple(rows))
    n = len(shapes.joints)
    samples = count(_WHERE, "samples", samples, 8)
    if along is not None and along not in shapes.joints:
        raise wrong(_WHERE, "along", f"one of {', '.join(shapes.joints)}", along)
    k = n - 1 if along is None else shapes.joints.index(along)
    # off the middle of the range: arms are singular in symmetric shapes, where a determinant touches zero
    share = (np.arange(samples) + 0.5 - 1e-3 * np.sqrt(2.0)) / samples
    axes = [shapes.low[i] + (shapes.high[i] - shapes.low[i]) * share for i in range(n)]
    x = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    det, radius = shapes.determinant(x), shapes.radius(x)
    cell, roots = _roots(shapes, x, det, k)
    labels = _branches(cell, roots[:, k], axes[k][1] - axes[k][0])
    R = shapes.radius(roots)
    branches = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    reach = _extreme(shapes, x, radius, -1.0), _extreme(shapes, x, radius, 1.0)
    dependent = _union([(float(R[b].min()), float(R[b].max())) for b in branches])
    return FloatingWorkspace(
        reach, dependent, _rest(reach, dependent), shapes.joints,
        tuple(roots[b] for b in branches), tuple(R[b] for b in branches),
    )  # fmt: skip


def _roots(shapes: _Shapes, x: np.ndarray, det: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(cells (r, n − 1) of the other joints' grid, shapes (r, n)) where det J_G changes its sign along joint k."""
    x, det = np.moveaxis(x, k, -2), np.moveaxis(det, k, -1)
    turns = np.signbit(det[..., 1:]) != np.signbit(det[..., :-1])
    at = np.argwhere(turns)
    a, b = x[..., :-1, :][turns], x[..., 1:, :][turns]
    sign = np.sign(det[..., :-1][turns])
    for _ in range(_HALVINGS):
        middle = 0.5 * (a + b)
        same = np.sign(shapes.determinant(middle)) == sign if len(middle) else np.zeros(0, bool)
        a, b = np.where(same[:, None], middle, a), np.where(same[:, None], b, middle)
    return at[:, :-1], 0.5 * (a + b)


def _branches(cells: np.ndarray, values: np.ndarray, spacing: float) -> np.ndarray:
    """Labels (r,) of roots: those of neighbouring cells whose values lie within four spacings have the same."""
    parent = np.arange(len(cells))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    by_cell: dict[tuple[int, ...], list[int]] = {}
    for i, cell in enumerate(map(tuple, cells.tolist())):
        by_cell.setdefault(cell, []).append(i)
    for cell, here in by_cell.items():
        for axis in range(len(cell)):
            beside = by_cell.get((*cell[:axis], cell[axis] + 1, *cell[axis + 1 :]), [])
            for i in here:
                for j in beside:
                    if abs(values[i] - values[j]) <= 4.0 * spacing:
                        parent[root(i)] = root(j)
    return np.array([root(i) for i in range(len(cells))], dtype=int)


def _extreme(shapes: _Shapes, x: np.ndarray, radius: np.ndarray, sign: float) -> float:
    """The largest (sign 1) or least (−1) radius, from the best shapes of the grid by ever smaller steps."""
    flat, values = x.reshape(-1, x.shape[-1]), sign * radius.ravel()
    best = flat[np.argsort(-values)[:16]].copy()
    n = best.shape[-1]
    step = (shapes.high - shapes.low) / x.shape[0]
    moves = np.concatenate([np.eye(n), -np.eye(n), np.zeros((1, n))])
    for _ in range(200):
        tried = np.clip(best[:, None] + step * moves, shapes.low, shapes.high)
        R = sign * shapes.radius(tried)
        pick = np.argmax(R, axis=1)
        best = tried[np.arange(len(best)), pick]
        if np.all(pick == 2 * n):
            step = 0.5 * step
        if np.abs(step).max() < 1e-9:
            break
    return float(sign * (sign * shapes.radius(best)).max())


def _union(spans: list[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Spans that overlap as one."""
    found: list[tuple[float, float]] = []
    for a, b in sorted(spans):
        if found and a <= found[-1][1]:
            found[-1] = found[-1][0], max(b, found[-1][1])
        else:
            found.append((a, b))
    return tuple(found)


def _rest(
    reach: tuple[float, float], spans: tuple[tuple[float, float], ...]
) -> tuple[tuple[float, float], ...]:
    """What spans leave of the reach."""
    edges = [reach[0], *(edge for span in spans for edge in span), reach[1]]
    pairs = zip(edges[0::2], edges[1::2], strict=True)
    return tuple((a, b) for a, b in pairs if b - a > 1e-6 * reach[1])
