"""Broken robots in URDF and MJCF: every problem has the line of what is wrong, and says what was given there."""

import warnings

import numpy as np
import pytest

import unmoored as um
from unmoored.model.files import parse_urdf, read_urdf
from unmoored.model.files.mjcf.flattening import flattened

LINKS = '<robot name="r">\n<link name="a"/>\n<link name="b"/>\n'
JOINT = '<joint name="{}" type="{}">\n<parent link="{}"/>\n<child link="{}"/>{}\n</joint>\n'
INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
GOOD = LINKS + JOINT.format("j", "fixed", "a", "b", "")
LOOSE = GOOD.replace('"b"', '"world"')

CASES = {
    "no links": ('<robot name="r">\n', 1, "robot", "links", "none"),
    "a link without a name": (GOOD + "<link/>\n", 8, "<link>", "name", "''"),
    "a joint without a name": (GOOD + '\n<joint type="fixed"/>', 9, "<joint>", "name", "''"),
    "a name twice": (GOOD + '<link name="a"/>', 8, "link a", "name used twice", "again (first in line 2)"),
    "an unknown parent": (GOOD.replace('parent link="a"', 'parent link="x"'), 5, "joint j", "<parent>", "'x'"),
    "an unknown child": (GOOD.replace('child link="b"', 'child link="x"'), 6, "joint j", "<child>", "'x'"),
    "no parent": (GOOD.replace('<parent link="a"/>', ""), 4, "joint j", "<parent>", "None"),
    "two joints above": (
        GOOD + JOINT.format("k", "fixed", "a", "b", ""), 8, "joint k", "child link b",
        "also the child of joint j (a closed loop)",
    ),
    "a follower of nobody": (
        LINKS + "\n" + JOINT.format("j", "continuous", "a", "b", '<mimic joint="x"/>'), 5, "link b", "mimic", "'x'"
    ),
    "a world with mass": (
        GOOD.replace('"a"', '"world"').replace('"world"/>\n', f'"world">{INERTIAL}</link>\n', 1), 2, "link world",
        "root link", "one",
    ),
    "no numbers": (
        LINKS + JOINT.format("j", "fixed", "a", "b", '\n<origin xyz="0 0"/>'), 7, "joint j", "xyz of <origin>", "'0 0'"
    ),
    "one axis too many": (
        LINKS + JOINT.format("j", "continuous", "a", "b", '<axis xyz="1 0 0"/>\n<axis xyz="1 0 0"/>'), 7, "joint j",
        "<axis>", "2",
    ),
    "no direction": (
        LINKS + JOINT.format("j", "continuous", "a", "b", '\n<axis xyz="0 0 0"/>'), 4, "joint j", "axis",
        "[0.0, 0.0, 0.0]",
    ),
    "a kind that there is not": (LINKS + JOINT.format("j", "hinge", "a", "b", ""), 4, "joint j", "type", "'hinge'"),
    "no mass": (
        GOOD.replace('<link name="b"/>', f'\n<link name="b">{INERTIAL.replace("mass", "Mass")}</link>'), 4, "link b",
        "<inertial>", "none",
    ),
    "macros": (GOOD + "\n<xacro:leg/>", 9, "robot", "element", "<xacro:leg>"),
    "a name that is a path": (GOOD.replace('name="r"', 'name="r/s"'), None, "system", "name", "'r/s'"),
    "a degree of freedom's name": (
        LINKS + '<link name="b.vx"/>' + JOINT.format("j", "floating", "a", "b", "")
        + JOINT.format("k", "fixed", "b", "b.vx", ""), 4, "b.vx", "ambiguous name", "'b.vx'",
    ),
    "a negative mass": (
        GOOD.replace('<link name="b"/>', f'\n<link name="b">{INERTIAL.replace("1", "-1", 1)}</link>'), 4, "link b",
        "mass", "-1.0",
    ),
}  # fmt: skip


@pytest.mark.whole
@pytest.mark.parametrize("what", CASES)
def test_problems_of_urdf(what):
    text, line, where, rule, given = CASES[what]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", um.ModelWarning)
        with pytest.raises(um.ModelError) as caught:
            parse_urdf(text + "</robot>", "r.urdf")
    found = [(p.location, p.where, p.rule, p.given) for p in caught.value.problems]
    assert found == [(f"r.urdf:{line}" if line else "r.urdf", where, rule, given)]


def test_a_link_below_others_cannot_be_the_world():
    with pytest.raises(um.ModelError) as caught:
        parse_urdf(LOOSE + "</robot>", "r.urdf")
    assert [str(problem) for problem in caught.value.problems] == [
        f"r.urdf:3: link world: name: expected any name but 'world', {why}, given 'world'"
        for why in ("except for the root", "which is reserved")
    ]


MJCF = {
    "no number": ('<body><geom size=".1" mass="nan"/></body>', 3, "mass of <geom>", "'nan'"),
    "a plugin": ("<plugin/>", 3, "<plugin>", "one"),
    "a flex": ("<body>\n<flexcomp/></body>", 4, "<flexcomp>", "one"),
    "a path backwards": ('<asset><mesh file="a\\b.obj"/></asset>', 3, "file of <mesh>", repr("a\\b.obj")),
    "a path outside": ('<asset>\n\n<mesh file="../b.obj"/></asset>', 5, "file of <mesh>", "'../b.obj'"),
    "a file that is not there": ('\n<asset><mesh file="b.obj"/></asset>', 4, "file of <mesh>", "'b.obj'"),
    "a texture outside": ('<asset><texture file="../t.png"/></asset>', 3, "file of <texture>", "'../t.png'"),
    "an include outside": ('<include file="../i.xml"/>', 3, "file of <include>", "'../i.xml'"),
}


@pytest.mark.whole
@pytest.mark.parametrize("what", MJCF)
def test_problems_of_mjcf(tmp_path, what):
    text, line, where, given = MJCF[what]
    path = tmp_path / "m.xml"
    path.write_text(f"<mujoco>\n\n{text}</mujoco>")
    with pytest.raises(um.ModelError) as caught:
        flattened(path, ())
    (problem,) = caught.value.problems
    assert (problem.location, problem.given) == (f"{path}:{line}", given)
    assert problem.where.startswith(where)


def test_textures_that_are_not_there_are_not_missed(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text(
        '<mujoco><asset><texture name="t" file="none.png"/><hfield name="h" file="none.png"/></asset></mujoco>'
    )
    text = flattened(path, ()).text
    assert '<texture name="t" type="2d" builtin="flat" width="1" height="1">' in text
    assert '<hfield name="h" nrow="2" ncol="2" size="1 1 1 1">' in text


def test_how_far_a_tensor_is_from_that_of_a_body_is_told(tmp_path):
    """(1, 1, 5) → (2, 2, 4): off by √3 of √27."""
    path = tmp_path / "r.urdf"
    path.write_text(f'<robot name="r"><link name="a">{INERTIAL}</link></robot>'.replace('izz="1"', 'izz="5"'))
    with pytest.warns(um.ModelWarning) as told:
        tree = read_urdf(path, nearest_inertia=True)
    said = (
        "inertia replaced by the nearest that a body can have: principal moments (1, 1, 5) → (2, 2, 4) kg m²"
    )
    assert any(f"link a: {said}, 0.33 of it" in str(warning.message) for warning in told)
    np.testing.assert_allclose(tree.bodies[0].inertia.tensor, np.diag([2.0, 2.0, 4.0]), atol=1e-12)
