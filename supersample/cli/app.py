"""The application: what all commands print, and how they end."""

import io
import os
import re
import shutil
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from supersample.cli.commands import App
from supersample.cli.stopping import Stopped, heeding_signals, last_words
from supersample.errors import TOLD, InputError, is_close, printable, shortened

if TYPE_CHECKING:
    import xarray as xr

    from supersample.presentation.table import Table

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


class _Told(io.FileIO):
    """Standard error that ignores failed writes, as on a full disk, so that no result is lost."""

    def write(self, content: Any, /) -> int:
        """Write, or drop what cannot be written."""
        try:
            return super().write(content)
        except OSError:
            return len(content)


_unprinted: list[OSError] = []
"""Errors of printing on standard output; they are reported at the end, after files are written."""


@contextmanager
def _as_far_as_it_goes() -> Iterator[None]:
    """Print on standard output; if that fails, work continues. A closed pipe is not reported."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            _unprinted.append(error)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
    if sys.stdout is None:  # closed, as some services start their commands
        sys.stdout = io.StringIO()
    if sys.stderr is None:
        sys.stderr = io.StringIO()
    elif getattr(sys.stderr, "name", "") == "<stderr>":  # and nothing of a test's
        told = io.BufferedWriter(_Told(sys.stderr.fileno(), "w", closefd=False))
        sys.stderr = io.TextIOWrapper(told, sys.stderr.encoding, line_buffering=True)
    _unprinted.clear()
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


def _run(arguments: list[str], *, debug: bool) -> tuple[Any, list[str]]:
    """Run a command, and give its status; an error becomes one line."""
    with warnings.catch_warnings():
        for category in TOLD:
            warnings.simplefilter("always", category)
        warnings.showwarning = _shows_once()
        try:
            _load_plugins()
            status = app(arguments, standalone_mode=False)
            if _unprinted:
                return _fail(f"standard output: {_unprinted[0].strerror}")
            return status, []
        except InputError as error:
            return _fail(error)
        except typer.TyperException as error:
            return _fail(_plain(error, " ".join(arguments)))
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


def _load_plugins() -> None:
    """Import the modules that other packages name as entry points of the group "supersample".

    They register readers, metrics and the like; commands then take these.
    """
    from importlib.metadata import entry_points

    for plugin in entry_points(group="supersample"):
        plugin.load()


_NO_CHOICE = re.compile(r"Invalid value for '([^']+)'[^:]*: '(.*)' is not one of (.*)\.")
# an option and its value, or a number that is no option's value
_FREE_NUMBER = re.compile(r"( --?[a-z][^ =]* \S+)| (-?[\d.]\S*)")


def _plain(error: Any, given: str) -> str:
    """Say in plain words what the parser refused, and what to write instead of `given`."""
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
    if re.fullmatch(r"No such option: -[\d.]\S*", message):
        others = _FREE_NUMBER.sub(r"\1", given)
        numbers = " ".join(each[2] for each in _FREE_NUMBER.finditer(given) if each[2])
        return f"a negative number goes after --; write: {others} -- {numbers}"
    if chosen := _NO_CHOICE.fullmatch(message):
        option, found, choices = chosen.groups()
        names = choices.replace("'", "")
        return f"{option} takes one of {names}; found {found}"
    return message


def _fail(message: object, *, status: int = 2) -> tuple[int, list[str]]:
    return status, [f"error: {message}"]
