"""Events that switch something in a sample: closures with their impulse, elements, failures, modes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import unmoored as um
from unmoored.model.files import yaml
from unmoored.simulation.switchboard import switchboard


@cache
def carts() -> um.System:
    """Two carts on one line, 2 and 3 kg."""
    b = um.SystemBuilder("carts")
    b.vehicle("one", um.Prismatic((1, 0, 0)), inertia=um.Inertia.sphere(mass=2.0, radius=0.1))
    b.vehicle("two", um.Prismatic((1, 0, 0)), inertia=um.Inertia.sphere(mass=3.0, radius=0.1))
    return b.build()


GRASP = um.Closure("one", "two", name="grasp", active=0.0)


def apart(t, q, v):
    return q[1] - q[0] - 0.2


def together(t, q, v):
    return t - 2.0


TOUCH = um.Event(apart, "touch", "falling", then=[um.Close("grasp")])
LET_GO = um.Event(together, "let go", "rising", then=[um.Open("grasp")])
STARTS = np.array([[0, 1.0], [0, 2.0], [0, 9.0]])
SPEEDS = np.tile([1.0, -0.5], (3, 1))


def test_carts_couple_where_they_touch() -> None:
    """Inelastic impact at its own time in each sample: times, common speed, energy lost, nothing moved by closing."""
    plant = um.Plant(carts(), closures=[GRASP])
    run = um.simulate(plant, STARTS, SPEEDS, duration=3.0, step=0.01, events=[TOUCH, LET_GO])
    assert run.completed
    times = {(e.sample, e.name): e.time for e in run.events}
    assert abs(times[0, "touch"] - 0.8 / 1.5) < 1e-12
    assert abs(times[1, "touch"] - 1.8 / 1.5) < 1e-12
    assert (2, "touch") not in times
    assert all(abs(times[i, "let go"] - 2.0) < 1e-12 for i in range(3))
    assert np.abs(run.v[:2, -1] - 0.1).max() < 1e-12  # (2·1 − 3·0.5)/5
    assert np.array_equal(run.v[2, -1], [1.0, -0.5])
    assert (
        np.abs(
            run.q[0, -1] - [0.8 / 1.5 + 0.1 * (3 - 0.8 / 1.5), 0.2 + 0.8 / 1.5 + 0.1 * (3 - 0.8 / 1.5)]
        ).max()
        < 1e-11
    )
    on = run.switches["grasp.active"]
    assert np.array_equal(on[0] > 0.5, (run.t > times[0, "touch"]) & (run.t < 2.0))
    assert np.abs(run.switches["grasp.offset"][0, -1, 0] - 0.2) < 1e-12
    E = run.energy().total
    assert abs(E[0, -1] - 0.5 * 5 * 0.01) < 1e-12
    one = um.simulate(plant, STARTS[1], SPEEDS[1], duration=3.0, step=0.01, events=[TOUCH, LET_GO])
    assert np.array_equal(one.q, run.q[1])
    assert [e.name for e in one.events] == ["touch", "let go"]
    assert [e.name for e in run.sample(1).events] == ["touch", "let go"]
    assert run.sample(1).events == one.events
    assert [e.sample for e in one.events] == [0, 0]


def test_the_earliest_event_of_a_step_comes_first() -> None:
    """Two events in one long step, the later one first in the list; one between them stops in the rest of the step."""
    late = um.Event(lambda t, q, v: t - 0.35, "late", "rising", then=[um.Open("grasp")])
    early = um.Event(lambda t, q, v: t - 0.32, "early", "rising", then=[um.Close("grasp")])
    stop = um.Event(lambda t, q, v: t - 0.38, "stop", "rising")
    plant = um.Plant(carts(), closures=[GRASP])
    run = um.simulate(plant, STARTS[0], SPEEDS[0], duration=1.0, step=0.1, events=[late, stop, early])
    assert [e.name for e in run.events] == ["early", "late", "stop"]
    assert np.abs([e.time for e in run.events] - np.array([0.32, 0.35, 0.38])).max() < 1e-12
    assert (run.status[0].kind, run.status[0].where) == ("event", "stop")
    assert abs(run.status[0].time - 0.38) < 1e-12
    assert abs(run.end["t"][0] - 0.38) < 1e-12
    # 0.32 at 1 m/s, then together at 0.1 m/s
    assert np.abs(run.end["q"][0] - [0.32 + 0.006, 1 - 0.16 + 0.006]).max() < 1e-12


def test_elements_switch_and_energy_is_theirs() -> None:
    """A spring that is on from an event on: free until then, an oscillator after; chattering has an end."""
    spring = um.SpringDamper("one", "two", stiffness=50.0, rest_length=0.5, name="spring", active=0.0)
    plant = um.Plant(carts(), elements=[spring])
    event = um.Event(lambda t, q, v: t - 0.4, "hook", "rising", then=[um.Close("spring")])
    run = um.simulate(plant, STARTS[0], SPEEDS[0], duration=1.5, step=0.01, events=[event])
    before = run.t < 0.4
    assert np.abs(run.q[before] - STARTS[0] - run.t[before, None] * SPEEDS[0]).max() < 1e-12
    m, x0, v0 = 6.0 / 5.0, 0.4 - 0.5, -1.5
    ω, τ = np.sqrt(50.0 / m), run.t[~before] - 0.4
    wanted = 0.5 + x0 * np.cos(ω * τ) + v0 / ω * np.sin(ω * τ)
    assert np.abs(run.q[~before, 1] - run.q[~before, 0] - wanted).max() < 1e-5  # rkmk4, step 0.01
    E = run.energy().total
    assert abs(E[-1] - E[0] - 0.5 * 50 * 0.01) < 1e-5
    assert np.all(run.element_loads["spring"][before] == 0)
    adaptive = um.simulate(
        plant,
        STARTS[0],
        SPEEDS[0],
        duration=1.5,
        step=0.01,
        events=[event],
        method="dopri5",
        record_every=150,
    )
    assert abs(adaptive.events[0].time - 0.4) < 1e-9
    assert abs(adaptive.q[-1, 1] - adaptive.q[-1, 0] - wanted[-1]) < 1e-7


def test_actuators_fail_and_laws_change() -> None:
    """A motor that fails at a place, and a law that is another one from then on, with held inputs."""
    motors = [um.JointMotor("one", name="drive"), um.JointMotor("two", name="brake")]
    plant = um.Plant(carts(), actuators=motors)
    law = um.Phases([um.Inputs(plant, [1.0, 0.0]), um.Inputs(plant, [1.0, -2.0])], name="law")
    there = um.Event(
        lambda t, q, v: q[0] - 0.25, "there", "rising", then=[um.Fail("drive"), um.Mode("law", 1)]
    )
    run = um.simulate(
        plant, [0, 5.0], [0, 0], duration=2.0, step=0.01, control_step=0.1, controller=law, events=[there]
    )
    t = run.events[0].time
    assert abs(t - 1.0) < 1e-10  # ½ · ½ t² = 0.25
    after = run.t >= t
    assert np.abs(run.v[after, 0] - 0.5).max() < 1e-12  # coasting
    change = 1.0 if abs(t - round(t, 1)) < 1e-9 and t <= 1.0 else np.ceil(t * 10) / 10
    wanted = np.where(run.t > change, -2.0 / 3.0 * (run.t - change), 0.0)
    assert np.abs(run.v[:, 1] - wanted).max() < 0.07  # from the next control period on
    assert run.switches["law"][-1] == 1.0
    assert run.u[-1, 1] == -2.0
    assert abs(run.switches["drive.fails_at"][-1] - t) < 1e-12
    wrong = um.Event(lambda t, q, v: q[0] - 0.25, "there", "rising", then=[um.Mode("law", 7)])
    bad = um.simulate(
        plant, [0, 5.0], [0, 0], duration=2.0, step=0.01, control_step=0.1, controller=law, events=[wrong]
    )
    assert bad.status[0].kind == "blew_up"
    assert "input" in bad.status[0].where


def test_grasp_in_water_conserves_the_impulse() -> None:
    """Two free bodies in still water without drag, wheels on one: momentum with added mass is the same after."""
    b = um.SystemBuilder("grasp")
    water = um.Fluid(added_mass=[3, 4, 5, 0.1, 0.2, 0.3], volume=0.004)
    one = b.vehicle("one", um.Free(), inertia=um.Inertia.box(mass=4.1, size=(0.3, 0.2, 0.1)), fluid=water)
    two = b.vehicle("two", um.Free(), inertia=um.Inertia.box(mass=4.1, size=(0.2, 0.3, 0.2)), fluid=water)
    b.frame("hand", parent=one, at=um.Pose(xyz=(0.2, 0, 0), rpy=(0.2, 0.1, 0)))
    b.frame("knob", parent=two, at=um.Pose(xyz=(-0.2, 0.05, 0)))
    wheel = um.ReactionWheel("one", inertia=0.01, axis=(0, 1, 0), name="wheel")
    system = b.build()
    for joint in (um.Revolute((0, 0, 1)),):
        grasp = um.Closure("hand", "knob", joint=joint, name="grasp", active=0.0)
        plant = um.Plant(system, um.Ocean(gravity=(0, 0, 0)), actuators=[wheel], closures=[grasp])
        q = system.pack({"two": um.Pose(xyz=(0.7, 0.1, 0.05), rpy=(0.1, 0, 0.3)).matrix})
        v = np.random.default_rng(0).normal(size=12) * 0.3
        event = um.Event(lambda t, q, v: t - 0.0105, "now", "rising", then=[um.Close("grasp")])
        run = um.simulate(plant, q, v, duration=0.03, step=1e-3, x0=[0.5], events=[event])
        μ = run.momentum()
        assert np.abs(μ - μ[0]).max() < 1e-9 * np.abs(μ).max()
        kinetic = run.energy().kinetic
        assert kinetic[-1] < kinetic[0] - 1e-3
        relative = np.linalg.inv(system.pose(run.q[11:], "hand")) @ system.pose(run.q[11:], "knob")
        held = np.linalg.inv(relative[0]) @ relative
        assert np.all(joint.group.contains(held, 1e-11))
        assert np.abs(system.local(run.q[10], run.q[11])).max() < 2e-3  # closing moves nothing


def test_kept_saved_and_resumed(tmp_path) -> None:
    """Events and switches survive saving; a run with events can be kept and gone on with."""
    plant = um.Plant(carts(), closures=[GRASP])
    options = {"duration": 3.0, "step": 0.01, "events": [TOUCH, LET_GO]}
    run = um.simulate(plant, STARTS, SPEEDS, **options, checkpoint=tmp_path / "kept")
    again = um.resume(tmp_path / "kept", plant, events=[TOUCH, LET_GO])
    assert np.array_equal(again.q, run.q)
    assert again.events == run.events
    run.save(tmp_path / "run.zarr")
    loaded = um.load_run(tmp_path / "run.zarr")
    assert loaded.events == run.events
    assert np.array_equal(loaded.switches["grasp.active"], run.switches["grasp.active"])
    other = um.Event(apart, "touch", "falling", then=[um.Open("grasp")])
    with pytest.raises(um.ModelError, match="events"):
        um.resume(tmp_path / "kept", plant, events=[other, LET_GO])


def test_in_a_file_with_a_sweep(tmp_path) -> None:
    """One file, samples that grasp at different times."""
    (tmp_path / "carts.yaml").write_text(yaml.format_yaml(carts().tree))
    text = """
