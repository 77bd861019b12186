"""A user's own law: frozen, its numbers run-time data, its code told apart."""

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace

import numpy as np
import pytest

import unmoored as um
from unmoored.simulation import run_kernels
from unmoored.trace import TracingError
from unmoored.trace.dependencies import fingerprint
from unmoored.worlds.gains import gains_of, with_gains

SYSTEM = um.load("tumbling_brick")
Q, V = SYSTEM.neutral(), np.full(6, 0.5)


class Damper(um.Law):
    """Damps all DoFs alike, or only some."""

    gain: float
    first: int = 0
    mirror: bool = False

    def __call__(self, t, q, v):
        on = np.array([1.0 if k >= self.first else 0.0 for k in range(6)])
        return (self.gain if self.mirror else -self.gain) * on * v


class Network(um.Law):
    """A layer with a bias, by nested arrays."""

    weights: list
    bias: np.ndarray
    shapes = {"bias": (6,)}

    def __call__(self, t, q, v):
        hidden = np.tanh(self.weights[0] @ v)
        return self.weights[1] @ hidden + self.bias


class Half(um.Law):
    """A wrapper: half of what another law gives."""

    law: um.Law

    def __call__(self, t, q, v):
        return 0.5 * self.law(t, q, v)


def go(law, **options):
    return um.simulate(SYSTEM, Q, V, duration=0.02, step=1e-3, controller=law, **options)


def own_law(sign):
    class Push(um.Law):
        """Pushes one way; two such classes differ in code alone."""

        strength: float

        def __call__(self, t, q, v):
            return sign * self.strength + 0.0 * v

    return Push(1.0)


def test_two_laws_that_differ_in_code_alone_differ(tmp_path, monkeypatch):
    monkeypatch.setenv("UNMOORED_CACHE_DIR", str(tmp_path))
    runs = [go(own_law(sign)) for sign in (1.0, -1.0)]
    assert runs[0].v[-1, 0] > 0.5
    assert runs[1].v[-1, 0] < 0.5


def test_a_law_is_a_frozen_dataclass_without_saying_so():
    law = Damper(2)
    assert law == Damper(2.0)
    assert law != Damper(2.0, mirror=True)
    assert isinstance(law.gain, float)
    assert law.first == 0
    assert isinstance(law.first, int)
    assert "gain=2.0" in repr(law)
    with pytest.raises((um.ModelError, FrozenInstanceError)):
        law.gain = 3.0  # type: ignore[misc]
    assert replace(law, gain=3).gain == 3.0
    assert copy.copy(law) == law
    assert pickle.loads(pickle.dumps(law)) == law


def test_a_copy_leaves_no_trace_in_the_class():
    """Python notes the slots of a class when an object of it is copied or pickled for the first time."""
    law = own_law(1.0)
    before = fingerprint(law).digest
    copy.copy(law)
    assert "__slotnames__" in vars(type(law))
    assert fingerprint(law).digest == before


def test_gains_never_make_new_kernels(monkeypatch):
    go(Damper(1.0)), go(Half(Damper(1.0)))
    go(Network([np.eye(6), np.eye(6)], np.zeros(6)))
    before = {id(kernel) for made in run_kernels._kept.values() for kernel in made.values()}
    monkeypatch.setattr(um.kernels, "compile_loop", lambda *a, **k: pytest.fail("compiled again"))
    rng = np.random.default_rng(0)
    for k in range(5):
        go(Damper(1 + k)), go(Half(Damper(0.1 * k)))
        go(Network([rng.normal(size=(6, 6)), rng.normal(size=(6, 6))], rng.normal(size=6)))
    assert {id(kernel) for made in run_kernels._kept.values() for kernel in made.values()} == before


def test_other_gains_give_other_results_the_same_as_a_function_with_them_in():
    for gain in (0.7, 1.9):
        assert np.allclose(go(Damper(gain)).v, go(lambda t, q, v: -gain * v).v, rtol=0, atol=1e-14)  # noqa: B023
    run = go(Network([np.eye(6), 0.3 * np.eye(6)], np.ones(6)))
    assert np.allclose(run.u, 0.3 * np.tanh(run.v) + 1.0, atol=1e-14)


