"""The program `localrec`: its commands, and the one place where errors become exit codes.

0 ok, 1 failed, 2 usage, 3 busy or retry, 70 a fault of localrec (with a report), 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import typer

from localrec.cli import (
    adapters,
    ask,
    backup,
    datasets,
    describe,
    doctor,
    domains,
    evaluate,
    export,
    feedback,
    forget,
    help,
    images,
    imports,
    learn,
    mcp,
    memory,
    memory_rules,
    models,
    recommend,
    shelf,
    sql,
    train,
    train_adapter,
    train_policy,
    tui,
)
from localrec.cli.context import (
    Commands,
    JsonOption,
    WorkspaceOption,
    command_context,
    note,
    set_global_options,
)
from localrec.cli.plain_letters import show_plain_letters
from localrec.foundation.errors import LocalrecError
from localrec.foundation.offline import switch_off_telemetry
from localrec.foundation.parent_watch import exit_with_parent, is_watched_by_parent
from localrec.foundation.patience import PATIENCE, command_wait_s

# Typer carries its own copy of Click or uses the installed one, depending on its version; the
# class they both derive their command line errors from is found through a public one.
_COMMAND_LINE_ERROR: type[Any] = next(
    base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException"
)

_INTERRUPTED = "localrec: interrupted; nothing half done was kept."

app = Commands(
    name="localrec",
    help="A private recommender: your catalogue, local models, answers with their evidence.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("ask", epilog=ask.EXAMPLES)(ask.ask)
app.command("recommend", epilog=recommend.EXAMPLES)(recommend.recommend)
app.command("rank", epilog=recommend.RANK_EXAMPLES)(recommend.rank)
app.command("feedback", epilog=feedback.EXAMPLES)(feedback.feedback)
app.command("import", epilog=imports.EXAMPLES)(imports.import_)
app.command("index")(imports.index)
app.command("learn", epilog=learn.EXAMPLES)(learn.learn)
app.command("describe", epilog=describe.EXAMPLES)(describe.describe)
app.command("export", epilog=export.EXAMPLES)(export.export)
app.command("forget", epilog=forget.EXAMPLES)(forget.forget)
app.command("backup", epilog=backup.BACKUP_EXAMPLES)(backup.backup)
app.command("restore", epilog=backup.RESTORE_EXAMPLES)(backup.restore)
app.command("doctor")(doctor.doctor)
app.command("sql", epilog=sql.EXAMPLES)(sql.sql)
app.command("tui", epilog=tui.EXAMPLES)(tui.tui)
app.command("mcp", epilog=mcp.EXAMPLES)(mcp.mcp)
app.command("help", epilog=help.EXAMPLES)(help.help_)
app.add_typer(shelf.app, name="shelf")
memory.app.add_typer(memory_rules.app, name="rules")
app.add_typer(memory.app, name="memory")
train.app.command("adapter", epilog=train_adapter.EXAMPLES)(train_adapter.adapter)
train.app.command("export", epilog=train_adapter.EXPORT_EXAMPLES)(train_adapter.export)
models.app.command("try", epilog=adapters.TRY_EXAMPLES)(adapters.try_)
train.app.command("grpo", epilog=train_policy.EXAMPLES)(train_policy.grpo)
train.app.command("refine", epilog=train_policy.REFINE_EXAMPLES)(train_policy.refine)
train.app.command("resume", epilog=train_policy.RESUME_EXAMPLES)(train_policy.resume)
app.add_typer(train.app, name="train")
app.add_typer(evaluate.app, name="evaluate")
app.add_typer(images.app, name="images")
app.add_typer(models.app, name="models")
app.add_typer(datasets.app, name="datasets")
app.add_typer(domains.app, name="domains")


def _print_version(wanted: bool) -> None:
    if wanted:
        from localrec import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _options(
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
    version: bool = typer.Option(
        False, "--version", is_eager=True, callback=_print_version, help="Print the version."
    ),
) -> None:
    set_global_options(workspace, as_json)


def main() -> None:
    """Run the program and exit with its code.

    Whatever it writes, by a library too and wherever `--out` says, is for its owner alone. While
    another process has the store it waits, says for whom, and gives up after half a minute
    (LOCALREC_WAIT changes that).
    """
    os.umask(0o077)
    PATIENCE.wait_s, PATIENCE.tell = command_wait_s(), note
    switch_off_telemetry()
    show_plain_letters()
    if is_watched_by_parent():
        exit_with_parent()
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line; returns the exit code and never raises."""
    try:
        outcome = app(arguments, prog_name="localrec", standalone_mode=False)
        if outcome == 130:  # what Typer makes of Ctrl+C
            note(_INTERRUPTED)
        return outcome if isinstance(outcome, int) else 0
    except LocalrecError as error:
        note(f"localrec: {error}")
        return error.exit_code
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

        told: LocalrecError = disk_error(error) or _fault(error)
        note(f"localrec: {told}")
        return told.exit_code
    except Exception as error:  # noqa: BLE001 - not swallowed: reported, and told by exit code 70
        fault = _fault(error)
        note(f"localrec: {fault}")
        return fault.exit_code


def _tell_usage(error: Any) -> None:
    """Say in one sentence what a command line has wrong, as every other error is said.

    A group of commands without one of them shows its help instead.
    """
    context = getattr(error, "ctx", None)
    said = error.format_message().strip()
    if context is None or "\n" in said or not said:
        error.show()
        return
    note(f"localrec: {said.rstrip('.')}. Help: {context.command_path} --help")


def _fault(error: Exception) -> LocalrecError:
    from localrec.foundation.crash_report import crash_error

    return crash_error(command_context().workspace, error, "The command")
