"""A run that has everything comes back from disk as it was, with all of it, and its samples with theirs."""

import hashlib
import zipfile
from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest

import unmoored as um
from unmoored.dynamics.energy import Energy
from unmoored.simulation import saved_run
from unmoored.simulation.run_dataset import as_dataset, from_dataset


class Braking(um.Law):
    """Brakes by an encoder, and remembers a number and a matrix."""

    gain: float
    memory = {"pushed": 0.0, "table": np.zeros((2, 3))}

    def __call__(self, seen, memory):
        u = -self.gain * seen.y["rail"].value
        return u, {
            "pushed": memory["pushed"] + seen.period * u[0],
            "table": memory["table"] + np.outer(seen.v, seen.t * np.array([1.0, 2.0, 3.0])),
        }


def stopped(t, q, v):
    return q[0] - 0.75


def touch(t, q, v):
    return q[1] - q[0] - 0.2


@cache
def run():
    b = um.SystemBuilder("carts")
    for name, mass in (("one", 2.0), ("two", 3.0)):
        b.vehicle(name, um.Prismatic((1, 0, 0)), inertia=um.Inertia.sphere(mass, 0.1))
    motors = [um.JointMotor("one", lag=0.05, limits=(-3.0, 5.0)), um.JointMotor("two", limits=(-1.0, 2.0))]
    grasp = um.Closure("one", "two", name="grasp", active=0.0)
    plant = um.Plant(b.build(), actuators=motors, closures=[grasp], free=["two.mass"])
    sensors = [
        um.Encoder("rail", joints=("one", "two"), noise=1e-3),
        um.Encoder("b", joints="two"),
    ]
    events = [um.Event(touch, "touch", "falling", then=[um.Close("grasp")]), um.Event(stopped, "stopped")]
    return um.simulate(
        plant, [[0.0, 1.0], [0.0, 0.3], [0.1, 9.0]], [[1.0, -0.5], [2.0, -0.5], [9.0, 0.0]],
        duration=0.4, step=0.01, control_step=0.02, record_every=2, controller=Braking(0.3), sensors=sensors,
        events=events, parameters={"two.mass": [3.0, 4.0, 5.0]}, balance=True, seed=3,
    )  # fmt: skip


def same(a, b, where="run"):
    """Whether two things of arrays are equal to the bit, NaNs too, and of the same types."""
    if isinstance(a, dict):
        assert a.keys() == b.keys(), where
        for name in a:
            same(a[name], b[name], f"{where}.{name}")
    elif hasattr(a, "bias"):
        for part in ("value", "fresh", "stamp", "bias"):
            same(getattr(a, part), getattr(b, part), f"{where}.{part}")
    elif isinstance(a, Energy):
        same(a.kinetic, b.kinetic, f"{where}.kinetic")
        same(a.potential, b.potential, f"{where}.potential")
    elif isinstance(a, np.ndarray):
        assert (a.shape, a.dtype) == (b.shape, b.dtype), where
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f"), where
    else:
        assert a == b, where


#: what no file has, and what stands elsewhere in a run that was loaded
ELSEWHERE = ("plant", "law", "kept_energy", "kept_goals", "kept_estimate_errors", "kept_input_limits")


def all_the_same(a, b):
    for field in fields(um.Run):
        if field.name not in ELSEWHERE:
            same(getattr(a, field.name), getattr(b, field.name), field.name)
    same(a.energy(), b.energy())
    same(a.input_limits, b.input_limits)


def test_the_run_has_everything():
    kinds = [status.kind for status in run().status]
    assert kinds == ["completed", "completed", "event"]
    assert {event.name for event in run().events} == {"touch", "stopped"}
    assert run().lengths[2] < len(run().t)
    for name in ("u", "x", "work", "parameters"):
        assert getattr(run(), name) is not None
    assert set(run().memory) == {"pushed", "table"}
    assert set(run().switches) >= {"grasp.active", "grasp.offset"}


@pytest.mark.parametrize(("suffix", "which"), [(".nc", None), (".zarr.zip", 2), (".nc", 0), (".zarr", 1)])
def test_every_number_comes_back(tmp_path, suffix, which):
    """Of the batch, and of samples alone."""
    mine, path = run() if which is None else run().sample(which), tmp_path / f"run{suffix}"
    mine.save(path)
    all_the_same(mine, um.load_run(path, run().plant))
    assert um.load_run(path).input_limits.tolist() == [[-3.0, 5.0], [-1.0, 2.0]]


def test_samples_of_a_loaded_run_are_those_of_the_run(tmp_path):
    run().save(tmp_path / "run.nc")
    back = um.load_run(tmp_path / "run.nc", run().plant)
    for i in range(3):
        mine, own = run().sample(i), back.sample(i)
        for name in (
            "t",
            "q",
            "v",
            "u",
            "x",
            "work",
            "parameters",
            "lengths",
            "memory",
            "y",
            "switches",
            "end",
        ):
            same(getattr(mine, name), getattr(own, name), name)
        assert mine.status == own.status
        assert mine.events == own.events
        np.testing.assert_allclose(mine.energy().total, own.energy().total, rtol=1e-13)
    third = run().sample(2)  # it stopped between rows, and ends with a row there
    assert third.t[-1] == run().end["t"][2] == third.status[0].time
    assert abs(third.q[-1, 0] - 0.75) < 1e-12
    assert len(third.t) == run().lengths[2] + 1
    last = run().end
    for name in ("q", "v", "u", "x"):
        np.testing.assert_array_equal(getattr(third, name)[-1], last[name][2])
    for name in ("pushed", "table"):
        np.testing.assert_array_equal(third.memory[name][-1], last["memory"][name][2])
    np.testing.assert_array_equal(third.y["rail"].value[-1], last["y"]["rail"].value[2])


