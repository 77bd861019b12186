"""Lowered graphs as LLVM source."""

from .direct_entry import FIELDS
from .module import module_text

__all__ = ["FIELDS", "module_text"]
