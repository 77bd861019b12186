"""Runs on disk: whole or refused, never half, never somebody else's files gone."""

import contextlib
import inspect
import json
import os
import random
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest
from tests.simulation.arms import damper, small_arm, states
from tests.support.damage import damage
from tests.support.processes import run_python
from tests.support.thinning import one_in

import unmoored as um
from unmoored.simulation import saved_run
from unmoored.simulation.disk import manifest, placing

ROOT = Path(__file__).parents[2]
SUFFIXES = (".zarr", ".zarr.zip", ".nc")


@pytest.fixture(scope="module")
def run():
    system = small_arm()
    q, v = states(system, 2)
    return um.simulate(system, q, v, duration=0.2, step=0.01, controller=damper)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_nothing_is_replaced_unless_asked(run, tmp_path, suffix):
    path = tmp_path / f"run{suffix}"
    run.save(path)
    with pytest.raises(um.ModelError, match="overwrite=True"):
        run.save(path)
    run.save(path, overwrite=True)
    assert np.array_equal(um.load_run(path).q, run.q)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_only_runs_are_ever_replaced(run, tmp_path, suffix):
    folder, file = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work")
    file.write_text("notes")
    for path in (folder, file):
        with pytest.raises(um.ModelError, match="save: path: expected a saved run"):
            run.save(path, overwrite=True)
    assert (folder / "thesis.tex").read_text() == "years of work"
    assert file.read_text() == "notes"


@pytest.mark.parametrize("place", ["notes.txt", "q/notes.txt"])
def test_a_run_with_foreign_files_in_it_is_not_replaced(run, tmp_path, place):
    path = tmp_path / "run.zarr"
    run.save(path)
    (path / place).write_text("mine")
    with pytest.raises(um.ModelError, match="it also holds"):
        run.save(path, overwrite=True)
    assert (path / place).read_text() == "mine"