def test_structure_makes_new_kernels():
    assert go(Damper(1.0, mirror=True)).v[-1, 0] > 0.5 > go(Damper(1.0)).v[-1, 0]
    assert np.array_equal(go(Damper(1.0, first=3)).u[:, :3], np.zeros((21, 3)))


def test_a_leading_dimension_gives_each_sample_its_own_gain():
    batch = go(Damper(np.array([0.5, 1.0, 2.0])))
    assert batch.samples == 3
    for i, gain in enumerate((0.5, 1.0, 2.0)):
        assert np.array_equal(batch.q[i], go(Damper(gain)).q)
    biases = np.arange(12.0).reshape(2, 6)
    batch = go(Network([np.eye(6), np.eye(6)], biases))
    assert np.array_equal(batch.q[1], go(Network([np.eye(6), np.eye(6)], biases[1])).q)
    assert np.array_equal(go(Half(Damper([1.0, 3.0]))).q[1], go(Half(Damper(3.0))).q)


def test_a_branch_on_a_gain_names_the_field_and_the_line():
    class Choosing(um.Law):
        """Decides by a number that is not known in the kernel."""

        kick: float

        def __call__(self, t, q, v):
            if self.kick > 0:
                return self.kick * v
            return -v

    with pytest.raises(TracingError, match=r"Choosing\.kick is a gain.*static.*test_own_laws\.py:\d+"):
        go(Choosing(1.0))

    class Chosen(Choosing):
        """The same, with the number as structure."""

        static = ("kick",)

    assert go(Chosen(1.0)).v[-1, 0] > 0.5 > go(Chosen(-1.0)).v[-1, 0]


@pytest.mark.parametrize("full", [False, True])
def test_of_several_gains_the_one_that_is_branched_on_is_named(full):
    """If it alone decides: not with the state beside it, nor one with another, nor the control period."""

    class Several(um.Law):
        first: np.ndarray
        second: float
        third: np.ndarray
        shapes = {"first": (3,), "third": (2, 2)}

        def __call__(self, t, q, v):
            if self.number(t, q, v) > 0.5:
                return self.first[0] * v
            return -v

    if full:

        class Law(Several):
            memory = {"count": 2}

            def __call__(self, seen, memory):
                period = seen.period if number == "period" else 0.0
                return Several.__call__(self, period, seen.q, seen.v), memory

    else:
        Law = Several

    gains = np.array([1.0, 2.0, 3.0]), 4.0, np.eye(2)
    numbers = {
        "first": lambda self, t, q, v: self.first[0] * self.first[2],
        "first, its last": lambda self, t, q, v: self.first[2],
        "second": lambda self, t, q, v: self.second,
        "third": lambda self, t, q, v: self.third[0, 0],
        "third, its last": lambda self, t, q, v: self.third[1, 1] + 1.0,
        "two of them": lambda self, t, q, v: self.second * self.first[1],
        "the state too": lambda self, t, q, v: self.second * v[5],
        "the state": lambda self, t, q, v: v[5],
        "period": lambda self, t, q, v: t,
    }
    for number, function in numbers.items():
        Several.number = function
        name = number.partition(",")[0]
        told = rf"\.{name} is a gain.*static = \(\"{name}\",\)" if name in Several.__annotations__ else ""
        if number == "two of them":  # the first of which is enough to say
            told = r"\.first is a gain"
        with pytest.raises(TracingError, match=told or "cannot be traced") as error:
            go(Law(*gains), controller_in="kernel", control_step=0.1 if full else None)
        assert ("is a gain" in str(error.value)) == bool(told), number


