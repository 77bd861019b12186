"""System files that mount others: read, refused with file and line, kept inside their folders."""

import warnings

import pytest

import unmoored as um
from unmoored.model.files.yaml import parse_kept_yaml
from unmoored.model.files.yaml.guest_files import guests_of

ARM = """
unmoored: 1
name: arm
assumptions: ["a guess"]
bodies:
  - {name: foot, parent: world, joint: {type: Fixed}, inertia: {sphere: {mass: 1, radius: 0.1}}}
  - {name: upper, parent: foot, joint: {type: Revolute, axis: [0, 1, 0]}, inertia: {rod: {mass: 2, length: 1}}}
frames:
  - {name: flange, parent: upper, at: {xyz: [0, 0, 1]}}
"""
BUS = """
unmoored: 1
name: servicer
bodies:
  - {name: bus, parent: world, joint: {type: Free}, inertia: {box: {mass: 200, size: [1, 1, 1]}}}
  - {name: camera, parent: left/upper, joint: {type: Fixed}, inertia: {point: {mass: 1}}}
mount:
  - {system: parts/arm.yaml, parent: bus, at: {xyz: [0, 0.5, 0]}, prefix: left/}
  - {system: parts/arm.yaml, parent: bus, at: {xyz: [0, -0.5, 0]}, prefix: right/, joint: {type: Revolute,
  axis: [1, 0, 0]}}
  - {system: tumbling_brick, parent: right/flange}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "arm.yaml").write_text(ARM)
    (tmp_path / "bus.yaml").write_text(BUS)
    return tmp_path


def refused(path, *words, roots=()):
    with pytest.raises(um.ModelError) as caught:
        um.load(path, roots=roots)
    for word in words:
        assert word in str(caught.value), str(caught.value)


def test_a_file_of_files_is_the_system_mounted_in_python(folder):
    system = um.load(folder / "bus.yaml")
    b = um.SystemBuilder("servicer")
    b.vehicle("bus", um.Free(), inertia=um.Inertia.box(mass=200.0, size=(1, 1, 1)))
    arm = um.load(folder / "parts" / "arm.yaml")
    b.mount(arm, "bus", at=um.Pose(xyz=(0, 0.5, 0)), prefix="left/")
    b.mount(arm, "bus", at=um.Pose(xyz=(0, -0.5, 0)), joint=um.Revolute((1, 0, 0)), prefix="right/")
    b.mount("tumbling_brick", "right/flange")
    b.link("camera", parent="left/upper", joint=um.Fixed(), inertia=um.Inertia.point(1.0))
    assert set(system.tree.bodies) == set(b.build().tree.bodies)
    assert system.joints == ("bus", "left/upper", "right/foot", "right/upper")
    assert [(p.prefix, p.source) for p in system.parts] == [
        ("left/", "parts/arm.yaml"),
        ("right/", "parts/arm.yaml"),
        ("tumbling_brick/", "tumbling_brick"),
    ]
    assert system.parts[0].assumptions == ("a guess",)


def test_saving_keeps_what_it_was_made_of(folder):
    system = um.load(folder / "bus.yaml")
    elsewhere = folder / "parts" / "saved.yaml"
    system.save(elsewhere)
    (folder / "parts" / "arm.yaml").unlink()  # a saved file stands alone
    assert um.load(elsewhere) == system
    assert "parts/arm.yaml" in elsewhere.read_text()


def test_a_file_may_hold_nothing_but_mounts(folder):
    (folder / "pair.yaml").write_text(
        "unmoored: 1\nname: pair\nmount:\n"
        "  - {system: bus.yaml, parent: world, joint: {type: Free}, prefix: a/}\n"
        "  - {system: bus.yaml, parent: world, joint: {type: Free}, prefix: b/}\n"
    )
    pair = um.load(folder / "pair.yaml")
    assert pair.nv == 2 * um.load(folder / "bus.yaml").nv
    assert [p.prefix for p in pair.parts[:2]] == ["a/", "a/left/"]


def test_cycles_are_refused_with_their_chain(folder):
    for name, other in (("a", "b"), ("b", "c"), ("c", "a")):
        (folder / f"{name}.yaml").write_text(
            f"unmoored: 1\nname: {name}\nmount:\n  - {{system: {other}.yaml, parent: world, joint: {{type: Free}}}}\n"
        )
    refused(folder / "a.yaml", "cycle", "a.yaml → b.yaml → c.yaml → a.yaml", "c.yaml:4", "(mounted at")
    (folder / "self.yaml").write_text(
        "unmoored: 1\nname: s\nmount:\n  - {system: self.yaml, parent: world}\n"
    )
    refused(folder / "self.yaml", "self.yaml:4: mount[0].system", "cycle", "self.yaml → self.yaml")


def test_files_lie_inside_the_roots(folder):
    inner = folder / "inner"
    inner.mkdir()
    text = "unmoored: 1\nname: s\nmount:\n  - {{system: {}, parent: world, joint: {{type: Free}}}}\n"
    (inner / "s.yaml").write_text(text.format("../parts/arm.yaml"))
    refused(inner / "s.yaml", "mount[0].system", "inside the root folders", "'../parts/arm.yaml'")
    assert um.load(inner / "s.yaml", roots=[folder / "parts"]).nv == 7
    (inner / "s.yaml").write_text(text.format(folder / "bus.yaml"))
    refused(inner / "s.yaml", "inside the root folders")
    (inner / "link.yaml").symlink_to(folder / "bus.yaml")
    (inner / "s.yaml").write_text(text.format("link.yaml"))
    refused(inner / "s.yaml", "inside the root folders")
    (inner / "s.yaml").write_text(text.format("gone.yaml"))
    refused(inner / "s.yaml", "a file that exists", "'gone.yaml'")


def test_mistakes_name_both_files(folder):
    (folder / "parts" / "arm.yaml").write_text(ARM.replace("axis: [0, 1, 0]", "axis: [0, 0, 0]"))
    refused(folder / "bus.yaml", "arm.yaml:7", "(mounted at", "bus.yaml:8)", "a non-zero vector")
    (folder / "parts" / "arm.yaml").write_text(ARM)
    for old, new, words in (
        (
            "parent: bus, at: {xyz: [0, 0.5",
            "parent: bos, at: {xyz: [0, 0.5",
            ("mount[0]: unknown parent", "'bos'"),
        ),
        (
            "prefix: right/",
            "prefix: left/",
            ("mount[1].prefix: name used twice", "bus.yaml:9", "'left/upper'", "'left/flange'"),
        ),
        ("prefix: right/", "prefix: right", ("mount[1]", "prefix", 'ends in "/"')),
        ("{system: tumbling_brick, ", "{system: no_such, ", ("mount[2].system", "no_such")),
        ("{system: tumbling_brick, ", "{", ("missing key", "system")),
        ("[0, -0.5, 0]", "[0, -0.5]", ("mount[1].at.xyz",)),
        ("axis: [1, 0, 0]", "axis: [0, 0, 0]", ("mount[1].joint", "non-zero")),
    ):
        (folder / "bus.yaml").write_text(BUS.replace(old, new, 1))
        refused(folder / "bus.yaml", *words)


def test_files_that_multiply_are_bounded(folder, monkeypatch):
    (folder / "m0.yaml").write_text(ARM)
    for k in range(1, 40):
        lines = [
            f"  - {{system: m{k - 1}.yaml, parent: world, joint: {{type: Free}}, prefix: {p}/}}" for p in "ab"
        ]
        (folder / f"m{k}.yaml").write_text("\n".join([f"unmoored: 1\nname: m{k}\nmount:", *lines, ""]))
    refused(folder / "m8.yaml", "one body on its world")  # a pair has no one body to hold it by
    for k in range(1, 40):
        first = "bodies:\n  - {name: r, parent: world, joint: {type: Fixed}, inertia: {mass: 1}}\nmount:"
        lines = [f"  - {{system: m{k - 1}.yaml, parent: r, prefix: {p}/}}" for p in "ab"]
        (folder / f"m{k}.yaml").write_text("\n".join([f"unmoored: 1\nname: m{k}\n{first}", *lines, ""]))
    monkeypatch.setattr(um.limits, "mounted_bodies", 500)
    refused(folder / "m12.yaml", "at most 500", "mounted_bodies")
    refused(folder / "m39.yaml", "depth", "at most 32")


def test_a_urdf_file_is_mounted(folder):
    (folder / "arm.urdf").write_text(
        '<robot name="u"><link name="base"/><link name="rod"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="tip"/>'
        '<joint name="j" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/></joint>'
        '<joint name="k" type="fixed"><parent link="rod"/><child link="tip"/></joint></robot>'
    )
    head = "unmoored: 1\nname: s\nmount:\n"
    entry = "  - {system: arm.urdf, parent: world, prefix: u/"
    (folder / "s.yaml").write_text(f"{head}{entry}}}\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", um.ModelWarning)
        system = um.load(folder / "s.yaml")
        assert system.tree.bodies[1].joint_name == "u/j"
        (folder / "s.yaml").write_text(f"{head}{entry}, merge_fixed: true}}\n")
        assert um.load(folder / "s.yaml").frames == ("u/tip",)
        (folder / "s.yaml").write_text(f"{head}{entry}, mimic: loose}}\n")
        refused(folder / "s.yaml", "mount[0].mimic", "'loose'")


def test_bodies_on_a_part_that_cannot_be_read_are_no_orphans(folder):
    """Its file is what is wrong; where it can be read, a parent that nobody has is."""
    (folder / "bus.yaml").write_text(BUS.replace("left/upper", "left/uper") + "frames: [{parent: bus}]\n")
    orphan = "bodies[1].parent (camera): unknown parent"
    refused(folder / "bus.yaml", "frames[0].name: missing key", orphan, "'left/uper'")
    (folder / "parts" / "arm.yaml").unlink()
    with pytest.raises(um.ModelError) as caught:
        um.load(folder / "bus.yaml")
    assert "parts/arm.yaml" in str(caught.value)
    assert "unknown parent" not in str(caught.value)


def test_a_kept_system_is_called_by_the_name_of_its_run():
    assert parse_kept_yaml(ARM, "run.zarr").names == ("foot", "upper")
    with pytest.raises(um.ModelError, match=r"run\.zarr:6"):
        parse_kept_yaml(ARM.replace("sphere", "spheer"), "run.zarr")


def test_what_cannot_be_mounted_is_told_word_by_word(folder):
    """A folder beside the model's own whose name begins alike is outside."""
    beside = folder.parent / f"{folder.name}_2"
    beside.mkdir()
    (beside / "arm.yaml").write_text(ARM)
    guests = guests_of(folder / "bus.yaml", (), None)
    inside = f"path: expected inside the root folders ({folder})"
    cases = [
        ("arm", True, "merge_fixed: expected only with a .urdf file, given arm"),
        ("parts/arm.yaml", True, "merge_fixed: expected only with a .urdf file, given arm.yaml"),
        ("arm", False, "system: expected a path that ends in .yaml, .yml, .urdf, .xml, given 'arm'"),
        ("bus.yaml", False, "cycle: expected files that do not mount themselves, given bus.yaml → bus.yaml"),
        ("a\n.yaml", False, "path: expected printable characters, given 'a\\n.yaml'"),
        ("gone.yaml", False, "path: expected a file that exists, given 'gone.yaml'"),
        (f"../{beside.name}/arm.yaml", False, f"{inside}, given '../{beside.name}/arm.yaml'"),
    ]
    for system, merge, said in cases:
        with pytest.raises(um.ModelError) as caught:
            guests.tree(system, "coupled", merge)
        assert str(caught.value) == f"mount: {said}"


FOLLOWER = """<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>
<child link="b"/><mimic joint="nobody"/></joint></robot>"""
CROOKED = """<mujoco><worldbody><body name="a"><joint name="j"/><geom size="1"/><body name="b"><joint name="k"/>
<geom size="1"/></body></body></worldbody>
<equality><joint joint1="j" joint2="k" polycoef="0 1 1 0 0"/></equality></mujoco>"""


@pytest.mark.parametrize(("name", "text"), [("r.urdf", FOLLOWER), ("m.xml", CROOKED)])
def test_followers_that_are_let_free_need_no_leader_that_we_understand(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    guests = guests_of(tmp_path / "whole.yaml", (), None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", um.ModelWarning)
        free = guests.tree(name, "free", False)
        assert (free.names, free.couplings) == (("a", "b"), ())
        with pytest.raises(um.ModelError, match=r"mimic|polycoef"):
            guests.tree(name, "coupled", False)
