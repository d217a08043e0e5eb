"""Teams of systems, whose several systems are no independent evidence.

Teams hand in several versions of one system. These are near-copies: they make a dozen systems worth
a few, and tests that take systems as independent then reject equality far too often. So a jackknife
deletes a team at a time, and tests count as many systems as the teams are worth: fewer, the more
alike the systems of a team are (`fisher_jackknife`). Teams differ in size, so this is the
delete-m_j jackknife: with theta the statistic of n systems, theta_j that without team j of m_j
systems, h_j = n / m_j and G teams,

    pseudo-value_j = h_j theta - (h_j - 1) theta_j,
    mean = G theta - sum_j (1 - 1 / h_j) theta_j,
    variance = (1 / G) sum_j (pseudo-value_j - mean)^2 / (h_j - 1).

If each team has one system, it is Tukey's jackknife. Fewer than five teams have no variance: then
a statement over systems cannot be made. `experiments/teams` measures level and coverage.

References: Busing, Meijer and van der Leeden (1999), "Delete-m jackknife for unequal m", Statistics
and Computing 9.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supersample.inference.arguments import Floats

FEWEST_TEAMS = 5
"""Fewest teams for a statement over systems, as for systems without teams."""


@dataclass(frozen=True)
class Teams:
    """Which systems belong together; `teams_of` makes it from names."""

    numbers: NDArray[np.int64]
    """Number of each system's team, shape (systems,), in the order of the names."""
    sizes: Floats
    """Number of systems of each team, shape (teams,)."""

    @property
    def count(self) -> int:
        """Number of teams."""
        return self.sizes.size

    @property
    def kept(self) -> Floats:
        """Weights of systems without each team in turn, shape (teams, systems)."""
        return np.asarray(1.0 - (self.numbers == np.arange(self.count)[:, np.newaxis]))

    @property
    def ordered_share(self) -> float:
        """Number of ordered pairs of systems of one team, divided by that of systems."""
        return float((self.sizes * (self.sizes - 1)).sum() / self.numbers.size)

    def within(self, values: Floats) -> Floats:
        """Correlate centred values (systems, ...) of systems of one team, from 0 to 1."""
        square = (values * values).sum(axis=0)
        crossed = (self.sums(values) ** 2).sum(axis=0) - square
        each = np.divide(crossed, square, out=np.zeros(square.shape), where=square > 0)
        return np.asarray(np.clip(each / self.ordered_share, 0.0, 1.0))

    def sums(self, values: Floats) -> Floats:
        """Sum values (systems, ...) over the systems of each team, (teams, ...)."""
        return np.stack([values[self.numbers == j].sum(axis=0) for j in range(self.count)])

    def along(self, values: Floats) -> Floats:
        """Sizes of the teams, with as many dimensions as values (teams, ...)."""
        return self.sizes.reshape(-1, *[1] * (values.ndim - 1))


def teams_of(names: ArrayLike | None) -> Teams | None:
    """Find the systems that belong together, by the name of each system's team.

    None if there are no names, or no two systems have the same.

    Examples
    --------
    >>> teams_of(["A", "B", "A"]).sizes
    array([2., 1.])
    >>> teams_of(["A", "B", "C"])
    """
    if names is None:
        return None
    _, numbers, sizes = np.unique(np.asarray(names), return_inverse=True, return_counts=True)
    if sizes.max(initial=0) < 2:
        return None
    return Teams(numbers.astype(np.int64), sizes.astype(np.float64))


def influences(value: Floats, left_out: Floats, teams: Teams | None) -> Floats:
    """Influence of each system or team on a statistic, by the jackknife.

    The sum of their squares is the variance; without teams, (n - 1) / n of it.

    Parameters
    ----------
    value : ndarray, shape (...)
        The statistic of all systems.
    left_out : ndarray, shape (n, ...)
        The statistic without each system, or without each team.
    teams : Teams, optional
    """
    if teams is None:
        return np.asarray(left_out - left_out.mean(axis=0))
    h = teams.numbers.size / teams.along(left_out)
    pseudo = h * value - (h - 1) * left_out
    mean = teams.count * value - ((1 - 1 / h) * left_out).sum(axis=0)
    return np.asarray((pseudo - mean) / np.sqrt(teams.count * (h - 1)))


def sums_of_units(values: Floats, teams: Teams | None) -> Floats:
    """Sum values (systems, ...) over the systems of each team, if there are teams."""
    return values if teams is None else teams.sums(values)


def unit_names(
    systems: Sequence[ArrayLike], teams: Sequence[Teams | None]
) -> list[NDArray[np.str_]]:
    """Names of each set's systems, or of its teams in their order."""
    named = zip(map(np.asarray, systems), teams, strict=True)
    return [names if of is None else np.unique(names) for names, of in named]
