"""A picture model from a folder: loaded strictly, embedding for real, searched by the index."""

import msgspec
import numpy as np
import pytest

from localrec.foundation.errors import ModelError
from localrec.graph.store import Store
from localrec.images.opening import DecodedImage, open_image
from localrec.index.clip import ClipPair
from localrec.index.embedded_fields import IMAGE_FIELD, update_embeddings
from localrec.index.embedders import HashingEmbedder
from localrec.index.image_index import open_image_index, update_image_embeddings
from localrec.item_images.folder_import import import_images
from localrec.privacy.erasure_plan import ErasurePlan, ForgetScope
from localrec.privacy.leak_scan import PatternScanner
from localrec.privacy.store_rewrite import copy_remaining_rows, sidecar_files
from tests.images.pictures import save_plain
from tests.planted import BAR, planted_store

from .onnx_pair import CONTEXT, SIDE, write_json, write_pair

COLOURS = {"negroni": "ff0000", "gimlet": "00ff00", "blue-sky": "0000ff"}


def plain(code, width=64, height=64):
    pixels = np.full((height, width, 3), tuple(bytes.fromhex(code)), dtype=np.uint8)
    return DecodedImage(pixels=pixels, size=(width, height), format="PNG")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_pair(tmp_path_factory.mktemp("models") / "tiny-clip")


@pytest.fixture(scope="module")
def pair(folder):
    return ClipPair(folder)


class TestLoading:
    def test_a_pair_tells_its_size_and_a_name_that_follows_its_files(self, pair, folder, tmp_path):
        assert pair.size == 4
        assert pair.name.startswith("clip:tiny-clip:")
        other = write_pair(tmp_path / "tiny-clip")
        assert ClipPair(other).name == pair.name
        write_json(other / "preprocessor_config.json", size=SIDE)
        assert ClipPair(other).name != pair.name

    def test_encoders_may_lie_in_the_folder_onnx(self, tmp_path, pair):
        write_pair(tmp_path)
        (tmp_path / "onnx").mkdir()
        for name in ("vision_model.onnx", "text_model.onnx"):
            (tmp_path / name).rename(tmp_path / "onnx" / name)
        assert ClipPair(tmp_path).embed(["red"]) == pytest.approx(pair.embed(["red"]))

    @pytest.mark.parametrize(
        ("fault", "said"),
        [
            ({"text_size": 5}, "pictures of 4 and texts of 5 numbers"),
            ({"channels": 1}, "something else than one batch of pictures in RGB"),
            ({"more_inputs": ("pixel_values",)}, "text encoder takes 'pixel_values'"),
            ({"context": 5_000}, "takes texts of 5000 tokens"),
        ],
    )
    def test_a_misfit_is_refused_in_one_sentence(self, tmp_path, fault, said):
        with pytest.raises(ModelError, match=said) as caught:
            ClipPair(write_pair(tmp_path / "odd", **fault))
        assert "docs/pictures.md" in caught.value.hint

    @pytest.mark.parametrize(
        "name",
        ["vision_model.onnx", "text_model.onnx", "tokenizer.json", "preprocessor_config.json"],
    )
    @pytest.mark.parametrize("content", [None, b"\x08nonsense"])
    def test_a_file_that_is_missing_or_damaged_is_named(self, tmp_path, name, content):
        folder = write_pair(tmp_path / "broken")
        (folder / name).unlink()
        if content is not None:
            (folder / name).write_bytes(content)
        with pytest.raises(ModelError, match=name):
            ClipPair(folder)

    @pytest.mark.parametrize(
        "facts",
        [
            {"size": 8},
            {"size": 100_000},
            {"size": 100_000, "crop_size": SIDE, "do_center_crop": True},
            {"image_std": [1, 1]},
            {"size": SIDE, "image_std": [0, 0, 0]},
            {"size": {"width": "x"}},
        ],
    )
    def test_impossible_preprocessing_is_refused(self, tmp_path, facts):
        folder = write_pair(tmp_path / "odd", side="side")
        write_json(folder / "preprocessor_config.json", **facts)
        with pytest.raises(ModelError, match=r"preprocessor_config|takes frames|image_std"):
            ClipPair(folder)

    def test_there_is_no_such_folder(self, tmp_path):
        with pytest.raises(ModelError, match="There is no folder"):
            ClipPair(tmp_path / "nowhere")


