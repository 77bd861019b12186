"""Systems made of systems, in Python: mounted, changed, saved; the whole has the equations of its parts."""

import numpy as np
import pytest

import unmoored as um

AT = um.Pose(xyz=(0.1, -0.4, 0.3), rpy=(0.3, -0.2, 1.1))


def gripper():
    b = um.SystemBuilder("gripper", sources=["a sheet"])
    palm = b.vehicle("palm", um.Free(), inertia=um.Inertia.box(mass=0.5, size=(0.1, 0.1, 0.05)))
    for side, y in (("left", 1.0), ("right", -1.0)):
        b.link(
            side, parent=palm, joint=um.Prismatic((0, y, 0)), inertia=um.Inertia.point(0.05, com=(0, 0, 0.1))
        )
    b.mimic("right", "left")
    b.frame("tip", parent="palm", at=um.Pose(xyz=(0, 0, 0.12)))
    return b.build()


def arm():
    b = um.SystemBuilder("arm")
    b.vehicle(
        "foot", um.Fixed(), at=um.Pose(xyz=(9.0, 9.0, 9.0)), inertia=um.Inertia.point(1.0, com=(0, 0, 0.1))
    )
    b.link(
        "upper",
        parent="foot",
        joint=um.Revolute((0, 1, 0)),
        inertia=um.Inertia.rod(mass=2.0, length=0.5, com=(0, 0, 0.25)),
    )
    b.frame("flange", parent="upper", at=um.Pose(xyz=(0, 0, 0.5), rpy=(0, 0, 0.4)))
    return b.build()


def equipped():
    b = um.SystemBuilder("rov")
    hull = b.vehicle("hull", um.Free(), inertia=um.Inertia.box(mass=50.0, size=(1, 0.6, 0.5)))
    for side, pose in (("left/", AT), ("right/", um.Pose(xyz=(0.1, 0.4, 0.3)))):
        foot = b.mount(arm(), hull, at=pose, prefix=side)
        assert foot.name == f"{side}foot"
        b.mount(gripper(), f"{side}flange", joint=um.Revolute((0, 0, 1)), prefix=f"{side}hand/")
    return b


def by_hand():
    """The same system body by body, with other names where that does not matter."""
    b = um.SystemBuilder("rov")
    b.vehicle("hull", um.Free(), inertia=um.Inertia.box(mass=50.0, size=(1, 0.6, 0.5)))
    for side, pose in (("left/", AT), ("right/", um.Pose(xyz=(0.1, 0.4, 0.3)))):
        b.link(
            f"{side}foot",
            parent="hull",
            joint=um.Fixed(),
            at=pose,
            inertia=um.Inertia.point(1.0, com=(0, 0, 0.1)),
        )
        rod = um.Inertia.rod(mass=2.0, length=0.5, com=(0, 0, 0.25))
        b.link(f"{side}upper", parent=f"{side}foot", joint=um.Revolute((0, 1, 0)), inertia=rod)
        flange = um.Pose(xyz=(0, 0, 0.5), rpy=(0, 0, 0.4))
        b.frame(f"{side}flange", parent=f"{side}upper", at=flange)
        box = um.Inertia.box(mass=0.5, size=(0.1, 0.1, 0.05))
        b.link(
            f"{side}hand/palm", parent=f"{side}upper", joint=um.Revolute((0, 0, 1)), at=flange, inertia=box
        )
        for finger, y in (("left", 1.0), ("right", -1.0)):
            b.link(
                f"{side}hand/{finger}",
                parent=f"{side}hand/palm",
                joint=um.Prismatic((0, y, 0)),
                inertia=um.Inertia.point(0.05, com=(0, 0, 0.1)),
            )
        b.frame(f"{side}hand/tip", parent=f"{side}hand/palm", at=um.Pose(xyz=(0, 0, 0.12)))
        b.mimic(f"{side}hand/right", f"{side}hand/left")
    return b.build()


