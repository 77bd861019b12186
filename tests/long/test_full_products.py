"""What the ordinary tests take pair by pair, in every combination (`make long`)."""

import pytest
from tests.dynamics.test_peers import check_mujoco, check_pinocchio
from tests.integrators import test_implicit_loops
from tests.integrators.test_orders import ALL_TRIED, KINDS, TRIALS, check_orders
from tests.kernels.programs import PROGRAMS, arguments, traced
from tests.kernels.test_programs import check_widths
from tests.repo.test_docs import DOCS, run_code_on_steps
from tests.support.random_trees import ALL_KINDS, random_tree
from tests.system.test_kernels_match_numpy import RECURSIONS, check_recursions

import unmoored as um
from unmoored.integrators import IMPLICIT


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ALL_TRIED])
def test_every_method_has_its_order(kind):
    check_orders(kind, TRIALS)


@pytest.mark.parametrize("method", IMPLICIT)
@pytest.mark.parametrize("control_step", [None, 0.02])
def test_implicit_methods_everywhere(tmp_path, monkeypatch, method, control_step):
    test_implicit_loops.test_alone_in_a_batch_in_cuda_and_with_python_in_the_loop(
        tmp_path, monkeypatch, method, control_step
    )


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_same_bits_at_every_width(name, dtype):
    check_widths(traced(name), arguments(name, (19,), dtype), dtype, (2, 4, 8, 16))


@pytest.mark.parametrize("group", range(10))
def test_a_thousand_trees_against_pinocchio_and_mujoco(group):
    check_pinocchio(range(group, 700, 10))
    check_mujoco(range(10_000 + group, 10_300, 10))


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_every_recursion_on_every_kind_of_joint(kind):
    kinds = ("Fixed", "Revolute", "Revolute") if kind == "Fixed" else (kind, "Revolute")
    tree = random_tree(31, kinds, branching=False, added_mass=True, armature=True)
    check_recursions(um.System(tree), RECURSIONS)


def test_code_of_the_page_on_steps_as_printed():
    run_code_on_steps((DOCS / "step.md").read_text(encoding="utf-8"))
