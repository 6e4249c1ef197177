"""Archives of arrays: small, the same each time, and read by NumPy as any other."""

import io

import numpy as np

from localrec.training.reader.array_archive import pack_arrays

STEPS = np.clip(np.rint(np.random.default_rng(7).normal(size=(256, 64)) * 4), -11, 11)
ARRAYS = {
    "weights_8": STEPS.astype(np.int8),
    "scale": np.ones(64, np.float16),
    "name": np.array("a"),
}


def test_come_out_as_they_went_in():
    with np.load(io.BytesIO(pack_arrays(ARRAYS)), allow_pickle=False) as kept:
        assert set(kept.files) == set(ARRAYS)
        for name, array in ARRAYS.items():
            assert kept[name].dtype == array.dtype
            np.testing.assert_array_equal(kept[name], array)


def test_are_smaller_than_numpy_writes_them():
    theirs = io.BytesIO()
    np.savez_compressed(theirs, **ARRAYS)
    assert len(pack_arrays(ARRAYS)) < 0.95 * len(theirs.getvalue())


def test_are_the_same_bytes_each_time():
    assert pack_arrays(ARRAYS) == pack_arrays(ARRAYS)
