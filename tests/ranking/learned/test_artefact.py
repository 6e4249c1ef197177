"""Files of a fitted ranker: what is written is read, and nothing that does not fit is."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from localrec.foundation.errors import InputError
from localrec.ranking.learned.artefact import read_artefact, read_plain, write_artefact

NUMBERS = st.sampled_from([np.bool_, np.int32, np.int64, np.float16, np.float32, np.float64])
ARRAYS = NUMBERS.flatmap(
    lambda kind: arrays_of.arrays(kind, arrays_of.array_shapes(min_dims=1, min_side=0, max_side=5))
)


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(st.text(max_size=8), ARRAYS, max_size=5))
def test_arrays_come_back_as_they_were_written(tmp_path_factory, arrays):
    folder = tmp_path_factory.mktemp("kept")
    write_artefact(folder, {"rows": 3}, arrays)
    found = read_artefact(folder)
    assert found is not None
    plain, read = found
    assert plain == read_plain(folder) == {"rows": 3}
    assert list(read) == list(arrays)
    for name, array in arrays.items():
        assert read[name].dtype == array.dtype
        np.testing.assert_array_equal(read[name], array)


def test_a_newer_ranker_takes_the_place_of_the_older(tmp_path):
    for number in range(3):
        write_artefact(tmp_path, {}, {"a": np.array([number])})
    found = read_artefact(tmp_path)
    assert found is not None
    assert found[1]["a"].tolist() == [2]
    assert len(list(tmp_path.iterdir())) == 2


def test_what_is_read_is_mapped_and_cannot_be_written(tmp_path):
    write_artefact(tmp_path, {}, {"a": np.arange(9.0)})
    found = read_artefact(tmp_path)
    assert found is not None
    with pytest.raises(ValueError, match="read-only"):
        found[1]["a"][0] = 1.0


@pytest.mark.parametrize(
    "change",
    [
        {"begin": -64},
        {"begin": 1 << 40},
        {"shape": [-1]},
        {"shape": [1 << 40]},
        {"shape": [1 << 62, 4]},
        {"dtype": "|O"},
        {"dtype": "no type"},
    ],
)
def test_a_place_outside_of_the_file_is_refused(tmp_path, change):
    write_artefact(tmp_path, {}, {"a": np.arange(9.0)})
    path = tmp_path / "ranker.json"
    record = json.loads(path.read_text())
    record["places"]["a"] |= change
    path.write_text(json.dumps(record))
    with pytest.raises(InputError, match="Delete the folder"):
        read_artefact(tmp_path)
