"""Commands whose help groups options into panels."""

import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

import typer
from typer.core import TyperCommand
from typer.main import get_command_name
from typer.models import CommandInfo

from supersample.cli.effects import Effect, refuse_without_effect
from supersample.errors import check_count, is_close

SCORES, SYSTEMS, ADDED = "Scores", "Systems and metrics", "Added metrics and ratings"
COLUMNS = "Columns of a table"
OPTIONS, COMPUTATION, OUTPUT = "Options", "Computation", "Output"
PANELS = (SCORES, OPTIONS, OUTPUT, SYSTEMS, ADDED, COLUMNS, COMPUTATION)
"""Panels of a help text, those that most people need first."""
_PANELS = {
    SCORES: "test_set language_pair human reference metrics lower_is_better also by",
    OUTPUT: "out overwrite figures figure_width report quiet full explain help",
    COLUMNS: "system_column segment_column scorer_column score_column document_column "
    "domain_column sheet",
    SYSTEMS: "include exclude only mask human_mean",
    ADDED: "add_metric higher_is_better corpus_metric hypotheses references text_cache ratings "
    "rating_scale quality_control import_hybrids import_systems import_lower_is_better",
    COMPUTATION: "scheduler workers memory walltime queue part parts chunk precision stream store",
}
PANEL_OF = {name: panel for panel, names in _PANELS.items() for name in names.split()}
"""Panels of parameters by name; those of no panel here are options of their command."""

_KIND = re.compile(r" ?<(?:list\[)?(str|int|float|path)\b[^>]*>")
_CHOICES = re.compile(r"[<\[](\S+\|\S+)[>\]]")
LONGEST_CHOICES = 34  # characters, so that the texts beside them start half-way at most
_PLACEHOLDERS = {"str": " TEXT", "int": " N", "float": " X", "path": " PATH"}


def _readable(name: str, text: str) -> tuple[str, str]:
    """Name an option's value in words, and move long lists of choices to the text."""
    choices = _CHOICES.search(name)
    if choices is not None and len(choices[0]) > LONGEST_CHOICES:
        listed = ", ".join(choices[1].split("|"))
        return name.replace(choices[0], "NAME"), f"{text} One of {listed}."
    return _KIND.sub(_placeholder, name), text


def _placeholder(kind: re.Match[str]) -> str:
    return "" if kind.string.startswith("[") else _PLACEHOLDERS[kind[1]]


class Command(TyperCommand):
    """A command: options in panels, those without effect refused."""

    effects: Mapping[str, Effect] = {}

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments; a mistake is told with what may have been meant."""
        try:
            return super().parse_args(ctx, args)
        except typer.TyperException as error:
            _keep_close(error)
            _explain_missing(error)
            raise

    def invoke(self, ctx: Any) -> Any:
        """Run the command, unless an option has no effect or is a number beyond all counts."""
        given = {name for name in ctx.params if is_given(ctx, name)}
        refuse_without_effect(self.effects, given, ctx.params)
        for parameter in self.params:
            value = ctx.params.get(parameter.name)
            for number in value if isinstance(value, list | tuple) else [value]:
                if isinstance(number, int) and parameter.name != "seed":
                    check_count(parameter.opts[0], number)
        return super().invoke(ctx)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options, a section for each panel."""
        sections: dict[str, list[tuple[str, str]]] = {panel: [] for panel in ("Arguments", *PANELS)}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            of_option = getattr(parameter, "rich_help_panel", None)
            of_option = of_option or PANEL_OF.get(parameter.name, OPTIONS)
            panel = "Arguments" if parameter.param_type_name == "argument" else of_option
            sections[panel].append(_readable(*record))
        for panel, records in sections.items():
            if records:
                with formatter.section(panel):
                    formatter.write_dl(records)


def _keep_close(error: Any) -> None:
    """Keep options that may have been meant; likeness that the dashes make is none."""
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


def is_given(context: Any, name: str) -> bool:
    """Whether the command line has an option."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _name(command: CommandInfo) -> str:
    """Name of a command on the command line."""
    return command.name or get_command_name(getattr(command.callback, "__name__", ""))


class App(typer.Typer):
    """An application whose commands are of this module's class."""

    def __call__(self, arguments: Sequence[str], **options: Any) -> Any:
        """Run the arguments; options of a command that comes first are all that is parsed."""
        app = copy(self)
        commands = {_name(each): each for each in self.registered_commands}
        if arguments and arguments[0] in commands:
            app.registered_commands, app.registered_groups = [commands[arguments[0]]], []
        return typer.Typer.__call__(app, arguments, **options)

    def command(
        self,
        name: str | None = None,
        *,
        effects: Mapping[str, Effect] | None = None,
        **options: Any,
    ) -> Callable[[Any], Any]:
        """Register a command.

        `effects` maps parameters to when they have an effect; those that are an attribute of the
        function add to them.
        """

        def register(function: Any) -> Any:
            both = {**getattr(function, "effects", {}), **(effects or {})}
            kind = type("Command", (Command,), {"effects": both})
            return super(App, self).command(name, cls=kind, **options)(function)

        return register
