"""`localrec rank`: candidates in order for a history that need not be stored; resumable."""

import json
import signal
import subprocess
import time

import pytest

from localrec.llm.scripted import ScriptedModel
from localrec.systems.auto import EvidenceRecommender
from localrec.workspace import batch_runs
from localrec.workspace.model_pool import ModelPool

from .test_ask import UNPRINTABLE

DRINKS = ["negroni", "americano", "gimlet", "daiquiri", "limeade"]


@pytest.fixture
def requests(tmp_path):
    """Writes requests, each a dict."""

    def write(*records):
        path = tmp_path / "requests.jsonl"
        lines = [json.dumps({"id": number, **one}) for number, one in enumerate(records, 1)]
        path.write_text("\n".join(lines), encoding="utf-8")
        return path

    return write


@pytest.fixture
def out(tmp_path):
    return tmp_path / "rankings.jsonl"


@pytest.fixture
def rank(cli, workspace, out):
    def run(path, *options):
        return cli("--workspace", workspace, "rank", "--batch", path, "--out", out, *options)

    return run


def rankings(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class TestARanking:
    def test_holds_every_candidate_once_and_the_alike_first(self, rank, requests, out):
        path = requests({"history": ["negroni"], "candidates": ["gimlet", "x", "americano"]})
        code, said, noted = rank(path)
        assert (code, said) == (0, "")
        assert "1 ranked, 0 were there already" in noted
        assert "not in cocktails, and so stand last, as given: 1." in noted
        (told,) = rankings(out)
        assert told["ranking"] == ["americano", "gimlet", "x"]
        assert set(told["scores"]) == {"americano", "gimlet"}
        assert "in common with Negroni" in told["rationales"]["americano"]

    @pytest.mark.parametrize("system", ["memrec", "memrec-no-read", "isolated-memory"])
    def test_comes_from_systems_with_a_memory(self, rank, requests, out, system):
        path = requests({"history": ["negroni"], "candidates": ["gimlet", "x", "americano"]})
        assert rank(path, "--system", system).code == 0
        (told,) = rankings(out)
        assert told["ranking"] == ["americano", "gimlet", "x"]
        assert told.get("spoke") == ({"memory": "measured"} if system == "memrec" else None)

    def test_by_a_model_says_who_spoke_and_what_it_cost(self, rank, requests, out, monkeypatch):
        model = ScriptedModel(
            lambda messages: "0.9 0.1" if "Gimlet" in messages[-1].content else "0.2 0.8"
        )
        monkeypatch.setattr(ModelPool, "open", lambda self, role, *_: model)
        path = requests({"history": ["negroni"], "candidates": ["x", "americano", "gimlet"]})
        code, said, noted = rank(path, "--system", "memrec-model-counted", "--json")
        assert (code, noted) == (0, "")
        assert json.loads(said)["answered"] == 1
        (told,) = rankings(out)
        assert told["ranking"] == ["gimlet", "americano", "x"]
        assert told["spoke"]["rerank"] == "model"
        assert told["calls"] == model.calls
        assert told["tokens"]["rerank"] > 0

    def test_by_a_model_that_fails_is_told_once_for_all(self, rank, requests, out, monkeypatch):
        monkeypatch.setattr(ModelPool, "open", lambda self, role, *_: ScriptedModel([]))
        asked = {"history": ["negroni"], "candidates": ["americano", "gimlet"]}
        code, _, noted = rank(requests(asked, asked), "--system", "memrec-model")
        assert code == 0
        assert "Notes beside the rankings: 2, the first: The model failed" in noted
        assert [one["ranking"][0] for one in rankings(out)] == ["americano"] * 2

    def test_by_a_model_that_is_not_here_begins_no_file(
        self, rank, requests, out, monkeypatch, tmp_path
    ):
        monkeypatch.setenv("LOCALREC_CACHE", str(tmp_path / "no models"))
        path = requests({"history": ["negroni"], "candidates": ["americano"]})
        code, said, err = rank(path, "--system", "memrec-model", "--json")
        assert (code, said, out.exists()) == (1, "", False)
        assert "localrec models pull" in err

    def test_by_an_agent_holds_what_it_did_and_tells_it_in_words(
        self, rank, requests, out, monkeypatch
    ):
        model = ScriptedModel(
            ["Think: What goes?\nAct: get_user_profile()", "Think: So.\nRank: [2, 1]"]
        )
        monkeypatch.setattr(ModelPool, "open", lambda self, role, *_: model)
        path = requests({"history": ["negroni"], "candidates": ["x", "americano", "gimlet"]})
        code, said, _ = rank(path, "--system", "agenticrec", "--explain")
        (told,) = rankings(out)
        assert (code, told["ranking"]) == (0, ["gimlet", "americano", "x"])
        assert told["spoke"]["rerank"] == "agent"
        assert told["trajectory"]["ranking"] == [2, 1]
        assert told["trajectory"]["steps"][0]["call"]["tool"] == "get_user_profile"
        assert told["calls"] == 2
        assert "Request 1: agenticrec, scripted" in said
        assert "asks get_user_profile()" in said
        assert "ranks 2, 1" in said

    def test_by_an_agent_that_loses_its_way_is_the_fused_one(
        self, rank, requests, out, monkeypatch
    ):
        monkeypatch.setattr(ModelPool, "open", lambda self, role, *_: ScriptedModel(["Nothing."]))
        path = requests({"history": ["negroni"], "candidates": ["gimlet", "americano"]})
        code, _, noted = rank(path, "--system", "agenticrec-reasoning")
        (told,) = rankings(out)
        assert code == 0 and "The agent gave no ranking." in noted
        assert sorted(told["ranking"]) == ["americano", "gimlet"]
        assert (told["trajectory"]["fault"], told["spoke"]["rerank"]) == ("form", "fused")

    def test_by_the_tools_alone_asks_no_model(self, rank, requests, out):
        path = requests({"history": ["negroni"], "candidates": ["gimlet", "x", "americano"]})
        assert rank(path, "--system", "agenticrec-fused").code == 0
        (told,) = rankings(out)
        assert told["ranking"] == ["americano", "gimlet", "x"]
        assert told["trajectory"]["model"] == ""
        assert told["scores"]["americano"] > told["scores"]["gimlet"]

    def test_turns_around_with_the_ratings(self, rank, requests, out):
        asked = {"history": ["negroni", "daiquiri"], "candidates": ["americano", "gimlet"]}
        rank(requests({**asked, "ratings": [5, 1]}, {**asked, "ratings": [1, 5]}))
        assert [one["ranking"][0] for one in rankings(out)] == ["americano", "gimlet"]

    def test_of_unknown_candidates_for_a_stranger_is_as_given(self, rank, requests, out):
        rank(requests({"candidates": ["b", "a"], "user": "nobody"}, {"candidates": []}))
        assert [one["ranking"] for one in rankings(out)] == [["b", "a"], []]

    def test_counts_a_stored_person_s_history(self, cli, own_workspace, requests, out):
        spoken = ("--workspace", own_workspace, "feedback", "--user", "anna")
        cli(*spoken, "--item", "Negroni", "--like")
        asked = requests({"user": " anna", "candidates": ["gimlet", "americano"]})
        cli("--workspace", own_workspace, "rank", "--batch", asked, "--out", out)
        assert rankings(out)[0]["ranking"][0] == "americano"

    def test_never_gives_a_candidate_as_the_reason_for_itself(self, rank, requests, out):
        rank(requests({"history": ["negroni", "gimlet"], "candidates": ["negroni", "gimlet"]}))
        (told,) = rankings(out)
        for key, reason in told["rationales"].items():
            assert f"with {key.title()}" not in reason

    def test_stands_long_histories_and_many_candidates(self, rank, requests, out):
        many = [f"unknown {number}" for number in range(10_000)]
        asked = {"history": (DRINKS * 1_000)[:5_000], "candidates": [*many, "gimlet"]}
        assert rank(requests(asked)).code == 0
        (told,) = rankings(out)
        assert told["ranking"][0] == "gimlet"
        assert sorted(told["ranking"]) == sorted(asked["candidates"])


class TestABadRequest:
    @pytest.mark.parametrize(
        ("line", "complaint"),
        [
            ('{"id": 1}', "line 1 is no request"),
            ('{"id": 1, "candidates": "gin"}', "line 1 is no request"),
            ('{"id": 1, "candidates": ["a", "a"]}', "request 1: a candidate comes twice"),
            ('{"id": 1, "candidates": ["a"], "history": ["b"], "ratings": []}', "0 ratings"),
            ('{"id": 1, "candidates": ["a"], "history": ["b"], "ratings": [11]}', "0.5 to 5"),
            ('{"id": "\\u001b[31mx", "candidates": ["a", "a"]}', r"\x1b[31mx"),
            ('{"id": 1, "candidates": ["' + "a" * (1 << 20) + '"]}', "at most 1 MiB"),
            ("", "holds no request"),
        ],
    )
    def test_is_named_and_nothing_written(self, rank, tmp_path, out, line, complaint):
        path = tmp_path / "bad.jsonl"
        path.write_text(line, encoding="utf-8")
        code, said, err = rank(path)
        assert (code, said) == (1, "")
        assert complaint in err
        assert not UNPRINTABLE.search(err)
        assert not out.exists()

    def test_for_a_system_that_is_not_there_writes_nothing(self, rank, requests, out):
        code, _, err = rank(requests({"candidates": DRINKS}), "--system", "oracle")
        assert (code, out.exists()) == (2, False)
        assert "Systems: auto" in err


class TestGoingOn:
    def test_sums_up_as_json(self, rank, requests):
        path = requests({"candidates": DRINKS}, {"candidates": DRINKS[:2]})
        code, said, noted = rank(path, "--json")
        assert (code, noted) == (0, "")
        assert json.loads(said) == {"questions": 2, "resumed": 0, "answered": 2}
        assert json.loads(rank(path, "--json").out)["resumed"] == 2

    def test_with_another_system_is_refused_and_leaves_the_file(self, rank, requests, out):
        path = requests({"candidates": DRINKS})
        rank(path)
        before = out.read_bytes()
        code, said, err = rank(path, "--system", "popularity")
        assert (code, said) == (2, "")
        assert "--system auto" in err
        assert "--system popularity" in err
        assert out.read_bytes() == before
        out.unlink()
        assert rank(path, "--system", "popularity").code == 0

    def test_after_ctrl_c_says_what_is_kept(self, rank, requests, out, monkeypatch):
        path = requests(*({"candidates": DRINKS} for _ in range(3)))
        honest, asked = EvidenceRecommender.rank, []

        def stop_at_third(self, request, stored=None):
            asked.append(request.id)
            if len(asked) == 3:
                raise KeyboardInterrupt
            return honest(self, request, stored)

        monkeypatch.setattr(EvidenceRecommender, "rank", stop_at_third)
        code, _, err = rank(path)
        assert code == 130
        assert f"{out} keeps what was done so far" in err
        assert "nothing" not in err
        monkeypatch.undo()
        assert "1 ranked, 2 were there already" in rank(path).err

    def test_while_another_run_writes_is_put_off(self, rank, requests, out):
        with batch_runs._alone_with(out):
            code, said, err = rank(requests({"candidates": DRINKS}))
        assert (code, said) == (3, "")
        assert "Another process is writing" in err
        assert rank(requests({"candidates": DRINKS})).code == 0

    def test_after_a_kill_is_as_if_nothing_had_happened(
        self, rank, requests, out, workspace, localrec_command
    ):
        path = requests(*({"candidates": DRINKS, "history": ["negroni"]} for _ in range(2_000)))
        arguments = ("--workspace", str(workspace), "rank", "--batch", path, "--out", out)
        with subprocess.Popen([*localrec_command, *arguments], stderr=subprocess.PIPE) as process:
            while not (out.exists() and out.stat().st_size):
                assert process.poll() is None, process.communicate()
                time.sleep(0.002)
            process.send_signal(signal.SIGKILL)
        assert len(rankings_before := out.read_bytes().splitlines()) < 2_000
        code, _, noted = rank(path)
        assert code == 0
        assert "2000 ranked" not in noted
        assert [one["id"] for one in rankings(out)] == [str(number) for number in range(1, 2_001)]
        assert out.read_bytes().splitlines()[: len(rankings_before) - 1] == rankings_before[:-1]


def test_a_request_of_nobody_is_ranked_and_named(rank, requests, out):
    asked = [{"user": user, "candidates": ["gimlet"]} for user in ("u1", "u1", "u2", "u3", "u4")]
    code, _, err = rank(requests(*asked))
    assert code == 0
    assert len(rankings(out)) == 5
    assert err.count("Nobody called") == 3
    assert "So it is with 1 more." in err
