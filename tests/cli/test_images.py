"""`localrec images`: a folder taken in, listed, described and searched, as a person or a script."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from localrec.foundation.settings import load_settings
from tests.cli.conftest import drink, write_rows
from tests.images.pictures import highball, save_plain
from tests.index.onnx_pair import write_json, write_pair


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A red Negroni in its glass, a plain green Gimlet, and a stranger."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    Image.fromarray(np.asarray(highball("c1121f"))).save(folder / "Negroni.png")
    save_plain(folder / "gimlet.webp", "00ff00")
    save_plain(folder / "holiday.png", "0000ff")
    return folder


@pytest.fixture
def images(cli: Callable, own_workspace: Path) -> Callable:
    """Runs `localrec images` in a workspace of five drinks."""
    return lambda *arguments: cli("--workspace", own_workspace, "images", *arguments)


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """A folder with a picture model."""
    return write_pair(tmp_path / "tiny-clip")


class TestAdding:
    def test_says_what_was_taken_in_and_what_was_left_out(self, images, folder):
        code, out, err = images("add", folder)
        assert code == 0, err
        assert "3 files looked at: 2 pictures were taken in" in out
        assert "holiday.png: is named like no item" in out
        assert "3 drinks are without a picture" in out

    def test_gives_scripts_one_document_and_a_dry_run_changes_nothing(
        self, images, folder, own_workspace
    ):
        before = (own_workspace / "store.duckdb").read_bytes()
        report = json.loads(images("add", folder, "--dry-run", "--json").out)
        assert (report["fresh"], report["kept"], report["dropped"]) == (2, 2, 1)
        assert report["dry_run"]
        assert (own_workspace / "store.duckdb").read_bytes() == before

    def test_lists_what_is_there(self, images, folder):
        images("add", folder)
        listed = json.loads(images("list", "--json").out)
        assert [one["key"] for one in listed] == ["gimlet", "negroni"]
        assert (listed[1]["width"], listed[1]["height"]) == (150, 200)
        assert "negroni" in images("list").out

    def test_a_folder_that_is_not_there_is_one_sentence(self, images, tmp_path):
        code, _, err = images("add", tmp_path / "nowhere")
        assert code == 1
        assert "does not exist" in err

    def test_an_export_says_that_pictures_stay(self, images, cli, folder, own_workspace, tmp_path):
        images("add", folder)
        told = cli(
            "--workspace", own_workspace, "export", "--what", "items", "--out", tmp_path / "i.json"
        )
        assert "2 of the drinks have a picture here" in told.out + told.err


def test_describing_replaces_what_was_only_guessed_from_a_recipe(
    images, cli, folder, own_workspace, tmp_path
):
    table = write_rows(tmp_path / "more.csv", drink("Red Thing"))  # no word on how it looks
    cli("--workspace", own_workspace, "import", "cocktails", table)
    (folder / "Negroni.png").rename(folder / "red thing.png")
    images("add", folder)
    summary = json.loads(images("describe", "--json").out)
    assert summary == {"written": 1, "silent": 0, "left": 0}
    listed = {one["key"]: one["described_by"] for one in json.loads(images("list", "--json").out)}
    assert listed == {"gimlet": "source", "red-thing": "picture"}
    assert "0 descriptions written" in images("describe").err


def test_a_bound_vision_model_describes_and_says_so(images, cli, folder, tmp_path, own_workspace):
    pytest.importorskip("llama_cpp")
    from tests.llm.vision_pair import write_projector, write_text_model

    model, projector = write_text_model(tmp_path / "m.gguf"), write_projector(tmp_path / "p.gguf")
    bound = cli(
        *("--workspace", own_workspace, "models", "use", "vision", model),
        *("--projector", projector),
    )
    assert bound.code == 0, bound.err
    table = write_rows(tmp_path / "more.csv", drink("Red Thing"))
    cli("--workspace", own_workspace, "import", "cocktails", table)
    (folder / "Negroni.png").rename(folder / "red thing.png")
    images("add", folder)
    summary = json.loads(images("describe", "--json").out)
    assert summary == {"written": 1, "silent": 0, "left": 0}  # a grammar holds random weights, too
    listed = {one["key"]: one["described_by"] for one in json.loads(images("list", "--json").out)}
    assert listed["red-thing"] == "model"


class TestFinding:
    @pytest.fixture
    def searchable(self, images, cli, folder, pair, own_workspace):
        assert cli("--workspace", own_workspace, "models", "use", "pictures", pair).code == 0
        assert images("add", folder).code == 0
        return images

    def test_items_are_found_by_words_and_by_picture(self, searchable, folder):
        found = json.loads(searchable("find", "a green drink", "--json").out)
        assert [one["key"] for one in found] == ["gimlet", "negroni"]
        like = json.loads(searchable("find", "--image", folder / "gimlet.webp", "--json").out)
        assert like[0]["key"] == "gimlet"
        assert like[0]["similarity"] == pytest.approx(1, abs=1e-4)
        assert "Gimlet" in searchable("find", "green", "-k", "1").out

    def test_pictures_from_before_are_embedded_by_index(
        self, images, cli, folder, pair, own_workspace
    ):
        images("add", folder)
        cli("--workspace", own_workspace, "models", "use", "pictures", pair)
        code, _, err = images("find", "green")
        assert (code, "localrec index" in err) == (2, True)
        assert cli("--workspace", own_workspace, "index").code == 0
        assert images("find", "green").code == 0

    def test_without_a_model_the_way_to_one_is_told(self, images, folder):
        images("add", folder)
        code, _, err = images("find", "green")
        assert code == 2
        assert "localrec models use pictures FOLDER" in err

    @pytest.mark.parametrize("arguments", [(), ("green", "--image", "x.png")])
    def test_by_words_or_by_a_picture_but_not_both(self, images, arguments):
        assert images("find", *arguments).code == 2


class TestChoosingAModel:
    def test_a_folder_is_opened_before_it_is_chosen(self, cli, own_workspace, pair):
        write_json(pair / "preprocessor_config.json", image_std="none")
        code, _, err = cli("--workspace", own_workspace, "models", "use", "pictures", pair)
        assert code == 1
        assert "preprocessor_config.json" in err
        assert load_settings(own_workspace).pictures == ""

    def test_rules_take_it_back(self, cli, own_workspace, pair):
        cli("--workspace", own_workspace, "models", "use", "pictures", pair)
        assert load_settings(own_workspace).pictures == str(pair.resolve())
        cli("--workspace", own_workspace, "models", "use", "pictures", "rules")
        assert load_settings(own_workspace).pictures == ""

    def test_a_model_of_texts_alone_is_refused(self, cli, own_workspace):
        told = cli("--workspace", own_workspace, "models", "use", "pictures", "minilm-int8")
        assert told.code == 2
        assert "embeds no pictures" in told.err
