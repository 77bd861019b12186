"""How much is drawn at most, and what is drawn at the edges: panels, rows, points, trails, words."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests.support.recorded_runs import reaching_servicer, record, told_servicer, tumbling_brick
from tests.views.drawn_figures import campaign_statistics, identified, plans

import unmoored as um
from unmoored.views import plot
from unmoored.views.notebook import system_table
from unmoored.views.plots import campaign_figure, plan_figure, residual_figure
from unmoored.views.plots.panels import Panel, panel_figure
from unmoored.views.report import report_charts
from unmoored.views.report.tables import table, words
from unmoored.views.viewer import run_view
from unmoored.views.viewer.actor import Actor
from unmoored.views.viewer.overlays.told import _draw_path
from unmoored.views.viewer.shown_instant import at_rest
from unmoored.views.viewer.time_charts import Charts
from unmoored.views.viewer.timeline import timelines
from unmoored.views.viewer.told_curves import told_curves
from unmoored.views.viewer.trails import Trail, Trails


@pytest.fixture(scope="module")
def chain():
    """A vehicle with 44 joints and 14 frames, at rest, 3000 rows."""
    b = um.SystemBuilder("chain")
    last = b.vehicle("bus", um.Free(), inertia=um.Inertia.box(20.0, (1, 1, 1)))
    for k in range(44):
        last = b.link(f"l{k}", parent=last, joint=um.Revolute(axis=(1, 0, 0)), at=um.Pose(xyz=(0, 0, 0.2)),
                      inertia=um.Inertia.box(1.0, (0.1, 0.1, 0.2)))  # fmt: skip
    for k in range(14):
        b.frame(f"f{k}", parent=f"l{k}")
    system, t = b.build(), np.linspace(0.0, 3.0, 3000)
    q = np.tile(system.neutral(), (len(t), 1))
    q[:, 9], q[:, 12:] = t, 0.1 * t[:, None]
    return um.Run(system, t, q, np.zeros((len(t), system.nv)), lengths=np.array([len(t)]))


def drawn(figure):
    return [axes for axes in figure.axes if axes.axison]


def test_figures_of_many_joints_show_the_first_ones(chain):
    few = replace(chain, t=chain.t[:3], q=chain.q[:3], v=chain.v[:3], lengths=np.array([3]))
    assert [a.get_xlabel() for a in drawn(plot(few, "phase"))] == [f"l{k} [rad]" for k in range(9)]
    batch = replace(
        few, q=np.stack([few.q] * 2), v=np.stack([few.v] * 2), lengths=np.array([3, 3]), status=()
    )
    labels = [a.get_ylabel() for a in drawn(plot(batch, "fan"))]
    assert labels == [f"{x} {i} [m]" for x in ("bus", "f0") for i in "xyz"] + [
        f"l{k} [rad]" for k in range(6)
    ]
    panels = [Panel(f"{k}", "m", ("a",), few.q[:, [12]]) for k in range(30)]
    assert [a.get_title(loc="left") for a in drawn(panel_figure(few.t, panels, None, ""))] == [
        f"{k}" for k in range(24)
    ]
    odd = panel_figure(few.t, panels[:5], None, "")
    assert (len(odd.axes), len(drawn(odd))) == (6, 5)


def test_panels_are_split_into_fours_and_those_with_others_into_threes():
    t, y = np.arange(3.0), np.arange(30.0).reshape(3, 10)
    names = tuple("abcdefghij")
    alone = panel_figure(t, [Panel("p", "m", names, y)], None, "")
    assert [[x.get_label() for x in a.lines] for a in drawn(alone)] == [
        list("abcd"),
        list("efgh"),
        list("ij"),
    ]
    both = drawn(panel_figure(t, [Panel("p", "m", names, y, other=-y)], None, ""))
    assert [len(a.lines) for a in both] == [7, 7, 7, 3]
    np.testing.assert_array_equal(
        [x.get_ydata() for x in both[2].lines[:6]], [s * y[:, k] for k in (6, 7, 8) for s in (1, -1)]
    )
    held = drawn(panel_figure(t, [Panel("p", "m", names[:1], y, steps=True, limits=(1.5, 9.0))], None, ""))[0]
    assert held.lines[0].get_drawstyle() == "steps-post"
    assert [x.get_ydata()[0] for x in held.lines[1:3]] == [1.5, 9.0]


def test_trails_and_plots_are_thinned_and_keep_their_ends(server, chain):
    (timeline,) = timelines(chain)
    actor = Actor(server, chain.system, "chain")
    trail = Trail(server, actor, "bus", (0, 0, 0), timeline)
    trail.show(timeline.at(3.0))
    assert len(trail._node.points) == 1500
    np.testing.assert_allclose(trail._node.points[[0, -1], [0, 1], 0], [0.0, 3.0], atol=1e-6)
    seen = Trail(server, actor, "bus", (0, 0, 0), None)
    for k in range(1502):
        seen._times, seen._points = (
            (np.arange(k), np.zeros((k, 3))) if k == 1499 else (seen._times, seen._points)
        )
        if k >= 1499:
            seen.show(replace(at_rest(chain.system), t=float(k)))
    assert len(seen._points) == len(seen._times) == 1500
    assert (seen._times[0], seen._times[-1]) == (2.0, 1501.0)
    first = len(server.added)
    Trails(server, server.gui, [actor], [timeline])
    assert [asked["label"] for call, asked, _ in server.added[first:]] == [
        f"trail of f{k}" for k in (13, *range(11))
    ]
    assert {len(chart._t) for chart in Charts(server.gui, timeline)._charts} == {400}
    told = told_servicer()
    rows = np.linspace(0, 29, 1000)
    long = replace(
        told, t=np.linspace(0, 3, 1000), q=told.q[rows.astype(int)], v=np.zeros((1000, 13)), u=None, memory={},
        lengths=np.array([1000]), kept_estimate_errors=None,
    )  # fmt: skip
    t, curves = told_curves(long)
    assert len(t) == 400
    assert all(c.y.shape[1] == 400 for c in curves)
    assert (t[0], t[-1]) == (0.0, 3.0)
    node = SimpleNamespace()
    _draw_path(node, np.arange(15000.0).reshape(5000, 3))
    assert len(node.points) == 1499


def test_tables_and_words_are_cut_where_they_say():
    assert words(np.arange(8.0)) == "0, 1, 2, 3, 4, 5, 6, 7"
    assert words(np.arange(9.0)) == "array (9,)"
    assert table({"a_b": "x" * 160}, empty="").count("x") == 160
    folded = table({"a": "x" * 161}, empty="")
    assert f"<summary>{'x' * 80}…</summary>{'x' * 161}</details>" in folded


def test_notebooks_tell_forty_bodies(chain):
    shown = system_table(chain.system)
    assert "l38<" in shown
    assert "l39<" not in shown
    assert "… and 5 more bodies" in shown
    assert "frames f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, …" in shown


def test_figures_with_very_many_points_are_pixels(monkeypatch):
    figure = plot(tumbling_brick(duration=0.1), "energy")
    count = sum(len(line.get_xdata()) for axes in figure.axes for line in axes.lines)
    monkeypatch.setattr(report_charts, "_saved", lambda figure, **options: b"%d" % options.get("dpi", 0))
    for most, kind in ((count, "svg+xml"), (count - 1, "png")):
        monkeypatch.setattr(report_charts, "_MOST_POINTS", most)
        assert report_charts._picture(figure).startswith(f"data:image/{kind};base64,")


def test_charts_have_their_sizes_and_are_pixels_from_forty_thousand_points_on(monkeypatch):
    asked = []

    def figure(count):
        line = SimpleNamespace(get_xdata=lambda: range(count))
        return SimpleNamespace(axes=[SimpleNamespace(lines=[line], axison=False)])

    monkeypatch.setattr(report_charts, "_saved", lambda figure, **options: b"")
    monkeypatch.setattr(
        report_charts, "plot", lambda run, what, title, size: asked.append((title, size)) or figure(40_001)
    )
    for what, size in (
        ("momentum", (6.4, 4.8)),
        ("path", (6.4, 5.2)),
        ("phase", (6.4, 5.2)),
        ("states", None),
    ):
        assert "image/png" in report_charts._chart(None, what, "title")
        assert asked.pop() == ("", size)
    assert "image/svg" in report_charts._picture(figure(40_000))


def test_limits_of_inputs_that_are_none_are_not_drawn():
    brick = tumbling_brick(duration=0.04)
    told = replace(
        brick, memory={"unallocated": np.zeros((3, 6)), "allocation.wanted": np.ones((3, 6))}, plant=None,
        kept_input_limits=np.array([[-1e11, 1e11], *[[-0.9e11, 2.0]] * 5]), provenance={"world": ["Space()"]},
    )  # fmt: skip
    drawn_limits = {
        line.get_ydata()[0]
        for axes in drawn(plot(told, "allocation"))
        for line in axes.lines
        if len(line.get_ydata()) == 2
    }
    assert drawn_limits == {-0.9e11, 2.0}


def test_the_camera_takes_24_instants_of_a_run_into_account(monkeypatch):
    looked = []
    monkeypatch.setattr(run_view, "extent", lambda tree, q: looked.append(q) or (-q[9:], q[9:] + 1.0))
    run = tumbling_brick(duration=1.0)
    (view,) = (object.__new__(run_view.RunView),)
    view._shown, view._recordings = list(timelines(run)), []
    view._box()
    assert len(looked) == 24
    np.testing.assert_array_equal([looked[0], looked[-1]], run.q[[0, -1]])


def test_files_of_figures_have_150_dots_for_an_inch(monkeypatch, tmp_path):
    """All kinds of figures take a path, and dots for an inch."""
    seen = []
    monkeypatch.setattr(
        "matplotlib.figure.Figure.savefig", lambda figure, path, **options: seen.append((path, options))
    )
    path, brick = tmp_path / "a.png", tumbling_brick(duration=0.04)
    plot(brick, "energy", path)
    campaign_figure(campaign_statistics(), "last", path)
    residual_figure(identified(), "correlations", path)
    plan_figure(plans()["map"], path)
    assert seen == [(path, {"dpi": 150})] * 4
    plot(brick, "energy", path, dpi=70)
    assert seen[-1] == (path, {"dpi": 70})


def test_correlations_are_told_up_to_sixty_rows_or_a_third_of_the_shortest_recording():
    found, rng = identified(), np.random.default_rng(7)
    for length, lags in ((400, 60), (180, 60), (179, 59), (2, 1)):
        found.residuals[1].t, found.residuals[1].values = np.arange(length), rng.normal(size=(length, 4))
        found.residuals[0].t, found.residuals[0].values = np.arange(500), rng.normal(size=(500, 4))
        cells = residual_figure(found, "whiteness").axes[:4]
        for cell in cells:
            assert [len(line.get_xdata()) for line in cell.lines] == [lags + 1] * 2
            assert cell.lines[0].get_ydata()[0] == 1.0


def test_bands_of_residuals_hold_95_percent_of_noise():
    """1.96 of the largest deviation that a filter or fit tells, and of the deviation of correlations of noise."""
    found = identified()
    for what, halves in (
        ("residuals", 1.96 * np.max([left.deviations for left in found.residuals], axis=0)),
        ("whiteness", [1.96 / np.sqrt(31)] * 4),
    ):
        figure = residual_figure(found, what, title="of two")
        assert figure._suptitle.get_text() == "of two"
        for half, cell in zip(halves, figure.axes, strict=False):
            (band,) = cell.patches
            box = band.get_bbox()
            assert (box.y0, box.y1) == pytest.approx((-half, half), rel=1e-12)


def test_a_capability_has_few_numbers_along_its_radius():
    (axes,) = plan_figure(plans()["capability"]).axes
    assert len(axes.get_yticks()) <= 5


@pytest.mark.parametrize("what", ["residuals", "whiteness"])
def test_residuals_of_one_recording_have_a_cell_and_a_line_for_each_entry(what):
    found = identified()
    found.residuals = found.residuals[:1]
    cells = [axes for axes in residual_figure(found, what).axes if axes.axison]
    assert tuple(axes.get_ylabel() for axes in cells) == found.residuals[0].names
    assert all(len(axes.lines) == 1 for axes in cells)


def test_units_of_a_plant_of_all_kinds_of_actuators():
    from unmoored.views.plots.run_channels import inputs

    brick = um.load("tumbling_brick")
    jets = [um.Thruster("brick", name="a"), um.Wrench("brick", name="hand")]
    plant = um.Plant(brick, actuators=jets)
    run = record(brick, brick.neutral(), np.zeros(6), duration=0.04)
    driven = replace(run, u=np.arange(21.0).reshape(3, 7), plant=plant, input_names=plant.input_names)
    found = {c.unit: (c.names, c.values[1].tolist()) for c in inputs(driven)}
    assert found["N"][1] == [7.0, 8.0, 9.0, 10.0]
    assert found["N m"][1] == [11.0, 12.0, 13.0]


def test_channels_of_a_batch_are_those_of_its_samples():
    from unmoored.views.plots import run_channels as ch

    batch = reaching_servicer(duration=0.06, samples=3)
    assert np.shape(batch.u) == (3, 4, 13)
    strange = replace(batch, input_names=tuple(f"u{k}" for k in range(13)))
    told = {
        "coordinates": lambda run: ch.joint_coordinates(run),
        "some coordinates": lambda run: ch.joint_coordinates(run, ["bus", "elbow_pitch"]),
        "velocities": lambda run: ch.joint_velocities(run),
        "vehicle": lambda run: ch.vehicle_velocities(run, "bus"),
        "places": lambda run: [ch.vehicle_position(run, "bus"), ch.vehicle_attitude(run, "bus")],
        "frames": lambda run: [ch.frame_position(run, name) for name in ("tool", "elbow_pitch", "world")],
        "inputs": ch.inputs,
    }
    for name, channels in told.items():
        for run in (batch, strange):
            every = channels(run)
            assert every
            for s in range(3):
                for found, alone in zip(every, channels(run.sample(s)), strict=True):
                    assert (found.title, found.unit, found.names) == (alone.title, alone.unit, alone.names), (
                        name
                    )
                    assert found.values.shape == (3, 4, len(found.names))
                    np.testing.assert_allclose(found.values[s], alone.values, rtol=0, atol=1e-12)
    assert [(c.unit, c.names) for c in ch.inputs(strange)] == [("command", strange.input_names)]
    assert ch.inputs(replace(batch, u=None)) == ch.inputs(replace(batch, u=np.zeros((3, 4, 0)))) == []


def test_the_last_panel_of_the_overview_is_what_acts_most():
    run = reaching_servicer(duration=0.1)
    figure = plot(run, "overview")
    last = drawn(figure)[-1]
    assert last.get_ylabel() == "moments [N m]"
    assert len(last.lines) == np.any(run.u[:, 3:], axis=0).sum()
    still = replace(run, u=np.zeros_like(run.u))
    axes = drawn(plot(still, "overview"))[-1]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x [m]", "y [m]")


@pytest.mark.parametrize("channels", [("torque",), ("torque",) * 3])
def test_the_legend_of_fans_covers_no_curve(channels):
    """It is below the plots, within the figure."""
    figure = campaign_figure(campaign_statistics(), "fan", channels=channels)
    figure.canvas.draw()
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["5–95 %", "25–75 %", "median", "extremes"]
    box = legend.get_window_extent()
    assert all(box.y1 <= axes.get_window_extent().y0 for axes in figure.axes)
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.x1


def test_shapes_of_a_single_joint_are_drawn_against_themselves():
    one = um.planning.FloatingWorkspace(
        (0.1, 1.0), (), ((0.1, 1.0),), ("elbow",), (np.array([[0.0], [0.5]]),), ((),)
    )
    left = plan_figure(one).axes[0]
    assert (left.get_xlabel(), left.get_ylabel()) == ("elbow [deg]", "elbow [deg]")
    np.testing.assert_allclose(left.lines[0].get_xydata(), np.degrees([[0.0, 0.0], [0.5, 0.5]]))
