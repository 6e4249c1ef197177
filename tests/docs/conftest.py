"""The pages, the blocks in them, and a desk with the files that they speak of."""

from __future__ import annotations

import gzip
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from localrec.foundation.settings import Settings, save_settings
from localrec.sources.dataset_catalog import find_dataset

CHECKOUT = Path(__file__).resolve().parents[2]
INPUTS = CHECKOUT / "tests" / "golden" / "inputs"
PAGES = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)

_WINES = """title,variety,country,province,winery,price,points,description
Avidagos 2011,Portuguese Red,Portugal,Douro,Quinta dos Avidagos,15,87,"Ripe and fruity, smooth"
Rainstorm 2013,Pinot Gris,US,Oregon,Rainstorm,14,87,"Tart, with lime and green pineapple"
St. Julian 2013,Riesling,US,Michigan,St. Julian,13,87,"Pineapple rind and lemon pith, crisp"
Sweet Cheeks 2012,Pinot Noir,US,Oregon,Sweet Cheeks,65,87,"Rather rough and tannic"
Tandem 2011,Tempranillo,Spain,Navarra,Tandem,15,87,"Blackberry and raspberry, rustic"
"""
_TITLES = (
    "tconst titleType primaryTitle originalTitle isAdult startYear endYear runtimeMinutes genres",
    "tt0113277 movie Heat Heat 0 1995 \\N 170 Action,Crime,Drama",
    "tt0078748 movie Alien Alien 0 1979 \\N 117 Horror,Sci-Fi",
    "tt0079944 movie Stalker Stalker 0 1979 \\N 162 Drama,Sci-Fi",
)


class Block(NamedTuple):
    """A fenced block of a page: its language, and its lines."""

    language: str
    lines: tuple[str, ...]


def blocks_of(page: Path) -> Iterator[Block]:
    """All fenced blocks of a page."""
    for indent, language, text in BLOCK.findall(page.read_text("utf-8")):
        lines = tuple(line.removeprefix(indent) for line in text.splitlines())
        yield Block(language, lines)


def page_name(page: Path) -> str:
    """A page as tests are named."""
    return str(page.relative_to(CHECKOUT).with_suffix(""))


def write_files(folder: Path) -> None:
    """Write every file that a page speaks of, small."""
    exports = INPUTS / "exports"
    shutil.copy(exports / "cocktails" / "drinks.csv", folder)
    shutil.copy(exports / "goodreads" / "library.csv", folder / "goodreads_library_export.csv")
    shutil.copy(exports / "lastfm" / "plays.csv", folder)
    shutil.copy(INPUTS / "pictures" / "Negroni.png", folder / "drink.jpg")
    letterboxd = exports / "letterboxd" / "letterboxd"
    shutil.make_archive(str(folder / "letterboxd-anna"), "zip", letterboxd)
    (folder / "winemag.csv").write_text(_WINES, "utf-8")
    titles = "\n".join(_TITLES).replace(" ", "\t")
    (folder / "title.basics.tsv.gz").write_bytes(gzip.compress(titles.encode()))
    (folder / "questions.jsonl").write_text('{"id": "a", "query": "a bitter drink with gin"}\n')
    request = '{"id": "r1", "candidates": ["negroni", "mojito"], "history": ["boulevardier"]}\n'
    (folder / "requests.jsonl").write_text(request)
    _write_beauty(folder.parent / "data" / "beauty", folder / "sample.txt")


def _write_beauty(folder: Path, negatives: Path) -> None:
    """Forty users who met ten of 130 things each, and five that each user did not meet."""
    folder.mkdir(parents=True)
    drawn, lines, missed = np.random.default_rng(5), [], []
    for user in range(40):
        # Every thing is met by somebody: user 13 n + m begins with ten things from number 10 m on.
        met = [(10 * user + step) % 130 for step in range(10)]
        lines += [f"u{user}\ti{item}\t{place + 1}" for place, item in enumerate(met)]
        other = drawn.choice([item for item in range(130) if item not in met], 5, replace=False)
        missed.append(" ".join([f"u{user}", *(f"i{item}" for item in other)]))
    head = "user_id:token\titem_id:token\ttimestamp:float"
    (folder / "beauty.inter").write_text("\n".join([head, *lines]) + "\n", "utf-8")
    negatives.write_text("\n".join(missed) + "\n", "utf-8")


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """The folder in which a page's commands run; its workspace is empty and needs no model."""
    folder = tmp_path / "desk"
    folder.mkdir()
    write_files(folder)
    workspace = tmp_path / "workspace"
    workspace.mkdir(mode=0o700)
    save_settings(workspace, Settings(embedder="hashing"))
    monkeypatch.setenv("LOCALREC_WORKSPACE", str(workspace))
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(scope="session")
def require_dataset():
    """Skips a test whose data set was not pulled; fails it where models are required."""
    import os

    from localrec.foundation.paths import pulled

    def check(name: str) -> None:
        files = find_dataset(name).files
        if all((pulled("datasets") / name / file.name).is_file() for file in files):
            return
        reason = f"{name} is not here: localrec datasets pull {name}"
        if os.environ.get("LOCALREC_REQUIRE_MODELS"):
            pytest.fail(reason)
        pytest.skip(reason)

    return check
