"""Imported by the server whose forks are the processes of `warm_processes`."""

from .warm_processes import warm

warm()
