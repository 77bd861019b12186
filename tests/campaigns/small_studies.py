"""Small plants and campaigns for the tests: a pendulum with a spring law, quick to compile."""

import numpy as np

import unmoored as um


def pendulum() -> um.System:
    b = um.SystemBuilder("pendulum")
    b.vehicle("post", um.Fixed(), inertia=um.Inertia.box(mass=1.0, size=(1, 1, 1)))
    b.link(
        "swing",
        parent="post",
        joint=um.Revolute((0, 1, 0)),
        inertia=um.Inertia(mass=2.0, com=(0, 0, -0.5), tensor=np.diag([0.1, 0.1, 0.01])),
    )
    b.frame("tip", parent="swing", at=um.Pose(xyz=(0, 0, -1.0)))
    return b.build()


def plant() -> um.Plant:
    return um.Plant(pendulum(), um.Earth())


VARY = {
    "swing.mass": um.TruncatedNormal(2.0, 0.2, 1.0, 3.0),
    "initial.joints.swing": um.Uniform(-1.0, 1.0),
    "initial.velocities.swing": um.Normal(0.0, 0.5),
}


def study(samples: int = 40, **options) -> um.Campaign:
    given = {
        "vary": VARY,
        "samples": samples,
        "seed": 3,
        "duration": 0.5,
        "step": 0.01,
        "keep": um.Keep(channels=("swing", "swing.rate", "tip.z"), every=0.1),
    }
    return um.Campaign(plant(), **(given | options))
