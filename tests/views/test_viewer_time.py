"""Time lines, playback, trails and plots, without a browser."""

import dataclasses
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from tests.support.recorded_runs import tumbling_brick

import unmoored as um
from unmoored.views.viewer.shown_instant import at_rest
from unmoored.views.viewer.time_charts import Chart, Curves, curves, thousands
from unmoored.views.viewer.time_controls import Playback
from unmoored.views.viewer.timeline import Timeline, timelines
from unmoored.views.viewer.trails import Trail


def test_between_rows_the_robot_moves_on_the_group(spinning_run):
    (timeline,) = timelines(spinning_run)
    system = spinning_run.system
    t = 0.5 * (timeline.t[3] + timeline.t[4])
    expected = system.retract(system.neutral(), t * spinning_run.v[0])
    np.testing.assert_allclose(timeline.at(t).q, expected, atol=1e-13)
    assert timeline.at(t).t == t


def test_time_is_held_at_the_ends(spinning_run):
    (timeline,) = timelines(spinning_run)
    np.testing.assert_array_equal(timeline.at(-1.0).q, spinning_run.q[0])
    np.testing.assert_array_equal(timeline.at(99.0).q, spinning_run.q[-1])


def test_thinning_keeps_the_ends(spinning_run):
    thin = timelines(spinning_run)[0].thinned(7)
    assert len(thin.t) == 7
    np.testing.assert_array_equal(thin.t[[0, -1]], spinning_run.t[[0, -1]])


def test_samples_of_a_batch_end_where_they_ended(spinning_run):
    batch = um.Run(
        spinning_run.system,
        spinning_run.t,
        np.stack([spinning_run.q, spinning_run.q]),
        np.stack([spinning_run.v, spinning_run.v]),
        status=("completed", "stopped"),
        lengths=np.array([81, 40]),
    )
    assert [len(timeline.t) for timeline in timelines(batch)] == [81, 40]


def test_a_run_without_rows_is_refused(spinning_run):
    empty = um.Run(spinning_run.system, spinning_run.t, spinning_run.q, spinning_run.v, lengths=np.array([0]))
    with pytest.raises(um.ModelError, match="at least one row"):
        timelines(empty)


def test_curves_are_those_of_the_system(spinning_run):
    (timeline,) = timelines(spinning_run)
    found = {curve.title: curve for curve in curves(timeline)}
    system, q, v = spinning_run.system, spinning_run.q, spinning_run.v
    np.testing.assert_allclose(found["energy"].y[0], system.energy(q, v).kinetic, rtol=1e-12)
    np.testing.assert_allclose(found["angular momentum, dry"].y.T, system.momentum(q, v)[:, 3:], rtol=1e-12)
    np.testing.assert_allclose(found["joint angles"].y[0], np.degrees(0.25 * spinning_run.t), atol=1e-12)
    yaw = found["attitude of bus"].y[0]
    np.testing.assert_allclose(yaw, np.degrees(0.5 * spinning_run.t), atol=1e-11)


def test_momentum_in_water_is_the_impulse_in_plots_and_arrows():
    """And of a run that was loaded without its plant the dry system's, called so."""
    plant = um.Plant(um.load("bluerov2_heavy"), um.Ocean())
    q0, v0 = plant.system.neutral(), np.array([0.5, 0.2, 0.1, 0.3, 0.2, 0.1])
    run = um.simulate(plant, q0, v0, duration=0.2, step=0.01)
    (timeline,) = timelines(run)
    found = {curve.title: curve.y.T for curve in curves(timeline.thinned(5))}
    wet = run.momentum()[[0, 5, 10, 15, 20]]
    np.testing.assert_array_equal(found["linear momentum"], wet[:, :3])
    np.testing.assert_array_equal(found["angular momentum"], wet[:, 3:])
    assert np.abs(wet - run.system.momentum(run.q, run.v)[[0, 5, 10, 15, 20]]).max() > 1.0
    about_com = run.momentum("com")
    np.testing.assert_allclose(timeline.at(0.05).momentum, about_com[5], rtol=1e-12)
    np.testing.assert_allclose(timeline.at(0.055).momentum, about_com[5:7].mean(axis=0), rtol=1e-12)
    (alone,) = timelines(dataclasses.replace(run, plant=None, provenance={"world": ["Ocean()"]}))
    assert "linear momentum, dry" in {curve.title for curve in curves(alone)}
    np.testing.assert_allclose(
        alone.at(0.05).momentum, run.system.momentum(run.q[5], run.v[5], about="com"), rtol=1e-12
    )


def test_the_momentum_of_a_sample_that_ended_between_rows_has_a_value_for_each_row():
    batch = tumbling_brick(duration=0.2, samples=2)
    end = {"t": np.array([0.2, 0.09]), "q": batch.q[:, 5], "v": batch.v[:, 5], "u": batch.u[:, 5]}
    stopped = dataclasses.replace(batch, lengths=np.array([11, 5]), end=end)
    assert len(stopped.sample(1).t) == 6
    timeline = timelines(stopped)[1]
    np.testing.assert_allclose(timeline.momentum("world"), batch.sample(1).momentum()[:5], rtol=1e-12)
    np.testing.assert_allclose(timeline.at(0.07).momentum, batch.sample(1).momentum("com")[3:5].mean(axis=0))


