"""URDF in detail: every joint type, inertial frames, the root link, meshes, merging, and what cannot be written."""

import numpy as np
import pytest
from tests.support.random_trees import random_axis, random_inertia, random_pose

from unmoored.model import (
    Body,
    Box,
    Capsule,
    Cylinder,
    Fixed,
    Fluid,
    Frame,
    Free,
    Helical,
    Inertia,
    Mesh,
    ModelError,
    ModelWarning,
    Planar,
    Pose,
    Prismatic,
    Revolute,
    Sphere,
    Spherical,
    Tree,
)
from unmoored.model.files import format_urdf, parse_urdf, read_urdf, write_urdf
from unmoored.model.files.urdf.merged_links import merge_fixed_bodies

INERTIAL = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def robot(*elements):
    return f'<robot name="r">{"".join(elements)}</robot>'


def link(name, content=INERTIAL):
    return f'<link name="{name}">{content}</link>'


def joint(kind, content="", name="j", parent="a", child="b"):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{content}</joint>'


def two_links(kind, content=""):
    """The joint between two links."""
    return parse_urdf(robot(link("a"), link("b"), joint(kind, content)), "r.urdf").bodies[1].joint


LIMIT = '<limit lower="-1" upper="2" effort="3" velocity="4"/>'
AXIS = '<axis xyz="0 0 2"/>'


def test_every_joint_type():
    options = {"limits": (-1, 2), "effort": 3, "velocity": 4}
    dynamics = '<dynamics damping="0.5" friction="0.25"/>'
    assert two_links("revolute", LIMIT) == Revolute((1, 0, 0), **options)
    assert two_links("revolute", LIMIT + AXIS + dynamics) == Revolute(
        (0, 0, 1), **options, damping=0.5, friction=0.25
    )
    assert two_links("continuous", AXIS + LIMIT) == Revolute((0, 0, 1), effort=3, velocity=4)
    assert two_links("prismatic", AXIS + LIMIT) == Prismatic((0, 0, 1), **options)
    assert two_links("fixed", AXIS + LIMIT) == Fixed()
    assert two_links("floating", dynamics) == Free(damping=0.5, friction=0.25)
    assert two_links("planar", AXIS) == Planar((0, 0, 1))
    assert two_links("planar") == Planar((1, 0, 0))


def test_a_revolute_joint_without_limit_is_read_with_a_warning():
    with pytest.warns(ModelWarning, match=r"r.urdf: revolute or prismatic joints without <limit>.*: j"):
        assert two_links("revolute") == Revolute((1, 0, 0))


def test_an_inertial_frame_turns_the_tensor():
    inertial = (
        '<inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><mass value="2"/>'
        '<inertia ixx="1" iyy="2" izz="2.5" ixy="0.1" ixz="0.2" iyz="0.3"/></inertial>'
    )
    inertia = parse_urdf(robot(link("a", inertial)), "r").bodies[0].inertia
    # x' = y, y' = -x: the axes of the inertial frame in the link's
    turned = Inertia(2, (1, 2, 3), [[2, -0.1, -0.3], [-0.1, 1, 0.2], [-0.3, 0.2, 2.5]])
    assert inertia.mass == 2
    np.testing.assert_allclose(inertia.matrix, turned.matrix, rtol=0, atol=1e-14)
    assert parse_urdf(robot(link("a", "")), "r").bodies[0].inertia == Inertia.zero()


def test_the_root_link_is_the_vehicle():
    text = robot(link("a"), link("b"), joint("fixed", '<origin xyz="1 0 0" rpy="0 0 1"/>'))
    tree = parse_urdf(text, "r")
    assert tree.vehicles == ("a",)
    assert tree.bodies[0].joint == Fixed()
    assert tree.bodies[1].at == Pose((1, 0, 0), rpy=(0, 0, 1))
    assert tree.bodies[1].joint_name == "j"
    assert parse_urdf(text, "r", base=Planar()).bodies[0].joint == Planar()


