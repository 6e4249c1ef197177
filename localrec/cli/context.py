"""What every command shares: the workspace folder, JSON or text, where words and progress go.

Data goes to stdout; progress, notes and errors go to stderr. Options may stand before or after
the command's name.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from localrec.cli.quick_start import import_help_writer, spare_conversions
from localrec.foundation.errors import CutShortError, UsageError
from localrec.foundation.paths import default_workspace

if TYPE_CHECKING:
    from rich.console import Console

    from localrec.foundation.progress_lines import ProgressWriter
    from localrec.graph.store import Store
    from localrec.workspace import OpenWorkspace

# Old name of an option -> the names that help, completion and docs show, each in its commands.
OLD_OPTIONS: dict[str, tuple[str, ...]] = {
    "--thought": ("--max-thought-chars",),
    "--budget": ("--max-tool-calls",),
    "--groups": ("--prompts-per-step",),
    "--searched": ("--mine-requests",),
    "--start": ("--init-adapter", "--init-from"),
    "--serving": ("--rollout-model",),
    "--judge": ("--reranker",),
}
_Function = TypeVar("_Function", bound=Callable[..., Any])
_UNWRAPPED = 100_000  # columns; longer than any line
MOST_PIPED = 1_000_000  # characters of a question, a memory or rules on stdin
_SHOWN = 3  # people nobody knows who are named one by one

WorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        metavar="PATH",
        readable=False,  # one that may not be read is no matter of usage
        help="Workspace folder (or LOCALREC_WORKSPACE).",
        rich_help_panel="Everywhere",
    ),
]
JsonOption = Annotated[
    bool,
    typer.Option(
        "--json", help="Print JSON on stdout, nothing else.", rich_help_panel="Everywhere"
    ),
]


def domain_name(named: str | None) -> str | None:
    """The name of a domain that was given by its name, or by a folder with its `domain.toml`."""
    if named is None or not (Path(named) / "domain.toml").is_file():
        return named
    from localrec.graph.domain_files import use_folder  # msgspec: not for --help

    return use_folder(Path(named))


LONGEST_SHELF = 20_000  # letters of what is at hand, as a question may have
NewUserOption = Annotated[
    bool,
    typer.Option(
        "--new-user", help="Somebody new is meant, though a known user has nearly that name."
    ),
]
DomainOption = Annotated[
    str | None,
    typer.Option(
        "--domain",
        metavar="D",
        help="Domain, where a workspace has several: its name, or a folder with a domain.toml.",
        callback=domain_name,
    ),
]


@dataclass
class CommandContext:
    """The options that hold for one run of the program.

    Attributes:
        workspace: Folder of the workspace.
        as_json: Whether what is found is printed as JSON.
        given: Names of the parameters that stand on the command line.
    """

    workspace: Path
    as_json: bool
    given: frozenset[str] = frozenset()

    def open_workspace(self, **options: Any) -> AbstractContextManager[OpenWorkspace]:
        """Open the workspace for reading; `options` are those of `OpenWorkspace`."""
        if not options and (lent := _lent.get(self.workspace.resolve())) is not None:
            return lent()
        from localrec.workspace import OpenWorkspace  # not for --help

        return OpenWorkspace(self.workspace, **options)

    def print_json(self, record: Any) -> bool:
        """Print a record if JSON is asked for; return whether it is."""
        if self.as_json:
            print_json(record)
        return self.as_json


_lent: dict[Path, Callable[[], AbstractContextManager[OpenWorkspace]]] = {}
_command = CommandContext(Path(), False)


def lend_workspace(folder: Path, lend: Callable[[], AbstractContextManager[OpenWorkspace]]) -> None:
    """Have the commands of this process read a workspace that is kept open, instead of their own.

    Args:
        folder: The workspace.
        lend: Lends it for one command.
    """
    _lent[folder.resolve()] = lend


def set_global_options(context: typer.Context, workspace: Path | None, as_json: bool) -> None:
    """Keep the options that stood before the command's name, for this one run of the program."""
    context.obj = (workspace, as_json)


def command_context() -> CommandContext:
    """Return the options of the command that runs; those behind its name win."""
    return _command


