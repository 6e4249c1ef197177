"""The program `localrec`: its commands, and the one place where errors become exit codes.

0 ok, 1 failed, 2 usage, 3 busy or retry, 70 a fault of localrec (with a report), 130 interrupted.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import Any

import typer

from localrec.cli.commands import command_in, program_for
from localrec.cli.context import command_context, note
from localrec.cli.plain_letters import show_plain_letters
from localrec.foundation.errors import LocalrecError, UsageError
from localrec.foundation.idle_threads import compute_on_one_thread, let_idle_threads_sleep
from localrec.foundation.offline import switch_off_network
from localrec.foundation.parent_watch import exit_with_parent, is_watched_by_parent
from localrec.foundation.patience import PATIENCE, command_wait_s

# Typer carries its own copy of Click or uses the installed one, depending on its version; the
# class they both derive their command line errors from is found through a public one.
_COMMAND_LINE_ERROR: type[Any] = next(
    base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException"
)

_OBJECTS_BETWEEN_LOOKS = 50_000
_MOST_SAID = 1_500  # letters of an error, and of its remedy
# They answer questions; what computes for long, such as learning, they leave to other processes.
_ANSWERING = frozenset({"ask", "mcp", "tui", "warm"})
_INTERRUPTED = "localrec: interrupted; nothing half done was kept."


def main() -> None:
    """Run the program and exit with its code.

    Whatever it writes, by a library too and wherever `--out` says, is for its owner alone. While
    another process has the store it waits, says for whom, and gives up after half a minute
    (LOCALREC_WAIT changes that).
    """
    os.umask(0o077)
    # What a command reads lives until its end: looking for garbage in it takes a tenth of the time.
    gc.set_threshold(_OBJECTS_BETWEEN_LOOKS, 20, 20)
    try:
        PATIENCE.wait_s, PATIENCE.tell = command_wait_s(), note
    except LocalrecError as error:
        _tell(error)
        sys.exit(error.exit_code)
    switch_off_network()
    let_idle_threads_sleep()
    if command_in(sys.argv[1:]) in _ANSWERING:
        compute_on_one_thread()
    show_plain_letters()
    if is_watched_by_parent():
        exit_with_parent()
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line; returns the exit code and never raises."""
    try:
        program = program_for(arguments)
        outcome = program(arguments, prog_name="localrec", standalone_mode=False)
        if outcome == 130:  # what Typer makes of Ctrl+C
            note(_INTERRUPTED)
        return outcome if isinstance(outcome, int) else 0
    except LocalrecError as error:
        return _tell(error)
    except typer.Exit as error:
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        note(_INTERRUPTED)
        return 130
    except _COMMAND_LINE_ERROR as error:
        _tell_usage(error)
        return 2
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone; Python would complain about stdout at exit
        return 0
    except OSError as error:
        from localrec.foundation.disk_errors import disk_error  # what goes well needs none of it

        return _tell(disk_error(error) or _fault(error))
    except Exception as error:  # noqa: BLE001 - not swallowed: reported, and told by exit code 70
        return _tell(_fault(error))


def _tell(error: LocalrecError) -> int:
    """Say an error on stderr; what it quotes of the command line may be a book. The exit code."""
    from localrec.foundation.prose import shortened  # what goes well needs none of it

    told = LocalrecError(shortened(error.message, _MOST_SAID), shortened(error.hint, _MOST_SAID))
    note(f"localrec: {told}")
    return error.exit_code


def _tell_usage(error: Any) -> None:
    """Say in one sentence what a command line has wrong, as every other error is said.

    A group of commands without one of them shows its help instead.
    """
    context = getattr(error, "ctx", None)
    said = error.format_message().strip()
    if context is None or "\n" in said or not said:
        error.show()
        return
    _tell(UsageError(f"{said.rstrip('.')}.", f"Help: {context.command_path} --help"))


def _fault(error: Exception) -> LocalrecError:
    from localrec.foundation.crash_report import crash_error

    return crash_error(command_context().workspace, error, "The command")
