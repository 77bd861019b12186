"""Sensors on a plant, and filters on the group that make an estimate of what they give."""

from .depth_gauge import DepthGauge
from .dvl import Dvl
from .encoder import Encoder
from .force_torque import ForceTorque
from .grades import grades
from .gyro import Gyro
from .imu import Imu
from .sensor import Drift, Reading, Sensor
from .signals import RecordedSignal, Signal
from .star_tracker import StarTracker
from .usbl import Usbl

__all__ = [
    "DepthGauge", "Drift", "Dvl", "Encoder", "ForceTorque", "Gyro", "Imu", "Reading", "RecordedSignal", "Sensor",
    "Signal", "StarTracker", "Usbl", "grades",
]  # fmt: skip
