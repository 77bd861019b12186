"""Where files are written and meshes are found: whole or not at all, and in no folder whose name only begins alike."""

import os
import threading

import pytest

import unmoored as um
from unmoored.model import ModelError, ModelWarning
from unmoored.model.files.file_text import write_text
from unmoored.model.files.mesh_paths import KeptMeshPaths, MeshPaths, relative_mesh

TEXT = "name: Glück\r\nend\n"


def test_a_text_is_written_as_its_bytes_in_utf_8(tmp_path):
    write_text(tmp_path / "a.yaml", TEXT)
    assert (tmp_path / "a.yaml").read_bytes() == TEXT.encode()
    assert os.listdir(tmp_path) == ["a.yaml"]


def test_a_pipe_stays_a_pipe(tmp_path):
    pipe, found = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_text(pipe, TEXT)
    reader.join(10)
    assert found == [TEXT.encode()]
    assert pipe.is_fifo()


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path):
    """And is told as it was: the folder is not there, or the text has half a character."""
    with pytest.raises(FileNotFoundError) as caught:
        write_text(tmp_path / "none" / "a.yaml", TEXT)
    assert caught.value.__context__ is None
    (tmp_path / "a.yaml").write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_text(tmp_path / "a.yaml", "\ud800")
    assert os.listdir(tmp_path) == ["a.yaml"]
    assert (tmp_path / "a.yaml").read_text() == "old"


def test_a_folder_whose_name_begins_alike_is_another(tmp_path):
    near, other = tmp_path / "arm", tmp_path / "arm_2"
    for folder in (near, other):
        folder.mkdir()
        (folder / "a.stl").write_bytes(b"solid")
    assert relative_mesh(str(near / "a.stl"), str(near)) == "a.stl"
    assert relative_mesh(str(other / "a.stl"), str(near)) == str(other / "a.stl")
    assert MeshPaths(near).resolve("a.stl") == str(near / "a.stl")
    with pytest.raises(ModelError, match=r"mesh: path: expected inside the root folders"):
        MeshPaths(near).resolve("../arm_2/a.stl")
    assert MeshPaths(near, [other]).resolve("../arm_2/a.stl") == str(other / "a.stl")


def test_meshes_of_saved_systems_are_found_at_the_longest_end_of_their_path(tmp_path):
    for end in ("a.stl", "arm/a.stl", "b.stl"):
        (tmp_path / end).parent.mkdir(exist_ok=True)
        (tmp_path / end).write_bytes(b"solid")
    paths = KeptMeshPaths([tmp_path])
    assert paths.resolve("/elsewhere/arm/a.stl") == str(tmp_path / "arm" / "a.stl")
    assert paths.resolve("C:\\there\\b.stl") == str(tmp_path / "b.stl")
    assert paths.resolve(str(tmp_path / "a.stl")) == str(tmp_path / "a.stl")
    assert paths.resolve("/elsewhere/c.stl") == "c.stl"
    with pytest.warns(ModelWarning, match=r"1 mesh files not found, .* were in \['/elsewhere'\]"):
        paths.warn("run.nc")


def test_a_mesh_that_was_not_found_is_told_by_name():
    paths = MeshPaths(None, ["/nowhere"])
    assert [paths.resolve(name) for name in ("b.stl", "a.stl", "b.stl")] == ["b.stl", "a.stl", "b.stl"]
    with pytest.warns(um.ModelWarning) as told:
        paths.warn("r.urdf")
    assert str(told[0].message) == "r.urdf: 2 mesh files not found: a.stl, b.stl"
