"""One root of errors, one of warnings; a missing extra is an ImportError that says what to install."""

import importlib
import inspect
import pkgutil
import sys

import numpy as np
import pytest

import unmoored as um
from unmoored.error_roots import optional
from unmoored.kernels.cuda import CudaError
from unmoored.trace import TracingError

MODULES = [
    module.name for module in pkgutil.walk_packages(um.__path__, "unmoored.") if "__main__" not in module.name
]


def own_exceptions():
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except um.MissingExtraError:
            continue
        for member in vars(module).values():
            if inspect.isclass(member) and issubclass(member, Exception) and member.__module__ == name:
                yield member


def test_every_error_and_warning_has_its_root():
    public = [cls for cls in own_exceptions() if not cls.__name__.startswith("_")]
    assert len(public) > 6
    for cls in public:
        assert issubclass(cls, um.UnmooredWarning if issubclass(cls, Warning) else um.UnmooredError), cls


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (um.ModelError, ValueError),
        (TracingError, TypeError),
        (CudaError, RuntimeError),
        (um.MissingExtraError, ImportError),
    ],
)
def test_errors_are_also_of_pythons_own_kinds(error, kind):
    assert issubclass(error, kind)
    assert issubclass(error, um.UnmooredError)
    assert issubclass(um.ModelWarning, UserWarning)


def test_bad_input_is_caught_by_the_root():
    with pytest.raises(um.UnmooredError):
        um.load("free_flyer_arm7").mass_matrix(np.zeros(3))


def test_a_missing_extra_says_the_line_that_installs_it(monkeypatch, tmp_path):
    with pytest.raises(
        ImportError, match=r"flying needs the package no_such_module .*pip install 'unmoored\[wings\]'"
    ):
        optional("no_such_module", "wings", "flying")
    monkeypatch.setitem(sys.modules, "mujoco", None)
    path = tmp_path / "model.xml"
    path.write_text("<mujoco><worldbody/></mujoco>", encoding="utf-8")
    with pytest.raises(um.MissingExtraError, match=r"unmoored\[mjcf\]"):
        um.load(path)
