"""Options that make sense become a plan, the rest is refused with a remedy."""

from pathlib import Path

import pytest

from localrec.export.plan import plan_export
from localrec.foundation.errors import UsageError


@pytest.mark.parametrize(
    ("out", "options", "what", "form"),
    [
        ("a.csv", {"user": "me"}, "history", "csv"),
        ("a.JSON", {"user": "me", "what": "profile"}, "profile", "json"),
        ("a.parquet", {"what": "items"}, "items", "parquet"),
        ("a.csv", {"listed": "l.json"}, "list", "csv"),
        ("a.csv", {"user": "me", "form": "letterboxd"}, "history", "letterboxd"),
        ("films", {"form": "recbole"}, None, "recbole"),
        ("a.txt", {"user": "me", "form": "json"}, "history", "json"),
    ],
)
def test_what_is_written_and_how(out, options, what, form):
    plan = plan_export(Path(out), **options)
    assert (plan.what, plan.form) == (what, form)


def test_a_split_is_three_whole_numbers():
    assert plan_export(Path("f"), form="recbole", split="8:1:1").split == (8, 1, 1)


@pytest.mark.parametrize(
    ("out", "options", "said"),
    [
        ("a.txt", {"user": "me"}, "says no format"),
        ("a.csv", {"user": "me", "form": "xml"}, "no format 'xml'"),
        ("a.csv", {"user": "me", "what": "everything"}, "no 'everything' to export"),
        ("a.csv", {}, "Say whose: --user KEY"),
        ("a.csv", {"what": "profile"}, "Say whose"),
        ("a.csv", {"what": "list"}, "belong together"),
        ("a.csv", {"what": "history", "user": "me", "listed": "l.json"}, "belong together"),
        ("a.csv", {"what": "items", "form": "letterboxd"}, "Letterboxd takes no items"),
        ("f", {"form": "recbole", "what": "history"}, "Leave --what out"),
        ("a.csv", {"user": "me", "split": "8:1:1"}, "Add --format recbole"),
        ("a.csv", {"user": "me", "history": 10}, "Add --format recbole"),
        ("f", {"form": "recbole", "split": "8:1"}, "no split"),
        ("f", {"form": "recbole", "split": "0:1:1"}, "no split"),
        ("f", {"form": "recbole", "split": "8:-1:1"}, "no split"),
        ("f", {"form": "recbole", "split": "８:1:1"}, "no split"),
    ],
)
def test_what_makes_no_sense_is_refused(out, options, said):
    with pytest.raises(UsageError, match=said):
        plan_export(Path(out), **options)
