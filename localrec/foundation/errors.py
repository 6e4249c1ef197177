"""The few ways localrec fails, each with a sentence and its remedy.

Raise one of these at the place where the cause is known; `localrec.cli.app` prints it once
and turns it into an exit code. A library's own exception is wrapped with `raise ... from`.
"""


class LocalrecError(Exception):
    """A failure that a person can understand and mend.

    Args:
        message: One sentence saying what went wrong, naming the file, row or model.
        hint: The remedy, as one sentence or a command; may be empty.
    """

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class InputError(LocalrecError):
    """A file or question that cannot be taken as it is; nothing was changed."""


class JsonError(InputError):
    """A file is no JSON, is cut off, or holds other values than it should."""


class ModelError(LocalrecError):
    """A model file is missing, foreign or broken, or its process failed."""


class ContextError(ModelError):
    """A prompt is longer than the model's context; a shorter one may be asked at once."""


class ModelCrashedError(ModelError):
    """The model's child process died during a call; the next call starts a new one."""


class ModelCancelledError(ModelError):
    """The call was stopped on request before it finished."""

    exit_code = 130


class CutShortError(LocalrecError):
    """Stopped on request after part of the work was stored; says what was kept and how to go on."""

    exit_code = 130


class WorkspaceError(LocalrecError):
    """The workspace folder or its store cannot be used."""


class UsageError(LocalrecError):
    """The command was called in a way that makes no sense."""

    exit_code = 2


class BusyError(LocalrecError):
    """Another process holds the store; the same call may work later."""

    exit_code = 3


def error_text(error: BaseException, limit: int = 300) -> str:
    """Describe an unexpected error by its kind and message, cut to `limit` letters."""
    return f"{type(error).__name__}: {error}"[:limit]
