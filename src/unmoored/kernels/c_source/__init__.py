"""Lowered graphs as source of C-like languages, and whole C files."""

from .c_file import CEntry, CFile, c_file
from .c_functions import array_function, helper_functions, needed_columns, sub_functions
from .dialect import Dialect
from .function_body import Body
from .statements import Names, function_text

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
