"""Rules that figures and pictures keep: columns, legends, floors, who is followed, what targets stand where."""

import base64
import io
import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image
from tests.support.recorded_runs import tumbling_brick

import unmoored as um
from unmoored.lie import se3, so3
from unmoored.views import notebook
from unmoored.views.plots import palette
from unmoored.views.plots.canvas import columns_for, dress, grid, lines, no_data
from unmoored.views.plots.goal_figures import _angles
from unmoored.views.plots.motion_figures import over_time
from unmoored.views.plots.palette import OKABE_ITO, line_style
from unmoored.views.plots.residual_figures import autocorrelation
from unmoored.views.plots.run_channels import Channels, arm_dofs, main_frame, main_vehicle
from unmoored.views.render import Look, filming
from unmoored.views.render.camera import Camera
from unmoored.views.render.filming import Film, _thinned, floor_height, system_size, wanders, with_targets
from unmoored.views.render.frame import Setting, backdrop, background, floor_colours, lit
from unmoored.views.render.lettering import inks
from unmoored.views.render.stage import GROUND, STAGES
from unmoored.views.report.page import still
from unmoored.views.told_places import TargetTrack, ToldPlaces
from unmoored.views.viewer import scene_nodes


def test_columns_are_as_many_as_are_wide_enough():
    assert [columns_for(None, count) for count in (1, 2, 3, 4, 20)] == [1, 2, 3, 3, 3]
    assert [columns_for((width, 1.0), 9) for width in (1.0, 2.6, 5.1, 5.2, 7.9, 30.0)] == [1, 1, 1, 2, 3, 3]
    assert columns_for(None, 0) == 1


def test_figures_without_a_size_grow_with_their_plots():
    assert grid(1, 1)[0].get_size_inches().tolist() == pytest.approx([4.8, 2.8])
    assert grid(3, 2)[0].get_size_inches().tolist() == pytest.approx([9.0, 7.4])


@pytest.mark.parametrize(
    ("count", "columns"), [(1, None), (2, 1), (4, 1), (5, 1), (12, 1), (13, 2), (32, 2), (33, None)]
)
def test_legends_help_or_are_left_out(count, columns):
    _, ((axes,),) = grid(1, 1)
    y = np.arange(3.0)[:, None] * np.arange(count)
    lines(axes, np.arange(3.0), y, [f"n{k}" for k in range(count)], ylabel="y [m]")
    legend = axes.get_legend()
    assert (None if legend is None else legend._ncols) == columns
    if legend is not None:
        assert [t.get_text() for t in legend.get_texts()] == [f"n{k}" for k in range(count)]
        beside = legend._loc == 2
        assert beside == (count > 4), "over the plot up to four lines, beside it from five on"
    assert axes.get_xlabel() == "time [s]"
    assert axes.get_xlim() == (0.0, 2.0), "time takes the whole width"


def test_angles_have_gaps_where_they_wrap_and_lengths_have_none():
    t, y = np.arange(3.0), np.array([[170.0], [-170.0], [-160.0]])
    for unit, shown in (("°", [170.0, np.nan, -160.0]), ("m", [170.0, -170.0, -160.0])):
        _, ((axes,),) = grid(1, 1)
        over_time(axes, t, Channels("way", unit, ("a",), y))
        np.testing.assert_array_equal(axes.lines[0].get_ydata(), shown)
        assert axes.get_ylabel() == f"way [{unit}]"


def test_every_line_of_a_plot_looks_its_own():
    styles = [tuple(line_style(k).values()) for k in range(32)]
    assert len(set(styles)) == 32
    assert [colour for colour, _ in styles[:8]] == list(OKABE_ITO)
    assert styles[8] == (OKABE_ITO[0], "--")
    assert line_style(32) == line_style(0)


def test_an_empty_plot_says_why_in_its_middle():
    _, ((axes,),) = grid(1, 1)
    no_data(axes, "no $inputs$")
    (text,) = axes.texts
    assert not axes.axison
    assert text.get_position() == (0.5, 0.5)
    assert (text.get_ha(), text.get_va(), text.get_text()) == ("center", "center", r"no \$inputs\$")
    assert text.get_transform() is axes.transAxes or text.get_transform() == axes.transAxes
    dress(axes, xlabel="x", ylabel="y", title="t", count=1)
    assert (axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel()) == ("t", "x", "y")