def test_a_root_link_called_world_is_the_world():
    text = robot(link("world", ""), link("b"), joint("fixed", '<origin xyz="1 0 0"/>', parent="world"))
    (body,) = parse_urdf(text, "r").bodies
    assert (body.name, body.parent, body.joint, body.at) == ("b", "world", Fixed(), Pose((1, 0, 0)))
    (body,) = parse_urdf(text, "r", base=Free()).bodies
    assert (body.joint, body.at, body.joint_name) == (Free(), Pose((1, 0, 0)), "j")
    moving = robot(link("world", ""), link("b"), joint("floating", parent="world"))
    assert parse_urdf(moving, "r").bodies[0].joint == Free()
    with pytest.raises(
        ModelError, match=r"link world: base: expected one fixed joint .* given j \(floating\)"
    ):
        parse_urdf(moving, "r", base=Free())
    heavy = robot(link("world"), link("b"), joint("fixed", parent="world"))
    with pytest.raises(ModelError, match="no <inertial>, for it is the world"):
        parse_urdf(heavy, "r")


def test_bodies_come_in_the_order_of_the_joints_parents_first():
    text = robot(
        *(link(name) for name in "cdba"),
        joint("fixed", name="j3", parent="c", child="d"),
        joint("fixed", name="j1", parent="a", child="b"),
        joint("fixed", name="j2", parent="b", child="c"),
    )
    assert parse_urdf(text, "r").names == ("a", "b", "c", "d")


def test_visuals_and_materials():
    shapes = (
        '<box size="1 2 3"/>',
        '<cylinder radius="1" length="2"/>',
        '<sphere radius="1"/>',
        '<capsule radius="1" length="2"/>',
        '<mesh filename="a.stl" scale="1 1 2"/>',
        '<mesh filename="b.stl"/>',
    )
    visuals = [
        f'<visual><origin xyz="0 0 {i}"/><geometry>{shape}</geometry>' for i, shape in enumerate(shapes)
    ]
    visuals[0] += '<material name="blue"/>'
    visuals[1] += '<material name="own"><color rgba="1 0 0 0.5"/></material>'
    visuals[2] += '<material name="own"/>'
    text = robot(
        link("a", "".join(visual + "</visual>" for visual in visuals)),
        '<material name="blue"><color rgba="0 0 1 1"/></material><gazebo/>',
    )
    tree = parse_urdf(text, "r")
    at = [Pose((0, 0, i)) for i in range(6)]
    assert tree.bodies[0].visuals == (
        Box((1, 2, 3), at=at[0], rgba=(0, 0, 1, 1)),
        Cylinder(1, 2, at=at[1], rgba=(1, 0, 0, 0.5)),
        Sphere(1, at=at[2], rgba=(1, 0, 0, 0.5)),
        Capsule(1, 2, at=at[3]),
        Mesh("a.stl", (1, 1, 2), at=at[4]),
        Mesh("b.stl", (1, 1, 1), at=at[5]),
    )
    assert tree.assumptions == ("Not read from the URDF: <gazebo> (1).",)


