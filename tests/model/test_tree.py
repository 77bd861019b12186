"""The tree: order, names, degrees of freedom, and every rule of validation."""

import warnings

import numpy as np
import pytest

from unmoored.model import (
    Body,
    Fixed,
    Fluid,
    Frame,
    Free,
    Inertia,
    ModelError,
    ModelWarning,
    Part,
    Pose,
    Revolute,
    Tree,
)

BOX = Inertia.box(1.0, (1, 1, 1))


def body(name, parent, joint=None, inertia=BOX):
    return Body(name=name, parent=parent, joint=joint or Revolute((0, 0, 1)), inertia=inertia)


def test_bodies_are_ordered_parents_first_and_otherwise_as_given():
    tree = Tree(name="t", bodies=(body("c", "b"), body("a", "world"), body("b", "a"), body("d", "a")))
    assert tree.names == ("a", "b", "c", "d")
    assert [link.parent for link in tree.links] == [-1, 0, 1, 0]
    kept = Tree(name="t", bodies=(body("z", "world"), body("y", "world"), body("x", "z")))
    assert kept.names == ("z", "y", "x")
    assert kept.vehicles == ("z", "y")


def test_a_long_chain_given_backwards():
    n = 2000
    bodies = [body(f"b{i}", f"b{i - 1}" if i else "world") for i in reversed(range(n))]
    assert Tree(name="t", bodies=tuple(bodies)).names == tuple(f"b{i}" for i in range(n))


def test_degrees_of_freedom_by_name():
    tree = Tree(
        name="t", bodies=(body("bus", "world", Free()), body("arm", "bus"), body("plate", "bus", Fixed()))
    )
    assert tree.dofs(["arm"]).tolist() == [6]
    assert tree.dofs("bus").tolist() == [0, 1, 2, 3, 4, 5]
    assert tree.dofs(["bus.wz", "bus.vx", "arm"]).tolist() == [0, 5, 6]
    assert tree.dofs("bus.y").tolist() == tree.dofs("bus.vy").tolist() == [1]
    assert tree.dofs([]).tolist() == []
    assert tree.dofs("plate").tolist() == []
    assert tree.dof_names == ("bus.vx", "bus.vy", "bus.vz", "bus.wx", "bus.wy", "bus.wz", "arm")
    for wrong in ("hand", "bus.up", "bus.", "arm.x.y", 3):
        with pytest.raises(ModelError, match="one of"):
            tree.dofs([wrong])


def test_second_names_of_joints():
    link = Body(name="link1", parent="world", joint=Revolute((0, 0, 1)), inertia=BOX, joint_name="shoulder")
    tree = Tree(name="t", bodies=(link,))
    assert tree.index("shoulder") == tree.index("link1") == 0
    assert tree.dofs("shoulder").tolist() == [0]


def test_frames_are_located():
    frame = Frame(name="tool", parent="arm", at=Pose(xyz=(0, 0, 1)))
    dock = Frame(name="dock", parent="world", at=Pose(xyz=(5, 0, 0)))
    tree = Tree(name="t", bodies=(body("bus", "world", Free()), body("arm", "bus")), frames=(frame, dock))
    index, on_body = tree.locate("tool")
    assert index == 1
    assert on_body[2, 3] == 1
    assert tree.locate("dock")[0] == -1
    assert tree.locate("world")[0] == -1
    with pytest.raises(ModelError, match="one of tool, dock, bus, arm"):
        tree.locate("hand")


@pytest.mark.parametrize(
    ("bodies", "frames", "words"),
    [
        ([], [], "at least one body"),
        ([body("a", "world"), body("a", "world")], [], "name used twice"),
        ([body("a", "world")], [Frame(name="a", parent="a")], "name used twice"),
        ([body("a", "nowhere")], [], "unknown parent.*one of world, a.*nowhere"),
        ([body("a", "world")], [Frame(name="f", parent="b")], "unknown parent"),
        ([body("a", "b"), body("b", "a")], [], "cycle"),
        ([body("a", "a")], [], "cycle"),
    ],
)
def test_broken_trees_are_refused(bodies, frames, words):
    with pytest.raises(ModelError, match=words):
        Tree(name="t", bodies=tuple(bodies), frames=tuple(frames))


def test_what_is_broken_is_told_word_by_word():
    """Of many names of bodies the first 600 letters."""
    link = body("a", "world")
    many = [body(f"body_{k:03}", "world") for k in range(80)]
    names = ", ".join(f"body_{k:03}" for k in range(80))
    for bodies, options, said in (
        ((), {}, "t: bodies: expected at least one body, given none"),
        (
            (link,),
            {"parts": (Part(prefix="p/", system="arm", body="b"),)},
            "b: part: expected the name of a body, given 'b'",
        ),
        (
            (*many, body("a", "b")),
            {},
            f"a: unknown parent: expected {f'one of world, {names}'[:600]}…, given 'b'",
        ),
    ):
        with pytest.raises(ModelError) as caught:
            Tree(name="t", bodies=bodies, **options)
        assert str(caught.value) == said


