"""Scenario files read the fields of public classes: one name, one declaration, and nothing that only files have."""

import dataclasses
import inspect
from functools import partial

import numpy as np
import pytest

import unmoored as um
from unmoored.model.files.yaml.yaml_document import parse_document
from unmoored.simulation.scenario import parse_scenario, registry
from unmoored.simulation.scenario.class_entries import entry_of
from unmoored.simulation.scenario.laws import controller_of

PLAIN = (um.JointEffects, um.Noise, um.Tolerances, um.ChannelEvent, um.Closure, um.Criterion)
GROUPS = (
    registry.WORLDS, registry.ACTUATORS, registry.CONSTRAINTS, registry.LAWS, registry.MOTIONS, registry.SENSORS,
    registry.FILTERS, registry.SWEEPS, registry.ELEMENTS, *registry.GROUPS.values(), PLAIN,
)  # fmt: skip
CLASSES = sorted({cls for group in GROUPS for cls in group}, key=lambda cls: cls.__name__)

#: fields that a file cannot give: functions, and the plant, which is the file's own
PYTHON_ONLY = {law.__name__: {"plant"} for law in (*registry.LAWS, *registry.FILTERS)}
#: a closing joint has none of a joint's options
PYTHON_ONLY |= {
    cls.__name__: {field.name for field in dataclasses.fields(um.Joint)} for cls in registry.GROUPS[um.Joint]
}
#: a shape's colour shows nothing where it is touched
PYTHON_ONLY |= {name: {"rgba"} for name in ("Sphere", "Capsule", "Box", "Cylinder")}

WATER = """unmoored_scenario: 1
name: water
system: bluerov2_heavy_alpha5
world: {type: Ocean}
integrator: {step: 0.01}
duration: 1
"""


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_class_is_public_and_every_field_is_a_key(cls):
    assert getattr(um, cls.__name__) is cls
    fields = {field.name for field in dataclasses.fields(cls) if field.init}
    keys = set(entry_of(cls).model_fields) - {"type"}
    assert keys == fields - PYTHON_ONLY.get(cls.__name__, set())


def test_every_public_class_of_a_kind_is_in_the_files():
    """What is added in Python is added to the files; left out are classes that take functions or other laws."""
    bases = (um.World, um.Actuator, um.Current, um.Spectrum, um.Trajectory, um.Law, um.Sensor, um.Element)
    left_out = {
        um.VaryingCurrent, um.Motion, um.WaveMotion, um.Allocated, um.Estimated, um.ModelPredictive, um.Unloading,
    }  # fmt: skip
    public = {x for name in um.__all__ if isinstance(x := getattr(um, name), type)}
    kinds = {
        cls for cls in public if issubclass(cls, bases) and cls not in bases and not inspect.isabstract(cls)
    }
    assert kinds - left_out <= set(CLASSES)


def given(text, *settings):
    return parse_scenario(text, "water.yaml", settings=settings)


def test_objects_of_a_file_are_those_of_python():
    text = WATER.replace(
        "{type: Ocean}",
        "{type: Ocean, current: {type: OscillatingCurrent, amplitude: [0.2, 0, 0], period: 60}}",
    )
    text += (
        "actuators:\n"
        "  - {type: Rotor, frame: thruster_1, name: one, drag_ratio: 0.02, spin: -1, limits: [-1, 2]}\n"
        "  - {type: JointMotor, joint: base_yaw, gear: 3}\n"
        "  - {type: Fin, frame: rov, area: 0.1, name: tail}\n"
        "noise: {velocity: 0.1}\n"
        "prescribed: {elbow_pitch:\n"
        "  {type: UntilFailure, fails_at: 2, trajectory: {type: Sine, amplitude: 1, period: 4}}}\n"
        "joint_effects: {stops: false}\n"
        "events: [{channel: rov.z, falls_below: -2}]\n"
    )
    scenario = given(text)
    plant = scenario.plant
    assert plant.worlds == (um.Ocean(um.OscillatingCurrent((0.2, 0, 0), 60.0)),)
    assert plant.actuators == (
        um.Rotor("thruster_1", name="one", drag_ratio=0.02, spin=-1, limits=(-1, 2)),
        um.JointMotor("base_yaw", gear=3),
        um.Fin("rov", 0.1, name="tail"),
    )
    assert dict(plant.prescribed)["elbow_pitch"] == um.UntilFailure(um.Sine(1.0, 4.0), 2.0)
    assert plant.joints == um.JointEffects(stops=False)
    assert scenario.noise == um.Noise(velocity=0.1)
    assert scenario.events == (um.ChannelEvent("rov.z", falls_below=-2),)


