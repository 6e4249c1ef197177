"""`localrec sql`: documented views, for reading only, in a terminal, a pipe and as JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from localrec.graph.views import VIEWS

_PAGE = Path(__file__).parents[2] / "docs" / "sql.md"


def rows_of(outcome):
    assert outcome.code == 0, outcome.err
    return list(csv.reader(io.StringIO(outcome.out)))


def test_views_show_what_was_imported_and_rated(own_workspace, cli):
    place = ("--workspace", own_workspace)
    [[_], [name]] = rows_of(cli("sql", "select name from items order by name limit 1", *place))
    cli("feedback", "--user", "anna", "--item", name, "--rating", "4.5", *place)
    told = rows_of(cli("sql", 'select "user", item, stars, source from interactions', *place))
    assert told == [["user", "item", "stars", "source"], ["anna", name, "4.5", "feedback"]]
    kinds = rows_of(cli("sql", "select distinct kind from attributes order by 1", *place))
    assert ["ingredient"] in kinds


def test_json_is_one_object_a_row(own_workspace, cli):
    told = cli("sql", "select 1 as one, 'x' as letter", "--json", "--workspace", own_workspace)
    assert json.loads(told.out) == [{"one": 1, "letter": "x"}]


@pytest.mark.parametrize(
    "query",
    [
        "delete from node",
        "create table mine as select 1",
        "copy (select 1) to 'out.csv'",
        "select * from read_csv('/etc/passwd')",
        "attach 'other.duckdb'",
        "set enable_external_access = true",
        "selct 1",
    ],
)
def test_a_query_that_would_reach_further_is_refused_in_a_sentence(own_workspace, cli, query):
    before = (own_workspace / "store.duckdb").read_bytes()
    told = cli("sql", query, "--workspace", own_workspace)
    assert told.code == 1 and "Traceback" not in told.err and "Views: items" in told.err
    assert (own_workspace / "store.duckdb").read_bytes() == before


def test_a_text_that_a_spreadsheet_would_run_gets_an_apostrophe(own_workspace, cli):
    told = cli("sql", "select '=1+1' as a, -3 as b", "--workspace", own_workspace)
    assert rows_of(told) == [["a", "b"], ["'=1+1", "-3"]]


def test_the_page_lists_every_view_with_its_columns(own_workspace, cli):
    for view in VIEWS:
        [line] = re.findall(rf"^\| `{view}` \| ([^|]*) \|", _PAGE.read_text("utf-8"), re.M)
        listed = [name.split(" (")[0] for name in re.sub(r" \(\w+\)", "", line).split(", ")]
        told = rows_of(cli("sql", f"select * from {view} limit 0", "--workspace", own_workspace))
        assert told == [listed]
