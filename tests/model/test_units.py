"""Names and units of the numbers in q and v."""

import numpy as np

import unmoored as um
from unmoored.model.units import coordinate_names, coordinate_units, dof_units

POSE = (*(f"R{i}{j}" for i in range(3) for j in range(3)), *"xyz")
#: joint, units of v, and whether q holds a pose
JOINTS = [
    (um.Revolute((1, 0, 0)), ["rad"], False),
    (um.Revolute((0, 1, 0)), ["rad"], False),
    (um.Revolute((0, 0, 1)), ["rad"], False),
    (um.Helical((0, 0, 1), 0.2), ["rad"], False),
    (um.Prismatic((0, 0, 1)), ["m"], False),
    (um.Prismatic((1, 0, 0)), ["m"], False),
    (um.Universal(), ["rad", "rad"], False),
    (um.Translation(2), ["m", "m"], True),
    (um.Planar((0, 0, 1)), ["m", "m", "rad"], True),
    (um.Spherical(), ["rad"] * 3, True),
    (um.Free(), ["m"] * 3 + ["rad"] * 3, True),
    (um.Fixed(), [], False),
]


def test_every_number_has_a_name_and_a_unit():
    """In a tree where other joints stand before and behind."""
    inertia = um.Inertia.sphere(1.0, 0.1)
    for joint, units, pose in JOINTS:
        above = {"a": um.Prismatic((0, 1, 0)), "b": joint, "c": um.Revolute((0, 1, 0))}
        parents = ("world", "a", "b")
        bodies = (
            um.Body(name=name, parent=parent, joint=kind, inertia=inertia)
            for (name, kind), parent in zip(above.items(), parents, strict=True)
        )
        tree = um.Tree(name="t", bodies=tuple(bodies))
        assert dof_units(tree) == ("m", *units, "rad")
        own = (["1"] * 9 + ["m"] * 3) if pose else units
        names = [f"b.{part}" for part in POSE] if pose else [["b"], ["b.0", "b.1"]][joint.nv - 1][: joint.nv]
        assert coordinate_units(tree) == ("m", *own, "rad")
        assert coordinate_names(tree) == ("a", *names, "c")
        assert len(coordinate_names(tree)) == tree.nq


def test_names_stand_for_the_numbers_of_a_pose():
    tree = um.System(
        um.Tree(
            name="t",
            bodies=(um.Body(name="b", parent="world", joint=um.Free(), inertia=um.Inertia.sphere(1, 1)),),
        )
    )
    pose = um.Pose(xyz=(1, 2, 3), rpy=(0.1, 0.2, 0.3)).matrix
    numbers = dict(zip(coordinate_names(tree.tree), tree.pack({"b": pose}), strict=True))
    assert [numbers[f"b.{axis}"] for axis in "xyz"] == [1, 2, 3]
    for i, j in np.ndindex(3, 3):
        assert numbers[f"b.R{i}{j}"] == pose[i, j]
