"""The compiled functions of an inverse kinematics problem: one lane, one problem from one start."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ... import kernels
from ...dynamics.kinematics import body_poses
from ...lie.arrays import join
from ...model.identity_of_code import announce_retrace
from ...trace import Recent, fingerprint
from ...trace.kept_data import Snapshot
from .along_solutions import slid
from .boxed_steps import searched
from .pose_problem import Numbers, PoseProblem

_kept: Recent[bytes, SearchKernels] = Recent(32)
#: steps of one call: long enough to get somewhere, short enough that lanes which are done do not wait for long
BURST = 6


class SearchKernels:
    """Kernels of a problem, made when they are first wanted. They take `Numbers` after the configuration."""

    def __init__(self, problem: PoseProblem, key: str | None, owned: Any = None) -> None:
        self.problem: PoseProblem = problem
        #: tables of configurations to start from, by what they depend on
        self.tables: dict[Any, Any] = {}
        #: motions of vehicles that float
        self.paths: dict[Any, Any] = {}
        self._key, self._owned = key, owned

    @cached_property
    def search(self) -> Any:
        """(q, *numbers, s) → (q, (s, f, |δ_0|), e (m,)) after `BURST` steps; s: damping, see `boxed_steps`."""
        problem = self.problem

        def burst(q: Any, targets: Any, box: Any, weights: Any, world: Any, s: Any) -> tuple[Any, ...]:
            given = Numbers(targets, box, weights, world)
            at = searched(
                lambda q: problem.rows(q, given),
                lambda q, step, rows: problem.moved(q, step, rows, given),
                lambda q: problem.room(q, given),
                q, s, BURST,
            )  # fmt: skip
            facts = np.array([at.s, at.f, np.sqrt(at.rows.off + 0.0 * at.f)])
            return at.q, facts, problem.plain_error(at.rows, given)

        return self._compiled("search", burst, [(problem.unknowns.tree.nq,), *problem.shapes, ()])

    @cached_property
    def slide(self) -> Any:
        """(q, *numbers, wanted (nq,), (share, tolerance)) → (q, (share, distance, left to go)): `along_solutions`."""
        problem = self.problem
        nq = problem.unknowns.tree.nq

        def burst(q: Any, targets: Any, box: Any, weights: Any, world: Any, wanted: Any, how: Any) -> Any:
            return slid(problem, q, Numbers(targets, box, weights, world), wanted, how[0], how[1], BURST)

        return self._compiled("slide", burst, [(nq,), *problem.shapes, (nq,), (2,)])

    @cached_property
    def poses(self) -> Any:
        """q → poses of the frames, 12 numbers each, one after the other."""
        tree = self.problem.unknowns.tree

        def poses(q: Any) -> Any:
            bodies, found = body_poses(tree, q), []
            for frame in self.problem.targets.frames:
                index, on_body = tree.locate(frame)
                g = (bodies[index] if index >= 0 else np.eye(4)) @ on_body
                found += [g[:3, :3].reshape(9), g[:3, 3]]
            return join(found)

        return self._compiled("poses", poses, [(tree.nq,)])

    @cached_property
    def balance(self) -> Any:
        """(q, world) → (δ_0 (k,), K_pp (k, k)) of the DoFs that must balance."""
        problem = self.problem
        assert problem.balanced is not None

        def balance(q: Any, world: Any) -> Any:
            δ_0, _, K_pp = problem.balanced.eliminated(q, world, problem.unknowns)  # type: ignore[union-attr]
            return δ_0, K_pp

        return self._compiled("balance", balance, [(problem.unknowns.tree.nq,), problem.shapes[-1]])

    def _compiled(self, name: str, function: Any, shapes: list[tuple[int, ...]]) -> Any:
        problem = self.problem
        before = Snapshot(problem.balanced.plant if problem.balanced else problem.unknowns.tree)
        try:
            return kernels.compile(
                function, shapes, name=f"ik_{name}", exact_zeros=False,
                key=None if self._key is None else f"ik_{name} {self._key}",
            )  # fmt: skip
        finally:
            before.restore()


def search_kernels(problem: PoseProblem) -> SearchKernels:
    """The kernels of a problem of this structure, kept for the next one."""
    balanced = problem.balanced
    owner = problem.unknowns.tree if balanced is None else balanced.plant
    at = None if balanced is None else balanced.dofs
    seen = fingerprint((owner, problem.unknowns.dofs, problem.targets, at, problem.scaled))
    if seen.unseen:
        announce_retrace("solve_ik", seen.unseen)
        return SearchKernels(problem, None)
    found = _kept.find(seen.digest)
    if found is None:
        own = seen.digest.hex() if seen.own else None
        found = _kept.shared(seen.digest, SearchKernels(problem, own, seen.kept))
    return found