def test_all_problems_at_once_with_their_lines():
    text = "\n".join(
        [
            '<robot name="r">',
            link("a", INERTIAL.replace('"2"', '"-2"')),
            link("b", INERTIAL.replace('ixx="1"', "")),
            joint("hinge"),
            link("b"),
            joint("revolute", '<axis xyz="0 0"/>' + LIMIT, name="k", child="c"),
            link("c"),
            "</robot>",
        ]
    )
    with pytest.raises(ModelError) as error:
        parse_urdf(text, "r.urdf")
    found = [(problem.location, problem.where, problem.rule) for problem in error.value.problems]
    assert found == [
        ("r.urdf:2", "link a", "mass"),
        ("r.urdf:3", "link b", "ixx of <inertia>"),
        ("r.urdf:4", "joint j", "type"),
        ("r.urdf:5", "link b", "name used twice"),
        ("r.urdf:6", "joint k", "xyz of <axis>"),
        ("r.urdf:6", "joint k", "axis"),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            robot(link("a"), link("b"), joint("prismatic", '<mimic joint="k"/>')),
            "mimic: expected the name of a joint",
        ),
        (
            robot(link("a"), link("b")),
            "root link: expected exactly one link without a joint above, given a, b",
        ),
        (robot(link("a"), joint("fixed")), "joint j: <child>: expected one of the links a, given 'b'"),
        (
            robot(link("a"), link("b"), joint("fixed"), joint("fixed", parent="b", child="a", name="k")),
            "given none (the joints form a ring)",
        ),
        (robot(link("a"), link("b"), joint("fixed"), joint("fixed", name="k")), "one joint above"),
        (robot('<xacro:leg name="l"/>'), "run xacro on it first, given <xacro:leg>"),
        (robot('<link name="a"/><xacro:leg name="l"/>'), "run xacro on it first, given <xacro:leg>"),
        (
            '<!DOCTYPE r [<!ENTITY a "b">]>' + robot(),
            "DTD or entity: expected no document type and no entities",
        ),
        ("<robot", "syntax: expected well-formed XML"),
        ("<sdf/>", "root element: expected <robot>, given <'sdf'>"),
    ],
)
@pytest.mark.whole
def test_what_is_refused(text, reason):
    with pytest.raises(ModelError) as error:
        parse_urdf(text, "r.urdf")
    assert reason in str(error.value)


def mesh(filename):
    return robot(link("a", f'<visual><geometry><mesh filename="{filename}"/></geometry></visual>'))


def mesh_path(path, **options):
    return read_urdf(path, **options).bodies[0].visuals[0].path


def test_meshes_are_looked_for_inside_the_roots_only(tmp_path):
    package = tmp_path / "arm_description"
    (package / "urdf").mkdir(parents=True)
    (package / "meshes").mkdir()
    target = (package / "meshes" / "a.stl").resolve()
    target.touch()
    path = package / "urdf" / "arm.urdf"

    path.write_text(mesh("package://arm_description/meshes/a.stl"))
    assert mesh_path(path, packages={"arm_description": package}) == str(target)
    assert mesh_path(path, roots=[package]) == str(target)
    assert mesh_path(path, roots=[tmp_path]) == str(target)
    with pytest.warns(ModelWarning, match="1 mesh files not found: package://arm_description/meshes/a.stl"):
        assert mesh_path(path) == "package://arm_description/meshes/a.stl"

    for filename in ("../meshes/a.stl", str(target), f"file://{target}"):
        path.write_text(mesh(filename))
        assert mesh_path(path, roots=[package]) == str(target)
        with pytest.raises(ModelError, match="path: expected inside the root folders"):
            read_urdf(path)

    path.write_text(mesh("package://arm_description/../arm_description/meshes/a.stl"))
    with pytest.raises(ModelError, match="path: expected inside the root folders"):
        read_urdf(path, roots=[package])


def random_urdf_tree(seed):
    """A tree of joints that URDF has, with two vehicles, frames and visuals."""
    rng = np.random.default_rng(seed)
    limits = {"limits": (-0.5, 0.7), "effort": 3.0, "velocity": 4.0}
    kinds = [
        Free(damping=0.3),
        Revolute(random_axis(rng), **limits),
        Revolute(random_axis(rng), friction=0.1),
        Fixed(),
        Prismatic(random_axis(rng), **limits),
        Prismatic(random_axis(rng)),
        Planar(random_axis(rng)),
        Revolute(random_axis(rng), limits=(-1, 1)),
        Revolute(random_axis(rng), effort=2.0),
    ]
    bodies = [
        Body(
            name=f"b{i}",
            parent="world" if i in (0, 4) else f"b{rng.integers(i)}",
            joint=kind,
            at=random_pose(rng),
            inertia=random_inertia(rng),
            joint_name=f"j{i}",
            visuals=(Box((1, 2, 3), at=random_pose(rng), rgba=(1, 0, 0, 1)),),
        )
        for i, kind in enumerate(kinds)
    ]
    return Tree(
        name="r", bodies=tuple(bodies), frames=(Frame(name="tool", parent="b3", at=random_pose(rng)),)
    )


