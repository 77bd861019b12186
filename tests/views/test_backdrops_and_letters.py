"""Floors, shadows, letters and lines of pictures, against formulas of their own."""

from pathlib import Path

import matplotlib
import numpy as np
import pytest
from PIL import ImageDraw
from tests.support.recorded_runs import tied_slide, told_servicer, tumbling_brick

from unmoored.views.render import Film, Look, filming
from unmoored.views.render.camera import Camera
from unmoored.views.render.frame import (
    Line,
    Setting,
    _shadow,
    backdrop,
    background,
    draw,
    floor_colours,
    thrown_on_floor,
)
from unmoored.views.render.lettering import DARK_INK, LIGHT_INK, _font, inks, lettered
from unmoored.views.render.raster import fragments
from unmoored.views.render.stage import GROUND, STAGES
from unmoored.views.render.surfaces import Surfaces, surfaces
from unmoored.views.shapes.primitives import box

CAMERA = Camera(np.array([0.5, -0.2, 0.3]), 4.0, azimuth=-30.0, elevation=12.0)
WIDTH, HEIGHT = 48, 32
NOTHING = surfaces(())


def test_a_floor_fades_into_the_background_far_away():
    setting = Setting(NOTHING, GROUND, WIDTH, HEIGHT, floor=-0.5, cell=0.7)
    found = backdrop(setting, CAMERA)
    rays, behind = CAMERA.rays(WIDTH, HEIGHT).reshape(-1, 3), background(GROUND, WIDTH, HEIGHT).reshape(-1, 3)
    depth = (-0.5 - CAMERA.eye[2]) / rays[:, 2]
    on = (depth > 0.0) & (depth < 120.0)
    assert 0 < on.sum() < len(on)
    where = (CAMERA.eye + depth[:, None] * rays)[:, :2]
    pixel = 2.0 * np.tan(np.radians(CAMERA.field_of_view / 2.0)) / HEIGHT
    floor = floor_colours(GROUND, where[on], depth[on], pixel, 0.7)
    there = np.exp(-np.square(depth[on] / 12.8))[:, None]
    expected = behind.copy()
    expected[on] = there * floor + (1.0 - there) * behind[on]
    np.testing.assert_allclose(found.colours.reshape(-1, 3), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.nearness.ravel(), np.where(on, 1.0 / depth, 0.0), rtol=1e-12)
    darkening = np.zeros(len(on))
    darkening[on] = GROUND.shadow * there[:, 0]
    np.testing.assert_allclose(found.darkening.ravel(), darkening, rtol=0, atol=1e-15)
    without = backdrop(Setting(NOTHING, GROUND, WIDTH, HEIGHT), CAMERA)
    np.testing.assert_array_equal(without.colours.reshape(-1, 3), behind)
    assert not without.nearness.any()
    assert not without.darkening.any()


def test_a_floor_ends_thirty_distances_away():
    camera, setting = Camera(np.zeros(3), 4.0, elevation=3.0), Setting(NOTHING, GROUND, 8, 400, floor=-0.5)
    depth = (-0.5 - camera.eye[2]) / camera.rays(8, 400)[..., 2]
    assert ((depth > 120.0) & (depth < 240.0)).any()
    np.testing.assert_array_equal(backdrop(setting, camera).nearness > 0, (depth > 0) & (depth < 120.0))


def test_letters_are_those_that_come_with_matplotlib():
    """Not those that the machine has."""
    folder = Path(matplotlib.get_data_path(), "fonts", "ttf")
    assert [Path(_font(bold, 12).path).parent for bold in (True, False)] == [folder] * 2


def test_shadows_are_blurred_by_two_pixels_and_darken_the_floor():
    shape = box((0.8, 0.5, 0.3), (1.0, 0.0, 0.0, 1.0))
    setting = Setting(surfaces(((shape,),)), GROUND, WIDTH, HEIGHT, floor=-0.5, cell=0.7)
    thrown = CAMERA.project(thrown_on_floor(shape.vertices, -0.5), WIDTH, HEIGHT)
    mask = np.zeros(WIDTH * HEIGHT)
    mask[fragments(thrown, shape.triangles, WIDTH, HEIGHT).pixel] = 1.0
    kernel = np.array([1.0, 2.0, 3.0, 2.0, 1.0]) / 9.0
    soft = mask.reshape(HEIGHT, WIDTH)
    for axis in (0, 1):
        soft = np.apply_along_axis(np.convolve, axis, soft, kernel, mode="same")
    np.testing.assert_allclose(_shadow(setting, CAMERA, shape.vertices), soft, rtol=0, atol=1e-12)
    behind = backdrop(setting, CAMERA)
    far = np.eye(4)[None]
    hidden = Surfaces(*(getattr(setting.surfaces, name) for name in ("vertices", "normals", "body")),
                      setting.surfaces.triangles, setting.surfaces.rgba * [1.0, 1.0, 1.0, 0.0])  # fmt: skip
    picture = draw(Setting(hidden, GROUND, WIDTH, HEIGHT, floor=-0.5, cell=0.7), CAMERA, behind, far)
    expected = behind.colours * (1.0 - behind.darkening * soft)[..., None]
    assert np.abs(picture - 255.0 * expected).max() < 0.51


