"""Task priority: levels of tasks, solved one after the other inside the kernel."""

from .task_priority import TaskPriority

__all__ = ["TaskPriority"]
