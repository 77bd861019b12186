"""What belongs together comes in equal numbers: no body, plot or sample is left out in silence."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests.support.recorded_runs import tumbling_brick

import unmoored as um
from unmoored.views import plot
from unmoored.views.plots import run_channels
from unmoored.views.viewer.actor import Actor, Ghosts
from unmoored.views.viewer.overlays import OverlayMenu, Setting, Targets
from unmoored.views.viewer.run_view import RunView
from unmoored.views.viewer.shown_instant import at_rest
from unmoored.views.viewer.time_charts import Charts
from unmoored.views.viewer.timeline import timelines
from unmoored.views.viewer.trails import Trails

SYSTEM = um.load("spart_sc_3dof")
UNEQUAL = r"zip\(\) argument"


@pytest.fixture(scope="module")
def actor(server):
    return Actor(server, SYSTEM, "counted")


def test_an_actor_takes_a_pose_for_each_body_and_systems_with_the_same_bodies(actor):
    short = at_rest(SYSTEM)
    vars(short)["poses"] = short.poses[:-1]
    with pytest.raises(ValueError, match=UNEQUAL):
        actor.show(short)
    with pytest.raises(ValueError, match=UNEQUAL):
        actor._drawn(um.load("tumbling_brick"))


def test_ghosts_take_poses_for_each_body(server):
    ghosts = Ghosts(server, [SYSTEM, SYSTEM], "counted ghosts")
    poses = [np.stack([g, g]) for g in at_rest(SYSTEM).poses]
    ghosts.show(poses)
    with pytest.raises(ValueError, match=UNEQUAL):
        ghosts.show(poses[:-1])


def test_overlays_take_a_snapshot_for_each_system(server, actor):
    setting, shown = Setting(server, actor, 1.0), at_rest(SYSTEM)
    with pytest.raises(ValueError, match=UNEQUAL):
        OverlayMenu(server.gui, [setting], [])
    first = len(server.added)
    menu = OverlayMenu(server.gui, [setting], [shown])
    with pytest.raises(ValueError, match=UNEQUAL):
        menu.show([])
    box = next(node for call, asked, node in server.added[first:] if call == "add_checkbox")
    (callback,) = box._impl.update_cb
    with pytest.raises(ValueError, match=UNEQUAL):
        callback(SimpleNamespace(client_id=1, target=box))


def test_trails_take_a_snapshot_and_a_recording_for_each_system(server, actor):
    trails = Trails(server, server.gui, [actor], [None])
    trails._trails["tool"] = trails._made(SYSTEM.names[-1], (0, 0, 0))
    with pytest.raises(ValueError, match=UNEQUAL):
        trails.show([])
    with pytest.raises(ValueError, match=UNEQUAL):
        trails.follow([])


def test_targets_of_another_sample_are_as_many(server, actor):
    told = SimpleNamespace(targets=[SimpleNamespace(name="a", turns=True)], row=lambda t: 0)
    overlay = Targets(Setting(server, actor, 1.0, told=lambda: told))
    told.targets = []
    with pytest.raises(ValueError, match=UNEQUAL):
        overlay.show(at_rest(SYSTEM))


def test_runs_have_names_and_what_is_shown_has_actors(server):
    run = tumbling_brick(duration=0.04)
    with pytest.raises(ValueError, match=UNEQUAL):
        RunView(server, [run], ["one", "two"])
    view = RunView(server, [run], ["one"])
    view._shown = []
    with pytest.raises(ValueError, match=UNEQUAL):
        view.show(0.0)


def test_charts_of_another_trajectory_are_of_the_same_kind(server):
    (brick,) = timelines(tumbling_brick(duration=0.04))
    arm = replace(
        brick, built=lambda: SYSTEM, q=np.tile(SYSTEM.neutral(), (3, 1)), v=np.zeros((3, SYSTEM.nv))
    )
    charts = Charts(server.gui, replace(brick, energy=None, told=None))
    with pytest.raises(ValueError, match=UNEQUAL):
        charts.follow(replace(arm, energy=None, told=None))


def test_phase_portraits_have_a_velocity_for_each_coordinate(monkeypatch):
    monkeypatch.setattr(run_channels, "joint_velocities", lambda run, joints: [1])
    with pytest.raises(ValueError, match=UNEQUAL):
        plot(tumbling_brick(duration=0.04), "phase")
