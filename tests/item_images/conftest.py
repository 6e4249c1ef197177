"""The planted bar and a folder of pictures, some of them of its drinks."""

import pytest

from localrec.item_images.folder_import import import_images
from tests.images.pictures import save_plain
from tests.planted import BAR, planted_store


@pytest.fixture
def store(tmp_path):
    with planted_store(tmp_path / "workspace") as opened:
        yield opened


@pytest.fixture
def folder(tmp_path):
    """Two drinks by their names, one of them in a folder of its own."""
    folder = tmp_path / "pictures"
    (folder / "long").mkdir(parents=True)
    save_plain(folder / "Negroni.png", "c1121f")
    save_plain(folder / "long" / "GIN and_tonic.jpg", "e2e2e0", 400, 300)
    return folder


@pytest.fixture
def add(store, folder):
    """Takes the folder in: `add(column="photo")`."""

    def take(**options):
        asked = {"column": None, "dry_run": False, "progress": lambda *_: None} | options
        return import_images(store, BAR, folder, **asked)

    return take