def test_a_mounted_system_is_the_one_written_out():
    system, written = equipped().build(), by_hand()
    assert system.digest == written.digest  # bodies, frames, couplings, to the bit
    assert system.names == written.names
    assert system.joints == tuple(name for name in system.names if not name.endswith("foot"))
    assert system.fixed_bodies == ("left/foot", "right/foot")
    assert [(part.prefix, part.system, part.body) for part in system.parts] == [
        ("left/", "arm", "left/foot"),
        ("left/hand/", "gripper", "left/hand/palm"),
        ("right/", "arm", "right/foot"),
        ("right/hand/", "gripper", "right/hand/palm"),
    ]
    assert system.parts[1].sources == ("a sheet",)
    assert system.parts[0].digest == arm().digest


def test_mounting_what_was_mounted_keeps_all_parts(tmp_path):
    b = um.SystemBuilder("fleet")
    b.mount(equipped().build(), "world", joint=um.Free(), prefix="a/")
    b.mount("tumbling_brick", "world", joint=um.Free(), prefix="")
    system = b.build()
    assert system.vehicles == ("a/hull", "brick")
    assert [part.body for part in system.parts[:2]] == ["a/hull", "a/left/foot"]
    assert system.parts[-1].source == "tumbling_brick"
    system.save(tmp_path / "fleet.yaml")
    assert um.load(tmp_path / "fleet.yaml") == system


def test_a_builder_of_a_system_changes_it_and_leaves_the_old_one():
    old = equipped().build()
    b = um.SystemBuilder.of(old)
    assert b.build() == old
    b.change("left/upper", inertia=um.Inertia.point(3.0, com=(0, 0, 0.4)))
    b.remove("right/hand/palm")
    b.remove("left/flange")
    new = b.build()
    assert old == equipped().build()
    assert new.mass == pytest.approx(old.mass + 1.0 - 0.6, rel=1e-15)
    assert [part.body for part in new.parts] == ["left/foot", "left/hand/palm", "right/foot"]
    assert [c.joint for c in new.couplings] == ["left/hand/right"]
    assert new.frames == ("left/hand/tip", "right/flange")
    assert um.SystemBuilder.of(old, name="other").build().name == "other"


def test_what_was_joined_in_a_run_is_a_part_until_it_is_released():
    host, guest = arm(), gripper()
    q, v = np.zeros(1), np.zeros(1)
    joined = host.join(q, v, guest, guest.neutral(), np.zeros(guest.nv), frame="flange", prefix="tool")
    assert [(part.prefix, part.body) for part in joined.system.parts] == [("tool/", "tool/palm")]
    parted = joined.system.release(joined.q, joined.v, "tool/palm", prefix="tool")
    assert parted.system == host
    assert parted.released.parts == ()


def broken(act, *words):
    with pytest.raises(um.ModelError) as caught:
        act()
    for word in words:
        assert word in str(caught.value)


def test_mistakes_are_told():
    b, two = equipped(), um.SystemBuilder("two")
    for name in ("one", "other"):
        two.vehicle(name, um.Free(), inertia=um.Inertia.sphere(1.0, 0.1))
    far = um.SystemBuilder.of(gripper())
    far.frame("table", parent="world")
    broken(lambda: b.mount(arm(), "hull", prefix="left"), "prefix", 'ends in "/"', "'left'")
    broken(lambda: b.mount(arm(), "hull", prefix="left/"), "left/foot", "name used twice")
    broken(lambda: b.mount(arm(), "hul"), "arm: unknown parent", "hull", "'hul'")
    broken(lambda: b.mount(two.build(), "hull"), "two: mount", "one body on its world", "one, other")
    broken(lambda: b.mount(far.build(), "hull"), "gripper: mount", "table")
    broken(lambda: b.mount(arm(), "hull", joint=3), "arm: joint", "int: 3")
    broken(lambda: b.mount(7, "hull"), "rov: mount", "a System, a path", "7")
    broken(lambda: b.mount("no_such", "hull"), "system", "no_such")
    broken(lambda: b.change("hull", mass=3.0), "hull: unknown field", "inertia", "'mass'")
    broken(lambda: b.change("nose", at=AT), "rov: unknown body", "'nose'")
    broken(lambda: b.remove("left/hand/left"), "remove", "left/hand/right follows left/hand/left")
    broken(
        lambda: b.change("hull", parent=um.SystemBuilder("x").vehicle("y", um.Free())),
        "a handle of the builder",
    )
    broken(lambda: um.SystemBuilder.of("arm"), "SystemBuilder.of", "a System")
    assert b.build() == equipped().build()  # nothing of what failed stayed behind
