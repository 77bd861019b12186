"""`python -m unmoored`: the command line."""

from .cli import main

main()
