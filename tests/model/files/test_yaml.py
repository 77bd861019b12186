"""System files: save and load bit for bit, and what their numbers mean. Broken files: test_yaml_problems.py."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.random_trees import CAM, MAKERS, random_axis, random_inertia, random_pose

from unmoored.model import (
    JOINTS,
    Body,
    Box,
    Capsule,
    Cylinder,
    Fixed,
    Fluid,
    Frame,
    Free,
    Inertia,
    Mesh,
    ModelError,
    ModelWarning,
    Pose,
    Revolute,
    Sphere,
    Tree,
)
from unmoored.model.files import (
    format_yaml,
    json_schema,
    parse_yaml,
    read_yaml,
    write,
    write_yaml,
    yaml_description,
)
from unmoored.model.names import plain_name_fault

ROOT = Path(__file__).parents[3]
SAVED_KINDS = sorted(set(MAKERS) - {"Custom"})


def random_visuals(rng):
    rgba = tuple(rng.uniform(0, 1, 4))
    return (
        Box(rng.uniform(0.1, 1, 3), at=random_pose(rng), rgba=rgba),
        Sphere(rng.uniform(0.1, 1)),
        Cylinder(rng.uniform(0.1, 1), rng.uniform(0.1, 1), at=Pose(rpy=(0, np.pi / 2, 0))),
        Capsule(rng.uniform(0.1, 1), rng.uniform(0.1, 1)),
        Mesh("meshes/hull.stl", scale=(1, -2, 0.5)),
    )


def random_fluid(rng):
    drag = rng.normal(size=(6, 6))
    return Fluid(
        added_mass=drag @ drag.T,
        linear_drag=rng.uniform(0, 9, 6),
        quadratic_drag=drag @ drag.T,
        volume=rng.uniform(),
        centre_of_buoyancy=rng.normal(size=3),
    )


def random_options(rng, joint):
    """Options of a joint, one number for all degrees of freedom or one for each."""
    names = ("damping", "friction", "stiffness", "rest", "armature", "effort", "velocity")
    options = {name: rng.uniform(0, 9, joint.nv) for name in names}
    lower = rng.uniform(-9, 0, joint.nv)
    return options | {"limits": (lower, lower + rng.uniform(0, 9, joint.nv)), "effort": rng.uniform()}


def full_tree(seed):
    """A tree that uses everything a file can say, with numbers that have no short decimal form."""
    rng = np.random.default_rng(seed)
    bodies, parents = [], ["world"]
    for i, kind in enumerate(rng.permutation(SAVED_KINDS)):
        joint = MAKERS[kind](rng)
        if joint.nv:
            joint = MAKERS[kind](np.random.default_rng(i), **random_options(rng, joint))
        bodies.append(
            Body(
                name=f"body {i}: é“{kind}”",
                parent=str(rng.choice(parents)),
                joint=joint,
                at=random_pose(rng),
                inertia=random_inertia(rng, added_mass=bool(i % 2)),
                visuals=random_visuals(rng),
                fluid=random_fluid(rng) if i % 3 else None,
                joint_name=f"joint_{i}" if i % 2 else None,
            )
        )
        parents.append(bodies[-1].name)
    frames = tuple(
        Frame(name=f"frame{i}", parent=str(rng.choice(parents)), at=random_pose(rng)) for i in range(5)
    )
    texts = ("line\nbreak \\ \" ' : # - é 漢 😀", "null", "1e3")
    return Tree(
        name="null",
        bodies=tuple(bodies),
        frames=frames,
        description=texts[0],
        sources=texts,
        assumptions=texts,
    )


@pytest.mark.parametrize("seed", range(5))
def test_save_and_load_gives_the_same_bits(seed):
    tree = full_tree(seed)
    text = format_yaml(tree)
    again = parse_yaml(text)
    assert again == tree
    assert format_yaml(again) == text


def test_all_joints_are_saved():
    kinds = {body.joint.kind for body in full_tree(0).bodies}
    assert kinds == set(JOINTS)


PRINTABLE = st.text(min_size=1, max_size=30).filter(str.isprintable)


@given(
    PRINTABLE.filter(lambda text: plain_name_fault(text) is None),
    PRINTABLE,
    st.floats(-1e30, 1e30, allow_subnormal=False),
    st.lists(st.floats(-100, 100, allow_subnormal=False), min_size=6, max_size=6).filter(any),
)
def test_any_text_and_number_round_trips(name, text, number, numbers):
    axis = numbers[:3] if any(numbers[:3]) else numbers[3:]
    pose = Pose(numbers[3:], rpy=numbers[:3])
    joint = Revolute(axis, rest=number, limits=(min(0, number), max(0, number)))
    bodies = (
        Body(name="a", parent="world", joint=joint, inertia=Inertia.point(abs(number), numbers[3:]), at=pose),
    )
    tree = Tree(name=name, bodies=bodies, description=f"{text}\n\t{text}", sources=(text,))
    assert parse_yaml(format_yaml(tree)) == tree


def test_quarter_turns_are_written_as_angles_and_other_rotations_as_matrices():
    for rpy in [(0, 0, np.pi / 2), (np.pi, 0, 0), (np.pi / 2, -np.pi / 2, np.pi)]:
        frame = Frame(name="f", parent="a", at=Pose(rpy=rpy))
        text = format_yaml(small_tree(frames=(frame,)))
        assert "rpy" in text
        assert parse_yaml(text).frames[0] == frame
    assert "rotation" in format_yaml(
        small_tree(frames=(Frame(name="f", parent="a", at=Pose(rpy=(0, 0, 0.1))),))
    )


def small_tree(**options):
    bodies = options.pop(
        "bodies", (Body(name="a", parent="world", joint=Free(), inertia=Inertia.sphere(1, 1)),)
    )
    return Tree(name="small", bodies=bodies, **options)


def test_a_custom_joint_cannot_be_saved():
    body = Body(name="cam", parent="world", joint=CAM, inertia=Inertia.sphere(1, 1))
    with pytest.raises(
        ModelError, match=r"cam: joint cannot be saved: expected one of Fixed, .* given CustomJoint"
    ):
        format_yaml(small_tree(bodies=(body,)))


def test_files_on_disk(tmp_path):
    tree = small_tree(description="a ball")
    write_yaml(tree, tmp_path / "ball.yaml")
    assert read_yaml(tmp_path / "ball.yaml") == tree
    assert (tmp_path / "ball.yaml").read_bytes() == format_yaml(tree).encode()
    write(tree, tmp_path / "ball.urdf")
    assert (tmp_path / "ball.urdf").is_file()
    with pytest.raises(ModelError, match=r"file type: expected one of \.yaml, \.yml, \.urdf"):
        write(tree, tmp_path / "ball.txt")


def test_meshes_move_with_their_folder(tmp_path):
    (tmp_path / "hull.stl").touch()
    mesh = Mesh(str((tmp_path / "hull.stl").resolve()))
    tree = small_tree(
        bodies=(Body(name="a", parent="world", joint=Free(), inertia=Inertia.sphere(1, 1), visuals=(mesh,)),)
    )
    write_yaml(tree, tmp_path / "ship.yaml")
    assert "path: hull.stl" in (tmp_path / "ship.yaml").read_text()
    assert read_yaml(tmp_path / "ship.yaml") == tree
    (tmp_path / "other").mkdir()
    with pytest.warns(ModelWarning, match=r"ship2.yaml: meshes lie outside its folder; .* roots="):
        write_yaml(tree, tmp_path / "other" / "ship2.yaml")
    assert read_yaml(tmp_path / "other" / "ship2.yaml", roots=[tmp_path]) == tree
    (tmp_path / "hull.stl").unlink()
    with pytest.warns(ModelWarning, match=r"1 mesh files not found: hull.stl"):
        assert read_yaml(tmp_path / "ship.yaml").bodies[0].visuals[0].path == "hull.stl"


def test_inertias_by_constructor():
    text = """
