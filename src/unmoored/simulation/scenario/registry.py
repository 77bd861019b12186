"""The classes that a scenario file can name, and where: their fields are the file's keys. No other code is loaded."""

from __future__ import annotations

from typing import Any

from ...control import (
    AdaptiveTracking,
    ComputedTorque,
    Constant,
    Detumbling,
    FloatingTool,
    FollowedFrame,
    Inputs,
    IntegralTracking,
    JointPD,
    LinkKeeping,
    PassivityTracking,
    Phases,
    PoseBSpline,
    PoseSpline,
    Quintic,
    ReactionMode,
    Reference,
    Relative,
    ResolvedMotion,
    Retimed,
    Sampled,
    ScrewPath,
    Shaped,
    Sine,
    StationKeeping,
    StraightPath,
    Task,
    TaskPriority,
    ThrustVectoring,
    Timing,
    ToolAdmittance,
    ToolImpedance,
    ToolTracking,
    Tracking,
    WorldFixedTool,
)
from ...control.pose_targets import Followable, PoseTarget
from ...control.references import Piecewise
from ...control.tasks import TASKS
from ...dynamics.nonholonomic import Car, ChaplyginSleigh, DifferentialDrive, OmniDrive, RollingBall
from ...model import (
    Box,
    Capsule,
    Cylinder,
    Cylindrical,
    Fixed,
    Helical,
    Joint,
    Planar,
    PlanarHelical,
    Prismatic,
    Revolute,
    Schoenflies,
    Sphere,
    Spherical,
    Translation,
)
from ...sensing import (
    AttitudeFilter,
    DepthGauge,
    Dvl,
    Encoder,
    ForceTorque,
    Gyro,
    Imu,
    InvariantFilter,
    MotionUnit,
    PlantFilter,
    StarTracker,
    Usbl,
)
from ...worlds import (
    Brake,
    Bushing,
    Clutch,
    Contact,
    Current,
    Earth,
    ElasticMotor,
    Fin,
    Ground,
    HalfSpace,
    JointMotor,
    Jonswap,
    Law,
    Line,
    Ocean,
    Orbit,
    OscillatingCurrent,
    PiersonMoskowitz,
    Points,
    Propeller,
    ReactionControl,
    ReactionWheel,
    RollingDisc,
    Rotor,
    Rudder,
    Sea,
    ShearedCurrent,
    Space,
    Spectrum,
    SpringDamper,
    Stiction,
    TabulatedSpectrum,
    ThrustCurve,
    Thruster,
    Trajectory,
    UniformCurrent,
    UntilFailure,
    Wrench,
)
from ...worlds.distances.shapes import Shape
from ..criterion import Criterion
from ..events import ChannelEvent
from ..switches import Close, Fail, Mode, Open, Switch
from .random_poses import NormalPose, NormalRotation, UniformRotation
from .random_values import (
    Correlated,
    Discrete,
    InBall,
    Integers,
    LogNormal,
    Normal,
    TruncatedNormal,
    Uniform,
)
from .sweeps import Range, Values

Classes = tuple[type, ...]

WORLDS: Classes = (Space, Earth, Ground, Ocean, Sea)
ACTUATORS: Classes = (
    Thruster,
    Rotor,
    Propeller,
    ReactionControl,
    Fin,
    Rudder,
    ReactionWheel,
    JointMotor,
    ElasticMotor,
    Stiction,
    Brake,
    Clutch,
    Wrench,
)
CONSTRAINTS: Classes = (DifferentialDrive, OmniDrive, Car, ChaplyginSleigh, RollingBall, RollingDisc)
ELEMENTS: Classes = (SpringDamper, Bushing, Line, Contact)
SINGLE_LAWS: Classes = (
    Inputs,
    JointPD,
    StationKeeping,
    LinkKeeping,
    ReactionMode,
    ResolvedMotion,
    Tracking,
    IntegralTracking,
    ComputedTorque,
    PassivityTracking,
    AdaptiveTracking,
    ThrustVectoring,
    TaskPriority,
    FloatingTool,
    Detumbling,
    WorldFixedTool,
    ToolTracking,
    ToolImpedance,
    ToolAdmittance,
)
LAWS: Classes = (*SINGLE_LAWS, Phases)
SWITCHES: Classes = (Close, Open, Fail, Mode)
FILTERS: Classes = (InvariantFilter, AttitudeFilter, PlantFilter)
#: fields of filters that a file gives by the names of its sensors
SENSOR_KEYS = ("imu", "gyro", "stars", "aiding", "sensors", "encoder")
SENSORS: Classes = (Imu, Gyro, Dvl, DepthGauge, Usbl, StarTracker, Encoder, ForceTorque, MotionUnit)
REFERENCES: Classes = (
    Constant,
    Quintic,
    Sampled,
    Sine,
    Shaped,
    ScrewPath,
    StraightPath,
    PoseSpline,
    PoseBSpline,
)
MOTIONS: Classes = (*REFERENCES, Retimed, Relative, UntilFailure)
RANDOM: Classes = (
    Uniform, Normal, TruncatedNormal, LogNormal, Discrete, Integers, Correlated, InBall, UniformRotation,
    NormalRotation, NormalPose,
)  # fmt: skip
SWEEPS: Classes = (Values, Range, *RANDOM)

#: what a file can put into a field that is annotated with a base class
GROUPS: dict[Any, Classes] = {
    Current: (UniformCurrent, ShearedCurrent, OscillatingCurrent),
    Spectrum: (Jonswap, PiersonMoskowitz, TabulatedSpectrum),
    Reference: REFERENCES[:5],  # of coordinates
    Piecewise: (Quintic, Sampled),
    Trajectory: REFERENCES,
    Followable: (*REFERENCES, Retimed, FollowedFrame),
    PoseTarget: (*REFERENCES, Retimed, FollowedFrame, Relative),
    Timing: (Timing,),
    Orbit: (Orbit,),
    ThrustCurve: (ThrustCurve,),
    Task: TASKS,
    Shape: (HalfSpace, Sphere, Capsule, Box, Cylinder, Points),
    Law: SINGLE_LAWS,
    Switch: SWITCHES,
    Joint: (
        Fixed, Revolute, Prismatic, Helical, Cylindrical, Planar, Spherical, Translation, Schoenflies, PlanarHelical,
    ),
}  # fmt: skip

#: of these keys a file gives exactly one
ONE_OF: dict[type, tuple[str, ...]] = {
    ChannelEvent: ("rises_above", "falls_below", "crosses"),
    Criterion: ("below", "above"),
}

#: names of types that files had before
RENAMED_TYPES = {
    "Uniform": "UniformCurrent",
    "Sheared": "ShearedCurrent",
    "Oscillating": "OscillatingCurrent",
    "Tabulated": "TabulatedSpectrum",
}

#: keys that only files had, and what to write instead; those of the classes are in their `renamed`
RENAMED_KEYS: dict[type, dict[str, str]] = {
    **{cls: {"fails_at": "{type: UntilFailure, trajectory: …, fails_at: …} around it"} for cls in REFERENCES},
    JointPD: {"motions": "the same in `targets`"},
}
