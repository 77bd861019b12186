"""Files as they are written: one number where all are the same, nothing where it is as usual; hostile beginnings."""

import numpy as np
import pytest

import unmoored as um
from unmoored.model import ModelError, ModelWarning
from unmoored.model.files import urdf, yaml
from unmoored.model.files.mesh_paths import KeptMeshPaths, warn_of_meshes_elsewhere
from unmoored.model.files.mjcf import compiling
from unmoored.model.files.mjcf.flattening import Flattened
from unmoored.model.limits import limits

INERTIA = um.Inertia.sphere(1.0, 0.1)


def written(joint=None, **options):
    """The lines of a body's entry."""
    body = um.Body(name="b", parent="world", joint=joint or um.Free(), **({"inertia": INERTIA} | options))
    text = yaml.format_yaml(um.Tree(name="t", bodies=(body,)))
    assert yaml.parse_yaml(text).bodies[0] == body
    return text


def test_one_number_stands_for_equal_ones():
    assert "damping: 0.5}\n" in written(um.Spherical(damping=0.5))
    assert "[0.5, 0.5, 0.25]" in written(um.Spherical(damping=(0.5, 0.5, 0.25)))
    assert "limits: [-1.0, 2.0]}\n" in written(um.Spherical(limits=((-1, -1, -1), (2, 2, 2))))
    assert "[[-1.0, -1.0, -3.0], [2.0, 2.0, 2.0]]" in written(um.Spherical(limits=((-1, -1, -3), (2, 2, 2))))
    assert "limits: [-1.0, 2.0]" in written(um.Revolute((0, 0, 1), limits=(-1, 2)))


def test_what_is_as_usual_is_not_written():
    bare = written()
    for word in ("at:", "limits", "damping", "visuals", "frames", "rotation", "rpy", "fluid", "com:"):
        assert word not in bare
    assert "rpy: [1.5707963267948966, 0.0, 0.0]" in written(at=um.Pose(rpy=(np.pi / 2, 0, 0)))
    assert "rotation:" in written(at=um.Pose(rpy=(0.3, 0, 0)))
    assert "xyz: [0.0, 0.0, 1.0]" in written(at=um.Pose(xyz=(0, 0, 1)))


def test_a_root_that_stands_in_the_world_is_urdf_s_own_root():
    """There a link of the world is written only where something has to hang on it."""
    base = um.Body(name="base", parent="world", joint=um.Fixed(), inertia=INERTIA)
    for parent, there in (("base", False), ("world", True)):
        frame = um.Frame(name="mark", parent=parent, at=um.Pose(xyz=(0, 0, 1)))
        text = urdf.format_urdf(um.Tree(name="t", bodies=(base,), frames=(frame,)))
        assert ('<link name="world"' in text) == there


def test_scales_of_meshes_are_written_where_they_are_not_one(tmp_path):
    for scale, there in (((1, 1, 1), False), ((1, 1, 2), True)):
        body = um.Body(
            name="b", parent="world", joint=um.Free(), inertia=INERTIA, visuals=(um.Mesh("a.stl", scale),)
        )
        assert ("scale" in yaml.format_yaml(um.Tree(name="t", bodies=(body,)))) == there


def test_of_many_folders_of_lost_meshes_eight_are_told(tmp_path):
    paths = KeptMeshPaths()
    for k in range(9):
        assert paths.resolve(f"/lost/{k}/a.stl") == "a.stl"
    assert paths.resolve("") == "mesh"
    folders = ["", *(f"/lost/{k}" for k in range(7))]
    with pytest.warns(ModelWarning) as told:
        paths.warn("f.nc")
    assert str(told[0].message) == (
        f"f.nc: 10 mesh files not found, so not shown; they were in {folders}: give roots=[…]"
    )
    bodies = tuple(
        um.Body(
            name=f"b{k}", parent="world", joint=um.Free(), inertia=INERTIA, visuals=(um.Mesh(f"/{k}/a.stl"),)
        )
        for k in range(9)
    )
    with pytest.warns(ModelWarning) as told:
        warn_of_meshes_elsewhere(um.Tree(name="t", bodies=bodies), tmp_path / "t.yaml")
    assert str(told[0].message).endswith(f"to load it give roots={[f'/{k}' for k in range(8)]}")


def test_a_compiler_that_only_waits_is_ended(tmp_path, monkeypatch):
    """The processor's time does not bound one that sleeps."""
    child = tmp_path / "sleeps.py"
    child.write_text("import time\ntime.sleep(20)\n")
    monkeypatch.setattr(compiling, "_CHILD", child)
    monkeypatch.setattr(limits, "mjcf_seconds", 0.1)
    with pytest.raises(
        ModelError, match=r"^m\.xml: file: MJCF: expected what MuJoCo compiles in .*, given out of time$"
    ):
        compiling._answer(Flattened("<mujoco/>"), "m.xml")
