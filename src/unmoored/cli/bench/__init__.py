"""`unmoored bench`: speed against Pinocchio and MuJoCo, in one run, on one core, as ratios."""

from .suite import run_benchmarks

__all__ = ["run_benchmarks"]
