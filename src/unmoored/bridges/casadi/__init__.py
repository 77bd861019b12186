"""Methods, steps, laws and events as CasADi Functions, from the graphs that the kernels are made of.

function(plant, "step", method="heun"): a method of a `System` or `Plant`.
law(plant, law, control_step=0.02): a law, with its memory in and out.
event(plant, event): the value whose zero is the event.
traceable(f, shapes): any traceable function of arrays, such as a cost.
"""

from .handed_on import event, function, law, traceable

__all__ = ["event", "function", "law", "traceable"]
