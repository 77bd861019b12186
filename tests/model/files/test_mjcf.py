"""MJCF files: the same mass matrix and poses as MuJoCo; what a tree cannot say is refused or listed."""

import sys
import warnings
from contextlib import contextmanager

import mujoco
import numpy as np
import pytest
from tests.support.thinning import one_in

import unmoored as um
from unmoored.dynamics.kinematics import body_poses
from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.model import Fixed, ModelError, ModelWarning, Revolute, Spherical, Tree
from unmoored.model.files import read_mjcf

ARM = """
<mujoco model="arm">
  <compiler angle="radian"/>
  <worldbody>
    <body name="base" pos="0.1 0.2 0.3" euler="0.1 0.2 0.3">
      <geom type="box" size="0.1 0.2 0.3" rgba="1 0 0 1"/>
      <body name="upper" pos="0 0 0.4" euler="0.3 0 0.1">
        <joint name="pan" axis="0 0 1" pos="0.1 0 0" ref="0.2" range="-1 2" limited="true" armature="0.3"/>
        <joint name="lift" axis="1 1 0" damping="0.5" frictionloss="0.1" stiffness="3" springref="0.4"/>
        <geom type="capsule" size="0.05 0.2" pos="0.1 0.2 0" rgba="0 0 1 1"/>
        <body name="fore" pos="0.5 0 0" quat="1 0.2 0 0.1">
          <joint name="slide" type="slide" axis="0 1 1" pos="0.3 0 0"/>
          <geom type="cylinder" size="0.05 0.2" pos="0 0.1 0"/>
          <site name="tool" pos="0.1 0 0" euler="0 0.3 0"/>
        </body>
      </body>
      <body name="plate" pos="0 1 0"><geom type="sphere" size="0.1"/></body>
    </body>
  </worldbody>
</mujoco>"""

SPACECRAFT = """
<mujoco model="spacecraft">
  <worldbody>
    <body name="bus" pos="1 2 3" euler="10 20 30">
      <freejoint name="flight"/>
      <inertial pos="0.1 0.2 0.3" mass="20" fullinertia="3 4 5 0.1 0.2 0.3"/>
      <body name="antenna" pos="0 0 1" euler="5 6 7">
        <joint name="ball" type="ball" damping="2" stiffness="1.5" armature="0.2"/>
        <geom type="ellipsoid" size="0.1 0.2 0.3" pos="0 0 0.4"/>
        <body name="tip" pos="0 0.2 0.5">
          <joint name="turn" type="hinge" axis="0 1 0" pos="0 0.1 0.2"/>
          <joint name="off_ball" type="ball" pos="0 0.1 0"/>
          <geom type="box" size="0.1 0.1 0.3" pos="0.1 0 0"/>
        </body>
      </body>
    </body>
    <body name="rail" pos="5 0 0">
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="y" type="slide" axis="0 1 0"/>
      <joint name="yaw" type="hinge" axis="0 0 1"/>
      <geom type="box" size="1 1 1"/>
    </body>
  </worldbody>
</mujoco>"""


