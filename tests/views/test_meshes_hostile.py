"""Mesh files that mean harm are not shown, with a warning; nothing else is opened for a mesh."""

import io
import logging
import os
import struct
import sys
import zipfile

import numpy as np
import pytest

import unmoored as um
from unmoored.model import limits
from unmoored.views import render
from unmoored.views.shapes.mesh_files import mesh_shape

GREY = (0.5, 0.5, 0.5, 1.0)


def stl(vertices):
    """A binary STL of one triangle."""
    return b"\0" * 80 + struct.pack("<I", 1) + struct.pack("<12fH", 0, 0, 1, *np.ravel(vertices), 0)


GOOD = stl([[0, 0, 0], [1, 0, 0], [0, 1, 0]])


def archive(name):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as zipped:
        zipped.writestr(name, GOOD)
    return stream.getvalue()


HOSTILE = {
    "nan.stl": stl([[0, 0, np.nan], [1, 0, 0], [0, 1, 0]]),
    "inf.stl": stl([[0, 0, np.inf], [1, 0, 0], [0, 1, 0]]),
    "far.stl": stl([[0, 0, 1e30], [1, 0, 0], [0, 1, 0]]),
    "zip.zip": archive("a.stl"),
    "zip.stl": archive("a.stl"),
    "model.3mf": archive("3D/3dmodel.model"),
    "mesh.tar.gz": GOOD,
    "count.stl": b"\0" * 80 + struct.pack("<I", 2**31) + b"\0" * 50,
    "index.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 999999999\n",
    "index.ply": b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
    b"element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n3 0 -7 9\n",
    "empty.stl": b"",
    "scene.gltf": b'{"asset": {"version": "2.0"}, "buffers": [{"uri": "../secret.bin", "byteLength": 36}]}',
}


@pytest.mark.whole
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_meshes_are_not_shown(tmp_path, name):
    (tmp_path / name).write_bytes(HOSTILE[name])
    with pytest.warns(um.ModelWarning, match="is not shown"):
        assert mesh_shape(um.Mesh(str(tmp_path / name)), GREY) is None


def test_triangles_are_not_dropped_quietly(tmp_path):
    half = tmp_path / "half.off"
    half.write_text("OFF\n4 2 0\n0 0 0\n1 0 0\n0 1 0\nnan 0 0\n3 0 1 2\n3 0 1 3\n")
    with pytest.warns(um.ModelWarning, match="expected finite"):
        assert mesh_shape(um.Mesh(str(half)), GREY) is None


def test_a_good_one_is(tmp_path):
    (tmp_path / "a.stl").write_bytes(GOOD)
    assert len(mesh_shape(um.Mesh(str(tmp_path / "a.stl")), GREY).triangles) == 1


def test_meshes_are_bounded_and_told_so(tmp_path, monkeypatch):
    (tmp_path / "a.stl").write_bytes(GOOD)
    mesh = um.Mesh(str(tmp_path / "a.stl"))
    monkeypatch.setattr(limits, "mesh_bytes", 100)
    with pytest.warns(um.ModelWarning, match=r"at most 100 \(unmoored.limits.mesh_bytes raises it\)"):
        assert mesh_shape(mesh, GREY) is None
    monkeypatch.setattr(limits, "mesh_bytes", 1000)
    monkeypatch.setattr(limits, "mesh_triangles", 0)
    with pytest.warns(um.ModelWarning, match="mesh_triangles raises it"):
        assert mesh_shape(mesh, GREY) is None


def test_pipes_and_folders_are_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.stl")
    (tmp_path / "folder.stl").mkdir()
    for name in ("pipe.stl", "folder.stl", "missing.stl"):
        with pytest.warns(um.ModelWarning, match="is not shown"):
            assert mesh_shape(um.Mesh(str(tmp_path / name)), GREY) is None


def test_no_other_file_is_opened_for_a_mesh(tmp_path):
    (tmp_path / "secret.mtl").write_text("newmtl m\nmap_Kd secret.png\n")
    (tmp_path / "secret.png").write_text("secret")
    text = "mtllib secret.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\n"
    (tmp_path / "a.obj").write_text(text)
    mesh_shape(um.Mesh(str(tmp_path / "a.obj")), GREY)  # imports what it needs
    opened, watching = [], [True]
    sys.addaudithook(
        lambda event, given: opened.append(given[0]) if event == "open" and watching[0] else None
    )
    assert mesh_shape(um.Mesh(str(tmp_path / "a.obj")), GREY) is not None
    watching[0] = False
    assert [os.path.basename(str(p)) for p in opened if str(tmp_path) in str(p)] == ["a.obj"]


def test_a_robot_with_a_broken_mesh_is_still_drawn(tmp_path):
    (tmp_path / "nan.stl").write_bytes(HOSTILE["nan.stl"])
    b = um.SystemBuilder("drawn")
    visuals = [um.Mesh(str(tmp_path / "nan.stl"))]
    b.vehicle("bus", um.Free(), inertia=um.Inertia.box(mass=1.0, size=(1, 1, 1)), visuals=visuals)
    system = b.build()
    run = um.Run(system, np.zeros(1), system.neutral()[None], np.zeros((1, 6)), lengths=np.array([1]))
    with pytest.warns(um.ModelWarning, match="is not shown"):
        assert render(run, tmp_path / "a.png", size=(64, 48)).stat().st_size > 100


def test_what_the_reader_logs_does_not_reach_the_terminal(tmp_path):
    """A broken file is one warning; trimesh's own log of it, with its traceback, is for those who ask for that log."""
    file = tmp_path / "part.stl"
    file.write_text("solid part\n facet normal 0 0 one\n")
    with pytest.warns(um.ModelWarning, match="is not shown"):
        mesh_shape(um.Mesh(str(file)), (0.5, 0.5, 0.5, 1.0))
    assert any(isinstance(found, logging.NullHandler) for found in logging.getLogger("trimesh").handlers)
