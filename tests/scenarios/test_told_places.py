"""What is wrong in a scenario file is told by its line, by the place of its key, and in whole sentences."""

import numpy as np
import pytest

import unmoored as um
from unmoored.simulation.scenario import building, parse_scenario
from unmoored.simulation.scenario.laws import _spread

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
integrator: {step: 0.01, control_step: 0.1}
duration: 1
"""
MOTOR = "actuators: [{type: JointMotor, joint: bob, lag: 0.1}]\n"
LAW = "controllers: [{type: JointPD, targets: {bob: 0}, stiffness: 1, damping: 1}]\n"
CHANNELS = (
    "unknown channel: expected time, a joint (bob) or its .rate, a DoF (none), or .x, .y, .z, .roll, .pitch, .yaw,"
    " .tilt, .speed, .turning of a frame (bob, tip)"
)
UNKNOWN = "unknown frame or body: expected one of tip, bob, given 'bab'"
#: what stands in the place of what (at the end of the file if of nothing), and what is told of it
MISTAKES = {
    "description": ("", 'description: "a\\e[2J"\n', [
        "10: description: description: expected text of printable characters, lines and tabs, given 'a\\x1b[2J'"]),
    "name": ("name: swing", "name: a/b", [
        "2: name: name: expected no / or \\ in it and no dot at its start, given 'a/b'"]),
    "second event": ("", "events:\n  - {channel: bob, crosses: 0}\n  - {channel: bab, crosses: 0}\n", [
        f"12: events[1]: scenario: {CHANNELS}, given 'bab'"]),
    "noise": ("", "noise: {velocity: -1}\n", [
        "10: noise.velocity: value: expected standard deviations ≥ 0, given -1"]),
    "names of sensors": ("", "sensors:\n" + 2 * "  - {type: Encoder, name: a, joints: [bob]}\n", [
        "10: sensors: simulate: sensors: expected names of their own, given a, a"]),
    "second sensor": ("", "sensors:\n  - {type: Encoder, name: a, joints: [bob]}\n"
                          "  - {type: Encoder, name: b, joints: [bab]}\n", [
        "10: sensors: Encoder b: unknown joint with one degree of freedom: expected one of bob, given 'bab'",
        "12: sensors[1]: Encoder b: unknown joint with one degree of freedom: expected one of bob, given 'bab'"]),
    "sensors of a filter": ("", "sensors:\n  - {type: Encoder, name: turn, joints: [bob]}\n" + LAW
                                + "filter: {type: PlantFilter, sensors: [turn, turm]}\n", [
        "13: filter.sensors: sensor: expected a sensor of this file: turn, given 'turm'"]),
    "sensors of none": ("", LAW + "filter: {type: PlantFilter, sensors: [turn]}\n", [
        "11: filter.sensors: sensor: expected a sensor of this file: none, given 'turn'"]),
    "second criterion": ("", "passes:\n  - {name: a, channel: bob, source: s, below: 1}\n"
                             "  - {name: b, channel: bab, source: s, below: 1}\n", [
        f"12: passes[1]: run: {CHANNELS}; .distance, .angle of a frame from a target pose;"
        " .input, .duty of bob, given 'bab'"]),
    "sabotage": ("", 'sabotage:\n  good: {duration: 2}\n  "a/b": {duration: 2}\n', [
        "12: sabotage.a/b: name: expected no / or \\ in it and no dot at its start, given 'a/b'"]),
    "second channel": ("", "outputs: {channels: [bob, bab]}\n", [
        f"10: outputs.channels[1]: run: {CHANNELS}; .distance, .angle of a frame from a target pose, given 'bab'"]),
    "second frame": ("", "outputs: {frames: [tip, tap]}\n", [
        "10: outputs.frames[1]: unknown frame: expected one of bob, tip, given 'tap'"]),
    "duration": ("duration: 1", "duration: 1.005", [
        "9: duration: value: expected a multiple of the step 0.01 s, given 1.005"]),
    "no duration": ("duration: 1", "duration: 0", ["9: duration: value: expected a number > 0 (s), given 0"]),
    "no step": ("{step: 0.01", "{step: 0", ["8: integrator.step: value: expected a number > 0 (s), given 0"]),
    "second closure": ("", "closures:\n  - {frame_a: world, frame_b: bob, name: a, active: 0}\n"
                           "  - {frame_a: world, frame_b: bab, name: b}\n", [f"12: closures[1]: pendulum: {UNKNOWN}"]),
    "second element": ("", "elements:\n" + "".join(
        f"  - {{type: SpringDamper, frame_a: world, frame_b: {name}, stiffness: 1, rest_length: 0}}\n"
        for name in ("bob", "bab")), [f"12: elements[1]: pendulum: {UNKNOWN}"]),
    "constraint": ("", "constraints:\n  - {type: ChaplyginSleigh, vehicle: bob}\n", [
        "1: file: bob: ChaplyginSleigh: expected a vehicle joint that can move along the frame's x axis and turn about"
        " its z axis, given Revolute"]),
    "motion": ("", "prescribed:\n  bob: {type: Sine, amplitude: [1, 2], period: 2}\n", [
        "11: prescribed.bob: bob: Sine: expected a joint with 2 coordinates, given Revolute with 1 DoF"]),
    "moved joint": ("", "prescribed:\n  bab: {type: Sine, amplitude: 1, period: 2}\n", [
        "11: prescribed.bab: pendulum: unknown body or joint: expected one of bob, given 'bab'"]),
    "effects": ("", "joint_effects: {friction_speed: -1}\n", [
        "10: joint_effects.friction_speed: value: expected > 0, given -1"]),
    "numbers of a joint": ("{bob: 0.5}", "{bob: [0.5, 0.6]}", [
        "6: initial.joints.bob: bob: state: expected one number for its one DoF, given [0.5, 0.6]"]),
    "speeds of a joint": ("{bob: 0.1}", "{bob: [0.5, 0.6]}", [
        "7: initial.velocities.bob: bob: state: expected one number for its one DoF, given [0.5, 0.6]"]),
    "equations": ("{step: 0.01", "{equations: reduced, step: 0.01", [
        '8: integrator.equations: integrator: equations="reduced": world: expected Space() without an orbit: nothing to'
        " push against, given Earth"]),
    "name of equations": ("{step: 0.01", "{equations: other, step: 0.01", [
        "8: integrator.equations: integrator: unknown equations: expected one of full, reduced, given 'other'"]),
    "tolerances": ("{step: 0.01", "{method: dopri5, tolerances: {relative: -1}, step: 0.01", [
        "8: integrator.tolerances.relative: value: expected a number between 0 and 1, given -1"]),
    "iterations": ("{step: 0.01", "{iterations: 7, step: 0.01", [
        "8: integrator.iterations: simulate: iterations: expected none: rkmk4 does not iterate; lie_midpoint,"
        " variational do, given 7"]),
    "iterations of the midpoint": ("{step: 0.01", "{method: lie_midpoint, iterations: 1, step: 0.01", [
        "8: integrator.iterations: simulate: iterations: expected a whole number from 2 to 1000, given 1"]),
    "method": ("{step: 0.01", "{method: rk5, step: 0.01", [
        "8: integrator.method: integrator: unknown method: expected one of euler, heun, rkmk4, dopri5, lie_midpoint,"
        " variational, given 'rk5'"]),
    "key of a sweep": ("", "sweeps:\n  parameters.bob.mass: {type: Values, values: [1]}\n"
                           "  mass: {type: Values, values: [1]}\n", [
        "12: sweeps.mass: key: expected one of initial.joints.NAME, initial.velocities.NAME, parameters.NAME or"
        " controllers.0.GAIN, given 'mass'"]),
    "values of a sweep": ("", "sweeps:\n  parameters.bob.mass: {type: Uniform, low: 2, high: 1}\n", [
        "11: sweeps.parameters.bob.mass.high: value: expected ≥ low, given 1.0"]),
    "size of sweeps": ("", "sweeps:\n  parameters.bob.mass: {type: Range, start: 1, stop: 2, count: 1000}\n"
                           "  initial.joints.bob: {type: Range, start: 1, stop: 2, count: 2000}\n", [
        "10: sweeps: sweeps: samples: expected at most 1,000,000 (unmoored.limits.samples raises it),"
        " given 2,000,000"]),
    "gain": ("", LAW + "sweeps: {controllers.0.mass: {type: Values, values: [1]}}\n", [
        "10: controllers: controllers[0]: unknown gain to sweep: expected one of stiffness, damping, target,"
        " given 'mass'"]),
    "second law": ("", "controllers:\n" + "".join(
        f"  - {{type: JointPD, targets: {{{name}: 0}}, stiffness: 1, damping: 1}}\n" for name in ("bob", "bab")), [
        "12: controllers[1]: pendulum: unknown body or joint: expected one of bob, given 'bab'"]),
    "state of an actuator": ("{bob: 0.1}", "{bob: 0.1}\n  actuators: {bob_motor: 1, motor.speed: 1}", [
        "8: initial.actuators.motor.speed: unknown state: expected one of bob_motor, given 'motor.speed'"]),
    "wheels": ("", MOTOR + "unloading: {vehicle: bab}\n" + LAW, [
        "11: unloading.vehicle: value: expected one of bob, given 'bab'"]),
    "wheels of nothing": ("", "unloading: {vehicle: bob}\n" + LAW, [
        "10: unloading: unloading: expected actuators to share forces out among, given none"]),
    "world": ("{type: Earth, gravity: [0, 0, -9.81]}", "{type: Ocean, density: -1}", [
        "4: world.density: value: expected ≥ 0 (kg/m³), given -1"]),
    "second world": ("world: {type: Earth, gravity: [0, 0, -9.81]}",
                     "worlds:\n  - {type: Earth}\n  - {type: Ocean, density: -1}", [
        "6: worlds[1].density: value: expected ≥ 0 (kg/m³), given -1"]),
    "method of a plant": ("{step: 0.01, control_step: 0.1}", "{method: variational, step: 0.01}\n"
                          "prescribed: {bob: {type: Sine, amplitude: 1, period: 2}}", [
        "8: integrator.method: value: expected another one than variational: its momenta are those of all of v, given"
        " constraints, closures, prescribed joints, free masses, propellant, added mass by the immersed part"]),
    "samples": ("", "samples: 0\n", ["10: samples: value: expected greater than or equal to 1, given 0"]),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("told")
    (found / "pendulum.yaml").write_text(PENDULUM, encoding="utf-8")
    return found


def told(folder, text):
    with pytest.raises(um.ModelError) as caught:
        parse_scenario(text, "swing.yaml", folder=folder)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.whole
@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_is_told_at_its_place(folder, what):
    before, after, lines = MISTAKES[what]
    text = SWING.replace(before, after) if before else SWING + after
    if what == "state of an actuator":
        text += MOTOR
    assert told(folder, text) == [f"swing.yaml:{line}" for line in lines]


def test_mistakes_in_several_parts_are_told_together(folder):
    text = SWING.replace("{bob: 0.5}", "{bab: 1}").replace("{bob: 0.1}", "{bib: 1}")
    text += "noise: {velocity: -1}\nelements:\n"
    text += "  - {type: SpringDamper, frame_a: bab, frame_b: bob, stiffness: 1, rest_length: 0}\n"
    lines = told(folder, text)
    assert [line.partition(": ")[0] for line in lines] == [f"swing.yaml:{n}" for n in sorted(
        int(line.split(":")[1]) for line in lines
    )]  # fmt: skip
    starts = ["initial.joints.bab: ", "initial.velocities.bib: ", "noise.velocity: ", "elements[0]"]
    for start in starts:
        assert any(line.partition(": ")[2].startswith(start) for line in lines), start


@pytest.mark.parametrize("system", ["free_flyer_arm7", "pendulum.yaml"])
def test_only_a_urdf_file_has_no_base_of_its_own(folder, system):
    text = SWING.replace("pendulum.yaml", system) + "base: Free\n"
    (line,) = told(folder, text)
    assert line.startswith("swing.yaml:3: system: ")
    assert line.endswith(f"{system}: argument: expected only with a .urdf file, given base")


def test_a_mistake_in_another_file_is_told_with_its_line_there(folder):
    (folder / "broken.yaml").write_text(PENDULUM.replace("mass: 2", "mass: -2"), encoding="utf-8")
    assert told(folder, SWING.replace("pendulum.yaml", "broken.yaml")) == [
        "swing.yaml:3: system: bodies[0].inertia.mass (bob): value: expected mass ≥ 0, given -2.0"
        f" ({folder / 'broken.yaml'}:4)"
    ]


def test_a_run_is_asked_for_an_orbit_from_nought_to_its_end(folder, monkeypatch):
    asked = []
    monkeypatch.setattr(building, "check_orbit", lambda *given: asked.append(given))
    scenario = parse_scenario(SWING.replace("duration: 1", "duration: 3"), "swing.yaml", folder=folder)
    assert asked == [(scenario.plant, 0.0, 3.0, "")]


def test_states_of_actuators_that_are_not_given_begin_at_nought(folder):
    """Here the given one is the second of three."""
    motors = "".join(f"  - {{type: JointMotor, joint: bob, lag: 0.1, name: {name}}}\n" for name in "abc")
    text = SWING.replace("{bob: 0.1}", "{bob: 0.1}\n  actuators: {b: 0.5}") + f"actuators:\n{motors}"
    assert parse_scenario(text, "swing.yaml", folder=folder).options["x0"].tolist() == [0.0, 0.5, 0.0]


def test_settings_are_told_by_their_keys(folder):
    for setting, line in (
        (
            "world.gravity=[0, 0",
            "--set world.gravity:1: file: syntax: expected YAML, given expected ',' or ']', but",
        ),
        ("=3", "--set: setting: expected key=value, given '=3'"),
        ("duration", "--set: setting: expected key=value, given 'duration'"),
        ("duration.x=1", "--set: duration.x: expected a key that holds others, given a value before 'x'"),
        (
            "initial.joints.bob.x.y=1",
            "initial.joints.bob.x.y: expected a key that holds others, given a value at 'x'",
        ),
    ):
        with pytest.raises(um.ModelError) as caught:
            parse_scenario(SWING, "swing.yaml", folder=folder, settings=[setting])
        assert line in str(caught.value)
    text, settings = SWING + "parameters: {bob.mass: 4}\n", ["description=a=b", "parameters.bob.mass=3"]
    scenario = parse_scenario(text, "swing.yaml", folder=folder, settings=settings)
    assert scenario.description == "a=b"
    assert scenario.parameters["bob.mass"] == 3.0


def test_swept_gains_stand_for_all_joints_or_for_each():
    three = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(_spread(three, (2,)), [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    np.testing.assert_array_equal(_spread(three, ()), three)
    each = np.arange(6.0).reshape(3, 2)
    np.testing.assert_array_equal(_spread(each, (2,)), each)
