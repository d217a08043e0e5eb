from .running import run_tasks as run_tasks
from .definitions import read_tasks as read_tasks, task_names as task_names
