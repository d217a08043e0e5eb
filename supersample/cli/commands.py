"""Commands: functions whose parameters are options, or groups of options, shown in panels.

A group is a dataclass whose fields are options. The purpose of an option is in the docstring of
the group or the command, as in all docstrings: ``name`` or ``name : PLACEHOLDER``, and the text
below. Its type, with typer's facts and perhaps an `Effect` in `Annotated`, and its default are in
the code. An option of several values takes A,B, and may be repeated.
"""

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import MISSING, dataclass, fields, is_dataclass
from fnmatch import fnmatchcase
from functools import partial
from inspect import Parameter, Signature, cleandoc, signature
from types import UnionType
from typing import Annotated, Any, get_args, get_origin

import typer
from typer.core import TyperCommand
from typer.main import get_command_name
from typer.models import ParameterInfo

from supersample.errors import InputError, check_count, is_there

ARGUMENTS, SCORES, OPTIONS, OUTPUT = "Arguments", "Scores", "Options", "Output"
HYBRIDS, TESTS = "Hybrids", "Tests and intervals"
ADDED, COMPUTATION = "Added metrics and ratings", "Computation"
PANELS = (ARGUMENTS, SCORES, OPTIONS, OUTPUT, HYBRIDS, TESTS, ADDED, COMPUTATION)

Function = Callable[..., None]
Values = Mapping[str, Any]
"""Values of a command's options by parameter."""
_PARAMETERS = "Parameters\n----------\n"
_KIND = re.compile(r" ?<(?:list\[)?(str|int|float|path)\b[^>]*>")
_CHOICES = re.compile(r"[<\[](\S+\|\S+)[>\]]")
LONGEST_CHOICES = 34  # characters, so that the texts beside them start half-way at most
_PLACEHOLDERS = {"str": " TEXT", "int": " N", "float": " X", "path": " PATH"}


@dataclass(frozen=True)
class Effect:
    """When an option has an effect, and how a refusal says so.

    Parameters
    ----------
    when : callable
        From the values of the command's options to whether this one has an effect.
    text : str
        For instance "goes with --out" or "does not go with --random".
    """

    when: Callable[[Values], bool]
    text: str


Idle = Callable[[Values], Mapping[str, str]]
"""From the values of a command's options to those without effect, and why."""


def flag(name: str) -> str:
    """Name an option as on the command line: import_hybrids is --import-hybrids."""
    return f"--{name.replace('_', '-')}"


def beside(*names: str) -> Effect:
    """Have an effect beside any of these options."""
    text = f"goes with {' or '.join(map(flag, names))}"
    return Effect(lambda values: any(map(values.get, names)), text)


def valued(name: str, *patterns: str) -> Effect:
    """Have an effect where (one of) the option's values matches one of the patterns."""

    def when(values: Values) -> bool:
        value = values[name]
        each = value if isinstance(value, list | tuple) else [value]
        return any(fnmatchcase(str(one), pattern) for one in each for pattern in patterns)

    return Effect(when, f"goes with {flag(name)} {' or '.join(patterns)}")


def _texts(of: Any) -> dict[str, tuple[str, str]]:
    """Find placeholder and help of each parameter in the docstring of a function or a class."""
    found: dict[str, tuple[str, str]] = {}
    for one in reversed(getattr(of, "__mro__", [of])):
        name = ""
        for line in cleandoc(one.__doc__ or "").partition(_PARAMETERS)[2].splitlines():
            if line.startswith(" "):
                placeholder, text = found.get(name, ("", ""))
                text = re.sub(r" +\[default", "  [default", f"{text} {line.strip()}".strip())
                found[name] = (placeholder, text)
            else:
                name, _, placeholder = line.partition(" : ")
                found[name] = (placeholder, "")
    return found


def several(text: str) -> list[str]:
    """Take values joined by commas apart; a value with a comma stands in double quotes.

    A file that exists is one value, whatever its name; OPTION=VALUE goes on with what its colon
    follows.

    >>> several('a, "b,c"')
    ['a', 'b,c']
    >>> several("SPA:p_values=normal,unit=3,PA")
    ['SPA:p_values=normal,unit=3', 'PA']
    """
    if any(is_there(each) for each in (text, text.partition("=")[2])):
        return [text]
    try:
        parts = [each.strip() for each in next(csv.reader([text], skipinitialspace=True), [text])]
    except csv.Error:
        return [text]
    joined: list[str] = []
    for part in parts:
        if joined and ":" in joined[-1] and re.match(r"\w+=", part):
            joined[-1] += f",{part}"
        else:
            joined.append(part)
    return joined or [text]


def _element(kind: Any) -> Any:
    """Kind of the values of an option that takes several; None for others."""
    alternatives = get_args(kind) if isinstance(kind, UnionType) else (kind,)
    return next((get_args(one)[0] for one in alternatives if get_origin(one) is list), None)


def _converted(of: Any, text: str) -> list[Any]:
    return list(map(of, several(text)))


