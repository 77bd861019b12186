"""Steps that are too long for what is stiff are told of before anything runs, and nothing else is."""

import warnings

import numpy as np
import pytest

import unmoored as um
from unmoored.simulation import stiff_steps

RATE, MASS = 100.0, 2.0
STIFFNESS, DAMPING = MASS * RATE**2, MASS * RATE
#: |R(i y)| = 1, |R(−y)| = 1 of the methods: Hairer & Wanner, Solving Ordinary Differential Equations II, IV.2
RK4_IMAGINARY, RK4_REAL = 2.0 * np.sqrt(2.0), 2.785293563405282


def cart(stiffness=0.0, damping=0.0, friction=0.0, **options):
    builder = um.SystemBuilder("cart")
    joint = um.Prismatic((1, 0, 0), stiffness=stiffness, damping=damping, friction=friction)
    builder.vehicle("cart", joint, inertia=um.Inertia.box(mass=MASS, size=(1, 1, 1)))
    return um.Plant(builder.build(), **options)


SPRUNG = cart(stiffness=STIFFNESS)


def told(plant, step, steps=200, q0=0.1, **options):
    """The warnings of a run."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        q = np.zeros(plant.nq) + q0
        um.simulate(plant, q, step=step, duration=steps * step, **options)
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize(
    ("plant", "limit", "cause"),
    [
        (SPRUNG, RK4_IMAGINARY, "spring of joint cart"),
        (cart(damping=DAMPING), RK4_REAL, "damping of joint cart"),
        (cart(friction=DAMPING * 0.01), RK4_REAL, "friction of joint cart"),
    ],
)
def test_the_bound_is_that_of_the_method(plant, limit, cause):
    """Within half a per cent of where the method's stability function leaves the unit circle; the joint is named."""
    assert not told(plant, 0.995 * limit / RATE, steps=100_000)
    (text,) = told(plant, 1.005 * limit / RATE, steps=100_000)
    assert text.startswith(f"{cause}: too fast for steps of ")
    assert f"the fastest rate, {RATE:.3g}/s" in text
    better = float(text.split("take a step of ")[1].split(" s")[0])
    assert better <= 0.5 / RATE


@pytest.mark.parametrize(
    "element",
    [
        um.SpringDamper("world", "cart", stiffness=STIFFNESS, rest_length=0.05, name="tie"),
        um.SpringDamper("world", "cart", stiffness=0.0, damping=1.2 * DAMPING, rest_length=0.05, name="tie"),
        um.Bushing("world", "cart", stiffness=(STIFFNESS, 0, 0, 1, 1, 1), name="tie"),
        um.Bushing("world", "cart", stiffness=(0, 0, 0, 1, 1, 1), damping=(1.2 * DAMPING, 0, 0, 0, 0, 0), name="tie"),
        um.Line("world", "cart", stiffness=STIFFNESS, rest_length=0.05, name="tie"),
    ],
    ids=["spring", "damper", "bushing", "damped bushing", "line"],
)  # fmt: skip
def test_elements_are_named(element):
    plant = cart(
        elements=[element, um.SpringDamper("world", "cart", stiffness=1.0, rest_length=0.0, name="soft")]
    )
    (text,) = told(plant, 1.2 * RK4_IMAGINARY / RATE)
    assert text.startswith(f"{element.kind} tie: too fast")


def test_motors_behind_springs_and_lags_are_named():
    system = cart().system
    for motor in (um.ElasticMotor("cart", inertia=0.5, stiffness=1e5), um.JointMotor("cart", lag=1e-3)):
        (text,) = told(um.Plant(system, actuators=[motor]), 0.02)
        assert text.startswith(f"actuator {motor.label}: too fast")


def test_laws_count_where_they_act_in_every_stage():
    def law(t, q, v):
        return -STIFFNESS * q

    (text,) = told(cart(damping=0.1), 0.04, controller=law)
    assert text.startswith("joint cart: too fast")
    assert not told(
        cart(), 0.04, controller=law, control_step=0.04, steps=2
    )  # then it is the law's own period


def test_a_beam_is_told_of_by_its_joint():
    """Of the last element: the pieces at the ends swing fastest."""
    builder = um.SystemBuilder("boom")
    builder.mount(um.flexible_beam(4.0, 6.0, 1200.0, elements=4, axes="x"), "world", prefix="boom/")
    plant = um.Plant(builder.build())
    rate = max(abs(plant.linearize(0.0, plant.system.neutral(), np.zeros(plant.nv)).poles()))
    assert not told(plant, 0.99 * RK4_IMAGINARY / rate, q0=0.0)
    (text,) = told(plant, 1.05 * RK4_IMAGINARY / rate, q0=0.0)
    assert text.startswith("spring of joint boom/")


def test_weak_growth_of_euler_is_told_of_when_the_run_is_long():
    """|R(i y)|² = 1 + y²: a hundredth in a hundred steps is no harm, a factor of ten is."""
    assert not told(SPRUNG, 1e-4, steps=1000, method="euler")
    (text,) = told(SPRUNG, 1e-4, steps=60_000, method="euler", record_every=60_000)
    assert 'method="rkmk4"' in text