def test_a_sample_that_ended_on_a_row_has_the_energies_of_its_rows(tmp_path):
    """Those that the file kept, as there is no row more than the file has."""
    run().save(tmp_path / "run.nc")
    kept = replace(um.load_run(tmp_path / "run.nc"), end={})
    own, length = kept.sample(2), run().lengths[2]
    assert length < len(run().t)
    same(own.energy().kinetic, kept.energy().kinetic[2, :length])
    same(own.energy().potential, kept.energy().potential[2, :length])


def test_the_seal_of_an_archive_is_its_comment(tmp_path):
    run().save(tmp_path / "run.zarr.zip")
    content = (tmp_path / "run.zarr.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "run.zarr.zip") as archive:
        assert archive.testzip() is None
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}
        sealed = archive.comment
    digest = hashlib.sha256(content.removesuffix(sealed)).hexdigest()
    assert sealed == f"\nunmoored seal 1 sha256:{digest}\n".encode()


def test_names_and_units_stand_beside_the_numbers():
    data = run().dataset()
    assert data["q"].dims == ("sample", "time", "coordinate")
    assert data["u"].dims == ("sample", "time", "input")
    assert data["memory_table"].dims == ("sample", "time", "memory_table_0", "memory_table_1")
    assert data["y.rail.value"].dims == ("sample", "time", "y_rail_value_0")
    assert data["y.rail.fresh"].dims == ("sample", "time")
    assert list(data["coordinate"].values) == ["one", "two"]
    assert list(data["q_units"].values) == ["m", "m"]
    assert list(data["v_units"].values) == ["m/s", "m/s"]
    np.testing.assert_array_equal(data["parameters"].sel(parameter="two.mass"), [3.0, 4.0, 5.0])
    np.testing.assert_array_equal(data["input_limits"].values, [[-3.0, 5.0], [-1.0, 2.0]])
    assert run().sample(0).dataset()["memory_table"].dims == ("time", "memory_table_0", "memory_table_1")


def test_arrays_that_do_not_fit_each_other_are_refused():
    """Every variable of a run, cut or widened by one along each of its dimensions."""
    data = as_dataset(run())
    back = from_dataset(data, "here", run().plant)
    assert back.samples == 3
    for name in data.data_vars:
        ends = name.startswith(("end_memory_", "end_y."))
        if name in ("q_units", "v_units", "parameters"):
            continue
        if name.startswith(("switch_", "end_")) and not ends:
            continue
        inner = range(1) if ends else range(2 if "y." in name else data[name].ndim)
        for axis in inner:
            if name.startswith("memory_") and axis > 1:
                continue
            values = np.take(data[name].values, range(data[name].shape[axis] - 1), axis=axis)
            cut = data.drop_vars(name)
            cut[name] = ([f"other_{k}" for k in range(values.ndim)], values)
            with pytest.raises(um.DataError, match=r"^here: shape of .*: expected .*, given ") as caught:
                from_dataset(cut, "here", run().plant)
            if axis or ends or name in ("lengths", "input_limits"):
                shapes = f"expected {data[name].shape}, given {values.shape}"
                assert str(caught.value) == f"here: shape of {name}: {shapes}"
    for part in ("value", "fresh", "stamp", "bias"):
        with pytest.raises(
            um.DataError, match=rf"here: y.rail: expected value, fresh, stamp, bias, given no {part}"
        ):
            from_dataset(data.drop_vars(f"y.rail.{part}"), "here", run().plant)
    for lengths in ([21, 21, 22], [-1, 21, 21]):
        with pytest.raises(um.DataError, match="lengths: expected whole numbers in 0 … 21"):
            from_dataset(data.assign(lengths=("sample", lengths)), "here", run().plant)
    assert from_dataset(data.assign(lengths=("sample", [21, 0, 21])), "here", run().plant).lengths[1] == 0


def test_a_run_that_is_replaced_while_it_is_read_is_read_again(tmp_path, monkeypatch):
    """And one that is damaged is read once only."""
    path = tmp_path / "run.nc"
    run().save(path)
    real, calls = saved_run._loaded, []

    def disturbed(at, *arguments):
        calls.append(at)
        if len(calls) < 3 and replaced:
            run().sample(0).save(path, overwrite=True)
            raise um.DataError.single(str(at), "content", expected="a run", given="half of one")
        return real(at, *arguments)

    monkeypatch.setattr(saved_run, "_loaded", disturbed)
    replaced = True
    assert not um.load_run(path).batched
    assert len(calls) == 3
    calls.clear()
    replaced = False
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(um.DataError):
        um.load_run(path)
    assert len(calls) == 1


def test_a_file_as_large_as_allowed_is_read(tmp_path):
    run().save(tmp_path / "run.nc")
    size = as_dataset(run()).nbytes
    assert um.load_run(tmp_path / "run.nc", largest=size).samples == 3
    with pytest.raises(um.DataError, match="at most"):
        um.load_run(tmp_path / "run.nc", largest=size - 1)


def test_a_sample_is_asked_for_by_its_number():
    for i in (-4, 3):
        with pytest.raises(um.ModelError, match="sample: expected 0 … 2"):
            run().sample(i)
    for i in (-3, -1):
        all_the_same(run().sample(i), run().sample(3 + i))
    single = run().sample(1)
    assert single.sample(0) is single
    assert repr(replace(run(), t=run().t[:0])).startswith("<Run of 'carts': 3 samples, 0 rows, no rows,")
    assert repr(single).startswith("<Run of 'carts': 21 rows, 0.4 s, completed")
