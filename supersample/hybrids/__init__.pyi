from .samples import possible_hybrids as possible_hybrids
from .assignments import (
    hybrid_assignments as hybrid_assignments,
    assignment_blocks as assignment_blocks,
    add_hybrid_scores as add_hybrid_scores,
)
from .runs import (
    run_hybrids as run_hybrids,
    resume_run as resume_run,
    run_options as run_options,
    run_status as run_status,
    RunStatus as RunStatus,
    open_run as open_run,
)
