"""What a function depends on is seen wherever it is kept; what cannot be seen is named."""

import collections
import enum
import functools
import os
import sys
import types

import numpy as np
import pytest

from unmoored.trace import fingerprint
from unmoored.trace.kept_data import Snapshot

GAIN = 1.0


def module(name: str = "gains_of_a_user") -> types.ModuleType:
    made = types.ModuleType(name)
    made.gain = 1.0
    return made


def fields(*names: str) -> np.ndarray:
    made = np.zeros(1, dtype=[(name, float) for name in names])
    for k, name in enumerate(names):
        made[name] = k
    return made


def kinds_of_containers(value: float):
    """Classes of one name that do different things, as when a cell of a notebook is run again."""

    class Words(dict):
        def gain(self):
            return value

    class Row(list):
        factor = value

    class Pair(collections.namedtuple("Pair", "a b")):
        def gain(self):
            return value * self.a

    class Mode(enum.Enum):
        SLOW = value

    return Words(), Row(), Pair(1.0, 2.0), Mode.SLOW


class Kept:
    """Keeps its gain in some other way than as an attribute of its own."""

    @functools.cached_property
    def gain(self):
        return 1.0


class Words(dict):
    pass


class Weights(np.ndarray):
    pass


class Meta(type):
    gain = 1.0


class WithMeta(metaclass=Meta):
    pass


def in_a_box(x):
    box = [x]

    def law(t, q, v):
        return -box[0].gain * v

    return box, law


def module_handed_on():
    config = module()

    def helper(x):
        return x.gain

    def law(t, q, v):
        return -helper(config) * v

    return law, lambda: setattr(config, "gain", 2.0)


def module_as_attribute():
    config = module()

    class Policy:
        def __init__(self):
            self.config = config

        def __call__(self, t, q, v):
            return -self.config.gain * v

    return Policy(), lambda: setattr(config, "gain", 2.0)


def module_in_a_partial():
    config = module()
    return functools.partial(lambda x, v: -x.gain * v, config), lambda: setattr(config, "gain", 2.0)


def name_in_a_string():
    config = module()
    return lambda v: -getattr(config, "gain") * v, lambda: setattr(config, "gain", 2.0)  # noqa: B009


def imported_inside():
    def law(v):
        import gains_of_a_user

        return -gains_of_a_user.gain * v

    return law, lambda: setattr(sys.modules["gains_of_a_user"], "gain", 2.0)


def name_imported_inside():
    def law(v):
        from gains_of_a_user import gain

        return -gain * v

    return law, lambda: setattr(sys.modules["gains_of_a_user"], "gain", 2.0)


def environment():
    return lambda v: -float(os.environ.get("A_GAIN", 1)) * v, lambda: os.environ.update(A_GAIN="2")


def environment_by_function():
    return lambda v: -float(os.getenv("A_GAIN", 1)) * v, lambda: os.environ.update(A_GAIN="2")


def names_of_fields():
    box, law = in_a_box(fields("gain", "rate"))
    return law, lambda: box.__setitem__(0, box[0].view([("rate", float), ("gain", float)]))


def names_of_fields_of_one():
    box, law = in_a_box(fields("gain", "rate")[0])
    other = fields("gain", "rate").view([("rate", float), ("gain", float)])[0]
    return law, lambda: box.__setitem__(0, other)


def mask():
    data = np.ma.array([1.0, 3.0], mask=[0, 1])
    return lambda v: -data.mean() * v, lambda: setattr(data, "mask", [0, 0])


def attribute_of_an_array():
    data = np.ones(1).view(Weights)
    data.gain = 1.0
    return lambda v: -data.gain * v, lambda: setattr(data, "gain", 2.0)


def matrix_for_array():
    box, law = in_a_box(np.ones((2, 2)))
    return law, lambda: box.__setitem__(0, box[0].view(Weights))


def attribute_of_a_dictionary():
    data = Words()
    data.gain = 1.0
    return lambda v: -data.gain * v, lambda: setattr(data, "gain", 2.0)


def container(which: int):
    box, law = in_a_box(kinds_of_containers(1.0)[which])
    return law, lambda: box.__setitem__(0, kinds_of_containers(2.0)[which])


