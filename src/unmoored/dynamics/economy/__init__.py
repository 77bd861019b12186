"""What exists only so that traced code is cheap: it changes no result beyond rounding, and no physics.

`cheap_frames`: body frames in which most entries of placements are zero. `light_bodies`: inertia that no joint feels,
given to parents. `split_placements` and `axis_turns`: constant rotations as turns about coordinate axes, which take
half the products. `fewest_operations`: of several ways to one
result, the one whose traced graph is the smallest.
"""
