"""What is taken from a compiled MuJoCo model: shapes, colours, joints, names and places, each number its own."""

import resource

import mujoco
import numpy as np
import pytest

import unmoored as um
from unmoored.model.files.mjcf import compile_in_child, compiling
from unmoored.model.files.mjcf.compiled_elements import Names, joint_of, visual_of
from unmoored.model.files.mjcf.flattening import Flattened
from unmoored.model.files.mjcf.reader import _Reader
from unmoored.model.files.mjcf.unrepresented import left_out, refuse_other_dynamics

TURN = 'quat="0.8 0 0.6 0"'
ROTATION = um.Pose(quaternion_wxyz=(0.8, 0.0, 0.6, 0.0)).rotation


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """MuJoCo writes its warnings into a file where it runs."""
    monkeypatch.chdir(tmp_path)


def compiled(body, after=""):
    text = f'<mujoco><compiler angle="radian"/>{after}<worldbody>{body}</worldbody></mujoco>'
    return mujoco.MjModel.from_xml_string(text)


def tree_of(body, after="", ignore_mimic=False, **found):
    return _Reader(compiled(body, after), Flattened(**found), ignore_mimic).tree()


def test_shapes_have_their_sizes_places_and_colours():
    """MuJoCo has radii and half lengths."""
    place = f'pos="1 2 3" {TURN} rgba="0.1 0.2 0.3 0.4"'
    at, rgba = um.Pose((1, 2, 3), rotation=ROTATION), (0.1, 0.2, 0.3, 0.4)
    m = compiled(
        f"""<body><joint/><geom type="sphere" size="0.7" {place}/><geom type="capsule" size="0.2 0.5" {place}/>
        <geom type="cylinder" size="0.3 0.9" {place}/><geom type="box" size="0.1 0.4 0.6" {place}/>
        <geom type="ellipsoid" size="0.1 0.4 0.6"/></body>"""
    )
    *shapes, none = (visual_of(m, k, {}) for k in range(5))
    expected = [
        um.Sphere(0.7, at=at), um.Capsule(0.2, 1.0, at=at), um.Cylinder(0.3, 1.8, at=at),
        um.Box((0.2, 0.8, 1.2), at=at),
    ]  # fmt: skip
    for shape, like in zip(shapes, expected, strict=True):
        assert type(shape) is type(like)
        np.testing.assert_allclose(shape.at.matrix, at.matrix, rtol=0, atol=1e-15)
        np.testing.assert_allclose(shape.rgba, rgba, rtol=0, atol=1e-7)  # of single precision
        for name in ("radius", "length", "size"):
            if hasattr(like, name):
                np.testing.assert_allclose(getattr(shape, name), getattr(like, name), rtol=1e-15)
    assert none is None


def test_a_material_gives_its_colour_and_colours_stay_between_0_and_1():
    colours = '<asset><material name="a" rgba="0 0.5 1 1"/><material name="b" rgba="1 0.25 0 1"/></asset>'
    m = compiled(
        '<geom size="1" material="a"/><geom size="1" material="b"/><geom size="1" rgba="2 -1 0.5 1"/>',
        colours,
    )
    found = [visual_of(m, k, {}).rgba for k in range(3)]
    assert found == [(0, 0.5, 1, 1), (1, 0.25, 0, 1), (1, 0, 0.5, 1)]


def test_joints_have_their_own_options():
    """Of the second joint, behind one with six degrees of freedom and seven coordinates."""
    m = compiled(
        """<body><freejoint/><geom size="1"/><body><joint type="slide" axis="0 3 4" damping="0.1" frictionloss="0.2"
        armature="0.3" stiffness="0.4" springref="0.5" ref="0.125" range="-1 2" limited="true"/><geom size="1"/>
        <body><joint type="ball" damping="2"/><geom size="1"/><body><joint axis="0 0 1" ref="0.25" springref="9"/>
        <geom size="1"/></body></body></body></body>"""
    )
    free, slide, ball, hinge = (joint_of(m, j) for j in range(4))
    assert free == um.Free()
    options = {"damping": 0.1, "friction": 0.2, "armature": 0.3, "stiffness": 0.4, "rest": 0.375}
    assert slide == um.Prismatic((0.0, 0.6, 0.8), limits=(-1.125, 1.875), **options)
    assert ball == um.Spherical(damping=2.0)
    assert hinge == um.Revolute((0, 0, 1))  # without a spring there is nothing at rest


