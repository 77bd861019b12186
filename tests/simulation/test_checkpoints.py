"""Checkpoints: no Python objects in them, damage refused, the same plant and laws or none."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tests.simulation.arms import damper, small_arm, states
from tests.simulation.test_switching_events import GRASP, LET_GO, SPEEDS, STARTS, TOUCH, carts
from tests.support.damage import damage

import unmoored as um
from unmoored.simulation.checkpoint import COURSE, Checkpoint
from unmoored.simulation.disk import digest, place_file
from unmoored.simulation.fixed_steps import Course, _clock_of, _first_size, _next_size
from unmoored.simulation.kept_task import Given, packed, task_of, unpacked
from unmoored.trace.lasting_digest import lasting_digest

ROOT = Path(__file__).parents[2]
OPTIONS = {"record_every": 5, "control_step": 0.02, "noise": um.Noise(velocity=0.01), "seed": 3}


def interrupted(path, monkeypatch, method="rkmk4", controller=damper, keeps=3, **options):
    """A run that was interrupted after some checkpoints, and the whole run."""
    system = small_arm()
    q, v = states(system, 2)
    real, kept = Checkpoint.keep, 0

    def keep(self, course):
        nonlocal kept
        real(self, course)
        kept += 1
        if kept == keeps:
            os.kill(os.getpid(), signal.SIGINT)

    given = OPTIONS | options | {"controller": controller}
    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "keep", keep)
        patch.setattr("unmoored.simulation.fixed_steps._CHUNK_SECONDS", 0.0)
        part = um.simulate(
            system,
            q,
            v,
            duration=2.0,
            step=0.01,
            method=method,
            checkpoint=path,
            checkpoint_every=0.0,
            **given,
        )
    assert any("interrupted" in str(status) for status in part.status)
    return system, um.simulate(system, q, v, duration=2.0, step=0.01, method=method, **given)


def test_a_run_is_kept_every_minute_where_nothing_else_is_said(tmp_path, monkeypatch):
    """By a clock that goes on by seven seconds whenever it is asked."""
    now, kept, real = 0.0, [], Checkpoint.keep

    def later():
        nonlocal now
        now += 7.0
        return now

    def keep(self, course):
        real(self, course)
        kept.append(now)

    monkeypatch.setattr("unmoored.simulation.checkpoint.time", SimpleNamespace(monotonic=later))
    monkeypatch.setattr("unmoored.simulation.fixed_steps._CHUNK_SECONDS", 0.0)
    monkeypatch.setattr(Checkpoint, "keep", keep)
    system, path = small_arm(), tmp_path / "kept"
    um.simulate(system, states(system, 1)[0][0], duration=0.4, step=0.01, checkpoint=path)
    begun = kept.copy()
    (path / COURSE).unlink()  # from the first step on once more
    kept.clear()
    now = 0.0
    um.resume(path, system)
    for times in (begun, kept):
        assert len(times) > 3
        assert all(60.0 <= gap < 60.0 + 3 * 7.0 for gap in np.diff([7.0, *times]))


def test_chunks_are_made_to_take_a_tenth_of_a_second():
    """So that a Ctrl-C, a bar and a checkpoint never wait for long; bounded by what one step more or less tells."""
    for seconds, size in ((0.1, 1000), (0.05, 2000), (0.15, 666), (1e-12, 8000), (0.0, 8000), (10.0, 500)):
        assert _next_size(1000, seconds, samples=1, channels=0) == size
    assert _next_size(1, 10.0, samples=1, channels=0) == 1
    assert _next_size(1 << 20, 1e-3, samples=1, channels=0) == 1 << 20
    # noise is drawn beforehand, and takes room
    for samples, channels, size in ((4000, 10, 100), (4000, 1, 1000), (3001, 2, 666), (10**7, 1, 1)):
        assert _next_size(1000, 0.1, samples=samples, channels=channels) == size


def test_a_first_chunk_is_surely_as_short():
    """By 2e8 operations in a second of a core, 3e12 of a GPU; where Python is asked, 64 calls."""
    for operations, samples in ((10, 1), (1234, 7), (10**6, 19), (10**9, 10**4)):
        for backend, rate in (("cpu", 2e8), ("cuda", 3e12)):
            loop = SimpleNamespace(operations=operations)
            kernels = SimpleNamespace(in_one=True, backend=backend, loop=lambda count, loop=loop: loop)
            size = _first_size(kernels, samples)
            assert size == 1 or size * operations * samples / rate <= 0.1
            assert (size + 1) * operations * samples / rate > 0.1
    asked = SimpleNamespace(in_one=False, backend="cpu")
    assert [_first_size(asked, samples) for samples in (1, 3, 64, 65)] == [64, 21, 1, 1]


def test_chunks_are_measured_by_the_time_that_the_loop_itself_takes():
    """On a GPU, and where Python is called, by that which passes."""
    for backend, in_one, clock in (
        ("cpu", True, time.thread_time),
        ("cpu", False, time.monotonic),
        ("cuda", True, time.monotonic),
    ):
        assert _clock_of(SimpleNamespace(backend=backend, in_one=in_one)) is clock
    assert Course(np.zeros((3, 5))).all_rows().shape == (3, 0, 0)


@pytest.mark.parametrize("method", ["rkmk4", "dopri5"])
def test_a_resumed_run_has_the_same_bits(tmp_path, monkeypatch, method):
    system, whole = interrupted(tmp_path / "kept", monkeypatch, method)
    resumed = um.resume(tmp_path / "kept", system, controller=damper)
    for name in ("t", "q", "v", "u"):
        assert np.array_equal(getattr(resumed, name), getattr(whole, name))


def test_files_whose_rows_are_whole_states_are_gone_on_with(tmp_path, monkeypatch):
    """As they were written before rows held what a reader sees only, by versions that did not tell of events."""
    path = tmp_path / "kept"
    system, whole = interrupted(path, monkeypatch, keeps=12)
    arrays, about = unpacked((path / "task").read_bytes(), "task")
    task = task_of(arrays, about, Given(um.Plant(system), damper), "task")
    state, params, states_ = task.state, task.params, []
    for k in range(12):
        draws, clock = task.draws.periods(k // 2, 1), task.schedule.clock(k)
        if k % 2 == 0:
            state = task.kernels.update(clock, state, params, draws[:, 0])
        if k % 5 == 0:
            states_.append(state)
        state = task.kernels.step(clock, state, params, draws[:, 0])
    course, about = unpacked((path / COURSE).read_bytes(), "course")
    assert len(about["rows"]) == len(states_) == 3
    assert [about.pop(name) for name in ("events", "stopped")] == [[], []]  # nor of events
    contents = [packed({"rows": rows[:, None]}, {}) for rows in states_]
    for k, content in enumerate(contents):
        place_file(path / f"rows-{k}", content)
    place_file(path / COURSE, packed(course, about | {"rows": [digest(content) for content in contents]}))
    resumed = um.resume(path, system, controller=damper)
    for name in ("t", "q", "v", "u"):
        assert np.array_equal(getattr(resumed, name), getattr(whole, name)), name


def test_no_pickle_is_written_or_read(tmp_path, monkeypatch):
    def refused(*arguments, **options):
        raise AssertionError("pickle")

    for name in ("load", "loads", "dump", "dumps", "Pickler", "Unpickler"):
        monkeypatch.setattr(f"pickle.{name}", refused)
    system, whole = interrupted(tmp_path / "kept", monkeypatch)
    assert np.array_equal(um.resume(tmp_path / "kept", system, controller=damper).q, whole.q)


def test_other_plants_laws_and_events_are_refused(tmp_path, monkeypatch):
    gain = 0.2
    system, _ = interrupted(tmp_path / "kept", monkeypatch, controller=lambda t, q, v: -gain * v)
    kept = tmp_path / "kept"
    with pytest.raises(um.ModelError, match="resume: plant: expected the plant that the run was begun with"):
        um.resume(kept)
    heavy = um.Plant(system, world=um.Earth())
    with pytest.raises(um.ModelError, match=r"plant: expected the plant .* given another one"):
        um.resume(kept, heavy)
    with pytest.raises(um.ModelError, match=r"controller: expected the controller .* given none"):
        um.resume(kept, system)
    other = 0.3
    with pytest.raises(um.ModelError, match=r"controller: .* given another one"):
        um.resume(kept, system, controller=lambda t, q, v: -other * v)
    same = 0.2
    with pytest.raises(um.ModelError, match="events: expected no events"):
        um.resume(kept, system, controller=lambda t, q, v: -same * v, events=lambda t, q, v: q[0])
    assert um.resume(kept, system, controller=lambda t, q, v: -same * v).completed


def test_other_gains_are_refused(tmp_path):
    system = small_arm()
    law = um.JointPD(um.Plant(system), {"arm1": 0.3}, stiffness=5.0, damping=1.0)
    q, v = states(system, 1)
    um.simulate(
        um.Plant(system), q[0], v[0], duration=0.1, step=0.01, controller=law, checkpoint=tmp_path / "a"
    )
    stiffer = um.JointPD(um.Plant(system), {"arm1": 0.3}, stiffness=6.0, damping=1.0)
    with pytest.raises(um.ModelError, match="gains"):
        um.resume(tmp_path / "a", um.Plant(system), controller=stiffer)
    assert um.resume(tmp_path / "a", um.Plant(system), controller=law).completed


def test_digests_see_what_functions_capture():
    def made(factor, table):
        return lambda t, q, v: factor * q + table

    one = lasting_digest(made(1.0, np.zeros(3)))
    assert one == lasting_digest(made(1.0, np.zeros(3)))
    assert one != lasting_digest(made(2.0, np.zeros(3)))
    assert one != lasting_digest(made(1.0, np.array([0.0, 0.0, -0.0])))
    assert lasting_digest(um.load("free_flyer_arm7").tree) == lasting_digest(um.load("free_flyer_arm7").tree)


LASTING = """
import sys, types
import numpy as np, unmoored as um
from unmoored.trace.lasting_digest import lasting_digest
helper = types.ModuleType("helper")
exec(f"def gain(x): return {sys.argv[1]} if x in {{'a', 'b', 'c'}} else 0.0", vars(helper))
law = lambda t, q, v: -helper.gain("a") * v
plant = um.Plant(um.load("bluerov2_heavy_alpha5"), um.Ocean(), prescribed={"base_yaw": lambda t: np.sin(t)})
print(lasting_digest(plant), lasting_digest(law))
"""


def test_digests_last_and_see_functions_of_other_modules():
    """In processes with other hashes of texts; a helper in a module that is not the law's own counts."""
    found = [
        subprocess.run(
            [sys.executable, "-c", LASTING, gain],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()
        for seed, gain in (("1", "1.0"), ("2", "1.0"), ("3", "2.0"))
    ]
    assert found[0] == found[1]
    assert (found[2][0], found[2][1] != found[0][1]) == (found[0][0], True)


def test_damaged_checkpoints_are_data_errors(tmp_path, monkeypatch):
    check_damaged(tmp_path, monkeypatch, count=60)


def check_damaged(tmp_path, monkeypatch, count):
    system, whole = interrupted(tmp_path / "kept", monkeypatch)
    (tmp_path / "kept" / "lock").unlink()
    shutil.copytree(tmp_path / "kept", tmp_path / "untouched")
    rng = random.Random(8)
    for _ in range(count):
        done = damage(tmp_path / "kept", rng)
        if "remove kept/course" not in done:  # without a course it begins anew: the same bits
            with pytest.raises((um.DataError, um.ModelError)) as caught:
                um.resume(tmp_path / "kept", system, controller=damper)
            removed = "remove kept/task" in done
            assert removed or isinstance(caught.value, um.DataError), done
        shutil.rmtree(tmp_path / "kept")
        shutil.copytree(tmp_path / "untouched", tmp_path / "kept")
    resumed = um.resume(tmp_path / "kept", system, controller=damper)
    assert np.array_equal(resumed.q, whole.q)


def test_a_file_is_no_place_for_a_checkpoint(tmp_path):
    (tmp_path / "file").write_text("")
    system = small_arm()
    with pytest.raises(um.ModelError, match="a directory that does not exist or is empty"):
        um.simulate(system, system.neutral(), None, duration=0.1, step=0.01, checkpoint=tmp_path / "file")


def test_an_empty_folder_and_one_in_folders_that_are_not_there_are_places_for_a_checkpoint(tmp_path):
    places, system = (tmp_path / "empty", tmp_path / "not" / "there" / "yet"), small_arm()
    places[0].mkdir()
    for place in places:
        um.simulate(system, system.neutral(), None, duration=0.1, step=0.01, checkpoint=place)
    assert all(any(place.iterdir()) for place in places)


def test_two_processes_cannot_work_on_one_checkpoint(tmp_path):
    system = small_arm()
    um.simulate(system, system.neutral(), None, duration=0.1, step=0.01, checkpoint=tmp_path / "a")
    hold = "import sys; from pathlib import Path; from unmoored.simulation.checkpoint import _locked"
    hold += "\nheld = _locked(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    other = subprocess.Popen(
        [sys.executable, "-c", hold, tmp_path / "a"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert other.stdout.readline() == b"held\n"
    with pytest.raises(um.ModelError, match="no other process works on"):
        um.resume(tmp_path / "a", system)
    other.communicate(b"")
    assert um.resume(tmp_path / "a", system).completed


def test_a_checkpoint_of_another_version_is_refused_unless_asked_for(tmp_path, monkeypatch):
    system = small_arm()
    um.simulate(system, system.neutral(), None, duration=0.1, step=0.01, checkpoint=tmp_path / "a")
    monkeypatch.setattr("unmoored.simulation.checkpoint.__version__", "99.0")
    with pytest.raises(um.ModelError, match="any_version=True"):
        um.resume(tmp_path / "a", system)
    assert um.resume(tmp_path / "a", system, any_version=True).completed


def test_a_scenario_resumes_by_itself(tmp_path):
    event = "events=[{channel: cart.x, rises_above: 5}]"
    scenario = um.load_scenario("gantry_crane", settings=["duration=1", event])
    whole = scenario.run(checkpoint=tmp_path / "a")
    _, about = unpacked((tmp_path / "a" / "task").read_bytes(), "task")
    assert about["scenario"]["name"] == scenario.name
    resumed = um.resume(tmp_path / "a")
    assert np.array_equal(resumed.q, whole.q)
    assert resumed.scenario == whole.scenario


def test_a_checkpoint_is_locked_as_long_as_it_lives_and_due_when_its_time_has_come(tmp_path, monkeypatch):
    system, now = small_arm(), 5.0
    monkeypatch.setattr("unmoored.simulation.checkpoint.time", SimpleNamespace(monotonic=lambda: now))
    path = tmp_path / "kept"
    um.simulate(system, system.neutral(), duration=0.02, step=0.01, checkpoint=path)
    kept = Checkpoint(path, 2.0)
    with pytest.raises(
        um.ModelError, match=r"simulate: checkpoint: .* no other process works on, given '.*kept'"
    ):
        Checkpoint(path, 2.0)
    assert not kept.due()
    now = 6.5
    assert not kept.due()
    now = 7.0
    assert kept.due()
    del kept
    assert Checkpoint(path, 0).every == 0.0
    for every in (-1e-9, True, "1", np.nan):
        with pytest.raises(um.ModelError, match="checkpoint_every: expected seconds ≥ 0"):
            Checkpoint(path, every)


def test_the_file_that_is_damaged_is_named(tmp_path, monkeypatch):
    system, _ = interrupted(tmp_path / "kept", monkeypatch, keeps=8)
    interrupted(tmp_path / "other", monkeypatch, keeps=8, seed=4)
    for name in ("task", "course", "rows-0", "rows-1"):
        path = shutil.copytree(tmp_path / "kept", tmp_path / f"without {name}")
        content = (path / name).read_bytes()
        (path / name).write_bytes(content[:-1])
        with pytest.raises(um.DataError, match=rf"without {name}.{name}: "):
            um.resume(path, system, controller=damper)
        (path / name).write_bytes((tmp_path / "other" / name).read_bytes())
        if name != "rows-0":  # which is the start of both
            with pytest.raises(um.ModelError) as told:
                um.resume(path, system, controller=damper)
            what = {"task": "course: task: expected the course of this task, given of another one"}
            what["course"] = what["task"]
            assert what.get(name, f"{name}: digest: expected ") in str(told.value)
    for path in (tmp_path / "nothing", tmp_path / "empty"):
        with pytest.raises(
            um.ModelError, match=r"resume: path: expected the directory of a checkpoint, given"
        ):
            um.resume(path, system, controller=damper)
        (tmp_path / "empty").mkdir(exist_ok=True)
    task, about = unpacked((tmp_path / "kept" / "task").read_bytes(), "task")
    for change, words in (
        ({"format": "x"}, r"kept: format: expected 'unmoored checkpoint 2', given 'x'"),
        ({"seed": None}, r"task: content: expected a task, given TypeError: "),
        ({"version": "0"}, r"resume: version: expected a checkpoint of version .* given '0'"),
    ):
        place_file(tmp_path / "kept" / "task", packed(task, about | change))
        with pytest.raises(um.ModelError, match=words):
            um.resume(tmp_path / "kept", system, controller=damper)
    place_file(tmp_path / "kept" / "task", packed(task, about))
    course, about = unpacked((tmp_path / "kept" / "course").read_bytes(), "course")
    place_file(tmp_path / "kept" / "course", packed(course, about | {"done": "many"}))
    with pytest.raises(um.DataError, match=r"kept.course: content: expected a course, given ValueError\("):
        um.resume(tmp_path / "kept", system, controller=damper)


@pytest.mark.parametrize("method", ["rkmk4", "dopri5"])
def test_what_has_happened_is_kept_with_a_course(tmp_path, monkeypatch, method):
    """Interrupted when two samples have met and go on; the third has stopped inside a step."""
    plant = um.Plant(carts(), closures=[GRASP])
    end = um.Event(lambda t, q, v: um.trace.where(um.trace.less(q[1], 5.0), 1.0, 0.055 - t), "end", "falling")
    given = {"duration": 2.5, "step": 0.05, "method": method, "events": [TOUCH, end, LET_GO]}
    whole = um.simulate(plant, STARTS, SPEEDS, **given)
    names = [[event.name for event in whole.sample(i).events] for i in range(3)]
    assert names == [["touch", "let go"], ["touch", "let go"], ["end"]]
    np.testing.assert_allclose(whole.end["t"], [2.5, 2.5, 0.055], atol=1e-9)
    real = Checkpoint.keep

    def keep(self, course):
        real(self, course)
        if len(course.happened.events) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "keep", keep)
        patch.setattr("unmoored.simulation.fixed_steps._CHUNK_SECONDS", 0.0)
        part = um.simulate(plant, STARTS, SPEEDS, **given, checkpoint=tmp_path / "a", checkpoint_every=0.0)
    assert [status.kind for status in part.status] == ["interrupted", "interrupted", "event"]
    resumed = um.resume(tmp_path / "a", plant, events=given["events"])
    assert resumed.events == whole.events
    assert resumed.status == whole.status
    for name in ("t", "q", "v"):
        assert np.array_equal(getattr(resumed, name), getattr(whole, name), equal_nan=True), name


@pytest.mark.parametrize(
    "options",
    [
        {"balance": True},
        {"method": "lie_midpoint", "iterations": 3},
        {"equations": "reduced"},
        {"dtype": "float32", "record_every": 3},
        {"backend": "numpy", "seed": 2**63, "noise": um.Noise(1e-3, 2e-3), "samples": [7, 5]},
        {"method": "dopri5", "tolerance": um.Tolerances(1e-5, 2e-5, 3e-5, 4e-5)},
    ],
    ids=lambda options: " ".join(options),
)
@pytest.mark.whole
def test_everything_that_a_run_was_asked_for_is_kept(tmp_path, options):
    system, path = small_arm(), tmp_path / "kept"
    q, v = states(system, 2)
    given = {"duration": 0.06, "step": 0.01, "t0": 2.0} | options
    whole = um.simulate(system, q, v, checkpoint=path, **given)
    resumed = um.resume(path, system)
    for name in ("t", "q", "v", "work"):
        a, b = getattr(resumed, name), getattr(whole, name)
        assert (a is None and b is None) or (a.dtype == b.dtype and np.array_equal(a, b)), name
    assert resumed.provenance | {"time": ""} == whole.provenance | {"time": ""}


def test_tasks_of_versions_that_said_less_are_those_of_usual_runs(tmp_path):
    system, path = small_arm(), tmp_path / "kept"
    q, v = states(system, 2)
    for method in ("rkmk4", "lie_midpoint"):
        run = um.simulate(system, q, v, duration=0.03, step=0.01, method=method, checkpoint=path)
        arrays, about = unpacked((path / "task").read_bytes(), "task")
        for name in ("iterations", "equations", "balance", "sensors"):
            del about[name]
        place_file(path / "task", packed(arrays, about))
        resumed = um.resume(path, system)
        assert np.array_equal(resumed.q, run.q)
        assert resumed.work is None
        shutil.rmtree(path)


def test_who_resumes_is_told_what_is_missing_or_too_much(tmp_path):
    system = small_arm()
    plant = um.Plant(system, free=["arm1.mass"])
    law = um.JointPD(plant, {"arm1": 0.3}, stiffness=5.0, damping=1.0)
    gyro = um.Gyro("gyro", "bus", noise=1e-3)
    event = um.Event(lambda t, q, v: q[12] - 3.0, "far")
    full = {"controller": law, "sensors": [gyro], "events": [event]}
    go = {"duration": 0.02, "step": 0.01, "control_step": 0.01}
    q, v = states(system, 1)
    um.simulate(plant, q[0], v[0], parameters={"arm1.mass": 3.0}, **go, **full, checkpoint=tmp_path / "full")
    um.simulate(plant, q[0], v[0], **go, checkpoint=tmp_path / "bare")
    assert um.resume(tmp_path / "full", plant, **full).completed
    for what in full:
        less = {name: x for name, x in full.items() if name != what}
        with pytest.raises(
            um.ModelError,
            match=rf"^resume: {what}: expected the {what} that the run was begun with, given none$",
        ):
            um.resume(tmp_path / "full", plant, **less)
        with pytest.raises(
            um.ModelError,
            match=rf"^resume: {what}: expected no {what}, given another one, or none was there: .*bare$",
        ):
            um.resume(tmp_path / "bare", plant, **{what: full[what]})
    others = {
        "controller": um.JointPD(plant, {"arm2": 0.3}, stiffness=5.0, damping=1.0),
        "sensors": [um.Gyro("gyro", "bus", noise=2e-3)],
        "events": [um.Event(lambda t, q, v: q[12] - 3.5, "far")],
    }
    for what, other in others.items():
        with pytest.raises(um.ModelError, match=rf"^resume: {what}: .* begun with, given another one$"):
            um.resume(tmp_path / "full", plant, **(full | {what: other}))
    for numbers in ((5.0, 1.5), (5.5, 1.0), (np.full((1, 1), 4.0), 1.0)):
        other = {"controller": um.JointPD(plant, {"arm1": 0.3}, *numbers)}
        with pytest.raises(um.ModelError, match=r"^resume: controller: expected the gains .*, given others$"):
            um.resume(tmp_path / "full", plant, **(full | other))
    with pytest.raises(
        um.ModelError, match=r"^resume: events: expected the plant beside them, given events alone$"
    ):
        um.resume(tmp_path / "full", events=[event])
    with pytest.raises(
        um.ModelError, match=r"^resume: plant: expected .*: resume\(path, plant, …\), given none$"
    ):
        um.resume(tmp_path / "full")
