"""What moves in the viewer: ticks, the time bar, time lines, live mode, sliders."""

import asyncio
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests.support.recorded_runs import tumbling_brick

import unmoored as um
from unmoored.views.viewer import steady_calls
from unmoored.views.viewer.actor import Actor
from unmoored.views.viewer.joint_sliders import JointSliders, slider_ranges
from unmoored.views.viewer.live_dynamics import LiveState
from unmoored.views.viewer.live_panel import LivePanel
from unmoored.views.viewer.shown_instant import at_rest
from unmoored.views.viewer.time_charts import curves
from unmoored.views.viewer.time_controls import Playback
from unmoored.views.viewer.timeline import Timeline, timelines


class TestTime:
    def test_ticks_keep_their_rate_whatever_they_take(self, monkeypatch):
        clock, waits, ticks = [5.0], [], []

        def tick(elapsed):
            ticks.append(elapsed)
            clock[0] += 0.02 if len(ticks) < 3 else 0.05

        def wait(seconds):
            waits.append(seconds)
            clock[0] += seconds
            return len(waits) > 5

        monkeypatch.setattr(steady_calls.time, "perf_counter", lambda: clock[0])
        steady_calls.SteadyCalls(tick)._run(SimpleNamespace(wait=wait))
        np.testing.assert_allclose(waits, [1 / 30, 1 / 30 - 0.02, 1 / 30 - 0.02, 0.0, 0.0, 0.0], atol=1e-12)
        np.testing.assert_allclose(ticks, [1 / 30, 1 / 30, 1 / 30, 0.05, 0.05], atol=1e-12)

    def test_the_bar_has_a_thousand_steps(self, server):
        first = len(server.added)
        Playback(server.gui, 1.0, 3.0, lambda t: None)
        asked = server.added[first][1]
        assert [asked[k] for k in ("min", "max", "step", "initial_value")] == [1.0, 3.0, 0.002, 1.0]

    def test_a_recording_of_one_row_plays_to_its_end(self, server):
        shown = []
        playback = Playback(server.gui, 2.0, 2.0, shown.append)
        playback._advance(0.5)
        assert shown == [2.0]
        assert not playback.playing

    def test_a_run_of_one_row_has_a_time_line(self):
        brick = tumbling_brick(duration=0.02)
        (timeline,) = timelines(
            replace(brick, t=brick.t[:1], q=brick.q[:1], v=brick.v[:1], u=None, lengths=np.array([1]))
        )
        assert timeline.start == timeline.end == 0.0
        np.testing.assert_array_equal(timeline.at(7.0).q, brick.q[0])

    def test_rows_after_the_end_of_a_sample_are_nowhere(self):
        batch = tumbling_brick(duration=0.2, samples=2)
        ended = replace(batch, lengths=np.array([11, 4]))
        for timeline, n, i in zip(timelines(ended), (11, 4), (0, 1), strict=True):
            assert [len(x) for x in (timeline.t, timeline.q, timeline.v, timeline.u)] == [n] * 4
            assert timeline.energy.shape == (2, n)
            assert timeline.momentum("world").shape == (n, 6)
            np.testing.assert_allclose(timeline.energy[0], batch.energy().kinetic[i, :n], rtol=1e-12)

    def test_between_rows_velocities_and_inputs_lie_on_lines(self):
        system = um.load("tumbling_brick")
        q, v = np.tile(system.neutral(), (3, 1)), np.arange(18.0).reshape(3, 6)
        timeline = Timeline(lambda: system, np.array([0.0, 1.0, 3.0]), q, v, -v[:, :2])
        found = timeline.at(1.5)
        np.testing.assert_allclose(found.v, 0.75 * v[1] + 0.25 * v[2], rtol=1e-15)
        np.testing.assert_allclose(found.u, -found.v[:2], rtol=1e-15)
        np.testing.assert_array_equal(timeline.at(1.0).u, -v[1, :2])
        rows = np.arange(9.0)
        many = Timeline(
            lambda: system,
            rows,
            np.tile(q[0], (9, 1)),
            np.zeros((9, 6)),
            rows[:, None],
            np.stack([rows, -rows]),
        )
        thin = many.thinned(3)
        np.testing.assert_array_equal(thin.u[:, 0], [0.0, 4.0, 8.0])
        np.testing.assert_array_equal(thin.energy, [[0, 4, 8], [0, -4, -8]])


def test_angles_in_plots_go_on_beyond_a_turn_and_keep_apart():
    """Yaw of three turns and pitch of minus a fifth, with a rail whose way is in metres."""
    b = um.SystemBuilder("turning")
    bus = b.vehicle("bus", um.Free(), inertia=um.Inertia.box(1.0, (1, 1, 1)))
    b.link("rail", parent=bus, joint=um.Prismatic(axis=(1, 0, 0)), inertia=um.Inertia.point(1.0))
    b.link("knee", parent=bus, joint=um.Revolute(axis=(1, 0, 0)), inertia=um.Inertia.box(1.0, (1, 1, 1)))
    system, t = b.build(), np.linspace(0.0, 1.0, 41)
    R = um.lie.so3.from_euler_zyx(np.stack([3.0 + 6 * np.pi * t, -0.4 * np.pi + 0 * t, -3.0 * t], axis=-1))
    q = np.tile(system.neutral(), (41, 1))
    q[:, :9], q[:, 12], q[:, 13] = R.reshape(-1, 9), 2.0 * t, 0.5 * t
    found = {c.title: c for c in curves(Timeline(lambda: system, t, q, np.zeros((41, 8))))}
    angles = found["attitude of bus"].y
    np.testing.assert_allclose(angles[0] - angles[0, 0], 1080.0 * t, atol=1e-9)
    np.testing.assert_allclose(angles[1], -72.0, atol=1e-9)
    np.testing.assert_allclose(angles[2], np.degrees(-3.0 * t), atol=1e-9)
    assert (found["joint positions"].unit, found["joint positions"].names) == ("m", ("rail",))
    np.testing.assert_allclose(found["joint positions"].y[0], 2.0 * t)
    np.testing.assert_allclose(found["joint angles"].y[0], np.degrees(0.5 * t))
    assert found["kinetic energy"].names == ("kinetic",)