def test_laws_take_poses_motions_and_numbers():
    text = WATER + (
        "controllers:\n"
        "  - {type: StationKeeping, body: rov, pose: {xyz: [0, 0, -1], rpy: [0, 0, 1]}, stiffness: 10, damping: 5}\n"
        "  - {type: JointPD, stiffness: 3, damping: 1, targets: {base_yaw: {type: Sine, amplitude: 1, period: 2},"
        " elbow_pitch: 0.3}}\n"
        "  - {type: LinkKeeping, body: tool, pose: {xyz: [1, 0, 0]}, stiffness: 1, damping: 2}\n"
        "  - {type: ToolImpedance, frame: tool, pose: {xyz: [1, 0, 0]}, stiffness: 1, damping: 2,"
        " inertia_wanted: [1, 2, 3, 4, 5, 6]}\n"
    )
    scenario = given(text)
    plant, q = scenario.plant, scenario.q0
    law = um.StationKeeping(plant, "rov", um.Pose(xyz=(0, 0, -1), rpy=(0, 0, 1)), 10, 5)
    law = law + um.JointPD(plant, {"base_yaw": um.Sine(1.0, 2.0), "elbow_pitch": 0.3}, 3, 1)
    law = law + um.LinkKeeping(plant, "tool", um.Pose(xyz=(1, 0, 0)), 1, 2)
    law = law + um.ToolImpedance(
        plant, "tool", um.Pose(xyz=(1, 0, 0)), 1, 2, inertia_wanted=[1, 2, 3, 4, 5, 6]
    )
    v = np.linspace(-1, 1, plant.nv)
    assert np.array_equal(scenario.controller(0.7, q, v), law(0.7, q, v))


@pytest.mark.whole
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("world: {type: Ocean, current: {type: Uniform, velocity: [1, 0, 0]}}", ("old name of a", "UniformCurrent")),
        ("world: {type: Ocean, current: {type: UniformCurrent, velocity: [1, 0]}}", ("old key", "value", "'velocity'")),
        ("world: {type: Ocean, current: {type: Sheared}}", ("ShearedCurrent",)),
        ("world: {type: Ocean, current: {type: Oscillating}}", ("OscillatingCurrent",)),
        ("world: {type: Ocean, current: {type: Gulf}}", ("one of UniformCurrent", "3 numbers")),
        ("world: {type: Ocean, current: [1, 0]}", ("world.current", "3 numbers")),
        ("world: {type: Sea, spectrum: {type: Tabulated}}", ("TabulatedSpectrum",)),
        ("world: {type: Sea, heading: 140}", ("world.heading", "heading_rad")),
        ("prescribed: {elbow_pitch: {type: Constant, value: 0, fails_at: 2}}", ("old key", "UntilFailure")),
        ("controllers: [{type: JointPD, stiffness: 1, damping: 1, motions: {}, targets: {}}]", ("`targets`",)),
        (
            "controllers: [{type: ResolvedMotion, frame: tool, pose: {}, passive: [rov], regularisation: 1}]",
            ("regularization",),
        ),
        ("controllers: [{type: ResolvedMotion, frame: tool, pose: {}, passive: [rov], damping: 1}]", ("bandwidth",)),
        ("actuators: [{type: Thruster, frame: thruster_1, curve: square}]", ("curve", "a mapping of keys")),
        ("world: {type: MyWorld}", ("one of Space, Earth",)),
        ("controllers: [{type: um.control.Law}]", ("one of Inputs, JointPD",)),
    ],
)  # fmt: skip
def test_old_spellings_and_strangers_are_refused_by_name(text, words):
    class MyWorld(um.World):
        """A class of the user's own: files load no code."""

    key = text.partition(":")[0]
    lines = [line for line in WATER.splitlines() if not line.startswith(f"{key}:")]
    with pytest.raises(um.ModelError) as caught:
        given("\n".join([*lines, text]))
    problem = caught.value.problems[-1]
    assert problem.location == f"water.yaml:{len(lines) + 1}"
    for word in words:
        assert word in str(problem)


def test_all_mistakes_of_nested_objects_are_told_at_once():
    text = WATER.replace("{type: Ocean}", "{type: Ocean, density: -1, current: {type: OscillatingCurrent,")
    text = text.replace(
        "OscillatingCurrent,\n", "OscillatingCurrent,\n  amplitude: [1, 0, 0],\n  period: 0}}\n"
    )
    text += (
        "actuators:\n"
        "  - {type: Thruster, frame: thruster_1, lag: 0}\n"
        "  - {type: Fin, frame: rov, area: -1}\n"
        "prescribed:\n"
        "  elbow_pitch: {type: Sine, amplitude: [1, 2], period: 3}\n"
    )
    with pytest.raises(um.ModelError) as caught:
        given(text)
    told = [str(problem) for problem in caught.value.problems]
    starts = [
        "water.yaml:6: world.current.period: value: expected > 0 (s), given 0",
        "water.yaml:10: actuators[0].lag: value: expected > 0",
        "water.yaml:11: actuators[1].area: value: expected ≥ 0",
        "water.yaml:13: prescribed.elbow_pitch: elbow_pitch: Sine: expected a joint with 2 coordinates",
    ]
    assert len(told) == 4
    for line, start in zip(told, starts, strict=True):
        assert line.startswith(start)


