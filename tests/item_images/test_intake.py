"""A folder of pictures into the store: what fits is taken in together, and nothing else is read."""

import io
import json

import pytest
from PIL import Image

from localrec.foundation.errors import CutShortError, InputError
from localrec.graph.domain_files import load_domain
from localrec.graph.image_store import (
    image_hashes,
    list_item_images,
    stage_item_images,
    thumbnails_by_key,
)
from localrec.graph.store import Store
from localrec.images.thumbnails import open_thumbnail
from localrec.item_images import folder_import
from localrec.privacy.erasure_plan import ForgetScope
from localrec.privacy.forget import forget
from tests.images.pictures import save_plain
from tests.planted import BAR


def shown(store):
    return {one.key: (one.width, one.height) for one in list_item_images(store, BAR)}


def problems(report):
    return {one.column: one.problem for one in report.problems}


class TestTakingIn:
    def test_files_named_like_items_become_their_pictures(self, add, store):
        report = add()
        assert shown(store) == {"negroni": (64, 64), "gin-and-tonic": (400, 300)}
        assert (report.read, report.kept, report.fresh, report.unchanged) == (2, 2, 2, 0)
        assert report.without == 15

    def test_thumbnails_are_small_webp_of_the_same_look(self, add, store):
        add()
        small = thumbnails_by_key(store, BAR, ["negroni", "gin-and-tonic", "gimlet"])
        assert small.keys() == {"negroni", "gin-and-tonic"}
        picture = open_thumbnail(small["gin-and-tonic"])
        assert picture.format == "WebP"
        assert picture.size == (256, 192)
        red = open_thumbnail(small["negroni"]).pixels.mean(axis=(0, 1))
        assert red == pytest.approx([0xC1, 0x12, 0x1F], abs=6)

    def test_no_metadata_comes_along(self, add, store, folder):
        exif = Image.Exif()
        exif[0x010E] = "at Theodora's balcony"
        exif.get_ifd(0x8825)[1] = "N"
        Image.new("RGB", (64, 64), "red").save(folder / "gimlet.jpg", exif=exif)
        add()
        kept = thumbnails_by_key(store, BAR, ["gimlet"])["gimlet"]
        assert b"Theodora" not in kept
        assert not Image.open(io.BytesIO(kept)).getexif()

    def test_a_second_run_opens_nothing_and_changes_nothing(self, add, store, monkeypatch):
        add()
        before = store.rows("SELECT * FROM picture ORDER BY ALL")
        monkeypatch.setattr(folder_import, "open_content", lambda *_: pytest.fail("opened again"))
        report = add()
        assert (report.fresh, report.unchanged) == (0, 2)
        assert store.rows("SELECT * FROM picture ORDER BY ALL") == before
        assert store.rows("SELECT count(*) FROM import_receipt") == [(2,)]  # planted, and the first

    def test_a_changed_file_replaces_the_picture_and_what_was_said_of_it(self, add, store, folder):
        add()
        store.execute(
            "UPDATE node SET properties = json_merge_patch(properties, ?) WHERE key = 'negroni'",
            ['{"image_description": "A red drink.", "image_description_source": "picture"}'],
        )
        save_plain(folder / "Negroni.png", "0343df", 80, 70)
        assert add().fresh == 1
        assert shown(store)["negroni"] == (80, 70)
        [[properties]] = store.rows("SELECT properties FROM node WHERE key = 'negroni'")
        assert "image_description" not in json.loads(properties)

    def test_a_description_of_the_catalogue_stays_when_the_picture_changes(
        self, add, store, folder
    ):
        add()
        save_plain(folder / "Negroni.png", "0343df")
        add()
        [[looks]] = store.rows(
            "SELECT properties->>'$.image_description' FROM node WHERE key = 'negroni'"
        )
        assert looks == "A crimson drink."

    def test_a_dry_run_judges_every_file_and_stores_nothing(self, add, store, folder):
        (folder / "gimlet.png").write_bytes(b"no picture")
        report = add(dry_run=True)
        assert report.dry_run
        assert (report.fresh, report.without) == (2, 15)
        assert "not a PNG" in problems(report)["gimlet.png"]
        assert store.rows("SELECT count(*) FROM picture") == [(0,)]

    def test_a_column_names_the_file_and_one_file_may_serve_two(self, add, store, folder):
        for key, cell in (("negroni", "LONG/gin and_tonic.JPG"), ("gimlet", "gin and_tonic.jpg")):
            store.execute(
                "UPDATE node SET properties = json_merge_patch(properties, ?) WHERE key = ?",
                [json.dumps({"photo": cell}), key],
            )
        report = add(column="photo")
        assert shown(store) == {"negroni": (400, 300), "gimlet": (400, 300)}
        assert problems(report) == {"Negroni.png": "is named like no item"}

    def test_a_domain_without_words_for_looks_keeps_pictures_unseen(self, store, folder, tmp_path):
        store.execute("INSERT INTO node VALUES (999999, 'movies', 'movie', 'heat', 'Heat', '{}')")
        save_plain(folder / "Heat.png", "aaaaaa")
        folder_import.import_images(
            store,
            load_domain("movies"),
            folder,
            column=None,
            dry_run=False,
            progress=lambda *_: None,
        )
        assert store.rows("SELECT node_id, sight FROM picture") == [(999999, None)]


