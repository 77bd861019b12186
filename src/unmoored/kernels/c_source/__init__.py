"""Lowered graphs as source of C-like languages, and whole C files."""

from .body import Body
from .dialect import Dialect
from .file import CEntry, CFile, c_file
from .functions import array_function, helper_functions, needed_columns, sub_functions
from .statements import Names
from .text import function_text

__all__ = [
    "Body",
    "CEntry",
    "CFile",
    "Dialect",
    "Names",
    "array_function",
    "c_file",
    "function_text",
    "helper_functions",
    "needed_columns",
    "sub_functions",
]
