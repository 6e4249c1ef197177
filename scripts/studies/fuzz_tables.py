"""Mutated catalogues against the importer: no traceback, and no row lost without a word.

Slices of real catalogues are mutated (flipped and missing bytes, cut tails, loose quotes, other
delimiters and encodings, cells with `none` and numbers without end) and read into the domain that
is proposed for them. Each file is read or refused in a sentence; of one that is read, rows read are
kept, merged or dropped, and as many as Python's csv finds where no quote is broken.

    python scripts/studies/run.py fuzz_tables --count 10000 --report
    python scripts/studies/run.py fuzz_tables --count 300 --seed 2
"""

from __future__ import annotations

import argparse
import csv
import io
import random
import tempfile
import traceback
from collections import Counter
from pathlib import Path

import msgspec
from findings import Findings, origin_of, say

from localrec.data.rows import ImportReport
from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.foundation.bounded_files import FileLimits, detect_encoding
from localrec.foundation.errors import LocalrecError
from localrec.sources import read_export
from localrec.sources.catalogues.proposal import propose_domain
from localrec.sources.catalogues.records import open_records

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "catalogues"
_LINES = 40  # of each real file
_CELLS = (b"none", b"NaN", b"[none, 'x']", b"\\N", b"9" * 400, b"-1", b"1e999", b"\x1b[2J", b"")
_SMALL = "name,style,abv\nPub Beer,Lager,0.05\nDevil,IPA,0.06\nRise,IPA,0.07\nOat,Stout,0.09\n"


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """One run.

    Args:
        origin: How it came about.
        outcomes: How many files were read and refused, and what else happened.
        rows: Rows read, kept, merged and dropped, over all files that were read.
        harmful: Number and outcome of each file that was neither read rightly nor refused.
    """

    origin: Origin
    outcomes: dict[str, int]
    rows: dict[str, int]
    harmful: list[tuple[int, str]]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--catalogues", type=Path, default=FOLDER, help="folder of real files")


def measure(asked: argparse.Namespace) -> Findings:
    """Fuzz; the exit code is 0 when every file was read without loss or refused."""
    figures = fuzz(asked.count, asked.seed, asked.catalogues)
    for number, outcome in figures.harmful[:20]:
        say(f"file {number}: {outcome}")
    return Findings(
        text=as_markdown(figures),
        page="files",
        block="tables-fuzz",
        figures=figures,
        exit_code=1 if figures.harmful else 0,
    )


