"""Pickles are read as data: plain values come back, everything else is refused and never runs."""

import collections
import copyreg
import os
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from localrec.foundation.errors import InputError
from localrec.sources.safe_unpickle import PickleLimits, read_pickle

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
)
KEYS = SCALARS | st.tuples(SCALARS, SCALARS)
PLAIN = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(KEYS, inner)
        | st.sets(KEYS)
        | st.frozensets(KEYS)
    ),
    max_leaves=20,
)
SMALL = PickleLimits(
    file_bytes=1 << 20, memory_bytes=4 << 20, values=50_000, text_bytes=1 << 16, depth=32
)
ACROSS = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=300
)


def read(folder: Path, content: bytes, limits: PickleLimits = SMALL) -> object:
    path = folder / "value.pkl"
    path.write_bytes(content)
    return read_pickle(path, limits)


def same(left: object, right: object) -> bool:
    """Equal, and of equal types all through (1 == True == 1.0 would hide a mistake)."""
    if type(left) is not type(right):
        return False
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return same(list(left), list(right)) and same([*left.values()], [*right.values()])
    return left == right


@ACROSS
@given(value=PLAIN, protocol=st.integers(0, 5))
def test_plain_values_come_back_as_they_were(tmp_path: Path, value: object, protocol: int) -> None:
    assert same(read(tmp_path, pickle.dumps(value, protocol)), value)


@ACROSS
@given(content=st.binary(min_size=1, max_size=300))
def test_noise_is_read_or_refused_and_nothing_else(tmp_path: Path, content: bytes) -> None:
    try:
        read(tmp_path, content)
    except InputError as refused:
        assert "value.pkl, byte" in refused.message


@ACROSS
@given(
    value=PLAIN,
    protocol=st.integers(0, 5),
    changes=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), min_size=1, max_size=6),
    cut=st.integers(0, 400),
)
def test_a_damaged_pickle_is_read_or_refused_and_nothing_else(
    tmp_path: Path, value: object, protocol: int, changes: list[tuple[int, int]], cut: int
) -> None:
    content = bytearray(pickle.dumps(value, protocol))
    for place, byte in changes:
        content[place % len(content)] = byte
    try:
        read(tmp_path, bytes(content[: max(1, len(content) - cut)]))
    except InputError as refused:
        assert "value.pkl, byte" in refused.message


@pytest.mark.parametrize("protocol", range(6))
def test_numbers_of_numpy_and_named_dicts_are_read_as_plain_ones(
    tmp_path: Path, protocol: int
) -> None:
    grouped: collections.defaultdict[str, list[object]] = collections.defaultdict(list)
    grouped["ann"] += [np.int64(-3), np.uint8(200), np.float32(0.5), np.bool_(True)]
    grouped["bo"] += [np.dtype(">i4").type(7), collections.OrderedDict(a=1)]
    back = read(tmp_path, pickle.dumps(grouped, protocol))
    assert same(back, {"ann": [-3, 200, 0.5, True], "bo": [7, {"a": 1}]})


def test_numbers_of_either_byte_order_and_of_older_numpy_are_read(tmp_path: Path) -> None:
    old = (
        b"\x80\x03cnumpy.core.multiarray\nscalar\ncnumpy\ndtype\nX\x02\0\0\0i4\x89\x88\x87R"
        b"(K\x03X\x01\0\0\0>NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tbC\x04\0\0\0\x07\x86R."
    )
    assert read(tmp_path, old) == 7


class Trap:
    """Pickles into a call of `called`; its loading would leave a file behind."""

    def __init__(self, called: object, *arguments: object) -> None:
        self.call = (called, arguments)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return self.call


class Stateful:
    def __init__(self) -> None:
        self.word = "state"

    def __setstate__(self, state: object) -> None:
        raise AssertionError("its state was restored")