unmoored_scenario: 1
name: grasp
system: carts.yaml
duration: 3
integrator: {step: 0.01, control_step: 0.1}
initial: {velocities: {one: 1.0, two: -0.5}}
sweeps: {initial.joints.two: {type: Values, values: [1.0, 2.0, 9.0]}}
closures:
  - {frame_a: one, frame_b: two, name: grasp, active: 0}
controllers:
  - {type: Phases, name: law, laws: [{type: Inputs, values: {one: 0}}, {type: Inputs, values: {one: 5}}]}
events:
  - {channel: two, falls_below: 0.73333333333333, then: [{type: Close, name: grasp}, {type: Mode, name: law, value: 1}]}
"""
    path = tmp_path / "grasp.yaml"
    path.write_text(text)
    run = um.load_scenario(path).run()
    assert run.completed
    assert run.samples == 3
    assert [e.sample for e in run.events] == [0, 1]
    assert run.switches["law"][0, -1] == 1.0
    assert run.v[0, -1, 0] > 1.0
    assert abs(run.v[0, -1, 0] - run.v[0, -1, 1]) < 1e-12


def test_switched_numbers_have_their_places_and_names() -> None:
    """A closure's mask and offset, then three modes: of two samples, read, changed and put into parameters by name."""
    everything = [um.Close("grasp"), um.Mode("a", 1), um.Mode("b", 2), um.Mode("c", 3)]
    board = switchboard(
        um.Plant(carts(), closures=[GRASP], free=["two.mass"]), [um.Event(apart, then=everything)]
    )
    s = np.arange(20.0).reshape(2, 10)
    assert board.size == 10
    names = {"grasp.active": 0, "grasp.offset": slice(1, 7), "a": 7, "b": 8, "c": 9}
    assert list(board.named(s)) == list(names)
    for name, place in names.items():
        assert np.array_equal(board.named(s)[name], s[:, place]), name
    assert np.array_equal(board.modes_in(s), s[:, 7:])
    params = 100.0 + np.arange(20.0).reshape(
        2, 10
    )  # mass, mask, offset, and two numbers that are not the plant's
    assert np.array_equal(board.initial(params), np.concatenate([params[:, 1:8], np.zeros((2, 3))], axis=1))
    whole = np.concatenate([params[:, :1], s[:, :7], params[:, 8:]], axis=1)
    assert np.array_equal(board.put_in(params, s), whole)
    assert np.array_equal(board._own(params, s), whole[:, :8])
    w = np.array([[1.0, 2.0], [3.0, 4.0]])
    for switch, place, value in ((um.Mode("b", 5), 8, 5.0), (um.Open("grasp"), 0, 0.0)):
        w_after, after = board.thrown([switch], np.zeros(2), np.zeros((2, 2)), w, s, params)
        expected = s.copy()
        expected[:, place] = value
        assert np.array_equal(after, expected)
        assert np.array_equal(w_after, w)


