"""Control laws in traceable NumPy, so that they run inside the kernels."""

from .law import Law

__all__ = ["Law"]
