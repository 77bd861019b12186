"""Which section of the theory has the equation behind a public name; the site's reference links there."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
#: methods of systems, plants, steppers and rollouts, and names of the package, by the section that defines them
SECTIONS: dict[int, str] = {
    1: "Pose Inertia",
    2: """Fixed Revolute Prismatic Helical Cylindrical Planar Spherical Translation Schoenflies PlanarHelical Free
        retract local""",
    3: """Universal CustomJoint pose velocity acceleration jacobian spatial_jacobian mixed_jacobian base_jacobian
        jacobian_derivative spatial_jacobian_derivative mixed_jacobian_derivative base_jacobian_derivative
        centre_of_mass centre_of_mass_jacobian""",
    4: "mass_matrix mass_matrix_derivatives mass_matrix_rate inverse_mass_matrix",
    5: """coriolis_matrix local_coriolis_matrix local_velocity_map inertia_bounds conditioning
        momentum momentum_matrix momentum_in_frame momentum_balance generalized_momentum""",
    6: """gravity_forces potential_forces wrench_forces energy energy_balance allocation_matrix delivered_forces
        Earth Ground Wrench""",
    7: """damping_matrix restoring_forces current_forces wet_system Ocean Fluid UniformCurrent ShearedCurrent
        OscillatingCurrent VaryingCurrent Current""",
    8: """block_form connection connection_derivatives connection_curvature spatial_connection horizontal_velocity
        vertical_velocity locked_inertia locked_inertia_derivatives shape_inertia shape_inertia_derivatives
        lagrange_poincare reduced_state reduced_forward_dynamics recovered_velocity""",
    9: "free_floating attitude_dynamics centre_of_mass_form",
    10: """dynamically_equivalent_manipulator equivalent_manipulator_pose equivalent_manipulator_state
        barycentric_vectors virtual_manipulator""",
    11: """generalized_jacobian generalized_jacobian_product mixed_generalized_jacobian disturbance_jacobian
        disturbance_jacobian_product active_inertia force_transmission passive_mobility reaction_null_space
        reaction_null_space_basis dynamic_singularity coupling operational_space plan_task plan_least_disturbance
        FloatingTool ReactionMode""",
    12: """inverse_dynamics forward_dynamics hybrid_dynamics free_flying attitude_controlled held_fixed
        holding_forces""",
    13: """embedding independent_velocity full_velocity constrained_mass_matrix constrained_coriolis_matrix
        constrained_forward_dynamics reactions Car ChaplyginSleigh DifferentialDrive RollingBall
        VelocityConstraint""",
    14: "forced_base prescribed_motion",
    15: "analytic_jacobian",
    16: "step simulate Tolerances",
    17: "power_balance power skew_symmetry_defect",
    18: "Tree",
    19: "Orbit Space",
    20: """Sea Spectrum Jonswap PiersonMoskowitz TabulatedSpectrum ShipResponse WaveMotion CompensatedHeight
        largest_compensated_height Hexapod s175 supply_vessel""",
    21: "Thruster Propeller Fin Rudder Rotor ReactionWheel JointMotor Actuator",
    23: "join release",
    24: """regressor regressor_matrix energy_regressor momentum_regressor momentum_rate_regressor inertial_parameters
        base_parameters identify identify_target consistency_bounds""",
    25: """retract_derivatives local_derivatives pull_back inverse_dynamics_derivatives forward_dynamics_derivatives
        forward_dynamics_jacobian step_derivatives step_jacobian linearize linear_system Rollout""",
    26: "couplings Mimic",
    27: "allocate Allocated ThrustCurve",
    28: "Element SpringDamper Bushing Line element_loads",
    29: "Closure closure_loads closure_projection closed_state assemble configuration",
    30: "Distance Contact HalfSpace Points",
    31: "Hull",
    32: "StripDrag BoxDrag SphereDrag Lift fluid_from_visuals",
    33: "Stiction Brake Clutch ElasticMotor JointEffects",
    34: "RollingDisc",
    35: "ReactionControl",
    36: "InvariantFilter AttitudeFilter PlantFilter Imu Gyro Drift nees nis",
    37: "flexible_beam",
    38: "slosh CylinderTank BoxTank SphereTank",
    39: "OmniDrive",
}


def section_of() -> dict[str, tuple[int, str]]:
    """{name: (number of the section, its anchor on the page of the theory)}."""
    text = (HERE / "theory.md").read_text(encoding="utf-8")
    anchors = {
        int(number): _slug(f"{number}.{title}")
        for number, title in re.findall(r"^## (\d+)\.(.*)$", text, re.M)
    }
    return {name: (number, anchors[number]) for number, names in SECTIONS.items() for name in names.split()}


def _slug(heading: str) -> str:
    """The anchor that the site gives a heading."""
    return re.sub(r" ", "-", re.sub(r"[^\w\- ]", "", heading.strip().lower()))
