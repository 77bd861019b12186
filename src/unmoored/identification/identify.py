"""`identify`: a plant's free numbers from recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..simulation.arguments import as_plant
from .driven_joints import driven_plant
from .energy_rows import energy_rows
from .equations import acceleration_equation, momentum_equation
from .identified import Identified
from .noisy_rows import deviations_of
from .outputs import Output
from .parameter_space import parameter_space
from .recording import as_recordings, is_number, wrong
from .row_fit import fit_rows
from .trajectory_fit import TrajectoryOptions, fit_trajectories

_BY = ("trajectories", "accelerations", "momentum", "energy")


def identify(
    plant: Any,
    recordings: Any,
    *,
    free: Sequence[str],
    by: str = "trajectories",
    driven: Sequence[str] = (),
    outputs: Sequence[Output] | None = None,
    window: float | None = None,
    step: float | None = None,
    method: str = "rkmk4",
    settled: Sequence[str] = (),
    robust: float | None = None,
    prior: Mapping[str, Any] | None = None,
    bounds: Mapping[str, Any] | None = None,
    iterations: int = 60,
    tolerance: float = 1e-9,
) -> Identified:
    """The numbers `free` (names or globs) of a plant, or of a system alone in free fall, from recordings of its motion.

    recordings: `Recording`s, or `Run`s that stand for them. The plant as built is where the search starts.
    by: "trajectories": output error, motions of the model against `outputs` (configurations, if None), each `window`
    (s; whole recordings if None) from a start that is unknown too. "accelerations": the equations of motion row by row.
    "momentum": what is conserved where nothing outside acts. "energy": what changes only by the work of inputs and of
    known losses. The last three allow for noise in all that they use.
    driven: joints of one DoF that move as they were recorded to, whatever forces that took.
    step: longest integration step (s); the time between rows if None. A warning tells where half of it finds others.
    settled: DoFs along which motions start in the model's own equilibrium, at rest: a vehicle that has come to rest.
    robust: differences beyond so many standard deviations count linearly (Huber): for outliers.
    prior: {name: (mean, deviation)}.  bounds: {name: (lowest, highest)}. Whatever is found is physical: masses and
    moments are those of real bodies, added mass and drag never negative (docs/identification.md).
    """
    plant = as_plant(plant, "identify")
    if by not in _BY:
        raise wrong("identify", "by", f"one of {', '.join(_BY)}", repr(by))
    for what, given in (("free", free), ("driven", driven), ("settled", settled)):
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise wrong("identify", what, "a list of names", repr(given))
    if isinstance(outputs, Output) or not isinstance(outputs, Sequence | None):
        raise wrong("identify", "outputs", "a list of Outputs, such as [Positions()]", repr(outputs))
    if isinstance(iterations, bool) or not isinstance(iterations, int) or iterations < 1:
        raise wrong("identify", "iterations", "a whole number ≥ 1", repr(iterations))
    if not is_number(tolerance, above=0.0):
        raise wrong("identify", "tolerance", "> 0", repr(tolerance))
    plant = plant._with_free(tuple(free))
    space = parameter_space(plant._declared, bounds, prior)
    found = as_recordings(recordings, plant, "identify")
    limits = {"iterations": iterations, "tolerance": tolerance}
    if by == "trajectories":
        given = {} if outputs is None else {"outputs": tuple(outputs)}
        options = TrajectoryOptions(
            driven=tuple(driven),
            window=window,
            step=step,
            method=method,
            settled=tuple(settled),
            robust=robust,
            **given,
        )
        return fit_trajectories(plant, found, space, options, limits)
    for what, given in (("outputs", outputs), ("window", window), ("step", step), ("robust", robust)):
        if given is not None:
            raise wrong("identify", what, f'none, by="{by}"', repr(given))
    if settled:
        raise wrong("identify", "settled", f'none, by="{by}"', repr(settled))
    moved, starts = driven_plant(plant, found, driven, "identify")
    if by == "energy":
        equation, found, starts = energy_rows(moved, found, starts, space)
    else:
        equation = (momentum_equation if by == "momentum" else acceleration_equation)(moved, found)
    noise = deviations_of(found, moved, equation.noisy)
    return fit_rows(plant, moved, starts, found, space, equation, noise, by, limits)
