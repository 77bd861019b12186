"""Every URDF of example-robot-data: read, and equal to Pinocchio's; or refused for a stated reason."""

import re
import warnings
from importlib import metadata
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
from tests.model.files.urdf_oracle import Oracle, assert_agreement
from tests.support.thinning import one_in

from unmoored.model import Free, ModelError, ModelWarning
from unmoored.model.files import format_urdf, parse_urdf, read_urdf

FILES = sorted(
    Path(str(file.locate())).resolve()
    for file in metadata.files("example-robot-data") or ()
    if file.name.endswith(".urdf") and "robots" in file.parts
)
ROBOTS = next(parent for parent in FILES[0].parents if parent.name == "robots")
FOLDERS = {"roots": [ROBOTS], "packages": {"example-robot-data": ROBOTS.parent}}

INDEFINITE = "tensor: expected no negative eigenvalue"
MIMICS = (
    "baxter", "panda", "panda_collision", "pr2", "romeo", "talos_full_v2", "talos_full_v2_box",
    "talos_left_arm", "talos_reduced", "talos_reduced_box", "talos_reduced_corrected", "tiago_pro",
)  # fmt: skip
REFUSED = {
    **dict.fromkeys(("tiago", "tiago_dual", "tiago_no_hand", "romeo_laas_small"), INDEFINITE),
    "alex_psyonic_hands": "mimic: expected the name of a joint, given 'index_q1'",
    "ur3": "links: expected at least one <link>, given none",
}
READ = [file for file in FILES if file.stem not in REFUSED]


