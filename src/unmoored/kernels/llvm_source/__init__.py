"""Lowered graphs as LLVM source."""

from .direct_entry import FIELDS
from .module import module_text, only_by

__all__ = ["FIELDS", "module_text", "only_by"]
