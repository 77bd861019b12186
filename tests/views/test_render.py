"""The renderer is exact where geometry is known, and its files decode to what was drawn."""

import subprocess
from dataclasses import replace

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image
from tests.support.recorded_runs import reaching_servicer, tumbling_brick
from typer.testing import CliRunner

import unmoored as um
from unmoored.cli.main import app
from unmoored.views.render import Film, Look, render
from unmoored.views.render.camera import Camera, fitted
from unmoored.views.render.export import frame_times
from unmoored.views.render.filming import grid_cell
from unmoored.views.render.interpolation import configurations_at
from unmoored.views.render.raster import fragments, nearest
from unmoored.views.render.stage import stage_name
from unmoored.views.render.surfaces import vertex_normals
from unmoored.views.shapes.primitives import box, sphere

SMALL = (160, 90)
GREY = (0.5, 0.5, 0.5, 1.0)


@pytest.fixture(scope="module")
def run():
    return reaching_servicer(duration=1.0)


def picture(run, time=0.5, **options):
    (drawn,) = Film(run, Look(size=SMALL, title="", **options)).pictures([time])
    return drawn.astype(int)


def test_a_projected_point_lies_on_its_pixels_ray():
    camera = Camera(np.array([1.0, 2.0, 3.0]), 5.0, azimuth=30.0, elevation=40.0)
    rays = camera.rays(64, 48)
    points = camera.eye + 2.5 * rays[[3, 40], [60, 5]]
    screen = camera.project(points, 64, 48)
    assert np.allclose(screen, [[60.5, 3.5, 1 / 2.5], [5.5, 40.5, 1 / 2.5]], rtol=0, atol=1e-12)


def test_the_camera_sees_all_and_no_more_than_it_must():
    points = np.random.default_rng(0).standard_normal((200, 3)) * (3.0, 1.0, 0.5) + (5.0, 0.0, 1.0)
    screen = fitted(points, 1.5, azimuth=20.0, elevation=15.0).project(points, 300, 200)
    assert np.all((screen[:, :2] > 0) & (screen[:, :2] < (300, 200)))
    middle = np.array([150.0, 100.0])
    low, high = ((edge - middle) / middle for edge in (screen[:, :2].min(axis=0), screen[:, :2].max(axis=0)))
    np.testing.assert_allclose(low, -high, rtol=1e-6)
    assert high.max() == pytest.approx(0.9, abs=3e-3)
    point = fitted(points[:1], 1.5, azimuth=20.0, elevation=15.0, zoom=2.0)
    assert point.distance == 0.5e-3
    np.testing.assert_array_equal(point.target, points[0])


def test_two_triangles_cover_a_square_once():
    """Neighbours share an edge without gap; pixel counts are the area."""
    points = np.array([[2.0, 3.0, 1.0], [12.0, 3.0, 1.0], [12.0, 9.0, 1.0], [2.0, 9.0, 1.0]])
    found = fragments(points, np.array([[0, 1, 2], [0, 2, 3]]), 20, 20)
    assert len(np.unique(found.pixel)) == 10 * 6
    rows, columns = np.divmod(np.unique(found.pixel), 20)
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (3, 8, 2, 11)


def test_pixels_whose_middles_lie_on_an_edge_are_covered():
    points = np.array([[0.5, 0.5, 1.0], [4.5, 0.5, 1.0], [0.5, 4.5, 1.0]])
    inside = [8 * row + column for row in range(5) for column in range(5 - row)]
    for triangle in ([0, 1, 2], [1, 2, 0], [2, 1, 0]):
        assert sorted(fragments(points, np.array([triangle]), 8, 8).pixel) == inside


