"""Users with planted words in every kind of data, forgotten in random order with work in between.

Each user has a word that occurs nowhere else: in their key, a film that only they brought, a
review, a reason, a memory, a line of a run, the name of a file in `runs/`, and copies of the store.
After each forgetting every byte below the workspace and the temporary folder is searched for the
words of all who were forgotten, and every value of the store is read as text. Those who stay must
still have all of theirs.

    python scripts/studies/run.py forgetting --users 100 --report
    python scripts/studies/run.py forgetting --users 5
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import string
import tempfile
import time
from collections import Counter
from pathlib import Path

import duckdb
import msgspec
from findings import Findings, origin_of
from store_walk import WorkspaceWalk
from walk_model import Step, stored

from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table

_BOOKS = (
    "Book Id,Title,Author,ISBN,ISBN13,My Rating,Original Publication Year,Date Read,Date Added,"
    "Exclusive Shelf,My Review\n"
)


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """One run.

    Args:
        origin: How it came about.
        users: How many were forgotten.
        bytes_read: How many bytes were searched, over all forgettings.
        values_read: How many rows of the store were read as text.
        found: Places in which a word of somebody forgotten was found.
        missing: Users who had not been forgotten and lacked something.
        slowest_s: Seconds of the slowest forgetting.
    """

    origin: Origin
    users: int
    bytes_read: int
    values_read: int
    found: list[str]
    missing: list[str]
    slowest_s: float


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--users", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)


def measure(asked: argparse.Namespace) -> Findings:
    """Plant, forget, and search."""
    os.environ["LOCALREC_LEARN"] = "off"
    walk = WorkspaceWalk()
    temporary = walk.home / "temporary"
    temporary.mkdir()
    before, tempfile.tempdir = tempfile.tempdir, str(temporary)
    try:
        figures = _measure(walk, asked.users, asked.seed)
    finally:
        tempfile.tempdir = before
        walk.teardown()
    return Findings(
        text=_text(figures),
        page="../reliability",
        block="forgetting",
        figures=figures,
        exit_code=int(bool(figures.found or figures.missing)),
    )


def _measure(walk: WorkspaceWalk, users: int, seed: int) -> Figures:
    draw = random.Random(seed)
    words = ["".join(draw.choices(string.ascii_lowercase, k=12)) for _ in range(users)]
    walk.folder.mkdir(mode=0o700)
    (walk.folder / "settings.toml").write_text(walk.model.settings, encoding="utf-8")
    drinks = Step("drinks", names=("Negroni", "Gimlet"))
    walk._do(drinks, *walk._expected(drinks))
    for word in words:
        _plant(walk, word)
    order = draw.sample(words, len(words))
    found, missing, times, read, values = [], [], [], 0, 0
    for number, word in enumerate(order):
        _work(walk, draw.choice(order[number:]), draw)
        began = time.monotonic()
        code = walk._run("forget", "--user", word, "--yes")
        times.append(time.monotonic() - began)
        if code:
            found.append(f"forget exits with {code}: {walk.told}")
        gone, here = order[: number + 1], order[number + 1 :]
        size, hits = _search(walk.home, gone)
        read, found = read + size, [*found, *hits]
        rows, hits = _read_values(walk.folder, gone)
        values, found = values + rows, [*found, *hits]
        missing += _incomplete(walk.folder, here)
    return Figures(
        origin=origin_of("forgetting", f"--users {users} --seed {seed}"),
        users=users,
        bytes_read=read,
        values_read=values,
        found=sorted(set(found))[:20],
        missing=sorted(set(missing))[:20],
        slowest_s=round(max(times), 2),
    )


def _plant(walk: WorkspaceWalk, word: str) -> None:
    """Put a word wherever a user's data may lie."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        films = folder / "films"
        films.mkdir()
        (films / "ratings.csv").write_text(
            "Date,Name,Year,Letterboxd URI,Rating\n"
            f"2024-05-01,The {word} Affair,1995,https://boxd.it/{word},4\n"
            "2024-05-01,Heat,1995,https://boxd.it/heat,4\n"
        )
        books = folder / "books.csv"
        review = f"As {word} as can be"
        books.write_text(
            f"{_BOOKS}1,Dune,Frank Herbert,,,4,1965,2020/01/02,2020/01/01,read,{review}\n"
        )
        lines = (
            ("import", "letterboxd", str(films), "--user", word),
            ("import", "goodreads", str(books), "--user", word),
            *(
                ("feedback", "--user", word, "--item", "Negroni", verdict, "--reason", f"{word}!")
                for verdict in ("--like", "--seen")
            ),
            ("shelf", "add", "--user", word, "gin"),
            (
                *("memory", "edit", "--user", word, "--domain", "movies"),
                *("--text", f"Thinks of {word} in films."),
            ),
        )
        for line in lines:
            code = walk._run(*line)
            assert code == 0, f"{line} exits with {code}: {walk.told}"
    runs = walk.folder / "runs" / "asked"
    runs.mkdir(parents=True, exist_ok=True)
    with (runs / "answers.jsonl").open("a", encoding="utf-8") as file:
        file.write(f'{{"id": "1", "user": "{word}"}}\n')
    (runs / f"{word}.md").write_text("a report\n")


