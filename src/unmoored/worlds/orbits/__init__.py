"""Free space: orbits, the gravity of a planet, and the fall beside a reference."""
