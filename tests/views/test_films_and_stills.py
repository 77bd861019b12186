"""Times, rates and sizes of films; a still picture, and the shapes of bodies that have none."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests.support.recorded_runs import tumbling_brick

import unmoored as um
from unmoored.views import save_picture
from unmoored.views.render import Look, export, render
from unmoored.views.render.export import frame_times
from unmoored.views.shapes import body_shapes
from unmoored.views.shapes.invented_shapes import invented_shapes


class TestFilms:
    def test_times_of_frames(self):
        run = SimpleNamespace(t=np.array([1.0, 3.0]))
        np.testing.assert_allclose(frame_times(run, 1.0, 2.0), [1.0, 1.5, 2.0, 2.5, 3.0], rtol=1e-15)
        np.testing.assert_allclose(frame_times(run, 0.3, 0.3), 1.0 + np.arange(3), rtol=1e-15)
        np.testing.assert_allclose(frame_times(run, 4.0, 3.0), [1.0, 1.0 + 4 / 3], rtol=1e-15)
        assert len(frame_times(run, 1.0, 100.0)) == 201
        assert len(frame_times(SimpleNamespace(t=np.array([0.0, 199.99])), 1.0, 100.0)) == 20_000
        for speed, fps in ((0.0, 10.0), (1.0, 0.0), (1.0, 100.5)):
            with pytest.raises(um.ModelError, match="speed > 0 and 0 < fps"):
                frame_times(run, speed, fps)
        with pytest.raises(um.ModelError, match="20001 frames"):
            frame_times(SimpleNamespace(t=np.array([0.0, 200.0])), 1.0, 100.0)

    @pytest.mark.parametrize(
        ("kind", "fps", "asked"), [("gif", 20.0, None), ("webp", 20.0, None), ("mp4", 30.0, 15.0)]
    )
    def test_formats_have_their_rates(self, kind, fps, asked, monkeypatch, tmp_path):
        run, seen = tumbling_brick(duration=0.2), {}
        monkeypatch.setattr(
            export, f"_write_{kind}", lambda path, pictures, rate: seen.update(rate=rate, path=path)
        )
        render(run, tmp_path / f"a.{kind}", size=(32, 20))
        assert seen == {"rate": fps, "path": tmp_path / f"a.{kind}"}
        if asked:
            render(run, tmp_path / f"a.{kind}", size=(32, 20), fps=asked)
            assert seen["rate"] == asked

    @pytest.mark.parametrize(("fps", "gif", "webp"), [(100.0, 20, 10), (30.0, 30, 33), (12.5, 80, 80)])
    def test_frames_last_as_long_as_the_rate_says(self, fps, gif, webp, tmp_path):
        from PIL import Image

        rng = np.random.default_rng(0)
        pictures = [
            np.full((8, 10, 3), c, dtype=np.uint8) + rng.integers(0, 9, (8, 10, 3), np.uint8)
            for c in (0, 90, 200)
        ]
        for write, name, shown in ((export._write_gif, "a.gif", gif), (export._write_webp, "a.webp", webp)):
            write(tmp_path / name, pictures, fps)
            with Image.open(tmp_path / name) as film:
                assert (film.n_frames, film.info["loop"]) == (3, 0)
                for k, picture in enumerate(pictures):
                    film.seek(k)
                    film.load()
                    assert film.info["duration"] == shown
                    assert np.abs(np.asarray(film.convert("RGB")).mean() - picture.mean()) < 6.0

    def test_the_encoder_is_given_even_sides_and_whole_frames(self, monkeypatch, tmp_path):
        given = {}
        monkeypatch.setattr("imageio_ffmpeg.get_ffmpeg_exe", lambda: "ffmpeg")

        class Encoder:
            returncode = 0

            def __init__(self, command, **_):
                given["command"] = command

            def __enter__(self):
                return self

            def __exit__(self, *_):
                pass

        monkeypatch.setattr(export.subprocess, "Popen", Encoder)
        monkeypatch.setattr(export, "_fed", lambda _, frames: given.update(frames=list(frames)) or "")
        pictures = np.random.default_rng(1).integers(0, 255, (2, 5, 7, 3), np.uint8)
        export._write_mp4(tmp_path / "a.mp4", pictures, 12.5)
        command = given["command"]
        assert command[command.index("-s") + 1] == "6x4"
        assert command[command.index("-r") + 1] == "12.5"
        assert command[-1] == str(tmp_path / "a.mp4")
        assert given["frames"] == [p[:4, :6].tobytes() for p in pictures]

    def test_sizes_from_16_to_8192(self):
        assert Look(size=(16, 8192)).size == (16, 8192)
        for size in ((15, 100), (100, 8193), (100,), (100.0, 100)):
            with pytest.raises(um.ModelError, match=r"16…8192"):
                Look(size=size)
        with pytest.raises(um.ModelError, match="zoom"):
            Look(zoom=0.0)


@pytest.fixture(scope="module")
def still(tmp_path_factory):
    """The axes of a still picture of a bare arm, and where it was written."""
    from matplotlib.figure import Figure

    seen, path = {}, tmp_path_factory.mktemp("still") / "a.png"
    system = um.load("spart_sc_3dof")
    bodies = tuple(replace(body, visuals=()) for body in system.tree.bodies)
    system = um.System(replace(system.tree, bodies=bodies))
    q = system.random_configuration(5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            Figure, "savefig", lambda figure, path, dpi: seen.update(figure=figure, path=path, dpi=dpi)
        )
        assert save_picture(system, q, path, title="a$b") == path
    return system, q, seen


class TestStill:
    def test_it_is_written_with_its_title(self, still):
        _, _, seen = still
        (axes,) = seen["figure"].axes
        assert seen["dpi"] == 150
        assert axes.get_title() == r"a\$b"
        assert seen["figure"].get_size_inches().tolist() == [8.0, 6.0]
        assert [axes.get_xlabel(), axes.get_ylabel(), axes.get_zlabel()] == ["x [m]", "y [m]", "z [m]"]
        assert (axes.elev, axes.azim) == (22, -60)
        assert axes.get_position(original=True).bounds == pytest.approx((0.0, 0.0, 1.0, 0.95))

    def test_surfaces_stand_where_the_bodies_are_and_are_brighter_towards_the_light(self, still):
        system, q, seen = still
        (axes,) = seen["figure"].axes
        (surface,) = axes.collections
        moved = [
            (shape.moved(system.pose(q, name)).corners, shape.rgba)
            for name, own in zip(system.names, body_shapes(system.tree), strict=True)
            for shape in own
        ]
        corners = np.concatenate([c for c, _ in moved])
        faces = surface._faces if hasattr(surface, "_faces") else surface._vec[:3].T  # before matplotlib 3.10
        np.testing.assert_allclose(np.asarray(faces).reshape(-1, 3, 3), corners, atol=1e-12)
        colours = np.concatenate([np.tile(rgba, (len(c), 1)) for c, rgba in moved])
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
        light = 0.62 + 0.38 * np.abs(normals @ [0.35, -0.5, 0.79])
        np.testing.assert_allclose(surface._facecolor3d[:, :3], colours[:, :3] * light[:, None], atol=1e-9)
        np.testing.assert_array_equal(surface._facecolor3d[:, 3], colours[:, 3])
        low, high = corners.reshape(-1, 3).min(axis=0), corners.reshape(-1, 3).max(axis=0)
        half = 0.52 * (high - low).max()
        limits = [axes.get_xlim(), axes.get_ylim(), axes.get_zlim()]
        np.testing.assert_allclose(np.mean(limits, axis=1), (low + high) / 2, atol=1e-12)
        np.testing.assert_allclose(np.ptp(limits, axis=1), 2 * half, rtol=1e-12)

    def test_lines_lie_over_surfaces_in_a_cube(self, still):
        (axes,) = still[2]["figure"].axes
        assert not axes.computed_zorder, "the order is ours: lines and names are never hidden"
        assert min(x.get_zorder() for x in (*axes.lines, *axes.texts)) > axes.collections[0].get_zorder()
        assert np.ptp(axes._box_aspect) == 0.0
        unzoomed = still[2]["figure"].add_subplot(projection="3d")
        unzoomed.set_box_aspect((1, 1, 1))
        np.testing.assert_allclose(axes._box_aspect, 0.92 * unzoomed._box_aspect, rtol=1e-12)
        unzoomed.remove()

    def test_joints_are_lines_from_their_parents_and_frames_have_names(self, still):
        system, q, seen = still
        (axes,) = seen["figure"].axes
        links = [link for link in system.tree.links if link.parent >= 0]
        for link, line in zip(links, axes.lines, strict=True):
            ends = [system.pose(q, system.names[k])[:3, 3] for k in (link.parent, link.index)]
            np.testing.assert_allclose(np.transpose(line.get_data_3d()), ends, atol=1e-12)
        for name, text in zip(system.frames, axes.texts, strict=True):
            assert text.get_text() == f" {name}"
            np.testing.assert_allclose(text.get_position_3d(), system.pose(q, name)[:3, 3], atol=1e-12)


def test_short_bones_are_slim():
    """A fifth of their length, at most 0.035 of the longest way."""
    b, last = um.SystemBuilder("bones"), "world"
    for k, length in enumerate((0.0, 0.1, 1.0, 0.2)):
        last = b.link(f"b{k}", parent=last, joint=um.Revolute((1, 0, 0)), at=um.Pose(xyz=(length, 0, 0)),
                      inertia=um.Inertia.sphere(1.0, 0.01)).name  # fmt: skip
    tree = b.build().tree
    radii = [np.ptp(invented_shapes(tree, k, 1.0)[0].vertices[:, 1]) / 2 for k in range(3)]
    np.testing.assert_allclose(radii, [0.02, 0.035, 0.035], atol=1e-3)


def test_a_crane_without_shapes_has_the_sizes_that_its_numbers_tell():
    """Bones from joint to joint, boxes of the masses, cylinders along axes that turn, bars along those that slide."""
    b = um.SystemBuilder("bare")
    bus = b.vehicle("bus", um.Free(), inertia=um.Inertia.box(6.0, (0.6, 0.4, 0.2), com=(0.1, 0.0, 0.0)))
    slide = b.link("slide", parent=bus, joint=um.Prismatic(axis=(0, 1, 0)), at=um.Pose(xyz=(0.0, 0.0, 1.0)),
                   inertia=um.Inertia.zero())  # fmt: skip
    turn = b.link("turn", parent=slide, joint=um.Revolute(axis=(1, 0, 0)), at=um.Pose(xyz=(2.0, 0.0, 0.0)),
                  inertia=um.Inertia.point(8.0, com=(0.0, 0.0, -0.3)))  # fmt: skip
    b.link(
        "ball",
        parent=turn,
        joint=um.Spherical(),
        at=um.Pose(xyz=(0.0, 0.5, 0.0)),
        inertia=um.Inertia.sphere(1.0, 0.04),
    )
    tree = b.build().tree
    ends = {
        body.name: [[shape.vertices.min(axis=0), shape.vertices.max(axis=0)] for shape in own]
        for body, own in zip(tree.bodies, body_shapes(tree), strict=True)
    }
    expected = {
        "bus": [([-0.07, -0.07, -0.07], [0.07, 0.07, 1.07]), ([-0.2, -0.2, -0.1], [0.4, 0.2, 0.1])],
        "slide": [([-0.07, -0.07, -0.07], [2.07, 0.07, 0.07]), ([-0.05, -0.2, -0.05], [0.05, 0.2, 0.05])],
        # a bone and the mass that hangs below, as a cube of water is large
        "turn": [([-0.1, -0.1, -0.4], [0.1, 0.57, 0.07]), ([-0.12, -0.1, -0.1], [0.12, 0.1, 0.1])],
        "ball": [(3 * [-0.02 * np.sqrt(2.4)], 3 * [0.02 * np.sqrt(2.4)]), (3 * [-0.12], 3 * [0.12])],
    }
    for name, boxes in expected.items():
        np.testing.assert_allclose(ends[name], boxes, atol=1e-3, err_msg=name)