def test_floors_lie_below():
    corners = np.zeros((2, 2, 3))
    corners[:, 1] = [[2.0, 1.0, 3.0], [2.0, 1.0, 3.0]]
    assert floor_height("ground", corners) == 0.0
    assert floor_height("ground", corners - 1.0) == -1.0
    assert floor_height("sea", corners - 1.0) == 0.0
    assert floor_height("water", corners + 1.0) == pytest.approx(1.0 - 0.35 * 3.0 - 0.1 * 3.0)
    assert floor_height("light", corners) is None


def test_who_goes_farther_than_three_sizes_is_followed():
    box = np.array([[0.0, 0.0, 0.0], [1.0, 0.5, 0.25]])
    for way, followed in ((2.0, False), (2.01, True)):
        assert wanders(None, np.stack([box, box + np.array([way, 0.0, 0.0])])) is followed
        assert not wanders(None, np.stack([box, box + np.array([0.0, way, 0.0])]))


def test_sizes_are_the_longest_sides_at_the_start():
    corners = np.zeros((2, 2, 3))
    corners[:, 1] = [[2.0, 3.0, 1.0], [9.0, 9.0, 9.0]]
    assert system_size(corners + np.array([50.0, -20.0, 7.0])) == 3.0
    assert system_size(np.ones((2, 1, 3))) == 1.0


def test_colours_in_pictures_and_in_the_viewer_are_those_of_figures():
    """Which colour-blind people tell apart; black is softer in the viewer."""
    by_name = {
        name: np.array(to_rgb(getattr(palette, name)))
        for name in ("BLUE", "ORANGE", "GREEN", "VERMILION", "PURPLE", "SKY", "YELLOW")
    }
    for name in ("BLUE", "ORANGE", "GREEN", "PURPLE", "SKY"):
        assert getattr(scene_nodes, name) == tuple(np.round(255 * by_name[name]).astype(int)), name
    assert tuple(np.round(255 * by_name["VERMILION"]).astype(int)) == scene_nodes.RED
    assert scene_nodes.rgb255(by_name["SKY"]) == scene_nodes.SKY
    drawn = (*filming._RGB, filming._WANTED, filming._ELEMENT, filming._CLOSURE)
    names = ("VERMILION", "GREEN", "BLUE", "PURPLE", "ORANGE", "PURPLE")
    np.testing.assert_allclose(drawn, [by_name[name] for name in names], atol=2e-3)
    trails = dict.fromkeys(("light", "ground", "sea"), "VERMILION") | {"dark": "ORANGE", "water": "YELLOW"}
    for stage, name in trails.items():
        np.testing.assert_allclose(STAGES[stage].trail, by_name[name], atol=2e-3)


def test_targets_count_in_the_room_while_they_are_in_force():
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[:, :3, 3] = [[np.nan] * 3, [5.0, 6.0, 7.0], [8.0, 9.0, 10.0]]
    told = ToldPlaces(np.array([0.0, 1.0, 2.0]), (TargetTrack("a", poses, True),))
    corners = np.arange(12.0).reshape(2, 2, 3)
    found = with_targets(corners, told)
    assert found.shape == (2, 3, 3)
    np.testing.assert_array_equal(found[:, :2], corners)
    np.testing.assert_array_equal(found[:, 2], [corners[0, 0], [8.0, 9.0, 10.0]])
    assert told.targets[0].at(0) is None
    np.testing.assert_array_equal(told.targets[0].at(1), poses[1])
    np.testing.assert_array_equal(told.targets[0].path, poses[1:, :3, 3])
    assert [told.row(t) for t in (-1.0, 0.0, 0.9, 1.0, 2.0, 5.0)] == [0, 0, 0, 1, 2, 2]
    still_one = TargetTrack("b", np.tile(np.eye(4), (4, 1, 1)), False)
    assert still_one.path.shape == (1, 3)


def test_targets_are_drawn_as_axes_or_crosses_and_those_that_move_with_their_way():
    turned = np.tile(se3.exp(np.array([1.0, 2.0, 3.0, 0.3, -0.4, 0.5])), (2, 1, 1))
    moving = np.tile(np.eye(4), (2, 1, 1))
    moving[1, 0, 3] = 7.0
    told = ToldPlaces(np.array([0.0, 1.0]), (TargetTrack("a", turned, True), TargetTrack("b", moving, False)))
    x, y, z, way, *cross = Film._targets(SimpleNamespace(_told=told, _scale=2.0), 1.0)
    here, there = turned[0, :3, 3], np.array([7.0, 0.0, 0.0])
    for k, line in enumerate((x, y, z)):
        np.testing.assert_allclose(line.points, [here, here + 0.44 * turned[0, :3, k]], atol=1e-14)
    assert len({line.colour for line in (x, y, z)}) == 3
    np.testing.assert_array_equal(way.points, moving[:, :3, 3])
    for along, line in zip(0.132 * np.eye(3), cross, strict=True):
        np.testing.assert_allclose(line.points, [there - along, there + along], atol=1e-14)
    assert {line.colour for line in cross} == {way.colour}
    assert [line.hidden for line in (x, y, z, way, *cross)] == [0.7, 0.7, 0.7, 0.0, 0.7, 0.7, 0.7]
    assert (way.begins, way.ends) == (0.5, 0.5)