def test_weights_are_right_in_perspective():
    """A point in the middle of a tilted edge on the screen is nearer to the near end in space."""
    points = np.array([[0.0, 0.0, 1.0], [100.0, 0.0, 0.25], [0.0, 100.0, 1.0]])
    found = fragments(points, np.array([[0, 1, 2]]), 100, 100)
    depth = 1.0 / found.nearness
    assert np.allclose((found.weights * [1.0, 4.0, 1.0]).sum(axis=-1), depth, rtol=1e-13)
    assert np.allclose(found.weights.sum(axis=-1), 1.0, rtol=1e-13)


def test_the_nearest_triangle_is_seen():
    square = np.array([[0.0, 0.0], [8.0, 0.0], [8.0, 8.0], [0.0, 8.0]])
    far, near = (np.column_stack([square, np.full(4, w)]) for w in (0.5, 0.9))
    triangles = np.array([[0, 1, 2], [0, 2, 3]])
    for first, second in ((far, near), (near, far)):
        found = fragments(np.concatenate([first, second]), np.concatenate([triangles, triangles + 4]), 8, 8)
        seen = nearest(found, 64)
        assert np.allclose(found.nearness[seen], 0.9, rtol=1e-14)


def test_triangles_behind_the_eye_are_left_out():
    points = np.array([[1.0, 1.0, 1.0], [5.0, 1.0, 1.0], [3.0, 5.0, -1.0]])
    assert len(fragments(points, np.array([[0, 1, 2]]), 8, 8).pixel) == 0


def test_triangles_without_area_and_those_beside_the_picture_cover_nothing():
    """Neither on a line nor in a point, and no word about it; of one that reaches out the part that is seen."""
    points = np.array(
        [
            [1.0, 1.0, 1.0],
            [5.0, 5.0, 1.0],
            [3.0, 3.0, 1.0],
            [-4.0, 0.0, 1.0],
            [4.0, 0.0, 1.0],
            [4.0, 9.0, 1.0],
        ]
    )
    flat = np.array([[0, 1, 2], [0, 0, 0]])
    assert len(fragments(points, flat, 8, 8).pixel) == 0
    outside = fragments(points - [9.0, 0, 0], np.array([[3, 4, 5]]), 8, 8)
    assert len(outside.pixel) == 0
    column, row = np.meshgrid(np.arange(8) + 0.5, np.arange(8) + 0.5)
    inside = (column <= 4.0) & (row <= 9.0 * (column + 4.0) / 8.0)
    found = np.zeros(64, dtype=bool)
    found[fragments(points, np.array([[3, 4, 5]]), 8, 8).pixel] = True
    assert np.array_equal(found.reshape(8, 8), inside)


def test_normals_of_a_sphere_point_outwards_and_of_a_box_along_its_axes():
    ball = sphere(2.0, GREY)
    assert np.all((vertex_normals(ball) * ball.vertices).sum(axis=-1) > 1.99)
    assert np.allclose(np.abs(vertex_normals(box((1, 2, 3), GREY))).max(axis=-1), 1.0)


def test_the_picture_of_a_sphere_has_its_size():
    """A sphere fills the disc that a pinhole camera must show."""
    b = um.SystemBuilder("ball")
    b.vehicle(
        "ball", um.Free(), inertia=um.Inertia.sphere(1.0, 0.5), visuals=[um.Sphere(0.5, rgba=(1, 0, 0, 1))]
    )
    system = b.build()
    still = um.Run(system, np.zeros(1), system.neutral()[None], np.zeros((1, 6)), lengths=np.array([1]))
    film = Film(still, Look(size=(200, 200), stage="light", title=""))
    (drawn,) = film.pictures([0.0])
    red = (drawn[:170].astype(int)[..., 0] - drawn[:170].astype(int)[..., 2]) > 40
    camera = film._camera
    angle = np.arcsin(0.5 / camera.distance)
    radius = camera.focal_length(200) * np.tan(angle)
    assert red.sum() == pytest.approx(np.pi * radius**2, rel=0.02)


