"""A gain that is no number is refused by the names of the law and of the gain, so that one can find it in a file."""

import dataclasses
from functools import partial

import numpy as np
import pytest
from tests.control.test_azimuths import buoy
from tests.control.test_free_floating import GOAL, wheeled
from tests.control.test_free_floating import PLANT as FLYER
from tests.control.test_sharing_out import Push
from tests.control.test_thrust_vectoring import PLANT as DRONE
from tests.control.test_thrust_vectoring import SWING
from tests.control.test_tool_laws import GAINS, PLANT

import unmoored as um
from unmoored.worlds.gains import _is_numeric, is_structure

POSE, WHEELED = np.eye(4), wheeled()
HOLD = um.StationKeeping(WHEELED, "bus", POSE, 5.0, 20.0)
FOLLOW = {"plant": PLANT, "targets": {"bus": POSE, "upper": POSE, "fore": 0.1, "hand": POSE}, "damping": 3.0}
TIP = {"plant": PLANT, "frame": "tip", "pose": POSE}

#: laws by all that they need; what is told of a gain is asked of each
LAWS = (
    partial(um.StationKeeping, PLANT, "bus", pose=POSE, stiffness=5.0, damping=2.0),
    partial(um.ReactionMode, PLANT, "bus", pose=POSE, stiffness=5.0, damping=9.0, position_bound=0.1, angle_bound=0.2),
    partial(um.JointPD, PLANT, {"fore": 0.4}, stiffness=20.0, damping=5.0),
    partial(um.LinkKeeping, PLANT, "hand", pose=POSE, stiffness=20.0, damping=5.0),
    partial(um.ResolvedMotion, **TIP, passive=["bus"]),
    partial(um.Tracking, **FOLLOW, stiffness=5.0),
    partial(um.ComputedTorque, **FOLLOW, stiffness=5.0),
    partial(um.IntegralTracking, **FOLLOW, stiffness=5.0, integral=1.0),
    partial(um.PassivityTracking, **FOLLOW, rate=1.0),
    partial(um.AdaptiveTracking, **FOLLOW, rate=1.0, adapted=["hand.*"], adaptation=1.0),
    partial(um.ToolTracking, **TIP),
    partial(um.ToolImpedance, **TIP, **GAINS, inertia_wanted=1.0),
    partial(um.ToolAdmittance, **TIP, **GAINS, inertia_wanted=1.0, sensor="wrist"),
    partial(um.TaskPriority, PLANT, [[um.PoseTask("tip", POSE)]]),
    partial(um.FloatingTool, FLYER, "tool", pose=GOAL, vehicle="bus", stance=POSE),
    partial(um.Unloading, WHEELED, HOLD, "bus"),
    partial(um.Detumbling, WHEELED, "bus", torque=0.4),
    partial(um.Allocated, WHEELED, HOLD, rates=1.0),
    partial(um.Inputs, WHEELED, values=np.zeros(WHEELED.nu)),
    partial(um.WorldFixedTool, PLANT, "tip", pose=POSE, vehicle="bus", unit="unit", frequency=0.8),
    partial(um.ThrustVectoring, DRONE, SWING, "drone", position=(0.0, 0.0, 1.0)),
)  # fmt: skip


@pytest.mark.whole
@pytest.mark.parametrize("make", LAWS, ids=lambda make: make.func.__name__)
def test_a_gain_that_is_no_number_is_named(make):
    gains = [name for name in make().shapes if name not in ("target", "resting", "turn_rate")]
    assert gains
    for name in gains:
        for bad in (np.nan, "1", ["1"], True, 1j, np.array(1j), object()):
            with pytest.raises(um.ModelError, match=rf"^{make.func.__name__}: {name}"):
                make(**{name: bad})


@pytest.mark.parametrize("rows", [(), (0, 0), (6,), (-1,), (0.5, 1), ("0",), 3, None, (np.nan,)])
def test_rows_of_a_tool_are_places_of_a_twist(rows):
    with pytest.raises(um.ModelError, match="WorldFixedTool: rows: expected some of 0 … 5, each once, given"):
        um.WorldFixedTool(PLANT, "tip", POSE, "bus", "unit", rows=rows)


def test_a_target_is_looked_at_when_a_task_gets_its_plant():
    """By every law that has such tasks: what is no pose, and a pose that is none of SE(3)."""
    for bad in ("1", True, np.zeros(3), 2.0 * np.eye(4), [POSE] * 2 + [1.1 * POSE], None):
        with pytest.raises(um.ModelError, match=r"^PoseTask: pose: expected"):
            um.TaskPriority(PLANT, [[um.PoseTask("tip", bad)]])


@pytest.mark.whole
@pytest.mark.parametrize("make", LAWS, ids=lambda make: make.func.__name__)
def test_gains_are_arrays_of_the_shapes_that_are_told(make):
    law = make()
    for name, shape in law.shapes.items():
        value = getattr(law, name)
        if value is not None and not (name == "turn_rate" and shape == ()):
            assert (np.shape(value), np.asarray(value).dtype) == (shape, float), name
            assert not shape or isinstance(value, np.ndarray), name


