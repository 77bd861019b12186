"""MJCF and all that it names as one text: elements in their order, with their lines, files under names of our own."""

import os
from pathlib import Path

import pytest

import unmoored as um
from unmoored.model import limits
from unmoored.model.files.mjcf.flattening import flattened


@pytest.fixture
def folder(tmp_path):
    """Meshes in two folders, and textures in a third."""
    for name in ("a.obj", "shapes/a.obj", "shapes/b.OBJ", "shapes/c.with-an-odd-end", "pictures/t.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path


def model(folder, text):
    path = folder / "model.xml"
    path.write_text(f"<mujoco>\n{text}\n</mujoco>")
    return path


def inside(found):
    """The lines of the text within <mujoco>, without the ends of elements that have none inside."""
    lines = found.text.split("\n")
    assert (lines[0], lines[-1]) == ("<mujoco>", "</mujoco>")
    return lines[1:-1]


def test_includes_take_their_place_with_their_own_lines(folder):
    """Beside the model, or beside the file that includes; what the file calls itself does not matter."""
    (folder / "parts").mkdir()
    inner = folder / "parts" / "inner.xml"
    inner.write_text("<mujocoinclude>\n\n<geom/></mujocoinclude>")
    outer = folder / "parts" / "outer.xml"
    outer.write_text('<mujocoinclude>\n<body/>\n<include file="inner.xml"/>\n<site/></mujocoinclude>')
    path = model(folder, '<worldbody>\n<joint/>\n<include file="parts/outer.xml"/>\n<camera/></worldbody>')
    found = flattened(path, ())
    tags = ["joint", "body", "geom", "site", "camera"]
    whole = ["<worldbody>", *(line for tag in tags for line in (f"<{tag}>", f"</{tag}>")), "</worldbody>"]
    assert inside(found) == whole
    said = [(str(path), 3), (str(outer), 2), (str(inner), 3), (str(outer), 4), (str(path), 5)]
    assert found.lines[2:-2] == [place for place in said for _ in range(2)]
    assert found.lines[:2] == [(str(path), 1), (str(path), 2)]


def test_meshes_get_names_of_ours_and_keep_theirs(folder):
    """One name for one file, with the small letters of its end; the first folder that is said last counts."""
    text = """<compiler assetdir="pictures" meshdir="nowhere"/><compiler meshdir="shapes"/>
    <asset><mesh file="a.obj"/><mesh name="second" file="a.obj"/><mesh file="b.OBJ" scale="1 2 3"/>
    <mesh file="c.with-an-odd-end"/><texture name="t" file="t.png" type="cube"/><texture builtin="checker"/>
    <hfield name="h" file="t.png" size="1 2 3 4"/><hfield nrow="9"/><mesh name="plain" vertex="1 2 3"/></asset>"""
    found = flattened(model(folder, text), ())
    assets = [line for line in inside(found) if not line.startswith("</")][2:]
    assert (
        assets
        == [
            "<compiler>",
            "<asset>",
            '<mesh name="a" file="file0.obj">',
            '<mesh name="second" file="file0.obj">',
            '<mesh name="b" file="file1.obj" scale="1 2 3">',
            '<mesh name="c" file="file2">',
            '<texture name="t" type="2d" builtin="flat" width="1" height="1">',
            '<texture type="2d" builtin="flat" width="1" height="1">',
            '<hfield name="h" nrow="2" ncol="2" size="1 1 1 1">',
            '<hfield nrow="2" ncol="2" size="1 1 1 1">',
            '<mesh name="plain" vertex="1 2 3">',
        ][1:]
    )
    names = {"file0.obj": "a.obj", "file1.obj": "b.OBJ", "file2": "c.with-an-odd-end"}
    assert found.paths == {name: str(folder / "shapes" / file) for name, file in names.items()}
    assert found.assets == {name: f"shapes/{file}".encode() for name, file in names.items()}


def test_without_folders_files_lie_beside_the_model_and_stripped_ones_too(folder):
    for compiler, file in (("", "a.obj"), ('<compiler strippath="true"/>', "/somewhere/else/a.obj")):
        found = flattened(model(folder, f'{compiler}<asset><mesh file="{file}"/></asset>'), ())
        assert found.paths == {"file0.obj": str(folder / "a.obj")}
    text = '<compiler strippath="false"/><asset><mesh file="/somewhere/else/a.obj"/></asset>'
    with pytest.raises(um.ModelError, match=r"file of <mesh> in .*path: expected inside the root folders"):
        flattened(model(folder, text), ())


def test_what_is_not_needed_is_counted_and_the_files_in_it_are_looked_at(folder):
    text = """<size nkey="9"/><sensor><jointpos/><jointvel/></sensor><sensor><gyro/></sensor>
    <deformable><skin file="none.skn"/><skin file="none.skn"><bone body="b"/></skin></deformable><visual/>"""
    found = flattened(model(folder, text), ())
    assert inside(found) == ["<deformable>", "</deformable>"]
    assert found.left_out == {"sensors": 3, "skins": 2}
    with pytest.raises(um.ModelError, match=r"file of <skin> in .*: path: expected inside the root folders"):
        flattened(model(folder, text.replace('"none', '"../none')), ())


def test_a_mesh_is_at_most_as_large_as_is_said(folder, monkeypatch):
    path = model(folder, '<asset><mesh file="shapes/a.obj"/></asset>')
    monkeypatch.setattr(limits, "mesh_bytes", 12)
    assert flattened(path, ()).assets == {"file0.obj": b"shapes/a.obj"}
    monkeypatch.setattr(limits, "mesh_bytes", 11)
    with pytest.raises(um.ModelError) as caught:
        flattened(path, ())
    (problem,) = caught.value.problems
    assert (problem.where, problem.rule) == (str(folder / "shapes" / "a.obj"), "size in bytes")
    assert (problem.expected, problem.given) == (limits.words("mesh_bytes"), "12")


def test_the_file_is_called_as_it_was_given(folder, monkeypatch):
    """In errors, though it is a link from elsewhere."""
    model(folder, "<plugin/>")
    (folder / "shapes" / "link.xml").symlink_to(folder / "model.xml")
    monkeypatch.chdir(folder)
    for name in ("model.xml", os.path.join("shapes", "link.xml")):
        with pytest.raises(um.ModelError) as caught:
            flattened(Path(name), ())
        assert str(caught.value) == f"{name}:2: <plugin>: plugins: expected none, given one"


def test_other_roots_than_mujocos_are_told_with_their_line(tmp_path):
    for text, given in (("<robot/>", "<robot>: read URDF as URDF"), ("<model/>", "<model>")):
        (tmp_path / "m.xml").write_text("\n" + text)
        with pytest.raises(um.ModelError) as caught:
            flattened(tmp_path / "m.xml", ())
        assert (
            str(caught.value)
            == f"{tmp_path / 'm.xml'}:2: file: root element: expected <mujoco>, given {given}"
        )


def test_models_are_attached_flat_and_may_be_attached_twice(folder):
    """Each with its own folders, none within itself."""
    (folder / "sub.xml").write_text('<mujoco><asset><mesh file="a.obj"/></asset></mujoco>')
    text = (
        '<compiler meshdir="shapes"/><asset><model name="x" file="sub.xml"/><model file="sub.xml"/></asset>'
    )
    found = flattened(model(folder, text), ())
    assert [line for line in inside(found) if line.startswith("<model")] == [
        '<model name="x" file="model0.xml">',
        '<model name="sub" file="model2.xml">',
    ]
    flat = b'<mujoco>\n<asset>\n<mesh name="a" file="file0.obj">\n</mesh>\n</asset>\n</mujoco>'
    assert found.assets == {"model0.xml": flat, "file0.obj": b"a.obj", "model2.xml": flat}
    assert found.paths == {"file0.obj": str(folder / "a.obj")}


def test_quotes_and_signs_of_attributes_stay(folder):
    text = "<custom/><worldbody><site name='a \"b\" &lt;c&gt; &amp;'/></worldbody>"
    found = flattened(model(folder, text), ())
    assert inside(found)[1] == "<site name='a \"b\" &lt;c&gt; &amp;'>"


def test_what_is_wrong_in_an_included_or_attached_file_has_its_place_there(folder):
    wrong = '<worldbody>\n<geom mass="nan"/><geom><plugin/></geom></worldbody>'
    (folder / "inner.xml").write_text(f"<mujocoinclude>\n\n{wrong}</mujocoinclude>")
    (folder / "sub.xml").write_text(f'<mujoco>{wrong}\n<asset><mesh file="../b.obj"/></asset></mujoco>')
    text = '<asset><mesh file="c.obj"/>\n<model file="sub.xml"/></asset><include file="inner.xml"/>'
    path = model(folder, text)
    with pytest.raises(um.ModelError) as caught:
        flattened(path, ())
    sub, inner = folder / "sub.xml", folder / "inner.xml"
    assert {(p.location, p.where) for p in caught.value.problems} == {
        (f"{path}:2", f"file of <mesh> in {path}"),
        (f"{sub}:2", f"mass of <geom> in {sub}"),
        (f"{sub}:2", "<plugin>"),
        (f"{sub}:3", f"file of <mesh> in {sub}"),
        (f"{inner}:4", f"mass of <geom> in {inner}"),
        (f"{inner}:4", "<plugin>"),
    }


def test_folders_beside_the_roots_are_outside(folder):
    """One whose name begins as the model's own, and one that textures are said to lie in."""
    inside, beside = folder / "models", folder / "models_2"
    for place in (inside, beside):
        place.mkdir()
        (place / "a.obj").write_text("a")
    for text in (
        '<asset><mesh file="../models_2/a.obj"/></asset>',
        '<compiler texturedir="../models_2"/><asset><texture file="a.obj"/></asset>',
        '<compiler meshdir="../models_2"/><asset><mesh file="a.obj"/></asset>',
    ):
        with pytest.raises(um.ModelError, match=r"path: expected inside the root folders \(.*models\)"):
            flattened(model(inside, text), ())
        assert flattened(model(inside, text), [beside]).text
