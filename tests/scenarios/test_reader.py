"""Scenario files: what they say arrives in the run, and every mistake is told with its line."""

import json
from pathlib import Path

import numpy as np
import pytest

import unmoored as um
from unmoored.model.files.yaml.yaml_document import parse_document
from unmoored.simulation.scenario import is_scenario, json_schema, parse_scenario, scenarios
from unmoored.simulation.scenario.inlined_tables import InlinedTables
from unmoored.simulation.scenario.laws import controller_of
from unmoored.simulation.scenario.overrides import overridden

ROOT = Path(__file__).parents[2]
PENDULUM = """unmoored: 1
name: pendulum
bodies:
  - {name: bob, parent: world, joint: {type: Revolute, axis: [0, 1, 0]}, inertia: {mass: 2, com: [0, 0, -1]}}
frames:
  - {name: tip, parent: bob, at: {xyz: [0, 0, -1]}}
"""
SWING = """unmoored_scenario: 1
name: swing
system: pendulum.yaml
world: {type: Earth, gravity: [0, 0, -9.81]}
initial:
  joints: {bob: 0.5}
  velocities: {bob: 0.1}
integrator: {step: 0.01}
duration: 1
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pendulum.yaml").write_text(PENDULUM, encoding="utf-8")
    return tmp_path


def read(folder, text, *settings):
    return parse_scenario(text, "swing.yaml", folder=folder, settings=settings)


def problems(folder, text, *settings):
    with pytest.raises(um.ModelError) as caught:
        read(folder, text, *settings)
    return [str(problem) for problem in caught.value.problems]


def test_what_the_file_says_is_what_runs(folder):
    scenario = read(folder, SWING)
    assert scenario.q0.tolist() == [0.5]
    assert scenario.v0.tolist() == [0.1]
    run = scenario.run()
    direct = um.simulate(
        um.Plant(um.load(folder / "pendulum.yaml"), um.Earth((0, 0, -9.81))),
        [0.5],
        [0.1],
        duration=1.0,
        step=0.01,
    )
    assert np.array_equal(run.q, direct.q)
    assert run.scenario is not None
    assert run.scenario["name"] == "swing"


def test_all_problems_are_told_at_once_with_their_lines(folder):
    text = SWING.replace("joints: {bob: 0.5}", "joints: {bib: 0.5}").replace("{bob: 0.1}", "{bob: [1, 2]}")
    text = text.replace("duration: 1", "duration: -1").replace("{step: 0.01}", "{step: 0.01, method: rk5}")
    found = problems(folder, text)
    assert any(line.startswith("swing.yaml:6: initial.joints.bib") and "bob" in line for line in found)
    assert any(line.startswith("swing.yaml:7: initial.velocities.bob") for line in found)
    assert any(line.startswith("swing.yaml:8: integrator.method") and "rkmk4" in line for line in found)
    assert any(line.startswith("swing.yaml:9: duration") for line in found)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("duration: 1", "duraton: 1"), ("swing.yaml:9: duraton: unknown key", "duration")),
        (("duration: 1", "duration: long"), ("swing.yaml:9: duration", "one number")),
        (("type: Earth", "type: Mars"), ("swing.yaml:4: world: type", "Ocean")),
        (("gravity: [0, 0, -9.81]", "gravity: 9.81"), ("swing.yaml:4: world.gravity", "3 numbers")),
        (("pendulum.yaml", "nowhere.yaml"), ("swing.yaml:3: system", "no such file")),
        (("pendulum.yaml", "free_flyer"), ("swing.yaml:3: system", "free_flyer_arm7")),
        (("{bob: 0.5}", "{bob: {xyz: [0, 0]}}"), ("swing.yaml:6: initial.joints.bob.xyz", "3 numbers")),
        (("duration: 1", "duration: 1\nevents: [{channel: tip.q, crosses: 0}]"), ("swing.yaml:10", "tip.q")),
        (("duration: 1", "duration: 1\nevents: [{channel: tip.x}]"), ("swing.yaml:10", "rises_above")),
        (("duration: 1", "duration: 1\noutputs: {channels: [bob.vx]}"), ("swing.yaml:10", "bob")),
        (
            ("duration: 1", "duration: 1\nsweeps: {mass: {type: Values, values: [1]}}"),
            ("swing.yaml:10", "initial"),
        ),
        (("duration: 1", "duration: 1\nparameters: {bob.weight: 1}"), ("unknown free number", "bob.")),
        (
            ("duration: 1", "duration: 1\nprescribed: {bob: {type: Quintic, times: [0], values: [0, 1]}}"),
            ("times",),
        ),
        (
            ("duration: 1", "duration: 1\ncontrollers: [{type: JointPD, stiffness: 1}]"),
            ("swing.yaml:10", "damping"),
        ),
        (
            ("duration: 1", "duration: 1\ncontrollers: [{type: Inputs, values: {arm: 1}}]"),
            ("swing.yaml:10", "bob"),
        ),
        (("duration: 1", "duration: 1\nactuators: [{type: JointMotor, joint: arm}]"), ("arm", "bob")),
        (
            ("duration: 1", "duration: 1\nworlds: [{type: Space}]"),
            ("swing.yaml:10: worlds: worlds: expected either world or worlds, given both",),
        ),
        (
            (
                "duration: 1",
                "duration: 1\nallocation: {regularization: 0.1}\ncontrollers: [{type: Inputs, values: {}}]",
            ),
            (
                "swing.yaml:10: allocation: allocation: expected actuators to share forces out among, given none",
            ),
        ),
        (
            (
                "duration: 1",
                "duration: 1\nactuators: [{type: JointMotor, joint: bob}]\nunloading: {vehicle: bob}\n"
                "allocation: {regularization: 0.1}",
            ),
            ("swing.yaml:11: unloading: unloading: expected either allocation or unloading, given both",),
        ),
        (
            (
                "{step: 0.01}\nduration: 1",
                "{step: 0.01, control_step: 0.1}\nduration: 1\n"
                "sensors: [{type: Encoder, name: turn, joints: [bob], noise: 0.01}]\n"
                "filter: {type: PlantFilter, sensors: [turn]}",
            ),
            ("filter", "controllers: expected a law that acts on the estimate, given none"),
        ),
        (
            ("duration: 1", "duration: 1\noutputs: {frames: [tip, tap]}"),
            ("swing.yaml:10: outputs.frames[1]: unknown frame: expected one of bob, tip, given 'tap'",),
        ),
        (
            ("velocities: {bob: 0.1}", "velocities: {bob: 0.1}\n  actuators: {motor.speed: 1}"),
            ("swing.yaml:8: initial.actuators.motor.speed: unknown state: expected one of none",),
        ),
        (
            ("{step: 0.01}", "{step: 0.01, method: dopri5, tolerances: {relative: -1}}"),
            ("swing.yaml:8: integrator.tolerances",),
        ),
    ],
)
@pytest.mark.whole
def test_a_mistake_is_told_with_its_line_and_what_would_be_right(folder, change, words):
    text = SWING.replace(*change)
    assert text != SWING
    told = "\n".join(problems(folder, text))
    for word in words:
        assert word in told


def test_settings_replace_values_of_the_file(folder):
    settings = (
        "duration=2",
        "initial.joints.bob=-1",
        "world.gravity=[0, 0, -1.62]",
        "outputs.record_every=10",
    )
    scenario = read(folder, SWING, *settings)
    assert (scenario.duration, scenario.q0[0], scenario.record_every) == (2.0, -1.0, 10)
    assert scenario.plant.gravity[2] == -1.62
    assert "one number" in problems(folder, SWING, "duration=x")[0]
    assert "key=value" in problems(folder, SWING, "duration")[0]
    assert "holds others" in problems(folder, SWING, "duration.x=1")[0]


def test_events_stop_where_a_channel_passes_a_value(folder):
    text = SWING + "events: [{name: level, channel: bob, falls_below: 0}]\n"
    run = read(folder, text, "duration=3", "integrator.step=0.001").run()
    assert str(run.status[0]).startswith("stopped: event level")
    assert abs(run.q[-1, 0]) < 1e-9


def test_sweeps_make_samples_that_are_what_they_say(folder):
    text = SWING + (
        "sweeps:\n"
        "  initial.joints.bob: {type: Range, start: 0.1, stop: 0.3, count: 3}\n"
        "  parameters.bob.mass: {type: Values, values: [1, 4]}\n"
        "  initial.velocities.bob: {type: Uniform, low: -1, high: 1}\n"
        "samples: 2\nseed: 3\n"
    )
    scenario = read(folder, text)
    assert scenario.samples == 12
    assert np.allclose(scenario.q0[:, 0], np.repeat([0.1, 0.2, 0.3], 4))
    assert np.allclose(np.ravel(scenario.parameters["bob.mass"]), np.tile([1, 1, 4, 4], 3))
    assert np.all(np.abs(scenario.v0) < 1)
    assert len(np.unique(scenario.v0)) == 12
    run = scenario.run()
    assert run.q.shape == (12, 101, 1)
    again = read(folder, text, "samples=3")  # more samples leave the random numbers of the key as they are
    assert np.array_equal(again.v0[:12], scenario.v0)
    alone = read(
        folder, SWING, "initial.joints.bob=0.2", f"initial.velocities.bob={float(scenario.v0[5, 0])!r}"
    ).run()
    assert np.allclose(alone.q, run.q[5], rtol=0, atol=1e-14)  # a point pendulum does not care for its mass


def test_gains_can_be_swept(folder):
    text = SWING + (
        "controllers: [{type: JointPD, stiffness: 10, damping: 1, targets: {bob: 0}}]\n"
        "sweeps: {controllers.0.stiffness: {type: Values, values: [10, 40]}}\n"
    )
    run = read(folder, text).run()
    single = read(folder, text.partition("sweeps")[0]).run()
    assert np.array_equal(run.q[0], single.q)
    assert not np.allclose(run.q[1], single.q)
    assert "stiffness" in problems(folder, text.replace("0.stiffness", "0.mass"))[0]


@pytest.mark.parametrize("name", scenarios())
@pytest.mark.filterwarnings("ignore::unmoored.ModelWarning")
def test_built_in_scenarios_have_a_line_and_their_own_name(name):
    assert um.load_scenario(name).name == name
    assert len(scenarios()[name]) > 20


def test_an_unknown_scenario_is_told_with_the_names():
    with pytest.raises(um.ModelError, match="station_keeping"):
        um.load_scenario("stationkeeping")


def test_scenario_files_are_told_from_system_files():
    assert is_scenario(SWING)
    assert not is_scenario(PENDULUM)


def test_the_published_schema_is_current():
    path = ROOT / "docs" / "schema" / "scenario-v1.json"
    assert json.loads(path.read_text(encoding="utf-8")) == json_schema()


def test_noise_makes_samples_differ(folder):
    text = SWING + (
        "controllers: [{type: JointPD, stiffness: 10, damping: 1, targets: {bob: 0}}]\n"
        "noise: {velocity: 0.1}\nsamples: 3\nseed: 4\n"
    )
    run = read(folder, text).run()
    assert run.q.shape == (3, 101, 1)
    assert len(np.unique(run.q[:, -1, 0])) == 3


@pytest.mark.parametrize("name", ["../escaped", "/somewhere/x", "..", ".x", "a\\b", "\x1b[2J", "a\nb"])
def test_a_scenario_is_not_called_like_a_path(name, tmp_path):
    with pytest.raises(um.ModelError, match="name"):
        um.load_scenario("gantry_crane", settings=[f"name={json.dumps(name)}"])


def test_a_scenario_is_no_system(tmp_path):
    path = tmp_path / "self.yaml"
    path.write_text(
        "unmoored_scenario: 1\nname: x\nsystem: self.yaml\nduration: 1\nintegrator: {step: 0.1}\n",
        encoding="utf-8",
    )
    with pytest.raises(um.ModelError, match="expected a system file, given a scenario file"):
        um.load_scenario(path)


SIZES = {
    "samples": ("samples", ["samples=10000000"]),
    "range": ("samples", ["sweeps={parameters.x: {type: Range, start: 0, stop: 1, count: 9000000}}"]),
    "duration": ("steps", ["duration=1e29"]),
    "step": ("steps", ["integrator.step=1e-30"]),
    "rows": ("rows", ["duration=900000", "integrator.step=0.001"]),
}


@pytest.mark.parametrize("what", SIZES)
def test_sizes_are_bounded_and_the_bound_is_told(what):
    name, settings = SIZES[what]
    with pytest.raises(um.ModelError, match=f"unmoored.limits.{name} raises it"):
        um.load_scenario("gantry_crane", settings=settings)


@pytest.mark.parametrize(
    ("settings", "numbers"),
    [((), 101 * 2), (("outputs={record_every: 10}",), 11 * 2), (("samples=3",), 101 * 2 * 3)],
)
def test_the_numbers_that_a_run_keeps_are_bounded_just_there(folder, monkeypatch, settings, numbers):
    monkeypatch.setattr(um.limits, "rows", numbers)
    read(folder, SWING, *settings)
    monkeypatch.setattr(um.limits, "rows", numbers - 1)
    with pytest.raises(um.ModelError, match="record_every says how often"):
        read(folder, SWING, *settings)


def test_a_sea_has_not_too_many_waves():
    with pytest.raises(um.ModelError, match=r"unmoored.limits.waves raises it"):
        um.Sea(um.Jonswap(2.0, 8.0), count=10_000_000)


def test_rows_of_different_lengths_are_refused():
    with pytest.raises(um.ModelError, match="lists of the same length"):
        um.Quintic([0.0, 1.0], [[1.0, 2.0], [3.0]])


@pytest.mark.parametrize(
    ("first", "kind"), [("unmoored_campaign: 1", "a campaign"), ("unmoored: 1", "a system")]
)
def test_files_of_other_kinds_are_called_by_their_kind(first, kind):
    with pytest.raises(um.ModelError, match=f"kind: expected a scenario file .* given {kind}"):
        parse_scenario(f"{first}\nname: x\n", "x.yaml")


def test_laws_of_a_scenario_are_added_up_and_only_forces_are_shared_out():
    builder = um.SystemBuilder("cart")
    builder.vehicle("cart", um.Prismatic((1, 0, 0)), inertia=um.Inertia(2.0, (0, 0, 0), np.eye(3)))
    system = builder.build()
    plant = um.Plant(system, actuators=[um.Thruster("cart", direction=(-1, 0, 0), name="jet")])
    q, v = np.array([0.5]), np.array([0.3])

    def makers(*places):
        held = [lambda x=x, **given: um.JointPD(plant, {"cart": x}, 4.0, 1.0, **given) for x in places]
        fixed = [lambda u=u: um.Inputs(plant, {"jet": u}) for u in (0.25, 0.5, 1.0)]
        return [*fixed, *held]

    law = controller_of(makers(1.0, 2.0, 4.0), plant, {}, {})
    force = sum(4.0 * (x - 0.5) - 0.3 for x in (1.0, 2.0, 4.0))
    assert law(0.0, q, v) == pytest.approx([1.75 - force], abs=1e-4)  # regularised
    assert controller_of(makers(), plant, {}, {})(0.0, q, v) == pytest.approx([1.75])
    assert controller_of([], plant, {}, {}) is None


def test_settings_of_items_are_by_numbers_that_there_are():
    document = parse_document("laws: [{a: 1}, {a: 2}]\nlist: [1, 2]\n", "file")
    assert overridden(document, ["laws.1.a=5", "list.0=7"]).data == {
        "laws": [{"a": 1}, {"a": 5}],
        "list": [7, 2],
    }
    for key in ("laws.2.a", "list.2", "list.-1", "list.x"):
        with pytest.raises(um.ModelError, match=f"--set: {key}: expected an index from 0 to 1"):
            overridden(document, [f"{key}=1"])


def test_options_of_a_scenario_reach_what_shares_its_forces_out():
    builder = um.SystemBuilder("box")
    builder.vehicle("box", um.Free(), inertia=um.Inertia.sphere(2.0, 0.3))
    system = builder.build()
    axes = np.eye(3)
    jets = [
        um.Thruster("box", at=0.5 * np.roll(axis, 1), direction=sign * axis, name=f"jet{k}{sign}")
        for k, axis in enumerate(axes)
        for sign in (1, -1)
    ]
    wheels = [
        um.ReactionWheel("box", inertia=0.01, axis=axis, name=f"wheel{k}") for k, axis in enumerate(axes)
    ]
    plant = um.Plant(system, actuators=[*jets, *wheels])

    def held(**given):
        return um.StationKeeping(plant, "box", um.Pose(), 1.0, 1.0, **given)

    shared = controller_of([held], plant, {}, {"regularization": 0.5, "keep_direction": True})
    assert isinstance(shared, um.Allocated)
    assert (shared.regularization, shared.keep_direction) == (0.5, True)
    emptied = controller_of([held], plant, {}, {}, {"vehicle": "box", "rate": 0.05})
    assert isinstance(emptied, um.Unloading)
    assert (emptied.vehicle, emptied.rate) == ("box", 0.05)


def test_parameters_of_a_file_are_numbers_with_fractions(folder):
    scenario = read(folder, SWING + "parameters: {bob.mass: 4, gravity: [0, 0, -3]}\n")
    found = {name: (x.dtype, x.tolist()) for name, x in scenario.parameters.items()}
    assert found == {"bob.mass": (float, 4.0), "gravity": (float, [0.0, 0.0, -3.0])}


def test_tolerances_of_a_file_are_those_of_the_run(folder):
    scenario = read(folder, SWING, "integrator.method=dopri5", "integrator.tolerances={relative: 1e-5}")
    assert scenario.options["tolerance"] == um.Tolerances(relative=1e-5)


class Table:
    """What a reader makes of a file."""

    files = {"response": lambda path: Table(path.read_text()), "other": lambda path: Table("other")}

    def __init__(self, text):
        self.text = text

    def to_csv(self):
        return f"csv of {self.text}"


def test_tables_beside_a_file_are_kept_in_its_data(tmp_path):
    (tmp_path / "ship.re1").write_text("content")
    tables, asked = InlinedTables(tmp_path), []
    data = {"worlds": [{"type": "Ocean"}, {"response": "ship.re1", "count": 3}]}
    assert tables.put_into(data) is data
    given = {"response": "ship.re1", "other": None, "count": 3}
    tables.read(Table, given, ("worlds", 1), lambda path, make: asked.append(path) or make())
    assert given["response"].text == "content"
    assert (given["other"], given["count"]) == (None, 3)
    assert asked == [("worlds", 1, "response")]
    kept = tables.put_into(data)
    assert kept == {"worlds": [{"type": "Ocean"}, {"response": "csv of content", "count": 3}]}
    assert data["worlds"][1]["response"] == "ship.re1"
    tables.read(int, {"response": "ship.re1"}, (), None)  # of a class without files
