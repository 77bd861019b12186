"""Shared test settings: property tests are deterministic, so that a failure can be repeated."""

import gc
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests.support.thinning import thin_walks

settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
)
settings.load_profile("repeatable")

#: what a shell starts in the background ignores Ctrl-C, and so would all that the tests start
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of the long walks of some rooms the ordinary tests take a part (tests/support/thinning.py)."""
    thin_walks(items, Path(__file__).parent)


def pytest_collection_finish() -> None:
    """Keep the collector of garbage off what stays: tracing makes tuples by the million, few of them garbage."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


#: rooms whose tests are about machine code, its bits and its cache: compiled as users compile
_AS_USERS_DO = {"kernels", "long"}


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Other rooms compile quickly, with the same bits: half of their processor time was the code generator's."""
    room = Path(item.path).relative_to(Path(__file__).parent).parts[0]
    os.environ["UNMOORED_QUICK_COMPILE"] = "0" if room in _AS_USERS_DO else "1"
