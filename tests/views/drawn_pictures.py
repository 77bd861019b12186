"""Small pictures on every stage: a run with targets and a trail, a vehicle that is followed, a body of glass."""

import numpy as np
from tests.support.recorded_runs import told_servicer, tumbling_brick

import unmoored as um
from unmoored.views.render import Film, Look
from unmoored.views.render.stage import STAGES

SIZE = (200, 120)


def glass():
    """A body with a solid core in a clear hull, that turns and rises."""
    b = um.SystemBuilder("glass")
    visuals = [um.Box((0.4, 0.4, 0.4), rgba=(1, 0.2, 0, 1)), um.Capsule(0.5, 0.6, rgba=(0, 0.4, 1, 0.4))]
    b.vehicle("glass", um.Free(), inertia=um.Inertia.box(1.0, (1, 1, 1)), visuals=visuals)
    b.frame("tool", parent="glass", at=um.Pose(xyz=(0.9, 0.0, 0.3)))
    system = b.build()
    q = system.retract(system.neutral(), np.linspace(0.0, 1.0, 5)[:, None] * [0.2, 0.3, 0.5, 0.2, -0.6, 1.5])
    return um.Run(system, np.linspace(0.0, 1.0, 5), q, np.zeros((5, 6)), lengths=np.array([5]))


def pictures():
    """(name, picture (height, width, 3)) of all."""
    told = told_servicer()
    for stage in STAGES:
        (picture,) = Film(told, Look(size=SIZE, stage=stage)).pictures([2.07])
        yield stage, picture
    (picture,) = Film(tumbling_brick(), Look(size=SIZE, stage="ground", title="")).pictures([3.17])
    yield "followed", picture
    look = Look(size=SIZE, stage="light", azimuth=20.0, elevation=-15.0, zoom=1.3, title="glass")
    (picture,) = Film(glass(), look).pictures([0.9])
    yield "glass", picture
