"""Pictures of systems. Needs the extra `views`."""

from .picture import save_picture

__all__ = ["save_picture"]
