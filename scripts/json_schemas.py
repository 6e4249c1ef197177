"""The JSON of the commands as a JSON Schema, and the page that tells about it.

What a command prints with `--json` is a record of the code; its schema is made of it. A test runs
the commands and holds what they print against the schema.
"""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

import msgspec
from record_tables import markdown_table

from localrec.data.answers import Answer
from localrec.data.questions import Question, RankRequest
from localrec.data.recommendations import Ranking, Recommendations
from localrec.data.rows import ImportReport
from localrec.evaluation.comparisons import SystemComparison
from localrec.evaluation.run_folder import RunMetrics
from localrec.export.records import ExportReport
from localrec.graph.interactions import FeedbackRecord
from localrec.privacy.forget import ForgetReceipt
from localrec.retrieval.shelf import ShelfReport
from localrec.workspace.batch_runs import BatchSummary
from localrec.workspace.doctor_store import CheckResult

VERSION = 1
FILE = f"localrec-{VERSION}.json"

# What is printed -> its type, and what it is in words.
PRINTED: dict[str, tuple[Any, str]] = {
    "ask": (Answer, "one answer; a line of `ask --batch`, too"),
    "recommend": (Recommendations, "one list"),
    "rank": (Ranking, "a line of `rank --batch`"),
    "rank --batch": (BatchSummary, "the sum of a batch; `ask --batch`, too"),
    "shelf show": (ShelfReport, "what can be made, and what to get next"),
    "import": (ImportReport, "the receipt"),
    "datasets pull": (ImportReport, "the receipt"),
    "feedback": (FeedbackRecord, "under `said`, beside `undone` and `domain`"),
    "export": (ExportReport, "what was written"),
    "forget": (ForgetReceipt, "the receipt, or with `--dry-run` the preview"),
    "evaluate run": (RunMetrics, "every figure of the run"),
    "evaluate compare": (list[SystemComparison], "one for each metric"),
    "doctor": (list[CheckResult], "one for each thing looked at"),
    "sql": (list[dict[str, Any]], "one object a row"),
}
READ: dict[str, tuple[Any, str]] = {
    "questions": (Question, "a line of the file of `ask --batch`"),
    "requests": (RankRequest, "a line of the file of `rank --batch`"),
}


def schema_document() -> dict[str, Any]:
    """One JSON Schema: `$defs` holds every record, `properties` what each command prints."""
    named = {**PRINTED, **READ}
    schemas, parts = msgspec.json.schema_components(
        [one for one, _ in named.values()], ref_template="#/$defs/{name}"
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"JSON of localrec's commands, version {VERSION}",
        "type": "object",
        "properties": dict(zip(named, schemas, strict=True)),
        "$defs": {name: _with_clean_text(one) for name, one in sorted(parts.items())},
    }


def _with_clean_text(part: dict[str, Any]) -> dict[str, Any]:
    """A part without the indent of its docstring, which msgspec keeps before 0.23."""
    told = part.get("description")
    return {**part, "description": cleandoc(told)} if told else part


def schema_text() -> str:
    """The document as a file."""
    return msgspec.json.format(msgspec.json.encode(schema_document()), indent=1).decode() + "\n"


def schema_of(name: str) -> dict[str, Any]:
    """The schema of what one command prints, or of a line that one reads."""
    document = schema_document()
    return {**document["properties"][name], "$defs": document["$defs"]}


def json_page() -> str:
    """The page of the documentation."""
    return _PAGE.format(
        version=VERSION,
        file=FILE,
        printed=_table(PRINTED, "command"),
        read=_table(READ, "file"),
        ask=_fields(Answer),
        recommend=_fields(Recommendations),
    )


def _table(named: dict[str, tuple[Any, str]], head: str) -> str:
    rows = [(f"`{name}`", _type_name(one), about) for name, (one, about) in named.items()]
    return markdown_table((head, "record", "what"), rows).rstrip()


def _type_name(one: Any) -> str:
    if isinstance(one, type):
        return f"`{one.__name__}`"
    [inner] = one.__args__
    return f"list of `{getattr(inner, '__name__', 'object')}`" if inner in _RECORDS else "list"


_RECORDS = (SystemComparison, CheckResult)


def _fields(record: type[msgspec.Struct]) -> str:
    """The names of a record's fields, and which may be missing."""
    needed = {one.encode_name for one in msgspec.structs.fields(record) if one.required}
    names = [one.encode_name for one in msgspec.structs.fields(record)]
    always = ", ".join(f"`{name}`" for name in names if name in needed)
    rest = ", ".join(f"`{name}`" for name in names if name not in needed)
    return (
        f"always {always}; where there is something to say {rest}" if rest else f"always {always}"
    )


_PAGE = """# JSON

Every command takes `--json` and then prints one JSON document on stdout and nothing else; errors
stay sentences on stderr, with the [exit codes](cli.md#exit-codes). The shapes of this page are
version {version}, and [schemas/{file}](schemas/{file}) is their JSON Schema (draft 2020-12).

While the version stays, no field goes away and none changes its meaning. New fields may come, so a
reader should pass over those it does not know. Fields at their defaults may be left out.

## What commands print

{printed}

A command that is not listed prints an object or a list too, whose shape may change.

`ask` prints {ask}.

`recommend` prints {recommend}.

## What commands read

{read}
"""
