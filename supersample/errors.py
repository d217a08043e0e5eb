"""The errors and warnings that speak to users; every room may raise them."""


class InputError(ValueError):
    """What the user gave cannot be used; the message says what, where and what to do.

    The command line prints the message as one line and exits with status 2.
    """


class DegenerateScoreWarning(UserWarning):
    """A statistic is undefined for some scorer, for instance r of scores that do not vary."""


class OrientationWarning(UserWarning):
    """A metric's orientation was not declared but inferred from its correlation."""