class TestLive:
    @pytest.fixture
    def panel(self, server):
        system = um.load("tumbling_brick")
        actor, shown, steps = Actor(server, system, "live"), [at_rest(system)], []

        class Steps:
            step_size = 0.03

            def step(self, state, u):
                steps.append(u)
                return LiveState(state.t + 0.03, state.q, state.v)

        panel = LivePanel(
            server, actor, None, Steps(), lambda: (shown[-1], shown[-1].q), shown.append, lambda: None
        )
        panel._state, panel._owed = LiveState(0.0, shown[0].q, shown[0].v), 0.0
        return panel, shown, steps

    def test_time_that_was_slept_away_is_not_made_up_for(self, panel):
        live, shown, steps = panel
        live._tick(5.0)
        assert (len(steps), shown[-1].t) == (3, pytest.approx(0.09))
        live._tick(0.021)
        assert (len(steps), shown[-1].t) == (4, pytest.approx(0.12))
        live._tick(0.001)
        assert len(steps) == 4

    def test_a_body_is_pulled_where_it_was_taken(self, panel):
        live, _, _ = panel
        g = um.lie.se3.exp(np.array([0.3, -0.2, 0.5, 0.4, 0.1, -0.9]))
        link = live._actor.system.tree.links[0]
        q = np.array(live._state.q)
        q[link.q] = np.concatenate([g[:3, :3].ravel(), g[:3, 3]])
        live._state = live._state._replace(q=q)
        dragged = live._dragged("brick")

        def drag(phase, start, end):
            asyncio.run(dragged(SimpleNamespace(phase=phase, start_position=start, end_position=end)))

        drag("start", (1.0, 2.0, 3.0), (1.0, 2.0, 3.0))
        at = live._actor.system.pose(q, "brick")
        np.testing.assert_allclose(at[:3, :3] @ live._pull.grip + at[:3, 3], [1.0, 2.0, 3.0], atol=1e-12)
        grip = live._pull.grip
        drag("update", (9.0, 9.0, 9.0), (4.0, 5.0, 6.0))
        np.testing.assert_array_equal(live._pull.grip, grip)
        np.testing.assert_array_equal(live._pull.towards, [4.0, 5.0, 6.0])
        drag("end", (9.0, 9.0, 9.0), (9.0, 9.0, 9.0))
        assert live._pull is None

    def test_gravity_is_that_of_the_plant_or_of_the_box(self, panel):
        live, _, _ = panel
        assert live._uniform_gravity() == (0.0, 0.0, 0.0)
        live._gravity.value = True
        assert live._uniform_gravity() == (0.0, 0.0, -9.81)
        live._plant = SimpleNamespace(gravity=np.array([1.0, 2.0, 3.0]))
        assert live._uniform_gravity() == (1.0, 2.0, 3.0)


def test_sliders_go_one_turn_or_as_far_as_they_are_told(server):
    b = um.SystemBuilder("sliders")
    last = b.vehicle("cart", um.Prismatic(axis=(0, 1, 0)), inertia=um.Inertia.point(1.0))
    for axis in np.eye(3):
        last = b.link(
            f"turn{axis.argmax()}",
            parent=last,
            joint=um.Revolute(axis=tuple(axis)),
            inertia=um.Inertia.sphere(1.0, 0.1),
        )
    last = b.link("ball", parent=last, joint=um.Spherical(), inertia=um.Inertia.sphere(1.0, 0.1))
    b.mimic("turn2", "turn0", multiplier=2.0)
    system = b.build()
    ranges = {link.name: slider_ranges(link, 0.7) for link in system.tree.links}
    for name, most in (
        ("cart", [0.7]),
        *((f"turn{k}", [np.pi]) for k in range(3)),
        ("ball", [np.pi / np.sqrt(3)] * 3),
    ):
        np.testing.assert_allclose(ranges[name], [-np.array(most), most], rtol=1e-14, err_msg=name)
    first = len(server.added)
    JointSliders(server.gui, system, system.neutral(), 0.7, lambda q: None)
    asked = [asked for call, asked, _ in server.added[first:]]
    assert [a["disabled"] for a in asked] == [False, False, False, True, False, False, False]
    assert [a["label"] for a in asked][-3:] == ["ball.wx", "ball.wy", "ball.wz"]
    np.testing.assert_allclose([a["step"] for a in asked], [(a["max"] - a["min"]) / 500 for a in asked])
