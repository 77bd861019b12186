"""What hands systems and plants on to other libraries; each module needs the extra of its name.

casadi: methods, steps, laws and events as CasADi Functions.
gymnasium: tasks as vector environments.  learning_task, distributions: what a task is made of.  tasks: the ready ones.
jax, torch: gradients through methods and rollouts.  torch_environment: tasks on tensors, without a copy to the host.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import casadi, distributions, gymnasium, jax, learning_task, tasks, torch, torch_environment

__all__ = [
    "casadi",
    "distributions",
    "gymnasium",
    "jax",
    "learning_task",
    "tasks",
    "torch",
    "torch_environment",
]


def __getattr__(name: str) -> Any:
    """The modules, imported when they are first asked for."""
    if name in __all__:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
