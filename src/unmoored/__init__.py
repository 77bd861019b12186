"""Vehicle-manipulator systems on Lie groups: arms on spacecraft, underwater vehicles, ships, drones, rovers."""

# A name brings its room when it is first used: a script that loads a file need not wait for viewers and optimisers.
# Type checkers and editors read `__init__.pyi`, which `make generated` writes from these names.

import logging as _logging  # noqa: F401 (so that forks take its lock after the one below: rooms take it, too)
import os as _os
import threading as _threading
from importlib import import_module as _import_module
from typing import Any as _Any

from .version import __version__ as __version__

_ROOMS = {
    "campaigns": "Campaign CampaignResults Keep Statistics load_campaign",
    "control": """
        AdaptiveTracking Allocated AttitudeTask ClearanceTask ComputedTorque Constant Detumbling DirectionTask
        DistanceTask EffortLimitTask FastestTiming FieldOfViewTask FloatingTool FollowedFrame Inputs IntegralTracking
        JointLimitTask JointPD LinkKeeping ManipulabilityTask ModelPredictive PassivityTracking Phases PoseBSpline
        PosePath PoseSpline PoseTask PositionTask PostureTask Quintic ReactionMode Reference Relative ResolvedMotion
        Retimed Sampled ScrewPath Shaped Sine SpeedLimitTask StationKeeping StraightPath Task TaskPriority
        ThrustVectoring Timing ToolAdmittance ToolImpedance ToolTracking Tracking Unloading WorldFixedTool
        detumbling_figures fastest_timing""",
    "dynamics.nonholonomic": "Car ChaplyginSleigh DifferentialDrive OmniDrive RollingBall VelocityConstraint",
    "error_roots": "ArrayError MissingExtraError UnmooredError UnmooredWarning",
    "identification": """
        BaseParameters Identified LocalPolynomial Recording base_parameters identify identify_target""",
    "kernels.cuda": "CudaError",
    "model": """
        Body Box BoxDrag Capsule CustomJoint Cylinder Cylindrical DataError Fixed Fluid Frame Free Helical Hull
        Inertia Joint Lift Mesh Mimic ModelError ModelWarning Part Planar PlanarHelical Pose Prismatic Revolute
        Schoenflies Sphere SphereDrag Spherical StripDrag Translation Tree Universal Visual conventions limits""",
    "planning": "Cost IkSolution Limit NotConvergedWarning Optimum optimize solve_ik solve_qp",
    "sensing": """
        AttitudeFilter DepthGauge Drift Dvl Encoder Estimate Estimated ForceTorque Gyro Imu InvariantFilter MotionUnit
        PlantFilter Reading Sensor Signal StarTracker Usbl consistency_bounds grades nees nis""",
    "simulation": """
        CLaw ChannelEvent Close Criterion Event Fail Metrics Mode Noise Open Rollout RolloutGradient Run Status Stepper
        StepperState Tolerances Verdict load_run resume simulate""",
    "simulation.scenario": """
        Correlated Discrete InBall Integers LogNormal Normal NormalPose NormalRotation Range Scenario TruncatedNormal
        Uniform UniformRotation Values channel_values load_scenario scenarios""",
    "model.made": "BoxTank CylinderTank SphereTank",
    "system": """
        CFunction FluidFromVisuals System SystemBuilder compile_method export_c flexible_beam fluid_from_visuals load
        slosh systems""",
    "trace": "FallbackWarning RetraceWarning SharedMemoryWarning TracingError",
    "views": "view",
    "worlds": """
        Actuator Brake Bushing Closure Clutch CompensatedHeight Contact Current Distance Earth ElasticMotor Element Fin
        Goal Ground HalfSpace Hexapod JointEffects JointMotor Jonswap Law Line Motion Ocean Orbit OscillatingCurrent
        PiersonMoskowitz Plant Points Propeller ReactionControl ReactionWheel RollingDisc Rotor Rudder Scene Sea Seen
        ShearedCurrent ShipResponse Space Spectrum SpringDamper Stiction TabulatedSpectrum ThrustCurve Thruster
        Trajectory UniformCurrent UntilFailure VaryingCurrent WaveMotion World Wrench allocate
        largest_compensated_height s175 supply_vessel""",
}
_PLACES = {name: room for room, names in _ROOMS.items() for name in names.split()}
_MODULES = {"comparisons": "dynamics.comparisons"}
_MODULES |= {
    room: room
    for room in (
        "bridges",
        "campaigns",
        "control",
        "identification",
        "kernels",
        "lie",
        "planning",
        "sensing",
        "trace",
        "views",
    )
}

__all__ = sorted(["__version__", *_PLACES, *_MODULES])  # pyright: ignore[reportUnsupportedDunderAll]

#: A fork waits for an import under way: its child would wait for ever for the thread that was importing.
_importing = _threading.RLock()
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(
        before=_importing.acquire, after_in_parent=_importing.release, after_in_child=_importing.release
    )


def __getattr__(name: str) -> _Any:
    """A public name from its room, or a room."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with _importing:
        if name in _PLACES:
            found = getattr(_import_module(f"{__name__}.{_PLACES[name]}"), name)
        else:
            try:
                found = _import_module(f"{__name__}.{_MODULES.get(name, name)}")
            except ModuleNotFoundError as problem:
                if problem.name != f"{__name__}.{name}":
                    raise
                raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
