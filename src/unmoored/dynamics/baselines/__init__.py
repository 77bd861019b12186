"""Older ways to write the same dynamics, for comparison: Euler angles, quaternions, two charts, projection.

They show what the formulation on the group avoids: a singularity, drift of a norm, switching (theory.md §15).
"""