@pytest.mark.parametrize("seed", range(3))
def test_written_trees_read_back(seed):
    tree = random_urdf_tree(seed)
    again = parse_urdf(format_urdf(tree), "r")
    assert again.names == (*tree.names, "tool")
    for ours, theirs in zip(tree.bodies, again.bodies, strict=False):
        assert (ours.parent, ours.joint, ours.joint_name) == (theirs.parent, theirs.joint, theirs.joint_name)
        assert ours.inertia == theirs.inertia
        np.testing.assert_allclose(ours.at.matrix, theirs.at.matrix, rtol=0, atol=1e-15)
        np.testing.assert_allclose(ours.visuals[0].at.matrix, theirs.visuals[0].at.matrix, rtol=0, atol=1e-15)


def test_written_shapes_and_colours_read_back():
    there = Pose((0.25, -0.5, 1.0))
    shapes = (
        Box((1, 2, 3), at=there, rgba=(0, 0, 1, 1)),
        Sphere(0.3, rgba=(1, 0, 0, 0.5)),
        Cylinder(0.1, 0.2, at=there),
        Capsule(0.1, 0.3),
        Mesh("a.stl", (1, 1, 2), at=there, rgba=(0.25, 0.5, 0.75, 1)),
    )
    body = Body(name="a", parent="world", joint=Free(), inertia=Inertia.sphere(1, 1), visuals=shapes)
    assert parse_urdf(format_urdf(Tree(name="r", bodies=(body,))), "r").bodies[0].visuals == shapes


def test_what_all_degrees_of_freedom_share_is_one_number_in_a_file():
    same = {"damping": 0.5, "friction": 0.25, "effort": 5.0, "velocity": 3.0}
    sphere = Inertia.sphere(1, 1)
    for joint in (Planar((0, 0, 1), **same), Free(**same)):
        root = Body(name="a", parent="world", joint=Free(), inertia=sphere)
        tree = Tree(name="r", bodies=(root, Body(name="b", parent="a", joint=joint, inertia=sphere)))
        text = format_urdf(tree)
        assert '<dynamics damping="0.5" friction="0.25" />' in text
        assert '<limit effort="5.0" velocity="3.0" />' in text
        again = parse_urdf(text, "r").bodies[1].joint
        for name, value in same.items():
            assert np.array_equal(getattr(again, name), np.full(joint.nv, value)), name


def test_a_fixed_vehicle_at_the_origin_is_the_root_link(tmp_path):
    tree = Tree(
        name="r", bodies=(Body(name="a", parent="world", joint=Fixed(), inertia=Inertia.sphere(1, 1)),)
    )
    write_urdf(tree, tmp_path / "a.urdf")
    assert "world" not in (tmp_path / "a.urdf").read_text()
    assert read_urdf(tmp_path / "a.urdf") == tree


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (
            {"joint": Spherical()},
            "joint: expected one of Fixed, Revolute, Prismatic, Planar, Free, given Spherical",
        ),
        ({"joint": Helical((0, 0, 1), 1)}, "given Helical"),
        ({"joint": Free(limits=(-1, 1))}, "limits: expected none on a Free joint"),
        (
            {"joint": Free(damping=[1, 2, 3, 4, 5, 6])},
            "damping: expected the same for all degrees of freedom",
        ),
        ({"joint": Revolute((0, 0, 1), armature=1)}, "armature: expected none"),
        ({"joint": Revolute((0, 0, 1), stiffness=1)}, "stiffness: expected none"),
        ({"inertia": Inertia(1, full=np.eye(6))}, "inertia: expected a rigid body's"),
        ({"fluid": Fluid(volume=1)}, "fluid: expected none"),
    ],
)
def test_what_urdf_cannot_say_is_refused(options, reason):
    body = Body(
        **({"name": "a", "parent": "world", "joint": Free(), "inertia": Inertia.sphere(1, 1)} | options)
    )
    with pytest.raises(ModelError) as error:
        format_urdf(Tree(name="r", bodies=(body,)))
    assert reason in str(error.value)


