"""Methods as CasADi Functions beside the graphs that they come from: values, and derivatives along a direction."""

import casadi as ca
import numpy as np

from unmoored.bridges import casadi as bridge
from unmoored.system.argument_kinds import ArrayOf, WrenchesOn
from unmoored.system.bound_method import BoundMethod
from unmoored.trace import evaluate, jvp


def choices(owner, method, words):
    """(names and fixed things, optional arrays that stay arguments): everything that can be an argument is one."""
    options = {key: words[key] for key in method.names}
    read = {key: kind.read(owner, options[key]) for key, kind in method.names.items()}
    arguments = []
    for key, kind in method.arrays.items():
        if isinstance(kind, WrenchesOn):
            options[key] = [owner.tree.names[-1]]
        elif kind.from_names is not None:
            options[key] = words[key]
        elif 0 not in kind.shape(owner, read):
            arguments.append(key)
    return options, arguments


def arrays(owner, bound, rng, at_neutral=False):
    """Arrays for the arguments of a bound method, and a direction for each; at neutral: all but t and step is zero."""
    system, given = getattr(owner, "system", owner), []
    for argument in bound.arguments:
        kind = bound.method.kinds.get(argument.parameter)
        if isinstance(kind, ArrayOf) and kind.size == "nq":
            given.append(system.neutral() if at_neutral else system.random_configuration(rng))
        elif argument.name in ("step", "damping"):
            given.append(0.01 * (1.0 + rng.random(argument.shape)))
        else:
            given.append((not at_neutral) * rng.normal(size=argument.shape))
    return given, [rng.normal(size=np.shape(x)) for x in given]


def function_and_graph(owner, name, options, arguments=()):
    """The CasADi Function of a method, and the method bound and traced."""
    bound = BoundMethod(owner, name, (), arguments, options, run_time=True)
    return bridge.function(owner, name, arguments=arguments, **options), bound, bound.traced(name)


def values(function, given):
    """Outputs of a CasADi Function, as flat arrays in NumPy's order."""
    found = function.call([ca.DM(np.asarray(x)) for x in given])
    return [np.array(x).ravel() for x in found]


def along(function, given, direction):
    """Derivatives along a direction, by CasADi's forward mode."""
    outputs = function.call([ca.DM(np.asarray(x)) for x in given])
    moving = [ca.DM(np.asarray(x)) for x in direction]
    found = function.forward(1).call([*(ca.DM(np.asarray(x)) for x in given), *outputs, *moving])
    return [np.array(x).ravel() for x in found]


def leaves(found):
    return [np.ravel(x) for x in (found if isinstance(found, tuple) else (found,))]


def error(mine, theirs):
    """The largest difference as a part of the largest number, at least 1."""
    assert [x.shape for x in mine] == [x.shape for x in theirs]
    a, b = np.concatenate([np.zeros(1), *mine]), np.concatenate([np.zeros(1), *theirs])
    same = np.isnan(a) & np.isnan(b)
    return np.where(same, 0.0, np.abs(a - b)).max() / max(1.0, np.nanmax(np.abs(b)))


def compare(owner, method, words, rng):
    """(error of values, error of derivatives) at a random state; the Function and its graph for more."""
    options, arguments = choices(owner, method, words)
    function, bound, traced = function_and_graph(owner, method.name, options, arguments)
    given, direction = arrays(owner, bound, rng)
    value = error(values(function, given), leaves(evaluate(traced, *given)))
    slope = error(along(function, given, direction), leaves(evaluate(jvp(traced), *given, *direction)))
    return value, slope, (function, bound, traced)