class TestEmbedding:
    def test_pictures_and_texts_are_unit_rows_of_one_space(self, pair):
        seen = pair.embed_pictures([plain("ff0000"), plain("00ff00")])
        read = pair.embed(["a red drink", "green", "   "])
        assert seen.shape == (2, 4)
        assert np.linalg.norm(seen, axis=1) == pytest.approx([1, 1])
        assert (seen @ read[:2].T).argmax(axis=1).tolist() == [0, 1]
        assert not read[2].any()

    def test_a_picture_alone_and_in_a_batch_is_the_same(self, pair):
        pictures = [plain(code) for code in COLOURS.values()] * 7
        together = pair.embed_pictures(pictures)
        alone = np.concatenate([pair.embed_pictures([one]) for one in pictures])
        assert together == pytest.approx(alone, abs=1e-6)

    @pytest.mark.parametrize(
        "made",
        [
            {"mask": True},
            {"batch": 1},
            {"context": CONTEXT},
            {"side": "side", "channels": "channels"},
            {"outputs": ("pooler_output", "only")},
        ],
    )
    def test_each_way_of_exporting_a_pair_gives_the_same_vectors(self, tmp_path, pair, made):
        other = ClipPair(write_pair(tmp_path / "other", **made))
        texts = ["red", "a blue drink", "green " * 40]
        assert other.embed(texts) == pytest.approx(pair.embed(texts), abs=1e-6)
        pictures = [plain("ff00ff"), plain("123456", width=90, height=40)]
        assert other.embed_pictures(pictures) == pytest.approx(
            pair.embed_pictures(pictures), abs=1e-6
        )

    def test_what_sticks_out_of_the_frame_is_cut_off_on_both_sides(self, pair):
        wide = plain("ff0000", width=200, height=50)
        wide.pixels[:, :60] = wide.pixels[:, -60:] = (0, 0, 255)
        assert pair.embed_pictures([wide]) == pytest.approx(pair.embed_pictures([plain("ff0000")]))

    def test_lone_surrogates_are_read_over(self, pair):
        assert pair.embed(["red \ud800"]).any()


@pytest.fixture
def store(tmp_path):
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for key, code in COLOURS.items():
        save_plain(pictures / f"{key}.png", code)
    with planted_store(tmp_path / "workspace") as opened:
        import_images(opened, BAR, pictures, column=None, dry_run=False, progress=lambda *_: None)
        yield opened


def keys_of(store, near):
    keys = dict(store.rows("SELECT node_id, key FROM node"))
    return [keys[one.node_id] for one in near]


def vectors(store):
    return store.rows("SELECT count(*) FROM embedding WHERE field = ?", [IMAGE_FIELD])[0][0]


class TestSearching:
    @pytest.mark.parametrize("backend", ["exact", "hnsw"])
    def test_items_are_found_by_picture_and_by_words(self, store, tmp_path, pair, backend):
        assert update_image_embeddings(store, BAR, pair) == 3
        index = open_image_index(store, tmp_path / "indexes", BAR.name, pair, backend)
        picture = open_image(tmp_path / "pictures" / "gimlet.png")
        found = index.nearest_by_picture(picture, 2)
        assert keys_of(store, found)[0] == "gimlet"
        assert found[0].similarity == pytest.approx(1, abs=1e-5)
        assert found[0].similarity > found[1].similarity
        assert keys_of(store, index.nearest_by_words("blue", 1)) == ["blue-sky"]
        assert len(index.nearest_by_words("blue", 10)) == 3

    def test_the_index_is_kept_and_made_anew_when_a_picture_changes(self, store, tmp_path, pair):
        update_image_embeddings(store, BAR, pair)
        folder = tmp_path / "indexes"
        assert open_image_index(store, folder, BAR.name, pair).field.origin == "built"
        assert open_image_index(store, folder, BAR.name, pair).field.origin == "cache"
        save_plain(tmp_path / "pictures" / "negroni.png", "ff00ff")
        import_images(
            store,
            BAR,
            tmp_path / "pictures",
            column=None,
            dry_run=False,
            progress=lambda *_: None,
        )
        assert update_image_embeddings(store, BAR, pair) == 1
        index = open_image_index(store, folder, BAR.name, pair)
        assert index.field.origin == "built"
        assert keys_of(store, index.nearest_by_words("purple", 1)) == ["negroni"]

    def test_nothing_is_embedded_twice_and_texts_leave_the_vectors_alone(self, store, pair):
        update_image_embeddings(store, BAR, pair)
        update_embeddings(store, BAR, HashingEmbedder())
        assert vectors(store) == 3
        assert update_image_embeddings(store, BAR, pair) == 0

    def test_vectors_go_with_their_picture(self, store, pair):
        update_image_embeddings(store, BAR, pair)
        store.execute(
            "DELETE FROM picture WHERE node_id IN (SELECT node_id FROM node WHERE key = 'gimlet')"
        )
        assert update_image_embeddings(store, BAR, pair) == 0
        assert vectors(store) == 2

    def test_forgetting_an_item_forgets_picture_and_vector(self, store, tmp_path, pair):
        update_image_embeddings(store, BAR, pair)
        path, fresh = store.path, tmp_path / "fresh.duckdb"
        store.close()
        with Store.open_(path, may_read=sidecar_files(fresh)) as opened:
            leaving = ErasurePlan(opened, ForgetScope(item="gimlet"))
            assert leaving.counts()["picture"] == 1
            copy_remaining_rows(leaving, fresh, PatternScanner(leaving.patterns()), lambda *_: None)
        with Store.open_(fresh, read_only=True) as rest:
            assert vectors(rest) == 2
            assert rest.rows("SELECT count(*) FROM picture") == [(2,)]


def test_what_is_read_of_the_files_beside_the_encoders_may_grow(tmp_path):
    folder = write_pair(tmp_path / "newer")
    path = folder / "preprocessor_config.json"
    facts = msgspec.json.decode(path.read_bytes())
    write_json(path, **facts, image_processor_type="CLIPImageProcessor", do_convert_rgb=True)
    assert ClipPair(folder).size == 4