@pytest.mark.whole
@pytest.mark.parametrize("make", LAWS, ids=lambda make: make.func.__name__)
def test_all_that_is_numbers_is_a_gain_with_a_shape(make):
    """What is annotated as numbers and given, and is no structure."""
    law = make()
    for field in dataclasses.fields(law):
        given = getattr(law, field.name) is not None and not is_structure(law, field.name)
        assert not (given and _is_numeric(type(law), field.name)) or field.name in law.shapes, field.name


TOOL = partial(um.PoseTask, "tip", POSE)
#: what makes something of positive gains, and their names
POSITIVE = (
    (partial(um.Allocated, WHEELED, HOLD), "weights input_weights rates pulse_periods"),
    (partial(um.Allocated, buoy(), Push(np.ones(3))), "turn_rate"),
    (partial(um.Detumbling, WHEELED, "bus", torque=0.4), "torque band"),
    (partial(um.FloatingTool, FLYER, "tool", GOAL, "bus"), "threshold tool_threshold regularization"),
    (partial(um.PassivityTracking, **FOLLOW), "rate"),
    (partial(um.Tracking, **FOLLOW), "stiffness"),
    (partial(um.ToolImpedance, **TIP, inertia_wanted=1.0, damping=2.0, stiffness=3.0), "stiffness inertia_wanted"),
    (partial(um.TaskPriority, PLANT, [[TOOL()]]), "bandwidth weights singular_below"),
    (partial(um.WorldFixedTool, PLANT, "tip", POSE, "bus", "unit"), "frequency"),
    (TOOL, "rate ramp"),
    (partial(um.DistanceTask, "tip", other="bus"), "least most"),
    (partial(um.FieldOfViewTask, "tip", (1, 0, 0), other="bus"), "half_angle"),
    (partial(um.ManipulabilityTask, "tip", ["fore"], goal=1.0), "goal zone"),
    (partial(um.Shaped, um.Quintic([0, 1], [0, 1])), "frequency"),
    (partial(um.Sine, 1.0, period=2.0), "period"),
    (partial(um.fastest_timing, PLANT, {"fore": um.Quintic([0, 1], [0, 1])}, (0, 1)), "effort velocity"),
)  # fmt: skip


@pytest.mark.whole
@pytest.mark.parametrize(
    ("make", "names"), POSITIVE, ids=lambda x: x if isinstance(x, str) else x.func.__name__
)
def test_a_gain_that_must_be_positive_is_refused_at_zero(make, names):
    for name in names.split():
        shape = (PLANT.nv,) if make.func is um.fastest_timing else ()
        zero = 0 if name == "pulse_periods" else np.zeros(shape)
        with pytest.raises(um.ModelError, match=rf"{name}.*: expected .*(> 0|≥ 1|between 0)"):
            make(**{name: zero})


@pytest.mark.parametrize("make", [POSITIVE[5][0], POSITIVE[6][0]], ids=["Tracking", "ToolImpedance"])
def test_a_stiffness_of_poses_is_positive_in_every_direction(make):
    """And each about an axis below the sum of the other two, by however little."""
    dofs = 13 if make.func is um.Tracking else 6
    for places, value in (([0], 0.0), ([3], 0.0), ([3], 10.0)):
        given = np.full(dofs, 5.0)
        given[places] = value
        with pytest.raises(um.ModelError, match="stiffness: expected > 0, each of three about axes below"):
            make(stiffness=given)
        given[places] = 1e-6 if value == 0.0 else np.nextafter(value, 0.0)
        if places != [3] or value:
            assert np.array_equal(make(stiffness=given).stiffness, given)


def test_a_joint_with_a_coordinate_may_be_without_stiffness():
    """One that is stored as a pose may not."""
    law = um.Tracking(**FOLLOW, stiffness=5.0)
    first = 0
    for link in law.links:
        last, given = first + link.joint.nv, np.full(13, 5.0)
        given[first:last] = 0.0
        first = last
        if link.joint.nv == 1:
            assert np.array_equal(um.Tracking(**FOLLOW, stiffness=given).stiffness, given)
        else:
            with pytest.raises(um.ModelError, match=f"stiffness: expected > 0.* of {link.name}"):
                um.Tracking(**FOLLOW, stiffness=given)
    assert {link.joint.nv for link in law.links} >= {1, 6}


def test_gains_that_switch_something_off_may_be_zero():
    assert um.AdaptiveTracking(**FOLLOW, adapted=["hand.m"], adaptation=0.0).adaptation.tolist() == [0.0]
    assert um.Unloading(WHEELED, HOLD, "bus", rate=0.0).rate == 0.0
    assert um.Allocated(WHEELED, HOLD, pulse_periods=1, least_pulse=0.0).pulse_periods == 1
    for make, name in (
        (partial(um.AdaptiveTracking, **FOLLOW, adapted=["hand.m"]), "adaptation"),
        (partial(um.Unloading, WHEELED, HOLD, "bus"), "rate"),
    ):
        with pytest.raises(um.ModelError, match=f"{name}: expected ≥ 0"):
            make(**{name: -1e-9})
