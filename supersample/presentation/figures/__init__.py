"""Figures of result Datasets: functions that draw into axes, and how figures look and are saved.

A function ``plot_*`` takes a result, draws into `ax`, or into the axes of a new figure, and returns
the axes. A result with several bases, measures or groups is drawn for one of them, which is
named by its dimension (``basis="hybrids"``), by default the first, of bases that of systems. Names
are shortened where they are long; tables have them in full.
"""

import math

from supersample.errors import InputError

WIDTHS = {"acl1": 3.03, "acl2": 6.3}
"""Widths in inches: a column and a page of ACL's style."""
Width = str | float


def inches(width: Width) -> float:
    """Width of a figure in inches: "acl1" (3.03), "acl2" (6.3), or a number.

    >>> inches("acl1"), inches("4.5"), inches(5)
    (3.03, 4.5, 5.0)
    """
    try:
        found = WIDTHS[width] if isinstance(width, str) and width in WIDTHS else float(width)
    except ValueError:
        found = math.nan
    if not 1.5 <= found <= 60:
        raise InputError(f"a figure's width is acl1, acl2 or 1.5 to 60 inches, not '{width}'")
    return found
