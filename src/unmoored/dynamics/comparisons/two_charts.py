"""Two Euler charts with switching: the usual cure for the singularity (From et al. 2010, section 3.1).

In each step the equations hold in one chart; between steps the state moves to the other chart when its own
comes near the singularity. Body x and body y are never both vertical, so of zyx and zxy one is always good.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...lie import se3
from ...model import Tree
from .classic_runge_kutta import rk4_step
from .euler_angles import configuration, coordinate_rates, coordinates, euler_rates, velocity
from .euler_chart import ZXY, ZYX, EulerChart
from .free_vehicle import vehicle_pose

#: The chart changes when the cosine of its middle angle falls below this; 1/√2 is the largest that works.
SWITCH_BELOW = 0.5


class ChartState(NamedTuple):
    """A state in one chart: x and ẋ (nv,), and the chart. No batch: each sample would switch by itself."""

    x: np.ndarray
    x_dot: np.ndarray
    chart: EulerChart


def chart_state(tree: Tree, q: np.ndarray, v: np.ndarray, chart: EulerChart | None = None) -> ChartState:
    """The state of q (nq,), v (nv,) in a chart, by default in the one farther from its singularity."""
    chart = chart or best_chart(tree, q)
    x = coordinates(tree, q, chart)
    return ChartState(x, coordinate_rates(x, v, chart), chart)


def chart_configuration(tree: Tree, state: ChartState) -> tuple[np.ndarray, np.ndarray]:
    """(q, v) of a state in a chart."""
    x, x_dot, chart = state
    return configuration(tree, x, chart), velocity(x, x_dot, chart)


def best_chart(tree: Tree, q: np.ndarray) -> EulerChart:
    """ZYX or ZXY, whichever is farther from its singularity at q (nq,)."""
    R = se3.rotation(vehicle_pose(tree, q))
    return max((ZYX, ZXY), key=lambda chart: float(chart.distance(R)))


def switched(tree: Tree, state: ChartState) -> ChartState:
    """The same state, in the other chart if its own is within the switching distance of its singularity."""
    q, v = chart_configuration(tree, state)
    if state.chart.distance(se3.rotation(vehicle_pose(tree, q))) >= SWITCH_BELOW:
        return state
    return chart_state(tree, q, v)


def two_chart_step(
    tree: Tree, state: ChartState, tau: np.ndarray, gravity: np.ndarray, step: float
) -> ChartState:
    """One Runge–Kutta step of `step` seconds under constant forces tau (nv,), in a chart that is safe."""
    x, x_dot, chart = switched(tree, state)
    y = rk4_step(lambda y: euler_rates(tree, y, tau, gravity, chart), np.concatenate([x, x_dot]), step)
    return ChartState(y[: tree.nv], y[tree.nv :], chart)
