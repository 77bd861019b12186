"""What tells users' functions apart: what is seen of them, or their graphs where they cannot be seen into."""

import numpy as np
import pytest

import unmoored as um
from unmoored.model.identity_of_code import identity, verified_identity

GAINS = memoryview(np.array([2.0, 3.0]))


def test_a_function_is_told_by_what_it_captures():
    def made(factor):
        return lambda x: factor * x

    def graph():
        raise AssertionError("nobody asks for a graph of what can be seen")

    two, again, three = (identity("law", made(k), graph) for k in (2.0, 2.0, 3.0))
    assert two == again
    assert two.seen
    assert two != three


def test_what_cannot_be_seen_into_is_told_by_its_graph_and_said_once():
    with pytest.warns(
        um.RetraceWarning, match=r"^law 7 is traced again at every call: it uses builtins.memoryview"
    ):
        found = identity("law 7", lambda x: GAINS[0] * x, lambda: "its graph")
    assert found.digest == "its graph"
    assert not found.seen
    assert (
        identity("law 7", lambda x: GAINS[0] * x, lambda: "another").digest == "another"
    )  # no second warning


def test_a_verified_function_gives_one_result_of_its_shape():
    a, b = (verified_identity("event", lambda x, k=k: k * x[0], ((2,),), ()) for k in (2.0, 3.0))
    assert a != b
    with pytest.raises(um.ModelError, match=r"event: result: expected shape \(\), given shape \(2,\)"):
        verified_identity("event", lambda x: x, ((2,),), ())
    with pytest.warns(um.RetraceWarning, match="event 7 is traced again at every call"):
        hidden = verified_identity("event 7", lambda x: GAINS[0] * x[0], ((2,),), ())
    assert not hidden.seen


def test_a_users_function_may_use_what_users_functions_may():
    """Its zero times a number is not nothing, which tells two apart; NumPy's own `where` works."""
    with pytest.warns(um.RetraceWarning, match="event [89] is traced again"):
        zero, times = (
            verified_identity(name, function, ((2,),), ())
            for name, function in (
                ("event 8", lambda x: 0.0 * GAINS[0] + x[1]),
                ("event 9", lambda x: 0.0 * GAINS[0] * x[0] + x[1]),
            )
        )
    assert zero.digest != times.digest
    assert verified_identity("event", lambda x: np.where(x[0] > 0, x[0], x[1]), ((2,),), ()).seen
