"""What a spacecraft must be for a form of its equations to hold; refused otherwise, with the reason."""

from __future__ import annotations

from ...model import Free, Link, ModelError, Tree
from ...trace import is_zero


def free_vehicle(tree: Tree, form: str) -> Link:
    """The link of the only vehicle, which must move freely and without a drive to the world."""
    if len(tree.vehicles) != 1:
        raise ModelError.single(tree.name, form, expected="one vehicle", given=", ".join(tree.vehicles))
    link = tree.links[0]
    if not isinstance(link.joint, Free):
        raise ModelError.single(
            link.name, form, expected="a vehicle with a Free joint", given=link.joint.kind
        )
    if not is_zero(link.armature):
        raise ModelError.single(
            link.name, form, expected="a vehicle without armature", given=str(link.armature)
        )
    return link


def rigid_bodies(tree: Tree, form: str) -> None:
    """Refuse bodies with a full 6×6 inertia: only rigid ones have one mass for all directions."""
    for body in tree.bodies:
        if not body.inertia.is_rigid:
            raise ModelError.single(
                body.name, form, expected="a rigid body's inertia", given="a full 6×6 inertia"
            )


def serial_arm_of_single_dofs(tree: Tree, form: str) -> None:
    """Refuse branches and joints with more than one DoF."""
    for link in tree.links[1:]:
        if link.parent != link.index - 1:
            raise ModelError.single(link.name, form, expected="a serial arm", given="a branch")
        if link.joint.nv > 1:
            given = f"{link.joint.kind}, {link.joint.nv} DoF"
            raise ModelError.single(link.name, form, expected="joints with one DoF", given=given)
