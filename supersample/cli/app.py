"""The application: commands, what all of them print, and how they end.

Commands are functions whose parameters are options, or groups of options, shown in panels. A group
is a dataclass whose fields are options. The purpose of an option is in the docstring of the group
or the command, as in all docstrings: ``name`` or ``name : PLACEHOLDER``, and the text below. Its
type, with typer's facts and perhaps an `Effect` in `Annotated`, and its default are in the code. An
option of several values takes A,B, and may be repeated.

Ctrl-C and SIGTERM stop a command: at once, or within 2.5 seconds, or at the second one. The first
signal is raised where the main thread is, so that work at hand ends in order. A thread watches,
because compiled code, or a library that swallows the exception, can keep the main thread: it ends
the process. Nothing is lost by that, for stores are written whole or not at all.
"""

import io
import os
import re
import shutil
import signal
import socket
import sys
import textwrap
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from copy import copy
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import partial
from inspect import Parameter, Signature, cleandoc, signature
from itertools import pairwise
from pathlib import Path
from types import UnionType
from typing import IO, TYPE_CHECKING, Annotated, Any, NoReturn, get_args, get_origin

import typer
from typer.core import TyperCommand
from typer.main import get_command_name
from typer.models import ParameterInfo

from supersample.errors import (
    TOLD,
    InputError,
    check_count,
    is_close,
    is_there,
    load_plugins,
    printable,
    shortened,
)

if TYPE_CHECKING:
    import xarray as xr

    from supersample.presentation.table import Table


ARGUMENTS, SCORES, OPTIONS, OUTPUT = "Arguments", "Scores", "Options", "Output"
HYBRIDS, TESTS = "Hybrids", "Tests and intervals"
ADDED, COMPUTATION = "Added metrics and ratings", "Computation"
PANELS = (ARGUMENTS, SCORES, OPTIONS, OUTPUT, HYBRIDS, TESTS, ADDED, COMPUTATION)

Function = Callable[..., None]
Values = Mapping[str, Any]
"""Values of a command's options by parameter."""
_PARAMETERS = "Parameters\n----------\n"
_PLACEHOLDERS = {str: "TEXT", int: "N", float: "X", Path: "PATH"}


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
    """Name an option as on the command line: human_mean is --human-mean."""
    return f"--{name.replace('_', '-')}"


def beside(*names: str) -> Effect:
    """Have an effect beside any of these options."""
    text = f"goes with {' or '.join(map(flag, names))}"
    return Effect(lambda values: any(map(values.get, names)), text)


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
    """Take values joined by commas apart; what has a comma stands in double quotes.

    A file that exists is one value, whatever its name; OPTION=VALUE goes on with what its colon
    follows.

    >>> several('a, "b,c"'), several('team="b,c",d')
    (['a', 'b,c'], ['team=b,c', 'd'])
    >>> several("SPA:p_values=normal,unit=3,PA")
    ['SPA:p_values=normal,unit=3', 'PA']
    """
    if any(is_there(each) for each in (text, text.partition("=")[2])):
        return [text]
    joined: list[str] = []
    for each in _COMMA.split(text):
        part = _QUOTED.sub(lambda quoted: quoted[1].replace('""', '"'), each.strip())
        if joined and ":" in joined[-1] and re.match(r"\w+=", part):
            joined[-1] += f",{part}"
        else:
            joined.append(part)
    return joined


_COMMA = re.compile(r',(?=(?:[^"]*"[^"]*")*[^"]*$)')
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')


