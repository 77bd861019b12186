"""Water around bodies: currents, added mass and drag, buoyancy up to the surface."""
