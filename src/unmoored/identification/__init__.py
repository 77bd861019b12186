"""Numbers of a plant from what was measured: recordings, fits, and what they cannot tell."""

from .base_parameters import BaseParameters, base_parameters
from .camera_jumps import Steadied, without_jumps
from .captured_target import identify_target
from .cross_validation import CrossValidation, cross_validate
from .identified import Identified, Residuals
from .identify import identify
from .local_polynomials import LocalPolynomial
from .outputs import FramePosition, Output, Positions, Tilt, Velocities, tilt
from .recording import Recording
from .recording_files import BagTopic, read_bag, read_columns
from .singular_directions import SingularDirection
from .tracks import Track, joint_track, pose_track, record

__all__ = [
    "BagTopic",
    "BaseParameters",
    "CrossValidation",
    "FramePosition",
    "Identified",
    "LocalPolynomial",
    "Output",
    "Positions",
    "Recording",
    "Residuals",
    "SingularDirection",
    "Steadied",
    "Tilt",
    "Track",
    "Velocities",
    "base_parameters",
    "cross_validate",
    "identify",
    "identify_target",
    "joint_track",
    "pose_track",
    "read_bag",
    "read_columns",
    "record",
    "tilt",
    "without_jumps",
]