def harmful(mark: str) -> dict[str, tuple[bytes, str]]:
    """Name of the attack -> pickle, and what the refusal says of it."""
    touch = f"touch {mark}".encode()
    system = pickle.dumps(Trap(os.system, touch.decode()), 4)
    text = b"X" + struct.pack("<I", len(touch)) + touch
    return {
        "os.system by REDUCE": (system, "names 'posix.system'"),
        "os.system in text": (b"cos\nsystem\n(S'" + touch + b"'\ntR.", "names 'os.system'"),
        "posix by GLOBAL": (b"\x80\x02cposix\nsystem\n" + text + b"\x85R.", "'posix.system'"),
        "by INST": (b"(S'" + touch + b"'\nios\nsystem\n.", "opcode INST makes objects"),
        "by OBJ": (b"(cos\nsystem\n" + text + b"o.", "names 'os.system'"),
        "OBJ of a plain name": (b"(cbuiltins\nlist\n" + text + b"o.", "opcode OBJ makes objects"),
        "eval": (pickle.dumps(Trap(eval, f"open({mark!r}, 'w')")), "names 'builtins.eval'"),
        "exec in Python 2": (b"c__builtin__\nexecfile\n" + text + b"\x85R.", "execfile"),
        "getattr": (pickle.dumps(Trap(getattr, "a", "upper")), "names 'builtins.getattr'"),
        "a class": (pickle.dumps(Stateful(), 2), "test_unpickle.Stateful'"),
        "state of a list": (b"]}X\x01\0\0\0aK\x01sb.", "BUILD restores the state"),
        "state of a name": (b"cbuiltins\nlist\n}b.", "BUILD restores the state"),
        "copyreg": (
            b"ccopyreg\n__reduce_ex__\nK\x02\x85R.",
            "names 'copyreg.__reduce_ex__'",
        ),
        "an extension code": (b"\x80\x02\x82\x01.", "opcode EXT1 makes objects"),
        "a persistent id": (b"Pos.system\n.", "opcode PERSID makes objects"),
        "a persistent value": (b"K\x01Q.", "opcode BINPERSID makes objects"),
        "NEWOBJ": (b"\x80\x02cbuiltins\nlist\n)\x81.", "opcode NEWOBJ makes objects"),
        "NEWOBJ_EX": (b"\x80\x04cbuiltins\nlist\n)}\x92.", "opcode NEWOBJ_EX makes objects"),
        "a buffer": (b"\x80\x05\x97.", "opcode NEXT_BUFFER makes objects"),
        "a codec that runs": (
            b"c_codecs\nencode\nX\x01\0\0\0aX\x04\0\0\0zlib\x86R.",
            "calls _codecs.encode in a way that gives no plain data",
        ),
        "a call of a value": (b"K\x01)R.", "calls something that is no name"),
        "a call of list": (b"cbuiltins\nlist\n)R.", "calls builtins.list in a way"),
        "a class as data": (b"cbuiltins\nset\n.", "holds a class"),
        "an array": (pickle.dumps(np.arange(3)), "'numpy._core.multiarray._reconstruct'"),
        "objects in numpy": (b"cnumpy\ndtype\nX\x02\0\0\0O8\x89\x88\x87R.", "numpy.dtype in a way"),
    }


@pytest.mark.parametrize("name", harmful("x"))
def test_a_pickle_that_would_run_code_is_refused_by_name(tmp_path: Path, name: str) -> None:
    mark = tmp_path / "it-ran"
    content, told = harmful(str(mark))[name]
    with pytest.raises(InputError) as refused:
        read(tmp_path, content)
    assert told in refused.value.message
    assert refused.value.hint.startswith("Get it as JSON")
    assert not mark.exists()


def test_the_attacks_of_this_file_are_real(tmp_path: Path) -> None:
    mark = tmp_path / "it-ran"
    for name in ("os.system by REDUCE", "os.system in text", "posix by GLOBAL", "by INST", "eval"):
        pickle.loads(harmful(str(mark))[name][0])
        assert mark.exists(), name
        mark.unlink()


