"""Files that are as large, as deep and as many as they may be, and just beyond that."""

import warnings

import pytest

import unmoored as um
from unmoored.model import limits
from unmoored.model.files import parse_yaml, read_urdf, read_yaml
from unmoored.model.files.file_text import read_file
from unmoored.model.files.mesh_paths import MeshPaths
from unmoored.model.files.mjcf.flattening import flattened
from unmoored.model.files.urdf import link_tree

BALL = "unmoored: 1\nname: m0\nbodies:\n  - {name: ball, parent: world, joint: {type: Free}, inertia: {mass: 1}}\n"


@pytest.mark.parametrize("bound", ["file_bytes", "mesh_bytes"])
def test_a_file_may_have_as_many_bytes_as_is_said(tmp_path, monkeypatch, bound):
    path = tmp_path / "a.yaml"
    path.write_bytes(b"x" * 1234)
    monkeypatch.setattr(limits, bound, 1234)
    assert read_file(path, bound=bound) == b"x" * 1234
    monkeypatch.setattr(limits, bound, 1233)
    with pytest.raises(
        um.ModelError, match=rf"size in bytes: expected at most 1,233 .unmoored.limits.{bound}.*given 1,234"
    ):
        read_file(path, bound=bound)


def test_bytes_that_are_no_text_are_told_with_their_line(tmp_path):
    path = tmp_path / "a.yaml"
    for before, line in ((b"", 1), (b"\n\n", 3), (b"a: 1\nb: ", 2)):
        path.write_bytes(before + b"\xff\n\n")
        with pytest.raises(
            um.ModelError, match=f"a.yaml:{line}: file: encoding: expected UTF-8 text, given byte 0xff"
        ):
            read_yaml(path)


def test_files_may_mount_each_other_as_deep_as_is_said(tmp_path):
    (tmp_path / "m0.yaml").write_text(BALL)
    for k in range(1, 34):
        mount = f"[{{system: m{k - 1}.yaml, parent: world, prefix: '', joint: {{type: Free}}}}]"
        (tmp_path / f"m{k}.yaml").write_text(f"unmoored: 1\nname: m{k}\nmount: {mount}\n")
    assert read_yaml(tmp_path / "m31.yaml").names == ("ball",)
    with pytest.raises(
        um.ModelError, match="depth: expected at most 32 files that mount each other, given more"
    ):
        read_yaml(tmp_path / "m32.yaml")


def test_as_many_bodies_may_be_mounted_as_is_said(tmp_path, monkeypatch):
    (tmp_path / "m0.yaml").write_text(BALL)
    mounts = "".join(
        f"  - {{system: m0.yaml, parent: world, prefix: {p}/, joint: {{type: Free}}}}\n" for p in "abc"
    )
    path = tmp_path / "three.yaml"
    path.write_text(f"unmoored: 1\nname: three\nmount:\n{mounts}")
    monkeypatch.setattr(limits, "mounted_bodies", 3)
    assert read_yaml(path).names == ("a/ball", "b/ball", "c/ball")
    monkeypatch.setattr(limits, "mounted_bodies", 2)
    with pytest.raises(
        um.ModelError, match=r"mounted at .*three\.yaml:6\): file: bodies: expected at most 2 "
    ):
        read_yaml(path)


def chain(folder, tag, levels):
    """A file that includes or attaches another one, and so on."""
    for k in range(levels + 1):
        further = {"include": '<include file="{}"/>', "model": '<asset><model name="m" file="{}"/></asset>'}[
            tag
        ]
        inner = further.format(f"{tag}{k + 1}.xml") if k < levels else "<worldbody/>"
        outer = "mujoco" if tag == "model" or k == 0 else "mujocoinclude"
        (folder / f"{tag}{k}.xml").write_text(f"<{outer}>{inner}</{outer}>")
    return folder / f"{tag}0.xml"


@pytest.mark.parametrize("tag", ["include", "model"])
def test_files_in_files_are_at_most_six_deep_and_as_many_as_is_said(tmp_path, monkeypatch, tag):
    assert flattened(chain(tmp_path, tag, 6), ()).text
    monkeypatch.setattr(limits, "mjcf_files", 5)
    with pytest.raises(um.ModelError, match="files that the model names: expected at most 5 "):
        flattened(tmp_path / f"{tag}0.xml", ())
    monkeypatch.setattr(limits, "mjcf_files", 6)
    assert flattened(tmp_path / f"{tag}0.xml", ()).text
    monkeypatch.setattr(limits, "mjcf_files", 100)
    with pytest.raises(um.ModelError, match=f"{tag}: expected no .* in itself"):
        flattened(chain(tmp_path, tag, 7), ())


def test_paths_of_meshes_have_from_one_to_4096_printable_characters():
    for good in ("a", "a" * 4096):
        assert MeshPaths(None).resolve(good) == good
    for bad in ("", "a" * 4097, "a\nb"):
        with pytest.raises(um.ModelError, match="mesh: path: expected 1 to 4096 printable characters"):
            MeshPaths(None).resolve(bad)


@pytest.mark.parametrize(("links", "joints"), [(5, 4), (6, 4), (5, 6)])
def test_links_and_joints_are_at_most_as_many_as_is_said(tmp_path, monkeypatch, links, joints):
    monkeypatch.setattr(link_tree, "MOST_LINKS", 5)
    parts = [f'<link name="l{k}"/>' for k in range(links)]
    joint = '<joint name="j{0}" type="fixed"><parent link="l0"/><child link="l{0}"/></joint>'
    parts += [joint.format(k + 1) for k in range(joints)]
    path = tmp_path / "many.urdf"
    path.write_text(f'<robot name="many">{"".join(parts)}</robot>')
    if links == 5 and joints == 4:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert len(read_urdf(path).names) == 5
    else:
        what, count = ("links", links) if links > 5 else ("joints", joints)
        with pytest.raises(
            um.ModelError, match=f"many.urdf:1: robot: {what}: expected at most 5, given {count}"
        ):
            read_urdf(path)


@pytest.mark.parametrize("value", [1e30, -1e30])
def test_numbers_of_files_go_up_to_the_largest(tmp_path, value):
    text = BALL.replace("inertia:", f"at: {{xyz: [{value!r}, 0, 0]}}, inertia:")
    assert parse_yaml(text).bodies[0].at.xyz[0] == value
    with pytest.raises(um.ModelError, match=r"at.xyz\[0\].*number: expected a magnitude ≤ 1e\+30"):
        parse_yaml(text.replace(repr(value), repr(1.0001 * value)))
    path = tmp_path / "a.urdf"
    origin = '<joint name="j" type="fixed"><parent link="a"/><child link="b"/><origin xyz="{} 0 0"/></joint>'
    text = f'<robot name="r"><link name="a"/><link name="b"/>{origin}</robot>'
    path.write_text(text.format(repr(value)))
    assert read_urdf(path).bodies[-1].at.xyz[0] == value
    path.write_text(text.format(repr(1.0001 * value)))
    with pytest.raises(um.ModelError, match=r"xyz of <origin>: expected 3 numbers of magnitude ≤ 1e\+30"):
        read_urdf(path)
