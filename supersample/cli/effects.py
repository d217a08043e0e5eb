"""Conditions for options to have an effect; an option without effect is refused."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from supersample.errors import InputError

Values = Mapping[str, Any]
"""Values of a command's options by parameter."""


@dataclass(frozen=True)
class Effect:
    """When an option has an effect, and how a refusal says so.

    Parameters
    ----------
    when : callable
        From the values of the command's options to whether this one has an effect.
    text : str
        For instance "goes with --out" or "does not go with --random".
    message : str, default ""
        Whole refusal in place of one with `text`; values of options stand in braces.
    """

    when: Callable[[Values], bool]
    text: str
    message: str = ""


Effects = Mapping[str, Sequence[Effect]]
"""Conditions for options to have an effect, by parameter; all of them must hold."""


def flag(name: str) -> str:
    """Name an option as on the command line: import_hybrids is --import-hybrids."""
    return f"--{name.replace('_', '-')}"


def beside(*names: str) -> Effect:
    """Have an effect beside any of these options."""
    text = f"goes with {' or '.join(map(flag, names))}"
    return Effect(lambda values: any(map(values.get, names)), text)


def without(*names: str) -> Effect:
    """Have an effect unless any of these options is given."""
    text = f"does not go with {' or '.join(map(flag, names))}"
    return Effect(lambda values: not any(map(values.get, names)), text)


def valued(name: str, *patterns: str, said: str | None = None) -> Effect:
    """Have an effect where (one of) the option's values matches one of the patterns.

    A refusal names the patterns, or what is `said` in their place.
    """

    def when(values: Values) -> bool:
        value = values[name]
        each = value if isinstance(value, list | tuple) else [value]
        return any(fnmatchcase(str(one), pattern) for one in each for pattern in patterns)

    *others, last = patterns
    names = f"{', '.join(others)} or {last}" if others else last
    return Effect(when, f"goes with {flag(name)} {said or names}")


def refuse_without_effect(effects: Effects, given: set[str], values: Values) -> None:
    """Refuse an option that is given and has no effect beside the others.

    Raises
    ------
    InputError
        Naming the option, and what it goes with.
    """
    for name, found in effects.items():
        for effect in found if name in given else ():
            if not effect.when(values):
                message = f"{flag(name)} {effect.text}; leave {flag(name)} out"
                raise InputError(effect.message.format_map(values) or message)