def _work(walk: WorkspaceWalk, user: str, draw: random.Random) -> None:
    """Something that others do in between, caches and copies included."""
    backup = str(walk.home / "backup.zip")
    lines = draw.choice(
        (
            [("recommend", "--user", user, "--domain", "movies")],
            [("ask", "something with gin", "--user", user, "--no-model")],
            [("memory", "run", "--no-model")],
            [("backup", backup, "--force"), ("restore", backup, "--yes")],
            [("export", "--user", user, "--domain", "books", "--out", str(walk.home / "h.csv"))],
        )
    )
    for line in lines:
        code = walk._run(*line)
        assert code == 0, f"{line} exits with {code}: {walk.told}"
    for outside in (
        Path(backup),
        walk.home / "h.csv",
    ):  # the user's own, which forget never reaches
        outside.unlink(missing_ok=True)


def _search(home: Path, gone: list[str]) -> tuple[int, list[str]]:
    """Bytes read, and files whose bytes or names hold a word."""
    size, found = 0, []
    for path in home.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        size += len(content)
        found += [
            f"{path.name} holds a word of somebody forgotten"
            for word in gone
            if word.encode() in content or word.encode("utf-16-le") in content or word in str(path)
        ]
    return size, found


def _read_values(folder: Path, gone: list[str]) -> tuple[int, list[str]]:
    """Rows read, and tables in which a value holds a word: DuckDB's bytes are compressed."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as place:
        shutil.copy(folder / "store.duckdb", place)
        connection = duckdb.connect(str(Path(place) / "store.duckdb"), read_only=True)
        names = [
            n for (n,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        ]
        rows, found = 0, []
        for name in names:
            for row in connection.execute(f'SELECT "{name}"::VARCHAR FROM "{name}"').fetchall():
                rows += 1
                found += [f"a row of {name}" for word in gone if word in row[0]]
        connection.close()
    return rows, found


def _incomplete(folder: Path, users: list[str]) -> list[str]:
    """Users who were not forgotten and lack something that was planted."""
    shape = stored(folder)
    rows = Counter(row[1] for row in shape["said"].elements())  # type: ignore[attr-defined]
    pinned = str(shape["pinned"])
    runs = folder / "runs" / "asked"
    answers = (runs / "answers.jsonl").read_text(encoding="utf-8")
    return [
        word
        for word in users
        if not (
            rows[word] == 5
            and (word, "gin") in shape["shelves"]  # type: ignore[operator]
            and word in pinned
            and word in answers
            and (runs / f"{word}.md").is_file()
        )
    ]


def _text(figures: Figures) -> str:
    rows = [
        ["users forgotten, one by one", f"{figures.users:,}"],
        ["bytes searched", f"{figures.bytes_read:,}"],
        ["rows of the store read as text", f"{figures.values_read:,}"],
        ["traces found", f"{len(figures.found):,}"],
        ["users who lost something without being forgotten", f"{len(figures.missing):,}"],
        ["seconds of the slowest forgetting", f"{figures.slowest_s:g}"],
    ]
    table = markdown_table(["what", "count"], rows)
    harm = "".join(f"\n- {one}" for one in (*figures.found, *figures.missing))
    return f"{table}{harm}\n\nMade by {figures.origin.as_text()}"
