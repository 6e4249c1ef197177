"""A person rates blind, stops when they like, goes on where they were, and learns what agrees."""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from localrec.cli import rate as rate_command
from localrec.cli.context import Commands
from localrec.evaluation.explanations.human_rating import HumanRating, RatingSession, latest_ratings
from localrec.evaluation.explanations.llm_judge import judge_samples
from localrec.evaluation.explanations.samples import Sample, shuffled, with_controls
from localrec.evaluation.explanations.scales import MARC
from localrec.foundation.errors import BusyError, CutShortError
from localrec.foundation.jsonl_log import JsonlLog, write_records
from localrec.llm.scripted import ScriptedModel

SAMPLES = [
    Sample(
        id=f"q{number}/{system}",
        system=system,
        request=f"a drink with juice number {number}",
        recommended=f"Fizz {number}",
        explanation=f"{system[-1] * 3} has juice number {number}.",
        checks={"constraints": float(number % 2)},
    )
    for number in range(3)
    for system in ("system-a", "system-b")
]


@pytest.fixture
def ledger(tmp_path):
    with JsonlLog(tmp_path / "ratings.jsonl", HumanRating) as opened:
        yield opened


@pytest.fixture
def session(ledger):
    return RatingSession(SAMPLES, MARC, ledger, seed=4)


def again(tmp_path, samples=SAMPLES):
    """The session that a later process would open; the ledger itself is still held by this one."""
    later = shutil.copy(tmp_path / "ratings.jsonl", tmp_path / "later.jsonl")
    with JsonlLog(later, HumanRating) as opened:
        return RatingSession(samples, MARC, opened, seed=4)


class TestASession:
    def test_leads_through_all_scales_of_a_sample_before_the_next(self, session):
        seen = []
        while (asked := session.current) is not None:
            seen.append((asked.sample.id, asked.scale.name))
            session.rate(3)
        ids = [one.id for one in shuffled(SAMPLES, 4)]
        assert seen == [(id_, scale.name) for id_ in ids for scale in MARC]
        assert session.left == 0

    def test_counts_from_one_to_all(self, session):
        assert (session.current.number, session.current.total) == (1, 24)
        session.rate(1)
        assert session.current.number == 2

    def test_undo_brings_the_last_one_back_and_then_the_one_before(self, session):
        first = session.current
        session.rate(1)
        second = session.current
        session.rate(None)
        assert session.undo()
        assert session.current == second
        assert session.undo()
        assert session.current == first
        assert not session.undo()

    def test_what_was_undone_is_gone_for_good(self, session, tmp_path):
        session.rate(1)
        session.undo()
        session.rate(5)
        assert [one.score for one in again(tmp_path).ratings] == [5]

    def test_what_was_undone_is_asked_again_later(self, session, tmp_path):
        first = session.current
        session.rate(1)
        session.undo()
        assert again(tmp_path).current == first

    def test_a_skip_is_not_asked_again_and_no_score(self, session):
        first = session.current
        session.rate(None)
        assert session.current != first
        assert session.ratings[0].score is None

    @pytest.mark.parametrize("score", [0, 6, -1])
    def test_takes_no_score_outside_the_scale(self, session, score):
        with pytest.raises(ValueError, match="cannot be given"):
            session.rate(score)
        assert session.ratings == []

    def test_goes_on_where_it_was_left(self, session, tmp_path):
        for score in (1, 2, 3):
            session.rate(score)
        resumed = again(tmp_path)
        assert resumed.current == session.current
        assert [one.score for one in resumed.ratings] == [1, 2, 3]

    def test_loses_at_most_a_torn_line(self, session, tmp_path, ledger):
        for score in (1, 2, 3):
            session.rate(score)
        path = tmp_path / "ratings.jsonl"
        path.write_bytes(path.read_bytes()[:-5])
        assert [one.score for one in again(tmp_path).ratings] == [1, 2]

    def test_asks_anew_about_a_text_that_changed(self, session, tmp_path):
        while session.current is not None:
            session.rate(3)
        changed = Sample(
            id="q0/system-a", system="a", request="", recommended="", explanation="new"
        )
        resumed = again(tmp_path, [changed, *SAMPLES[1:]])
        assert resumed.left == len(MARC)
        assert resumed.current.sample == changed

    def test_the_last_word_on_a_place_holds(self):
        said = [HumanRating(id="a", of="x", scale="s", score=score) for score in (1, 2)]
        assert list(latest_ratings(said).values()) == [said[1]]


PROGRAM = """
import sys, typer
from localrec.cli.rate import rate
app = typer.Typer()
app.command()(rate)
app(sys.argv[1:])
"""


def wait_for_keys(terminal):
    """Until the program has set its terminal to single keys: what is typed earlier is dropped."""
    termios = pytest.importorskip("termios")
    until = time.monotonic() + 30
    while termios.tcgetattr(terminal)[3] & termios.ICANON:
        assert time.monotonic() < until
        time.sleep(0.01)


def files_in(folder):
    return [str(folder / "samples.jsonl"), "--out", str(folder / "ratings.jsonl")]


@pytest.fixture
def folder(tmp_path):
    write_records(tmp_path / "samples.jsonl", SAMPLES)
    return tmp_path