class Leaning(um.Law):
    """Pushes the second cart with all that it sees of the actuators' states."""

    memory = {}

    def __call__(self, seen, memory):
        return np.stack([0.0, seen.x.sum()]), memory


def test_every_law_sees_its_own_mode_beside_states_of_actuators() -> None:
    """Three laws in phases that add up, on a motor that lags: which of them push is told by what they push with."""
    plant = um.Plant(carts(), actuators=[um.JointMotor("one", lag=0.1), um.JointMotor("two", lag=0.2)])
    laws = [
        um.Phases([um.Inputs(plant, [0.0, 0.0]), um.Inputs(plant, [push, 0.0])], name=name)
        for name, push in (("a", 1.0), ("b", 10.0), ("c", 100.0))
    ]
    events = [
        um.Event(lambda t, q, v, at=at: t - at, f"at {at}", "rising", then=then)
        for at, then in (
            (0.05, [um.Mode("b", 1)]),
            (0.15, [um.Mode("a", 1), um.Mode("b", 0)]),
            (0.25, [um.Mode("c", 1)]),
        )
    ]
    law = laws[0] + laws[1] + laws[2] + Leaning()
    run = um.simulate(
        plant,
        [0, 5.0],
        [0, 0],
        x0=[0.5, 0.25],
        duration=0.4,
        step=0.05,
        control_step=0.1,
        controller=law,
        events=events,
    )
    assert run.u[::2, 0].tolist() == [0.0, 10.0, 1.0, 101.0, 101.0]
    assert np.abs(run.u[:-1:2, 1] - run.x[:-1:2].sum(axis=-1)).max() < 1e-14


