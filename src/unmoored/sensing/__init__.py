"""Sensors on a plant, and filters on the group that make an estimate of what they give."""

from .attitude_filter import AttitudeFilter
from .consistency import consistency_bounds, nees, nis
from .depth_gauge import DepthGauge
from .dvl import Dvl
from .encoder import Encoder
from .estimated import Estimate, Estimated
from .force_torque import ForceTorque
from .grades import grades
from .gyro import Gyro
from .imu import Imu
from .instant import Instant
from .invariant_filter import InvariantFilter
from .motion_unit import MotionUnit
from .plant_filter import PlantFilter
from .sensor import Drift, Reading, Sensor
from .signals import RecordedSignal, Signal
from .star_tracker import StarTracker
from .usbl import Usbl

__all__ = [
    "AttitudeFilter",
    "DepthGauge",
    "Drift",
    "Dvl",
    "Encoder",
    "Estimate",
    "Estimated",
    "ForceTorque",
    "Gyro",
    "Imu",
    "Instant",
    "InvariantFilter",
    "MotionUnit",
    "PlantFilter",
    "Reading",
    "RecordedSignal",
    "Sensor",
    "Signal",
    "StarTracker",
    "Usbl",
    "consistency_bounds",
    "grades",
    "nees",
    "nis",
]
