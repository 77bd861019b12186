"""Functions of a tree: kinematics and dynamics in plain NumPy that reads like the theory."""
