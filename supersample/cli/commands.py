"""Commands: functions whose parameters are options, or groups of options, shown in panels.

A group is a dataclass whose fields are options. The purpose of an option is in the docstring of
the group or the command, as in all docstrings: ``name`` or ``name : PLACEHOLDER``, and the text
below. Its type, with typer's facts in `Annotated`, and its default are in the code.
"""

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from inspect import Parameter, Signature, cleandoc, signature, unwrap
from typing import Annotated, Any, get_args, get_origin

import typer
from typer.core import TyperCommand
from typer.main import get_command_name
from typer.models import ParameterInfo

from supersample.cli.effects import Effect, Effects, flag, refuse_without_effect
from supersample.errors import InputError, check_count, is_close, is_there

ARGUMENTS, SCORES, OPTIONS, OUTPUT = "Arguments", "Scores", "Options", "Output"
HYBRIDS, SYSTEMS, ADDED = "Hybrids", "Systems and metrics", "Added metrics and ratings"
TESTS, COLUMNS, COMPUTATION = "Tests and intervals", "Columns of a table", "Computation"
ESSENTIAL = (ARGUMENTS, SCORES, OPTIONS, OUTPUT)
"""Panels that --help shows; --help-all shows the others too."""
PANELS = (*ESSENTIAL, HYBRIDS, TESTS, SYSTEMS, ADDED, COLUMNS, COMPUTATION)

JOINED = ("human", "metrics", "language_pairs", "test_set", "figures")
"""Options with one text that names several values."""
WHOLE = ("mirror",)
"""Options whose values may have commas."""
Function = Callable[..., None]
_PARAMETERS = "Parameters\n----------\n"
_KIND = re.compile(r" ?<(?:list\[)?(str|int|float|path)\b[^>]*>")
_CHOICES = re.compile(r"[<\[](\S+\|\S+)[>\]]")
LONGEST_CHOICES = 34  # characters, so that the texts beside them start half-way at most
_PLACEHOLDERS = {"str": " TEXT", "int": " N", "float": " X", "path": " PATH"}


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


def parameter(
    name: str, kind: Any, default: Any, text: tuple[str, str] = ("", ""), panel: str = OPTIONS
) -> Parameter:
    """Make the parameter that typer reads of an option.

    Parameters
    ----------
    name : str
    kind : type
        Perhaps `Annotated`, with what typer takes and with an `Effect`.
    default : object
    text : (str, str)
        Placeholder of its value and help, where `kind` has none.
    panel : str
        Panel of the help, where `kind` names none.
    """
    kind, *facts = get_args(kind) if get_origin(kind) is Annotated else (kind,)
    infos = [copy(fact) for fact in facts if isinstance(fact, ParameterInfo)] or [typer.Option()]
    infos[0].metavar, infos[0].help = text[0] or infos[0].metavar, text[1] or infos[0].help
    infos[0].rich_help_panel = infos[0].rich_help_panel or panel
    others = [fact for fact in facts if isinstance(fact, Effect)]
    annotation: Any = Annotated[(kind, *infos, *others)]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _options_of(name: str, kind: Any, default: Any, text: Any, panel: str) -> Iterator[Parameter]:
    """Parameter of an option, or those of all options of a group."""
    if hasattr(kind, "declared_options"):
        yield from kind.declared_options()
    elif is_dataclass(kind):
        texts, own = _texts(kind), getattr(kind, "PANEL", OPTIONS)
        for each in fields(kind):
            value = Parameter.empty if each.default is MISSING else each.default
            yield from _options_of(each.name, each.type, value, texts.get(each.name, ()), own)
    else:
        yield parameter(name, kind, default, text or ("", ""), panel)


def _gathered(name: str, kind: Any, values: Mapping[str, Any]) -> Any:
    """Value of an option, or a group made of the values of its options."""
    if hasattr(kind, "gathered_from"):
        return kind.gathered_from(values)
    return gathered_parts(kind, values) if is_dataclass(kind) else values[name]


