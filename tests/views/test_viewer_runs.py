"""Runs in the viewer, without a browser: batches as ghosts, two runs side by side, plots that follow."""

import numpy as np
import pytest

import unmoored as um
from unmoored.views import view
from unmoored.views.plots import run_channels
from unmoored.views.shapes import body_shapes


@pytest.fixture(scope="module")
def batch(spinning_run):
    """Three samples, each slower than the one before; the last ended early."""
    system, t = spinning_run.system, spinning_run.t
    v = spinning_run.v[0] * np.array([1.0, 0.5, 0.25])[:, None]
    q = system.retract(system.neutral(), t[:, None] * v[:, None])
    status = ("completed", "completed", "stopped: event")
    q[2, 40:] = np.nan
    velocities = np.broadcast_to(v[:, None], (3, len(t), system.nv)).copy()
    return um.Run(system, t, q, velocities, status=status, lengths=np.array([81, 81, 40]))


def test_a_batch_shows_one_sample_and_the_others_as_ghosts(batch):
    with view(batch, port=0, wait=False) as viewer:
        content, system = viewer.content, batch.system
        content.playback.go(1.0)
        tip = content._ghosts._bodies[-1][0][1][0].batched_positions
        expected = [system.pose(batch.q[i, 20], system.names[-1])[:3, 3] for i in range(3)]
        np.testing.assert_allclose(tip, expected, atol=1e-6)
        content._select(1)
        np.testing.assert_allclose(
            content.actors[0].nodes[-1].position, expected[1], atol=1e-12, err_msg="another sample is shown"
        )


def test_every_sample_has_its_own_geometry():
    """Ghosts, the chosen sample, fans and invariants of a batch whose links differ, against systems built so."""
    system = um.load("spart_sc_3dof")
    plant = um.Plant(system, free=["shoulder_pitch.xyz", "tool.xyz", "elbow_pitch.mass"])
    places = np.array([[0.3, 0.1, -0.2], [0.9, 0.0, 0.1], [0.3, 0.1, -0.2]])
    v = 0.3 * np.ones(system.nv)
    run = um.simulate(
        plant, system.neutral(), v, duration=0.4, step=0.1,
        parameters={"shoulder_pitch.xyz": places, "tool.xyz": 2 * places, "elbow_pitch.mass": [1.0, 5.0, 9.0]},
    )  # fmt: skip
    own = [run.sample(i) for i in range(3)]
    fan = run_channels.frame_position(run, "tool").values
    for i, one in enumerate(own):
        np.testing.assert_allclose(fan[i], one.system.pose(one.q, "tool")[:, :3, 3], atol=1e-14)
        assert one.system_of(0) is one.system
        for name, found in run.invariants().items():
            np.testing.assert_allclose(found[i], one.invariants()[name], rtol=1e-6, atol=1e-13, err_msg=name)
    with view(run, port=0, wait=False) as viewer:
        content = viewer.content
        content.playback.go(0.2)
        for k, name in enumerate(system.names):
            groups = content._ghosts._bodies[k]
            shown = {i: meshes[0].batched_positions[j] for s, meshes in groups for j, i in enumerate(s)}
            for i, one in enumerate(own):
                np.testing.assert_allclose(shown[i], one.system.pose(one.q[2], name)[:3, 3], atol=1e-6)
                shapes = body_shapes(one.system.tree)[k]
                (meshes,) = (meshes for s, meshes in groups if i in s)
                for shape, mesh in zip(shapes, meshes, strict=True):
                    np.testing.assert_array_equal(mesh.vertices, shape.vertices.astype(np.float32))
        content._select(1)
        np.testing.assert_allclose(
            content.actors[0].nodes[-1].position,
            own[1].system.pose(own[1].q[2], system.names[-1])[:3, 3],
            atol=1e-12,
        )
        for meshes, shapes in zip(content.actors[0].meshes, body_shapes(own[1].system.tree), strict=True):
            for mesh, shape in zip(meshes, shapes, strict=True):
                np.testing.assert_array_equal(mesh.vertices, shape.vertices.astype(np.float32))


def test_a_sample_that_ended_stays_where_it_ended(batch):
    with view(batch, port=0, wait=False) as viewer:
        viewer.content.playback.go(4.0)
        tip = viewer.content._ghosts._bodies[-1][0][1][0].batched_positions
        system = batch.system
        np.testing.assert_allclose(tip[2], system.pose(batch.q[2, 39], system.names[-1])[:3, 3], atol=1e-6)


def test_two_runs_stand_side_by_side_or_in_one_place(spinning_run, batch):
    with view(spinning_run, compare=batch.sample(1), names=("ours", "slow"), port=0, wait=False) as viewer:
        content = viewer.content
        content.playback.go(2.0)
        first, second = content.actors
        assert (first.name, second.name) == ("ours", "slow")
        gap = np.asarray(second.root.position) - np.asarray(first.root.position)
        assert gap[1] > 1.0
        content._place_apart(False)
        np.testing.assert_array_equal(second.root.position, first.root.position)
        system = spinning_run.system
        for actor, run in ((first, spinning_run), (second, batch.sample(1))):
            np.testing.assert_allclose(
                actor.nodes[-1].position, system.pose(run.q[40], system.names[-1])[:3, 3], atol=1e-12
            )
        assert len(content._charts) == 2


def test_a_saved_run_can_be_viewed(spinning_run, tmp_path):
    spinning_run.save(tmp_path / "run.zarr")
    with um.load_run(tmp_path / "run.zarr").view(port=0, wait=False) as viewer:
        viewer.content.playback.go(0.5)
        assert viewer.content.playback.t == 0.5


def test_a_plant_brings_its_surroundings_and_its_dynamics():
    plant = um.Plant(um.load("bluerov2_heavy"), world=um.Ocean(current=(0.3, 0.0, 0.0)))
    with view(plant, port=0, wait=False) as viewer:
        content = viewer.content
        assert content._environment.kind == "water"
        arrows = content._environment._water._arrows
        along = arrows.points[:, 1] - arrows.points[:, 0]
        np.testing.assert_allclose(
            along / np.linalg.norm(along, axis=-1, keepdims=True), [[1, 0, 0]] * 12, atol=1e-6
        )
        assert content.live._stepper.plant.world == plant.world
