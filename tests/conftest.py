"""Shared test settings: property tests are deterministic, so that a failure can be repeated."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
)
settings.load_profile("repeatable")
