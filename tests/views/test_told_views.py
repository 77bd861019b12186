"""Plots, viewer, pictures and report of what a law tells: targets, errors, allocation, estimates."""

import re

import numpy as np
import pytest
from tests.support.recorded_runs import reaching_servicer, told_servicer

import unmoored as um
from unmoored.cli.main import app
from unmoored.lie import se3
from unmoored.sensing.estimated import Estimate
from unmoored.simulation.estimated_position import estimated_position
from unmoored.simulation.run_goals import EstimateErrors
from unmoored.views import plot, render, view
from unmoored.views.plots import told_figures
from unmoored.views.plots.estimate_figures import _errors
from unmoored.views.report import report, report_charts
from unmoored.views.report.embedded_playback import playback
from unmoored.views.report.tables import goals
from unmoored.views.told_places import told_places


@pytest.fixture(scope="module")
def run():
    return told_servicer()


def drawn(figure):
    return [axes for axes in figure.axes if axes.axison]


def curves(figure):
    return {axes.get_title(loc="left"): [line.get_ydata() for line in axes.lines] for axes in drawn(figure)}


def test_each_figure_is_there_when_its_law_tells_something(run):
    assert told_figures(run) == ("targets", "errors", "allocation", "estimate")
    for what in told_figures(run):
        for axes in drawn(plot(run, what)):
            assert re.search(r"\[.+\]$", axes.get_ylabel())
            assert axes.get_xlabel() == "time [s]"


def test_targets_beside_what_is_reached(run):
    found = curves(plot(run, "targets"))
    goal = run.goals["1 PoseTask tool"]
    x, wanted = found["1 PoseTask tool: position"][:2]
    np.testing.assert_allclose(x, run.system.pose(run.q, "tool")[:, 0, 3], rtol=0, atol=1e-14)
    np.testing.assert_array_equal(wanted, goal.target[:, 0, 3])
    assert "level 3: joints" in found
    only = curves(plot(run, "targets", goals=["2 PositionTask bus"]))
    assert list(only) == ["2 PositionTask bus: position"]


def test_errors_of_every_task_and_the_loss_of_levels(run):
    found = curves(plot(run, "errors"))
    np.testing.assert_array_equal(
        found["1 PoseTask tool: error"][0], run.goals["1 PoseTask tool"].error[:, 3], err_msg="rad come last"
    )
    np.testing.assert_array_equal(found["missing in each level"][1], run.memory["0.loss"][:, 1])
    assert np.isnan(found["2 PositionTask bus: error"][0][run.t < 1.0]).all()


def test_allocation_shows_what_was_wanted_given_and_not(run):
    found = curves(plot(run, "allocation", joints=["bus"]))
    wanted, missing = run.wanted_forces, run.unallocated
    given = run.plant.delivered_forces(run.t, run.q, run.v, run.u)
    np.testing.assert_array_equal(found["forces delivered"][0], given[:, 0])
    np.testing.assert_array_equal(found["forces delivered"][1], wanted[:, 0])
    np.testing.assert_array_equal(found["moments not given"][2], missing[:, 5])
    levels = [
        y[0] for name, lines in found.items() if name.endswith("actuators") for y in lines if len(y) == 2
    ]
    assert {-3.0, 3.0} <= set(levels)


def test_estimate_in_world_axes_with_its_deviations(run):
    place = run.estimated_position
    g = run.system.pose(run.estimate.q, "bus")
    R = g[:, :3, :3]
    np.testing.assert_allclose(
        place.covariance, R @ np.diag([0.04, 0.01, 0.09]) @ R.transpose(0, 2, 1), atol=1e-15
    )
    figure = plot(run, "estimate")
    x, truth = curves(figure)["position of bus, x"][:2]
    np.testing.assert_array_equal(x, g[:, 0, 3])
    np.testing.assert_array_equal(truth, run.q[:, 9])
    band = drawn(figure)[0].collections[0].get_paths()[0].vertices[:, 1]
    half = 2 * np.sqrt(place.covariance[:, 0, 0])
    assert np.isclose(np.ptp(band), np.ptp(np.r_[x - half, x + half]))


def test_errors_of_a_plant_filter_are_grouped_by_what_they_are_of(run):
    """Of its tangent: places of DoFs, their velocities, and states of actuators, as they are."""
    tree, rng = run.system.tree, np.random.default_rng(9)
    names = (
        f"d {tree.dof_names[0]}",
        f"d {tree.dof_names[4]}",
        tree.dof_names[0],
        tree.dof_names[4],
        "lag of a",
    )
    own = EstimateErrors(names, rng.normal(size=(30, 5)), rng.random((30, 5)), "")
    words = [
        ("configuration", "m"), ("configuration", "rad"), ("velocity", "m/s"), ("velocity", "rad/s"),
        ("states of actuators", "1"),
    ]  # fmt: skip
    panels = _errors(run, own)
    assert [(panel.title, panel.unit) for panel in panels] == [(f"error of {x}", unit) for x, unit in words]
    for k, panel in enumerate(panels):
        assert panel.names == (names[k],)
        np.testing.assert_array_equal(panel.values, own.error[:, [k]])
        np.testing.assert_array_equal(panel.band, 2.0 * own.deviation[:, [k]])


