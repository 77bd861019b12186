"""Broken system files: every problem with its line and the path of its key."""

import re
import warnings

import pytest

from unmoored.model import ModelError, ModelWarning
from unmoored.model.files import parse_yaml, read_yaml

BALL = """unmoored: 1
name: ball
bodies:
  - name: ball
    parent: world
    joint: {type: Free}
    inertia: {mass: 1, tensor: [1, 1, 1]}
"""


def problems_of(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        with pytest.raises(ModelError) as error:
            parse_yaml(text, "f.yaml")
    return error.value.problems


@pytest.mark.parametrize(
    ("old", "new", "line", "where", "rule"),
    [
        ("unmoored: 1", "unmoored: 2", 1, "unmoored", "value"),
        ("unmoored: 1", "unmored: 1", 1, "unmored", "unknown key"),
        ("name: ball\nb", "name: 7\nb", 2, "name", "value"),
        ("name: ball\nb", "name: ball\nname: ball\nb", 3, "file", "key 'name'"),
        ("name: ball\nb", "name: !!str ball\nb", 2, "name", "tag"),
        ("name: ball\nb", "name: &a ball\nb", 2, "name", "anchor"),
        ("name: ball\nb", "name: *a\nb", 2, "name", "alias"),
        ("parent: world", "parent: moon", 5, "bodies[0].parent (ball)", "unknown parent"),
        ("parent: world", "parent: ball", 5, "bodies[0].parent (ball)", "cycle"),
        ("name: ball\n    p", "name: world\n    p", 4, "bodies[0].name (world)", "value"),
        ("{type: Free}", "{type: Loose}", 6, "bodies[0].joint", "type"),
        ("{type: Free}", "{type: Revolute}", 6, "bodies[0].joint.axis", "missing key"),
        ("{type: Free}", "{type: Revolute, axis: [0, 0, 0]}", 6, "bodies[0].joint.axis (ball)", "value"),
        ("{type: Free}", "{type: Free, damping: -1}", 6, "bodies[0].joint.damping (ball)", "value"),
        ("{type: Free}", "{type: Free, damping: [1, 2]}", 6, "bodies[0].joint.damping (ball)", "value"),
        ("{type: Free}", "{type: Free, limits: [1, -1]}", 6, "bodies[0].joint.limits (ball)", "value"),
        ("{type: Free}", "Free", 6, "bodies[0].joint", "value"),
        ("mass: 1", "mass: -1", 7, "bodies[0].inertia.mass (ball)", "value"),
        ("mass: 1", "mass: .nan", 7, "bodies[0].inertia.mass", "number"),
        ("mass: 1", "mass: -.inf", 7, "bodies[0].inertia.mass", "number"),
        ("mass: 1", "mass: 1e31", 7, "bodies[0].inertia.mass", "number"),
        ("mass: 1", "mass: true", 7, "bodies[0].inertia.mass", "value"),
        ("[1, 1, 1]", "[1, 1]", 7, "bodies[0].inertia.tensor", "value"),
        ("[1, 1, 1]", "[1, 1, -1]", 7, "bodies[0].inertia.tensor (ball)", "value"),
        ("[1, 1, 1]", "[[1, 0, 0], [0, 1, 0], [9, 0, 1]]", 7, "bodies[0].inertia.tensor (ball)", "value"),
        ("mass: 1", "box: {mass: 1, size: [1, 1, 1]}", 7, "bodies[0].inertia (ball)", "form"),
        ("mass: 1, ", "", 7, "bodies[0].inertia (ball)", "form"),
        (
            "{mass: 1, tensor: [1, 1, 1]}",
            "{point: {mass: 1}, sphere: {mass: 1, radius: 1}}",
            7,
            "bodies[0].inertia (ball)",
            "form",
        ),
        ("{mass: 1, tensor: [1, 1, 1]}", "{}", 7, "bodies[0].inertia (ball)", "form"),
    ],
)
@pytest.mark.whole
def test_every_problem_has_its_line_and_the_path_of_its_key(old, new, line, where, rule):
    assert old in BALL
    problems = problems_of(BALL.replace(old, new))
    found = [(problem.location, problem.where, problem.rule) for problem in problems]
    missing = [("f.yaml:1", "unmoored", "missing key")] if rule == "unknown key" else []
    assert found == [*missing, (f"f.yaml:{line}", where, rule)]


@pytest.mark.parametrize(
    ("added", "where", "rule"),
    [
        (
            "    at: {rpy: [0, 0, 0], rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}",
            "bodies[0].at (ball)",
            "rotation given twice",
        ),
        ("    at: {rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}", "bodies[0].at.rotation (ball)", "value"),
        ("    at: {quaternion_wxyz: [1, 1, 0, 0]}", "bodies[0].at.quaternion_wxyz (ball)", "value"),
        ("    at: {xyz: 3}", "bodies[0].at.xyz", "value"),
        ("    visuals: [{type: Box, size: [1, 1, 0]}]", "bodies[0].visuals[0].size (ball)", "value"),
        ("    visuals: [{type: Ball}]", "bodies[0].visuals[0]", "type"),
        (
            "    visuals: [{type: Sphere, radius: 1, colour: red}]",
            "bodies[0].visuals[0].colour",
            "unknown key",
        ),
        ("    visuals: [{type: Mesh, path: ../../secret.stl}]", "bodies[0].visuals[0].path (ball)", "value"),
        ("    fluid: {volume: -1}", "bodies[0].fluid.volume (ball)", "value"),
        ("    fluid: {added_mass: [1, 1, 1, 1, 1, -1]}", "bodies[0].fluid.added_mass (ball)", "value"),
        ("    fluid:", "bodies[0].fluid", "value"),
        (
            "    fluid: {sphere: {radius: 1, density: 9}, box: {size: [1, 1, 1], density: 9}}",
            "bodies[0].fluid (ball)",
            "form",
        ),
        ("frames: [{name: ball, parent: world}]", "frames[0].name (ball)", "name used twice"),
        ("frames: [{name: f, parent: moon}]", "frames[0].parent (f)", "unknown parent"),
        ("frames: {name: f}", "frames", "value"),
        ("colour: red", "colour", "unknown key"),
    ],
)
@pytest.mark.whole
def test_problems_of_what_may_be_left_out(added, where, rule):
    problems = problems_of(BALL + added + "\n")
    assert [(p.location, p.where, p.rule) for p in problems] == [("f.yaml:8", where, rule)]


def test_all_problems_at_once():
    broken = (
        BALL.replace("unmoored: 1", "unmoored: 3")
        .replace("mass: 1", "mass: heavy")
        .replace("type: Free", "type: Loose")
    ) + "frames: [{name: f, parent: moon}, {name: f, parent: world, size: 1}]\n"
    lines = [problem.location.rpartition(":")[2] for problem in problems_of(broken)]
    assert lines == ["1", "6", "7", "8", "8"]


def test_problems_of_bodies_with_one_name_keep_their_own_lines():
    text = """unmoored: 1
name: twins
bodies:
  - {name: twin, parent: nowhere, joint: {type: Free}, inertia: {mass: 1}}
  - {name: twin, parent: world, joint: {type: Free}, inertia: {mass: 1}}
  - {name: twin, parent: elsewhere, joint: {type: Free}, inertia: {mass: -1}}
"""
    found = [(p.location, p.where, p.rule) for p in problems_of(text)]
    assert found == [
        ("f.yaml:4", "bodies[0].parent (twin)", "unknown parent"),
        ("f.yaml:5", "bodies[1].name (twin)", "name used twice"),
        ("f.yaml:6", "bodies[2].inertia.mass (twin)", "value"),
        ("f.yaml:6", "bodies[2].name (twin)", "name used twice"),
        ("f.yaml:6", "bodies[2].parent (twin)", "unknown parent"),
    ]


def test_an_unknown_key_lists_the_known_ones():
    (problem,) = problems_of(BALL.replace("parent: world", "parent: world\n    jiont: 1"))
    assert (
        problem.expected == "one of name, parent, joint, inertia, at, visuals, fluid, joint_name, prescribed"
    )
    (problem,) = problems_of(BALL.replace("{type: Free}", "{type: Revolute, axis: [1, 0, 0], axes: 1}"))
    assert "axis" in problem.expected
    assert "pitch" not in problem.expected


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "content"),
        ("# nothing", "content"),
        ("7", "value"),
        ("- 1", "value"),
        ("a: [1", "syntax"),
        ("\x00", "syntax"),
        ("%YAML 1.1\n---\n" + BALL, "directive"),
        ("%FOO bar\n---\n" + BALL, "directive"),
        ('"\\e[2J": 1', "key"),
        ("a: 1\r" * 100_000, "keys and items, roughly"),
        ("a: " + "x" * 10_000 + "\r" + "y" * 30_000, "line length"),
        (BALL + "---\n" + BALL, "documents"),
        ("[" * 50, "nesting"),
        ("1: 2", "key"),
        ("? [1]\n: 2", "key"),
        ("a: " + "x" * 30_000, "line length"),
        ("a: 1\n" * 100_000, "keys and items, roughly"),
    ],
    ids=lambda x: ascii(x[:12]),
)
@pytest.mark.whole
def test_what_is_no_system_file(text, rule):
    assert problems_of(text)[0].rule == rule


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a: 1\n\nb: [1\n", 4, "while parsing|expected ',' or ']'"),
        ("a: 1\nb: 'open\n\n", 4, "found unexpected end of stream"),
        ("a: !x 1\n", 1, "no tags"),
        ("a:\n  - |\n   x\n  - .inf\n", 4, "a finite number, given '.inf'"),
        ("a: |\n  x\n1e99: 2\n", 3, "a magnitude ≤ 1e\\+30, given '1e99'"),
        ("a: |\n  x\n? [1]\n: 2\n", 3, "given a collection"),
        ("a: |\n  x\nb: 1\n---\nc: 1\n", 4, "one, given a second one"),
    ],
    ids=lambda x: ascii(x)[:12],
)
def test_what_the_general_parser_refuses_has_its_line(text, line, said):
    (problem,) = problems_of(text)
    assert problem.location == f"f.yaml:{line}"
    assert re.search(said, f"{problem.expected}, given {problem.given}")


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_bytes(b"unmoored: 1\nname: \xff\n")
    with pytest.raises(ModelError, match=r"bad.yaml:2: file: encoding: expected UTF-8 text, given byte 0xff"):
        read_yaml(path)
    path.write_bytes(b"\xef\xbb\xbf" + BALL.encode())
    assert read_yaml(path).name == "ball"
    for missing in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(ModelError, match="expected a file that exists"):
            read_yaml(missing)


@pytest.mark.parametrize("version", ["true", "1.0", "2", '"1"'])
def test_only_version_1_is_version_1(version):
    (problem,) = problems_of(BALL.replace("unmoored: 1", f"unmoored: {version}"))
    assert problem.where == "unmoored"