unmoored: 1
name: solids
bodies:
  - {name: a, parent: world, joint: {type: Free}, inertia: {box: {mass: 2, size: [1, 2, 3], com: [0, 0, 1]}}}
  - {name: b, parent: a, joint: {type: Fixed}, inertia: {cylinder: {mass: 2, radius: 1, length: 3, axis: [1, 0, 0]}}}
  - {name: c, parent: a, joint: {type: Fixed}, inertia: {sphere: {mass: 2, radius: 0.5}}}
  - {name: d, parent: a, joint: {type: Fixed}, inertia: {rod: {mass: 2, length: 3}}}
  - {name: e, parent: a, joint: {type: Fixed}, inertia: {point: {mass: 2, com: [1, 0, 0]}}}
"""
    inertias = [body.inertia for body in parse_yaml(text).bodies]
    assert inertias == [
        Inertia.box(2, (1, 2, 3), (0, 0, 1)),
        Inertia.cylinder(2, 1, 3, (1, 0, 0)),
        Inertia.sphere(2, 0.5),
        Inertia.rod(2, 3),
        Inertia.point(2, (1, 0, 0)),
    ]


def test_numbers_follow_yaml_1_2():
    numbers = {"1e-3": 1e-3, "-.5": -0.5, "+1.": 1.0, "1E+2": 100.0, "0x10": 16.0, "0o10": 8.0, "012": 12.0}
    for word, value in numbers.items():
        (body,) = parse_yaml(BALL.replace("mass: 1", f"mass: 1, com: [{word}, 0, 0]")).bodies
        assert body.inertia.com[0] == value
    for word in ("1_000", "1:30", "yes", "'1'", "1e", "0b1"):
        with pytest.raises(ModelError, match=r"bodies\[0\].inertia.mass: value: expected one number"):
            parse_yaml(BALL.replace("mass: 1", f"mass: {word}"))


BALL = """unmoored: 1
name: ball
bodies:
  - name: ball
    parent: world
    joint: {type: Free}
    inertia: {mass: 1, tensor: [1, 1, 1]}
