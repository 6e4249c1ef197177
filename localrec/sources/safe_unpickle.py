"""Pickles as data: a reader that builds plain values and can run nothing.

A pickle is a program for a small stack machine, and Python's own loader imports and calls
whatever the program names. Here the program is only walked (`pickletools.genops` decodes it, it
never executes it) by a machine that knows containers, numbers and texts. Every opcode that would
import, call or restore an object is refused by name, but for a few names that stand for plain
data; those are recognised by their spelling and never looked up:

* set, frozenset, bytes and OrderedDict, as older protocols write them; defaultdict is read as the
  dict that it holds
* one number of NumPy (`numpy.int64(3)`), decoded from its bytes; arrays and tables are refused

Memory is charged before it is taken and never given back, so no order of opcodes can grow beyond
the limits; a value that is small only because it holds itself, or one part many times over, is
measured as if written out.
"""

from __future__ import annotations

import os
import pickletools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, cast

import msgspec

from localrec.foundation.bounded_files import FileLimits, open_regular
from localrec.foundation.errors import InputError
from localrec.sources.pickled_names import PLAIN_NAMES, PickledDtype, PickledName, rebuild_plain

_AS_JSON = "Get it as JSON, or load it where you trust it and save it as JSON."
_SLOT, _ENTRY = 16, 100  # bytes charged for a place in a list, an entry of a dict, set or memo
_SCALARS = frozenset({type(None), bool, int, float, str, bytes})
_CONTAINERS = frozenset({list, tuple, dict, set, frozenset})
_INTEGERS = range(-(2**63), 2**64)


class PickleLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of a pickle; a file beyond one of them is refused.

    `values` counts opcodes, and the values of the result as if written out; `text_bytes` holds
    for one text; `depth` for containers inside containers.
    """

    file_bytes: int = 256 << 20
    memory_bytes: int = 512 << 20
    values: int = 20_000_000
    text_bytes: int = 4 << 20
    depth: int = 32


def read_pickle(path: Path, limits: PickleLimits | None = None) -> Any:
    """The plain value in a pickle of protocol 0 to 5: None, bool, int (64 bits), float, str,
    bytes, list, tuple, dict, set and frozenset; keys are scalars or tuples of scalars.

    Raises:
        InputError: missing, damaged, too large, or holding anything but plain values; the message
            names the byte and, where code would have run, what it is called.
    """
    limits = limits or PickleLimits()
    with open_regular(path, FileLimits(file_bytes=limits.file_bytes)) as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(0)
        return _Machine(limits).run(_Bounded(stream, size, limits), path)


class _RefusedError(ValueError):
    """The pickle asks for something that is not done here."""


class _Bounded:
    """The bytes of a pickle; one piece is never longer than a text may be.

    pickletools reads as many bytes as the pickle says that a text has, at once.
    """

    def __init__(self, stream: BinaryIO, size: int, limits: PickleLimits) -> None:
        self._stream = stream
        self._size = size
        self._most = limits.text_bytes
        self.tell = stream.tell

    def read(self, length: int) -> bytes:
        self._check(length)
        return self._stream.read(length)

    def readline(self) -> bytes:
        line = self._stream.readline(self._most + 1)
        self._check(len(line))
        return line

    def is_at_end(self) -> bool:
        return self.tell() >= self._size

    def _check(self, length: int) -> None:
        if length > self._most:
            _refuse(f"a text or number is longer than {self._most:,} bytes")


class _Machine:
    """The stack, its marks and the memo, and what each opcode does to them."""

    def __init__(self, limits: PickleLimits) -> None:
        self._limits = limits
        self._stack: list[Any] = []
        self._outer: list[list[Any]] = []  # the stacks below each open mark
        self._memo: dict[int, Any] = {}
        self._memory = 0
        self._does = self._opcodes()

    def run(self, pickled: _Bounded, path: Path) -> Any:
        place = count = 0
        try:
            for opcode, argument, at in pickletools.genops(cast(BinaryIO, pickled)):
                place, count = at or 0, count + 1
                if count > self._limits.values:
                    _refuse(f"it has more than {self._limits.values:,} opcodes")
                act = self._does.get(opcode.name)
                if act is None:
                    _refuse(f"its opcode {opcode.name} makes objects, not plain data")
                act(argument)
            if not pickled.is_at_end():
                raise ValueError("there is more behind its end")
            return self._finished()
        except _RefusedError as error:
            raise InputError(
                f"{path}, byte {place}: the pickle is refused: {error}.", _AS_JSON
            ) from error
        except (ValueError, IndexError, OverflowError) as error:
            raise InputError(
                f"{path}, byte {place}: this is no whole pickle.", "Get the file again."
            ) from error

    def _finished(self) -> Any:
        (value,) = self._stack
        if self._outer:
            raise ValueError("a mark is still open")
        _check_plain(value, self._limits)
        return value

    def _opcodes(self) -> dict[str, Callable[[Any], None]]:
        push, put, get = self._push, self._put, self._get
        texts = "STRING BINSTRING SHORT_BINSTRING UNICODE SHORT_BINUNICODE BINUNICODE BINUNICODE8"
        raw = "SHORT_BINBYTES BINBYTES BINBYTES8"
        numbers = "INT BININT BININT1 BININT2 LONG LONG1 LONG4"
        return {
            **dict.fromkeys(f"{texts} {raw} FLOAT BINFLOAT".split(), push),
            **dict.fromkeys(numbers.split(), self._push_integer),
            **dict.fromkeys(("PROTO", "FRAME", "STOP"), _do_nothing),
            **dict.fromkeys(("PUT", "BINPUT", "LONG_BINPUT"), put),
            **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), get),
            "MEMOIZE": lambda _: put(len(self._memo)),
            "NONE": lambda _: push(None),
            "NEWTRUE": lambda _: push(True),
            "NEWFALSE": lambda _: push(False),
            "EMPTY_LIST": lambda _: push([]),
            "EMPTY_DICT": lambda _: push({}),
            "EMPTY_SET": lambda _: push(set()),
            "EMPTY_TUPLE": lambda _: push(()),
            "TUPLE1": lambda _: self._tuple_of(1),
            "TUPLE2": lambda _: self._tuple_of(2),
            "TUPLE3": lambda _: self._tuple_of(3),
            "MARK": self._mark,
            "TUPLE": lambda _: push(tuple(self._marked())),
            "LIST": lambda _: push(self._marked()),
            "DICT": lambda _: self._fill_new({}, self._set_items),
            "FROZENSET": lambda _: push(frozenset(self._keys(self._marked()))),
            "APPEND": lambda _: self._append([self._stack.pop()]),
            "APPENDS": lambda _: self._append(self._marked()),
            "SETITEM": lambda _: self._set_items([self._stack.pop(-2), self._stack.pop()]),
            "SETITEMS": lambda _: self._set_items(self._marked()),
            "ADDITEMS": lambda _: self._add_items(self._marked()),
            "POP": self._pop,
            "POP_MARK": lambda _: self._marked().clear(),
            "DUP": lambda _: push(self._stack[-1]),
            "GLOBAL": lambda named: self._name(*named.split(" ", 1)),
            "STACK_GLOBAL": lambda _: self._name(self._stack.pop(-2), self._stack.pop()),
            "REDUCE": self._reduce,
            "BUILD": self._build,
        }

    def _charge(self, size: int) -> None:
        self._memory += size
        if self._memory > self._limits.memory_bytes:
            _refuse(f"it takes more than {self._limits.memory_bytes:,} bytes of memory")

    def _push(self, value: Any) -> None:
        self._charge(sys.getsizeof(value) + _SLOT)
        self._stack.append(value)

    def _push_integer(self, value: int) -> None:
        # Beyond 64 bits nobody counts anything, and such numbers can be made to share one hash.
        if value not in _INTEGERS:
            _refuse("a number has more than 64 bits")
        self._push(value)

    def _put(self, place: int) -> None:
        self._charge(_ENTRY)
        self._memo[place] = self._stack[-1]

    def _get(self, place: int) -> None:
        if place not in self._memo:
            raise ValueError("the memo has no such place")
        self._charge(_SLOT)
        self._stack.append(self._memo[place])

    def _mark(self, _: Any) -> None:
        if len(self._outer) >= self._limits.depth:
            _refuse(f"it is nested more than {self._limits.depth} deep")
        self._outer.append(self._stack)
        self._stack = []

    def _marked(self) -> list[Any]:
        """Return all values pushed since the last mark; take the mark away."""
        marked, self._stack = self._stack, self._outer.pop()
        return marked

    def _pop(self, _: Any) -> None:
        if self._stack:
            self._stack.pop()
        else:
            self._marked()

    def _tuple_of(self, length: int) -> None:
        if len(self._stack) < length:
            raise ValueError("the stack is too short")
        values = tuple(self._stack[-length:])
        del self._stack[-length:]
        self._push(values)

    def _fill_new(self, container: Any, fill: Callable[[list[Any]], None]) -> None:
        values = self._marked()
        self._push(container)
        fill(values)

    def _top(self, kind: type) -> Any:
        top = self._stack[-1]
        if type(top) is not kind:
            raise ValueError(f"a {kind.__name__} should lie here")
        return top

    def _append(self, values: list[Any]) -> None:
        self._charge(_SLOT * len(values))
        self._top(list).extend(values)

    def _set_items(self, flat: list[Any]) -> None:
        if len(flat) % 2:
            raise ValueError("a key has no value")
        entries = dict(zip(self._keys(flat[::2]), flat[1::2], strict=True))
        self._top(dict).update(entries)

    def _add_items(self, values: list[Any]) -> None:
        self._top(set).update(self._keys(values))

    def _keys(self, values: list[Any]) -> list[Any]:
        """`values`, fit for keys: flat, since the hash of nested tuples is a recursion in C."""
        self._charge(_ENTRY * len(values))
        for value in values:
            parts = value if type(value) is tuple else (value,)
            if not all(type(part) in _SCALARS for part in parts):
                _refuse("a key is neither a scalar nor a tuple of scalars")
        return values

    def _name(self, module: Any, name: Any) -> None:
        if type(module) is not str or type(name) is not str:
            raise ValueError("a name is a text")
        spelling = f"{module}.{name}"
        if spelling not in PLAIN_NAMES:
            _refuse(f"it names {spelling[:80]!r}, which loading it would import and could run")
        self._push(PickledName(spelling))

    def _reduce(self, _: Any) -> None:
        arguments, called = self._stack.pop(), self._stack.pop()
        if type(called) is not PickledName or type(arguments) is not tuple:
            _refuse("its opcode REDUCE calls something that is no name of plain data")
        made = rebuild_plain(called, arguments)
        if made is None:
            _refuse(f"its opcode REDUCE calls {called.spelling} in a way that gives no plain data")
        if type(made) is list:
            is_frozen = called.spelling.endswith("frozenset")
            made = (frozenset if is_frozen else set)(self._keys(made))
        self._push(made)

    def _build(self, _: Any) -> None:
        state, restored = self._stack.pop(), self._stack[-1]
        if type(restored) is not PickledDtype or not restored.restore(state):
            _refuse("its opcode BUILD restores the state of an object")


def _check_plain(value: Any, limits: PickleLimits) -> None:
    """Refuse what is not plain all through, or would be too large or deep if written out.

    It goes level by level and visits a shared part as often as it is referred to, within a
    budget: a few lists of references to lists can stand for more values than there are atoms.
    """
    level, values, characters = [value], 1, 0
    for _ in range(limits.depth + 1):
        below: list[Any] = []
        for one in level:
            if type(one) in _CONTAINERS:
                inside = (*one, *one.values()) if type(one) is dict else one
                values += len(inside)
                if values > limits.values:
                    _refuse(f"it stands for more than {limits.values:,} values")
                below.extend(inside)
            elif type(one) not in _SCALARS:
                _refuse("it holds a class, not only data")
            elif type(one) in (str, bytes):
                characters += len(one)
        if characters > limits.memory_bytes:
            _refuse(f"it stands for more than {limits.memory_bytes:,} characters")
        if not below:
            return
        level = below
    _refuse(f"it is nested more than {limits.depth} deep")


def _do_nothing(_: Any) -> None:
    """Frames and the protocol's number change nothing here."""


def _refuse(problem: str) -> NoReturn:
    raise _RefusedError(problem)