def test_the_position_of_a_plant_filter_is_that_of_its_vehicle(run):
    tree, n = run.system.tree, 3
    names = tuple(f"d {name}" for name in tree.dof_names)
    P = np.broadcast_to(np.diag(np.arange(1.0, 14.0)), (n, 13, 13))
    found = estimated_position(tree, Estimate(run.q[:n], None, P), EstimateErrors(names, None, None))
    assert found.frame == "bus"
    np.testing.assert_allclose(np.trace(found.covariance, axis1=1, axis2=2), 6.0)


def test_what_no_law_tells_is_refused_with_the_reason():
    plain = reaching_servicer(duration=0.1)
    assert told_figures(plain) == ()
    for what, words in (
        ("targets", "a run whose law tells goals"), ("errors", "a run whose law tells goals"),
        ("allocation", "Allocated law"), ("estimate", "Estimated law"),
    ):  # fmt: skip
        with pytest.raises(um.ModelError, match=words):
            plot(plain, what)


def test_unknown_goals_are_refused_with_the_names_there_are(run):
    with pytest.raises(um.ModelError, match="1 PoseTask tool"):
        plot(run, "errors", goals=["3 PoseTask tool"])


def test_places_in_the_viewer(run):
    with view(run, port=0, wait=False) as viewer:
        content = viewer.content
        content.playback.go(2.0)
        targets, estimate = (g[0] for g in content._overlays._groups[-2:])
        (axes, line), (ball, still) = targets._nodes
        row = told_places(run).row(2.0)
        np.testing.assert_allclose(axes.position, run.goals["1 PoseTask tool"].target[row][:3, 3])
        np.testing.assert_allclose(ball.position, [0.3, 0.2, 0.1])
        assert line.visible
        assert not still.visible
        np.testing.assert_allclose(sorted(estimate._mesh.scale), [0.2, 0.4, 0.6])
        np.testing.assert_allclose(estimate._mesh.position, run.estimated_position.position[row])
        titles = [chart._curves.title for chart in content._charts[0]._charts]
        assert titles[:5] == [
            "errors of goals",
            "errors of goals",
            "forces",
            "moments",
            "error of the estimated position",
        ]
        truth, place = run.system.pose(run.q, "bus")[:, :3, 3], run.estimated_position
        found = content._charts[0]._charts[4]._curves
        error, deviations = np.linalg.norm(truth - place.position, axis=-1), [0.1, 0.2, 0.3]
        np.testing.assert_allclose(found.y, [error, 2 * np.linalg.norm(deviations) + 0 * error], rtol=1e-9)
        content.playback.go(0.5)
        assert not ball.visible, "its task has not begun"


def test_pictures_have_axes_where_frames_are_wanted(run, tmp_path):
    from PIL import Image

    with_them, without = (
        np.asarray(Image.open(render(run, tmp_path / f"{k}.png", size=(320, 200), time=2.0, targets=k)))
        for k in (True, False)
    )
    assert with_them.shape == without.shape
    assert (np.abs(with_them.astype(int) - without).max(axis=-1) > 60).sum() > 20


def test_the_report_has_them(run):
    targets = playback(run)["targets"]
    assert [target["name"] for target in targets] == ["1 PoseTask tool", "2 PositionTask bus"]
    assert set(told_figures(run)) == set(report_charts._TOLD)
    rows = goals(run)
    assert re.fullmatch(r"[\d.]+ ° \(rms [\d.]+\)", rows["3 PostureTask shoulder_yaw"])
    off = run.goals["2 PositionTask bus"].error
    assert rows["2 PositionTask bus"].startswith(f"{np.linalg.norm(off[-1]):.3g} m (rms ")


@pytest.mark.long
def test_the_whole_report(run, tmp_path):
    text = report(run, tmp_path / "out.html").read_text(encoding="utf-8")
    for words in ("Targets of the law", "Errors of its goals", "Forces wanted and given", "The filter"):
        assert words in text
    assert re.search(r"3 PostureTask [\w ]+</th><td>[\d.]+ °", text)


def test_plots_on_the_command_line(run, tmp_path):
    from typer.testing import CliRunner

    run.save(tmp_path / "run.zarr")
    done = CliRunner().invoke(
        app, ["plot", str(tmp_path / "run.zarr"), str(tmp_path / "e.png"), "--what", "errors"]
    )
    assert done.exit_code == 0, done.output
    assert (tmp_path / "e.png").stat().st_size > 5000
    wrong = CliRunner().invoke(
        app, ["plot", str(tmp_path / "run.zarr"), str(tmp_path / "e.png"), "--what", "eror"]
    )
    assert "errors" in str(wrong.exception)


def test_targets_that_are_reached_are_on_the_group(run):
    goal = run.goals["1 PoseTask tool"]
    g = run.system.pose(run.q, "tool")
    np.testing.assert_allclose(g @ se3.exp(goal.error), goal.target, atol=1e-12)
