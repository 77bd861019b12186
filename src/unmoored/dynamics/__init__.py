"""Functions of a tree: kinematics and dynamics in plain NumPy that reads like the theory.

Every function takes a `Tree` first and arrays with leading batch dimensions after it, and runs on symbols too. From the
small to the large: `tree_scans` (recursions over links), `joint_crossing` (twists, wrenches and inertias across a
joint), `kinematics`, `jacobians`, `wrenches`, `gravity`, `momentum`, `energy`, `mass_matrix`; `recursive` (inverse,
forward and hybrid dynamics); `closed_form` (M, C, n as matrices) and `vehicle_frame` (what it and `derivatives` are
made of); the reductions `lagrange_poincare`, `spacecraft`, `underactuated`, `nonholonomic`; `properties` of all these.

`economy` holds what is there only so that traced code is cheap. `comparisons` (public as `unmoored.comparisons`) holds
other ways to the same results, which nothing here uses.
"""