def test_merging_keeps_mass_visuals_and_frames():
    sphere = '<visual><geometry><sphere radius="1"/></geometry></visual>'
    text = robot(
        link("a"),
        link("b", INERTIAL + sphere),
        link("c"),
        joint("fixed", '<origin xyz="1 0 0"/>'),
        joint("continuous", '<origin xyz="0 1 0"/>', name="k", parent="b", child="c"),
    )
    tree = parse_urdf(text, "r", base=Free(), merge_fixed=True)
    assert tree.names == ("a", "c")
    assert tree.bodies[1].at == Pose((1, 1, 0))
    assert tree.frames == (Frame(name="b", parent="a", at=Pose((1, 0, 0))),)
    (moved,) = tree.bodies[0].visuals
    assert moved.at == Pose((1, 0, 0))
    separate = [Inertia(2, (x, 0, 0), (1, 1, 1)).matrix for x in (0, 1)]
    np.testing.assert_allclose(tree.bodies[0].inertia.matrix, sum(separate), rtol=0, atol=1e-15)
    welded = parse_urdf(text, "r", merge_fixed=True)
    assert welded.names == ("a", "c")  # a body fixed to the world has nothing to melt into, and stays


def test_slips_of_the_pen_are_told_of():
    """An axis that is called axes was the x axis in silence."""
    leg = '<link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/>{}</joint>{}'
    with pytest.warns(
        ModelWarning, match=r"r.urdf: not read.*<Link> in <robot> \(line 1\), <axes> in <joint>"
    ):
        parse_urdf(robot(leg.format('<axes xyz="0 0 1"/>', '<Link name="c"/>')), "r.urdf")
    parse_urdf(robot(leg.format('<calibration rising="0"/>', "<gazebo/><transmission/>")), "r.urdf")


def test_a_colour_beyond_its_bounds_is_told_by_its_material():
    for rgba in ("0 0 1.5 1", "0 0 -0.1 1"):
        with pytest.raises(
            ModelError, match=r"r\.urdf:1: material 'blue': rgba: expected four numbers in 0…1"
        ):
            parse_urdf(robot(link("a"), f'<material name="blue"><color rgba="{rgba}"/></material>'), "r.urdf")
    with pytest.raises(ModelError, match="material '': <material>: expected an attribute name, given none"):
        parse_urdf(robot(link("a"), '<material><color rgba="0 0 1 1"/></material>'), "r.urdf")


def test_links_in_a_ring_beside_the_tree_are_told():
    """In the order of the file, with the line of the first."""
    links = "\n".join(link(name) for name in "abcd")
    joints = joint("fixed", parent="b", child="c") + joint("fixed", parent="c", child="b", name="k")
    text = robot(links, joints, joint("fixed", parent="a", child="d", name="l"))
    with pytest.raises(ModelError) as caught:
        parse_urdf(text, "r.urdf")
    (problem,) = caught.value.problems
    assert (problem.where, problem.rule, problem.location) == ("link b", "cycle", "r.urdf:2")
    assert (problem.expected, problem.given) == ("links that hang from a", "b, c")


def test_of_many_slips_the_first_four_are_told():
    joints = [joint("revolute", name=f"j{k}", parent="a", child=f"b{k}") for k in range(9)]
    text = robot("<Link/>" * 5, link("a"), *(link(f"b{k}") for k in range(9)), *joints)
    with pytest.warns(ModelWarning) as told:
        parse_urdf(text, "r.urdf")
    said = {str(one.message).partition(": ")[2] for one in told}
    links = ", ".join(["<Link> in <robot> (line 1)"] * 4)
    names = ", ".join(f"j{k}" for k in range(8))
    assert said == {
        f"not read, as URDF has no such element: {links} and 1 more",
        f"revolute or prismatic joints without <limit>, read as unlimited: {names} and 1 more",
    }