def _alternatives(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if isinstance(kind, UnionType) else (kind,)


def _element(kind: Any) -> Any:
    """Kind of the values of an option that takes several; None for others."""
    lists = (one for one in _alternatives(kind) if get_origin(one) is list)
    return next((get_args(one)[0] for one in lists), None)


def _converted(of: Any, text: str) -> list[Any]:
    return list(map(of, several(text)))


def _parameter(name: str, kind: Any, default: Any, text: tuple[str, str], panel: str) -> Parameter:
    """Make the parameter that typer reads of an option."""
    kind, *facts = get_args(kind) if get_origin(kind) is Annotated else (kind,)
    infos = [copy(fact) for fact in facts if isinstance(fact, ParameterInfo)] or [typer.Option()]
    info, of = infos[0], _element(kind)
    info.metavar, info.help = text[0] or info.metavar, text[1] or info.help
    info.rich_help_panel = info.rich_help_panel or panel
    if not isinstance(info, type(typer.Argument())):
        placeholder = _PLACEHOLDERS.get(_alternatives(kind)[0])
        if of is not None:
            info.parser = partial(_converted, of)
            placeholder = "N,N" if of in (int, float) else "A,B"
        info.metavar = info.metavar or placeholder
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
                if each.param_type_name == "argument":  # typer adds its type
                    panel, record = ARGUMENTS, (record[0].partition(" <")[0], record[1])
                sections[panel].append(record)
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
        first = arguments[0] if arguments else ""
        named, defaults = self.presets.get(first, (first, {}))
        chosen = [copy(each) for each in self.registered_commands if each.name == named]
        for command in chosen:
            command.name, options = first, {**options, "default_map": {first: defaults}}
            app.registered_commands, app.registered_groups = chosen, []
        return typer.Typer.__call__(app, arguments, **options)

    def command(  # type: ignore[override]
        self, *, idle: Idle = lambda _: {}, **settings: bool
    ) -> Callable[[Function], Function]:
        """Register a function as a command; `idle` finds options that others leave no effect."""

        def register(function: Function) -> Function:
            name = get_command_name(function.__name__)
            settle = super(App, self).command(name, cls=_Command, context_settings=settings)
            settle(_Called(function, idle))
            return function

        return register


GRACE = 2.5  # seconds
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_again: list[tuple[str, Path]] = []


class Stopped(BaseException):
    """The first of the signals came."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.status = 128 + number


@contextmanager
def stoppable(again: str, place: Path) -> Iterator[None]:
    """Name the command that continues work; it is printed if that is stopped in its `place`."""
    _again.append((again, place))
    yield
    _again.clear()


def last_words() -> str:
    """Say how stopped work is continued, once; empty if it is not."""
    text = f"stopped; continue with: {_again[-1][0]}\n" if _again and _again[-1][1].exists() else ""
    _again.clear()
    return text


@contextmanager
def heeding_signals() -> Iterator[None]:
    """Raise `Stopped` at the first signal, and end the process soon after, or at the second.

    It is raised at the end if a library swallowed it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    _again.clear()
    stopped: list[int] = []

    def stop(number: int, _: object) -> None:
        if not stopped:
            stopped.append(number)
            raise Stopped(number)

    def unraisable(told: Any) -> None:
        if not isinstance(told.exc_value, Stopped):  # it is raised at the end
            shown(told)

    heeded = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    shown, sys.unraisablehook = sys.unraisablehook, unraisable
    handlers = {number: signal.signal(number, stop) for number in heeded}
    descriptor = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(ours,), daemon=True).start()
    try:
        yield
        if stopped:
            raise Stopped(stopped[0])
    finally:
        signal.set_wakeup_fd(descriptor)
        sys.unraisablehook = shown
        for number, handler in handlers.items():
            signal.signal(number, handler)
        theirs.close()  # which ends the thread


def _watch(signals: socket.socket) -> None:
    """Wait for signals, whatever the main thread does; after the first one not for long."""
    first, deadline = 0, None
    with signals:
        while True:
            signals.settimeout(None if deadline is None else max(0.01, deadline - time.monotonic()))
            try:
                numbers = signals.recv(64)
            except TimeoutError:
                _end(first)
            if not numbers:
                return
            for number in filter(_SIGNALS.__contains__, numbers):
                if first:
                    _end(first)
                first, deadline = number, time.monotonic() + GRACE