@pytest.mark.parametrize("record_every", [1, 3])
def test_how_a_run_is_cut_into_chunks_changes_no_bit_of_what_was_switched(monkeypatch, record_every) -> None:
    """With noise on inputs that are held: samples that go on from their events draw that of their own periods."""
    plant = um.Plant(carts(), closures=[GRASP])
    given = {
        "duration": 1.6,
        "step": 0.02,
        "control_step": 0.1,
        "controller": um.Inputs(plant, [0.5, -0.25]),
        "noise": um.Noise(velocity=0.1, input=2.0),
        "seed": 4,
        "events": [TOUCH, um.Event(lambda t, q, v: t - 1.33, "let go", "rising", then=[um.Open("grasp")])],
        "record_every": record_every,
    }
    runs = []
    for seconds in (1e3, 0.0):  # all steps at once; one at a time
        monkeypatch.setattr("unmoored.simulation.fixed_steps._CHUNK_SECONDS", seconds)
        runs.append(um.simulate(plant, STARTS, SPEEDS, **given))
    whole, cut = runs
    assert [e.name for e in whole.events if e.sample < 2] == ["touch", "let go"] * 2
    assert len({e.time for e in whole.events if e.name == "touch"}) == 2
    assert whole.events == cut.events
    for name in ("t", "q", "v", "u"):
        assert np.array_equal(getattr(whole, name), getattr(cut, name)), name
    for name, values in whole.switches.items():
        assert np.array_equal(values, cut.switches[name]), name


