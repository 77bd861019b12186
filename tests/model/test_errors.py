"""Texts of errors: long ones are shortened, and say so."""

import pytest

import unmoored as um
from unmoored.model import ModelError, Problem
from unmoored.model.errors import shortened, some_of
from unmoored.model.files.file_problems import Problems, check_limit
from unmoored.model.short_text import shown


def test_a_long_text_is_cut_and_says_so():
    for length in (0, 299, 300):
        assert shortened("x" * length) == "x" * length
    assert shortened("x" * 301) == "x" * 300 + "…"
    assert shortened("abcdef", 5) == "abcde…"
    with pytest.raises(ModelError) as caught:
        raise ModelError.single("a", "b", expected="c", given="x" * 301)
    assert caught.value.problems[0].given == "x" * 300 + "…"


def test_of_many_names_the_first_are_told():
    names = list("abcdefghij")
    assert some_of(names[:8]) == "a, b, c, d, e, f, g, h"
    assert some_of(names) == "a, b, c, d, e, f, g, h and 2 more"
    assert some_of(names, 1) == "a and 9 more"


def test_problems_of_a_file_are_short_and_at_most_a_hundred():
    problems = Problems("f.yaml")
    problems.add("w" * 301, "r" * 301, expected="e" * 601, given="g" * 301, line=7)
    (found,) = problems.error().problems
    texts = ("w" * 300 + "…", "r" * 300 + "…", "e" * 600 + "…", "g" * 300 + "…")
    assert (found.where, found.rule, found.expected, found.given) == texts
    assert found.location == "f.yaml:7"
    for k in range(98):
        problems.add(f"{k}", "rule", expected="a", given="b", line=98 - k)
    assert not problems.full
    assert len(problems.error().problems) == 99
    problems.add("last", "rule", expected="a", given="b")
    problems.add("too many", "rule", expected="a", given="b")
    assert problems.full
    *found, end = problems.error().problems
    assert [p.where for p in found[:3]] == ["last", "97", "96"]
    assert len(found) == 100
    assert end.where == "file"


def test_problems_without_a_line_come_before_those_of_the_first():
    problems = Problems("whole.yaml")
    problems.add("a", "rule", expected="x", given="y", line=1)
    problems.adopt(Problem("b", "rule", "x", "y", "guest.yaml:3"), None)
    problems.add("c", "rule", expected="x", given="y")
    places = [(p.where, p.location) for p in problems.error().problems]
    assert places == [
        ("b", "guest.yaml:3 (mounted at whole.yaml)"),
        ("c", "whole.yaml"),
        ("a", "whole.yaml:1"),
    ]


@pytest.mark.whole
@pytest.mark.parametrize("name", vars(um.limits))
def test_as_much_as_a_limit_says_is_taken_and_not_one_more(name):
    bound = getattr(um.limits, name)
    check_limit("f.yaml", name, bound, "things")
    um.limits.check(name, bound, "f", "things")
    said = f"things: expected at most {bound:,} .unmoored.limits.{name} raises it., given {bound + 1:,}"
    with pytest.raises(ModelError, match=f"f.yaml: file: {said}"):
        check_limit("f.yaml", name, bound + 1, "things")
    with pytest.raises(ModelError, match=f"f: {said}"):
        um.limits.check(name, bound + 1, "f", "things")
    for nonsense in (float("nan"), float("inf")):
        with pytest.raises(ModelError, match=f"f: things: expected at most .*, given {nonsense}"):
            um.limits.check(name, nonsense, "f", "things")


def test_sizes_beyond_counting_are_told_by_their_power():
    for size, told in ((1e15 - 2, "999,999,999,999,998$"), (1e15, "given 1e[+]15$")):
        with pytest.raises(ModelError, match=told):
            um.limits.check("samples", size, "f", "things")


def test_values_are_shown_in_short():
    import numpy as np

    assert shown(np.arange(16)) == str(list(range(16)))
    assert shown(np.arange(17)) == f"<17 {np.arange(1).dtype}>"
    assert shown(np.zeros((19, 36, 6))) == "<19×36×6 float64>"
    assert shown(np.array([None])) == "<1 object>"
    assert shown(np.array(None)) == "<one object>"
    assert shown("x" * 120) == repr("x" * 120)
    assert shown("x" * 121) == repr("x" * 120) + "… (121 characters)"
    assert shown(list(range(17))) == f"[{', '.join(map(str, range(16)))}, … 17 in all]"
    assert shown([0.5] * 16) == f"[{', '.join(['0.5'] * 16)}]"
    assert shown(["a"] * 7) == "['a', 'a', 'a', 'a', 'a', 'a', … 7 in all]"
    assert shown(("a",)) == "('a',)"
    assert shown(("a", 1)) == "('a', 1)"
    assert shown({k: k for k in range(6)}) == "{0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5}"
    assert shown({k: k for k in range(7)}) == "{0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, … 7 in all}"
    assert shown(np.float64(0.1)) == "0.1"