def _end(number: int) -> NoReturn:
    shown_again = b"\x1b[?25h" if sys.stderr.isatty() else b""  # the cursor, which bars hide
    with suppress(OSError):
        os.write(2, shown_again + last_words().encode(errors="replace"))
    os._exit(128 + number)


DEBUG = "--debug"

app = App(
    name="supersample",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    rich_markup_mode=None,
    epilog="Presets of rank: spa, segments and compare; rank --help says what they are.",
)
app.presets = {}


@app.callback()
def _main(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
    debug: Annotated[bool, typer.Option(DEBUG, help="Show an unexpected error in full.")] = False,
) -> None:
    """Find which automatic metric agrees best with people, and how sure we can be."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"supersample {installed('supersample')}")
        raise typer.Exit
    help_if_bare(context)


def help_if_bare(context: typer.Context) -> None:
    """Show the help of a group of commands if no command is named."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def echo(*lines: object, err: bool = False) -> None:
    """Print lines on standard output or standard error; escape what a terminal cannot show."""
    with nullcontext() if err else _as_far_as_it_goes():
        for line in lines:
            typer.echo(printable(line), err=err)


def say(*lines: str, quiet: bool) -> None:
    """Tell the person at the terminal, on standard error, unless they want quiet."""
    width = _page_width(sys.stderr)
    for line in () if quiet else lines:
        typer.echo(_wrapped(line, width), err=True)


def _page_width(stream: IO[str]) -> int | None:
    """Width of a terminal, or the number in COLUMNS; None without either."""
    if "COLUMNS" not in os.environ and not stream.isatty():
        return None
    return shutil.get_terminal_size().columns


def _wrapped(line: str, width: int | None) -> str:
    """Make a line printable, and wrap it where the page has a width."""
    line = printable(line)
    if width is None:
        return line
    line = line.replace(" %", "\N{NO-BREAK SPACE}%")
    indent = " " * (len(line) - len(line.lstrip()))
    options: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
    return textwrap.fill(line, width, subsequent_indent=indent, **options)


