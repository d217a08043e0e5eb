"""Errors and warnings for users, and the checks of options that every room shares."""

from collections.abc import Iterable, Sequence


class InputError(ValueError):
    """What the user gave cannot be used; the message says what, where and what to do.

    The command line prints the message as one line and exits with status 2.
    """


class DegenerateScoreWarning(UserWarning):
    """A statistic is undefined for some scorer, for instance r of scores that do not vary."""


class OrientationWarning(UserWarning):
    """A metric's orientation was not declared but inferred from its correlation."""


def check_choice(what: str, chosen: object, choices: Iterable[str]) -> None:
    """Refuse a name that is not among the choices.

    Raises
    ------
    InputError
        Naming the choices.
    """
    names = list(choices)
    if chosen not in names:
        raise InputError(f"no {what} '{chosen}'; there are {', '.join(names)}")


def check_confidence_level(confidence_level: float) -> None:
    """Refuse a confidence level that is not strictly between 0 and 1.

    Raises
    ------
    InputError
        With the level.
    """
    if not 0 < confidence_level < 1:
        raise InputError(f"the confidence level lies between 0 and 1, not {confidence_level}")


def check_resamples(resamples: int) -> None:
    """Refuse to resample less than once.

    Raises
    ------
    InputError
        With the number.
    """
    if resamples < 1:
        raise InputError(f"at least one resample is needed, not {resamples}")


def shortened(text: str, most: int = 40) -> str:
    """Cut a text that is too long for an error message."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def listed(names: Sequence[str], most: int = 30) -> str:
    """Join names by commas; only the first ones where there are many."""
    shown = [shortened(name) for name in names[:most]]
    rest = len(names) - most
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")
