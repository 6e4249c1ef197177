"""Without the domain packs localrec serves films and books as before, and knows no drinks."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.sources.exports_of_every_kind import write_goodreads, write_movielens

CHECKOUT = Path(__file__).resolve().parents[2]
# One interpreter for all commands: each line of its output is [exit code, output, complaints].
RUN_ALL = """
import contextlib, io, json, sys
from localrec.cli.app import run
for arguments in json.load(sys.stdin):
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in "oe")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(arguments)
    print(json.dumps([code, *(one.buffer.getvalue().decode() for one in (out, err))]))
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout without the packs and without what registers them."""
    folder = tmp_path_factory.mktemp("bare")
    ignored = shutil.ignore_patterns("__pycache__", "packs")
    shutil.copytree(CHECKOUT / "localrec", folder / "localrec", ignore=ignored)
    for data in ("datasets", "models"):
        (folder / data).symlink_to(CHECKOUT / data)
    project = (CHECKOUT / "pyproject.toml").read_text(encoding="utf-8")
    kept = re.sub(r"^\w+ = \"localrec\.packs\..*\n", "", project, flags=re.MULTILINE)
    assert kept.count("\n") == project.count("\n") - 6
    (folder / "pyproject.toml").write_text(kept, encoding="utf-8")
    return folder


def run_all(checkout: Path, *commands: tuple[object, ...]) -> list[tuple[int, str, str]]:
    """Run command lines with the localrec of a checkout."""
    finished = subprocess.run(
        [sys.executable, "-c", RUN_ALL],
        input=json.dumps([[str(part) for part in command] for command in commands]),
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return [tuple(json.loads(line)) for line in finished.stdout.splitlines()]


def names_in(answer: str) -> set[str]:
    told: Any = json.loads(answer)
    return {item["name"] for item in (told["items"] if isinstance(told, dict) else told)}


def test_films_and_books_import_ask_and_recommend(bare: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "settings.toml").write_text('embedder = "hashing"\n', encoding="utf-8")
    place = ("--workspace", home)
    ended = run_all(
        bare,
        ("import", "movielens", write_movielens(tmp_path), *place),
        ("import", "goodreads", write_goodreads(tmp_path), "--user", "anna", *place),
        ("--json", "ask", "a crime film", "--domain", "movies", *place),
        ("--json", "ask", "a novel like Dune", "--domain", "books", *place),
        ("--json", "recommend", "--user", "2", "--domain", "movies", *place),
        ("--json", "recommend", "--user", "anna", "--domain", "books", *place),
    )
    assert [code for code, _, _ in ended] == [0] * 6, ended
    crime, like_dune, films, books = (out for _, out, _ in ended[2:])
    assert names_in(crime) == {"Heat"}
    assert names_in(like_dune) == {"Emma"}
    assert "Alien" in films
    assert json.loads(books) is not None


def test_drinks_are_unknown(bare: Path, tmp_path: Path) -> None:
    lost = ("--workspace", tmp_path / "home")
    imported, domain = run_all(
        bare,
        ("import", "cocktails", "drinks.csv", *lost),
        ("import", "movielens", write_movielens(tmp_path), "--domain", "cocktails", *lost),
    )
    assert imported[0] == domain[0] == 1
    assert "There is no source named 'cocktails'. Known: goodreads," in imported[2]
    assert "There is no domain named 'cocktails'. Known: anime, boardgames, books," in domain[2]