@contextmanager
def _as_far_as_it_goes() -> Iterator[None]:
    """Print on standard output; if nobody reads on, as in a closed pipe, work continues."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing fails later
        if not isinstance(error, BrokenPipeError):
            raise InputError(f"standard output: {error.strerror}") from error


@_as_far_as_it_goes()
def print_tables(
    *tables: "Table",
    of: "Iterable[xr.Dataset]" = (),
    answer: Iterable[str] = (),
    lines: Iterable[str] = (),
    notes: Iterable[str] | None = None,
) -> None:
    """Print an answer, tables, lines that sum them up, each note once, and signatures.

    At a terminal (or where COLUMNS says how wide the page is) tables are fitted to its width and
    prose is wrapped; elsewhere a row and a sentence are one line each. `notes` are those of the
    tables by default.
    """
    from rich.console import Console

    from supersample.presentation.table import fitted, to_rich

    width = _page_width(sys.stdout)
    answer = list(answer)
    for line in answer:
        typer.echo(_wrapped(line, width))
    for i, table in enumerate(tables):
        if answer or i:
            typer.echo("")
        if table.caption:
            typer.echo(_wrapped(table.caption, width))
        if width is None:  # whatever standard output is
            printed = [to_rich(table)]
            size = max(80, Console(width=100_000).measure(printed[0]).maximum)
        else:
            printed, size = list(fitted(table, width)), width
        console = Console(width=size)
        with console.capture() as captured:  # its own way to print ends where nobody reads on
            console.print(*printed, sep="")
        sys.stdout.write(captured.get())
    if notes is None:
        notes = [note for table in tables for note in table.notes]
    told = [*lines, *dict.fromkeys(notes)]
    if tables and told:
        typer.echo("")
    for line in told:
        typer.echo(_wrapped(line, width))
    echo(*(result.attrs["signature"] for result in of))


def _shows_once() -> Callable[..., None]:
    """Make what prints each warning once, however many computations give it."""
    shown: set[str] = set()

    def show(message: Any, *_: Any, **__: Any) -> None:
        line = f"warning: {printable(message)}"
        if line not in shown:
            shown.add(line)
            echo(line, err=True)

    return show


def main(arguments: list[str] | None = None) -> None:
    """Run the command line.

    A user's mistake prints one line and exits with status 2. An unexpected error exits with status
    1; ``--debug`` shows it in full. A signal exits with 128 plus its number.
    """
    given = sys.argv[1:] if arguments is None else arguments
    status: Any = 0
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # not every terminal has every character
    try:
        with heeding_signals():
            status, problem = _run([each for each in given if each != DEBUG], debug=DEBUG in given)
        echo(*problem, err=True)
    except Stopped as stopped:
        sys.stderr.write(last_words())
        status = stopped.status
    sys.exit(status)


def _whole_numbers(arguments: list[str]) -> list[str]:
    """Write whole numbers that follow an option, such as 1e4, in digits."""
    found = arguments[:1]
    for before, text in pairwise(arguments):
        exponent = before.startswith("-") and re.fullmatch(r"\d+(\.\d+)?e\d{1,2}", text)
        whole = exponent and float(text).is_integer()
        found.append(f"{float(text):.0f}" if whole else text)
    return found


def _run(arguments: list[str], *, debug: bool) -> tuple[Any, list[str]]:
    """Run a command, and give its status; an error becomes one line."""
    with warnings.catch_warnings():
        for category in TOLD:
            warnings.simplefilter("always", category)
        warnings.showwarning = _shows_once()
        try:
            load_plugins()
            return app(_whole_numbers(arguments), standalone_mode=False), []
        except InputError as error:
            return _fail(error)
        except typer.TyperException as error:
            return _fail(_plain(error))
        except RecursionError:
            return _fail("the input is nested too deeply")
        except MemoryError as error:
            return _fail(f"not enough memory ({error}); ask for fewer")
        except OSError as error:
            return _fail(f"{error.filename or 'input or output'}: {error.strerror or error}")
        except Exception as error:
            if debug:
                raise
            if "failed to map" in str(error):  # a library, by the dynamic linker
                return _fail(f"not enough memory to load the libraries ({error})")
            what = shortened(f"{type(error).__name__}: {error}", most=300)
            return _fail(f"unexpected {what}; supersample {DEBUG} shows where", status=1)


_NO_CHOICE = re.compile(r"Invalid value for '([^']+)'[^:]*: '(.*)' is not one of (.*)\.")


def _plain(error: Any) -> str:
    """Say in plain words what the parser refused."""
    name = str(getattr(error, "option_name", "")).strip("-")

    def meant(option: str) -> bool:  # dashes do not count as letters in common
        other = option.strip("-")
        return is_close(name, other) or other.startswith(name) or name.startswith(other)

    if getattr(error, "possibilities", None):
        error.possibilities = list(filter(meant, error.possibilities))
    missing = getattr(getattr(error, "param", None), "help", "")
    if hasattr(error, "param_type") and missing:  # of missing ones alone
        error.message = missing
    unread = str(getattr(error, "message", ""))
    if "integer" in unread or "invalid literal for int" in unread:
        error.message = "a whole number is needed, such as 10000"
    elif "float" in unread or "unable to parse string" in unread:
        error.message = "a number is needed, such as 0.9"
    message = str(error.format_message()).replace("Value error, ", "")
    context = getattr(error, "ctx", None)
    said = " ".join(str(getattr(getattr(context, "command", None), "help", "")).split())
    if (line := re.search(r"as in (test [^:]* --[^:]*\d)", said)) and line[1] not in message:
        message = f"{message.rstrip('.')}. Type, for example, {line[1]}"
    if chosen := _NO_CHOICE.fullmatch(message):
        option, found, choices = chosen.groups()
        names = choices.replace("'", "")
        return f"{option} takes one of {names}; found {found}"
    return message


def _fail(message: object, *, status: int = 2) -> tuple[int, list[str]]:
    return status, [f"error: {message}"]