def test_names_are_unique_and_those_that_changed_are_told():
    m = compiled(
        """<body name="a"><joint name="a"/><joint name="b"/><geom size="1"/><site name="b"/><site/></body>
        <body name="world_body"><joint/><geom size="1"/></body><body><geom size="1"/></body>"""
    )
    names = Names(m)
    assert [names.body(k) for k in range(4)] == ["world", "a", "world_body", "body3"]
    assert [names.joint(j) for j in range(3)] == ["a", "b", None]
    assert [names.joint_body(j) for j in (0, 1, 2, 0)] == ["a_joint", "b_joint", "joint2", "a_joint"]
    assert [names.site(k) for k in range(2)] == ["b", "site1"]
    assert names.renamed() == ("Names used twice in the MJCF were changed: a → a_joint, b → b_joint.",)
    assert Names(compiled('<body name="c"><geom size="1"/></body>')).renamed() == ()


def test_a_body_moves_about_the_anchors_of_its_joints():
    """Two hinges off the origin and then the body itself, all turned with it."""
    tree = tree_of(
        f"""<body name="b" pos="1 2 3" {TURN}><joint name="x" axis="1 0 0" pos="0.1 0 0"/>
        <joint name="y" axis="0 1 0" pos="0 0.2 0.3"/><geom size="1" mass="2" pos="0.5 0 0"/>
        <site name="s" pos="0 0 0.5" {TURN}/></body>"""
    )
    assert tree.names == ("x", "y", "b")
    assert [body.parent for body in tree.bodies] == ["world", "x", "y"]
    x, y, b = tree.bodies
    place = um.Pose((1, 2, 3), rotation=ROTATION)
    np.testing.assert_allclose(x.at.matrix, (place @ um.Pose((0.1, 0, 0))).matrix, rtol=0, atol=1e-15)
    np.testing.assert_allclose(y.at.matrix, um.Pose((-0.1, 0.2, 0.3)).matrix, rtol=0, atol=1e-15)
    np.testing.assert_allclose(b.at.matrix, um.Pose((0, -0.2, -0.3)).matrix, rtol=0, atol=1e-15)
    assert [body.joint.kind for body in tree.bodies] == ["Revolute", "Revolute", "Fixed"]
    assert [body.joint_name for body in tree.bodies] == [None] * 3
    assert (b.inertia.mass, b.inertia.com.tolist()) == (2.0, [0.5, 0.0, 0.0])
    (site,) = tree.frames
    assert (site.name, site.parent) == ("s", "b")
    np.testing.assert_allclose(site.at.matrix, um.Pose((0, 0, 0.5), rotation=ROTATION).matrix, atol=1e-15)


def test_the_last_joint_carries_the_body_where_it_goes_through_its_origin():
    tree = tree_of(
        """<body name="b" pos="1 0 0"><joint name="x" pos="0 0 2"/><joint name="y" axis="0 1 0"/><geom size="1"/></body>
        <body name="free" pos="0 5 0"><freejoint name="flight"/><geom size="1"/></body>"""
    )
    assert tree.names == ("x", "b", "free")
    assert [body.joint_name for body in tree.bodies] == [None, "y", "flight"]
    assert [body.at.xyz.tolist() for body in tree.bodies] == [[1, 0, 2], [0, 0, -2], [0, 5, 0]]


def test_inertias_are_turned_into_the_bodys_axes():
    full = 'fullinertia="3 4 5 0.1 0.2 0.3"'
    tree = tree_of(f'<body><freejoint/><inertial pos="0.1 0.2 0.3" mass="20" {full}/></body>')
    expected = [[3, 0.1, 0.2], [0.1, 4, 0.3], [0.2, 0.3, 5]]
    np.testing.assert_allclose(tree.bodies[0].inertia.tensor, expected, rtol=0, atol=1e-13)
    assert tree.bodies[0].inertia.com.tolist() == [0.1, 0.2, 0.3]


FOLLOWERS = """<body name="a"><joint name="j"/><geom size="1" contype="0" conaffinity="0"/></body>
    <body name="b"><joint name="k" ref="0.5"/><geom size="1" contype="0" conaffinity="0"/></body>"""
EQUAL = '<equality><joint joint1="k" joint2="j" polycoef="0.25 -3 0 0 0"/></equality>'


def test_followers_have_multiplier_and_offset_and_references_are_told():
    tree = tree_of(FOLLOWERS, EQUAL)
    assert tree.couplings == (um.Mimic("b", "a", -3.0, 0.25),)
    assert tree.assumptions[-1] == "Joint coordinates are zero at MuJoCo's reference (ref): k."
    assert tree_of(FOLLOWERS, EQUAL, ignore_mimic=True).couplings == ()


