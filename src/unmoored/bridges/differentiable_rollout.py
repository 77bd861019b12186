"""A rollout as a function of flat arrays with its gradients, for any library with autograd."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import kernels
from ..dynamics.configuration_derivatives import pull_back, push_weights
from ..kernels import cuda
from ..model import ModelError
from ..model.errors import unknown_name
from ..simulation import Rollout
from .differentiable import Maker, Shape


class RolloutOf:
    """Rollouts with those of the arguments q0, v0, u, p, x0, t0 and gains, in this order, that are given."""

    keeps_results = True

    def __init__(self, rollout: Rollout, given: Sequence[str]) -> None:
        plant, law = rollout.plant, rollout._law
        gains = {} if law is None else {f"gains.{name}": shape for name, shape in law.layout}
        shapes: dict[str, Shape] = {
            "q0": (plant.nq,), "v0": (plant.nv,), "u": (rollout.periods, plant.nu),
            "p": (len(plant.nominal_parameters),), "x0": (plant.nx,), "t0": (), **gains,
        }  # fmt: skip
        for name in given:
            if name not in shapes:
                raise unknown_name("Rollout", "argument", name, shapes)
        self.where, self._rollout = f"Rollout of {plant.name}", rollout
        self.arguments: dict[str, Shape] = {name: shapes[name] for name in shapes if name in given}
        self._made: dict[str, Any] = {}

    def result_shapes(self, dtype: str) -> list[Shape]:
        """Shapes of q and v."""
        rows, plant = self._rollout.steps + 1, self._rollout.plant
        return [(rows, plant.nq), (rows, plant.nv)]

    def forward(self, arrays: Sequence[Any], on_gpu: bool, dtype: str) -> tuple[Any, ...]:
        """q (..., T + 1, nq) and v (..., T + 1, nv)."""
        self.check(on_gpu, dtype)
        batch, arrays = self._flattened(arrays)
        return tuple(_shaped(x, batch) for x in self._rollout(**self._keywords(arrays)))

    def backward(
        self, wanted: tuple[int, ...], arrays: Sequence[Any], results: Sequence[Any], weights: Sequence[Any],
        on_gpu: bool, dtype: str,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Gradients by the wanted arrays; that by q0 is on its tangent."""
        self.check(on_gpu, dtype)
        batch, arrays = self._flattened(arrays)
        keywords = self._keywords(arrays)
        dq = self._compiled("pull_back", pull_back, "nq")(results[0], weights[0])
        dv = weights[1].reshape((-1, *weights[1].shape[-2:])) if len(batch) > 1 else weights[1]
        dq = dq.reshape((-1, *dq.shape[-2:])) if len(batch) > 1 else dq
        g = self._rollout.vjp(dq=dq, dv=dv, **keywords)
        found, names = [], list(self.arguments)
        for name in (names[k] for k in wanted):
            if name == "q0":
                found.append(self._compiled("push_weights", push_weights, "nv")(keywords["q0"], g.q0))
            elif name == "t0":
                expected = "one that needs no gradient: rollouts are not differentiated by time"
                raise ModelError.single(self.where, "t0", expected=expected, given="one that does")
            elif name == "u":
                found.append(g.u.copy())  # the loop back leaves the last period first
            else:
                found.append(g.gains[name[6:]] if name.startswith("gains.") else getattr(g, name))
        return tuple(_shaped(x, batch) for x in found)

    def _flattened(self, arrays: Sequence[Any]) -> tuple[Shape, list[Any]]:
        """(the batch of all arrays together, the arrays with one leading dimension for it at most)."""
        cores = list(self.arguments.values())
        batches = [x.shape[: x.ndim - len(core)] for x, core in zip(arrays, cores, strict=True)]
        batch = np.broadcast_shapes(*batches)
        if len(batch) < 2:
            return batch, list(arrays)
        return batch, [
            x.reshape(core) if math.prod(own) == 1 and own != batch
            else np.broadcast_to(x, (*batch, *core)).reshape((-1, *core))
            for x, core, own in zip(arrays, cores, batches, strict=True)
        ]  # fmt: skip

    def _keywords(self, arrays: Sequence[Any]) -> dict[str, Any]:
        by_name = dict(zip(self.arguments, arrays, strict=True))
        gains = {name[6:]: by_name.pop(name) for name in list(by_name) if name.startswith("gains.")}
        return by_name | ({"gains": gains} if gains else {})

    def check(self, on_gpu: bool, dtype: str) -> None:
        """Refuse arrays that are elsewhere, or of another format, than the rollout was made for."""
        rollout = self._rollout
        if on_gpu != (rollout.backend == "cuda"):
            expected = f"arrays where its backend {rollout.backend!r} runs"
            raise ModelError.single(
                self.where, "device", expected=expected, given="cuda" if on_gpu else "cpu"
            )
        if dtype != rollout._dtype.name:
            expected = f"{rollout._dtype.name}, as the rollout was made"
            raise ModelError.single(self.where, "dtype", expected=expected, given=dtype)

    def _compiled(self, name: str, function: Callable[..., Any], size: str) -> Any:
        if name not in self._made:
            plant, rollout = self._rollout.plant, self._rollout
            make = cuda.compile if rollout.backend == "cuda" else kernels.compile
            self._made[name] = make(
                lambda q, w: function(plant.tree, q, w), [(plant.nq,), (getattr(plant, size),)],
                name=f"{plant.name}.{name}", dtype=rollout._dtype.name,
            )  # fmt: skip
        return self._made[name]


class RolloutOfArrays:
    """A `um.Rollout` as a function of a library's arrays: `rollout(q0, v0, u, p, x0=, t0=, gains=)` → q, v."""

    def __init__(self, rollout: Rollout, make: Maker, words: str) -> None:
        self.rollout, self._make, self._words = rollout, make, words
        self._made: dict[tuple[str, ...], tuple[list[str], Callable[..., tuple[Any, ...]]]] = {}

    def __call__(
        self,
        q0: Any,
        v0: Any = None,
        u: Any = None,
        p: Any = None,
        *,
        x0: Any = None,
        t0: Any = None,
        gains: Mapping[str, Any] | None = None,
    ) -> tuple[Any, Any]:
        """q (..., T + 1, nq) and v (..., T + 1, nv); arguments as for the rollout, leading dimensions broadcast.

        Gradients by q0 (on the tangent), v0, u, p, x0 and gains; rollouts are not differentiated by t0, which is an
        error in torch and a gradient that is not a number in JAX.
        """
        given = flat_arguments({"q0": q0, "v0": v0, "u": u, "p": p, "x0": x0, "t0": t0}, gains)
        if tuple(given) not in self._made:
            work = RolloutOf(self.rollout, tuple(given))
            self._made[tuple(given)] = list(work.arguments), self._make(work)
        names, evaluated = self._made[tuple(given)]
        q, v = evaluated(*(given[name] for name in names))
        return q, v

    def __repr__(self) -> str:
        return f"<{self.rollout!r} of {self._words}>"


def _shaped(x: Any, batch: Shape) -> Any:
    """An array with one leading dimension for several; others as they are."""
    return x.reshape((*batch, *x.shape[1:])) if len(batch) > 1 else x


def flat_arguments(given: Mapping[str, Any], gains: Mapping[str, Any] | None) -> dict[str, Any]:
    """Those that are not None, gains under their names."""
    own = {name: x for name, x in given.items() if x is not None}
    return own | {f"gains.{name}": x for name, x in (gains or {}).items()}
