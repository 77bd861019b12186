"""The plant: a system in its worlds with what drives it, and its methods."""