def test_attitudes_of_targets_are_told_while_they_are_in_force():
    wanted = np.array([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6], [-1.1, 0.7, 2.0]])
    R = so3.from_euler_zyx(wanted)
    R[1] = np.nan
    np.testing.assert_allclose(_angles(R)[[0, 2]], wanted[[0, 2]], rtol=0, atol=1e-14)
    assert np.isnan(_angles(R)[1]).all()


def test_long_ways_are_thinned_to_600_points():
    way = np.arange(6000.0).reshape(2000, 3)
    np.testing.assert_array_equal(_thinned(way)[[0, -1]], way[[0, -1]])
    assert len(_thinned(way)) == 600
    np.testing.assert_array_equal(_thinned(way[:7]), way[:7])


def test_backgrounds_go_from_above_to_below():
    stage = STAGES["water"]
    rows = background(stage, 3, 5)
    np.testing.assert_allclose(rows[0], [stage.top] * 3)
    np.testing.assert_allclose(rows[4], [stage.bottom] * 3)
    np.testing.assert_allclose(rows[1, 0], 0.75 * np.array(stage.top) + 0.25 * np.array(stage.bottom))


def test_grid_lines_lie_at_whole_cells_and_fade_where_they_crowd():
    where = np.array([[0.0, 0.25], [0.5, 0.25], [0.25, 1.0], [-0.5, 0.25], [0.25, 0.25]])
    found = floor_colours(GROUND, where, np.full(5, 1.0), 1e-3, 0.5)
    line = [True, True, True, True, False]
    for colour, on in zip(found, line, strict=True):
        np.testing.assert_allclose(colour, GROUND.grid if on else GROUND.floor, atol=1e-12)
    far = floor_colours(GROUND, where[:1], np.array([1e3]), 1e-3, 0.5)
    np.testing.assert_allclose(far, [GROUND.floor], atol=1e-12)
    half = floor_colours(GROUND, where[:1], np.array([1.0]), 0.5 / 30 / 0.7, 0.5)
    np.testing.assert_allclose(half, [0.5 * np.array(GROUND.floor) + 0.5 * np.array(GROUND.grid)], atol=1e-12)


def test_light_falls_from_above_and_from_the_eye_on_both_sides():
    """Ambient, a sky, a sun, a lamp beside the eye, and gloss where that lamp is mirrored."""
    axes = np.eye(3)[[0, 2, 1]] * [[1.0], [1.0], [-1.0]]  # looking along y
    sun = np.array([0.25, -0.35, 0.90]) / np.linalg.norm([0.25, -0.35, 0.90])
    lamp = np.array([0.30, 0.42, 0.855]) @ axes
    rng = np.random.default_rng(2)
    normals, rgb = rng.normal(size=(40, 3)), rng.random((40, 3))
    n = normals / np.linalg.norm(normals, axis=-1, keepdims=True)
    n[n @ axes[2] < 0] *= -1
    facing = np.maximum(n @ lamp, 0.0)
    light = 0.34 + 0.14 * n[:, 2] + 0.34 * np.maximum(n @ sun, 0.0) + 0.38 * facing
    expected = np.clip(rgb * light[:, None] + 0.16 * facing[:, None] ** 24, 0.0, 1.0)
    np.testing.assert_allclose(lit(rgb, normals, axes), expected, atol=1e-12)
    np.testing.assert_allclose(lit(rgb, -2 * normals, axes), expected, atol=1e-12)


