"""Where what is drawn stands: shadows, ways of targets, the ground's grid, frames of bodies."""

from types import SimpleNamespace

import numpy as np
from PIL import Image
from tests.support.recorded_runs import tied_slide

import unmoored as um
from unmoored.dynamics.kinematics import body_poses
from unmoored.views.picture import _shaded
from unmoored.views.plots.run_channels import frame_poses
from unmoored.views.render import Film, Look, raster
from unmoored.views.render.camera import Camera
from unmoored.views.render.export import _common_palette
from unmoored.views.render.frame import SUN, Line, _draw_line, _draw_surfaces, thrown_on_floor
from unmoored.views.render.interpolation import _box, configurations_at, room
from unmoored.views.render.surfaces import Surfaces
from unmoored.views.shapes import body_shapes
from unmoored.views.viewer.environment_nodes import Deck, Ground, Water
from unmoored.views.viewer.overlays.overlay import Arrows
from unmoored.views.viewer.overlays.told import _draw_path


def test_a_line_grows_from_its_beginning_to_its_end_and_is_pale_behind_things():
    """Four pieces over a black picture, a wall in front of the two on the right; seen along −x, y to the right."""
    camera, (width, height) = Camera(np.zeros(3), 5.0, azimuth=0.0, elevation=0.0), (60, 20)
    points = np.linspace(-1, 1, 5)[:, None] * [0.0, 1.0, 0.0]
    ends = camera.project(points, width, height)[:, 0]
    columns = (0.5 * (ends[1:] + ends[:-1])).astype(int)
    setting = SimpleNamespace(trail_width=4.0, finer=1)
    for hidden in (0.0, 0.25):
        picture, nearness = np.zeros((height, width, 3)), np.zeros((height, width))
        nearness[:, width // 2 :] = 1.0
        line = Line(points, (1.0, 0.5, 0.0), begins=0.2, ends=0.8, hidden=hidden)
        _draw_line(picture.reshape(-1, 3), nearness.reshape(-1), setting, camera, line, (width, height))
        strengths = np.array([0.2, 0.4, 0.6 * hidden, 0.8 * hidden])
        np.testing.assert_allclose(
            picture[height // 2, columns], strengths[:, None] * [1.0, 0.5, 0.0], rtol=0, atol=1e-12
        )
        np.testing.assert_allclose(nearness[height // 2, columns], [0.2, 0.2, 1.0, 1.0], rtol=1e-12)
        drawn = picture[:, columns[0], 0] > 0
        assert drawn.sum() == 4  # pixels wide, in the middle
        assert drawn[8:12].all()
        assert not picture[:, : int(ends[0])].any()
        assert not picture[:, int(np.ceil(ends[-1])) :].any()


def test_a_line_has_its_width_also_where_it_comes_towards_the_eye():
    """From 1 m to 0.25 m in front of it, three pixels on."""
    camera, (width, height) = Camera(np.zeros(3), 5.0, azimuth=0.0, elevation=0.0), (60, 20)
    w, columns = np.array([1.0, 2.0, 3.0, 4.0]), np.array([20.0, 21.0, 22.0, 23.0])
    y = (columns - 30.0) / (camera.focal_length(height) * w)
    points = np.stack([5.0 - 1.0 / w, y, 0.0 * y], axis=1)
    np.testing.assert_allclose(camera.project(points, width, height)[:, 0], columns)
    picture, nearness = np.zeros((height, width, 3)), np.zeros(height * width)
    line = Line(points, (1.0, 1.0, 1.0))
    setting = SimpleNamespace(trail_width=4.0, finer=1)
    _draw_line(picture.reshape(-1, 3), nearness, setting, camera, line, (width, height))
    assert (picture[:, 20:23, 0].sum(axis=0) == 4).all()


def test_what_is_just_as_near_as_what_is_there_is_behind_it():
    """The same line once more: not seen again, or pale; a sheet of glass on a wall is not seen."""
    camera, size = Camera(np.zeros(3), 5.0, azimuth=0.0, elevation=0.0), (60, 20)
    points = np.linspace(-1, 1, 5)[:, None] * [0.0, 1.0, 0.0]
    setting = SimpleNamespace(trail_width=4.0, finer=1)
    for hidden, after in ((0.0, 0.5), (0.5, 0.625)):
        picture, nearness = np.zeros((1200, 3)), np.zeros(1200)
        line = Line(points, (1.0, 1.0, 1.0), begins=0.5, ends=0.5, hidden=hidden)
        for strength in (0.5, after):
            _draw_line(picture, nearness, setting, camera, line, size)
            assert set(picture.ravel()) == {0.0, strength}
    corners = np.array([[0.5, 0.5, 1.0], [4.5, 0.5, 1.0], [0.5, 4.5, 1.0]])
    triangle = np.array([[0, 1, 2]])
    found = raster.fragments(corners, triangle, 8, 8)
    assert set(found.nearness) == {1.0}
    glass = Surfaces(corners, np.eye(3)[[2] * 3], np.zeros(3, int), triangle, np.array([[1.0, 0, 0, 0.5]]))
    for there, seen in ((1.0, 0), (0.999, 15)):
        picture = np.zeros((64, 3))
        _draw_surfaces(picture, np.full(64, there), glass, glass.normals, camera, found)
        assert (picture[:, 0] > 0).sum() == seen


def test_shadows_lie_on_the_floor_where_the_rays_lead():
    points = np.random.default_rng(0).normal(size=(20, 3))
    thrown = thrown_on_floor(points, -0.7)
    np.testing.assert_allclose(thrown[:, 2], -0.7, atol=1e-15)
    np.testing.assert_allclose(np.cross(points - thrown, SUN), 0.0, atol=1e-15)


def test_the_way_of_a_target_is_one_line_from_its_first_point_to_its_last():
    node, t = SimpleNamespace(), np.linspace(0.0, 1.0, 1000)
    points = np.stack([t, t**2, 1.0 - t], axis=-1)
    _draw_path(node, points)
    assert node.visible
    np.testing.assert_array_equal(node.points[1:, 0], node.points[:-1, 1])
    np.testing.assert_allclose(node.points[[0, -1], [0, 1]], points[[0, -1]], atol=1e-7)
    _draw_path(node, points[:1])
    assert not node.visible


def test_the_ground_is_forty_cells_wide_with_a_line_at_every_fifth():
    asked = {}
    scene = SimpleNamespace(add_grid=lambda name, **options: asked.update(options) or SimpleNamespace())
    Ground(SimpleNamespace(scene=scene), np.zeros(3), 4.0, 0.0)
    assert asked["width"] == asked["height"] == 40 * asked["cell_size"]
    assert asked["section_size"] == 5 * asked["cell_size"]
    assert 0.3 < asked["cell_size"] < 1.2


def test_ties_are_drawn_between_their_frames_while_they_act():
    film = Film(tied_slide(), Look(size=(64, 36), title=""))
    places = [configurations_at(film._run, [t]) for t in (0.5, 1.0)]
    poses = [np.stack(body_poses(film._run.system.tree, q)) for q in places]
    spring, door = film._tied(0.5, poses[0][:, 0])
    np.testing.assert_allclose(spring.points[[0, -1]], [[0.5, 0, 0.5], [0, 0, 0]], atol=1e-15)
    np.testing.assert_allclose(door.points[[0, -1]], [[0.5, 0, 0], [0, 0, 0]], atol=1e-15)
    assert spring.colour != door.colour
    (left,) = film._tied(1.0, poses[1][:, 0])
    assert left.colour == spring.colour
    without = Film(tied_slide(), Look(size=(64, 36), title="", ties=False))
    assert not without._tied(0.5, poses[0][:, 0])


def test_poses_of_the_first_body_of_the_last_and_of_the_world(spinning_run):
    for body in spinning_run.system.names:
        there = spinning_run.system.pose(spinning_run.q, body)
        np.testing.assert_allclose(frame_poses(spinning_run, body), there, atol=1e-14)
    np.testing.assert_array_equal(frame_poses(spinning_run, "world"), np.broadcast_to(np.eye(4), (81, 4, 4)))


def test_pixels_in_portions_are_those_at_once(monkeypatch):
    rng = np.random.default_rng(1)
    points = np.concatenate([rng.uniform(-5.0, 35.0, (60, 2)), rng.uniform(0.1, 1.0, (60, 1))], axis=-1)
    triangles = rng.integers(0, 60, (40, 3))
    whole = raster.fragments(points, triangles, 30, 20)
    monkeypatch.setattr(raster, "_PORTION", 50)
    parts = raster.fragments(points, triangles, 30, 20)
    for name in ("pixel", "triangle", "weights", "nearness"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
    middles = np.stack(np.meshgrid(np.arange(30) + 0.5, np.arange(20) + 0.5), axis=-1).reshape(-1, 2)
    a, b, c = np.moveaxis(points[triangles, :2], 1, 0)[:, :, None]
    sides = np.stack([_cross(v - u, middles - u) for u, v in ((a, b), (b, c), (c, a))])
    covered = (sides.min(axis=0) >= 0.0) | (sides.max(axis=0) <= 0.0)
    inside = np.argwhere(covered & (_cross(b - a, c - a) != 0.0)).tolist()
    assert sorted(np.stack([whole.triangle, whole.pixel], axis=-1).tolist()) == inside
    np.testing.assert_allclose(whole.weights.sum(axis=-1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(
        1.0 / whole.nearness, (whole.weights / points[triangles[whole.triangle], 2]).sum(axis=-1)
    )


def _cross(u, v):
    return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]


def test_the_nearest_fragment_of_a_pixel_is_seen():
    pixel, nearness = np.array([3, 1, 3, 3, 1]), np.array([1.0, 5.0, 3.0, 2.0, 5.0])
    found = raster.Fragments(pixel, np.zeros(5, int), np.zeros((5, 3)), nearness)
    assert raster.nearest(found, 5).tolist() == [-1, 4, -1, 2, -1]
    none = raster.joined([])
    assert raster.nearest(none, 2).tolist() == [-1, -1]
    assert [x.shape for x in (none.pixel, none.triangle, none.weights, none.nearness)] == [
        (0,),
        (0,),
        (0, 3),
        (0,),
    ]


def test_at_most_a_million_and_a_half_pixels_are_looked_at_together(monkeypatch):
    seen = []
    monkeypatch.setattr(
        raster,
        "_covered",
        lambda corners, index, low, size, counts, width: seen.append(index) or raster.joined([]),
    )
    square = np.array([[0.0, 0.0, 1.0], [1000.0, 0.0, 1.0], [0.0, 500.0, 1.0]])
    raster.fragments(square, np.array([[0, 1, 2]] * 7), 1000, 500)
    assert [index.tolist() for index in seen] == [[0, 1], [2, 3, 4], [5, 6]], "where their sums pass it"


def test_rows_at_the_same_time_and_rows_outside():
    system = um.load("tumbling_brick")
    q = system.retract(system.neutral(), np.arange(4.0)[:, None] * [1.0, 0.0, 0.0, 0.0, 0.0, 0.3])
    run = SimpleNamespace(system=system, t=np.array([0.0, 1.0, 1.0, 2.0]), q=q)
    found = configurations_at(run, [-5.0, 0.5, 1.0, 1.5, 2.0, 9.0])
    rates = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.3])
    wanted = system.retract(system.neutral(), np.array([0.0, 0.5, 2.0, 2.5, 3.0, 3.0])[:, None] * rates)
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_the_room_of_a_run_is_that_of_its_bodies_boxes(spinning_run):
    system, shapes = spinning_run.system, body_shapes(spinning_run.system.tree)
    corners = room(spinning_run, shapes)
    assert corners.shape == (60, 8 * len(shapes), 3)
    for row in (0, 31, 59):
        q = configurations_at(spinning_run, [4.0 * row / 59])[0]
        for k, (name, own) in enumerate(zip(system.names, shapes, strict=True)):
            points = np.concatenate([shape.vertices for shape in own])
            box = [points.min(axis=0), points.max(axis=0)]
            eight = np.array(
                [[box[i][0], box[j][1], box[l][2], 1.0] for l in (0, 1) for j in (0, 1) for i in (0, 1)]
            )
            expected = (system.pose(q, name) @ eight.T).T[:, :3]
            np.testing.assert_allclose(corners[row, 8 * k : 8 * k + 8], expected, atol=1e-12)
    np.testing.assert_array_equal(_box(()), np.zeros((1, 3)))


def test_the_palette_of_a_film_is_of_frames_spread_over_it():
    pictures = [np.full((4, 6, 3), (20 * k, 250 - 20 * k, 7 * k), dtype=np.uint8) for k in range(13)]
    palette = _common_palette([Image.fromarray(x) for x in pictures])
    assert palette.size == (6, 4 * 7), "every second of thirteen"
    colours = {tuple(c) for _, c in palette.convert("RGB").getcolors()}
    assert len(colours) == 7


def test_tall_and_wide_pictures_hold_the_whole_system(spinning_run):
    corners = room(spinning_run, body_shapes(spinning_run.system.tree)).reshape(-1, 3)
    for size in ((40, 160), (160, 40)):
        film = Film(spinning_run, Look(size=size, title=""))
        screen = film._camera.project(corners, *size)[:, :2] / size
        assert np.all((screen > 0.0) & (screen < 1.0))
        assert np.ptp(screen, axis=0).max() > 0.8


def test_a_deck_is_level_with_the_place_it_belongs_to():
    """Its plate, twice as long as wide, hangs below the vehicle's origin."""
    drawn = []
    scene = SimpleNamespace(add_mesh_simple=lambda *parts, **more: drawn.append((parts, more)))
    Deck(SimpleNamespace(scene=scene), "/ship", 3.0)
    (((path, vertices, triangles), more),) = drawn
    assert (vertices.dtype, triangles.dtype, triangles.shape) == (np.float32, np.uint32, (12, 3))
    assert (more["color"], more["visible"]) == ((96, 104, 112), False)
    top = vertices.max(axis=0) + more["position"]
    assert path == "/ship/deck"
    np.testing.assert_allclose(top, [6.0, 3.0, 0.0], atol=1e-7)
    np.testing.assert_allclose(np.ptp(vertices, axis=0), [12.0, 6.0, 0.12], rtol=1e-6)


def test_a_current_is_seen_from_a_nanometre_in_a_second_on():
    """Its arrows are as long as 0.3 sizes where it is fastest."""
    made = SimpleNamespace(visible=None, points=None, vertices=None)
    scene = SimpleNamespace(
        add_frame=lambda *_, **__: SimpleNamespace(visible=False), add_mesh_simple=lambda *_, **__: made,
        add_arrows=lambda *_, **__: made, set_background_image=lambda image: None,
    )  # fmt: skip
    for speed, seen in ((0.9e-9, False), (1.1e-9, True), (2.0, True)):
        made.points = None
        flow = SimpleNamespace(velocity=lambda t, x, speed=speed: [speed * float(x[0] > 1.0), 0, -0.0])
        water = Water(SimpleNamespace(scene=scene), np.array([1.0, 2.0, 3.0]), 4.0, 0.0, flow, None)
        water.show(1.0)
        assert made.visible is seen
        if seen:
            ways = made.points[:, 1] - made.points[:, 0]
            fast = made.points[:, 0, 0] > 1.0
            np.testing.assert_allclose(ways[fast], [[1.2, 0.0, 0.0]] * fast.sum(), atol=1e-6)
            assert not ways[~fast].any()


def test_arrows_shorter_than_a_ten_thousandth_of_the_size_are_not_drawn():
    made = SimpleNamespace(visible=None)
    server = SimpleNamespace(scene=SimpleNamespace(add_arrows=lambda *_, **__: made))
    overlay = SimpleNamespace(
        setting=SimpleNamespace(size=50.0, server=server), root=SimpleNamespace(name="/a")
    )
    arrows = Arrows(overlay, "forces", (0, 0, 0))
    for length, seen in ((4.9e-3, False), (5.1e-3, True)):
        arrows.show(np.zeros(3), np.array([0.0, length, 0.0]))
        assert made.visible is seen
    arrows.show(np.arange(6.0), np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]))
    np.testing.assert_array_equal(made.points, [[[3.0, 4.0, 5.0], [4.0, 6.0, 8.0]]])


def test_pictures_are_bright_where_they_face_the_light():
    """As its cosine on either side, from 0.62 to 1; a triangle without area is as dark as one seen from its edge."""
    light = np.array([0.35, -0.5, 0.79])
    across = np.cross(light, [1.0, 0, 0])
    up = np.cross(light, across)
    place = np.array([2.0, -1.0, 0.5])
    facing, edge = place + np.stack([0 * up, up, across]), place + np.stack([0 * up, light, across])
    half = light / np.linalg.norm(light) + across / np.linalg.norm(across)  # a normal at 45°
    slanted = place + np.stack([0 * up, up, np.cross(half, up)])
    corners = np.stack([facing, facing[::-1], edge, slanted, np.tile(place, (3, 1))])
    found = _shaded(corners, (0.5, 1.0, 0.25, 0.7))
    share = np.linalg.norm(light) * np.array([1.0, 1.0, 0.0, np.sqrt(0.5), 0.0])
    np.testing.assert_allclose(found[:, :3], (0.62 + 0.38 * share)[:, None] * [0.5, 1.0, 0.25], atol=1e-12)
    assert (found[:, 3] == 0.7).all()