def test_the_wrong_line_of_a_hostile_file_stays_bounded():
    text = (
        WATER + "sweeps: {parameters.ocean.density: {type: Range, start: 1, stop: 2, count: 100000000000}}\n"
    )
    with pytest.raises(um.ModelError, match="count: value: expected at most 1,000,000"):
        given(text)
    text = WATER + "world: {type: Sea, count: 1000000000}\n"
    with pytest.raises(um.ModelError):
        parse_document(text, "twice.yaml")


def test_poses_over_time_are_targets_and_motions_of_a_file():
    poses = "[{xyz: [0, 0, 0]}, {xyz: [1, 0, 0], rpy: [0, 0, 0.5]}]"
    text = WATER + (
        "prescribed:\n"
        "  base_yaw: {type: Retimed, path: {type: Quintic, times: [0, 1], values: [0, 1]},\n"
        "    timing: {times: [0, 1, 2], values: [0, 0.5, 1], speeds: [0, 1, 0]}}\n"
        "controllers:\n"
        "  - {type: StationKeeping, body: rov, stiffness: 9, damping: 8,\n"
        f"      pose: {{type: PoseSpline, times: [0, 4], poses: {poses}}}}}\n"
        "  - {type: LinkKeeping, body: tool, stiffness: 1, damping: 1, pose: {type: Relative, by: {xyz: [0.1, 0, 0]},\n"
        f"      to: {{type: ScrewPath, times: [0, 4], poses: {poses}}}}}}}\n"
    )
    scenario = given(text)
    law = scenario.controller.laws[0]
    path = um.PoseSpline([0, 4], [um.Pose(), um.Pose(xyz=(1, 0, 0), rpy=(0, 0, 0.5))])
    assert law.pose == path
    assert scenario.controller.laws[1].pose == um.Relative(
        um.ScrewPath([0, 4], path.poses), um.Pose(xyz=(0.1, 0, 0))
    )
    timing = um.Timing([0, 1, 2], [0, 0.5, 1], [0, 1, 0])
    assert dict(scenario.plant.velocities.prescribed)["base_yaw"] == um.Retimed(
        um.Quintic([0, 1], [0, 1]), timing
    )
    with pytest.raises(um.ModelError, match=r"water.yaml:\d+"):
        given(text.replace("times: [0, 4], poses", "times: [4, 0], poses"))
    followed = text.replace(
        "type: PoseSpline, times: [0, 4], poses: " + poses, "type: FollowedFrame, frame: tool"
    )
    with pytest.raises(um.ModelError, match="a frame of another vehicle"):
        given(followed)


def test_all_laws_of_a_file_are_added_up():
    """Commands as they are, forces together: 1 + 2 + 4 N, and springs of 3 and 5 N/m that are stretched by 1 m."""
    b = um.SystemBuilder("cart")
    b.vehicle("cart", um.Prismatic((1, 0, 0)), inertia=um.Inertia.box(2.0, (1, 1, 1)))
    plant = um.Plant(b.build())
    given = [partial(um.Inputs, plant, {plant.input_names[0]: x}) for x in (1.0, 2.0, 4.0)]
    springs = [partial(um.JointPD, plant, {"cart": 0.0}, stiffness=k, damping=0.0) for k in (3.0, 5.0)]
    law = controller_of([given[0], springs[0], given[1], springs[1], given[2]], plant, {}, {})
    assert law(0.0, np.ones(1), np.zeros(1)) == pytest.approx(1.0 + 2.0 + 4.0 - 3.0 - 5.0)
    swept = {"1.stiffness": np.array([3.0, 6.0])}
    several = controller_of([given[0], springs[0]], plant, swept, {})
    assert several(0.0, np.ones((2, 1)), np.zeros((2, 1)))[:, 0] == pytest.approx([-2.0, -5.0])
    assert controller_of([], plant, {}, {}) is None


def test_iterations_of_the_implicit_methods():
    text = WATER.replace("{step: 0.01}", "{step: 0.01, method: lie_midpoint, iterations: 7}")
    assert given(text).options["iterations"] == 7
    with pytest.raises(um.ModelError, match="iterations"):
        given(text.replace("lie_midpoint", "rkmk4"))