@pytest.mark.parametrize("height", [100, 1000])
def test_letters_grow_with_the_picture_and_stand_in_its_corners(monkeypatch, height):
    said = []
    monkeypatch.setattr(
        ImageDraw.ImageDraw, "text", lambda self, at, words, **options: said.append((at, words, options))
    )
    lettered(np.zeros((height, 30, 3), np.uint8), (DARK_INK, LIGHT_INK), "title", "t = 1 s")
    (above, title, bold), (below, time, plain) = said
    margin = round(0.028 * height) + 2
    assert (above, below) == ((margin, margin), (margin, height - margin))
    assert (title, time) == ("title", "t = 1 s")
    assert (bold["font"].size, plain["font"].size) == ((42, 38) if height == 1000 else (10, 10))
    assert [options["font"].getname()[1] for options in (bold, plain)] == ["Bold", "Book"]
    assert (bold["fill"], plain["fill"], plain["anchor"]) == ((0, 0, 0), (247, 250, 255), "ls")
    lettered(np.zeros((height, 30, 3), np.uint8), (DARK_INK, LIGHT_INK), "", "")
    assert len(said) == 2


def test_inks_are_chosen_by_what_is_behind_the_words():
    """A twelfth of the height, half of the width: white there, black elsewhere, and the other way round."""
    for white in (0.0, 1.0):
        behind = np.full((100, 60, 3), 1.0 - white)
        behind[:8, :30] = white
        behind[-8:, :30] = white
        assert inks(behind) == ((DARK_INK if white else LIGHT_INK),) * 2
    behind = np.zeros((100, 60, 3))
    behind[:8, :30] = 1.0
    assert inks(behind) == (DARK_INK, LIGHT_INK)
    assert inks(np.ones((1, 1, 3))) == (DARK_INK, DARK_INK)


def drawn_lines(monkeypatch, run, t, **options):
    """The lines of one picture, and where the camera looked."""
    seen = []
    monkeypatch.setattr(
        filming, "draw", lambda setting, camera, behind, poses, lines: seen.append((camera, lines)) or draw(
            setting, camera, behind, poses, ()
        )
    )  # fmt: skip
    film = Film(run, Look(size=(32, 20), title="", **options))
    next(film.pictures([t]))
    return film, *seen[0]


def test_trails_grow_stronger_towards_now(monkeypatch):
    run = told_servicer()
    film, _, lines = drawn_lines(monkeypatch, run, 2.0, targets=False, ties=False)
    (trail,) = lines
    assert (len(trail.points), trail.begins, trail.ends, trail.hidden) == (240, 0.25, 0.95, 0.0)
    assert trail.colour == film.setting.stage.trail
    np.testing.assert_allclose(trail.points[0], run.system.pose(run.q[0], "tool")[:3, 3], atol=1e-12)
    _, _, lines = drawn_lines(monkeypatch, run, 0.0, targets=False, ties=False)
    assert lines == []
    _, _, lines = drawn_lines(monkeypatch, run, 2.0, targets=False, ties=False, trails=("bus", "tool"))
    assert len(lines) == 2


def test_ties_are_lines_of_33_points_that_show_through(monkeypatch):
    _, _, lines = drawn_lines(monkeypatch, tied_slide(), 0.5)
    assert [(len(line.points), line.hidden, line.begins, line.ends) for line in lines] == [
        (33, 0.4, 1.0, 1.0)
    ] * 2
    assert isinstance(lines[0], Line)


def test_the_camera_goes_along_with_who_is_followed(monkeypatch):
    run = tumbling_brick()
    film, camera, _ = drawn_lines(monkeypatch, run, 2.0, follow=True)
    there = run.system.pose(run.q[100], "brick")[:3, 3]
    np.testing.assert_allclose(camera.target - film._camera.target, there, atol=1e-9)
    film, camera, _ = drawn_lines(monkeypatch, run, 2.0, follow=False)
    assert camera is film._camera


@pytest.mark.parametrize(("height", "width"), [(20, 1.5), (329, 1.5), (440, 2.0), (660, 3.0)])
def test_lines_are_as_wide_as_suits_the_picture(height, width):
    film = Film(tumbling_brick(duration=0.1), Look(size=(32, height), title=""))
    assert film.setting.trail_width == pytest.approx(width)


def test_nothing_has_surfaces_of_the_same_kind():
    some = surfaces(((box((1, 1, 1), (1, 0, 0, 1)),), ()))
    for name in ("vertices", "normals", "body", "triangles", "rgba"):
        one, none = getattr(some, name), getattr(NOTHING, name)
        assert none.shape == (0, *one.shape[1:])
        assert none.dtype.kind == ("i" if name in ("body", "triangles") else "f")


def test_stages_are_told_by_name():
    assert list(STAGES) == ["light", "dark", "ground", "water", "sea"]