@pytest.mark.parametrize("name", STAGES)
def test_letters_can_be_read_and_trails_seen_on_every_stage(name):
    """Contrast of ink at least 4.5 to 1 at every pixel behind words, of trails 1.5 (relative luminance)."""
    stage = STAGES[name]
    over = [stage.top, stage.bottom]
    for elevation, floor in itertools.product((-15.0, 5.0, 22.0, 60.0), (None, 0.0)):
        setting = Setting((), stage, 320, 180, floor=None if stage.floor is None else floor, cell=0.5)
        behind = backdrop(setting, Camera(np.zeros(3), 4.0, elevation=elevation)).colours
        for ink, part in zip(inks(behind), (behind[:14, :160], behind[-14:, :160]), strict=True):
            assert min(_contrast(ink, pixel) for pixel in part.reshape(-1, 3)) > 4.5
    assert max(_contrast(stage.trail, ground) for ground in over) > 1.5
    colours = [
        stage.top,
        stage.bottom,
        stage.trail,
        stage.grid,
        *([] if stage.floor is None else [stage.floor]),
    ]
    assert np.all((np.array(colours) >= 0.0) & (np.array(colours) <= 1.0))


def test_words_are_read_on_the_rows_and_columns_that_they_stand_on():
    """A black pixel in a corner of these parts of a white picture takes black from the inks, beside it does not."""
    for row, column, inside in (
        (0, 0, "above"), (7, 99, "above"), (8, 0, None), (0, 100, None),
        (92, 0, "below"), (99, 99, "below"), (91, 0, None), (92, 100, None),
    ):  # fmt: skip
        behind = np.ones((100, 200, 3))
        behind[row, column] = 0.0
        dark = {where: ink[0] == 0.0 for where, ink in zip(("above", "below"), inks(behind), strict=True)}
        assert dark == {"above": inside != "above", "below": inside != "below"}, (row, column)


def _contrast(a, b):
    def luminance(rgb):
        c = np.asarray(rgb)
        return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]

    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_correlation_with_rows_later():
    x = np.random.default_rng(3).normal(size=(50, 2)) + 3.0
    found = autocorrelation(x, 7)
    centred = x - x.mean(axis=0)
    assert found.shape == (8, 2)
    for k in range(8):
        expected = [np.dot(c[: 50 - k], c[k:]) / np.dot(c, c) for c in centred.T]
        np.testing.assert_allclose(found[k], expected, rtol=1e-12)


def test_frames_in_notebooks_and_stills_in_pages_have_their_sizes(monkeypatch):
    brick, seen = tumbling_brick(duration=0.04), []
    data = still(brick, Look(size=(64, 36)))
    with Image.open(io.BytesIO(base64.b64decode(data.partition(",")[2]))) as picture:
        assert picture.size == (64, 36)
    monkeypatch.setattr(notebook, "still", lambda run, look: seen.append(look) or "")
    monkeypatch.setattr(notebook, "playback", lambda run, **budgets: seen.append(budgets) or {})
    shown = notebook.player_frame(brick, "a <brick>")
    assert 'title="a &lt;brick&gt; in 3D"' in shown
    assert "height: 430px" in shown
    assert seen == [{"triangles": 16_000, "pose_bytes": 400_000}, Look(size=(560, 315), title="")]


def test_notebooks_name_the_dofs_of_joints_with_several():
    b = um.SystemBuilder("joints")
    bus = b.vehicle("bus", um.Planar(), inertia=um.Inertia.box(1.0, (1, 1, 1)))
    b.link("hook", parent=bus, joint=um.Universal(), inertia=um.Inertia.box(1.0, (1, 1, 1)))
    system = b.build()
    shown = notebook.system_table(system)
    dofs = [", ".join(body.joint.dof_names) for body in system.tree.bodies]
    assert [len(words.split(", ")) for words in dofs] == [3, 2]
    assert all(f">{words}<" in shown for words in dofs)
    rest = notebook._at_rest(system, None)
    np.testing.assert_array_equal(rest.t, [0.0, 1.0])
    np.testing.assert_array_equal(rest.q, [system.neutral()] * 2)
    assert not rest.v.any()


def test_names_of_what_is_shown_first():
    system = um.load("free_flyer_arm7")
    assert arm_dofs(system.tree) == list(range(6, 13))
    assert (main_frame(system), main_frame(system, "bus"), main_vehicle(system)) == ("tool", "bus", "bus")
    named = SimpleNamespace(frames=("a", "Tool_2", "tool"), names=("x", "y"))
    assert main_frame(named) == "Tool_2"
    assert main_frame(SimpleNamespace(frames=("a", "b"), names=("x",))) == "a"
    assert main_frame(SimpleNamespace(frames=(), names=("x", "y"))) == "y"
    acting = Channels("t", "m", ("a", "b", "c"), np.array([[0.0, 1.0, np.nan], [0.0, 0.0, 2.0]])).acting()
    assert acting.names == ("b", "c")
    assert acting.values.shape == (2, 2)
