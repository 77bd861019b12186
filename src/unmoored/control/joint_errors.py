"""How far a joint is off its reference, and the reference's motion seen from the joint (docs/laws/tracking.md)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..dynamics.forced_base import PrescribedMotion
from ..lie import se3
from ..lie.arrays import apply
from ..model import Joint
from ..model.joints import SubgroupJoint


class JointError(NamedTuple):
    """error: e (..., nv_i) with q·exp(e) = q_d.  velocity: ν_r = Ad_{exp e} ν_d.  acceleration: ν̇_r, at velocity ν."""

    error: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


def joint_error(joint: Joint, q: np.ndarray, v: np.ndarray, reference: PrescribedMotion) -> JointError:
    """e = log(g⁻¹g_d), ν_r = Ad ν_d and ν̇_r = Ad ν̇_d − ad_ν ν_r at q (..., nq_i), ν = v (..., nv_i)."""
    q_d, v_d, a_d = reference
    e = joint.local(q, q_d)
    if not (isinstance(joint, SubgroupJoint) and joint.nv > 1):  # coordinates: nothing turns
        return JointError(e, v_d, a_d)
    Ad = joint.group.Ad(se3.inverse(joint.transform(q)) @ joint.transform(q_d))
    v_r = apply(Ad, v_d)
    return JointError(e, v_r, apply(Ad, a_d) - joint.group.bracket(v, v_r))
