"""What commands print with --json, and the files they read, fit the schema that is documented."""

from __future__ import annotations

import json

import pytest

from .conftest import CHECKOUT

jsonschema = pytest.importorskip("jsonschema")


@pytest.fixture(scope="module")
def fits():
    """Checks a document against what the schema says of a command."""
    import sys

    sys.path.insert(0, str(CHECKOUT / "scripts"))
    from json_schemas import FILE, schema_of, schema_text

    sys.path.pop(0)
    assert (CHECKOUT / "docs" / "schemas" / FILE).read_text("utf-8") == schema_text()

    def check(name, document):
        jsonschema.Draft202012Validator(schema_of(name)).validate(document)

    return check


@pytest.fixture
def printed(cli, desk):
    """What a command prints with --json, which must end well or with the code given."""

    def call(*words, code=0):
        done = cli(*words, "--json")
        assert done.code == code, done.err
        return json.loads(done.out)

    return call


def test_documents_of_the_commands_fit(printed, fits, cli, desk):
    fits("datasets pull", printed("datasets", "pull", "cocktails"))
    said = printed("feedback", "--user", "anna", "--item", "Negroni", "--rating", "5")
    fits("feedback", said["said"])
    for words in (
        ["a smoky drink without whiskey"],
        ["a unicorn", "--user", "anna"],
        ["bitter", "--explain"],
    ):
        fits("ask", printed("ask", *words))
    fits("recommend", printed("recommend", "--user", "anna", "-k", "3", "--explain"))
    fits("shelf show", printed("shelf", "show", "--have", "gin, campari, sweet vermouth"))
    fits("import", printed("import", "cocktails", "drinks.csv", "--dry-run"))
    fits("sql", printed("sql", "select item, stars from interactions"))
    fits("export", printed("export", "--user", "anna", "--out", "anna.csv"))
    fits("forget", printed("forget", "--user", "anna", "--dry-run"))
    fits("forget", printed("forget", "--user", "anna", "--yes"))
    done = cli("doctor", "--json")
    fits("doctor", json.loads(done.out))


def test_batches_and_their_lines_fit(printed, fits, desk):
    printed("datasets", "pull", "cocktails")
    fits("rank --batch", printed("rank", "--batch", "requests.jsonl", "--out", "ranked.jsonl"))
    fits("rank --batch", printed("ask", "--batch", "questions.jsonl", "--out", "answers.jsonl"))
    fits("rank", json.loads((desk / "ranked.jsonl").read_text("utf-8").splitlines()[0]))
    fits("ask", json.loads((desk / "answers.jsonl").read_text("utf-8").splitlines()[0]))
    fits("requests", json.loads((desk / "requests.jsonl").read_text("utf-8")))
    fits("questions", json.loads((desk / "questions.jsonl").read_text("utf-8")))


def test_a_run_and_its_comparison_fit(printed, fits):
    run = printed(
        "evaluate", "run", "../data/beauty", "--system", "popularity", "--system", "random"
    )
    fits("evaluate run", run)
    name = "beauty-full"
    compared = printed("evaluate", "compare", f"{name}:popularity", f"{name}:random")
    fits("evaluate compare", compared)


def test_a_document_of_another_shape_does_not_fit(fits):
    with pytest.raises(jsonschema.ValidationError):
        fits("ask", {"id": 1, "items": "none"})
