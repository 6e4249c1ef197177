"""Lengths without an end, numbers without an end, and one broken domain among sound ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

LONG = "9" * 5_000


@pytest.fixture
def localrec(cli, own_workspace):
    return lambda *arguments: cli(*arguments, "--workspace", own_workspace)


@pytest.mark.parametrize(
    "line",
    [
        ("ask", "x" * 20_001),
        ("ask", "what can I make", "--have", "gin, " * 5_000),
    ],
)
def test_a_question_of_a_book_s_length_is_refused_in_a_sentence(localrec, line):
    told = localrec(*line)
    assert told.code == 1 and "letters; 20,000 are taken" in told.err


def test_an_instruction_of_a_book_s_length_is_refused_with_its_batch(localrec, tmp_path):
    request = {"id": "1", "candidates": ["negroni"], "instruction": "x" * 200_001}
    (tmp_path / "r.jsonl").write_text(json.dumps(request) + "\n")
    told = localrec("rank", "--batch", tmp_path / "r.jsonl", "--out", tmp_path / "o.jsonl")
    assert told.code == 1 and "letters" in told.err
    assert not (tmp_path / "o.jsonl").exists()


def test_numbers_of_thousands_of_digits_are_read_or_refused_and_never_a_fault(
    localrec, own_workspace, tmp_path
):
    settings = own_workspace / "settings.toml"
    sound = settings.read_text()
    settings.write_text(f"{sound}threads = {LONG}\n")
    told = localrec("ask", "a sour")
    assert told.code == 1 and "settings.toml" in told.err
    settings.write_text(sound)
    films = tmp_path / "letterboxd"
    films.mkdir()
    (films / "ratings.csv").write_text(
        "Date,Name,Year,Letterboxd URI,Rating\n"
        f"2024-05-01,Heat,{LONG},https://boxd.it/2a9q,{LONG}\n"
        "2024-05-01,Ronin,1998,https://boxd.it/2a9z,4\n"
    )
    for line in (
        ("ask", f"under {LONG} ml"),
        ("recommend", "--user", "anna", "-k", LONG),
        ("feedback", "--user", "anna", "--item", "Negroni", "--rating", LONG),
        ("sql", f"select {LONG}"),
        ("import", "letterboxd", films, "--user", "anna"),
    ):
        assert localrec(*line).code in (0, 1, 2)
    assert '"Ronin"' in localrec("sql", "select name from items", "--json").out


@pytest.mark.parametrize(
    "content", [b"\xff\xfe\x00 = [", f"item = {LONG}".encode(), b"", b"item = 1"]
)
def test_a_broken_domain_breaks_no_other_and_doctor_names_it(
    localrec, own_workspace, tmp_path, content
):
    (tmp_path / "wines.csv").write_text("name,grape,points\nA,Merlot,80\nB,Syrah,90\nC,Merlot,85\n")
    wines = tmp_path / "wines.csv"
    assert localrec("domains", "new", "wines", "--from", wines, "--yes").code == 0
    assert localrec("import", "auto", wines).code == 0
    (Path(own_workspace) / "domains" / "wines" / "domain.toml").write_bytes(content)
    for line in (
        ("ask", "a drink with gin"),
        ("feedback", "--user", "anna", "--item", "Negroni", "--like"),
        ("recommend", "--user", "anna"),
        ("domains", "list"),
    ):
        told = localrec(*line)
        assert told.code == 0, told.err
    told = localrec("doctor")
    assert told.code == 1 and "domain wines" in told.out


def test_a_shelf_is_read_to_its_last_bottle_or_refused(localrec):
    many = "lime juice, " * 1_200 + "a bottle that nobody knows"  # 14,000 letters
    told = localrec("shelf", "show", "--have", many)
    assert told.code == 1 and "bottle" in told.err
    assert localrec("shelf", "show", "--have", f"{many}, {many}").code == 2


def test_a_user_s_key_of_a_book_s_length_is_refused_and_not_cut(localrec):
    for line in (
        ("feedback", "--user", "x" * 201, "--item", "Negroni", "--like"),
        ("shelf", "add", "--user", "x" * 201, "gin"),
    ):
        told = localrec(*line)
        assert told.code == 2 and "There is room for 200 letters" in told.err
    assert "xx" not in localrec("sql", "select * from users", "--json").out


@pytest.mark.parametrize(
    "line",
    [
        ("recommend", "--user", "anna", "--domain", LONG),
        ("ask", "gin", "--system", LONG),
        ("feedback", "--user", "anna", "--item", LONG, "--undo"),
        ("forget", "--item", f"\x1b[31m{LONG}", "--yes"),
        ("import", LONG, "nothing.csv"),
        ("import", "auto", f"/nowhere/{LONG}/films.csv"),
        ("models", "pull", "gin " * 2_000),
        (LONG,),
    ],
)
def test_what_an_error_quotes_is_cut_and_moves_no_cursor(localrec, line):
    told = localrec(*line)
    assert told.code in (1, 2) and len(told.err) < 3_000
    assert "\x1b" not in told.err and "…" in told.err + "…" * (line[0] == "feedback")
