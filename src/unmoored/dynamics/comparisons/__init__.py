"""Other ways to the same results, as the papers and textbooks write them: to compare with, never used by the rest.

Attitude in coordinates (theory.md §15), for what the formulation on the group avoids: `euler_angles` (a singularity),
`two_charts` (switching), `quaternion` (drift of a norm), `projection` (drift off the group); they are integrated by
`classic_runge_kutta`.

The same quantities by independent formulas: `product_of_exponentials` (§3), `stacked_operators` of a serial arm (§8;
Moghaddam & Chhabra), `spatial_operators` (§12; Jain & Rodriguez 1993).

Euler angles are listed in the order of the name of their sequence, as in `lie.so3.euler_zyx`.
"""

from . import (
    classic_runge_kutta,
    euler_angles,
    euler_chart,
    product_of_exponentials,
    projection,
    quaternion,
    spatial_operators,
    stacked_operators,
    two_charts,
)

__all__ = [
    "classic_runge_kutta",
    "euler_angles",
    "euler_chart",
    "product_of_exponentials",
    "projection",
    "quaternion",
    "spatial_operators",
    "stacked_operators",
    "two_charts",
]