def test_an_extension_registered_in_this_process_is_not_used(tmp_path: Path) -> None:
    copyreg.add_extension("os", "system", 77)
    try:
        with pytest.raises(InputError, match="opcode EXT1 makes objects"):
            read(tmp_path, b"\x80\x02\x82\x4dX\x04\0\0\0true\x85R.")
    finally:
        copyreg.remove_extension("os", "system", 77)


def doubled(times: int) -> bytes:
    """Ten references to ten references to ...: `times` lists stand for 10 ** times values."""
    content = b"]q\x00"
    for level in range(times):
        refer = b"h" + bytes([level])
        content += b"0](" + refer * 10 + b"eq" + bytes([level + 1])
    return content + b"."


BOMBS = {
    "billion laughs": (doubled(20), "stands for more than 50,000 values"),
    "a list in itself": (b"]q\0h\0a.", "is nested more than 32 deep"),
    "deep lists": (b"]" * 20_000 + b"a" * 19_999 + b".", "is nested more than 32 deep"),
    "deep tuples": (b")" + b"\x85" * 40_000 + b".", "is nested more than 32 deep"),
    "a deep key": (b"})" + b"\x85" * 40_000 + b"Ns.", "a key is neither a scalar"),
    "a list as a key": (b"}]Ns.", "a key is neither a scalar"),
    "marks": (b"(" * 40_000 + b".", "is nested more than 32 deep"),
    "a huge number": (b"\x8b\x00\x00\x00\x40" + b"\xff" * 100, "longer than 65,536 bytes"),
    "a long number": (b"\x8b\x00\x01\x00\x00" + b"\x7f" * 256 + b".", "more than 64 bits"),
    "a text that is not there": (b"\x8d" + b"\xff" * 7 + b"\x0f" + b"x.", "longer than 65,536"),
    "a line without end": (b"V" + b"x" * 70_000, "longer than 65,536 bytes"),
    "a large memo": (
        b"N" + b"".join(b"r" + struct.pack("<I", i << 8) for i in range(45_000)) + b".",
        "takes more than 4,194,304 bytes",
    ),
    "many opcodes": (b"N0" * 30_000 + b"N.", "more than 50,000 opcodes"),
    "one text often": (
        b"X\x00\xff\x00\x00" + b"x" * 0xFF00 + b"q\x000(" + b"h\0" * 20_000 + b"l.",
        "stands for more than 4,194,304 characters",
    ),
    "one set often": (
        b"cbuiltins\nset\nq\x01(" + b"K\x01" * 10_000 + b"lq\x02" + b"0h\x01h\x02\x85R" * 8 + b".",
        "takes more than 4,194,304 bytes",
    ),
    "a name that is a list": (doubled(9)[:-1] + b"N\x93.", "this is no whole pickle"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_before_it_grows(tmp_path: Path, name: str) -> None:
    content, told = BOMBS[name]
    with pytest.raises(InputError) as refused:
        read(tmp_path, content)
    assert told in refused.value.message


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"hello", 0),
        (b"\x80\x04]", 2),
        (b"K\x01K\x02.", 4),
        (b"0.", 0),
        (b"e.", 0),
        (b"h\x05.", 0),
        (b"}K\x01(K\x02u.", 6),
        (b"N.N.", 1),
        (b"(N.", 2),
    ],
)
def test_a_broken_pickle_is_refused_with_its_byte(
    tmp_path: Path, content: bytes, place: int
) -> None:
    with pytest.raises(InputError) as refused:
        read(tmp_path, content)
    assert refused.value.message == (
        f"{tmp_path / 'value.pkl'}, byte {place}: this is no whole pickle."
    )


def test_only_a_file_of_bearable_size_is_opened(tmp_path: Path) -> None:
    for path, told in [
        (tmp_path, "is not a file"),
        (tmp_path / "none.pkl", "cannot be read: No such file"),
    ]:
        with pytest.raises(InputError, match=told):
            read_pickle(path)
    with pytest.raises(InputError, match="is empty"):
        read(tmp_path, b"")
    with pytest.raises(InputError, match="is 3 bytes, more than the 2 allowed"):
        read(tmp_path, b"N0.", PickleLimits(file_bytes=2))
