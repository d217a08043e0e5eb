"""The mistakes that `make mutants` makes can still be made."""

import pytest

from tests.faults.mutants import MUTANTS, ROOT


@pytest.mark.parametrize("mutant", MUTANTS, ids=range(1, len(MUTANTS) + 1))
def test_the_text_that_a_mutant_changes_is_there(mutant):
    assert mutant.text in (ROOT / mutant.module).read_text(encoding="utf-8")
    assert mutant.text != mutant.instead
    assert (ROOT / mutant.tests).is_file()
