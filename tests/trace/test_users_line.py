"""Errors of the tracer name a line of the user's, wherever in other packages the failure is."""

import importlib
import math
import statistics
import sys

import pytest

from unmoored import kernels
from unmoored.trace import TracingError, failing_line

#: a package of a stranger's, and a module of the user's own
STRANGER = (
    "def soft(x):\n    return x if x > 0 else -x\n\n\ndef applied(function, x):\n    return function(x)\n"
)
OWN = "def law(x):\n    return x if x[0] > 0 else -x\n"


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Writes a module into a folder below a new one, and imports it."""

    def imported(folder, name, text):
        place = tmp_path / folder
        place.mkdir(parents=True)
        (place / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(str(place))
        monkeypatch.delitem(sys.modules, name, raising=False)
        return importlib.import_module(name)

    return imported


def refusal(function):
    """What is said of a function of three numbers that cannot be traced."""
    with pytest.raises(TracingError) as told:
        kernels.compile(function, [(3,)])
    return str(told.value)


def test_a_failure_in_an_installed_package_names_the_users_line_that_called_it(module):
    stranger = module("site-packages", "strangers_functions", STRANGER)
    said = refusal(lambda x: stranger.soft(x[0]) * x)
    assert f"At {__file__}:" in said
    assert "said = refusal(lambda x: stranger.soft(x[0]) * x)" in said
    assert said.endswith(f"(through {stranger.__file__}:2)")
    inner = refusal(lambda x: stranger.applied(lambda y: y if y[0] > 0 else -y, x))  # the innermost of two
    assert f"At {__file__}:" in inner
    assert "through" not in inner


def test_a_failure_in_the_standard_library_names_the_users_line():
    said = refusal(lambda x: statistics.median(x) * x)
    assert f"At {__file__}:" in said
    assert f"(through {statistics.__file__}:" in said


def test_a_package_of_functions_alone_is_told_by_the_line_that_uses_it(module):
    stranger = module("site-packages", "strangers_functions", OWN)
    said = refusal(stranger.law)
    assert f"At {__file__}:" in said
    assert said.endswith(f"(through {stranger.__file__}:2)")


@pytest.mark.parametrize("folder", ["numpy", "unmoored_studies", "site_packages"])
def test_a_folder_of_the_users_may_have_any_name(module, folder):
    own = module(f"work/{folder}", "laws_of_the_user", OWN)
    assert f"At {own.__file__}:2: return x if x[0] > 0 else -x" in refusal(own.law)


def test_a_failure_without_a_line_of_its_own_is_told_by_the_line_that_asks():
    assert failing_line(ValueError("never raised")).startswith(f"{__file__}:")
    assert f"At {__file__}:" in refusal(math.fsum)