class _Group(TyperGroup):
    """A group of commands that starts quickly."""

    def get_params(self, ctx: Any) -> Any:
        """List the parameters, spared a conversion of plain values."""
        return spare_conversions(super().get_params(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> Any:
        """Write the help, its paragraphs filled to the width and its examples line by line."""
        import_help_writer()
        self.help, self.epilog = _as_paragraphs(self.help), _as_paragraphs(self.epilog)
        return super().format_help(ctx, formatter)


def _as_paragraphs(text: str | None) -> str | None:
    """Join the lines of each paragraph; indented ones are examples and stay lines."""
    if text is None:
        return None
    told: list[str] = []
    for paragraph in filter(str.strip, text.split("\n\n")):
        is_example = paragraph.lstrip("\n").startswith("  ")
        line = paragraph.strip("\n") if is_example else " ".join(paragraph.split())
        if is_example and told and told[-1].startswith("  "):
            told[-1] += f"\n{line}"
        else:
            told.append(line)
    return "\n\n".join(told)


class _Command(TyperCommand):
    """A command that starts quickly and accepts the old names of options too."""

    def get_params(self, ctx: Any) -> Any:
        """List the parameters, spared a conversion of plain values."""
        return spare_conversions(super().get_params(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> Any:
        """Write the help, its paragraphs filled to the width and its examples line by line."""
        import_help_writer()
        self.help, self.epilog = _as_paragraphs(self.help), _as_paragraphs(self.epilog)
        return super().format_help(ctx, formatter)

    def make_parser(self, ctx: Any) -> Any:
        """Build the parser of the command, old names included."""
        parser: Any = super().make_parser(ctx)
        for option in self.params:
            if old := [
                name for name, new in OLD_OPTIONS.items() if not set(new).isdisjoint(option.opts)
            ]:
                parser.add_option(option, old, option.name, nargs=option.nargs)
        return parser


class Commands(typer.Typer):
    """A group of commands, each of which takes --workspace and --json as well.

    The two options are declared here once; a command reads them from `command_context`.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"cls": _Group, **settings})

    def command(self, name: str | None = None, **settings: Any) -> Callable[[_Function], _Function]:
        """Register a command, as Typer does."""
        register = super().command(name, **{"cls": _Command, **settings})

        def add(function: _Function) -> _Function:
            register(_with_global_options(function))
            return function

        return add


def _with_global_options(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def command(
        *, context: typer.Context, workspace: Path | None, as_json: bool, **options: Any
    ) -> Any:
        global _command
        root_workspace, root_json = context.find_root().obj or (None, False)
        folder = workspace or root_workspace or default_workspace()
        sources = {name: context.get_parameter_source(name) for name in options}
        given = (name for name, one in sources.items() if one and one.name == "COMMANDLINE")
        _command = CommandContext(folder, as_json or root_json, frozenset(given))
        return function(**options)

    shared = [
        Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context),
        Parameter("workspace", Parameter.KEYWORD_ONLY, default=None, annotation=WorkspaceOption),
        Parameter("as_json", Parameter.KEYWORD_ONLY, default=False, annotation=JsonOption),
    ]
    own = signature(function, eval_str=True).parameters.values()
    # Typer reads the options of a command from these two.
    command.__signature__ = Signature([*own, *shared])  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in (*own, *shared)}
    return command


def console(*, to_stderr: bool = False) -> Console:
    """A console that takes text as it is: no markup, no highlighting of imported names.

    Lines fit a terminal; in a pipe or file nothing is wrapped, unless COLUMNS says how wide.
    """
    from rich.console import Console  # 30 ms to import: not for --help and --json

    stream = sys.stderr if to_stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else _UNWRAPPED
    return Console(stderr=to_stderr, markup=False, highlight=False, soft_wrap=False, width=width)


def read_piped(remedy: str) -> str:
    """Read what is piped in, up to `MOST_PIPED` characters: a pipe may never end.

    Args:
        remedy: The remedy where nothing is piped.

    Raises:
        UsageError: stdin is a terminal, or holds too much.
    """
    if sys.stdin.isatty():
        raise UsageError("Nothing is piped in.", remedy)
    text = sys.stdin.read(MOST_PIPED + 1)
    if len(text) > MOST_PIPED:
        raise UsageError(f"More than {MOST_PIPED:,} characters are piped in.", remedy)
    return text


def print_json(record: Any) -> None:
    """One JSON document on one line of stdout."""
    import msgspec

    sys.stdout.buffer.write(msgspec.json.encode(record) + b"\n")
    sys.stdout.buffer.flush()


def print_line(line: bytes) -> None:
    """One line on stdout, at once: whoever reads the pipe waits for it."""
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def note(text: str) -> None:
    """A line for the person, on stderr; what could move a cursor is shown as `\\x1b` instead.

    Messages name paths, ids and columns of foreign files, which must stay as they are to be found.
    """
    sys.stderr.write(visible(text) + "\n")
    sys.stderr.flush()


def visible(text: str) -> str:
    """Return a text in which what could move a cursor is shown as `\\x1b`."""
    return "".join(map(_visible, text))


def _visible(letter: str) -> str:
    plain = letter == "\n" or letter.isprintable()
    return letter if plain else letter.encode("unicode_escape").decode("ascii")


def at_most(letters: int) -> Callable[[str | None], str | None]:
    """A check of an option's text: that it has no more than so many letters."""

    def check(text: str | None) -> str | None:
        if text is not None and len(text) > letters:
            raise UsageError(
                f"There is room for {letters:,} letters, and this text has {len(text):,}.",
                "Shorten it.",
            )
        return text

    return check


def user_key(user: str | None) -> str | None:
    """A person's key as the store has it; nothing else of what was typed goes any further.

    Raises:
        UsageError: nothing of it can be seen, or there is too much of it.
    """
    from localrec.foundation.text import MAX_NAME, clean_name, clean_text  # 10 ms: not for --help

    if user is None:
        return None
    key = clean_name(user)
    if not key:
        raise UsageError("A person needs a key that can be read.", "Give --user a name.")
    at_most(MAX_NAME)(clean_text(user))
    return key


def user_keys(users: list[str]) -> list[str]:
    """The keys of several users as the store has them, each once, in their order.

    Raises:
        UsageError: nothing of one can be seen.
    """
    return [key for key in dict.fromkeys(map(user_key, users)) if key]


def refuse_unknown(store: Store, users: Iterable[str | None]) -> None:
    """Refuse a name of the command line that nobody has; what is near is named.

    Raises:
        UsageError: nobody is called so.
    """
    from localrec.graph.item_lookup import domains_of_user, nobody_called

    for user in users:
        if user and not domains_of_user(store, user):
            begin = f'Begin with: localrec feedback --user "{user}" --item NAME --like'
            raise nobody_called(store, user, otherwise=begin)


def note_unknown(store: Store, users: Iterable[str | None]) -> None:
    """Name on stderr those of some people whom nobody knows, and whose names are near."""
    from localrec.graph.item_lookup import domains_of_user, told_if_unknown

    named = dict.fromkeys(user for user in users if user)
    unknown = [user for user in named if not domains_of_user(store, user)]
    for user in unknown[:_SHOWN]:  # looking for what is near takes its time with many users
        note(told_if_unknown(store, user))
    if len(unknown) > _SHOWN:
        note(f"So it is with {len(unknown) - _SHOWN:,} more.")


@contextmanager
def resumable(out: Path) -> Iterator[None]:
    """On Ctrl+C inside the block, say that the file keeps what was done and how to go on."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise CutShortError(
            f"interrupted; {out} keeps what was done so far.",
            "Run the same command again to go on.",
        ) from stop


class ProgressBar:
    """Progress on stderr with the time left; silent when nobody watches."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._task: Any = None
        self._what = ""

    def __call__(self, what: str, done: int, total: int) -> None:
        """Report that `done` of `total` of `what` are finished; total 0 means unknown."""
        if self._bar is None:
            return
        if what != self._what:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task(what, total=total or None)
            self._what = what
        self._bar.update(self._task, completed=done, total=total or None)


@contextmanager
def progress() -> Iterator[ProgressBar | ProgressWriter]:
    """A progress line while the block runs; for whoever sent this command, the bare steps."""
    from localrec.foundation.parent_watch import is_watched_by_parent
    from localrec.foundation.progress_lines import ProgressWriter  # msgspec: not for --help

    if is_watched_by_parent():
        yield ProgressWriter()
        return
    steps = ProgressBar()
    if not sys.stderr.isatty():
        yield steps
        return
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=console(to_stderr=True),
        transient=True,
    ) as bar:
        steps._bar = bar
        yield steps