def test_pictures_show_the_system_and_change_with_time(run):
    first, later = picture(run, 0.0), picture(run, 1.0)
    empty = first[0, 0]
    seen = np.abs(first - empty).max(axis=-1) > 40
    assert 0.02 < seen.mean() < 0.6
    assert (np.abs(first - later).max(axis=-1) > 40).sum() > 50


@pytest.mark.parametrize("stage", ["light", "dark", "ground", "water", "sea"])
def test_every_stage_can_be_drawn(run, stage):
    drawn = picture(run, stage=stage)
    assert drawn.shape == (90, 160, 3)
    assert len(np.unique(drawn.reshape(-1, 3), axis=0)) > 50


def test_stages_follow_worlds(run):
    worlds = {"water": um.Ocean(), "dark": um.Space(), "ground": um.Earth()}
    for stage, world in worlds.items():
        plant = um.Plant(run.system, world=world)
        assert stage_name(replace(run, plant=plant)) == stage
        saved = replace(run, plant=None, provenance={"world": [repr(one) for one in plant.worlds]})
        assert stage_name(saved) == stage
    assert stage_name(replace(run, plant=None, provenance={})) == "light"


def test_grid_cells_are_round_numbers():
    assert [grid_cell(scale) for scale in (0.3, 1.0, 3.0, 7.0, 20.0)] == pytest.approx(
        [0.1, 0.2, 1.0, 2.0, 5.0]
    )


def test_the_grid_is_as_fine_far_from_the_middle_of_the_world():
    brick = tumbling_brick(duration=0.5)
    q = brick.q.copy()
    q[:, 9:12] += (100.0, -40.0, 7.0)
    near, far = (Film(run, Look(size=SMALL, title="")).setting for run in (brick, replace(brick, q=q)))
    assert near.cell == far.cell < 1.0


def test_a_vehicle_that_goes_far_is_followed():
    """The brick drifts by many of its sizes; followed, it stays in the middle of the picture."""
    brick = tumbling_brick()
    for time in (0.5, 3.5):
        drawn = picture(brick, time)[:75]
        rows, columns = np.nonzero(np.abs(drawn - drawn[0, -1]).max(axis=-1) > 60)
        assert abs(columns.mean() - 80) < 12
        assert abs(rows.mean() - 45) < 12


def test_transparent_bodies_let_others_through():
    b = um.SystemBuilder("glass")
    visuals = [um.Box((0.4, 0.4, 0.4), rgba=(1, 0, 0, 1)), um.Box((1, 1, 1), rgba=(0, 0, 1, 0.4))]
    b.vehicle("glass", um.Free(), inertia=um.Inertia.box(1.0, (1, 1, 1)), visuals=visuals)
    system = b.build()
    still = um.Run(system, np.zeros(1), system.neutral()[None], np.zeros((1, 6)), lengths=np.array([1]))
    middle = picture(still, 0.0)[45, 80]
    assert middle[0] > 60
    assert middle[2] > 40


def test_configurations_between_rows_are_on_the_group(run):
    times = np.linspace(-0.1, 1.1, 50)
    q = configurations_at(run, times)
    R = q[:, :9].reshape(-1, 3, 3)
    assert np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max() < 1e-14
    assert np.array_equal(q[0], run.q[0])
    assert np.abs(configurations_at(run, run.t[[7]]) - run.q[7]).max() < 1e-14
    assert np.abs(q[-1] - run.q[-1]).max() < 1e-14


def test_png_has_the_size_asked_for(run, tmp_path):
    with Image.open(render(run, tmp_path / "run.png", size=SMALL, time=0.3)) as image:
        assert image.size == SMALL
        assert len(image.convert("RGB").getcolors(100_000)) > 50


def test_webp_decodes_to_its_frames(run, tmp_path):
    path = render(run, tmp_path / "run.webp", size=SMALL, fps=10)
    with Image.open(path) as film:
        assert film.format == "WEBP"
        assert film.size == SMALL
        assert film.n_frames == len(frame_times(run, 1.0, 10.0))


