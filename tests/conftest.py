"""Shared test settings: property tests are deterministic, so that a failure can be repeated."""

import gc

from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
)
settings.load_profile("repeatable")


def pytest_collection_finish() -> None:
    """Keep the collector of garbage off what stays: tracing makes tuples by the million, few of them garbage."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