@contextmanager
def listed():
    """MuJoCo models have contacts and the like: the tests look at `assumptions` instead of warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        yield


def read(text, folder, **options) -> Tree:
    path = folder / "model.xml"
    path.write_text(text, encoding="utf-8")
    with listed():
        return read_mjcf(path, **options)


def links_by_joint(tree, m):
    """Our link for each MuJoCo joint."""
    by_name = {body.joint_name: body.name for body in tree.bodies if body.joint_name}
    return [tree.link(by_name.get(m.jnt(j).name, m.jnt(j).name)) for j in range(m.njnt)]


def configuration(tree, m, rng):
    """(our q, MuJoCo's qpos, T) at a random configuration; MuJoCo's qvel = T our v."""
    q, qpos, T = np.zeros(tree.nq), m.qpos0.copy(), np.zeros((m.nv, tree.nv))
    for j, link in enumerate(links_by_joint(tree, m)):
        joint = link.joint
        q[link.q] = joint.from_coordinates(rng.uniform(-1, 1, joint.nv))
        i, d = m.jnt_qposadr[j], m.jnt_dofadr[j]
        rows, R = slice(d, d + joint.nv), np.eye(joint.nv)
        if joint.nv == 1:
            qpos[i] = m.qpos0[i] + q[link.q][0]
        else:
            g = joint.transform(q[link.q])
            if joint.nv == 6:  # MuJoCo's free joint: pose in the world; v in world axes, ω in body axes
                g = tree.bodies[link.index].at.matrix @ g
                R[:3, :3] = g[:3, :3]
                qpos[i : i + 3] = g[:3, 3]
                i += 3
            mujoco.mju_mat2Quat(qpos[i : i + 4], np.ascontiguousarray(g[:3, :3]).ravel())
        T[rows, link.v] = R
    return q, qpos, T


@pytest.mark.parametrize("text", [ARM, SPACECRAFT], ids=["arm", "spacecraft"])
def test_mass_matrix_and_poses_are_mujocos(text, tmp_path):
    tree = read(text, tmp_path)
    m = mujoco.MjModel.from_xml_string(text)
    d = mujoco.MjData(m)
    rng = np.random.default_rng(0)
    for _ in range(5):
        q, d.qpos[:], T = configuration(tree, m, rng)
        mujoco.mj_forward(m, d)
        theirs = np.zeros((m.nv, m.nv))
        for row, unit in zip(theirs, np.eye(m.nv), strict=True):
            mujoco.mj_mulM(m, d, row, unit)
        theirs = T.T @ theirs @ T
        np.testing.assert_allclose(mass_matrix(tree, q), theirs, rtol=0, atol=1e-13 * np.abs(theirs).max())
        for name, g in zip(tree.names, body_poses(tree, q), strict=True):
            if name in {m.body(b).name for b in range(m.nbody)}:
                np.testing.assert_allclose(g[:3, 3], d.body(name).xpos, rtol=0, atol=1e-13)
                np.testing.assert_allclose(g[:3, :3].ravel(), d.body(name).xmat, rtol=0, atol=1e-13)


def test_joint_properties_are_kept(tmp_path):
    tree = read(ARM, tmp_path)
    assert tree.names == ("base", "pan", "upper", "slide", "fore", "plate")
    pan, upper = tree.bodies[1], tree.bodies[2]
    assert pan.joint == Revolute((0, 0, 1), limits=(-1 - 0.2, 2 - 0.2), armature=0.3)
    assert (upper.joint.damping, upper.joint.friction, upper.joint.stiffness) == (0.5, 0.1, 3.0)
    assert upper.joint.rest == 0.4
    assert upper.joint_name == "lift"
    assert isinstance(tree.bodies[4].joint, Fixed)
    assert any("reference (ref): pan" in line for line in tree.assumptions)
    ball = read(SPACECRAFT, tmp_path).bodies[1].joint
    assert ball == Spherical(damping=2.0, stiffness=1.5, armature=0.2)


def test_geoms_and_sites(tmp_path):
    tree = read(ARM, tmp_path)
    (box,), (capsule,), (cylinder,) = tree.bodies[0].visuals, tree.bodies[2].visuals, tree.bodies[4].visuals
    assert (box.kind, box.size, box.rgba) == ("Box", (0.2, 0.4, 0.6), (1, 0, 0, 1))
    assert (capsule.kind, capsule.radius, capsule.length) == ("Capsule", 0.05, 0.4)
    assert capsule.rgba == (0, 0, 1, 1)
    assert (cylinder.kind, cylinder.length, cylinder.at.xyz.tolist()) == ("Cylinder", 0.4, [0, 0.1, 0])
    (tool,) = tree.frames
    assert (tool.name, tool.parent) == ("tool", "fore")
    assert np.allclose(tool.at.rotation[0, 2], np.sin(0.3), rtol=0, atol=1e-15)


TETRAHEDRON = "v 1 0 0\nv 2 0 0\nv 1 1 0\nv 1 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def mesh_model(file="tetra.obj", folder="meshes"):
    return f"""<mujoco><compiler meshdir="{folder}"/>
      <asset><mesh name="m" file="{file}" scale="2 2 2"/></asset>
      <worldbody><body name="b"><joint/><geom type="mesh" mesh="m" pos="0.1 0.2 0.3"/></body></worldbody>
    </mujoco>"""


def test_meshes_stand_where_their_files_have_them(tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "tetra.obj").write_text(TETRAHEDRON)
    (mesh,) = read(mesh_model(), tmp_path).bodies[0].visuals
    assert mesh.path == str((tmp_path / "meshes" / "tetra.obj").resolve())
    assert mesh.scale == (2, 2, 2)
    np.testing.assert_allclose(mesh.at.xyz, (0.1, 0.2, 0.3), rtol=0, atol=1e-14)
    np.testing.assert_allclose(mesh.at.rotation, np.eye(3), rtol=0, atol=1e-14)


ONE = '<body name="a"><joint name="j"/><geom name="g" size="0.1"/></body>'
TWO = ONE + '<body name="b"><joint name="k"/><geom name="h" size="0.1"/></body>'


def tendon(attributes=""):
    return f'<tendon><fixed {attributes}><joint joint="j" coef="1"/></fixed></tendon>'


def model(body="", after=""):
    return f"<mujoco><worldbody>{body}</worldbody>{after}</mujoco>"


@pytest.mark.parametrize(
    ("text", "reason"),
    one_in(
        2,
        [
            (
                model(TWO, '<equality><joint joint1="j" joint2="k" polycoef="0 1 0.5 0 0"/></equality>'),
                "polycoef",
            ),
            (model(TWO, '<equality><joint joint1="j" polycoef="0.2 0 0 0 0"/></equality>'), "leader"),
            (
                model(
                    TWO, '<equality><joint joint1="j" joint2="k"/><joint joint1="k" joint2="j"/></equality>'
                ),
                "itself",
            ),
            (model(TWO, '<equality><weld body1="a" body2="b"/></equality>'), "equality constraints"),
            (model(ONE, tendon('stiffness="2"')), "tendons with"),
            (model(ONE, tendon('range="0 1"')), "tendons with"),
            (model('<body><joint type="free" stiffness="1"/><geom size="1"/></body>'), "free joints with"),
            (model(ONE, '<extension><plugin plugin="mujoco.pid"/></extension>'), "plugins"),
        ],
    ),
)
def test_what_changes_the_dynamics_is_refused(text, reason, tmp_path):
    with pytest.raises(ModelError, match=reason) as error:
        read(text, tmp_path)
    assert "model.xml" in str(error.value.problems[0].location)


GRIPPER = """
<mujoco model="gripper">
  <compiler angle="radian"/>
  <worldbody>
    <body name="palm" euler="20 30 10">
      <joint name="wrist" axis="0 1 1" pos="0.1 0 0"/>
      <geom type="box" size="0.1 0.2 0.3" pos="0.2 0 0"/>
      <body name="left" pos="0.1 0.2 0">
        <joint name="spread" axis="0 0 1" ref="0.3"/>
        <joint name="open" type="slide" axis="0 1 0" ref="-0.2" armature="0.7"/>
        <geom type="box" size="0.1 0.02 0.03" pos="0.1 0 0"/>
      </body>
      <body name="right" pos="0.1 -0.2 0">
        <joint name="close" axis="1 1 0" ref="0.1" pos="0 0.05 0"/>
        <geom type="box" size="0.1 0.02 0.03" pos="0.1 0 0"/>
      </body>
    </body>
  </worldbody>
  <equality>
    <joint joint1="close" joint2="open" polycoef="0.15 -1.7 0 0 0"/>
    <joint joint1="spread" joint2="close" polycoef="-0.1 0.6 0 0 0"/>
  </equality>
</mujoco>"""


def test_equal_joints_are_followers(tmp_path):
    """Where our couplings hold, MuJoCo's constraints have no residual; the same motion as its M, bias and Jacobian."""
    path = tmp_path / "gripper.xml"
    path.write_text(GRIPPER, encoding="utf-8")
    with pytest.warns(ModelWarning) as told:
        system = um.load(path)
    assert any("joints that follow others" in str(warning.message) for warning in told)
    assert any("read as exact): 2" in line for line in system.tree.assumptions)
    assert {(c.joint, c.leader, c.multiplier, c.offset) for c in system.couplings} == {
        ("close", "left", -1.7, 0.15),
        ("spread", "close", 0.6, -0.1),
    }
    plant = um.Plant(system, um.Earth(gravity=(0, 0, -9.81)))
    m = mujoco.MjModel.from_xml_string(GRIPPER)
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(m)
    rng = np.random.default_rng(0)
    order = [
        system.tree.link({"open": "left"}.get(m.jnt(j).name, m.jnt(j).name)).v.start for j in range(m.njnt)
    ]
    q = np.asarray(plant.configuration(0.0, rng.normal(size=4)), dtype=float)
    v = plant.full_velocity(0.0, q, plant.independent_velocity(q, rng.normal(size=4)))
    data.qpos[:], data.qvel[:] = q[order] + m.qpos0, v[order]
    mujoco.mj_forward(m, data)
    assert data.nefc == 2
    assert np.abs(data.efc_pos[:2]).max() < 1e-14
    M, J = np.zeros((4, 4)), np.reshape(data.efc_J, (-1, 4))[:2]
    mujoco.mj_fullM(m, M, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(m, data, M)
    left = np.block([[M, -J.T], [J, np.zeros((2, 2))]])
    expected = np.linalg.solve(left, np.concatenate([-data.qfrc_bias, np.zeros(2)]))[:4]
    a = plant.forward_dynamics(0.0, q, v)[order]
    assert np.abs(a - expected).max() < 1e-11 * np.abs(expected).max()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        assert um.load(path, mimic="free").couplings == ()
        assert um.load(path, mimic="locked").nv == 2
    crooked = tmp_path / "crooked.xml"
    crooked.write_text(GRIPPER.replace("0.6 0 0 0", "0.6 0 1 0"), encoding="utf-8")
    with pytest.raises(ModelError, match=r"polycoef: expected linear.*given \[-0.1, 0.6, 0.0, 1.0, 0.0\]"):
        um.load(crooked)
    with pytest.warns(ModelWarning) as told:
        free = um.load(crooked, mimic="free")
    assert (free.nv, free.couplings) == (4, ())
    assert any('between joints (mimic="free"): 2' in str(warning.message) for warning in told)


@pytest.mark.parametrize(
    ("text", "listed_as"),
    one_in(
        3,
        [
            (model(ONE, '<actuator><motor joint="j"/></actuator>'), "actuators: 1"),
            (model(ONE, '<sensor><jointpos joint="j"/></sensor>'), "sensors: 1"),
            (model(ONE, tendon()), "tendons without forces: 1"),
            (model(ONE), "colliding geoms): 1"),
            (model('<geom type="plane" size="1 1 1"/>' + ONE), "geoms of the world"),
            (
                model(TWO, '<equality><weld body1="a" body2="b" active="false"/></equality>'),
                "inactive equality",
            ),
            (model('<body><joint type="ball" range="0 1"/><geom size="1"/></body>'), "ball joints: 1"),
            (model('<body gravcomp="1"><joint/><geom size="1"/></body>'), "gravity compensation: 1"),
            (
                '<mujoco><option density="1000"/><worldbody>' + ONE + "</worldbody></mujoco>",
                "wind, air density",
            ),
        ],
    ),
)
def test_what_is_left_out_is_listed(text, listed_as, tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(text)
    with pytest.warns(ModelWarning, match="Not read from the MJCF"):
        tree = read_mjcf(path)
    assert any(listed_as in line for line in tree.assumptions)


EVERYTHING = """
<mujoco model="everything">
  <option density="0" viscosity="{viscosity}" wind="{wind}" gravity="0 0 {gravity}"/>
  <asset><texture name="t" type="2d" builtin="flat" width="4" height="4"/></asset>
  <worldbody>
    <light/><light/><light/>
    <camera/><camera/>
    <geom type="plane" size="1 1 1"/>
    <body name="moved" mocap="true"><geom size="0.1" contype="0" conaffinity="0"/></body>
    <body name="free" gravcomp="1"><joint type="free" frictionloss="0.1"/><geom size="0.1"/></body>
    <body name="ball" pos="1 0 0">
      <joint name="b" type="ball" range="0 1" limited="true"/>
      <geom type="ellipsoid" size="0.1 0.2 0.3" contype="0" conaffinity="2"/>
    </body>
    <body name="arm" pos="2 0 0">
      <joint name="j" type="hinge" actuatorfrcrange="-1 1" actuatorfrclimited="true"/>
      <geom name="g" size="0.1" conaffinity="0"/>
      <body name="hand" pos="1 0 0">
        <joint name="k" type="slide"/><geom name="h" size="0.1" contype="0" conaffinity="0"/>
      </body>
    </body>
  </worldbody>
  <contact><pair geom1="g" geom2="h"/></contact>
  <tendon><fixed><joint joint="j" coef="1"/></fixed></tendon>
  <actuator><motor joint="j"/><motor joint="k"/></actuator>
  <sensor><jointpos joint="j"/><jointpos joint="k"/><jointvel joint="j"/></sensor>
  <equality>
    <weld body1="arm" body2="free" active="false"/>
    <joint joint1="k" joint2="j" polycoef="0 1 0 0 0"/>
    <joint joint1="j" joint2="k" active="false"/>
  </equality>
  <keyframe><key/><key/></keyframe>
</mujoco>"""


def test_all_that_is_left_out_is_counted(tmp_path):
    """And nothing is told of a model that has nothing of it."""
    calm = EVERYTHING.format(viscosity=0, wind="0 0 0", gravity=-9.81)
    told = [
        "actuators: 2", "sensors: 3", "tendons without forces: 1", "inactive equality constraints: 2",
        "softness of equality constraints between joints (read as exact): 1", "contacts (colliding geoms): 4",
        "contact pairs: 1", "keyframes: 2", "cameras: 2", "lights: 3", "mocap bodies (read as fixed): 1",
        "bodies with gravity compensation: 1", "force limits of joints: 1", "limits of ball joints: 1",
        "friction of free joints in world axes (read in body axes): 1",
        "geoms of the world and of shapes without a visual: 2",
    ]  # fmt: skip
    assert read(calm, tmp_path).assumptions == (f"Not read from the MJCF: {'; '.join(told)}.",)
    told[4] = 'equality constraints between joints (mimic="free"): 1'
    assert read(calm, tmp_path, ignore_mimic=True).assumptions == (
        f"Not read from the MJCF: {'; '.join(told)}.",
    )
    told.insert(-1, "wind, air density or viscosity: 1")
    windy = EVERYTHING.format(viscosity=0, wind="0 0 1", gravity=-9.81)
    assert read(windy, tmp_path, ignore_mimic=True).assumptions == (
        f"Not read from the MJCF: {'; '.join(told)}.",
    )
    told.insert(-1, "gravity other than (0, 0, -9.81): 1")
    thick = EVERYTHING.format(viscosity=1, wind="0 0 0", gravity=-1.62)
    assert read(thick, tmp_path, ignore_mimic=True).assumptions == (
        f"Not read from the MJCF: {'; '.join(told)}.",
    )
    bare = '<body name="a"><joint/><geom size="0.1" contype="0" conaffinity="0"/></body>'
    assert read(model(bare), tmp_path).assumptions == ()


def test_what_changes_the_dynamics_is_counted_and_told_at_once(tmp_path):
    """A weld beside an equality of joints, a tendon of three, a spring of a free joint beside one of a hinge."""
    free = '<body name="f" pos="3 0 0"><joint type="free" stiffness="1"/><geom size="1"/></body>'
    spring = '<body name="s" pos="4 0 0"><joint stiffness="2"/><geom size="1"/></body>'
    joint = '<joint joint="j" coef="1"/>'
    after = f"""<equality>
      <weld body1="a" body2="b"/><weld body1="a" body2="f" active="false"/><joint joint1="j" joint2="k"/>
    </equality>
    <tendon>
      <fixed stiffness="1">{joint}</fixed><fixed>{joint}</fixed>
      <fixed damping="1" frictionloss="1">{joint}</fixed>
    </tendon>"""
    with pytest.raises(ModelError) as caught:
        read(model(TWO + free + spring, after), tmp_path)
    found = {(p.where, p.given) for p in caught.value.problems}
    assert found == {
        ("equality constraints other than between joints", "1"),
        ("tendons with stiffness, damping, friction, limits or inertia", "2"),
        ("free joints with springs", "1"),
    }


def test_equalities_that_are_no_followers_are_told_by_joint(tmp_path):
    """With all five coefficients, the first and the last of those that must be zero."""
    for coefficients in ("0.5 1 2 0 0", "0.5 1 0 0 2"):
        text = model(TWO, f'<equality><joint joint1="j" joint2="k" polycoef="{coefficients}"/></equality>')
        with pytest.raises(ModelError, match="equality of joint j: polycoef") as caught:
            read(text, tmp_path)
        given = [float(x) for x in coefficients.split()]
        assert caught.value.problems[0].given == str(given)
    with pytest.raises(ModelError, match=r"equality of joint k: leader \(joint2\)"):
        read(model(TWO, '<equality><joint joint1="k" polycoef="0 1 0 0 0"/></equality>'), tmp_path)


def test_shared_names_are_told_apart_and_missing_ones_made(tmp_path):
    text = model('<body name="a"><joint name="a" pos="1 0 0"/><geom size="1"/><site name="a"/></body>')
    tree = read(text, tmp_path)
    assert tree.names == ("a_joint", "a")
    assert tree.frames[0].name == "a_site"
    assert any("a → a_site" in line for line in tree.assumptions)
    tree = read(model("<body><joint/><geom size='1'/><site/></body>"), tmp_path)
    assert (tree.names, tree.frames[0].name) == (("body1",), "site0")


def escapes(folder):
    outside = folder.parent / "outside.obj"
    outside.write_text(TETRAHEDRON)
    (folder / "link.obj").symlink_to(outside)
    (folder / "inner.xml").write_text(f"<mujocoinclude>{mesh_model(str(outside), '.')}</mujocoinclude>")
    yield mesh_model("../outside.obj", ".")
    yield mesh_model("outside.obj", "..")
    yield mesh_model(str(outside), ".")
    yield mesh_model("link.obj", ".")
    yield '<mujoco><include file="../outside.xml"/></mujoco>'
    yield '<mujoco><include file="/etc/hostname"/></mujoco>'
    yield '<mujoco><include file="inner.xml"/></mujoco>'
    yield '<mujoco><asset><texture name="t" type="skybox" fileright="/etc/hostname"/></asset></mujoco>'


@pytest.mark.parametrize("index", range(8))
def test_files_outside_the_roots_are_refused(index, tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    text = list(escapes(folder))[index]
    with pytest.raises(ModelError, match="inside the root folders"):
        read(text, folder)


def test_a_given_root_is_trusted(tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    (tmp_path / "outside.obj").write_text(TETRAHEDRON)
    assert read(mesh_model("../outside.obj", "."), folder, roots=[tmp_path]).bodies[0].visuals


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('<robot name="r"><link name="a"/></robot>', "read URDF as URDF"),
        ("<mujoco><worldbdy/></mujoco>", "what MuJoCo compiles"),
        ("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", "what MuJoCo compiles"),
        ("<mujoco", "well-formed XML"),
        ('<!DOCTYPE m [<!ENTITY a "b">]><mujoco/>', "no document type"),
        ("<mujoco><worldbody/></mujoco>", "at least one body"),
    ],
)
def test_broken_files_are_refused(text, reason, tmp_path):
    with pytest.raises(ModelError, match=reason) as error:
        read(text, tmp_path)
    assert "model.xml" in str(error.value.problems[0].location)


def test_without_mujoco_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(ImportError, match=r"pip install 'unmoored\[mjcf\]'"):
        read(ARM, tmp_path)
