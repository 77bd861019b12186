"""The viewer's controls, moved as a person would: boxes, menus, sliders, the gizmo, buttons; without a browser."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests.support.recorded_runs import tumbling_brick

import unmoored as um
from unmoored.lie import se3
from unmoored.lie.conversions import quaternion_wxyz
from unmoored.views.viewer import run_view, viewer
from unmoored.views.viewer.opening_view import aim
from unmoored.views.viewer.overlays import OverlayMenu
from unmoored.views.viewer.run_view import RunView
from unmoored.views.viewer.shown_instant import Snapshot
from unmoored.views.viewer.system_view import SystemView
from unmoored.views.viewer.time_controls import SPEEDS
from unmoored.views.viewer.viewer import Viewer


@pytest.fixture(scope="module")
def system_view(server):
    """An arm on a free flyer; what it added, by label."""
    first = len(server.added)
    view = SystemView(server, um.load("free_flyer_arm7"))
    return view, _controls(server, first)


@pytest.fixture(scope="module")
def batch():
    return tumbling_brick(duration=0.2, samples=3)


@pytest.fixture(scope="module")
def compared(server, batch):
    """A batch beside one brick; what it added, by label."""
    first = len(server.added)
    view = RunView(server, [batch, tumbling_brick(duration=0.1)], ["three", "one"])
    return view, _controls(server, first)


def _controls(server, first):
    return {
        asked["label"]: node
        for _, asked, node in server.added[first:]
        if "label" in asked and node is not None
    }


def moved(node, value, by=1):
    """Move a control as a person does (by: number of the page, None for the program)."""
    callbacks, node._impl.update_cb = list(node._impl.update_cb), []
    node.value = value
    node._impl.update_cb = callbacks
    for callback in callbacks:
        callback(SimpleNamespace(client_id=by, target=node))


def test_boxes_switch_overlays_of_all_systems(compared):
    view, controls = compared
    labels = {group[0].label: group for group in view._overlays._groups}
    assert len(labels) == 12
    for label, group in labels.items():
        first = group[0].first_on
        assert [overlay.on for overlay in group] == [first, first], label
        assert controls[label].value is first
        moved(controls[label], not first)
        assert [overlay.on for overlay in group] == [not first] * 2
        assert [overlay.root.visible for overlay in group] == [not first] * 2
        moved(controls[label], first)
        assert [overlay.on for overlay in group] == [first] * 2
        assert (controls[label]._impl.props.hint or "") == group[0].hint


def test_the_frame_of_the_ellipsoids_is_chosen(system_view):
    view, controls = system_view
    ellipsoids = [g[0] for g in view._overlays._groups if hasattr(g[0], "frame")]
    assert [e.frame for e in ellipsoids] == ["tool", "tool"]
    moved(controls["manipulability"], True)
    moved(controls["ellipsoids at"], "elbow_pitch", by=None)
    assert [e.frame for e in ellipsoids] == ["tool", "tool"]
    moved(controls["ellipsoids at"], "elbow_pitch")
    assert [e.frame for e in ellipsoids] == ["elbow_pitch"] * 2
    np.testing.assert_allclose(
        ellipsoids[0]._mesh.position, view.snapshot.pose("elbow_pitch")[:3, 3], atol=1e-12
    )
    moved(controls["ellipsoids at"], "tool")
    moved(controls["manipulability"], False)


def test_sliders_and_gizmo_pose_the_system(system_view):
    view, controls = system_view
    system = view.snapshot.system
    moved(controls["elbow_pitch"], 0.4, by=None)
    assert view.snapshot.q[system.tree.link("elbow_pitch").q][0] == 0.0
    moved(controls["elbow_pitch"], 0.5)
    assert view.snapshot.q[system.tree.link("elbow_pitch").q][0] == 0.5
    assert not view.snapshot.v.any()
    (gizmo,) = view._gizmos
    g = se3.exp(np.array([0.5, -1.0, 2.0, 0.4, 1.1, -0.7]))
    gizmo.node.position, gizmo.node.wxyz = g[:3, 3], quaternion_wxyz(g[:3, :3])
    for callback in gizmo.node._impl_aux.update_cb:
        callback(SimpleNamespace(phase="end", target=gizmo.node))
    np.testing.assert_allclose(view.snapshot.pose("bus"), g, atol=1e-9)
    assert view.snapshot.q[system.tree.link("elbow_pitch").q][0] == 0.5
    view._set(system.neutral())
    np.testing.assert_array_equal(view.snapshot.q, system.neutral())
    np.testing.assert_allclose(gizmo.node.position, np.zeros(3), atol=1e-15)
    assert controls["elbow_pitch"].value == 0.0
    x, y, z = (f"{value:.3f}" for value in system.centre_of_mass(system.neutral()))
    assert f"centre of mass ({x}, {y}, {z}) m" in view._readout.content
    moved(controls["gizmo"], False)
    assert not gizmo.node.visible
    moved(controls["gizmo"], True)
    assert gizmo.node.visible


def test_trails_come_and_go(system_view):
    view, controls = system_view
    moved(controls["trail of tool"], True)
    (trail,) = view._trails._trails["tool"]
    view.show(replace(view.snapshot, t=1.0))
    assert trail._node.visible
    assert len(trail._node.points) == 2
    moved(controls["trail of tool"], False)
    assert "tool" not in view._trails._trails


def test_surroundings_are_chosen(system_view):
    view, controls = system_view
    environment = view._environment
    assert controls["surroundings"].value == environment.kind == "space"
    for kind, ground, water in (
        ("ground", True, False),
        ("water", False, True),
        ("ship", False, True),
        ("none", False, False),
    ):
        moved(controls["surroundings"], kind)
        assert (environment._parts["ground"][0]._node.visible, environment._water._root.visible) == (
            ground,
            water,
        )
    moved(controls["stars"], True)
    assert environment._stars._node.visible
    moved(controls["stars"], False)
    assert not environment._stars._node.visible
    moved(controls["plain light"], True)
    assert environment._plain_light.visible
    moved(controls["plain light"], False)
    assert not environment._plain_light.visible


def test_samples_are_chosen_and_ghosts_shown(compared, batch):
    view, controls = compared
    view.playback.go(0.1)
    moved(controls["sample"], next(name for name in controls["sample"].options if name.startswith("2")))
    np.testing.assert_allclose(
        view.actors[0].nodes[0].position, batch.system.pose(batch.q[2, 5], "brick")[:3, 3], atol=1e-12
    )
    assert view._sample(0) == 2
    assert view._sample(1) == 0
    moved(controls["ghosts of 3 samples"], False)
    assert not view._ghosts.root.visible
    moved(controls["ghosts of 3 samples"], True)
    assert view._ghosts.root.visible
    moved(controls["sample"], next(name for name in controls["sample"].options if name.startswith("0")))


def test_side_by_side_or_in_one_place(compared):
    view, controls = compared
    moved(controls["side by side"], False)
    np.testing.assert_array_equal(view.actors[1].root.position, np.zeros(3))
    moved(controls["side by side"], True)
    low, high = view._box()
    gap = 1.1 * (high[1] - low[1]) + 0.1 * np.linalg.norm(high - low)
    np.testing.assert_allclose(view.actors[1].root.position, [0.0, gap, 0.0], rtol=1e-12)
    np.testing.assert_array_equal(view.actors[0].root.position, np.zeros(3))


def test_the_time_bar_and_the_speeds(compared):
    view, controls = compared
    assert (view.playback.start, view.playback.end) == (0.0, 0.2)
    moved(controls["time [s]"], 0.16)
    assert view.playback.t == 0.16
    assert view._trails._snapshots[0].t == 0.16
    assert view._trails._snapshots[1].t == 0.1, "the shorter run stays at its end"
    moved(controls["time [s]"], 0.02, by=None)
    assert view.playback.t == 0.16
    assert [float(s.rstrip("×")) for s in SPEEDS] == [0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0]


def test_what_switches_is_looked_up_in_the_row_and_sample_that_is_shown(compared):
    view, _ = compared
    tie = SimpleNamespace(label="hook", active=1.0)
    assert view._is_on(0, tie, 0.0)
    assert not view._is_on(0, SimpleNamespace(label="hook", active=0.5), 0.0)
    values = np.zeros((3, 4))
    values[0, 1:3] = 1.0
    run = SimpleNamespace(switches={"hook.active": values}, batched=True, t=np.array([0.0, 1.0, 2.0, 3.0]))
    first = view._recordings[0]
    view._recordings[0] = replace(first, run=run)
    try:
        times = (-1.0, 0.0, 0.99, 1.0, 2.99, 3.0, 9.0)
        assert [view._is_on(0, tie, t) for t in times] == [False, False, False, True, True, False, False]
        run.batched, run.switches = False, {"hook.active": np.array([1.0, 0.0, 0.0, 0.6])}
        assert [view._is_on(0, tie, t) for t in times] == [True, True, True, False, False, True, True]
    finally:
        view._recordings[0] = first


def test_two_samples_are_a_batch_and_one_is_not(server):
    for samples in (1, 2):
        first = len(server.added)
        RunView(server, [tumbling_brick(duration=0.04, samples=samples)], ["some"])
        assert ("sample" in _controls(server, first)) == (samples == 2)


def test_a_hundred_ghosts_at_most(server, monkeypatch):
    assert run_view.MOST_GHOSTS == 100
    monkeypatch.setattr(run_view, "MOST_GHOSTS", 2)
    first = len(server.added)
    view = RunView(server, [tumbling_brick(duration=0.04, samples=3)], ["some"])
    ((samples, meshes),) = view._ghosts._bodies[0]
    assert samples == [0, 1]
    assert meshes[0].batched_positions.shape == (2, 3)
    assert "ghosts of 2 samples" in _controls(server, first)


def test_the_camera_looks_lower_in_narrow_windows():
    connected = []
    server = SimpleNamespace(initial_camera=SimpleNamespace(), on_client_connect=connected.append)
    aim(server, np.array([0.0, 0.0, 0.0]), np.array([2.0, 3.0, 6.0]))
    camera = server.initial_camera
    direction = np.array([0.75, -0.9, 0.55]) / np.linalg.norm([0.75, -0.9, 0.55])
    np.testing.assert_allclose(camera.look_at, [1.0, 1.5, 3.0])
    np.testing.assert_allclose(camera.position, [1.0, 1.5, 3.0] + 1.15 * 7.0 * direction)
    assert (camera.near, camera.far, camera.up) == (
        pytest.approx(0.035),
        pytest.approx(3500.0),
        (0.0, 0.0, 1.0),
    )
    for width, lower in ((619, 0.32 * 7.0), (620, None)):
        own = SimpleNamespace(image_width=width, position=None, look_at=None)
        connected[0](SimpleNamespace(camera=own))
        if lower is None:
            assert own.position is None
        else:
            np.testing.assert_allclose(own.look_at, [1.0, 1.5, 3.0 - lower])
            np.testing.assert_allclose(own.position, own.look_at + 1.15 * 7.0 * direction)


@pytest.mark.parametrize(
    ("host", "name"),
    [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "localhost"), ("::", "localhost"), ("::1", "[::1]")],
)
def test_the_address_can_be_opened(host, name):
    assert Viewer(SimpleNamespace(get_port=lambda: 81), None, host).url == f"http://{name}:81/"


def test_scripts_wait_and_prompts_do_not(monkeypatch):
    for names in ({"ps1": ">>> "}, {}):
        monkeypatch.setattr(
            viewer, "sys", SimpleNamespace(flags=SimpleNamespace(interactive=0), modules={}, **names)
        )
        assert viewer._interactive() is bool(names)
    monkeypatch.setattr(
        viewer, "sys", SimpleNamespace(flags=SimpleNamespace(interactive=0), modules={"ipykernel": 1})
    )
    assert viewer._interactive()


def test_a_system_without_mass_has_its_centre_nowhere_in_particular():
    link = SimpleNamespace(mass=0.0, com=np.zeros(3), index=0)
    shown = Snapshot(
        SimpleNamespace(mass=0.0, tree=SimpleNamespace(links=(link,))), 0.0, np.zeros(0), np.zeros(0)
    )
    vars(shown)["poses"] = [np.eye(4)]
    np.testing.assert_array_equal(shown.centre_of_mass, np.zeros(3))


def test_menus_show_each_system_its_own_snapshot():
    shown = []
    menu = object.__new__(OverlayMenu)
    menu._groups = [
        [SimpleNamespace(on=on, show=lambda s, k=k: shown.append((k, s))) for k in range(2)]
        for on in (True, False)
    ]
    menu.show(["first", "second"])
    assert shown == [(0, "first"), (1, "second")]
