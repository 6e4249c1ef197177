"""`localrec evaluate judge`: blind, resumable, itself measured; people rate the same samples."""

import io
import json
import os
import signal
import subprocess
import sys
import time

import msgspec
import pytest

from localrec.data.answers import Answer
from localrec.evaluation.explanations.samples import read_samples, shuffled
from localrec.evaluation.explanations.scales import MARC
from localrec.llm.scripted import ScriptedModel
from localrec.workspace.model_pool import ModelPool

QUESTIONS = (
    "a drink with gin",
    "something with campari",
    "a drink with lime juice",
    "something with soda water",
    "a red drink",
    "a drink with white rum",
)
SLOW_JUDGE = """
import sys, time
from localrec.cli.app import run
from localrec.llm.scripted import ScriptedModel
from localrec.workspace.model_pool import ModelPool

def slowly(messages):
    time.sleep(0.02)
    return "4"

ModelPool.open = lambda self, role, *_: ScriptedModel(slowly)
sys.exit(run(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def answers(workspace, tmp_path_factory):
    """What marc answers to six questions on five drinks."""
    from localrec.cli.app import run

    folder = tmp_path_factory.mktemp("answers")
    lines = [{"id": f"q{n}", "query": query} for n, query in enumerate(QUESTIONS)]
    asked, out = folder / "questions.jsonl", folder / "answers.jsonl"
    asked.write_bytes(b"\n".join(map(msgspec.json.encode, lines)))
    command = ["--workspace", workspace, "ask", "--no-model", "--batch", asked, "--out", out]
    assert run([str(one) for one in command]) == 0
    return [msgspec.json.decode(line, type=Answer) for line in out.read_bytes().splitlines()]


@pytest.fixture
def folder(answers, tmp_path):
    """A run of two systems: one explains by edges, the other praises."""
    run = tmp_path / "run"
    run.mkdir()
    write_answers(run / "answers-marc.jsonl", answers)
    write_answers(
        run / "answers-flatterer.jsonl",
        [
            msgspec.structs.replace(
                answer,
                items=tuple(
                    msgspec.structs.replace(one, reason=f"{one.name} is a delight, {answer.id}!")
                    for one in answer.items
                ),
            )
            for answer in answers
        ],
    )
    gold = [
        {
            "id": answer.id,
            "query": answer.query,
            "half": "dev",
            "task": "C1",
            "gold": {"include": ["gin"]} if "gin" in answer.query else {},
            "possible": True,
        }
        for answer in answers
    ]
    (tmp_path / "gold.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, gold)))
    return run


def write_answers(path, answers):
    path.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in answers))


def reads(messages):
    """A judge that looks each named thing up in what the catalogue says."""
    *_, facts, told = messages[1].content.casefold().split("\n")
    names = ("gin", "campari", "lime juice", "soda water", "white rum", "sugar syrup", "vermouth")
    said = [name for name in names if name in told]
    held = sum(name in facts for name in said)
    return str(1 + round(4 * held / len(said))) if said else "1"


@pytest.fixture
def judge(cli, workspace, folder, tmp_path, monkeypatch):
    """Runs the command with a scripted judge: `judge("--samples", 4, script=reads)`."""

    def call(*options, script=reads, gold=tmp_path / "gold.jsonl", run=folder):
        model = ScriptedModel(script)
        monkeypatch.setattr(ModelPool, "open", lambda self, role, *_: model)
        named = ["--gold", gold] if gold else []
        command = ["--workspace", workspace, "evaluate", "judge", run, *named, *options]
        return cli(*command), model

    return call


def test_a_run_is_judged_and_its_judge_is_measured(judge, folder):
    (code, out, noted), _ = judge("--json")
    assert code == 0
    told = json.loads(out)
    assert told == json.loads((folder / "judged.json").read_bytes())
    assert set(told["means"]) == {"marc", "flatterer"}
    assert [*told["means"]["marc"]] == [scale.name for scale in MARC]
    accuracy = {system: of["accuracy"]["value"] for system, of in told["means"].items()}
    assert accuracy["marc"] > 4 > accuracy["flatterer"]
    assert {one["other"] for one in told["agreement"]} >= {"grounded", "constraints"}
    assert told["preferred"]["invented"]["accuracy"]["value"] > 0.8
    assert "judged.json" in noted


def test_the_page_is_printed_and_kept(judge, folder):
    (code, out, _), _ = judge()
    assert code == 0
    assert out.strip() == (folder / "judged.md").read_text(encoding="utf-8").strip()
    for shown in ("# Explanations judged by scripted", "| marc |", "Spearman", "made-up claims"):
        assert shown in out


def test_a_weak_judge_is_called_weak(judge):
    (_, out, _), _ = judge(script=lambda messages: "4")
    assert "This judge is weak: it does not surely score" in out


def test_nothing_that_the_judge_or_a_person_sees_names_a_system(judge, folder):
    _, model = judge()
    shown = "\n".join(one.content for messages in model.prompts for one in messages)
    for text in (shown, (folder / "samples.jsonl").read_text(encoding="utf-8")):
        for secret in ("marc", "flatterer", "invented", "exchanged"):
            assert secret not in text.casefold()


def test_what_was_judged_is_not_asked_again(judge, folder):
    judge("--samples", 3)
    before = (folder / "verdicts.jsonl").read_bytes()
    _, model = judge("--samples", 3)
    assert model.calls == 0
    assert (folder / "verdicts.jsonl").read_bytes() == before
    _, model = judge("--samples", 3, "--scales", "memrec")
    assert model.calls == 3 * len(before.splitlines())


def test_a_judge_that_was_killed_goes_on_where_it_was(judge, folder, workspace):
    command = [sys.executable, "-c", SLOW_JUDGE, "--workspace", workspace, "evaluate", "judge"]
    verdicts = folder / "verdicts.jsonl"
    with subprocess.Popen(
        [str(one) for one in [*command, folder]],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ,
    ) as process:
        until = time.monotonic() + 60
        while not verdicts.is_file() or verdicts.read_bytes().count(b"\n") < 2:
            assert time.monotonic() < until
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    kept = verdicts.read_bytes()
    kept = kept[: kept.rfind(b"\n") + 1]
    verdicts.write_bytes(kept + b'{"id":"torn')
    (code, out, _), model = judge("--json", script=lambda messages: "4", gold=None)
    samples = read_samples(folder / "samples.jsonl")
    assert code == 0
    assert verdicts.read_bytes().startswith(kept)
    assert verdicts.read_bytes().count(b"\n") == len(samples)
    assert model.calls == 4 * (len(samples) - kept.count(b"\n"))
    assert json.loads(out)["samples"] == 12


def test_people_rate_the_same_samples_and_learn_how_far_the_judge_agrees(
    judge, cli, folder, monkeypatch
):
    judge()
    samples = read_samples(folder / "samples.jsonl")
    verdicts = map(json.loads, (folder / "verdicts.jsonl").read_bytes().splitlines())
    scores = {one["id"]: one["picked"]["accuracy"] for one in verdicts}
    keys = [str(scores[one.id]) for one in shuffled(samples, 0) for _ in MARC]
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(keys)))
    rated = ("rate", folder / "samples.jsonl", "--out", folder / "ratings.jsonl", "--json")
    code, out, shown = cli("evaluate", *rated)
    told = json.loads(out)
    assert code == 0
    assert "marc" not in shown
    with_judge = [one for one in told["agreement"] if one["other"] == "scripted"]
    assert {one["spearman"]["value"] for one in with_judge} == {1.0}
    assert {one["kendall"]["value"] for one in with_judge} == {1.0}
    assert {one["other"] for one in told["agreement"]} >= {"grounded", "constraints"}
    assert set(told["systems"]) == {"marc", "flatterer"}


def test_rationales_are_judged_on_memrecs_scales(judge, workspace, answers, tmp_path):
    run = tmp_path / "ranked"
    run.mkdir()
    for system in ("memrec", "vanilla"):
        lines = [
            {
                "id": f"r{number}",
                "person": f"p{number % 3}",
                "item": answer.items[0].key,
                "rationale": f"{system[0]} {number}: {answer.items[0].reason}",
            }
            for number, answer in enumerate(answers)
        ]
        content = b"\n".join(map(msgspec.json.encode, lines))
        (run / f"rationales-{system}.jsonl").write_bytes(content + b"\n")
    (code, out, _), _ = judge("--json", run=run, gold=None)
    told = json.loads(out)
    assert code == 0
    assert [*told["means"]["memrec"]] == ["specificity", "relevance", "factuality"]
    assert set(told["preferred"]) == {"exchanged"}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("nowhere",), 1, "There is no run 'nowhere'"),
        (("RUN", "--model", "no-such-model"), 1, "There is no model named 'no-such-model'"),
        (("RUN", "--samples", "0"), 2, "--samples"),
        (("RUN", "--domain", "movies"), 2, "There is nothing about 'movies' here."),
        (("RUN", "--gold", "none.jsonl"), 1, "none.jsonl cannot be read"),
    ],
)
def test_what_cannot_be_done_is_told(cli, workspace, folder, arguments, code, said):
    named = [folder if one == "RUN" else one for one in arguments]
    ended, out, noted = cli("--workspace", workspace, "evaluate", "judge", *named)
    assert (ended, out) == (code, "")
    assert said in noted
    assert not (folder / "verdicts.jsonl").exists()


def test_a_broken_line_of_answers_is_named(judge, folder):
    path = folder / "answers-marc.jsonl"
    path.write_bytes(path.read_bytes()[:-20] + b"\n")
    (code, _, noted), model = judge()
    assert (code, model.calls) == (1, 0)
    assert "answers-marc.jsonl, line 6 is no answer" in noted