"""


def test_a_thousand_bodies_load():
    rng = np.random.default_rng(0)
    bodies = [
        Body(
            name=f"link{i}",
            parent=f"link{i - 1}" if i else "world",
            joint=Revolute(random_axis(rng)),
            inertia=random_inertia(rng),
            at=random_pose(rng),
        )
        for i in range(1_000)
    ]
    tree = small_tree(bodies=tuple(bodies))
    assert parse_yaml(format_yaml(tree)) == tree


def test_description_is_read_without_the_bodies():
    assert yaml_description("unmoored: 1\ndescription: a line\nname: x\nbodies: [broken\n") == "a line"
    assert yaml_description(BALL) == ""


def test_the_published_json_schema_is_current():
    path = ROOT / "docs" / "schema" / "system-v1.json"
    assert json.loads(path.read_text(encoding="utf-8")) == json_schema()


def test_the_json_schema_names_every_joint_and_key():
    definitions = json_schema()["$defs"]
    assert {f"{kind}Joint" for kind in JOINTS} <= set(definitions)
    assert definitions["RevoluteJoint"]["required"] == ["type", "axis"]
    assert not definitions["FreeJoint"]["additionalProperties"]
    assert isinstance(Fixed(), JOINTS["Fixed"])


def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    tree, path = small_tree(), tmp_path / "a.yaml"
    write_yaml(tree, path)
    before = path.read_text(encoding="utf-8")

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_yaml(small_tree(frames=(Frame(name="f", parent="a"),)), path)
    assert path.read_text(encoding="utf-8") == before
    assert [item.name for item in tmp_path.iterdir()] == ["a.yaml"]


def test_a_link_stays_a_link_to_what_is_written(tmp_path):
    real, link = tmp_path / "real.yaml", tmp_path / "link.yaml"
    real.write_text("old")
    link.symlink_to(real)
    write_yaml(small_tree(), link)
    assert link.is_symlink()
    assert parse_yaml(real.read_text(encoding="utf-8")) == small_tree()