def test_a_model_has_its_own_name_or_one_of_ours():
    for said, name in (('model="Glück"', "Glück"), ('model=""', "mjcf"), ("", "MuJoCo Model")):
        m = mujoco.MjModel.from_xml_string(f"<mujoco {said}><worldbody>{FOLLOWERS}</worldbody></mujoco>")
        assert _Reader(m, Flattened(), False).tree().name == name


def test_meshes_stand_where_their_files_have_them_in_their_colour():
    """Those of which no file is known, or that are made of numbers, are no visuals."""
    corners = ("0 0 0", "1 0 0", "0 2 0", "0 0 3")
    file = "".join(f"v {corner}\n" for corner in corners) + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    meshes = f"""<asset><mesh name="x" file="x.obj"/><mesh name="y" file="y.obj" scale="1 2 -3"/>
        <mesh name="z" vertex="{" ".join(corners)}"/></asset>"""
    geoms = "".join(f'<geom type="mesh" mesh="{k}" pos="1 2 3" {TURN} rgba="0 0.5 1 1"/>' for k in "xyz")
    text = f"<mujoco>{meshes}<worldbody>{geoms}</worldbody></mujoco>"
    m = mujoco.MjModel.from_xml_string(text, {"x.obj": file.encode(), "y.obj": file.encode()})
    x, y, z = (visual_of(m, k, {"y.obj": "/there/y.obj"}) for k in range(3))
    assert x is None
    assert z is None
    assert (y.path, y.scale, y.rgba) == ("/there/y.obj", (1.0, 2.0, -3.0), (0.0, 0.5, 1.0, 1.0))
    np.testing.assert_allclose(y.at.matrix, um.Pose((1, 2, 3), rotation=ROTATION).matrix, rtol=0, atol=1e-14)


def test_what_mujoco_was_not_given_is_counted_too():
    m = compiled(FOLLOWERS)
    assert left_out(m, {}) == []
    assert left_out(m, {"sensors": 3, "skins": 2}) == ["sensors: 3", "skins: 2"]
    windy = compiled(FOLLOWERS, '<option density="1.2" wind="0 0 1" gravity="0 0 9.81"/>')
    said = ["wind, air density or viscosity: 1", "gravity other than (0, 0, -9.81): 1"]
    assert left_out(windy, {}) == said


def test_armature_of_actuators_and_other_dynamics_are_refused_by_count():
    motors = "".join(f'<motor joint="{j}" armature="{x}"/>' for j, x in (("j", 0), ("k", 0.5), ("k", 1)))
    actuators = f"<actuator>{motors}</actuator>"
    try:
        m = compiled(FOLLOWERS, actuators)
    except ValueError:  # older versions of MuJoCo know no armature of actuators
        pytest.skip("this version of MuJoCo has no armature of actuators")
    with pytest.raises(um.ModelError) as caught:
        refuse_other_dynamics(m, "m.xml")
    assert str(caught.value) == "m.xml: actuators with armature: not representable: expected none, given 2"
    refuse_other_dynamics(compiled(FOLLOWERS, EQUAL), "m.xml")


def test_the_compiler_has_limits_of_time_memory_and_none_for_dumps(monkeypatch):
    said = {}
    monkeypatch.setattr(resource, "setrlimit", said.__setitem__)
    compile_in_child._limit(7, 5000)
    assert said == {
        resource.RLIMIT_CPU: (7, 8), resource.RLIMIT_AS: (5000, 5000), resource.RLIMIT_CORE: (0, 0),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Error: bad joint, line 2", "top.xml:20: {}, given Error: bad joint"),
        (
            "bad file0.obj\n Element 'x', Line number=3",
            "inner.xml:30: {}, given bad /there/a.obj Element 'x'",
        ),
        ("in a model, line 3\nElement 'model', line 1", "top.xml:10: {}, given in a model Element 'model'"),
        ("no line 4", "top.xml: {}, given no"),
        ("no line 0", "top.xml: {}, given no"),
        ("nothing", "top.xml: {}, given nothing"),
    ],
)
def test_words_of_mujoco_are_told_with_the_file_and_line_that_they_are_about(said, told):
    lines = [("top.xml", 10), ("top.xml", 20), ("inner.xml", 30)]
    model = Flattened("", {}, {"file0.obj": "/there/a.obj"}, lines)
    error = compiling._refusal(said, model, "top.xml")
    assert str(error) == told.format("file: MJCF: expected what MuJoCo compiles")
