"""Where a number stands in a part, nothing else is taken: every public class on the page of parts, field by field."""

import dataclasses
import re
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import unmoored as um
from unmoored import identification, planning
from unmoored.model.value import Value

PAGE = Path(__file__).parents[2] / "docs" / "parts.md"
NO_NUMBERS = ("1", True, ["1"], [None], 1j, np.array(1j), object(), np.nan, -np.inf)
#: on and off are 1 and 0
SWITCHES = ("active",)
#: a wave's spectrum as the sea makes it, which is no part that a user makes
MADE_BY_OTHERS = ("WaveMotion",)


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """One of every class that the page makes, as long as it can be made again from its fields."""
    made: dict[type, list[Value]] = {}
    new = Value.__new__

    def noted(cls, *arguments, **options):
        part = new(cls, *arguments, **options)
        made.setdefault(cls, []).append(part)
        return part

    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.chdir(tmp_path_factory.mktemp("parts"))
        patch.setattr(Value, "__new__", noted)
        names = {"__name__": "page"}
        for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL):
            exec(block, names)
    return {cls: found for cls, found in made.items() if cls.__module__.startswith("unmoored")}


def numbers_in(part):
    """Names of the fields that hold a number, or several, and nothing else."""
    for field in dataclasses.fields(part):
        value = getattr(part, field.name, None)
        several = list(value) if isinstance(value, tuple | list) else [value]
        if isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
            several = [0.0]
        if field.init and several and all(type(x) in (int, float) for x in several):
            yield field.name


def can_be_made_again(part):
    """Whether its fields are what it is made from."""
    try:
        dataclasses.replace(part)
    except Exception:
        return False
    return True


def test_where_a_number_stands_nothing_else_is_taken(parts):
    wrong, seen = [], set()
    for cls, made in parts.items():
        for part in made:
            if cls.__name__ in MADE_BY_OTHERS or not can_be_made_again(part):
                continue
            for name in {*numbers_in(part)} - {name for kind, name in seen if kind is cls}:
                seen.add((cls, name))
                for bad in NO_NUMBERS:
                    try:
                        found = dataclasses.replace(part, **{name: bad})
                    except um.ModelError:
                        continue
                    except Exception as error:
                        wrong.append((cls.__name__, name, bad, error))
                        continue
                    if not (name in SWITCHES and bad is True):
                        wrong.append((cls.__name__, name, bad, getattr(found, name)))
    assert wrong == []
    assert len(seen) > 250


def cart():
    b = um.SystemBuilder("cart")
    b.vehicle("cart", um.Prismatic((1, 0, 0)), inertia=um.Inertia(2.0, (0, 0, 0), np.eye(3)))
    b.link(
        "arm", parent="cart", joint=um.Revolute((0, 1, 0)), inertia=um.Inertia(1.0, (0, 0, 0.3), np.eye(3))
    )
    b.frame("tip", parent="arm", at=um.Pose(xyz=(0, 0, 0.5)))
    return b.build()


CART, FLYER = um.Plant(cart()), um.load("free_flyer_arm7")
Q, T = CART.system.neutral(), np.arange(30) * 0.1
REACHED = {"targets": {"tip": um.Pose(xyz=(0.2, 0, 0.5))}, "starts": 2}
JUMPS = {"jump": 1.0, "noise": 0.1, "offset": 1.0, "same": 0.1, "acceleration": 1.0}
V = np.random.default_rng(0).normal(size=(9, 6))
#: of a captured target at rest in the world's frame: what the rest gains it loses
ROWS = {
    "poses": np.tile(np.eye(4), (9, 1, 1)),
    "twists": V,
    "known_momentum": -V @ um.Inertia.box(3.0, (0.1, 0.2, 0.3)).matrix,
}
EFFORT = [planning.Effort(CART, 1.0)]
#: functions with what they need, and the arguments that are to be numbers
FUNCTIONS = (
    (
        partial(um.simulate, CART),
        {"q0": Q, "step": 0.01, "duration": 0.01},
        "q0 v0 duration step control_step noise sensors",
    ),
    (partial(um.Stepper, CART), {}, "samples step control_step q v sensors seed"),
    (
        partial(um.optimize, CART, Q, running=EFFORT),
        {"duration": 0.1, "control_step": 0.1},
        "duration control_step step u v0 t0",
    ),
    (partial(um.solve_ik, CART), REACHED, "q0 weights nearest starts tolerance seed t"),
    (um.solve_qp, {"Q": np.eye(2), "c": np.ones(2)}, "Q c E lo hi lowest highest start iterations tolerance"),
    (um.nees, {"error": np.ones(3), "covariance": np.eye(3)}, "error covariance degrees"),
    (um.nis, {"innovation": np.ones(3), "covariance": np.eye(3)}, "innovation covariance"),
    (um.consistency_bounds, {"degrees": 3, "runs": 5}, "degrees runs probability"),
    (
        partial(planning.reach_map, CART, "tip"),
        {"points": np.zeros((1, 3))},
        "points directions rolls starts",
    ),
    (
        partial(planning.reorient, FLYER, FLYER.neutral()),
        {"turn": np.zeros(3), "starts": 1},
        "turn harmonics starts steps",
    ),
    (um.identify_target, ROWS, "poses twists known_momentum"),
    (identification.joint_track, {"t": T, "values": np.ones(30)}, "t values"),
    (
        partial(identification.pose_track, T),
        {"position": np.zeros((30, 3)), "rpy": np.zeros((30, 3))},
        "position rpy world body",
    ),
    (
        partial(identification.without_jumps, T),
        {"values": np.ones((30, 1)), **JUMPS},
        "values jump noise same knots",
    ),
)


@pytest.mark.whole
@pytest.mark.parametrize(
    ("function", "needed", "names"), FUNCTIONS, ids=lambda x: x if isinstance(x, str) else ""
)
def test_functions_take_numbers_only(function, needed, names):
    function(**needed)
    for name in names.split():
        for bad in NO_NUMBERS:
            if name == "nearest" and bad is True:
                continue
            with pytest.raises(um.ModelError):
                function(**(needed | {name: bad}))
