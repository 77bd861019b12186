"""Force elements between two frames (theory.md §28)."""

from .bushing import Bushing
from .contact import Contact
from .element import Element
from .line import Line
from .spring_damper import SpringDamper

__all__ = ["Bushing", "Contact", "Element", "Line", "SpringDamper"]
