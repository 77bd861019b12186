"""How long first compiles take, with an empty cache, and what runs of the same programs cost. Limits, not ratios."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from rich.table import Table

from ... import kernels, trace
from ...simulation import simulate
from ...system import System, load
from ...worlds import Ocean, Plant, Space
from .bench_systems import free_flyer
from .measure import best_time, first_time

_BATCH = 64
_STEP = 0.01
Row = dict[str, Any]


def rows() -> list[Row]:
    """Rows of the second table: what was measured, the bar, and the goal."""
    first_time(lambda: kernels.compile(lambda x: x + 1.0, [()], name="first"))  # what a process pays once
    return [
        *_derivatives(),
        *_reductions(),
        *_time_loops(),
        *_adjoint_step(),
        *_product(),
    ]


def table(rows: list[Row]) -> Table:
    """The rows for a terminal of 100 columns."""
    result = Table("what", "system", "ours", "bar", "goal", box=None)
    for row in rows:
        sign, better = ("≥", row["ours"] >= row["bar"]) if row["least"] else ("≤", row["ours"] <= row["bar"])
        colour = "green" if better else "red"
        limits = (f"{sign} {row[name]:g} {row['unit']}" for name in ("bar", "goal"))
        result.add_row(row["what"], row["system"], f"[{colour}]{row['ours']:.3g} {row['unit']}[/]", *limits)
    for column in result.columns:
        column.no_wrap = True
    return result


def _derivatives() -> Iterator[Row]:
    for arms, bar, goal in (([36], 6, 3), ([100], 15, 6), ([50, 50], 15, 6)):
        system = free_flyer(arms, random=True)
        seconds = first_time(partial(system.forward_dynamics_derivatives, *_state(system)))
        name = f"6+{'+'.join(map(str, arms))} random"
        yield _row("forward_dynamics_derivatives, compile", name, seconds, bar, goal)


def _reductions() -> Iterator[Row]:
    for method, count in (("lagrange_poincare", 2), ("free_floating", 3), ("mass_matrix_derivatives", 1)):
        system = load("free_flyer_arm7")
        seconds = first_time(partial(getattr(system, method), *_state(system)[:count]))
        yield _row(f"{method}, compile", "6+7 right", seconds, 2, 1)


def _time_loops() -> Iterator[Row]:
    plant = Plant(load("free_flyer_arm7"), Space())
    q, v, tau = _state(plant.system)
    seconds = first_time(lambda: plant.step(0.0, q, v, tau, _STEP, method="variational"))
    yield _row("variational step, compile", "6+7 right", seconds, 2, 1)
    plant = Plant(load("bluerov2_heavy_alpha5"), Ocean())
    target = plant.system.random_configuration(1)

    def law(t: Any, q: Any, v: Any) -> Any:
        return 20.0 * plant.system.local(q, target) - 5.0 * v

    q = plant.system.random_configuration(0)
    short = 1e-6  # the wrist is light for this law
    seconds = first_time(lambda: simulate(plant, q, duration=10 * short, step=short, controller=law))
    yield _row("time loop with a law, compile", "BlueROV2 + Alpha 5", seconds, 2, 1)


def _adjoint_step() -> Iterator[Row]:
    plant = Plant(load("bluerov2_heavy_alpha5"), Ocean())
    name, state = "BlueROV2 + Alpha 5", _state(plant.system)
    graph = trace.trace(lambda q, v, u: plant.step(0.0, q, v, u, _STEP)[:2], *(x.shape for x in state))
    found: list[Any] = []
    seconds = first_time(lambda: found.append(kernels.compile(trace.vjp(graph))))
    yield _row("vjp of an RKMK4 step, compile", name, seconds, 2, 1)
    step, weights = kernels.compile(graph), (np.ones(plant.nq), np.ones(plant.nv))
    batch, weighted = _tiled(state), _tiled(weights)
    ratio = best_time(lambda: found[0](*batch, *weighted)) / best_time(lambda: step(*batch))
    yield _row("vjp of an RKMK4 step, against the step, batch", name, ratio, 5, 4, "×")
    ratio = best_time(lambda: found[0](*state, *weights)) / best_time(lambda: step(*state))
    yield _row("vjp of an RKMK4 step, against the step, one", name, ratio, 5, 4, "×")


def _product() -> Iterator[Row]:
    found: list[Any] = []
    seconds = first_time(
        lambda: found.append(kernels.compile(trace.matmul, [(26, 26), (26, 26)], name="product"))
    )
    yield _row("product in a kernel, compile", "26×26", seconds, 0.1, 0.05)
    A, B = np.random.default_rng(0).normal(size=(2, 4096, 26, 26))
    out = np.empty_like(A)
    ours = best_time(lambda: found[0](A, B, out=out), seconds=1.0)
    theirs = best_time(lambda: np.matmul(A, B, out=out), seconds=1.0)
    yield _row("product in a kernel, against np.matmul", "26×26", theirs / ours, 1.5, 3, "×", least=True)


def _state(system: System) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return system.random_configuration(0), 0.3 * rng.normal(size=system.nv), rng.normal(size=system.nv)


def _tiled(arrays: tuple[np.ndarray, ...]) -> list[np.ndarray]:
    return [np.tile(x, (_BATCH, 1)) for x in arrays]


def _row(
    what: str, system: str, ours: float, bar: float, goal: float, unit: str = "s", *, least: bool = False
) -> Row:
    """least: whether the bar is the least that is wanted, and not the most."""
    return {
        "what": what, "system": system, "ours": ours, "bar": bar, "goal": goal, "unit": unit, "least": least,
    }  # fmt: skip
