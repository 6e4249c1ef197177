"""The few names in a pickle that stand for plain data, and how that data is made.

A name is compared as text and never looked up; what its call would give is made here, from the
arguments that lie in the pickle.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

_BUILTINS = ("builtins", "__builtin__")  # as Python 3 and Python 2 call them
_LAYOUTS = {  # NumPy's code of a number -> struct's
    **dict(zip(("b1", "i1", "i2", "i4", "i8"), "?bhiq", strict=True)),
    **dict(zip(("u1", "u2", "u4", "u8"), "BHIQ", strict=True)),
    **dict(zip(("f2", "f4", "f8"), "efd", strict=True)),
}


class PickledName:
    """A class or function that a pickle names: its spelling and nothing more."""

    def __init__(self, spelling: str) -> None:
        self.spelling = spelling


class PickledDtype:
    """NumPy's name of a dtype: a code such as "i8" and the order of its bytes."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.order = "="

    def restore(self, state: Any) -> bool:
        """Take the order of bytes from a dtype's pickled state; False where it is no such state."""
        is_state = type(state) is tuple and len(state) > 1 and state[1] in ("<", ">", "|", "=")
        if is_state:
            self.order = "=" if state[1] == "|" else state[1]
        return is_state


def rebuild_plain(named: PickledName, arguments: tuple[Any, ...]) -> Any:
    """Return the value that a call of `named` would give; None where that is no plain data.

    A set comes as the list of its elements, for the caller to check before they are hashed.
    """
    make = _MAKERS.get(named.spelling)
    return make(arguments) if make else None


def _make_empty(arguments: tuple[Any, ...]) -> dict[Any, Any] | None:
    """OrderedDict() and defaultdict(list): the entries follow as SETITEMS."""
    return {} if all(type(one) is PickledName or one is None for one in arguments) else None


def _make_elements(arguments: tuple[Any, ...]) -> list[Any] | None:
    """set([...])."""
    is_list = len(arguments) == 1 and type(arguments[0]) is list
    return arguments[0] if is_list else None


def _make_bytes(arguments: tuple[Any, ...]) -> bytes | None:
    """bytes() and _codecs.encode("...", "latin1").

    Raises:
        ValueError: the text has letters beyond Latin-1.
    """
    if not arguments:
        return b""
    if len(arguments) != 2 or type(arguments[0]) is not str or arguments[1] != "latin1":
        return None
    return arguments[0].encode("latin-1")


def _make_number_kind(arguments: tuple[Any, ...]) -> PickledDtype | None:
    """numpy.dtype("i8", False, True)."""
    code = arguments[0] if arguments else None
    return PickledDtype(code) if type(code) is str and code in _LAYOUTS else None


def _make_number(arguments: tuple[Any, ...]) -> bool | int | float | None:
    """numpy's scalar(dtype, bytes)."""
    if len(arguments) != 2 or type(arguments[0]) is not PickledDtype:
        return None
    kind, packed = arguments
    layout = kind.order + _LAYOUTS[kind.code]
    if type(packed) is not bytes or len(packed) != struct.calcsize(layout):
        return None
    value: bool | int | float = struct.unpack(layout, packed)[0]
    return value


_MAKERS: dict[str, Callable[[tuple[Any, ...]], Any]] = {
    **{f"{module}.set": _make_elements for module in _BUILTINS},
    **{f"{module}.frozenset": _make_elements for module in _BUILTINS},
    **{f"{module}.bytes": _make_bytes for module in _BUILTINS},
    "_codecs.encode": _make_bytes,
    "collections.OrderedDict": _make_empty,
    "collections.defaultdict": _make_empty,
    "numpy.dtype": _make_number_kind,
    "numpy.core.multiarray.scalar": _make_number,
    "numpy._core.multiarray.scalar": _make_number,
}
# A defaultdict names what it would make, such as list; its name is all that is kept of that.
PLAIN_NAMES = frozenset(_MAKERS) | {
    f"{module}.{name}" for module in _BUILTINS for name in ("list", "dict", "int", "float", "str")
}
