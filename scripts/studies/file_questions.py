"""Questions put to public catalogues as a newcomer imports them, judged by the raw files.

Each file goes into a workspace of its own by the commands that a newcomer types (`domains new` and
`import auto`), and is asked five questions. An answer is right where every item of it passes the
labels in the raw file as Python's csv or json reads it, there are as many items as could be (at
most three), and no wish was given up. Where nothing in the file fits, it has to say so.

    python scripts/studies/run.py file_questions --catalogues FOLDER --report
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from findings import Findings, origin_of, say, show_step

from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table

HERE = Path(__file__).resolve().parent
_FIRST = 3
_NAMES = ("name", "title", "names")
_TEST = re.compile(r"(?P<column>\w+) (?P<test>has|in|<=|>=|<|>|=) (?P<wanted>.+)")
_SERIES = re.compile(r"\s*\([^()]*,? #[^()]*\)\s*$")
_PARTED = ("mechanic", "category", "designer", "authors")  # columns of lists with commas

Cells = Mapping[str, tuple[str, ...]]


class FileQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question and the labels of a right answer; see file_questions.toml."""

    ask: str
    must: tuple[str, ...]
    barred: tuple[str, ...] = ()


class AskedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file, the shipped domain that reads it ("" where it gets one of its own), questions."""

    file: str
    questions: tuple[FileQuestion, ...]
    kind: str = ""


class Asked(msgspec.Struct, frozen=True):
    """One answer: the question, what is wrong with it ("" for nothing) and the items."""

    file: str
    ask: str
    fault: str
    items: tuple[str, ...]


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """One run."""

    origin: Origin
    asked: tuple[Asked, ...]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--catalogues", type=Path, required=True, help="folder of the files")
    parser.add_argument("--only", default="", help="only this file's questions")


def measure(asked: argparse.Namespace) -> Findings:
    """Import, ask and judge; the exit code is 0 when every answer is right."""
    files = msgspec.convert(
        tomllib.loads((HERE / "file_questions.toml").read_text("utf-8")), dict[str, AskedFile]
    )
    verdicts: list[Asked] = []
    for done, (name, one) in enumerate(files.items()):
        if asked.only in ("", name):
            show_step("files", done + 1, len(files))
            verdicts += ask_file(name, one, asked.catalogues / one.file)
    for verdict in verdicts:
        if verdict.fault:
            say(f"\n{verdict.file}: {verdict.ask}\n   {verdict.fault}; {list(verdict.items)}")
    figures = Figures(
        origin=origin_of("file_questions", "--catalogues FOLDER"), asked=tuple(verdicts)
    )
    return Findings(
        text=as_markdown(figures),
        page="files",
        block="file-questions",
        figures=figures,
        exit_code=int(any(one.fault for one in verdicts)),
    )


def ask_file(name: str, one: AskedFile, path: Path) -> list[Asked]:
    """Import one file as a newcomer does and judge the answers to its questions."""
    records = read_records(path)
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        # Vectors by spelling are complete at once: what is asked here needs no others.
        (workspace / "settings.toml").write_text('embedder = "hashing"\n', encoding="utf-8")
        if one.kind:
            run(workspace, "import", "auto", str(path))
        else:
            run(workspace, "domains", "new", name, "--from", str(path), "--yes")
            run(workspace, "import", "auto", str(path), "--domain", name)
        lines = [json.dumps({"id": n, "query": q.ask}) for n, q in enumerate(one.questions)]
        told = run(workspace, "ask", "--batch", "-", "--out", "-", given="\n".join(lines) + "\n")
    answers = [json.loads(line) for line in told.splitlines() if line.strip()]
    return [
        Asked(
            file=one.file,
            ask=question.ask,
            fault=fault_of(question, answer, records),
            items=tuple(item["name"] for item in answer["items"]),
        )
        for question, answer in zip(one.questions, answers, strict=True)
    ]


def run(workspace: Path, *arguments: str, given: str = "") -> str:
    """What a command of localrec prints."""
    finished = subprocess.run(
        [sys.executable, "-m", "localrec", "--workspace", str(workspace), *arguments],
        input=given,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "LOCALREC_LEARN": "off"},
        check=False,
    )
    if finished.returncode:
        raise RuntimeError(f"localrec {' '.join(arguments)}: {finished.stderr}")
    return finished.stdout


def read_records(path: Path) -> list[Cells]:
    """The things of a file as csv or json finds them; rows of one name in a long table are one."""
    if path.is_dir():
        found = sorted(path.glob("**/data.json"))
        return [_flat(json.loads(file.read_text("utf-8"))) for file in found]
    if path.suffix == ".json":
        return [_flat(one) for one in json.loads(path.read_text("utf-8"))]
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, restval=""))
    records = [_cells(row) for row in rows]
    if "ingredient_number" not in rows[0]:
        return records
    gathered: dict[str, dict[str, tuple[str, ...]]] = defaultdict(lambda: defaultdict(tuple))
    for record in records:
        for column, names in record.items():
            gathered[record["name"][0]][column] += names
    return list(gathered.values())


def _cells(row: Mapping[str, str]) -> Cells:
    return {
        column: tuple(cell.split(", ")) if column in _PARTED else (cell,)
        for column, cell in row.items()
    }


def _flat(record: Mapping[str, Any]) -> Cells:
    """A drink of JSON with the names of its ingredients."""
    parts = [
        " ".join(
            str(part[key]) for key in ("label", "ingredient", "special", "name") if key in part
        )
        for part in record["ingredients"]
    ]
    plain = {name: (str(value),) for name, value in record.items() if isinstance(value, str)}
    return {**plain, "ingredients": tuple(parts), "tags": tuple(record.get("tags", ()))}


def fault_of(question: FileQuestion, answer: Mapping[str, Any], records: list[Cells]) -> str:
    """What is wrong with an answer; "" for nothing."""
    fitting = {name_of(one) for one in records if passes(question, one)}
    items = [item["name"] for item in answer["items"] if item["satisfies"]]
    if not fitting:
        return "" if answer["relaxed"] or not items else f"nothing fits, and it gave {items}"
    wrong = [name for name in items if plain(name) not in fitting]
    if wrong:
        return f"does not fit: {wrong}"
    if answer["relaxed"]:
        return f"gave up {answer['relaxed']}"
    if len(items) < min(_FIRST, len(fitting)):
        return f"{len(items)} of {len(fitting)} that fit"
    return ""


def name_of(record: Cells) -> str:
    """What a thing is called, without its series and the signs that a reader takes away."""
    name = next(record[column][0] for column in _NAMES if column in record)
    return plain(_SERIES.sub("", name))


def passes(question: FileQuestion, record: Cells) -> bool:
    """Whether a thing passes every label."""
    return all(holds(one, record) for one in question.must) and not any(
        holds(one, record) for one in question.barred
    )


def holds(label: str, record: Cells) -> bool:
    """Whether one label is true of a thing."""
    told = _TEST.fullmatch(label)
    if told is None:
        raise ValueError(label)
    cells = [plain(cell) for cell in record.get(told["column"], ())]
    if told["test"] in ("has", "in"):
        wanted = [plain(word) for word in told["wanted"].split(" | ")]
        if told["test"] == "in":
            return any(cell in wanted for cell in cells)
        return any(f" {word} " in f" {cell} " for cell in cells for word in wanted)
    numbers = _numbers(cells)
    bound = float(told["wanted"])
    compared = {
        "<": lambda one: one < bound,
        ">": lambda one: one > bound,
        "<=": lambda one: one <= bound,
        ">=": lambda one: one >= bound,
        "=": lambda one: one == bound,
    }
    return any(compared[told["test"]](one) for one in numbers)


def _numbers(cells: Iterable[str]) -> list[float]:
    return [float(cell) for cell in cells if re.fullmatch(r"-?\d+(?:\.\d+)?", cell)]


def plain(text: str) -> str:
    """A text in small letters, without accents, with single spaces and no signs at its ends."""
    apart = unicodedata.normalize("NFKD", text.replace("’", "'"))
    bare = "".join(sign for sign in apart if not unicodedata.combining(sign))
    return " ".join(re.sub(r"(?<!\d),|[()\"]", " ", bare).casefold().split()).strip(" ,;:")


def as_markdown(figures: Figures) -> str:
    """Files and how many of their questions were answered rightly."""
    rows: list[Sequence[str]] = []
    for file in dict.fromkeys(one.file for one in figures.asked):
        mine = [one for one in figures.asked if one.file == file]
        rows.append((f"`{file}`", str(len(mine)), str(sum(not one.fault for one in mine))))
    right = sum(not one.fault for one in figures.asked)
    rows.append(("all", str(len(figures.asked)), str(right)))
    table = markdown_table(["file", "questions", "answered rightly"], rows)
    return f"{table}\n\nMade by {figures.origin.as_text()}"