def test_texts_that_control_terminals_are_told_with_their_place():
    said = "expected text of printable characters, lines and tabs, given"
    for what, bad in (
        ("description", "\x1b[2J"),
        ("sources", ("good", "\x07")),
        ("assumptions", ("a\x00b",)),
    ):
        with pytest.raises(ModelError) as caught:
            Tree(name="t", bodies=(body("a", "world"),), **{what: bad})
        assert str(caught.value) == f"t: {what}: {said} {bad if isinstance(bad, str) else bad[-1]!a}"
    whole = {"prefix": "p/", "system": "arm", "body": "a"}
    for what in ("prefix", "system", "source", "digest", "description", "sources", "assumptions"):
        bad = ("\x9b",) if what in ("sources", "assumptions") else "\x9b"
        with pytest.raises(ModelError) as caught:
            Part(**(whole | {what: bad}))
        assert str(caught.value) == f"a: {what}: {said} '\\x9b'"


def test_a_part_is_held_by_a_body_or_by_the_frame_that_it_became():
    for holder in ("a", "f"):
        part = Part(prefix="p/", system="arm", body=holder)
        frame = Frame(name="f", parent="a")
        assert Tree(name="t", bodies=(body("a", "world"),), frames=(frame,), parts=(part,)).parts == (part,)


def test_a_ring_is_told_without_the_way_into_it():
    with pytest.raises(ModelError) as caught:
        Tree(name="t", bodies=(body("a", "b"), body("b", "c"), body("c", "b"), body("d", "d")))
    found = [(p.where, p.rule, p.given) for p in caught.value.problems]
    assert found == [("b", "cycle", "b → c → b"), ("d", "cycle", "d → d")]


@pytest.mark.parametrize(
    ("name", "fits"), [("bus.vx", False), ("bus.x", False), ("bus.tip", True), ("x.vx", True)]
)
def test_a_body_must_not_be_called_like_a_degree_of_freedom(name, fits):
    bodies = (body("bus", "world", Free()), body(name, "bus", Fixed()))
    if fits:
        assert Tree(name="t", bodies=bodies).names == ("bus", name)
    else:
        with pytest.raises(ModelError, match=f"{name}: ambiguous name: expected .* of bus"):
            Tree(name="t", bodies=bodies)


def test_warnings_are_about_the_users_line():
    thin = Inertia(1.0, tensor=(1.0, 1.0, 3.0))
    link = Body(name="b", parent="a", joint=Revolute((0, 0, 1)), inertia=thin, joint_name="a")
    with pytest.warns(ModelWarning) as told:
        Tree(name="t", bodies=(body("a", "world"), link))
    assert len(told) == 2
    assert {one.filename for one in told} == {__file__}


def test_all_problems_are_told_at_once():
    with pytest.raises(ModelError) as caught:
        Tree(name="t", bodies=(body("a", "b"), body("a", "c"), body("d", "e")))
    assert len(caught.value.problems) == 4


@pytest.mark.parametrize("name", ["", "world", "a\nb", " ", 3, None, "x" * 300])
def test_bad_names_are_refused(name):
    with pytest.raises(ModelError, match="name"):
        body(name, "world")


def test_wrong_types_are_named():
    with pytest.raises(ModelError, match="arm: joint: expected a Joint, given str"):
        Body(name="arm", parent="world", joint="revolute", inertia=BOX)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="arm: inertia"):
        Body(name="arm", parent="world", joint=Free(), inertia=3.0)  # type: ignore[arg-type]
    for field, value, kind in (
        ("at", np.eye(4), "a Pose, given ndarray"),
        ("visuals", ("box",), "a Visual, given str"),
        ("fluid", 1000.0, "a Fluid, given float"),
        ("prescribed", 1, "a bool, given int"),
    ):
        with pytest.raises(ModelError, match=f"arm: {field}: expected {kind}"):
            Body(name="arm", parent="world", joint=Free(), inertia=BOX, **{field: value})
    with pytest.raises(ModelError, match="arm: prescribed: expected a joint that moves, given Fixed"):
        Body(name="arm", parent="world", joint=Fixed(), inertia=BOX, prescribed=True)


def test_triangle_inequality_warns_and_names_the_body():
    thin = Inertia(1.0, tensor=(1.0, 1.0, 3.0))
    with pytest.warns(ModelWarning, match="odd: triangle"):
        Tree(name="t", bodies=(body("odd", "world", inertia=thin),))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Tree(name="t", bodies=(body("disc", "world", inertia=Inertia(1.0, tensor=(1.0, 1.0, 2.0))),))


def test_fluid_is_checked():
    fluid = Fluid(added_mass=(1, 2, 3, 0.1, 0.2, 0.3), volume=0.01)
    assert np.array_equal(fluid.added_mass, np.diag([1, 2, 3, 0.1, 0.2, 0.3]))
    skew = np.zeros((6, 6))
    skew[0, 1], skew[1, 0] = 5, -5
    assert np.array_equal(Fluid(linear_drag=np.eye(6) + skew).linear_drag, np.eye(6) + skew)
    for bad in (
        {"added_mass": -1.0},
        {"volume": -1},
        {"linear_drag": -np.eye(6)},
        {"quadratic_drag": (-1,) * 6},
    ):
        with pytest.raises(ModelError, match="Fluid"):
            Fluid(**bad)


def test_a_name_shared_by_a_body_and_another_joint_means_the_body():
    bodies = (
        body("gripper", "world"),
        Body(name="jaw", parent="gripper", joint=Revolute((0, 0, 1)), inertia=BOX, joint_name="gripper"),
    )
    with pytest.warns(ModelWarning, match="it means the body"):
        tree = Tree(name="t", bodies=bodies)
    assert tree.index("gripper") == 0


@pytest.mark.parametrize("mass", ["5", True, None, [1.0], 10**400])
def test_what_is_no_number_is_refused(mass):
    with pytest.raises(ModelError, match="mass: expected one number"):
        Inertia(mass)
