"""Names that are allowed and mean harm where they are shown."""

import numpy as np

import unmoored as um

MARK = "window.stolen"
NAMES = (
    '<iframe srcdoc="<script>parent.stolen=1<&#47;script>">',
    "<img src=x onerror=window.stolen=1>",
    "![x](http:∕∕evil.example∕x.png)",
    "[x](javascript:window.stolen=1)",
    "{window.stolen=1}",
    "<script>window.stolen=1<∕script>",
    "**bold** _it_ `code` # | ~~no~~",
    r"$\frac{1}$ $x^$",
    "[red]markup[/red] [link=http:∕∕evil.example]l[∕link]",
    "%s %d {0} {x!r} \\n \\x1b[2J",
    "'; DROP TABLE bodies; --",
    "ħ Ω̂ \u0301 name",
)


def hostile_system(name: str = NAMES[1].replace("/", "∕")) -> um.System:
    """A chain of bodies and frames with such names."""
    b = um.SystemBuilder(name)
    parent = b.vehicle("v" + NAMES[0], um.Free(), inertia=um.Inertia.box(mass=2.0, size=(1, 1, 1)))
    for label in NAMES[1:]:
        inertia = um.Inertia.box(mass=1.0, size=(0.2, 0.2, 0.2))
        at = um.Pose(xyz=(0.3, 0, 0))
        parent = b.link(
            "b " + label, parent=parent, joint=um.Revolute(axis=(0, 0, 1)), at=at, inertia=inertia
        )
        b.frame("f " + label, parent=parent)
    return b.build()


def hostile_run() -> um.Run:
    """A short run of that system."""
    system = hostile_system()
    q = np.stack([system.neutral(), system.random_configuration(1)])
    return um.Run(system, np.array([0.0, 1.0]), q, np.zeros((2, system.nv)), lengths=np.array([2]))
