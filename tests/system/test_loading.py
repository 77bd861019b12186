"""Loading files: what becomes of joints that follow others, where the warning points, and text read anywhere alike."""

import io
import warnings
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

import unmoored as um
from unmoored.model import files
from unmoored.system import loading

FOLLOWERS = [f"finger{k}" for k in range(10)]
INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
JOINT = '<joint name="{0}_joint" type="revolute"><parent link="palm"/><child link="{0}"/><axis xyz="0 0 1"/>{1}</joint>'
URDF = (
    f'<?xml version="1.0" encoding="utf-8"?><!-- 30 ° --><robot name="hand"><link name="palm">{INERTIAL}</link>'
    + "".join(f'<link name="{name}">{INERTIAL}</link>' for name in ("thumb", *FOLLOWERS))
    + JOINT.format("thumb", '<limit lower="-1" upper="1" effort="1" velocity="1"/>')
    + "".join(
        JOINT.format(
            name, '<limit lower="-1" upper="1" effort="1" velocity="1"/><mimic joint="thumb_joint"/>'
        )
        for name in FOLLOWERS
    )
    + "</robot>"
)


@pytest.fixture
def hand(tmp_path):
    path = tmp_path / "hand.urdf"
    path.write_text(URDF, encoding="utf-8")
    return path


def test_followers_are_coupled_free_or_locked(hand):
    with warnings.catch_warnings():
        warnings.simplefilter("error", um.ModelWarning)
        coupled, free, locked = (um.load(hand, mimic=mimic) for mimic in ("coupled", "free", "locked"))
    assert [coupling.joint for coupling in coupled.couplings] == FOLLOWERS
    assert (free.couplings, locked.couplings) == ((), ())
    assert coupled.nv == free.nv == locked.nv + 10


def test_what_nobody_asked_for_is_told_of_all_followers_and_where_the_file_is_loaded(hand):
    with pytest.warns(um.ModelWarning, match=rf"\({', '.join(FOLLOWERS)}\) are kept") as told:
        assert len(um.load(hand).couplings) == 10
    assert [warning.filename for warning in told] == [__file__]


@pytest.mark.parametrize("mimic", [None, "coupled", "free", "locked"])
def test_of_followers_in_mjcf_too(hand, monkeypatch, mimic):
    """Without MuJoCo, by the tree of the same hand."""
    asked = []

    def read_mjcf(path, *, roots, ignore_mimic):
        asked.append((path, roots, ignore_mimic))
        return files.read_urdf(hand, ignore_mimic=ignore_mimic)

    monkeypatch.setattr(loading.files, "read_mjcf", read_mjcf)
    with pytest.warns(um.ModelWarning) if mimic is None else nullcontext():
        found = um.load("hand.xml", roots=["parts"], mimic=mimic)
    assert asked == [(Path("hand.xml"), [Path("parts")], mimic == "free")]
    assert len(found.couplings) == (0 if mimic in ("free", "locked") else 10)


def test_files_are_utf_8_whatever_the_place_writes(hand, tmp_path, monkeypatch):
    """Files that are opened without an encoding are taken for ASCII here, as they may be elsewhere."""
    monkeypatch.setattr(io, "text_encoding", lambda encoding, *_: encoding or "ascii")
    system = um.load(hand, mimic="locked")
    names = [name for name in um.systems() if name.startswith("bluerov2")]  # their files say °, ² and –
    assert [um.load(name).name for name in names] == names
    path = tmp_path / "saved.yaml"
    system.save(path)
    path.write_text(f"# 30 °\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    assert um.load(path) == system
    source, header = um.export_c(system, ["mass_matrix"], tmp_path / "hand.c")
    assert source.stat().st_size > 0
    assert not header.read_text(encoding="utf-8").isascii()


def test_a_file_may_mount_a_built_in_system_by_name(tmp_path):
    path = tmp_path / "s.yaml"
    mount = "{system: tumbling_brick, parent: world, prefix: '', joint: {type: Free}}"
    path.write_text(f"unmoored: 1\nname: s\nmount:\n  - {mount}\n", encoding="utf-8")
    assert um.load(path).tree.bodies == um.load("tumbling_brick").tree.bodies
    with pytest.raises(um.ModelError, match="tumbling_brick"):
        files.read_yaml(path)  # by whom nothing is known of those


def test_a_built_in_system_may_be_made_of_others(tmp_path, monkeypatch):
    brick = um.load("tumbling_brick")
    brick.save(tmp_path / "brick.yaml")
    mount = "[{system: brick, parent: world, joint: {type: Free}}]"
    text = f"unmoored: 1\nname: two\ndescription: a brick of the shelf\nmount: {mount}\n"
    (tmp_path / "two.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(loading, "_LIBRARY", tmp_path)
    assert um.load("two").names == (f"{brick.name}/brick",)
    assert um.systems()["two"] == "a brick of the shelf"
    with pytest.raises(um.ModelError, match="unknown system: expected one of brick, two, or a path"):
        um.load("three")


@pytest.mark.filterwarnings("ignore::unmoored.ModelWarning")
def test_tensors_that_no_body_has_are_kept_unless_the_nearest_are_asked_for(tmp_path):
    path = tmp_path / "one.urdf"
    path.write_text(
        f'<robot name="one"><link name="a">{INERTIAL}</link></robot>'.replace('izz="1"', 'izz="5"')
    )
    for given in ({}, {"inertia": "given"}):
        tensor = um.load(path, base=um.Free(), **given).tree.bodies[0].inertia.tensor
        np.testing.assert_array_equal(tensor, np.diag([1.0, 1.0, 5.0]))
    moments = np.diag(um.load(path, base=um.Free(), inertia="nearest").tree.bodies[0].inertia.tensor)
    assert moments[2] == pytest.approx(moments[:2].sum())
    with pytest.raises(um.ModelError, match="unknown inertia: expected one of given, nearest"):
        um.load(path, inertia="best")
    with pytest.raises(um.ModelError, match=r"only with a \.urdf file, given inertia"):
        um.load("tumbling_brick", inertia="nearest")


@pytest.mark.parametrize("packages", [["arm_description"], "arm_description", 3])
def test_folders_of_packages_are_given_by_name(hand, packages):
    with pytest.raises(um.ModelError, match=r"packages: expected \{package's name: its folder\}"):
        um.load(hand, packages=packages, mimic="free")
