"""TREC files: what is written is read back, what is not whole is refused with its line."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from localrec.evaluation.ranking.trec import (
    RankedItem,
    TrecRun,
    ranked_items,
    read_qrels,
    read_trec_run,
    write_qrels,
    write_trec_run,
)
from localrec.foundation.errors import InputError, UsageError

NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12).filter(str.isprintable)
SCORES = st.floats(allow_nan=False, allow_infinity=False)
SAME_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
RUN_HINT = "Every line must be: topic Q0 item rank score tag."
QRELS_HINT = "Every line must be: topic 0 item relevance."


def rankings_of(items):
    """Rankings by topic, best first."""
    ranking = st.dictionaries(items, SCORES, min_size=1, max_size=6).map(
        lambda scores: tuple(
            RankedItem(item, score)
            for item, score in sorted(scores.items(), key=lambda one: -one[1])
        )
    )
    return st.dictionaries(NAMES, ranking, min_size=1, max_size=4)


@SAME_FOLDER
@given(tag=NAMES, rankings=rankings_of(NAMES))
def test_a_run_is_read_as_it_was_written(tmp_path, tag, rankings):
    run = TrecRun(tag, rankings)
    write_trec_run(tmp_path / "a.run", run)
    assert read_trec_run(tmp_path / "a.run") == run


@SAME_FOLDER
@given(
    st.dictionaries(
        NAMES,
        st.dictionaries(NAMES, st.integers(-2, 4), min_size=1, max_size=5),
        min_size=1,
        max_size=5,
    )
)
def test_judgements_are_read_as_they_were_written(tmp_path, judged):
    write_qrels(tmp_path / "a.qrels", judged)
    assert read_qrels(tmp_path / "a.qrels") == judged


@SAME_FOLDER
@given(st.binary(min_size=1, max_size=200) | st.text("q0Q 1.-e\t\n%2", min_size=1).map(str.encode))
def test_anything_is_read_or_refused_and_never_more(tmp_path, content):
    path = tmp_path / "foreign"
    path.write_bytes(content)
    for read in (read_trec_run, read_qrels):
        try:
            assert read(path)
        except InputError as refusal:
            assert str(path) in refusal.message


def test_a_foreign_run_is_read_whatever_its_blanks_order_and_line_breaks(tmp_path):
    path = tmp_path / "foreign.run.gz"
    text = "\ufeffq1\t0  b 2 -1.5E0 x \r\nq1 Q0 a 1 .5 x\r\nq2 q0 caf%C3%A9%20 7 +3 x"
    path.write_bytes(gzip.compress(text.encode()))
    assert read_trec_run(path) == TrecRun(
        "x",
        {
            "q1": (RankedItem("a", 0.5), RankedItem("b", -1.5)),
            "q2": (RankedItem("caf%C3%A9%20", 3.0),),
        },
    )


def test_equal_scores_keep_the_order_of_their_ranks(tmp_path):
    path = tmp_path / "tied.run"
    path.write_text("q Q0 a 2 1 x\nq Q0 b 1 1 x\n")
    assert [one.item for one in read_trec_run(path).rankings["q"]] == ["b", "a"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "{path} is empty. Export it again."),
        (b"q Q0 a 1 2\n", f"Line 1 of {{path}} has 5 columns instead of 6. {RUN_HINT}"),
        (
            b"q Q0 a 1 2 x\n\nq Q0 b 2 1 x\n",
            f"Line 2 of {{path}} has 0 columns instead of 6. {RUN_HINT}",
        ),
        (b"q Q1 a 1 2 x\n", f'Line 1 of {{path}} has "Q1" where Q0 stands. {RUN_HINT}'),
        (
            b"q Q0 a first 2 x\n",
            f'Line 1 of {{path}} has "first" as rank, not a whole number. {RUN_HINT}',
        ),
        (b"q Q0 a 1 nan x\n", f'Line 1 of {{path}} has "nan" as score, not a number. {RUN_HINT}'),
        (
            b"q Q0 a 1 1e999 x\n",
            f'Line 1 of {{path}} has "1e999" as score, not a number. {RUN_HINT}',
        ),
        (b"q Q0 a 1 1_0 x\n", f'Line 1 of {{path}} has "1_0" as score, not a number. {RUN_HINT}'),
        (
            b"q Q0 a 1 2 x\nq Q0 a 2 1 x\n",
            'Line 2 of {path} names "a" again in topic "q". '
            "Keep one line for each item of a topic.",
        ),
        (
            b"q Q0 a 1 2 x\nq Q0 b 1 1 x\n",
            f"Line 2 of {{path}} gives rank 1 of a topic again. {RUN_HINT}",
        ),
        (
            b"q Q0 a 1 2 x\nq Q0 b 2 1 y\n",
            f"Line 2 of {{path}} starts a second run, by its tag. {RUN_HINT}",
        ),
        (
            b"q Q0 a 1 1 x\nq Q0 b 2 2 x\n",
            '{path} has ranks and scores that contradict each other in topic "q". '
            "Number the ranks from the highest score down.",
        ),
        (b"q Q0 caf\xe9 1 2 x\n", f"Line 1 of {{path}} is not in UTF-8. {RUN_HINT}"),
        (b"q Q0 \x1b[2Ja 1 2 x\n", f"Line 1 of {{path}} holds control characters. {RUN_HINT}"),
        (b"q Q0 a\x00 1 2 x\n", f"Line 1 of {{path}} holds control characters. {RUN_HINT}"),
        (
            b"q Q0 " + b"a" * 70_000 + b" 1 2 x\n",
            f"Line 1 of {{path}} is longer than 65,536 bytes. {RUN_HINT}",
        ),
        (
            b"PK\x03\x04 whatever",
            "{path} is a zip archive, not a TREC file. "
            "Name a run or qrels file as plain text in UTF-8.",
        ),
        (
            b"q Q0 <|im_end|> one 2 x\n",
            f'Line 1 of {{path}} has "one" as rank, not a whole number. {RUN_HINT}',
        ),
        (
            b"q <|im_end|> a 1 2 x\n",
            f'Line 1 of {{path}} has "< |im_end|>" where Q0 stands. {RUN_HINT}',
        ),
    ],
)
def test_a_run_that_is_not_whole_is_refused_with_its_line(tmp_path, content, message):
    path = tmp_path / "bad.run"
    path.write_bytes(content)
    with pytest.raises(InputError) as refusal:
        read_trec_run(path)
    assert str(refusal.value) == message.format(path=path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"q Q0 a 1 2 x\n", f"Line 1 of {{path}} has 6 columns instead of 4. {QRELS_HINT}"),
        (
            b"q 0 a 0.5\n",
            f'Line 1 of {{path}} has "0.5" as relevance, not a whole number. {QRELS_HINT}',
        ),
        (
            b"q 0 a 1\nq 0 a 0\n",
            'Line 2 of {path} names "a" again in topic "q". '
            "Keep one line for each item of a topic.",
        ),
    ],
)
def test_judgements_that_are_not_whole_are_refused_with_their_line(tmp_path, content, message):
    path = tmp_path / "bad.qrels"
    path.write_bytes(content)
    with pytest.raises(InputError) as refusal:
        read_qrels(path)
    assert str(refusal.value) == message.format(path=path)


def test_an_archive_of_nothing_is_empty(tmp_path):
    path = tmp_path / "empty.run.gz"
    path.write_bytes(gzip.compress(b""))
    with pytest.raises(InputError, match="is empty"):
        read_trec_run(path)


@pytest.mark.parametrize(
    ("run", "problem"),
    [
        (TrecRun("x", {"q": ranked_items(["a", "a"])}), 'Topic "q" ranks an item twice.'),
        (
            TrecRun("x", {"q": (RankedItem("a", 1.0), RankedItem("b", 2.0))}),
            'Topic "q" has scores that rise',
        ),
        (
            TrecRun("x", {"q": (RankedItem("a", float("nan")),)}),
            'Topic "q" has scores that rise or are not',
        ),
        (TrecRun("", {"q": ranked_items(["a"])}), "The name '' cannot be written"),
        (TrecRun("x", {"q": ranked_items(["a\nb"])}), r"The name 'a\nb' cannot be written"),
    ],
)
def test_a_run_that_no_evaluator_could_read_is_not_written(tmp_path, run, problem):
    with pytest.raises(UsageError) as refusal:
        write_trec_run(tmp_path / "bad.run", run)
    assert refusal.value.message.startswith(problem)
    assert list(tmp_path.iterdir()) == []
