"""The closed form of the equations of motion (Boltzmann–Hamel), as in From et al. 2010, for any tree.

M(q) v̇ + C(q, v) v + n(q) = τ with every matrix written out from body Jacobians (theory.md §4, §5, §18).
"""