@pytest.fixture
def rate(folder, monkeypatch, capsys):
    """Runs the command with keys as lines: the outcome from stdout, and what was shown."""

    def call(keys, *options):
        app = Commands()
        app.command()(rate_command.rate)
        monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(keys)))
        arguments = [folder / "samples.jsonl", "--out", folder / "ratings.jsonl", *options]
        app([str(one) for one in arguments], standalone_mode=False)
        return capsys.readouterr()

    return call


class TestTheCommand:
    def test_shows_no_system_and_no_check_while_anything_is_left(self, rate):
        shown = rate("12345q")
        assert "juice number" in shown.err
        assert "system-" not in shown.err + shown.out
        assert "constraints" not in shown.err

    def test_prints_one_json_document_and_all_else_on_stderr(self, rate):
        told = json.loads(rate("1s2u3q", "--json").out)
        assert (told["rated"], told["skipped"], told["left"]) == (2, 1, 21)
        assert told["systems"] is None

    def test_goes_on_where_it_was_left(self, rate):
        rate("12q")
        shown = rate("5q")
        assert "3 of 24" in shown.err
        assert "1 of 24" not in shown.err
        assert "20" not in shown.out.split(" rated")[0]
        assert shown.out.startswith("3 rated, 0 skipped, 21 left.")

    def test_ends_when_the_input_ends(self, rate):
        assert "22 are left" in rate("55").err

    def test_tells_whose_the_samples_were_when_nothing_is_left(self, rate):
        told = json.loads(rate("5" * 12 + "3" * 12, "--json").out)
        assert told["left"] == 0
        assert set(told["systems"]) == {"system-a", "system-b"}
        means = [of["accuracy"]["value"] for of in told["systems"].values()]
        assert sum(means) == pytest.approx(8)

    def test_an_unknown_key_is_explained_and_nothing_is_lost(self, rate):
        shown = rate("x5q")
        assert "1 to 5, s skip, u undo, q quit" in shown.err
        assert shown.out.startswith("1 rated")

    def test_can_ask_all_seven_scales(self, rate):
        assert "1 of 42" in rate("q", "--scales", "all").err

    def test_reports_the_agreement_with_the_judge_beside_the_samples(self, rate, folder):
        def script(messages):
            return "5" if "aaa" in messages[1].content else "1"

        judge_samples(ScriptedModel(script), SAMPLES, folder / "verdicts.jsonl")
        keys = ["5" if one.system == "system-a" else "1" for one in shuffled(SAMPLES, 0)]
        told = json.loads(rate([key for key in keys for _ in MARC], "--json").out)
        judged = [one for one in told["agreement"] if one["other"] == "scripted"]
        assert [one["scale"] for one in judged] == [scale.name for scale in MARC]
        assert {one["kappa"]["value"] for one in judged} == {1.0}
        assert {one["spearman"]["value"] for one in judged} == {1.0}

    def test_controls_are_rated_like_any_other(self, rate, folder):
        write_records(folder / "samples.jsonl", with_controls(SAMPLES, share=1.0))
        shown = rate("q")
        assert "1 of 48" in shown.err

    def test_text_from_a_file_cannot_move_the_cursor(self, rate, folder):
        evil = Sample(
            id="a", system="b", request="\x1b[2J\x1b[31mred", recommended="", explanation="x"
        )
        write_records(folder / "samples.jsonl", [evil])
        assert "\x1b[2J" not in rate("q").err

    def test_two_people_do_not_write_one_file(self, rate, folder):
        with (
            JsonlLog(folder / "ratings.jsonl", HumanRating),
            pytest.raises(BusyError, match=r"Another process is writing to .*ratings\.jsonl"),
        ):
            rate("5q")
        assert rate("5q").out.startswith("1 rated, 0 skipped, 23 left.")

    def test_ctrl_c_keeps_what_was_rated(self, rate, folder, monkeypatch):
        def interrupted():
            yield "5"
            raise KeyboardInterrupt

        monkeypatch.setattr(rate_command, "_keys", interrupted)
        with pytest.raises(CutShortError, match="keeps what was done"):
            rate("")
        assert (folder / "ratings.jsonl").read_text().count("\n") == 1

    @pytest.mark.timeout(60)
    def test_takes_single_keys_from_a_terminal(self, folder):
        ours, theirs = os.openpty()
        with subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *files_in(folder)],
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            for key in ("5", "u", "2", "q"):
                asked = process.stderr.readline()
                while "1: " not in asked:  # the last line before a key is waited for
                    assert asked, process.communicate()
                    asked = process.stderr.readline()
                wait_for_keys(theirs)
                os.write(ours, key.encode())
            out, _ = process.communicate(timeout=60)
        os.close(ours)
        os.close(theirs)
        assert out.startswith("1 rated, 0 skipped, 23 left.")

    def test_a_killed_process_has_lost_nothing_that_was_rated(self, folder):
        with subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *files_in(folder)],
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process:
            process.stdin.write("4\n2\n")
            process.stdin.flush()
            ratings, until = folder / "ratings.jsonl", time.monotonic() + 60
            while not ratings.is_file() or ratings.read_text().count("\n") < 2:
                assert time.monotonic() < until
                assert process.poll() is None
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
        assert [json.loads(line)["score"] for line in ratings.read_text().splitlines()] == [4, 2]