def _parameter(name: str, kind: Any, default: Any, text: tuple[str, str], panel: str) -> Parameter:
    """Make the parameter that typer reads of an option."""
    kind, *facts = get_args(kind) if get_origin(kind) is Annotated else (kind,)
    infos = [copy(fact) for fact in facts if isinstance(fact, ParameterInfo)] or [typer.Option()]
    info, of = infos[0], _element(kind)
    info.metavar, info.help = text[0] or info.metavar, text[1] or info.help
    info.rich_help_panel = info.rich_help_panel or panel
    if of is not None and not isinstance(info, type(typer.Argument())):
        plural = "N,N" if of in (int, float) else "A,B"
        info.parser, info.metavar = partial(_converted, of), info.metavar or plural
    others = [fact for fact in facts if isinstance(fact, Effect)]
    annotation: Any = Annotated[(kind, info, *others)]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _options_of(name: str, kind: Any, default: Any, text: Any, panel: str) -> Iterator[Parameter]:
    """Parameter of an option, or those of all options of a group."""
    if is_dataclass(kind):
        texts, own = _texts(kind), getattr(kind, "PANEL", OPTIONS)
        for each in fields(kind):
            value = Parameter.empty if each.default is MISSING else each.default
            yield from _options_of(each.name, each.type, value, texts.get(each.name, ()), own)
    else:
        yield _parameter(name, kind, default, text or ("", ""), panel)


def _gathered(name: str, kind: Any, values: Values) -> Any:
    """Value of an option, or a group made of the values of its options."""
    if not is_dataclass(kind):
        return values[name]
    made: Any = kind
    return made(**{each.name: _gathered(each.name, each.type, values) for each in fields(kind)})


class _Called:
    """A function as typer calls it: with the values of options, not with groups of them."""

    def __init__(self, function: Function, idle: Idle) -> None:
        self.__annotations__ = {}  # typer asks
        self.__name__ = function.__name__
        self.__doc__ = cleandoc(function.__doc__ or "").partition(_PARAMETERS)[0]
        self._function, self._idle = function, idle
        self._kinds = {
            name: each.annotation for name, each in signature(function).parameters.items()
        }
        texts, found = _texts(function), list[Parameter]()
        for name, each in signature(function).parameters.items():
            found += _options_of(name, each.annotation, each.default, texts.get(name), OPTIONS)
        self._options = found
        context = Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
        self.__signature__ = Signature([context, *found])

    def __call__(self, context: typer.Context, **values: Any) -> None:
        """Call the function; refuse options without effect, and numbers too large to count."""
        for option in self._options:
            name, kind = option.name, get_args(option.annotation)[0]
            if _element(kind) is not None and values[name] is not None:
                parts = [x if isinstance(x, list) else [x] for x in values[name]]
                values[name] = [x for part in parts for x in part] or None
        self._refuse(context, values)
        kinds = self._kinds.items()
        self._function(**{name: _gathered(name, kind, values) for name, kind in kinds})

    def _refuse(self, context: typer.Context, values: Values) -> None:
        sources = {name: context.get_parameter_source(name) for name in values}
        given = {name for name, each in sources.items() if each and each.name != "DEFAULT"}
        idle = dict(self._idle(values))
        for option in self._options:
            for effect in get_args(option.annotation):
                if isinstance(effect, Effect) and not effect.when(values):
                    idle.setdefault(option.name, effect.text)
        for name in filter(given.__contains__, idle):
            raise InputError(f"{flag(name)} {idle[name]}; leave {flag(name)} out")
        for name, value in values.items():
            for number in value if isinstance(value, list) else [value]:
                if isinstance(number, int) and name != "seed":
                    check_count(flag(name), number)


def _readable(name: str, text: str) -> tuple[str, str]:
    """Name an option's value in words, and move long lists of choices to the text."""
    choices = _CHOICES.search(name)
    if choices is not None and len(choices[0]) > LONGEST_CHOICES:
        listed = ", ".join(choices[1].split("|"))
        return name.replace(choices[0], "NAME"), f"{text} One of {listed}."
    return _KIND.sub(_placeholder, name), text


def _placeholder(kind: re.Match[str]) -> str:
    return "" if kind.string.startswith("[") else _PLACEHOLDERS[kind[1]]


class _Command(TyperCommand):
    """A command whose help has a section for each panel; typer has them only in colour."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each panel."""
        sections: dict[str, list[tuple[str, str]]] = {panel: [] for panel in PANELS}
        params: list[Any] = self.get_params(ctx)
        for each in params:
            record = each.get_help_record(ctx)
            if record is not None:
                panel = each.rich_help_panel or OUTPUT  # that of --help itself
                argument = each.param_type_name == "argument"
                sections[ARGUMENTS if argument else panel].append(_readable(*record))
        for panel, records in sections.items():
            if records:
                with formatter.section(panel):
                    formatter.write_dl(records)


class App(typer.Typer):
    """An application of commands in this module's form, and presets of them."""

    presets: dict[str, tuple[str, dict[str, Any]]]
    """By name, a command and its defaults."""

    def __call__(self, arguments: Sequence[str], **options: Any) -> Any:
        """Run the arguments; if a command comes first, only its options are built."""
        app = copy(self)
        app.registered_commands = sorted(self.registered_commands, key=lambda each: str(each.name))
        first, *rest = arguments or [""]
        if first in self.presets:
            command, defaults = self.presets[first]
            arguments, options = [command, *rest], {**options, "default_map": {command: defaults}}
        commands = {each.name: each for each in self.registered_commands}
        if arguments and arguments[0] in commands:
            app.registered_commands, app.registered_groups = [commands[arguments[0]]], []
        return typer.Typer.__call__(app, arguments, **options)

    def command(self, *, idle: Idle = lambda _: {}) -> Callable[[Function], Function]:  # type: ignore[override]
        """Register a function as a command; `idle` finds options that others leave no effect."""

        def register(function: Function) -> Function:
            name = get_command_name(function.__name__)
            super(App, self).command(name, cls=_Command)(_Called(function, idle))
            return function

        return register