def gathered_parts(kind: Any, values: Mapping[str, Any]) -> Any:
    """Group made of the values of its options, and of groups within it."""
    return kind(**{each.name: _gathered(each.name, each.type, values) for each in fields(kind)})


def _show_everything(context: typer.Context, given: bool) -> None:
    if given and not context.resilient_parsing:
        context.meta["everything"] = True
        typer.echo(context.get_help())
        raise typer.Exit


_HELP_ALL = Annotated[bool, typer.Option("--help-all", is_eager=True, callback=_show_everything)]


class Called:
    """A function as typer calls it: with the values of options, not with groups of them."""

    def __init__(self, function: Function, effects: Effects) -> None:
        self.__annotations__ = {}  # typer asks
        self.__name__ = function.__name__
        self.__doc__ = cleandoc(function.__doc__ or "").partition(_PARAMETERS)[0]
        self._function = function
        self._kinds = signature(function).parameters
        self._effects = effects

    @property
    def effects(self) -> Effects:
        """Conditions for options to have an effect: their own, and those of the command."""
        found = dict(self._effects)
        for name, each in self.__signature__.parameters.items():
            own = [fact for fact in get_args(each.annotation) if isinstance(fact, Effect)]
            if own:
                found[name] = (*own, *self._effects.get(name, ()))
        return found

    @property
    def __signature__(self) -> Signature:
        """Parameters of the options, also of readers that were registered since."""
        found = [Parameter("help_all", Parameter.KEYWORD_ONLY, default=False, annotation=_HELP_ALL)]
        texts = _texts(self._function)
        for name, each in self._kinds.items():
            found += _options_of(name, each.annotation, each.default, texts.get(name), OPTIONS)
        return Signature(found)

    def __call__(self, **values: Any) -> None:
        """Call the function."""
        kinds = self._kinds.items()
        self._function(**{name: _gathered(name, each.annotation, values) for name, each in kinds})


def _readable(name: str, text: str) -> tuple[str, str]:
    """Name an option's value in words, and move long lists of choices to the text."""
    choices = _CHOICES.search(name)
    if choices is not None and len(choices[0]) > LONGEST_CHOICES:
        listed = ", ".join(choices[1].split("|"))
        return name.replace(choices[0], "NAME"), f"{text} One of {listed}."
    return _KIND.sub(_placeholder, name), text


def _placeholder(kind: re.Match[str]) -> str:
    return "" if kind.string.startswith("[") else _PLACEHOLDERS[kind[1]]


def several(text: str) -> list[str]:
    """Take values joined by commas apart; a value with a comma stands in double quotes.

    >>> several('a, "b,c"')
    ['a', 'b,c']
    """
    try:
        return [each.strip() for each in next(csv.reader([text], skipinitialspace=True), [text])]
    except csv.Error:
        return [text]


def _values_of(name: str, text: str) -> list[str]:
    """Values that an option's text names: a file that exists is one, whatever its name."""
    if name in WHOLE or any(is_there(each) for each in (text, text.partition("=")[2])):
        return [text]
    if name == "corpus_metric":  # OPTION=VALUE goes on with the metric before it
        return re.split(r",(?!\w+=)", text)
    return several(text) or [text]