def fuzz(count: int, seed: int, catalogues: Path = FOLDER) -> Figures:
    """Read one mutated file after another and count what came of it."""
    drawn = random.Random(seed)
    sound = sound_files(catalogues)
    outcomes: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    harmful: list[tuple[int, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        for number in range(count):
            path.write_bytes(mutated(drawn.choice(sound), drawn))
            outcome, report = read(path)
            outcomes[outcome.partition(":")[0]] += 1
            if report is not None:
                rows.update(
                    read=report.read,
                    kept=report.kept,
                    merged=report.merged,
                    dropped=report.dropped,
                )
            if outcome not in ("read", "refused"):
                harmful.append((number, outcome))
    return Figures(
        origin=origin_of("fuzz_tables", f"--count {count} --seed {seed}"),
        outcomes=dict(outcomes.most_common()),
        rows=dict(rows),
        harmful=harmful,
    )


def read(path: Path) -> tuple[str, ImportReport | None]:
    """What came of one file, and its receipt where it was read."""
    try:
        domain = propose_domain("things", open_records(path)).domain
        report = read_export("catalogue", path, domain).report
    except LocalrecError:
        return "refused", None
    except Exception:  # noqa: BLE001  # the very thing that is looked for
        return f"raised: {traceback.format_exc(limit=-2)}", None
    if report.read != report.kept + report.merged + report.dropped:
        return f"lost rows: {report}", report
    found = records_in(path)
    is_cut = any("never closed" in one.problem for one in report.problems)
    titles = sum("stands above the header" in one.problem for one in report.problems)
    headless = sum("is no header" in one.problem for one in report.problems)
    if found is not None and not is_cut and found + headless != report.read + titles:
        return f"lost rows: {report.read} of {found}", report
    return "read", report


def records_in(path: Path) -> int | None:
    """Records behind the header as Python's csv finds them; None where that is no judge."""
    encoding = detect_encoding(path, FileLimits())
    text = path.read_bytes().decode(encoding).replace("\0", "").lstrip("\ufeff \t\r\n")
    if text.startswith(("[", "{")):
        return None
    text = path.read_bytes().decode(encoding).replace("\0", "").removeprefix("\ufeff")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n").split("\n")
    if lines[0].count('"') % 2:
        return None  # csv takes the rest of the file for the header
    told = []
    for delimiter in (",", "\t", ";", "|"):
        try:
            cut = list(csv.reader(io.StringIO("\n".join(lines)), delimiter=delimiter))
        except csv.Error:
            return None
        told.append(sum(bool(one) and any(map(str.strip, one)) for one in cut[1:]))
    # Whichever delimiter was taken: where they differ on the count, csv is no judge.
    return told[0] if len(set(told)) == 1 else None


def mutated(content: bytes, drawn: random.Random) -> bytes:
    """A file with one to six changes."""
    for _ in range(drawn.randint(1, 6)):
        content = drawn.choice(_MUTATIONS)(content, drawn) or content
    return content


def _flip(content: bytes, drawn: random.Random) -> bytes:
    place = drawn.randrange(len(content))
    return content[:place] + bytes([drawn.randrange(256)]) + content[place + 1 :]


def _cut(content: bytes, drawn: random.Random) -> bytes:
    return content[: drawn.randrange(1, len(content) + 1)]


def _gap(content: bytes, drawn: random.Random) -> bytes:
    place = drawn.randrange(len(content))
    return content[:place] + content[place + drawn.randint(1, 40) :]


def _quote(content: bytes, drawn: random.Random) -> bytes:
    place = drawn.randrange(len(content))
    return content[:place] + drawn.choice((b'"', b"'", b'""', b'",', b"\\")) + content[place:]


def _cell(content: bytes, drawn: random.Random) -> bytes:
    cells = content.split(b",")
    cells[drawn.randrange(len(cells))] = drawn.choice(_CELLS)
    return b",".join(cells)


def _delimiter(content: bytes, drawn: random.Random) -> bytes:
    return content.replace(b",", drawn.choice((b";", b"\t", b"|", b",,")))


def _encoding(content: bytes, drawn: random.Random) -> bytes:
    text = content.decode("utf-8", errors="replace")
    return text.encode(drawn.choice(("utf-16", "latin-1", "cp1252", "utf-8-sig")), "replace")


def _lines(content: bytes, drawn: random.Random) -> bytes:
    lines = content.split(b"\n")
    place = drawn.randrange(len(lines))
    return b"\n".join([*lines[:place], lines[place], b"", *lines[drawn.randrange(len(lines)) :]])


_MUTATIONS = (_flip, _cut, _gap, _quote, _cell, _delimiter, _encoding, _lines)


def sound_files(catalogues: Path) -> list[bytes]:
    """The first lines of every real catalogue in a folder, and a small one."""
    found = [_SMALL.encode()]
    for path in sorted(catalogues.glob("*.csv")):
        found.append(b"\n".join(path.read_bytes().split(b"\n")[:_LINES]))
    for path in sorted(catalogues.glob("*.json")):
        records = msgspec.json.decode(path.read_bytes())
        found.append(msgspec.json.encode(records[:_LINES]))
    return found


def as_markdown(figures: Figures) -> str:
    """The figures as a table, with where they come from."""
    count = sum(figures.outcomes.values())
    rows = [[f"files {how}", f"{times:,}", ""] for how, times in figures.outcomes.items()]
    rows.append(["files that raised or lost rows", f"{len(figures.harmful):,}", "0"])
    rows += [[f"rows {what}", f"{times:,}", ""] for what, times in figures.rows.items()]
    table = markdown_table([f"{count:,} mutated files", "measured", "wanted"], rows)
    return f"{table}\n\nMade by {figures.origin.as_text()}"