def test_foreign_files_beside_the_arrays_are_ignored_aloud_among_them_damage(run, tmp_path):
    path = tmp_path / "run.zarr"
    run.save(path)
    (path / "notes.txt").write_text("mine")
    with pytest.warns(um.ModelWarning, match=r"notes\.txt"):
        assert np.array_equal(um.load_run(path).q, run.q)
    (path / "q" / "9.9.9").write_text("a chunk too many")
    with pytest.raises(um.DataError, match=r"9\.9\.9"):
        um.load_run(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damage_of_any_kind_is_a_data_error(run, tmp_path, suffix):
    path = tmp_path / f"run{suffix}"
    run.save(path)
    untouched = tmp_path / "kept"
    shutil.copytree(path, untouched) if path.is_dir() else shutil.copy(path, untouched)
    rng = random.Random(4)
    for _ in range(40):
        done = damage(path, rng)
        with pytest.raises(um.DataError) as caught:
            um.load_run(path)
        assert str(tmp_path) in str(caught.value), done
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(untouched, path) if untouched.is_dir() else shutil.copy(untouched, path)
    assert np.array_equal(um.load_run(path).q, run.q)


@pytest.mark.parametrize(("suffix", "more"), one_in(3, [(".zarr", ["journal"]), (".zarr", []), (".nc", [])]))
def test_killed_while_saving_the_old_run_or_the_new_one_is_there(tmp_path, suffix, more):
    result = run_python("-m", "tests.support.kills", tmp_path / f"run{suffix}", "6", "3", *more, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    *states, left = result.stdout.splitlines()
    assert len(states) == 6
    assert set(states) <= {"old", "new"}
    assert left == f"left ['run{suffix}']"


def test_a_replacement_cut_short_at_any_rename_is_finished(run, tmp_path, monkeypatch):
    path = tmp_path / "run.zarr"
    other = run.sample(0)
    monkeypatch.setattr(placing, "_exchange", lambda a, b: False)

    class Killed(BaseException):
        pass

    for stop in range(3):
        shutil.rmtree(path, ignore_errors=True)
        run.save(path)
        renames = 0
        real = os.rename

        def counted(a, b, stop=stop, real=real):
            nonlocal renames
            if renames == stop:
                raise Killed
            renames += 1
            real(a, b)

        with monkeypatch.context() as cut:
            cut.setattr(placing.os, "rename", counted)
            cut.setattr(placing, "recover", lambda path: None)  # a kill runs no handler
            cut.setattr(placing.shutil, "rmtree", lambda *a, **k: None)
            with contextlib.suppress(Killed):
                other.save(path, overwrite=True)
        found = um.load_run(path)
        assert np.array_equal(found.q, other.q)
        assert not list(tmp_path.glob("*.journal"))


def test_a_full_disk_leaves_the_old_run(run, tmp_path, monkeypatch):
    for suffix in SUFFIXES:
        path = tmp_path / f"run{suffix}"
        run.save(path)

        def full(handle):
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(placing.os, "fsync", full)
            with pytest.raises(OSError, match="No space left"):
                run.sample(0).save(path, overwrite=True)
        assert np.array_equal(um.load_run(path).q, run.q)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(f"run{s}" for s in SUFFIXES)


def test_runs_of_the_first_version_load_with_a_warning(run, tmp_path):
    from unmoored.simulation.run_dataset import as_dataset

    data = as_dataset(run).assign_attrs(format="unmoored run 1")
    data.to_zarr(tmp_path / "a.zarr", mode="w", consolidated=False, zarr_format=2)
    data.to_netcdf(tmp_path / "b.nc", engine="h5netcdf")
    for name in ("a.zarr", "b.nc"):
        with pytest.warns(um.ModelWarning, match="nothing could be checked"):
            assert np.array_equal(um.load_run(tmp_path / name).q, run.q)
        run.save(tmp_path / name, overwrite=True)
        assert um.load_run(tmp_path / name).status == run.status


def test_a_folder_that_cannot_be_read_is_told_and_not_taken_for_an_empty_one(run, tmp_path, monkeypatch):
    path, scandir = tmp_path / "run.zarr", os.scandir
    run.save(path)

    def locked(folder):
        if str(folder).endswith("/q"):
            raise PermissionError(13, "Permission denied")
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", locked)
    with pytest.raises(
        um.DataError, match=r"zarr: folder: expected one that can be read, given Permission denied"
    ):
        um.load_run(path)


def test_the_manifest_cannot_be_taken_away(run, tmp_path):
    path = tmp_path / "run.zarr"
    run.save(path)
    (path / manifest.NAME).unlink()
    with pytest.raises(um.DataError, match="digests"):
        um.load_run(path)


def rewritten(path, change):
    """Change files of a .zarr run and write a manifest that fits again, as somebody with bad intentions would."""
    files = {p.relative_to(path).as_posix(): p.read_bytes() for p in path.rglob("*") if p.is_file()}
    del files[manifest.NAME]
    change(files)
    shutil.rmtree(path)
    placing.place_folder(path, manifest.with_manifest(files))


def attribute(name, value):
    def change(files):
        files[".zattrs"] = json.dumps(json.loads(files[".zattrs"]) | {name: value}).encode()

    return change


def array(name, **fields):
    def change(files):
        about = json.loads(files[f"{name}/.zarray"]) | fields
        files[f"{name}/.zarray"] = json.dumps(about).encode()

    return change


HOSTILE = {
    "status that is not texts": attribute("status", "[]"),
    "status of another kind": attribute("status", "7"),
    "no status": attribute("status", None),
    "status with a wrong time": attribute("status", '[{"kind": "completed", "time": []}, "completed"]'),
    "status with escapes": attribute("status", '[{"kind": "event", "where": "\\u001b[2J"}, "completed"]'),
    "status of no kind": attribute("status", '[{"kind": "fine"}, "completed"]'),
    "broken scenario": attribute("scenario", "{"),
    "system that is none": attribute("system", "bodies: []"),
    "another format": attribute("format", "unmoored run 99"),
    "a pickle filter": array("q", filters=[{"id": "pickle"}]),
    "objects": array("q", dtype="|O", filters=[{"id": "pickle"}]),
    "an unknown compressor": array("q", compressor={"id": "json2"}),
    "a huge array": array("q", shape=[2, 10**9, 14], chunks=[2, 10**9, 14]),
    "rows that are missing": lambda files: files.pop(next(n for n in files if n.startswith("q/0"))),
    "a name that leads out": lambda files: files.update({"q/../../x": b""}),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_runs_made_to_do_harm_are_data_errors(run, tmp_path, what):
    path = tmp_path / "run.zarr"
    run.save(path)
    try:
        rewritten(path, HOSTILE[what])
    except FileNotFoundError:
        pytest.skip("cannot even be written")
    with pytest.raises(um.DataError):
        um.load_run(path)


def test_a_compressed_archive_is_refused(run, tmp_path):
    path = tmp_path / "run.zarr.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(".zattrs", b"0" * 10**7)
    with pytest.raises(um.DataError):
        um.load_run(path)


def test_sizes_are_bounded_and_the_message_says_how_to_raise_them(run, tmp_path):
    assert inspect.signature(um.load_run).parameters["largest"].default == 16 * 1024**3  # if nothing is said
    run.save(tmp_path / "run.nc")
    with pytest.raises(um.DataError, match=r"at most 1,000 bytes of arrays .*largest="):
        um.load_run(tmp_path / "run.nc", largest=1000)


def test_folders_pipes_and_files_in_the_wrong_place_are_data_errors(run, tmp_path):
    os.mkfifo(tmp_path / "pipe.nc")
    (tmp_path / "folder.nc").mkdir()
    (tmp_path / "file.zarr").write_text("")
    for name in ("pipe.nc", "folder.nc", "file.zarr"):
        with pytest.raises(um.DataError):
            um.load_run(tmp_path / name)


def test_names_and_formats_of_parameters_are_kept(tmp_path):
    plant = um.Plant(small_arm(), world=um.Earth(), free=["arm1.mass", "gravity"])
    q, v = states(plant.system, 3)
    masses = {"arm1.mass": [1.0, 2.0, 3.0]}
    run = um.simulate(plant, q, v, duration=0.1, step=0.01, parameters=masses, dtype="float32")
    assert run.q.dtype == np.float32
    data = run.dataset()
    np.testing.assert_array_equal(data["parameters"].sel(parameter="arm1.mass"), [1.0, 2.0, 3.0])
    assert list(data["parameter"].values) == ["arm1.mass", "gravity[0]", "gravity[1]", "gravity[2]"]
    for suffix in SUFFIXES:
        run.save(tmp_path / f"run{suffix}")
        back = um.load_run(tmp_path / f"run{suffix}")
        assert back.parameter_names == run.parameter_names
        for name in ("q", "v", "t", "parameters"):
            assert getattr(back, name).dtype == getattr(run, name).dtype
            assert np.array_equal(getattr(back, name), getattr(run, name))


def test_meshes_are_found_again_in_the_roots(tmp_path):
    home, moved = tmp_path / "home" / "meshes", tmp_path / "moved" / "meshes"
    home.mkdir(parents=True)
    (home / "link.stl").write_bytes(b"solid")
    b = um.SystemBuilder("drawn")
    visuals = [um.Mesh(str(home / "link.stl"))]
    b.vehicle("bus", um.Free(), inertia=um.Inertia.box(mass=1.0, size=(1, 1, 1)), visuals=visuals)
    system = b.build()
    run = um.simulate(system, system.neutral(), None, duration=0.1, step=0.01)
    run.save(tmp_path / "run.nc")
    with pytest.warns(um.ModelWarning, match="1 mesh files not found"):
        bare = um.load_run(tmp_path / "run.nc")
    assert bare.system.tree.bodies[0].visuals[0].path == "link.stl"
    assert um.load_run(tmp_path / "run.nc", roots=[home]).system == system
    home.parent.rename(moved.parent)
    found = um.load_run(tmp_path / "run.nc", roots=[moved.parent])
    assert found.system.tree.bodies[0].visuals[0].path == str(moved / "link.stl")


def test_what_a_loaded_run_cannot_know_without_its_plant_is_refused(tmp_path):
    """Its momentum was that of the dry bodies, and its elements were none, in silence."""
    builder = um.SystemBuilder("ball")
    inertia, fluid = um.Inertia.sphere(mass=5.0, radius=0.1), um.Fluid.sphere(0.1, 1025.0)
    builder.vehicle("ball", um.Prismatic((0, 0, 1)), inertia=inertia, fluid=fluid)
    tether = um.SpringDamper("world", "ball", stiffness=1.0, rest_length=0.0, name="tether")
    wet = um.Plant(builder.build(), um.Ocean(), elements=[tether])
    run = um.simulate(wet, [0.1], [0.2], duration=0.1, step=0.01)
    run.save(tmp_path / "wet.nc")
    loaded = um.load_run(tmp_path / "wet.nc")
    with pytest.raises(um.ModelError, match=r"run: momentum: expected its plant, um.load_run"):
        loaded.momentum()
    with pytest.raises(um.ModelError, match=r"run: element_loads: expected its plant.*which had tether"):
        _ = loaded.element_loads
    assert loaded.plot("momentum") is not None  # says so
    known = um.load_run(tmp_path / "wet.nc", wet)
    assert np.array_equal(known.momentum(), run.momentum())
    assert np.array_equal(known.element_loads["tether"], run.element_loads["tether"])
    dry = um.simulate(um.Plant(wet.system, um.Earth()), [0.1], [0.2], duration=0.1, step=0.01)
    dry.save(tmp_path / "dry.nc")
    assert np.abs(um.load_run(tmp_path / "dry.nc").momentum() - dry.momentum()).max() < 1e-15
    assert um.load_run(tmp_path / "dry.nc").element_loads == {}


def test_an_array_has_all_of_its_chunks_and_no_more():
    """As many as its shape has parts of a chunk's size along each axis; one if it is a number, any if it is empty."""
    about = {"compressor": None, "filters": None, "dtype": "<f8"}

    def check(shape, chunks, files, **other):
        names = {f"q/{name}": b"" for name in (".zarray", ".zattrs", *files)} | {"q2/0": b"", "v/0": b""}
        saved_run._check_array("q/.zarray", about | {"shape": shape, "chunks": chunks} | other, names)

    six = [f"{i}.{j}.0" for i in range(2) for j in range(3)]
    for shape, chunks in (([2, 21, 3], [1, 10, 3]), ([2, 30, 4], [1, 10, 4]), ([2, 21, 3], [1, 8, 5])):
        check(shape, chunks, six)
        for files in (six[1:], [*six, "2.0.0"]):
            with pytest.raises(um.DataError) as caught:
                check(shape, chunks, files)
            assert str(caught.value) == f"q/.zarray: chunks: expected 6, given {len(files)}"
    check([], [], ["0"])
    check([0, 3], [1, 3], [])
    check([0, 3], [1, 3], ["0.0"])
    check([2], [1], ["0", "1"], compressor={"id": "zstd"}, dtype="|b1")
    for other in (
        {"compressor": {"id": "pickle"}}, {"filters": [{"id": "zlib"}]}, {"dtype": "|O8"}, {"dtype": "<M8"},
    ):  # fmt: skip
        with pytest.raises(
            um.DataError, match=r"^q/.zarray: array: expected plain numbers without filters, comp"
        ):
            check([2], [1], ["0", "1"], **other)


def test_what_is_no_run_is_named_when_it_is_not_replaced(run, tmp_path):
    """Of many files eight; a file of another program has its own head, or does not speak of unmoored."""
    path = tmp_path / "run.zarr"
    run.save(path)
    for k in range(9):
        (path / f"note{k}").write_text("mine")
    with pytest.raises(um.ModelError) as caught:
        run.save(path, overwrite=True)
    held = ", ".join(f"note{k}" for k in range(8))
    assert str(caught.value).endswith(f"given {path}: it also holds {held}")
    for head, ours in ((b"\x89HDF\r\n\x1a\n", True), (b"\x89HDF\r\n\x1a\r", False)):
        for words in (b"unmoored run 1", b"another program"):
            file = tmp_path / "run.nc"
            file.write_bytes(head + b"0" * 100 + words)
            known = ours and words.startswith(b"unmoored")
            assert saved_run._foreign_file(file) == (None if known else "not written by unmoored")
    for name, why in (("missing.zarr", "not a folder"), ("run.nc", "not a folder")):
        assert saved_run._foreign_folder(tmp_path / name) == why
    assert saved_run._foreign_file(path) == "not a regular file"
    (tmp_path / "link.nc").symlink_to(tmp_path / "run.nc")
    assert saved_run._foreign_file(tmp_path / "link.nc") == "not a regular file"
    (tmp_path / "link.zarr").symlink_to(path)
    assert saved_run._foreign_folder(tmp_path / "link.zarr") == "not a folder"


def test_names_of_runs_end_in_one_of_three_ways(run, tmp_path):
    for name, kind in (("a.zarr", ".zarr"), ("a.b.zarr.zip", ".zarr.zip"), ("zarr.nc", ".nc")):
        assert saved_run.kind_of(Path(name)) == kind
    for name in ("a.zip", "a.h5", ".nc", ".zarr", "zarr"):
        told = f"^{name}: file type: expected one of .zarr, .zarr.zip, .nc, given {Path(name).suffix}$"
        with pytest.raises(um.ModelError, match=told.replace(".", r"\.")):
            saved_run.kind_of(Path(name))
    with pytest.raises(
        um.ModelError, match="load_run: path: expected a file or directory that exists, given"
    ):
        um.load_run(tmp_path / "none.nc")
    with pytest.raises(um.ModelError) as caught:
        run.save(tmp_path)
    assert "file type" in str(caught.value)