def test_gif_decodes_to_its_frames(run, tmp_path):
    path = render(run, tmp_path / "run.gif", size=SMALL, fps=10)
    with Image.open(path) as image:
        assert image.n_frames == 11 == len(frame_times(run, 1.0, 10))
        assert image.info["duration"] == 100
        assert image.info["loop"] == 0
        first = np.asarray(image.convert("RGB")).astype(int)
        image.seek(10)
        last = np.asarray(image.convert("RGB")).astype(int)
    assert (np.abs(first - last).max(axis=-1) > 40).sum() > 50
    assert np.abs(last - drawn_with_title(run)).mean() < 4.0


def drawn_with_title(run):
    (drawn,) = Film(run, Look(size=SMALL)).pictures([1.0])
    return drawn.astype(int)


def test_mp4_decodes_to_its_frames(run, tmp_path):
    path = render(run, tmp_path / "run.mp4", size=(161, 91), fps=20)
    decode = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    decoded = subprocess.run(decode, capture_output=True, check=True)
    assert b"160x90" in decoded.stderr
    assert b"20 fps" in decoded.stderr
    frames = np.frombuffer(decoded.stdout, np.uint8).reshape(-1, 90, 160, 3)
    assert len(frames) == 21
    assert np.abs(frames[-1].astype(int) - drawn_with_title(run)).mean() < 6.0


def test_speed_shortens_the_film(run):
    assert len(frame_times(run, 2.0, 20)) == 11
    assert np.allclose(np.diff(frame_times(run, 2.0, 10)), 0.2, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("a.avi", {}, "unknown format: expected one of .png, .gif, .webp, .mp4"),
        ("a.png", {"time": 9.0}, "expected 0…1 s"),
        ("a.png", {"stage": "moon"}, "unknown stage"),
        ("a.png", {"size": (0, 10)}, "each 16…8192 pixels"),
        ("a.png", {"trails": ("hand",)}, "unknown frame or body"),
        ("a.png", {"zoom": -1.0}, "zoom"),
        ("a.gif", {"speed": 0.0}, "speed > 0"),
        ("a.gif", {"fps": 100.0, "speed": 1e-3}, "at most 20000 frames"),
    ],
)
def test_mistakes_are_named(run, tmp_path, name, options, words):
    with pytest.raises(um.ModelError, match=words):
        render(run, tmp_path / name, **({"size": SMALL} | options))
    assert not (tmp_path / name).exists()


def test_a_missing_encoder_is_told(run, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "unmoored.views.extra.find_spec", lambda name: None if name == "imageio_ffmpeg" else name
    )
    with pytest.raises(ImportError, match=r"imageio_ffmpeg: pip install 'unmoored\[views\]'"):
        render(run, tmp_path / "run.mp4", size=SMALL)


def test_an_encoder_that_fails_is_told(run, tmp_path):
    with pytest.raises(um.ModelError, match="MP4: expected ffmpeg to write the film"):
        render(run, tmp_path / "no such folder" / "run.mp4", size=SMALL, fps=5)


def test_the_command_writes_a_saved_run(run, tmp_path):
    run.save(tmp_path / "run.zarr")
    result = CliRunner().invoke(
        app, ["render", f"{tmp_path}/run.zarr", f"{tmp_path}/o.gif", "--size", "64x48", "--fps", "5"]
    )
    assert result.exit_code == 0, result.output
    with Image.open(tmp_path / "o.gif") as image:
        assert image.size == (64, 48)
        assert image.n_frames == 6
    wrong = CliRunner().invoke(app, ["render", f"{tmp_path}/run.zarr", f"{tmp_path}/o.gif", "--size", "big"])
    assert isinstance(wrong.exception, um.ModelError)


def test_a_sea_with_bodies_in_its_water_is_looked_into(run):
    for worlds, stage in ((["Sea(...)"], "sea"), (["Sea(...)", "Ocean()"], "water")):
        assert stage_name(replace(run, plant=None, provenance={"world": worlds})) == stage
