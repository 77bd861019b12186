"""Where what is drawn stands: shadows, ways of targets, the ground's grid, frames of bodies."""

from types import SimpleNamespace

import numpy as np

from unmoored.views.plots.run_channels import frame_poses
from unmoored.views.render.frame import SUN, thrown_on_floor
from unmoored.views.viewer.environment_nodes import Ground
from unmoored.views.viewer.overlays.told import _draw_path


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


def test_poses_of_the_first_body_of_the_last_and_of_the_world(spinning_run):
    for body in spinning_run.system.names:
        there = spinning_run.system.pose(spinning_run.q, body)
        np.testing.assert_allclose(frame_poses(spinning_run, body), there, atol=1e-14)
    np.testing.assert_array_equal(frame_poses(spinning_run, "world"), np.broadcast_to(np.eye(4), (81, 4, 4)))