def test_of_a_batch_the_stiff_sample_is_told_of():
    plant = cart(stiffness=STIFFNESS, free=["cart.stiffness"])
    free = {"cart.stiffness": np.array([[STIFFNESS], [STIFFNESS], [4.0 * STIFFNESS]])}
    (text,) = told(plant, 0.02, steps=1000, parameters=free)
    assert "(sample 2)" in text
    assert "200/s" in text


def test_a_batch_is_looked_at_in_one_call(monkeypatch):
    """Sixty-four maps one after the other were a tenth of a campaign; each sample still has a bound of its own."""
    looked, first_to_end = [], stiff_steps.step_map

    def watched(e, t, state, *arguments):
        looked.append(len(state))
        return first_to_end(e, t, state, *arguments)

    monkeypatch.setattr(stiff_steps, "step_map", watched)
    plant = cart(stiffness=STIFFNESS, free=["cart.stiffness"])
    stiff = np.full((400, 1), 0.5 * STIFFNESS)
    step = 0.995 * RK4_IMAGINARY / RATE
    assert not told(plant, step, parameters={"cart.stiffness": stiff})
    assert looked == [58]  # a hundredth of the work, spread evenly
    stiff[63] = 1.1 * STIFFNESS
    (text,) = told(plant, step, parameters={"cart.stiffness": stiff})
    assert "(sample 63)" in text
    assert looked[1:] == [58, 1, 1]  # that sample alone more closely
    monkeypatch.setattr(stiff_steps, "_AT_ONCE", 1)
    assert told(plant, step, parameters={"cart.stiffness": stiff}) == [text]
    looked.clear()  # as many at once as have room: five starts of four numbers each
    monkeypatch.setattr(stiff_steps, "_AT_ONCE", 25 * 5 * 4)
    stiff[63] = 0.0
    assert not told(plant, step, parameters={"cart.stiffness": stiff})
    assert looked == [25, 25, 8]
    looked.clear()
    monkeypatch.setattr(stiff_steps, "_AT_ONCE", 25 * 5 * 4 - 1)
    assert not told(plant, step, parameters={"cart.stiffness": stiff})
    assert looked == [24, 24, 10]


def test_the_whole_text():
    """Growth by the method's stability function: |R(3i)| of the classical Runge–Kutta method, |1 + 3i| of Euler's."""
    z = 3.0j
    growth = abs(1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24)
    start = "spring of joint cart: too fast for steps of 0.03 s: "
    middle = " times in every step; the fastest rate, 100/s, times the step is 3; take a step of 0.00375 s"
    own = "dopri5 then chooses its own"
    assert told(SPRUNG, 0.03, steps=50) == [
        f'{start}rkmk4 lets it grow {growth:.3g}{middle}, or method="dopri5": {own}'
    ]
    assert told(SPRUNG, 0.03, steps=50, method="euler") == [
        f'{start}euler lets it grow {abs(1 + z):.3g}{middle}, or method="rkmk4", or method="dopri5": {own}'
    ]
    (text,) = told(SPRUNG, 0.03, steps=50, method="dopri5", tolerance=None)
    assert text.endswith(f"{middle}, or a tolerance: {own}")
    plant = cart(stiffness=STIFFNESS, free=["cart.stiffness"])
    free = {"cart.stiffness": [[0.0], [STIFFNESS], [0.0]]}
    (text,) = told(plant, 0.03, steps=500, parameters=free, samples=[7, 5, 3])
    assert text.startswith("spring of joint cart (sample 5): too fast for steps of 0.03 s: rkmk4")
    with pytest.warns(um.ModelWarning) as caught:
        um.Stepper(SPRUNG, step=0.03)
    assert str(caught[0].message) == f"{start}rkmk4 lets it grow {growth:.3g}{middle}"
    with pytest.warns(um.ModelWarning, match=r"^spring of joint cart \(sample 0\): too fast"):
        um.Stepper(SPRUNG, 2, step=0.03, seed=7)


