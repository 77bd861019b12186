"""What names may be, and that equal names of joints are refused."""

import numpy as np
import pytest

import unmoored as um
from unmoored.model import Body, Frame, Free, Inertia, ModelError, Revolute, Tree
from unmoored.model.files import parse_yaml


def body(name, parent="world", joint_name=None, mass=1.0):
    joint = Free() if parent == "world" else Revolute((0, 0, 1))
    return Body(
        name=name, parent=parent, joint=joint, inertia=Inertia.sphere(mass, 0.1), joint_name=joint_name
    )


@pytest.mark.parametrize("name", ["", " ", "a/b", "a\\b", "..", ".hidden", "\x1b[2J", "a\nb", "x" * 201, 7])
@pytest.mark.whole
def test_names_of_systems_are_printable_and_no_paths(name):
    with pytest.raises(ModelError, match="system: name"):
        Tree(name=name, bodies=(body("a"),))


def test_bodies_joints_and_frames_may_have_a_separator():
    tree = Tree(name="a.b", bodies=(body("left/a"), body("left/b", "left/a", "left/j")))
    assert tree.link("left/j").name == "left/b"


def test_names_of_joints_are_checked_too():
    with pytest.raises(ModelError, match="joint: name"):
        body("b", "a", "\x1b")


def test_of_bodies_joints_and_frames_it_is_told_which_has_the_bad_name():
    for kind, make in (
        ("body", lambda: body("\x1b")),
        ("joint", lambda: body("b", "a", "\x1b")),
        ("frame", lambda: Frame(name="\x1b", parent="a")),
    ):
        with pytest.raises(ModelError) as caught:
            make()
        said = "name: expected 1 to 200 printable characters, given '\\x1b'"
        assert str(caught.value) == f"{kind}: {said}"


def test_two_joints_cannot_have_one_name():
    bodies = (body("a"), body("b", "a", "j"), body("c", "a", "j"))
    with pytest.raises(ModelError, match="c: joint name used twice: expected unique joint names"):
        Tree(name="t", bodies=bodies)
    text = """unmoored: 1
name: two
bodies:
  - {name: a, parent: world, joint: {type: Free}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: b, parent: a, joint: {type: Revolute, axis: [0, 0, 1]}, inertia: {mass: 1}, joint_name: j}
  - {name: c, parent: a, joint: {type: Revolute, axis: [0, 0, 1]}, inertia: {mass: 1}, joint_name: j}
"""
    with pytest.raises(ModelError, match="joint name used twice") as error:
        parse_yaml(text)
    assert error.value.problems[0].location == "<text>:6"


@pytest.mark.parametrize(
    "bodies",
    [
        (body("bus"), body("a", "bus", "bus.vx")),
        (body("bus"), body("bus.x", "bus")),
        (body("bus", joint_name="flight"), body("a", "bus", "flight.wz")),
    ],
)
def test_a_name_that_is_also_a_degree_of_freedom_is_refused(bodies):
    """`system.tree.dofs("bus.vx")` would silently mean the joint."""
    with pytest.raises(ModelError, match="ambiguous name"):
        Tree(name="t", bodies=bodies)


def test_a_prefix_applies_to_joint_names_and_comes_off_again():
    arm = um.System(Tree(name="arm", bodies=(body("base"), body("link", "base", "j1"))))
    q, v = arm.neutral(), np.zeros(arm.nv)
    two = arm.join(q, v, arm, q, v, frame="link", prefix="left")
    three = two.system.join(two.q, two.v, arm, q, v, frame="link", prefix="right")
    system = three.system
    packed = system.pack({"left/j1": 0.5})
    np.testing.assert_array_equal(
        packed - system.neutral(), system.pack({"left/link": 0.5}) - system.neutral()
    )
    assert np.count_nonzero(packed - system.pack({"j1": 0.5})) == 2
    released = system.release(three.q, three.v, "left/base", prefix="left")
    assert released.released.name == "left"
    assert released.released.tree.bodies[1].joint_name == "j1"
    bare = system.release(three.q, three.v, "left/base")
    assert bare.released.name == "base"


@pytest.mark.parametrize("prefix", ["", " ", "\x1b"])
def test_a_prefix_is_a_name(prefix):
    arm = um.System(Tree(name="arm", bodies=(body("base"),)))
    q, v = arm.neutral(), np.zeros(arm.nv)
    with pytest.raises(ModelError, match="join: prefix"):
        arm.join(q, v, arm, q, v, frame="base", prefix=prefix)


def test_all_joints_without_inertia_are_named():
    fingers = [body(f"finger_{i}", "hand", mass=0.0) for i in range(3)]
    bodies = (body("hand"), *fingers[:2], body("thumb", "hand"), fingers[2])
    with pytest.raises(ModelError) as error:
        um.System(Tree(name="hand", bodies=bodies))
    assert [problem.where for problem in error.value.problems] == ["finger_0", "finger_1", "finger_2"]


@pytest.mark.parametrize("name", ["a/b", "..", "\x1b"])
def test_names_of_actuators_are_plain(name):
    with pytest.raises(ModelError, match="actuator: name"):
        um.Thruster("nozzle", name=name)