def read(file, **options):
    """The tree; published robots may break the triangle inequality or lack meshes and limits."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return read_urdf(file, **FOLDERS, **options)


def test_there_are_many_robots():
    assert len(FILES) >= 69
    assert len(READ) >= 63


@pytest.mark.parametrize("file", one_in(2, READ), ids=lambda file: file.stem)
def test_agrees_with_pinocchio(file):
    tree = read(file)
    assert_agreement(Oracle(tree, pin.buildModelFromUrdf(str(file))), np.random.default_rng(1))


@pytest.mark.parametrize("file", READ[::6], ids=lambda file: file.stem)
def test_agrees_with_pinocchio_on_a_free_base(file):
    tree = read(file, base=Free())
    model = pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())
    assert_agreement(Oracle(tree, model), np.random.default_rng(2))


@pytest.mark.parametrize("file", READ[::6], ids=lambda file: file.stem)
@pytest.mark.whole
def test_merging_fixed_bodies_changes_no_dynamics(file):
    whole, merged = read(file, base=Free()), read(file, base=Free(), merge_fixed=True)
    assert merged.nv == whole.nv
    assert {*merged.names, *(frame.name for frame in merged.frames)} == set(whole.names)
    model = pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())
    q = np.concatenate([link.joint.from_coordinates(np.full(link.joint.nv, 0.3)) for link in whole.links])
    ours, theirs = Oracle(merged, model).mass_matrices(q)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-13 * np.abs(theirs).max())


@pytest.mark.parametrize("file", [file for file in FILES if file.stem in REFUSED], ids=lambda file: file.stem)
def test_refused_for_a_true_reason(file):
    with pytest.raises(ModelError, match=re.escape(REFUSED[file.stem])) as error:
        read(file)
    assert all(re.search(rf"{file.name}(:\d+)?$", str(problem.location)) for problem in error.value.problems)


@pytest.mark.parametrize("file", READ[::6], ids=lambda file: file.stem)
@pytest.mark.whole
def test_what_is_written_pinocchio_reads_as_the_same_robot(file, tmp_path):
    tree = read(file, base=Free())
    path = tmp_path / "written.urdf"
    path.write_text(format_urdf(tree), encoding="utf-8")
    assert_agreement(Oracle(tree, pin.buildModelFromUrdf(str(path))), np.random.default_rng(3))


def test_meshes_are_found_in_the_packages_and_missing_ones_listed():
    file = next(file for file in READ if file.stem == "ur5_robot")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = read_urdf(file, **FOLDERS)
    meshes = [visual.path for body in tree.bodies for visual in body.visuals]
    assert meshes
    assert all(Path(path).is_file() for path in meshes)
    with pytest.warns(ModelWarning, match=r"mesh files not found: package://example-robot-data/"):
        read_urdf(file)


def test_written_robot_reads_back_as_the_same_tree():
    tree = read(next(file for file in READ if file.stem == "anymal-kinova"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        again = parse_urdf(format_urdf(tree), roots=[ROBOTS])
    assert [body.joint for body in again.bodies] == [body.joint for body in tree.bodies]
    assert [body.inertia for body in again.bodies] == [body.inertia for body in tree.bodies]
    for ours, theirs in zip(again.bodies, tree.bodies, strict=True):
        np.testing.assert_allclose(ours.at.matrix, theirs.at.matrix, rtol=0, atol=1e-15)
        assert [visual.kind for visual in ours.visuals] == [visual.kind for visual in theirs.visuals]


@pytest.mark.parametrize("file", [file for file in FILES if file.stem in MIMICS], ids=lambda file: file.stem)
@pytest.mark.whole
def test_joints_that_follow_are_couplings(file):
    tree = read(file)
    theirs = {
        (
            joint.get("name"),
            mimic.get("joint"),
            float(mimic.get("multiplier", 1)),
            float(mimic.get("offset", 0)),
        )
        for joint in ElementTree.parse(file).getroot().findall("joint")
        for mimic in joint.findall("mimic")
        if joint.get("type") != "fixed"
    }
    names = {body.name: body.joint_name for body in tree.bodies}
    ours = {(names[c.joint], names[c.leader], c.multiplier, c.offset) for c in tree.couplings}
    assert ours == theirs
    assert ours or any("<mimic> of fixed joints" in line for line in tree.assumptions)


@pytest.mark.parametrize(
    "file", [f for f in FILES if f.stem.startswith("tiago") and f.stem in REFUSED], ids=lambda file: file.stem
)
def test_inertias_that_are_off_can_be_replaced_by_the_nearest(file, tmp_path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        tree = read_urdf(file, **FOLDERS, nearest_inertia=True)
    told = [str(w.message) for w in caught if "inertia replaced by the nearest" in str(w.message)]
    assert told
    changed = 0
    for body in tree.bodies:
        assert body.inertia.triangle_defect() <= 1e-9 * np.abs(body.inertia.tensor).max(initial=0.0)
        changed += any(f"link {body.name}:" in line for line in told)
    assert changed == len(told)
    path = tmp_path / "nearest.urdf"
    path.write_text(format_urdf(tree), encoding="utf-8")
    assert_agreement(Oracle(tree, pin.buildModelFromUrdf(str(path))), np.random.default_rng(4))
    assert pin.buildModelFromUrdf(str(file)).nv == tree.nv


def test_at_most_three_robots_are_refused_with_both_options():
    refused = []
    for file in FILES:
        try:
            read(file, nearest_inertia=True)
        except ModelError as error:
            refused.append((file.stem, str(error)))
    assert sorted(stem for stem, _ in refused) == ["alex_psyonic_hands", "romeo_laas_small", "ur3"]
    reasons = " ".join(reason for _, reason in refused)
    assert "mimic: expected the name of a joint" in reasons  # it follows a joint that the file does not have
    assert "file:///usr/Romeo" in reasons  # its meshes lie on somebody else's computer


def test_a_robot_that_follows_nobody_can_be_read_free():
    file = next(file for file in FILES if file.stem == "alex_psyonic_hands")
    tree = read(file, ignore_mimic=True)
    assert not tree.couplings
    assert_agreement(Oracle(tree, pin.buildModelFromUrdf(str(file))), np.random.default_rng(5))
