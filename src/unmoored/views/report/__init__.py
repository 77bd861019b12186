"""A run as one HTML file that opens offline."""

from .page import report

__all__ = ["report"]
