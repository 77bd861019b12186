"""What laws tell: as functions of named arrays for C, as channels of their memory, inputs and estimates."""

import numpy as np
import pytest
from tests.simulation.arms import small_arm, states

import unmoored as um
from unmoored.simulation.law_channels import LawChannel, entries, error_of, law_channel, told_names
from unmoored.simulation.law_function import law_function
from unmoored.trace import evaluate

SYSTEM = small_arm()
PLANT = um.Plant(SYSTEM, um.Earth(), actuators=[um.JointMotor("arm1", lag=0.1), um.JointMotor("arm2")])
Q, V = states(SYSTEM, 1, seed=4)


class Winding(um.Law):
    """Integral action, with a gain per motor, and what it counts."""

    slope: float
    gains: np.ndarray
    memory = {"sum": 2, "count": 3.0}
    shapes = {"gains": (2,)}

    def __call__(self, seen, memory):
        new = {"sum": memory["sum"] + seen.period * seen.v[6:], "count": memory["count"] + 1.0}
        return -self.gains * new["sum"] - self.slope * seen.x[0] + memory["count"], new


LAW = Winding(0.5, np.array([2.0, 7.0]))
X, M = np.array([0.3]), np.array([0.1, -0.2, 5.0])


def expected(slope, gains):
    total = M[:2] + 0.02 * V[0, 6:]
    return -np.array(gains) * total - slope * X[0] + M[2], [*total, M[2] + 1.0]


def test_a_law_with_memory_is_a_function_of_its_named_arrays():
    found = law_function(PLANT, LAW, 0.02)
    assert (found.inputs, found.outputs) == (("t", "q", "v", "x", "memory"), ("u", "memory_out"))
    assert found.start.tolist() == [0.0, 0.0, 3.0]
    u, after = evaluate(found.traced, np.float64(0.3), Q[0], V[0], X, M)
    wanted, kept = expected(0.5, [2.0, 7.0])
    np.testing.assert_allclose(u, wanted, rtol=1e-14)
    np.testing.assert_allclose(after, kept, rtol=1e-14)


def test_its_gains_may_be_an_argument():
    found = law_function(PLANT, LAW, 0.02, gains=True)
    assert found.inputs == ("t", "q", "v", "x", "memory", "gains")
    u, _ = evaluate(found.traced, np.float64(0.3), Q[0], V[0], X, M, np.array([1.5, 3.0, 4.0]))
    np.testing.assert_allclose(u, expected(1.5, [3.0, 4.0])[0], rtol=1e-14)


def test_what_has_no_entries_is_left_out():
    def plain(t, q, v):
        return t * v[6:] + q[12]

    found = law_function(PLANT, plain, None, gains=True)
    assert (found.inputs, found.outputs) == (("t", "q", "v"), ("u",))
    np.testing.assert_allclose(
        evaluate(found.traced, np.float64(0.3), Q[0], V[0]), 0.3 * V[0, 6:] + Q[0, 12], rtol=1e-14
    )
    many = Winding(np.array([1.0, 2.0]), np.array([2.0, 7.0]))
    with pytest.raises(um.ModelError, match=r"^law Winding: gains: expected gains of one sample, given of 2"):
        law_function(PLANT, many, 0.02)
    with pytest.raises(um.ModelError, match="expected a law u = law"):
        law_function(PLANT, None, 0.02)


def test_a_law_in_c_says_what_it_takes_and_what_is_fixed():
    tuned, start = um.CLaw(LAW, control_step=0.02, gains=True, name="wind").entries(PLANT, "x")
    assert (tuned.name, start.name) == ("x_wind", "x_wind_start")
    fixed, _ = um.CLaw(LAW, control_step=0.02).entries(PLANT, "x")
    assert fixed.name == "x_law"
    (plain,) = um.CLaw(lambda t, q, v: v[6:]).entries(PLANT, "x")
    text = {
        key: repr(entry)
        for key, entry in (("tuned", tuned), ("start", start), ("fixed", fixed), ("plain", plain))
    }
    period = "Fixed: control period = 0.02 s; call it once in each."
    for words, where in (
        ("The law Winding: inputs u at time t, configuration q and velocity v.", ("tuned", "fixed")),
        (period, ("tuned", "fixed")),
        ("gains: slope, gains[2]", ("tuned",)),
        ("Fixed: slope = 0.5", ("fixed",)),
        ("Fixed: gains = [2.0, 7.0]", ("fixed",)),
        ("memory: sum[2], count", ("tuned", "fixed")),
        ("The memory of x_wind at the beginning.", ("start",)),
    ):
        assert [key for key in text if words in text[key]] == list(where), words
    with pytest.raises(um.ModelError, match=r"functions: expected a law of an um\.Plant"):
        um.CLaw(LAW).entries(SYSTEM, "x")


MEMORY = (("sum", (2,)), ("table", (2, 3)), ("count", ()), ("1.loss", (2,)))


def test_numbers_of_a_law_have_channels():
    def of(name, inputs=("push", "pull"), memory=MEMORY):
        return law_channel(SYSTEM.tree, name, inputs, memory)

    assert of("push.input") == LawChannel("input", "push")
    assert of("pull.duty") == LawChannel("duty", "pull")
    assert of("memory.count") == LawChannel("memory", "count")
    assert of("memory.sum[1]") == LawChannel("memory", "sum", (1,))
    assert of("memory.table[1,2]") == of("memory.table[1, 2]") == LawChannel("memory", "table", (1, 2))
    assert of("level_1.loss") == LawChannel("memory", "1.loss", (1,))
    none = (
        "pull.force",
        "other.input",
        "memory.sum",
        "memory.sum[2]",
        "memory.table[1]",
        "memory.table[2,0]",
    )
    none += ("memory.table[0,3]", "memory.none", "memory.count[0]", "level_2.loss", "level_x.loss", "1.loss")
    none += ("bus.x", "arm1", "arm1.estimate")
    assert [name for name in none if of(name) is not None] == []
    believed = (("filter.estimate.q", (14,)),)
    assert of("arm1.estimate", memory=believed) == LawChannel("estimate", "arm1")
    assert of("bus.yaw.estimate_error", memory=believed) == LawChannel("estimate_error", "bus.yaw")
    assert of("nothing.estimate", memory=believed) is None
    assert entries("memory.table", MEMORY)[:4] == tuple(
        f"memory.table[{k}]" for k in ("0,0", "0,1", "0,2", "1,0")
    )
    assert entries("memory.count", MEMORY) == ("memory.count",)
    assert entries("arm1", MEMORY) == ("arm1",)
    assert told_names(("push",), MEMORY) == (
        "; .input, .duty of push; level_0.loss … level_1.loss; "
        "memory.NAME of sum[0…1], table[0…1,0…2], count, 1.loss[0…1], an entry each"
    )
    assert told_names((), ()) == ""
    assert told_names((), believed).endswith("; .estimate, .estimate_error of these channels")


def test_errors_of_angles_are_within_half_a_turn():
    believed, true = np.array([3.0, 0.5, -3.0]), np.array([-3.0, 0.25, 3.0])
    off = 2 * np.pi - 6.0
    for turn in ("roll", "pitch", "yaw"):
        np.testing.assert_allclose(error_of(f"bus.{turn}", believed, true), [-off, 0.25, off], atol=1e-14)
    np.testing.assert_allclose(error_of("bus.x", believed, true), [6.0, 0.25, -6.0], atol=1e-14)
