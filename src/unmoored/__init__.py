"""Vehicle-manipulator systems on Lie groups."""
