"""What the viewer puts into its scene and its controls: systems, runs, batches, comparisons, worlds."""

import numpy as np
from tests.support.recorded_runs import told_servicer, tumbling_brick
from tests.views.approved_looks import watched

import unmoored as um
from unmoored.views.viewer.environment import KINDS
from unmoored.views.viewer.run_view import RunView
from unmoored.views.viewer.system_view import SystemView
from unmoored.views.viewer.trails import Trail


def all_on(view, snapshots):
    """Switch on all overlays, and show all surroundings one after the other."""
    for group in view._overlays._groups:
        for overlay, snapshot in zip(group, snapshots, strict=True):
            overlay.switch(True, snapshot)
    first = view._environment.kind
    for kind in (*KINDS, first):
        view._environment.kind = kind
        view._environment._show()
    view._environment._stars.switch(True)
    view._environment.use_plain_light(True)


def camera(server):
    """Where the camera stands first."""
    own = server.initial_camera
    return [own.position, own.look_at, own.up, own.near, own.far]


def a_system():
    """An arm on a free flyer, off its neutral configuration."""
    with watched() as server:
        system = um.load("free_flyer_arm7")
        view = SystemView(server, system, q=system.random_configuration(3))
        all_on(view, [view.snapshot])
        for _ in range(2):
            trail = Trail(server, view.actor, "tool", (1, 2, 3), None)
            trail.show(view.snapshot)
        return server.looks(), camera(server)


def a_plant():
    """A rover in a current, with wet arms and thrusters."""
    with watched() as server:
        plant = um.Plant(
            um.load("bluerov2_heavy_alpha5"), world=um.Ocean(current=(0.3, 0.1, 0.0), density=1000.0)
        )
        view = SystemView(server, plant.system, plant)
        all_on(view, [view.snapshot])
        view._environment.show(1.0)
        return server.looks(), camera(server)


def a_ship():
    """A ship in waves."""
    with watched() as server:
        plant = um.Plant(um.load("supply_vessel_arm6"), world=um.Sea())
        view = SystemView(server, plant.system, plant)
        view._environment.show(3.0)
        return server.looks(), camera(server)


def a_told_run():
    """A run whose law tells targets, forces and an estimate."""
    with watched() as server:
        run = told_servicer()
        view = RunView(server, [run], ["told"])
        view.playback.go(2.05)
        all_on(view, [view._shown[0].at(2.05)])
        return server.looks(), camera(server)


def a_batch_and_another():
    """Three bricks as ghosts beside one, the second chosen."""
    with watched() as server:
        batch, other = tumbling_brick(duration=0.2, samples=3), tumbling_brick(duration=0.1)
        view = RunView(server, [batch, other], ["three", "one"])
        view._trails._trails["brick"] = view._trails._made("brick", (1, 2, 3))
        view._select(1)
        view.playback.go(0.11)
        all_on(view, [timeline.at(0.11) for timeline in view._shown])
        return server.looks(), camera(server)


SCENES = {scene.__name__: scene for scene in (a_system, a_plant, a_ship, a_told_run, a_batch_and_another)}


def thinned(looks):
    """Without calls that only repeat: what is in `now` of a control that was never moved."""
    return [{k: v for k, v in look.items() if v != {}} for look in looks]


def scene_looks(name):
    """What a scene holds, as JSON."""
    looks, aimed = SCENES[name]()
    return {
        "camera": np.array([x for part in aimed for x in np.atleast_1d(part)]).tolist(),
        "nodes": thinned(looks),
    }