class TestWhatIsLeftOut:
    def test_each_file_that_is_not_taken_is_told_of_by_name(self, add, store, folder):
        (folder / "daiquiri.webp").write_bytes(b"RIFF1234WEBP")
        (folder / "notes\x1b[2J.txt").write_text("hello")
        (folder / ".hidden.png").write_bytes(b"")
        told = problems(add())
        assert told["daiquiri.webp"].startswith("daiquiri.webp is damaged")
        assert told["notes.txt"] == "is named like no item"
        assert len(told) == 2

    def test_a_name_that_fits_several_items_is_told_of(self, add, store, folder):
        store.execute("UPDATE node SET name = 'Twins' WHERE key IN ('gimlet', 'daiquiri')")
        save_plain(folder / "twins.png", "aaaaaa")
        assert "several items" in problems(add())["twins.png"]

    def test_links_are_not_followed(self, add, store, folder, tmp_path):
        outside = tmp_path / "outside"
        outside.mkdir()
        save_plain(outside / "gimlet.png", "00ff00")
        (folder / "gimlet.png").symlink_to(outside / "gimlet.png")
        (folder / "more").symlink_to(outside)
        told = problems(add())
        assert told == dict.fromkeys(
            ["gimlet.png", "more"], "is a link, and links are not followed"
        )
        assert "gimlet" not in shown(store)

    def test_the_file_that_fits_best_wins_and_a_damaged_one_makes_room(self, add, store, folder):
        save_plain(folder / "negroni.jpg", "c1121f", 30, 40)  # its key, to the letter
        (folder / "long" / "gin-and-tonic.png").write_bytes(b"damaged")
        report = add()
        assert shown(store) == {"negroni": (30, 40), "gin-and-tonic": (400, 300)}
        assert report.merged == 1
        assert "from another file" in problems(report)["Negroni.png"]

    @pytest.mark.parametrize(
        ("options", "said"),
        [({"column": "poster"}, "has a column 'poster'"), ({"column": "a\x1b[2Jb"}, "'ab'")],
    )
    def test_a_column_that_nobody_has_is_refused(self, add, options, said):
        with pytest.raises(InputError, match=said):
            add(**options)

    def test_a_folder_without_a_picture_of_an_item_changes_nothing(self, add, store, folder):
        for path in [*folder.rglob("*.png"), *folder.rglob("*.jpg")]:
            path.rename(path.with_stem("holiday"))
        with pytest.raises(InputError, match="holds no picture of a drink"):
            add()
        assert store.rows("SELECT count(*) FROM picture") == [(0,)]

    def test_a_file_in_place_of_the_folder_is_refused(self, store, folder):
        with pytest.raises(InputError, match="is a file, not a folder"):
            folder_import.import_images(
                store,
                BAR,
                folder / "Negroni.png",
                column=None,
                dry_run=False,
                progress=lambda *_: None,
            )


class TestStopped:
    @pytest.fixture
    def stopping(self, monkeypatch):
        """Ctrl+C while the second picture is opened; the first is prepared by then."""
        monkeypatch.setattr(folder_import, "_AT_ONCE", 1)
        opened, real = [], folder_import.open_content

        def open_content(content, name):
            opened.append(name)
            if len(opened) == 2:
                raise KeyboardInterrupt
            return real(content, name)

        monkeypatch.setattr(folder_import, "open_content", open_content)
        return opened

    def test_nothing_counts_before_all_is_ready(self, add, store, stopping):
        with pytest.raises(CutShortError, match="no picture was taken in"):
            add()
        assert shown(store) == {}
        assert thumbnails_by_key(store, BAR, ["negroni", "gin-and-tonic"]) == {}
        assert len(image_hashes(store, prepared=True)) == 1

    def test_the_next_run_goes_on_where_it_stopped(self, add, store, stopping):
        with pytest.raises(CutShortError):
            add()
        assert add().fresh == 2
        assert len(stopping) == 3  # one, the one that was stopped, and that one again
        assert shown(store).keys() == {"negroni", "gin-and-tonic"}
        assert image_hashes(store, prepared=True) == {}


class TestForgetting:
    def test_an_item_goes_with_its_picture_to_the_last_byte(self, add, store, tmp_path):
        add()
        small = thumbnails_by_key(store, BAR, ["negroni"])["negroni"]
        [[mark]] = store.rows(
            "SELECT sha256 FROM picture p JOIN node n USING (node_id) WHERE n.key = 'negroni'"
        )
        store.close()
        receipt = forget(
            tmp_path / "workspace",
            ForgetScope(item="negroni"),
            dry_run=False,
            progress=lambda *_: None,
        )
        assert receipt.rows["picture"] == 1
        assert receipt.found == ()
        left = (tmp_path / "workspace" / "store.duckdb").read_bytes()
        assert small[40:72] not in left
        assert mark.encode() not in left
        with Store.open_(tmp_path / "workspace" / "store.duckdb", read_only=True) as rest:
            assert shown(rest).keys() == {"gin-and-tonic"}

    def test_a_picture_that_waits_goes_too(self, add, store, tmp_path):
        add()
        [[node_id]] = store.rows("SELECT node_id FROM node WHERE key = 'negroni'")
        [row] = store.rows("SELECT * EXCLUDE import_id FROM picture WHERE node_id = ?", [node_id])
        names = folder_import.ItemImage.__struct_fields__
        stage_item_images(store, [folder_import.ItemImage(**dict(zip(names, row, strict=True)))])
        store.close()
        wish = ForgetScope(item="negroni")
        receipt = forget(tmp_path / "workspace", wish, dry_run=True, progress=lambda *_: None)
        assert receipt.rows["picture"] == 2

    def test_receipts_keep_no_names_of_files(self, add, store, folder):
        save_plain(folder / "theodora-on-her-balcony.png", "aaaaaa")
        assert "theodora-on-her-balcony.png" in problems(add())
        [[receipts]] = store.rows("SELECT string_agg(report, ' ') FROM import_receipt")
        assert "theodora" not in receipts