def test_a_recording_may_be_lists_of_whole_numbers(server):
    """Anything with t and q is taken as a run."""
    brick = um.load("tumbling_brick")
    q = np.tile(brick.neutral(), (3, 1))
    q[:, 9] = [0, 2, 4]
    run = SimpleNamespace(
        t=[0, 1, 2], q=q.astype(int).tolist(), v=[[0] * 6] * 3, u=[[0], [2], [4]], system_of=lambda i: brick
    )
    (timeline,) = timelines(run)
    np.testing.assert_allclose(timeline.at(0.5).q[9:], [1.0, 0.0, 0.0], atol=1e-15)
    assert timeline.at(0.5).u == [1.0]
    assert timeline.at(1).q.dtype == timeline.at(1).v.dtype == float
    chart = Chart(server.gui, timeline.t, Curves("c", "m", ("a",), timeline.u.T))
    chart.show(0.5)
    np.testing.assert_array_equal(chart._plot.data[0], [0.0, 0.5, 0.5, 0.5, 1.0, 2.0])
    np.testing.assert_array_equal(chart._plot.data[1], [0.0, 1.0, 1.0, 1.0, 2.0, 4.0])
    assert at_rest(brick, q[0].astype(int).tolist()).q.dtype == float


def test_the_line_of_a_plot_is_a_spike_now(server):
    t = np.linspace(0.0, 1.0, 5)
    chart = Chart(server.gui, t, Curves("c", "m", ("a",), t[None] ** 2))
    chart.show(0.6)
    time, a, line = chart._plot.data
    assert (np.diff(time) >= 0).all()
    np.testing.assert_array_equal(time[line == 1.0], [0.6])
    np.testing.assert_allclose(a[time == 0.6], np.interp(0.6, t, t**2), rtol=1e-15)
    np.testing.assert_array_equal(np.delete(a, np.flatnonzero(time == 0.6)), t**2)


@pytest.mark.whole
@pytest.mark.parametrize(
    ("largest", "power"),
    [
        (0.0, 0),
        (0.5, 0),
        (9999.0, 0),
        (4e4, 3),
        (3e7, 6),
        (2e-4, -6),
        (5e-3, -3),
        (0.01, 0),
        (0.0099, -3),
        (1e4, 3),
    ],
)
def test_big_and_small_numbers_are_told_by_powers_of_a_thousand(server, largest, power):
    y = np.array([[-largest, 0.0, np.nan]])
    assert thousands(y) == power
    chart = Chart(server.gui, np.arange(3.0), Curves("c", "J", ("a",), y))
    np.testing.assert_allclose(np.nanmin(chart._plot.data[1]) * 10.0**power, -largest, rtol=1e-14)
    assert ("10" in chart._plot.title) == (power != 0)


def test_a_trail_goes_from_the_start_to_now(server, spinning_run):
    from unmoored.views.viewer.actor import Actor

    (timeline,) = timelines(spinning_run)
    trail = Trail(server, Actor(server, spinning_run.system, "a"), "tool", (0, 0, 0), timeline)
    snapshot = timeline.at(1.23)
    trail.show(snapshot)
    points = trail._node.points
    np.testing.assert_allclose(points[0, 0], timeline.at(0.0).pose("tool")[:3, 3], atol=1e-6)
    np.testing.assert_allclose(points[-1, 1], spinning_run.system.pose(snapshot.q, "tool")[:3, 3], atol=1e-6)
    np.testing.assert_array_equal(points[1:, 0], points[:-1, 1])
    assert trail._node.visible
    trail.show(timeline.at(0.0))
    assert trail._node.visible, "the first row, and now"
    ahead = Trail(server, Actor(server, spinning_run.system, "b"), "tool", (0, 0, 0), None)
    ahead.show(snapshot)
    np.testing.assert_allclose(ahead._node.points, np.tile(points[-1, 1], (1, 2, 1)), atol=1e-6)
    ahead.show(timeline.at(1.5))
    assert ahead._node.visible
    assert len(ahead._node.points) == 2


class TestPlayback:
    def test_going_to_a_time_is_cut_to_the_recording(self, server):
        shown = []
        playback = Playback(server.gui, 1.0, 3.0, shown.append)
        for t in (2.0, 99.0, -5.0):
            playback.go(t)
        assert shown == [2.0, 3.0, 1.0]

    def test_looping_wraps_round(self, server):
        shown = []
        playback = Playback(server.gui, 1.0, 3.0, shown.append)
        playback.go(2.5)
        playback._advance(1.0)
        assert shown[-1] == pytest.approx(1.5, rel=1e-14)

    def test_without_loop_it_stops_at_the_end_and_starts_again(self, server):
        shown = []
        playback = Playback(server.gui, 0.0, 1.0, shown.append)
        playback._loop.value = False
        playback._advance(9.0)
        assert (playback.t, playback.playing) == (1.0, False)
        done = threading.Event()
        playback._show = lambda t: done.set() if 0.0 < t < 1.0 else None
        playback.play()
        assert done.wait(20.0)
        playback.pause()
        assert not playback.playing

    def test_speed_scales_time(self, server):
        playback = Playback(server.gui, 0.0, 100.0, lambda t: None)
        playback._speed.value = "5×"
        playback._advance(2.0)
        assert playback.t == 10.0


def test_rows_are_found_by_time(spinning_run):
    timeline = Timeline(
        lambda: spinning_run.system, np.array([0.0, 1.0, 4.0]), spinning_run.q[:3], spinning_run.v[:3]
    )
    assert [timeline.row(t) for t in (-1.0, 0.0, 0.5, 1.0, 3.9, 4.0, 9.0)] == [0, 0, 0, 1, 1, 2, 2]