def test_caches_of_a_law_do_not_freeze_its_gains():
    from functools import cached_property

    class Cached(um.Law):
        """Keeps a matrix that it made."""

        gain: float

        @cached_property
        def matrix(self):
            return -self.gain * np.eye(6)

        def __call__(self, t, q, v):
            return self.matrix @ v

    law = Cached(2.0)
    assert law.matrix[0, 0] == -2.0
    assert np.allclose(go(law).u, -2.0 * go(law).v)
    assert np.allclose(go(Cached(5.0)).u, -5.0 * go(Cached(5.0)).v)
    assert law.matrix[0, 0] == -2.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Damper(np.nan), "Damper: gain: expected finite"),
        (lambda: Damper(np.ones((2, 3))), "Damper: gain: expected one number"),
        (lambda: Network([np.eye(6)], np.ones(5)), "Network: bias: expected one number, or shape"),
        (
            lambda: go(Damper([1.0, 2.0]) + Damper([1.0, 2.0, 3.0])),
            "gains: expected the same number of samples",
        ),
        (lambda: Damper(1.0) + (lambda t, q, v: v), "laws: expected laws"),
    ],
)
@pytest.mark.whole
def test_refusals(make, message):
    with pytest.raises(um.ModelError, match=message):
        make()


def test_derived_attributes_must_be_declared():
    class Sloppy(um.Law):
        """Hides a number in an attribute."""

        gain: float

        def __post_init__(self):
            object.__setattr__(self, "double", 2 * self.gain)

        def __call__(self, t, q, v):
            return -self.double * v

    with pytest.raises(um.ModelError, match="attribute double: expected a field"):
        Sloppy(1.0)

    class Tidy(um.Law):
        """Declares it."""

        gain: float
        double: float = field(init=False, default=0.0)

        def __post_init__(self):
            object.__setattr__(self, "double", 2 * self.gain)

        def __call__(self, t, q, v):
            return -self.double * v

    assert np.allclose(go(Tidy(1.0)).u, -2.0 * go(Tidy(1.0)).v)


def test_gains_are_found_inside_and_put_back():
    law = Half(Damper(2.0)) + Damper([1.0, 2.0])
    assert [(g.name, g.shape) for g in gains_of(law)] == [("laws.0.law.gain", ()), ("laws.1.gain", ())]
    changed = with_gains(law, {"laws.0.law.gain": 5.0, "laws.1.gain": 7.0})
    v = np.ones(6)
    assert np.array_equal(changed(0.0, Q, v), -(0.5 * 5.0 + 7.0) * v)


def test_a_law_that_is_decorated_as_a_dataclass_too_is_fine():
    @dataclass(frozen=True, eq=False, repr=False)
    class Twice(um.Law):
        """Says it twice."""

        gain: float
        power: int = 1

        def __call__(self, t, q, v):
            return -self.gain * v**self.power

    law = Twice(3)
    assert isinstance(law.gain, float)
    assert np.allclose(go(law).u, -3.0 * go(law).v)
    with pytest.raises((um.ModelError, FrozenInstanceError)):
        law.gain = 1.0  # type: ignore[misc]


def test_a_gain_is_a_number():
    for bad in ("3", None, True, 1j, lambda t: 3.0):
        with pytest.raises(um.ModelError, match="Damper: gain: expected a number"):
            Damper(bad)


def test_a_law_that_does_not_take_what_it_is_given_says_how_it_is_declared():
    class Forgotten(um.Law):
        """Wants a memory that it does not declare."""

        def __call__(self, seen, memory):
            return -seen.v, memory

    class Short(um.Law):
        """Declares a memory that it does not take."""

        memory = {"sum": 1}

        def __call__(self, t, q, v):
            return -v

    for law in (Forgotten(), Forgotten() + Damper(1.0), lambda seen, memory: (-seen.v, memory)):
        with pytest.raises(um.ModelError, match=r"expected \(t, q, v\); a law of \(seen, memory\) declares"):
            go(law, control_step=0.1)
    with pytest.raises(um.ModelError, match=r"Short: arguments: expected \(seen, memory\)"):
        go(Short(), control_step=0.1)
    go(lambda *given: -given[2])
