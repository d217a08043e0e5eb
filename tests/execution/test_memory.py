import pytest

from supersample import InputError
from supersample.execution import limits
from supersample.execution.limits import check_disk, check_memory, usable_memory


def test_what_fits_is_let_through_and_more_is_refused(tmp_path):
    check_memory(usable_memory(), "all")
    with pytest.raises(InputError, match=r"rows take .* GiB, this machine has .* GiB; ask for few"):
        check_memory(usable_memory() + 1, "rows")
    check_disk(1, tmp_path / "new" / "store", "rows")
    with pytest.raises(InputError, match=r"rows take .* and the disk of .* GiB left; ask for few"):
        check_disk(2.0**70, tmp_path / "new" / "store", "rows")


@pytest.mark.posix("limits of processes")
def test_a_limit_of_the_process_counts(monkeypatch):
    import resource

    monkeypatch.setattr(resource, "getrlimit", lambda _: (2**20, 2**20))
    assert limits.usable_memory() == 2**20
