from .samples import hybrid_assignments as hybrid_assignments
from .resuming import (
    run_hybrids as run_hybrids,
    resume_run as resume_run,
    run_status as run_status,
    open_run as open_run,
)
