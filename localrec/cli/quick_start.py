"""What keeps Typer's start short: conversions and a parser of Markdown that no command needs.

Typer converts every value of an option with pydantic, and importing pydantic takes longer than most
commands. A value that is what it should be is taken here; every other one, and every faulty one, is
left to Typer, whose messages stay as they are. Its help writer imports a parser of Markdown and a
printer of tracebacks, 60 ms together; no help text here is Markdown, and errors are one sentence.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

_HELP_WRITER = "typer.rich_utils"
_DIGITS = 18  # of a plain number; Python converts thousands of them slowly, or not at all
_NOT_NEEDED = {"rich.markdown": "Markdown", "rich.traceback": "Traceback"}


def spare_conversions(parameters: list[Any]) -> list[Any]:
    """Have parameters of Typer take plain values as they are; returns the same list.

    A version of Typer that converts in another way is left alone.
    """
    for one in parameters:
        can = hasattr(one, "get_runtime_param") and hasattr(one, "type_descriptor")
        if can and getattr(one, "_runtime_param", one) is None:
            one._runtime_param = _PlainFirst()
    return parameters


def import_help_writer() -> None:
    """Import Typer's writer of help without what it needs for Markdown and tracebacks."""
    if _HELP_WRITER in sys.modules:
        return
    import rich  # a parent package comes first

    stand_ins = {name: word for name, word in _NOT_NEEDED.items() if name not in sys.modules}
    for name, word in stand_ins.items():
        module = ModuleType(name)
        setattr(module, word, type(word, (), {}))
        sys.modules[name] = module
    try:
        import_module(_HELP_WRITER)
    except ImportError:  # a Typer with another one
        return
    finally:
        for name in stand_ins:
            del sys.modules[name]
            vars(rich).pop(name.partition(".")[2], None)


class _PlainFirst:
    """Takes what is plain, and has Typer convert the rest."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value of a parameter."""
        annotation = param.type_descriptor.annotation
        if param.multiple or param.nargs != 1:
            if value is None:
                return ()
        elif value is None or (annotation is str and isinstance(value, str)):
            return value
        elif annotation is Path and isinstance(value, str) and _is_plain_path(param):
            return Path(value)
        elif annotation is int and (number := _plain_number(param, value)) is not None:
            return number
        param._runtime_param = None
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


def _is_plain_path(parameter: Any) -> bool:
    """Whether Typer has nothing to check; what may not be read is told by whoever opens it."""
    told = parameter.type_descriptor.parameter_info
    checked = told.exists or told.resolve_path or told.writable or told.allow_dash
    narrow = not (told.file_okay and told.dir_okay) or told.path_type or told.parser
    return not (checked or narrow)


def _plain_number(parameter: Any, value: Any) -> int | None:
    told = parameter.type_descriptor.parameter_info
    if told.parser or not (isinstance(value, int) or (value.isascii() and value.isdecimal())):
        return None
    if len(str(value)) > _DIGITS:
        return None
    number = int(value)
    low = number if told.min is None else told.min
    high = number if told.max is None else told.max
    return number if low <= number <= high else None
