"""MJCF files that mean harm: nothing outside the roots is read, nothing takes long, MuJoCo sees what we give it."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
import warnings

import pytest
from tests.model.files.test_mjcf import TETRAHEDRON, mesh_model, model, read

from unmoored.model import ModelError, ModelWarning, limits
from unmoored.model.files import read_mjcf
from unmoored.model.files.mjcf.flattening import flattened

BODY = '<body name="a"><joint name="j"/><geom size="0.1"/></body>'


@pytest.fixture
def folder(tmp_path):
    """A folder with files beside it that must not be read."""
    inside = tmp_path / "models"
    inside.mkdir()
    (tmp_path / "secret.xml").write_text(model(BODY))
    (tmp_path / "x.obj").write_text(TETRAHEDRON)
    (inside / "x.obj").write_text(TETRAHEDRON)
    return inside


BACKSLASHES = {
    "include": '<mujoco><include file="..\\secret.xml"/></mujoco>',
    "include with both": '<mujoco><include file="a/..\\../secret.xml"/></mujoco>',
    "mesh": mesh_model("..\\x.obj", "."),
    "folder": mesh_model("x.obj", "..\\"),
    "drive": mesh_model("C:\\x.obj", "."),
    "model": '<mujoco><asset><model name="m" file="..\\secret.xml"/></asset></mujoco>',
    "texture": '<mujoco><asset><texture type="2d" file="..\\t.png"/></asset></mujoco>',
    "height field": '<mujoco><asset><hfield name="h" size="1 1 1 1" file="..\\t.png"/></asset></mujoco>',
    "skin": '<mujoco><deformable><skin name="s" file="..\\t.skn"/></deformable></mujoco>',
}


@pytest.mark.parametrize("what", BACKSLASHES)
@pytest.mark.whole
def test_a_backslash_is_no_way_out(what, folder):
    with pytest.raises(ModelError, match=r"model\.xml:[12]: .*inside the root folders"):
        read(BACKSLASHES[what], folder)


def bombs():
    yield "replicas", model(f'<replicate count="100000000" offset="1 0 0">{BODY}</replicate>')
    yield (
        "nested replicas",
        model('<replicate count="2000">' * 3 + BODY + "</replicate>" * 3),
    )
    yield "keys", '<mujoco><size nkey="2000000000"/><worldbody>' + BODY + "</worldbody></mujoco>"
    yield "user data", '<mujoco><size nuser_body="2000000000"/><worldbody>' + BODY + "</worldbody></mujoco>"
    yield (
        "memory",
        '<mujoco><size memory="900G" nuserdata="2000000000"/><worldbody>' + BODY + "</worldbody></mujoco>",
    )
    field = '<asset><hfield name="h" nrow="40000" ncol="40000" size="1 1 1 1"/></asset>'
    yield (
        "height field",
        f'<mujoco>{field}<worldbody><geom type="hfield" hfield="h"/>{BODY}</worldbody></mujoco>',
    )
    image = '<asset><texture name="t" type="2d" builtin="flat" width="40000" height="40000"/></asset>'
    yield "texture", f"<mujoco>{image}<worldbody>{BODY}</worldbody></mujoco>"
    yield "sensor", model(BODY, '<sensor><user dim="2000000000"/></sensor>')
    yield "numbers", model(BODY, '<custom><numeric name="n" size="2000000000" data="1"/></custom>')
    yield "composite", model('<body><composite type="cable" count="90000000 1 1" size="1"/></body>')
    yield "flex", model('<flexcomp name="f" type="grid" count="900 900 900"/>')
    yield "plugin", model(BODY, '<extension><plugin plugin="mujoco.elasticity.cable"/></extension>')


@pytest.mark.parametrize(("what", "text"), list(bombs()), ids=[what for what, _ in bombs()])
def test_bombs_do_not_go_off(what, text, folder):
    started = time.monotonic()
    with contextlib.suppress(ModelError):
        assert read(text, folder).names == ("a",)  # the bomb was left out
    assert time.monotonic() - started < 10.0  # a child is started; the computer may be busy


def test_the_bound_and_the_way_to_raise_it_are_told(folder, monkeypatch):
    text = model(f'<replicate count="30" offset="1 0 0" sep="_">{BODY}</replicate>')
    monkeypatch.setattr(limits, "mjcf_elements", 50)
    with pytest.raises(ModelError, match=r"at most 50 \(unmoored.limits.mjcf_elements raises it\)"):
        read(text, folder)
    monkeypatch.setattr(limits, "mjcf_elements", 500)
    assert len(read(text, folder).names) == 30


def test_elements_are_counted_as_mujoco_makes_them(folder, monkeypatch):
    """One for every element, replicas times their count, composites with four for each of their pieces."""
    path = folder / "model.xml"

    def count(body):
        path.write_text(model(body))
        monkeypatch.setattr(limits, "mjcf_elements", 0)
        with pytest.raises(ModelError, match="elements, replicas included") as caught:
            flattened(path, ())
        return int(caught.value.problems[0].given.replace(",", "")) - 2  # <mujoco>, <worldbody>

    assert count("") == 0
    assert count(BODY) == 3
    assert count(f'<replicate count="30">{BODY}</replicate>') == 4 * 30
    assert count(f'<replicate count="3"><replicate count="-5">{BODY}</replicate></replicate>') == 3 * (
        1 + 5 * 4
    )
    assert count("<replicate/>") == count('<replicate count="x"/>') == count('<replicate count="0"/>') == 1
    assert count('<body><composite count="2 3 4"/></body>') == 1 + 1 + 4 * 24
    assert count('<body><composite count="2 3 4 1000"/></body>') == 1 + 1 + 4 * 24  # MuJoCo knows three
    assert count('<replicate count="123456789012"/>') == 123456789012
    assert count('<replicate count="1234567890123"/>') == 123456789012


def test_what_mujoco_cannot_do_in_time_ends(folder, monkeypatch):
    monkeypatch.setattr(limits, "mjcf_seconds", 1)
    monkeypatch.setattr(limits, "mjcf_elements", 10**9)
    text = model(f'<replicate count="1000000" offset="1 0 0">{BODY}</replicate>')
    with pytest.raises(ModelError, match="mjcf_seconds and mjcf_bytes raise it"):
        read(text, folder)


def test_a_file_in_itself_is_refused(folder):
    (folder / "b.xml").write_text('<mujocoinclude><include file="model.xml"/></mujocoinclude>')
    with pytest.raises(ModelError, match="no file in itself"):
        read('<mujoco><include file="b.xml"/></mujoco>', folder)


def test_includes_asset_folders_and_names_are_resolved(folder):
    (folder / "parts").mkdir()
    (folder / "parts" / "arm.xml").write_text(f"<mujocoinclude>{BODY}</mujocoinclude>")
    (folder / "parts" / "mesh.xml").write_text(
        '<mujocoinclude><compiler assetdir="shapes"/><asset><mesh file="x.obj"/></asset></mujocoinclude>'
    )
    (folder / "shapes").mkdir()
    (folder / "shapes" / "x.obj").write_text(TETRAHEDRON)
    text = """<mujoco><include file="parts/mesh.xml"/><worldbody><include file="parts/arm.xml"/>
      <body name="b"><geom type="mesh" mesh="x"/></body></worldbody></mujoco>"""
    tree = read(text, folder)
    assert tree.names == ("a", "b")
    assert tree.bodies[1].visuals[0].path == str((folder / "shapes" / "x.obj").resolve())
    stripped = mesh_model("/somewhere/else/x.obj", "shapes").replace(
        "<compiler", '<compiler strippath="true"'
    )
    assert read(stripped, folder).bodies[0].visuals


def test_models_are_attached(folder):
    (folder / "sub.xml").write_text(model(BODY))
    text = """<mujoco><asset><model name="sub" file="sub.xml"/></asset><worldbody>
      <body name="b"><geom size="1"/><attach model="sub" body="a" prefix="left_"/></body></worldbody></mujoco>"""
    assert read(text, folder).names == ("b", "left_a")


def test_errors_keep_the_line_of_the_file(folder):
    text = '<mujoco>\n<worldbody>\n<body>\n<joint type="wrong"/>\n</body>\n</worldbody>\n</mujoco>'
    with pytest.raises(ModelError) as error:
        read(text, folder)
    assert str(error.value.problems[0].location).endswith("model.xml:4")


def test_mujoco_sees_no_path_and_writes_no_log(folder, monkeypatch, tmp_path):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    path = folder / "model.xml"
    path.write_text(mesh_model("x.obj", "."))
    given = flattened(path, ())
    assert str(folder) not in given.text
    assert list(given.assets) == ["file0.obj"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        read_mjcf(path)
        with pytest.raises(ModelError):
            read(model('<body><joint/><geom size="0.1" mass="-1"/></body>'), folder)
    assert os.listdir(here) == []


def test_utf16_is_refused(folder):
    path = folder / "model.xml"
    path.write_bytes(model(BODY).encode("utf-16"))
    with pytest.raises(ModelError, match="UTF-16"):
        read_mjcf(path)


def test_a_model_in_itself_is_refused(folder):
    with pytest.raises(ModelError, match="no model in itself"):
        read('<mujoco><asset><model name="m" file="model.xml"/></asset></mujoco>', folder)


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_no_process_opens_anything_of_the_users_outside_the_roots(folder, tmp_path):
    """All system calls of the reader and its child, on files that try every way out at once."""
    (tmp_path / "t.png").write_text("")
    texts = [*BACKSLASHES.values(), *(text.replace("\\", "/") for text in BACKSLASHES.values())]
    texts += [mesh_model("x.obj", "."), mesh_model(str(tmp_path / "x.obj"), ".")]
    for i, text in enumerate(texts):
        (folder / f"{i}.xml").write_text(text)
    script = "import sys, warnings; from pathlib import Path; from unmoored.model import ModelError; "
    script += "from unmoored.model.files import read_mjcf\nwarnings.simplefilter('ignore')\n"
    script += (
        "for p in sorted(Path(sys.argv[1]).glob('*.xml')):\n try: read_mjcf(p)\n except ModelError: pass\n"
    )
    log = tmp_path / "log"
    trace = ["strace", "-f", "-qq", "-e", "trace=open,openat,openat2", "-o", log]
    subprocess.run([*trace, sys.executable, "-c", script, folder], check=True, cwd=folder)
    opened = re.findall(r'open\w*\([^"]*"([^"]*)"', log.read_text(errors="replace"))
    ours = {
        os.path.realpath(os.path.join(folder, path))
        for path in opened
        if str(tmp_path) in path or path[:1] != "/"
    }
    assert str(folder / "x.obj") in ours
    beside = {path for path in ours if path.startswith(str(tmp_path)) and not path.startswith(str(folder))}
    assert beside <= {str(log)}


def test_no_number_is_told(folder):
    """MuJoCo takes NaN as if the attribute were not there: another mass, silently."""
    for said in ('mass="1"', 'size=".1"'):
        for nan in ("nan", "NaN", "-nan", "nan(1)"):
            text = model('<body name="b"><freejoint/><geom size=".1" mass="1"/></body>')
            with pytest.raises(ModelError, match="finite"):
                read(text.replace(said, f'{said.split("=")[0]}="{nan}"'), folder)
    read(model('<body name="nan"><freejoint/><geom size=".1" mass="1"/></body>'), folder)
