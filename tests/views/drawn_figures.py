"""One figure of each kind, of small made-up results."""

from dataclasses import replace
from types import SimpleNamespace
from unittest import mock

import numpy as np
from tests.support.recorded_runs import reaching_servicer, told_servicer, tumbling_brick

import unmoored as um
from unmoored.planning import Capability, FloatingWorkspace, ReachMap
from unmoored.views import save_picture
from unmoored.views.plots import campaign_figure, plan_figure, plot, residual_figure, told_figures


def campaign_samples():
    """Values (samples, times, channels) of a campaign, some ending in NaN, and their times (T,)."""
    rng, t = np.random.default_rng(4), np.linspace(0.5, 2.5, 6)
    return rng.normal(size=(40, 6, 2)).cumsum(axis=1) * [1.0, 20.0] + [0.0, 5.0], t


def campaign_statistics(design="random"):
    """Statistics of these samples, by NumPy."""
    x, t = campaign_samples()
    last, low, high = x[:, -1], x.min(axis=1), x.max(axis=1)
    half = 0.31 * last.std(axis=0)
    return SimpleNamespace(
        t=t, channels=("height of bus [m]", "torque"), labels=("height of bus [m]", "torque"), design=design,
        confidence=0.95, failed=3, left_out=2,
        failure_probability=0.075, failure_interval=lambda: (0.0157, 0.2039), ended={"completed": 37, "blew up": 3},
        quantiles=lambda levels: np.quantile(x, levels, axis=0), lowest=x.min(axis=0), highest=x.max(axis=0),
        of_last=SimpleNamespace(
            mean=last.mean(axis=0), deviation=last.std(axis=0),
            quantiles=lambda levels: np.quantile(last, levels, axis=0),
            mean_interval=lambda: SimpleNamespace(low=last.mean(axis=0) - half, high=last.mean(axis=0) + half),
        ),
        of_lowest=SimpleNamespace(lowest=low.min(axis=0), lowest_sample=low.argmin(axis=0)),
        of_highest=SimpleNamespace(highest=high.max(axis=0), highest_sample=high.argmax(axis=0)),
    )  # fmt: skip


def identified():
    """What an identification leaves of two recordings of four entries."""
    rng, names = np.random.default_rng(5), ("bus.vx", "bus.vy", "elbow", "wrist")
    residuals = tuple(
        SimpleNamespace(
            names=names,
            t=np.linspace(0.0, 1.0, n),
            values=rng.normal(size=(n, 4)).cumsum(axis=0),
            deviations=rng.random(4),
        )
        for n in (50, 31)
    )
    c = rng.normal(size=(3, 3))
    return SimpleNamespace(residuals=residuals, names=("mass", "damping", "offset"), correlations=c @ c.T / 5)


def plans():
    """A workspace, a capability and a map, of made-up numbers."""
    turn, rng = np.linspace(0.0, 5.0, 9), np.random.default_rng(6)
    branch = np.stack([turn, np.cos(turn)], axis=-1)
    directions = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=-1)[[3, 0, 5, 1, 8, 7, 2, 4, 6]]
    largest = np.r_[np.inf, 1.0 + np.arange(8)]
    grid = np.stack(np.meshgrid([0.0, 1.0], [0.0, 2.0, 4.0], [0.5, 1.5], indexing="ij"), axis=-1)
    reached = rng.random(grid.shape[:-1]) > 0.4
    return {
        "workspace": FloatingWorkspace(
            (0.1, 2.0), ((0.5, 1.0),), ((0.1, 0.5), (1.0, 2.0)), ("shoulder", "elbow"), (branch, branch[:4] / 3),
            (turn, turn[:4]),
        ),
        "capability": Capability(largest, directions, np.zeros((9, 1)), ((),) * 9),
        "map": ReachMap(
            grid, reached, rng.random(reached.shape) * reached, 0.0 * reached, np.eye(3)[None],
            np.zeros((*reached.shape, 1)),
        ),
    }  # fmt: skip


def still():
    """The figure that a still picture of an arm without shapes is written from."""
    system, seen = um.load("spart_sc_3dof"), []
    system = um.System(
        replace(system.tree, bodies=tuple(replace(body, visuals=()) for body in system.tree.bodies))
    )
    with mock.patch("matplotlib.figure.Figure.savefig", lambda figure, path, dpi: seen.append(figure)):
        save_picture(system, system.random_configuration(5), "nowhere.png", title="still")
    return seen[0]


def figures():
    """(name, figure) of all."""
    run, brick, told = reaching_servicer(duration=0.2), tumbling_brick(duration=0.2), told_servicer()
    batch = tumbling_brick(duration=0.2, samples=5)
    for what in ("overview", "states", "base_attitude", "energy", "momentum", "forces", "path", "phase"):
        yield f"{what} of the servicer", plot(run, what)
    for what in ("overview", "phase"):
        yield f"{what} of the brick", plot(brick, what)
    yield "narrow states", plot(brick, "states", size=(3.4, 9.0))
    yield "fan", plot(batch, "fan")
    yield "fan of three", plot(batch, "fan", percentiles=(10, 40, 90), size=(6.0, 5.0))
    for what in told_figures(told):
        yield what, plot(told, what)
    for what in ("fan", "last"):
        yield f"{what} of a campaign", campaign_figure(campaign_statistics(), what)
    yield (
        "last of five channels",
        campaign_figure(campaign_statistics(), "last", channels=("torque",) * 5, title="five"),
    )
    for what in ("residuals", "whiteness", "correlations"):
        yield what, residual_figure(identified(), what)
    for what, found in plans().items():
        yield what, plan_figure(found, title="" if what == "map" else "planned")
    yield "still", still()