class Command(TyperCommand):
    """A command: options in panels, the essential ones first; those without effect are refused."""

    @property
    def effects(self) -> Effects:
        """When options have an effect, by parameter."""
        return getattr(unwrap(self.callback), "effects", {}) if self.callback else {}

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments; errors say what is missing, and which option may have been meant."""
        try:
            return super().parse_args(ctx, args)
        except typer.TyperException as error:
            _keep_close(error)
            _explain_missing(error)
            _explain_number(error)
            raise

    def make_parser(self, ctx: Any) -> Any:
        """Make the parser; options that take several values take A,B, and perhaps are repeated."""
        parser: Any = super().make_parser(ctx)
        parse = parser.parse_args

        def parse_several(args: list[str]) -> Any:
            found, rest, order = parse(args)
            names = [each.name for each in order if each.param_type_name == "option"]
            for name in dict.fromkeys(names):
                if isinstance(found[name], list):
                    found[name] = [x for text in found[name] for x in _values_of(name, text)]
                elif name in JOINED and names.count(name) > 1:
                    raise InputError(f"{flag(name)} is given twice; write {flag(name)} A,B")
            return found, rest, order

        parser.parse_args = parse_several
        return parser

    def invoke(self, ctx: Any) -> Any:
        """Run the command; refuse options without effect, and numbers too large to count."""
        sources = {name: ctx.get_parameter_source(name) for name in ctx.params}
        given = {name for name, each in sources.items() if each and each.name != "DEFAULT"}
        refuse_without_effect(self.effects, given, ctx.params)
        for each in self.params:
            value = ctx.params.get(each.name)
            for number in value if isinstance(value, list | tuple) else [value]:
                if isinstance(number, int) and each.name != "seed":
                    check_count(each.opts[0], number)
        return super().invoke(ctx)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each panel, or say how many options the others have."""
        sections: dict[str, list[tuple[str, str]]] = {panel: [] for panel in PANELS}
        params: list[Any] = self.get_params(ctx)
        for each in params:
            record = each.get_help_record(ctx)
            if record is not None and each.name != "help_all":
                of_option = each.rich_help_panel or OUTPUT  # that of --help itself
                panel = ARGUMENTS if each.param_type_name == "argument" else of_option
                sections[panel].append(_readable(*record))
        shown = PANELS if "everything" in ctx.meta else ESSENTIAL
        for panel in shown:
            if sections[panel]:
                with formatter.section(panel):
                    formatter.write_dl(sections[panel])
        more = {panel: len(sections[panel]) for panel in PANELS if panel not in shown}
        if sum(more.values()):
            formatter.write_paragraph()
            formatter.write_text(f"{sum(more.values())} more options are shown by --help-all.")


def _keep_close(error: Any) -> None:
    """Keep options that may have been meant; dashes do not count as letters in common."""
    name = str(getattr(error, "option_name", "")).strip("-")

    def meant(option: str) -> bool:
        other = option.strip("-")
        return is_close(name, other) or other.startswith(name) or name.startswith(other)

    if getattr(error, "possibilities", None):
        error.possibilities = list(filter(meant, error.possibilities))


def _explain_missing(error: Any) -> None:
    """Say what a missing argument or option is."""
    text = getattr(getattr(error, "param", None), "help", "")
    if hasattr(error, "param_type") and text:  # of missing ones alone
        error.message = text


def _explain_number(error: Any) -> None:
    """Say what a number looks like, in place of what parses it."""
    text = getattr(error, "message", "") or ""
    if "unable to parse string" in text:
        error.message = (
            "a whole number is needed, such as 10000"
            if "integer" in text
            else "a number is needed, such as 0.9"
        )


class App(typer.Typer):
    """An application whose commands are of this module's class."""

    def __call__(self, arguments: Sequence[str], **options: Any) -> Any:
        """Run the arguments; if a command comes first, only its options are built."""
        app = copy(self)
        app.registered_commands = sorted(self.registered_commands, key=lambda each: str(each.name))
        commands = {each.name: each for each in self.registered_commands}
        if arguments and arguments[0] in commands:
            app.registered_commands, app.registered_groups = [commands[arguments[0]]], []
        return typer.Typer.__call__(app, arguments, **options)

    def command(self, *, effects: Effects | None = None) -> Callable[[Function], Function]:  # type: ignore[override]
        """Register a function as a command; `effects` say when options have one, by parameter."""

        def register(function: Function) -> Function:
            name = get_command_name(function.__name__)
            super(App, self).command(name, cls=Command)(Called(function, effects or {}))
            return function

        return register