def test_numbers_that_are_not_given_are_zero():
    assert two_links("continuous", '<dynamics damping="0.5"/>') == Revolute((1, 0, 0), damping=0.5)
    assert two_links("continuous", '<dynamics friction="0.5"/>') == Revolute((1, 0, 0), friction=0.5)
    assert two_links("revolute", '<limit upper="2"/>') == Revolute((1, 0, 0), limits=(0, 2))
    assert two_links("revolute", '<limit lower="-2"/>') == Revolute((1, 0, 0), limits=(-2, 0))


def test_a_file_is_written_letter_by_letter():
    root = Body(name="a", parent="world", joint=Fixed(), inertia=Inertia(2.0, (0, 0, 1), (1, 2, 2.5)))
    arm = Body(
        name="b", parent="a", joint=Prismatic((0, 0, 1)), inertia=Inertia.zero(), at=Pose((1, 2, 3)),
        visuals=(Sphere(0.5), Box((1, 2, 3), rgba=(0, 0.5, 1, 1))),
    )  # fmt: skip
    assert (
        format_urdf(Tree(name="r", bodies=(root, arm)))
        == """<?xml version="1.0"?>
<robot name="r">
  <link name="a">
    <inertial>
      <origin xyz="0.0 0.0 1.0" rpy="0 0 0" />
      <mass value="2.0" />
      <inertia ixx="1.0" ixy="0.0" ixz="0.0" iyy="2.0" iyz="0.0" izz="2.5" />
    </inertial>
  </link>
  <link name="b">
    <visual>
      <geometry>
        <sphere radius="0.5" />
      </geometry>
    </visual>
    <visual>
      <geometry>
        <box size="1.0 2.0 3.0" />
      </geometry>
      <material name="b_1">
        <color rgba="0.0 0.5 1.0 1.0" />
      </material>
    </visual>
  </link>
  <joint name="b_joint" type="prismatic">
    <origin xyz="1.0 2.0 3.0" rpy="0.0 0.0 0.0" />
    <parent link="a" />
    <child link="b" />
    <axis xyz="0.0 0.0 1.0" />
    <limit lower="-1e+30" upper="1e+30" effort="1e+30" velocity="1e+30" />
  </joint>
</robot>
"""
    )


def test_frames_on_welded_bodies_and_bodies_without_mass_melt_too():
    bodies = (
        Body(name="a", parent="world", joint=Free(), inertia=Inertia.zero()),
        Body(name="b", parent="a", joint=Fixed(), inertia=Inertia.zero(), at=Pose((1, 0, 0))),
    )
    frames = (
        Frame(name="f", parent="b", at=Pose((0, 2, 0))),
        Frame(name="g", parent="world", at=Pose((0, 0, 3))),
    )
    tree = merge_fixed_bodies(Tree(name="t", bodies=bodies, frames=frames))
    assert tree.names == ("a",)
    assert tree.bodies[0].inertia == Inertia.zero()
    assert tree.frames == (
        Frame(name="b", parent="a", at=Pose((1, 0, 0))),
        Frame(name="f", parent="a", at=Pose((1, 2, 0))),
        Frame(name="g", parent="world", at=Pose((0, 0, 3))),
    )


def test_bodies_in_water_do_not_melt():
    water = Body(name="b", parent="a", joint=Fixed(), inertia=Inertia.zero(), fluid=Fluid(volume=1.0))
    root = Body(name="a", parent="world", joint=Free(), inertia=Inertia.zero())
    said = "b: merging: expected rigid bodies without fluid properties, given a full 6×6 inertia or fluid properties"
    with pytest.raises(ModelError) as caught:
        merge_fixed_bodies(Tree(name="t", bodies=(root, water)))
    assert str(caught.value) == said
