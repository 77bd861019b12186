"""The backward pass of one node as programs over memory (equations: `backward_pass`).

Matrices lie row by row; nothing is written out, and nothing is gathered between the programs: each takes whole what
the one before has left. Of symmetric matrices the lower triangle is computed, and copied where both are read. A
problem that is alone takes rows of its matrices on the lanes, several take a lane each; the sums are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..trace.loop_program import LoopPart, Writer
from .matrix_tiles import Place, added, copied, lower_product, mirrored, product, scaled_sum
from .step_matrix import StepMatrix

#: (row, first column, number of columns) of entries side by side in the lower triangle of H (k, k)
Runs = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class Model(LoopPart):
    """The cost from a node on to second order in z = (δ, δu), from that after it.

    Operands: V_xx (n, n); V_x, η, ω (3, n); D = [A B] (n, k), k = n + m; entries of H in its `runs`; l (k); g (n); μ.
    Results: as `model_parts` names them.
    """

    step: StepMatrix
    runs: Runs

    @property
    def n(self) -> int:
        """Of the tangent."""
        return self.step.n

    @property
    def m(self) -> int:
        """Of the inputs."""
        return self.step.k - self.step.n

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of entries of the operands, one after the other."""
        n, k = self.n, self.n + self.m
        return n * n, 3 * n, n * k, sum(count for _, _, count in self.runs), k, n, 1

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of results."""
        return sum(rows * columns for rows, columns in _shapes(self.n, self.m).values())

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        n, m = self.n, self.m
        return n * self.step.work + (n + m) * self.step.work // 2 + 4 * n * (n + m)

    @property
    def by_rows(self) -> bool:  # type: ignore[override]
        """Whether its rows are long enough for the lanes."""
        return self.n >= 8

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        V, X, D, H, l, g, μ = operands
        n, m, k = self.n, self.m, self.n + self.m
        at = {name: writer.at(results, place) for name, place in _places(n, m).items()}
        W, E, T = writer.array(n * k), writer.array(3 * n), writer.array(3 * k)
        self.step.after(writer, V, D, W, n)
        product(writer, Place(g, 0), V, n, at["Vg"], n, (1, n, n))
        added(writer, (X, 0), (at["Vg"], 0), (E, 0), n)
        copied(writer, (X, n), (E, n), 2 * n)
        self.step.after(writer, E, D, T, 3)
        for r in range(3):
            added(writer, (T, r * k), (l, 0), (at["by_x"], r * n), n)
            to, first = (at["by_u"], (r - 1) * m) if r else (E, 0)
            added(writer, (T, r * k + n), (l, n), (to, first), m)
        self.step.before(writer, D, W, at["Q_xx"])
        (B, count), (right, _) = (self.step.full_rows(writer, X, k) for X in (writer.at(D, n), W))
        product(writer, Place(B, 1, k), right, k, at["Q_ux"], n + 1, (m, count, n))
        product(writer, Place(B, 1, k), writer.at(right, n), k, at["Q_uu"], m, (m, count, m))
        for i in range(m):
            writer.store(at["Q_ux"], i * (n + 1) + n, writer.load(E, i))
        self._add_hessian(writer, H, at)
        factor = writer.load(μ, 0)

        def damp(i: Any) -> None:
            entry = writer.load(at["Q_uu"], i * (m + 1))
            damping = writer.apply("mul", factor, entry)
            writer.store(at["damping"], i, damping)
            writer.store(at["Q_uu"], i * (m + 1), writer.apply("add", entry, damping))

        writer.loop(0, m, damp)
        mirrored(writer, at["Q_uu"], m)

    def _add_hessian(self, writer: Writer, H: Any, at: dict[str, Any]) -> None:
        n, m, first = self.n, self.m, 0
        for i, j, count in self.runs:
            split = min(max(n - j, 0), count) if i >= n else count  # how many of them are by δ
            place = (at["Q_xx"], i * n + j) if i < n else (at["Q_ux"], (i - n) * (n + 1) + j)
            added(writer, place, (H, first), place, split)
            place = at["Q_uu"], (i - n) * m + j + split - n
            added(writer, place, (H, first + split), place, count - split)
            first += count


def model_parts(found: np.ndarray, n: int, m: int) -> dict[str, np.ndarray]:
    """The results of `Model` by name: Q_uu (m, m) with its damping, Q_ux (m, n + 1) with Q_u as its last column,
    damping (1, m), Q_xx (n, n) of which the lower triangle counts, by_x (3, n): Q_x, η, ω, and by_u (2, m): l_u + Bᵀη,
    l_u + Bᵀω, and Vg (1, n)."""
    shapes, places = _shapes(n, m), _places(n, m)
    return {
        name: found[places[name] : places[name] + shape[0] * shape[1]].reshape(shape)
        for name, shape in shapes.items()
    }


def _shapes(n: int, m: int) -> dict[str, tuple[int, int]]:
    return {
        "Q_uu": (m, m), "Q_ux": (m, n + 1), "damping": (1, m), "Q_xx": (n, n), "by_x": (3, n), "by_u": (2, m),
        "Vg": (1, n),
    }  # fmt: skip


def _places(n: int, m: int) -> dict[str, int]:
    sizes = {name: rows * columns for name, (rows, columns) in _shapes(n, m).items()}
    return dict(zip(sizes, np.cumsum([0, *sizes.values()]).tolist(), strict=False))


@dataclass(frozen=True)
class Closed(LoopPart):
    """The values of a node, with its policy.

    Operands: the results of `Model`; [K κ] (m, n + 1); V_x, η, ω (3, n), slope and change after the node; g (n).
    Results: V_xx (n, n), V_x, η, ω (3, n), slope, change, K (m, n), κ (m), the gradient (m) by its inputs, and zero:
    the verdict of a step of a time loop.
    """

    n: int
    m: int

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of entries of the operands, one after the other."""
        n, m = self.n, self.m
        return Model(StepMatrix(n, n + m), ()).size, m * (n + 1), 3 * n + 2, n

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of results."""
        return values_size(self.n) + policy_size(self.n, self.m) + 1

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        n, m = self.n, self.m
        return m * n * (n + 1) // 2 + 3 * m * n + m * m

    @property
    def by_rows(self) -> bool:  # type: ignore[override]
        """Whether its rows are long enough for the lanes."""
        return self.n >= 8

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        model, F, X, g = operands
        n, m, r = self.n, self.m, self.n + 1
        at = {name: writer.at(model, place) for name, place in _places(n, m).items()}
        vectors = writer.at(results, n * n)
        policy = writer.at(results, values_size(n))
        L, κ, Qκ, taken = writer.array(m * r), writer.at(policy, m * n), writer.array(m), writer.array(2 * n)

        def row(i: Any) -> None:
            damping = writer.load(at["damping"], i)
            scaled_sum(writer, damping, (F, i * r), (at["Q_ux"], i * r), (L, i * r), r)
            copied(writer, (F, i * r), (policy, i * n), n)
            writer.store(κ, i, writer.load(F, i * r + n))

        writer.loop(0, m, row)
        lower_product(writer, Place(L, 1, r), F, r, results, n, (n, m), at["Q_xx"], negative=True)
        mirrored(writer, results, n)
        along = writer.at(at["by_u"], m)
        product(writer, Place(κ, 0), L, r, taken, n, (1, m, n))
        product(writer, Place(along, 0), F, r, writer.at(taken, n), n, (1, m, n))
        product(writer, Place(κ, 0), at["Q_uu"], m, Qκ, m, (1, m, m))
        for source, less, place in ((0, 0, 0), (2 * n, n, 2 * n)):
            added(writer, (at["by_x"], source), (taken, less), (vectors, place), n, "sub")
        copied(writer, (at["by_x"], n), (vectors, n), n)
        copied(writer, (at["by_u"], 0), (policy, m * n + m), m)
        for k, total in enumerate(self._sums(writer, at, X, g, κ, along, Qκ)):
            writer.store(vectors, 3 * n + k, total)
        writer.store(policy, m * n + 2 * m, writer.constant(0.0))

    def _sums(
        self, writer: Writer, at: dict[str, Any], X: Any, g: Any, κ: Any, along: Any, Qκ: Any
    ) -> list[Any]:
        """The slope and the change of the cost from the node on."""
        n, m, apply = self.n, self.m, writer.apply
        half = writer.constant(0.5)

        def by_gap(i: Any, slope: Any, change: Any) -> list[Any]:
            gap = writer.load(g, i)
            mean = apply("fma", half, writer.load(at["Vg"], i), writer.load(X, i))
            return [
                apply("fma", writer.load(X, i + 2 * n), gap, slope), apply("fma", mean, gap, change),
            ]  # fmt: skip

        def by_input(i: Any, slope: Any, change: Any) -> list[Any]:
            step = apply("neg", writer.load(κ, i))
            plain = apply(
                "sub", writer.load(Qκ, i), apply("mul", writer.load(at["damping"], i), writer.load(κ, i))
            )
            force = apply("sub", writer.load(at["Q_ux"], i * (n + 1) + n), apply("mul", half, plain))
            return [apply("fma", writer.load(along, i), step, slope), apply("fma", force, step, change)]

        sums = writer.loop(0, n, by_gap, [writer.load(X, 3 * n), writer.load(X, 3 * n + 1)])
        return writer.loop(0, m, by_input, sums)


def values_size(n: int) -> int:
    """Numbers of the values at a node: V_xx, V_x, η, ω, slope, change."""
    return n * n + 3 * n + 2


def policy_size(n: int, m: int) -> int:
    """Numbers of a node's policy: K, κ, gradient."""
    return m * n + 2 * m
