"""Ready tasks for learning."""

from .reaching import reaching
from .rov_station_keeping import station_keeping

__all__ = ["reaching", "station_keeping"]
