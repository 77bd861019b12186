"""Views just at the bounds that they keep: gaps, shares, frames of films, grids, meshes, bars, budgets."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import unmoored as um
from unmoored.views import plot
from unmoored.views.notebook import plant_table
from unmoored.views.plots.allocation_figures import _acting
from unmoored.views.plots.fans import checked_levels
from unmoored.views.plots.motion_figures import unwound
from unmoored.views.render.filming import grid_cell
from unmoored.views.render.lettering import contrast
from unmoored.views.render.raster import fragments
from unmoored.views.report import campaign_page
from unmoored.views.report.embedded_playback import clustered, frame_count, total_triangles, within_budget
from unmoored.views.report.tables import summary
from unmoored.views.shapes.invented_shapes import equal_box
from unmoored.views.shapes.mesh_files import mesh_shape
from unmoored.views.shapes.primitives import sphere
from unmoored.views.tied_frames import acts, acts_as_built
from unmoored.views.told_places import TargetTrack
from unmoored.views.viewer.environment_nodes import round_length
from unmoored.views.viewer.joint_sliders import JointSliders
from unmoored.views.viewer.time_controls import Playback

GREY = (0.5, 0.5, 0.5, 1.0)


def run_of(joint, rows=4):
    """A vehicle on a joint, which moves steadily."""
    b = um.SystemBuilder("one")
    b.vehicle("one", joint, inertia=um.Inertia.box(1.0, (1, 1, 1)))
    system, t = b.build(), np.linspace(0.0, 1.0, rows)
    v = np.tile(0.1 + 0.1 * np.arange(system.nv), (rows, 1))
    q = system.retract(np.tile(system.neutral(), (rows, 1)), t[:, None] * v)
    return um.Run(system, t, q, v, lengths=np.array([rows]))


@pytest.mark.parametrize(("joint", "count"), [(um.Universal(), 1), (um.Spherical(), 3), (um.Planar(), 0)])
def test_a_vehicle_that_turns_about_two_axes_has_a_phase_portrait(joint, count):
    axes = plot(run_of(joint), "phase").axes
    assert sum(cell.axison for cell in axes) == count
    if not count:
        assert axes[0].texts[0].get_text() == "no joint has a coordinate"


def test_curves_have_gaps_where_angles_jump_by_more_than_half_a_turn():
    for step, gap in ((180.0, False), (180.1, True)):
        assert np.isnan(unwound(np.array([[0.0], [step]]))[1, 0]) == gap


def test_forces_beyond_a_billionth_of_the_largest_are_shown():
    assert _acting(np.array([[1.0, 1.1e-9, 0.9e-9, 0.0], [-4.0, np.nan, 0.0, 0.0]])) == [0]
    assert _acting(np.array([[1.0, -1.1e-9, 0.9e-9, 0.0]])) == [0, 1]
    assert _acting(np.zeros((2, 3))) == [0, 1, 2]


def test_percentiles_go_from_none_to_all():
    assert checked_levels((0, 50, 100)).tolist() == [0.0, 50.0, 100.0]
    assert checked_levels(50).tolist() == [50.0]
    for bad in ((0, 50, 100.1), (-0.1, 50, 100), (50, 50, 100), (0, 100), [[1, 2, 3]]):
        with pytest.raises(um.ModelError, match="odd number of rising levels"):
            checked_levels(bad)


def test_limits_that_are_none_are_not_told():
    brick = um.load("tumbling_brick")
    for most, words in ((1e11, "Wrench<"), (0.9e11, "Wrench within -9e+10 … 9e+10<")):
        hand = um.Wrench("brick", name="hand", limits=(-most, most))
        assert words in plant_table(um.Plant(brick, actuators=[hand]))


@pytest.mark.parametrize(
    ("scale", "cell"),
    [
        (3.0, 1.0),
        (2.99, 0.5),
        (5.9, 1.0),
        (6.0, 2.0),
        (14.9, 2.0),
        (15.0, 5.0),
        (0.3, 0.1),
        (6.0 / (1 + 1e-9), 2.0),
    ],
)
def test_cells_of_grids_are_round_and_at_most_a_third(scale, cell):
    assert grid_cell(scale) == pytest.approx(cell, rel=1e-12)


@pytest.mark.parametrize(
    ("x", "round_"), [(1.4, 1.0), (1.5, 2.0), (3.1, 2.0), (3.2, 5.0), (7.0, 5.0), (7.2, 10.0)]
)
def test_lengths_are_rounded_by_their_ratio(x, round_):
    assert round_length(x) == pytest.approx(round_, rel=1e-12)


def test_contrast_is_that_of_the_guidelines():
    """Relative luminance of sRGB, linear below 0.04045."""
    for grey, luminance in (
        (0.0, 0.0),
        (0.04, 0.04 / 12.92),
        (0.05, ((0.05 + 0.055) / 1.055) ** 2.4),
        (1.0, 1.0),
    ):
        expected = 1.05 / (luminance + 0.05)
        assert contrast((1.0, 1.0, 1.0), np.full((1, 3), grey))[0] == pytest.approx(expected, rel=1e-12)
        assert contrast((grey,) * 3, np.ones((1, 3)))[0] == pytest.approx(expected, rel=1e-12)
    weights = [contrast((0.0, 0.0, 0.0), np.eye(3)[[k]])[0] * 0.05 - 0.05 for k in range(3)]
    assert weights == pytest.approx([0.2126, 0.7152, 0.0722], abs=1e-12)


def test_triangles_are_drawn_down_to_the_eye():
    points = np.array([[1.0, 1.0, 2e-9], [5.0, 1.0, 2e-9], [3.0, 5.0, 2e-9]])
    assert len(fragments(points, np.array([[0, 1, 2]]), 8, 8).pixel) > 0
    points[2, 2] = 1e-9
    assert len(fragments(points, np.array([[0, 1, 2]]), 8, 8).pixel) == 0


def test_places_of_a_target_count_once_until_they_move_by_a_nanometre():
    for step, count in ((0.9e-9, 1), (1.1e-9, 4)):
        poses = np.tile(np.eye(4), (4, 1, 1))
        poses[:, 0, 3] = step * np.arange(4)
        assert len(TargetTrack("a", poses, True).path) == count
    nowhere = TargetTrack("a", np.full((4, 4, 4), np.nan), True)
    assert nowhere.path.shape == (0, 3)


def test_ties_act_from_more_than_a_half_on():
    for active, on in ((0.5, False), (0.51, True)):
        tie = SimpleNamespace(label="tie", active=active)
        assert acts_as_built(tie, 0.0) == on
        run = SimpleNamespace(
            t=np.array([0.0, 1.0]), switches={"tie.active": np.array([active, 1.0])}, batched=False
        )
        assert acts(run, tie, 0.0) == on
        assert acts(run, tie, 1.0)


def test_masses_without_size_are_cubes_of_water_and_thin_ones_have_a_twentieth():
    assert equal_box(um.Inertia(8.0, tensor=(1e-19,) * 3))[0] == pytest.approx([0.2] * 3)
    assert sorted(equal_box(um.Inertia.box(1.0, (2.0, 2.0, 0.0)))[0]) == pytest.approx([0.1, 2.0, 2.0])


@pytest.mark.parametrize(("far", "shown"), [(1e6, True), (1.1e6, False)])
def test_meshes_reach_as_far_as_anything_drawn(tmp_path, far, shown):
    (tmp_path / "a.off").write_text(f"OFF\n3 1 0\n0 0 0\n{far} 0 0\n0 1 0\n3 0 1 2\n")
    mesh = um.Mesh(str(tmp_path / "a.off"))
    if shown:
        assert mesh_shape(mesh, GREY).vertices.max() == far
    else:
        with pytest.warns(um.ModelWarning, match="within 1e"):
            assert mesh_shape(mesh, GREY) is None


def test_shapes_get_coarser_until_they_fit_and_small_ones_stay():
    ball = sphere(1.0, GREY)
    many, two = len(ball.triangles), replace(ball, triangles=ball.triangles[:2])
    assert within_budget(((ball,), (two,)), many + 2) == ((ball,), (two,))
    (coarse,), (kept,) = within_budget(((ball,), (two,)), many // 4)
    assert kept is two
    assert 8 < len(coarse.triangles) <= many // 4 - 2
    # one that has just its share stays as it is
    twice = replace(ball, triangles=np.concatenate([ball.triangles, ball.triangles]))
    (kept,), (coarse,) = within_budget(((ball,), (twice,)), 2 * many)
    assert kept is ball
    assert len(coarse.triangles) <= many
    (least,), _ = within_budget(((ball,), (two,)), 0)
    for cells in (256, 128, 64, 32, 16, 8, 4):
        ball = clustered(ball, cells)
    np.testing.assert_array_equal(least.vertices, ball.vertices)
    np.testing.assert_array_equal(least.triangles, ball.triangles)
    assert total_triangles(((least, two), (two,))) == len(least.triangles) + 4


def test_recordings_have_frames_at_a_rate_or_within_a_budget():
    told = {"rate": 10.0, "record_bytes": 14}
    assert frame_count(2.0, 3, budget=10**6, **told) == 21
    assert frame_count(2.01, 3, budget=10**6, **told) == 22
    assert frame_count(2.0, 3, budget=14 * 3 * 7, **told) == 7
    assert frame_count(2.0, 3, budget=0, **told) == frame_count(0.0, 3, budget=10**6, **told) == 2
    assert frame_count(2.0, 0, budget=20, **told) == 20


def test_summaries_tell_every_criterion_of_the_whole():
    run = SimpleNamespace(
        system=SimpleNamespace(names=("a", "b"), nv=3, mass=2.0), t=np.array([0.0, 1.5]), status=("completed",),
        scenario={"passes": [1, 2]}, judge=lambda: ["met", "missed"],
    )  # fmt: skip
    batch = SimpleNamespace(samples=1, status=[um.Status("completed")], judge=lambda: ["missed by all"])
    alone, one = summary(run, None, 0), summary(run, batch, 0)
    assert "<dt>criterion 1</dt><dd>met</dd></div><div><dt>criterion 2</dt><dd>missed</dd>" in alone
    assert "<dt>criterion 1</dt><dd>missed by all</dd>" in one
    assert "<dt>records</dt><dd>2</dd>" in alone
    assert "0 … 1.5 s" in alone


def test_campaigns_tell_failures_or_that_there_are_none():
    failed = [SimpleNamespace(sample=k, status=f"why {k}") for k in range(campaign_page._MOST + 3)]
    statistics = SimpleNamespace(ended={"completed": 1200})
    most = campaign_page._MOST
    for count, told, more in ((0, 0, None), (1, 1, None), (most, most, None), (most + 3, most, "and 3 more")):
        results = SimpleNamespace(failures=lambda count=count: failed[:count])
        said = campaign_page._failures(results, statistics)
        assert "<td>completed</td><td>1,200</td>" in said
        assert said.count("<td>why ") == told
        assert ("No sample failed." in said) == (count == 0)
        assert (more in said) if more else "more</p>" not in said


class Gui:
    """A panel that remembers its sliders."""

    def __init__(self):
        self.sliders = {}

    def add_slider(self, name, low, high, step, value, *, disabled):
        self.sliders[name] = SimpleNamespace(
            min=low, max=high, step=step, value=value, disabled=disabled, on_update=lambda call: None
        )
        return self.sliders[name]


def test_sliders_go_from_limit_to_limit_and_reach_what_is_beyond():
    b = um.SystemBuilder("arm")
    ball, last, axis = um.Inertia.sphere(1.0, 0.1), "world", (0, 0, 1)
    joints = {
        "inside": um.Revolute(axis, limits=(0.2, 0.7)),
        "below": um.Revolute(axis, limits=(0.5, 0.7)),
        "above": um.Revolute(axis, limits=(-0.7, 0.1)),
        "fixed": um.Prismatic(axis, limits=(0.3, 0.3)),
        "far": um.Prismatic(axis, limits=(-2e3, 5e3)),
        "free": um.Prismatic(axis),
        "pair": um.Universal(),
    }
    for name, joint in joints.items():
        last = b.link(name, parent=last, joint=joint, inertia=ball).name
    system, gui = b.build(), Gui()
    q = system.pack(dict.fromkeys(list(joints)[:-1], 0.3) | {"pair": [0.3, 0.4]})
    sliders = JointSliders(gui, system, q, 2.5, lambda q: None)
    most = np.pi / np.sqrt(2)  # about each of two axes
    found = {name: (x.min, x.max, x.step, x.value, x.disabled) for name, x in gui.sliders.items()}
    assert found == {
        "inside": (0.2, 0.7, pytest.approx(1e-3), 0.3, False),
        "below": (0.3, 0.7, pytest.approx(0.8e-3), 0.3, False),
        "above": (-0.7, 0.3, pytest.approx(2e-3), 0.3, False),
        "fixed": (0.3, 0.3, 1.0, 0.3, True),
        "far": (-1e3, 1e3, 4.0, 0.3, False),
        "free": (-2.5, 2.5, 0.01, 0.3, False),
        "pair.rx": (-most, most, pytest.approx(most / 250), 0.3, False),
        "pair.ry": (-most, most, pytest.approx(most / 250), 0.4, False),
    }
    sliders.show(system.pack({"inside": 5.0, "far": -1.5e3, "free": 1.0}))
    assert [gui.sliders[name].value for name in ("inside", "far", "free")] == [0.7, -1e3, 1.0]


def test_a_recording_of_one_instant_can_be_played(server):
    shown = []
    playback = Playback(server.gui, 2.0, 2.0, shown.append)
    assert (playback._bar.min, playback._bar.max) == (2.0, 2.0 + 1e-9)
    playback._advance(0.5)
    assert (shown, playback.playing) == ([2.0], False)


def test_time_that_comes_to_the_end_starts_again_or_stops_there(server):
    for loop, shown_then in ((True, 1.0), (False, 3.0)):
        shown = []
        playback = Playback(server.gui, 1.0, 3.0, shown.append)
        playback._loop.value = loop
        playback._advance(2.0)
        assert shown == [shown_then]