def test_laws_are_looked_at_once_for_runs_of_the_same_kind(monkeypatch):
    """By step, number of steps and parameters; if they are not too many."""
    looked, first_to_end = [], stiff_steps.step_map

    def watched(*arguments):
        looked.append(1)
        return first_to_end(*arguments)

    monkeypatch.setattr(stiff_steps, "step_map", watched)
    plant = cart(free=["cart.mass"])
    law = um.JointPD(plant, {"cart": 0.0}, stiffness=3.0, damping=0.1)

    def looks(step=0.01, **options):
        looked.clear()
        assert not told(plant, step, controller=law, **options)
        return len(looked)

    assert [looks(), looks(), looks(q0=0.2)] == [1, 0, 0]
    assert [looks(step=0.02), looks(step=0.02), looks(steps=100), looks(steps=100)] == [1, 0, 1, 0]
    heavy = {"parameters": {"cart.mass": 3.0}}
    assert [looks(**heavy), looks(**heavy), looks()] == [1, 0, 0]
    assert looks(control_step=0.01) == 0
    other = {"parameters": {"cart.mass": 4.0}}
    monkeypatch.setattr(stiff_steps, "_KEPT_BYTES", 8 * 4 - 1)  # its mass, and the law's target and gains
    assert [looks(**other), looks(**other)] == [1, 1]
    monkeypatch.setattr(stiff_steps, "_KEPT_BYTES", 8 * 4)
    monkeypatch.setattr(stiff_steps, "_KEPT", 4)
    assert [looks(**other), looks(**other)] == [1, 1]
    monkeypatch.setattr(stiff_steps, "_KEPT", 5)
    assert [looks(**other), looks(**other)] == [1, 0]


def test_laws_on_large_plants_are_not_looked_at(monkeypatch):
    looked = []
    monkeypatch.setattr(stiff_steps, "step_map", lambda *given: looked.append(1) or np.eye(2)[None])
    law = um.JointPD(cart(), {"cart": 0.0}, stiffness=3.0, damping=0.1)
    for largest, times in ((1, 0), (2, 1)):
        monkeypatch.setattr(stiff_steps, "_LARGEST", largest)
        told(cart(), 0.01, controller=law)
        assert len(looked) == times


@pytest.mark.parametrize(
    "options", [{"dtype": "float32"}, {"backend": "numpy"}, {"method": "dopri5", "tolerance": None}]
)
def test_other_ways_to_run_tell_too(options):
    assert len(told(SPRUNG, 0.04, steps=10, **options)) == 1


def test_a_stepper_tells_when_it_is_made():
    with pytest.warns(um.ModelWarning, match="spring of joint cart: too fast") as caught:
        um.Stepper(SPRUNG, step=0.04)
    assert caught[0].filename == __file__
    um.Stepper(SPRUNG, step=0.02)


def test_nothing_is_told_of_what_grows_by_itself_or_jumps_or_turns_within_the_bound():
    assert not told(cart(), 0.01, steps=10, controller=lambda t, q, v: STIFFNESS * q)
    assert not told(cart(), 0.01, q0=0.0, controller=lambda t, q, v: -np.sign(q))
    builder = um.SystemBuilder("top")
    top = builder.vehicle("top", um.Free(), inertia=um.Inertia.box(mass=2.0, size=(1, 2, 3)))
    builder.link(
        "flap",
        parent=top,
        joint=um.Revolute((0, 0, 1), damping=0.1),
        inertia=um.Inertia.box(mass=0.1, size=(1, 1, 1)),
    )
    plant = um.Plant(builder.build())
    turning = plant.system.neutral(), np.r_[np.zeros(5), 40.0, 0.0]
    um.simulate(plant, *turning, step=0.05, duration=5.0)
    with pytest.warns(um.ModelWarning, match="joint top: too fast"):  # the velocity turns in the body's axes
        um.simulate(plant, *turning, step=0.08, duration=4.0)


def test_methods_that_solve_or_choose_are_not_told_of():
    assert not told(SPRUNG, 0.04, steps=5, method="dopri5")
    assert not told(SPRUNG, 1e-3, method="lie_midpoint")


def test_springs_in_loops_are_told_of():
    """A parallelogram: all bodies swing with the crank; ω² = k/(2 (I + m l²/4) + m l²)."""
    bar = um.Inertia(1.0, (0.5, 0, 0), np.diag([0.01, 0.1, 0.1]))
    builder = um.SystemBuilder("bars")
    turn = um.Revolute((0, 0, 1))
    spring = um.Revolute((0, 0, 1), stiffness=1e5, rest=np.pi / 2)
    crank = builder.vehicle("crank", spring, inertia=bar)
    builder.link("coupler", parent=crank, joint=turn, at=um.Pose(xyz=(1, 0, 0)), inertia=bar)
    builder.vehicle("rocker", turn, at=um.Pose(xyz=(1, 0, 0)), inertia=bar)
    for name in ("coupler", "rocker"):
        builder.frame(f"{name}_end", parent=name, at=um.Pose(xyz=(1, 0, 0)))
    plant = um.Plant(builder.build(), closures=[um.Closure("coupler_end", "rocker_end", joint=turn)])
    q = np.array([np.pi / 2, -np.pi / 2, np.pi / 2])
    rate = np.sqrt(1e5 / (2 * (0.1 + 0.25) + 1.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        um.simulate(plant, q, step=0.98 * RK4_IMAGINARY / rate, duration=50 * 0.98 * RK4_IMAGINARY / rate)
    step = 1.02 * RK4_IMAGINARY / rate
    with pytest.warns(
        um.ModelWarning, match=f"spring of joint crank: too fast.*the fastest rate, {rate:.3g}/s"
    ):
        um.simulate(plant, q, step=step, duration=200 * step)
