"""The prepared form of MiniLM: the same vectors to the last bit, and never in the way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from localrec.foundation.errors import ModelError
from localrec.foundation.paths import pulled
from localrec.index import minilm_int8
from localrec.index.embedders import MiniLmEmbedder
from localrec.index.minilm_int8 import choose_rewrite

TEXTS = ["gin", "a smoky drink", "the story of a long voyage " * 12, "", "é"]
pytestmark = pytest.mark.real


@pytest.fixture
def pulled_folder(require_model):
    require_model("minilm-int8")
    return pulled("models") / "minilm-int8"


@pytest.fixture
def model(pulled_folder, tmp_path, monkeypatch):
    """A folder with the model's files, and a cache of its own to prepare it in."""
    monkeypatch.setenv("LOCALREC_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "minilm-int8"
    folder.mkdir()
    for name in ("model.onnx", "tokenizer.json"):
        (folder / name).symlink_to(pulled_folder / name)
    return folder


def prepared(tmp_path):
    return sorted((tmp_path / "cache" / "prepared").glob("*"))


def vectors(folder):
    return MiniLmEmbedder(folder).embed(TEXTS)


def test_the_prepared_model_gives_the_same_vectors(model, tmp_path):
    as_pulled = vectors(model)
    (folder,) = prepared(tmp_path)
    assert {path.name for path in folder.iterdir()} == {"model.onnx", "weights.bin"}
    assert np.array_equal(vectors(model), as_pulled)


def test_it_is_what_is_opened_from_then_on(model, tmp_path):
    vectors(model)
    (folder,) = prepared(tmp_path)
    opened = "import sys\nfrom pathlib import Path\n" + (
        "from localrec.index.embedders import MiniLmEmbedder\n"
        "MiniLmEmbedder(Path(sys.argv[1])).embed(['gin'])\n"
        "print(open('/proc/self/maps').read())"
    )
    if not Path("/proc/self/maps").exists():
        pytest.skip("looks into /proc")
    maps = subprocess.run(
        [sys.executable, "-c", opened, model], capture_output=True, text=True, check=True
    )
    assert str(folder / "weights.bin") in maps.stdout


@pytest.mark.parametrize("name", ["model.onnx", "weights.bin"])
def test_a_damaged_one_is_made_again(model, tmp_path, name):
    first = vectors(model)
    (folder,) = prepared(tmp_path)
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: len(whole) // 2])
    assert np.array_equal(vectors(model), first)
    assert len((prepared(tmp_path)[0] / name).read_bytes()) == len(whole)


@pytest.fixture
def pull_again(model, pulled_folder):
    """Puts another file in the model's place, which is prepared to another form."""

    def pull():
        (model / "model.onnx").unlink()
        shutil.copy(pulled_folder / "model.onnx", model / "model.onnx")

    return pull


def unused_for(folder, days):
    then = time.time() - days * 86_400
    os.utime(folder, (then, then))


def test_another_form_stays_where_somebody_opened_it_in_two_weeks(model, tmp_path, pull_again):
    vectors(model)
    (before,) = prepared(tmp_path)
    unused_for(before, days=13)
    pull_again()
    vectors(model)
    assert before in prepared(tmp_path) and len(prepared(tmp_path)) == 2


def test_another_form_goes_that_nobody_opened_for_two_weeks(model, tmp_path, pull_again):
    vectors(model)
    (before,) = prepared(tmp_path)
    unused_for(before, days=15)
    pull_again()
    vectors(model)
    (after,) = prepared(tmp_path)
    assert after != before


def test_to_open_a_form_is_to_use_it(model, tmp_path, pull_again):
    vectors(model)
    (before,) = prepared(tmp_path)
    unused_for(before, days=15)
    vectors(model)
    pull_again()
    vectors(model)
    assert before in prepared(tmp_path)


def test_a_cache_that_takes_nothing_costs_time_alone(model, tmp_path):
    first = vectors(model)
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "cache").write_text("in the way")
    assert np.array_equal(vectors(model), first)


def test_the_upper_layers_are_kept_beside_it_and_a_damaged_copy_is_made_again(model, tmp_path):
    MiniLmEmbedder(model).embed(["gin"])
    first = MiniLmEmbedder(model).upper_layers()
    (folder,) = prepared(tmp_path)
    kept = folder / "upper.npy"
    assert kept.stat().st_size > 20_000_000
    mapped = MiniLmEmbedder(model).upper_layers()
    kept.unlink()  # it is mapped still
    kept.write_bytes(b"PK nothing")
    made_again = MiniLmEmbedder(model).upper_layers()
    kept.unlink()
    np.save(kept, np.zeros(7, dtype=np.float32))
    and_again = MiniLmEmbedder(model).upper_layers()
    for layers in (mapped, made_again, and_again):
        pairs = zip(first, layers, strict=True)
        assert all(np.array_equal(one.mixed[0], other.mixed[0]) for one, other in pairs)
    assert kept.stat().st_size > 20_000_000


def test_another_export_of_the_model_embeds_and_has_no_upper_layers(model, tmp_path, monkeypatch):
    as_known = vectors(model)
    shutil.rmtree(prepared(tmp_path)[0])
    monkeypatch.setattr("localrec.index.minilm_layers._FIRST", 100_000)
    other = MiniLmEmbedder(model)
    cosines = np.vecdot(other.embed(TEXTS), as_known)
    assert cosines == pytest.approx([1, 1, 1, 0, 1], abs=0.01)
    assert cosines.max() < 0.99999  # it was run as it is, with floats
    assert np.array_equal(other.read("gin").middle, other.read("gin").states)
    with pytest.raises(ModelError):
        other.upper_layers()


@pytest.fixture
def processor(monkeypatch):
    """Another processor, on which products overflow or do not; counts how often it is tried out."""
    tried = []

    def take(*, overflowing):
        monkeypatch.setattr(minilm_int8, "overflows", lambda: tried.append(1) or overflowing)
        choose_rewrite.cache_clear()
        return tried

    yield take
    choose_rewrite.cache_clear()


def test_processors_that_overflow_and_others_share_neither_form_nor_self_test(
    model, tmp_path, processor
):
    if minilm_int8.overflows():
        pytest.skip("signed weights are wrong on this processor")
    for overflowing, forms in ((True, 1), (False, 2), (True, 2)):
        processor(overflowing=overflowing)
        vectors(model)
        assert len(prepared(tmp_path)) == forms
        kept = (tmp_path / "cache" / "models" / "self-tests").glob("embedder-*.json")
        assert len([*kept]) == forms


def test_a_processor_is_tried_out_once_a_process(model, processor):
    tried = processor(overflowing=True)
    vectors(model)
    vectors(model)
    MiniLmEmbedder(model).upper_layers()
    assert len(tried) == 1