def names_of_a_tuple():
    box, law = in_a_box(collections.namedtuple("Gains", "gain rate")(1.0, 2.0))
    return law, lambda: box.__setitem__(0, collections.namedtuple("Gains", "rate gain")(1.0, 2.0))


def overwritten_cached_property():
    kept = Kept()
    return lambda v: -kept.gain * v, lambda: setattr(kept, "gain", 2.0)


def what_is_not_in_a_dictionary():
    data = collections.defaultdict(lambda: 1.0)
    return lambda v: -data["gain"] * v, lambda: setattr(data, "default_factory", lambda: 2.0)


def length_of_a_queue():
    box, law = in_a_box(collections.deque([1.0], maxlen=1))
    return law, lambda: box.__setitem__(0, collections.deque([1.0], maxlen=2))


def class_of_a_class():
    return lambda v: -WithMeta.gain * v, lambda: setattr(Meta, "gain", 2.0)


def private_slot():
    class Policy:
        __slots__ = ("__gain",)

        def set(self, value):
            self.__gain = value

    policy = Policy()
    policy.set(1.0)
    return lambda v: policy, lambda: policy.set(2.0)


def labels_of_a_table():
    pandas = pytest.importorskip("pandas")  # which xarray brings along
    box, law = in_a_box(pandas.Series({"gain": 1.0, "rate": 2.0}))
    return law, lambda: box.__setitem__(0, pandas.Series({"rate": 1.0, "gain": 2.0}))


def coordinates():
    xarray = pytest.importorskip("xarray")
    data = xarray.DataArray([1.0, 2.0], dims="name", coords={"name": ["gain", "rate"]})
    box, law = in_a_box(data)
    return law, lambda: box.__setitem__(0, data.assign_coords(name=["rate", "gain"]))


SEEN = (
    module_handed_on, module_as_attribute, module_in_a_partial, name_in_a_string, imported_inside, name_imported_inside,
    environment, environment_by_function, names_of_fields, names_of_fields_of_one, mask, attribute_of_an_array,
    matrix_for_array, attribute_of_a_dictionary, *(functools.partial(container, k) for k in range(4)),
    names_of_a_tuple, overwritten_cached_property, what_is_not_in_a_dictionary, length_of_a_queue, class_of_a_class,
    private_slot, labels_of_a_table, coordinates,
)  # fmt: skip


def test_it_is_seen_wherever_it_is_kept(monkeypatch):
    missed = []
    for case in SEEN:
        monkeypatch.setenv("A_GAIN", "1")
        monkeypatch.setattr(Meta, "gain", 1.0)
        monkeypatch.setitem(sys.modules, "gains_of_a_user", module())
        law, change = case()
        before = fingerprint(law)
        assert not before.unseen, case
        assert fingerprint(law).digest == before.digest, case
        change()
        if fingerprint(law).digest == before.digest:
            missed.append(str(case))
    assert not missed


def remembered(x):
    return GAIN * x


def test_what_cannot_be_seen_into_is_named():
    cached = functools.cache(remembered)
    assert not fingerprint(lambda v: cached(1.0) * v).unseen
    cached(1.0)
    assert fingerprint(lambda v: cached(1.0) * v).unseen  # it gives what it gave before, whatever GAIN is now
    assert fingerprint(np.frompyfunc(remembered, 1, 1)).unseen
    for law in (
        lambda v: eval("-GAIN * v"),
        lambda v: -globals()["GAIN"] * v,
        lambda v: __import__("x").gain,
    ):
        assert fingerprint(law).unseen
    deep: list = []
    for _ in range(5000):
        deep = [deep]
    assert fingerprint(lambda v: deep).unseen == ("data nested too deeply",)


def test_whatever_was_changed_is_put_back():
    class Policy:
        __slots__ = ("seen", "sum")
        last = 0.0

    config, policy = module(), Policy()
    policy.sum = 1.0

    def law(v):
        config.gain, config.other = v, v
        policy.sum, policy.seen = v, v
        Policy.last = v

    before = Snapshot(law)
    law("symbol")
    before.restore()
    assert config.gain == policy.sum == 1.0
    assert Policy.last == 0.0
    assert not hasattr(config, "other")
    assert not hasattr(policy, "seen")