def test_a_sample_that_blows_up_behind_an_event_did_so_at_the_event() -> None:
    """In the rest of the step, by a law that has no number for carts as slow as they are together."""
    plant = um.Plant(carts(), closures=[GRASP])
    run = um.simulate(
        plant, STARTS, SPEEDS, duration=1.0, step=0.05, events=[TOUCH],
        controller=lambda t, q, v: np.stack([0.0 * np.sqrt(v[0] - 0.5), 0.0 * t]),
    )  # fmt: skip
    met = 0.8 / 1.5
    assert [status.kind for status in run.status] == ["blew_up", "completed", "completed"]
    assert run.status[0].time == pytest.approx(met)
    np.testing.assert_allclose(run.end["t"], [met, 1.0, 1.0], rtol=1e-12)
    np.testing.assert_allclose(run.end["q"][0], [met, 1.0 - 0.5 * met], rtol=1e-12)
    assert run.lengths.tolist() == [11, 21, 21]


def test_what_is_wrong_is_told() -> None:
    plant = um.Plant(carts(), closures=[GRASP])

    def with_(*switches, **options):
        event = um.Event(apart, "touch", then=list(switches))
        return um.simulate(plant, STARTS[0], SPEEDS[0], duration=0.1, step=0.01, events=[event], **options)

    wrong = [
        (lambda: with_(um.Close("nothing")), "nothing"),
        (lambda: with_(um.Fail("grasp")), "actuator"),
        (lambda: with_(um.Mode("law", 1)), "Phases"),
        (lambda: with_(um.Mode("law", 1), controller=lambda t, q, v: 0.0 * v), "Phases"),
        (lambda: um.Event(apart, then="grasp"), "um.Close"),
        (lambda: um.Mode("law", 1.5), "whole number"),
        (lambda: um.Phases([]), "laws"),
    ]
    for make, words in wrong:
        with pytest.raises(um.ModelError, match=words):
            make()
    flicker = [
        um.Event(lambda t, q, v: v[0] - v[1] - 0.7, "again", then=[um.Close("grasp")]),
    ]
    assert um.simulate(plant, STARTS[0], SPEEDS[0], duration=0.1, step=0.01, events=flicker).completed
