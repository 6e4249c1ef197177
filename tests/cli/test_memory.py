"""`localrec memory`: to be read, changed, pinned and worked off, by one process of its own."""

import io
import json

import pytest

from localrec.foundation.errors import ModelError
from localrec.llm.scripted import ScriptedModel

from .test_ask import UNPRINTABLE


@pytest.fixture
def memory(cli, own_workspace):
    return lambda *arguments: cli("--workspace", own_workspace, "memory", *arguments)


@pytest.fixture
def likes(cli, own_workspace):
    def like(user, *drinks):
        for drink in drinks:
            outcome = cli(
                "--workspace", own_workspace, "feedback", "--user", user, "--item", drink, "--like"
            )
            assert outcome.code == 0, outcome.err

    return like


def told(outcome):
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)


class TestRun:
    def test_works_feedback_into_memories_with_one_call_for_each_person(self, memory, likes):
        likes("anna", "Negroni", "Americano")
        likes("bea", "Negroni")
        report = told(memory("run", "--json"))
        assert (report["deeds"], report["jobs"], report["calls"]) == (3, 2, 2)
        jobs = told(memory("jobs", "--json"))
        assert jobs["counts"] == {"waiting": 0, "running": 0, "done": 3, "failed": 0}
        assert (jobs["calls"], jobs["deeds"]) == (2, 3)
        assert "lately Americano" in memory("show", "--user", "anna").out
        assert "Nothing waits" in memory("run").out

    def test_in_words_says_what_was_done(self, memory, likes):
        likes("anna", "Negroni")
        words = " ".join(memory("run").out.split())
        assert "1 thing people did worked in, with 1 job" in words
        assert "1 thing people did took 1 call to work in" in memory("jobs").out

    def test_in_an_empty_place_says_what_to_do(self, cli, workspace_path):
        code, out, err = cli("--workspace", workspace_path, "memory", "run")
        assert (code, out) == (1, "")
        assert "datasets pull" in err
        assert not workspace_path.exists()

    def test_by_ctrl_c_keeps_what_was_done_and_says_how_to_go_on(self, memory, likes, monkeypatch):
        likes("anna", "Negroni")

        def stopped(*_):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr("localrec.memory.propagation.TemplateUpdate.__call__", stopped)
            code, _, err = memory("run")
        assert code == 130
        assert "Go on: localrec memory run" in err
        assert told(memory("run", "--json"))["deeds"] == 1

    def test_that_fails_says_so_and_the_job_can_be_tried_again(self, memory, likes, monkeypatch):
        likes("anna", "Negroni")

        def broken(*_):
            raise ValueError("no \x1b[31mwords")

        with monkeypatch.context() as patch:
            patch.setattr("localrec.memory.propagation.TemplateUpdate.__call__", broken)
            assert [memory("run").code for _ in range(3)] == [1, 1, 1]
        listed = memory("jobs").out
        assert "1 failed" in listed
        assert "3 of 3 tries" in listed
        assert not UNPRINTABLE.search(listed)
        assert told(memory("jobs", "--retry", "--json"))["retried"] == 1
        assert told(memory("run", "--json"))["deeds"] == 1


ANSWER = "person | Enjoys bitter drinks.\nitem | Suits guests before dinner.\n"


class TestAModel:
    @pytest.fixture
    def model(self, monkeypatch):
        """Plays the role of memory in any workspace."""
        scripted = ScriptedModel(lambda messages: ANSWER)
        roles = []

        def open_model(opened, role, *_):
            roles.append(role)
            return scripted

        monkeypatch.setattr("localrec.workspace.model_pool.ModelPool.open", open_model)
        yield scripted
        assert set(roles) <= {"memory"}

    def test_words_memories_where_it_is_wanted_by_one_call_a_job(self, memory, likes, model):
        likes("anna", "Negroni", "Americano")
        assert told(memory("run", "--model", "--json"))["calls"] == 1
        assert model.calls == 1
        shown = told(memory("show", "--user", "anna", "--json"))["memory"]
        assert shown["text"].startswith("Enjoys bitter drinks.")
        assert (shown["source"], shown["provenance"]["by"]) == ("model", "scripted")

    def test_is_asked_by_itself_only_where_it_is_bound_to_that(
        self, cli, memory, likes, model, own_workspace
    ):
        likes("anna", "Negroni")
        told(memory("run", "--json"))
        assert model.calls == 0
        bound = cli("--workspace", own_workspace, "models", "use", "memory", "smollm2-135m")
        assert bound.code == 0, bound.err
        likes("anna", "Americano")
        told(memory("run", "--json"))
        assert model.calls == 1
        likes("anna", "Gimlet")
        told(memory("run", "--no-model", "--json"))
        assert model.calls == 1

    def test_that_writes_nonsense_costs_no_job(self, memory, likes, monkeypatch):
        monkeypatch.setattr(
            "localrec.workspace.model_pool.ModelPool.open", lambda *_: ScriptedModel(["nonsense"])
        )
        likes("anna", "Negroni")
        assert told(memory("run", "--model", "--json"))["deeds"] == 1
        shown = told(memory("show", "--user", "anna", "--json"))["memory"]
        assert shown["provenance"]["by"] == "counts, since scripted failed"

    def test_that_is_not_here_is_named_before_anything_is_done(self, memory, likes, monkeypatch):
        def missing(*_):
            raise ModelError("The model is missing.", "localrec models pull smollm2-135m")

        likes("anna", "Negroni")
        with monkeypatch.context() as patch:
            patch.setattr("localrec.workspace.model_pool.ModelPool.open", missing)
            code, out, err = memory("run", "--model")
        assert (code, out) == (1, "")
        assert "models pull" in err
        assert told(memory("jobs", "--json"))["counts"]["waiting"] == 1


class TestRebuild:
    def test_makes_memories_of_everybody_without_jobs(self, memory, likes):
        likes("anna", "Negroni", "Gimlet", "Daiquiri")
        likes("bea", "Negroni")
        [report] = told(memory("rebuild", "--json"))["domains"]
        assert (report["domain"], report["people"], report["items"]) == ("cocktails", 2, 5)
        assert "lately Daiquiri, Gimlet and Negroni" in memory("show", "--user", "anna").out
        assert "people who like" in memory("show", "--item", "Negroni").out
        again = memory("rebuild", "--domain", "cocktails").out
        assert "new versions of memories: 0" in " ".join(again.split())

    def test_by_ctrl_c_says_how_to_go_on(self, memory, likes, monkeypatch):
        likes("anna", "Negroni")

        def stopped(*_):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr("localrec.memory.rebuild.item_memories", stopped)
            code, _, err = memory("rebuild")
        assert code == 130
        assert "Go on: localrec memory rebuild" in err
        assert told(memory("rebuild", "--json"))["domains"][0]["resumed"] is True

    def test_in_an_empty_place_says_what_to_do(self, cli, workspace_path):
        code, out, err = cli("--workspace", workspace_path, "memory", "rebuild")
        assert (code, out) == (1, "")
        assert "datasets pull" in err


class TestAPause:
    def test_lets_jobs_wait_until_it_ends(self, memory, likes):
        assert "paused" in memory("jobs", "--pause").out
        likes("anna", "Negroni")
        code, _, err = memory("run")
        assert code == 1
        assert "--resume" in err
        assert told(memory("jobs", "--resume", "--json"))["paused"] is False
        assert told(memory("run", "--json"))["deeds"] == 1


class TestAMemory:
    def test_that_is_edited_is_pinned_and_stays_as_written(self, memory, likes):
        likes("anna", "Negroni")
        told(memory("run", "--json"))
        edited = told(memory("edit", "--user", "anna", "--text", "Bitter, always.", "--json"))
        assert (edited["memory"]["source"], edited["memory"]["pinned"]) == ("person", True)
        likes("anna", "Gimlet")
        assert told(memory("run", "--json"))["skipped"] == 1
        assert "Bitter, always." in memory("show", "--user", "anna").out
        assert told(memory("unpin", "--user", "anna", "--json"))["memory"]["pinned"] is False
        likes("anna", "Daiquiri")
        told(memory("run", "--json"))
        versions = told(memory("history", "--user", "anna", "--json"))["versions"]
        assert [one["version"] for one in versions] == [3, 2, 1]
        assert versions[1]["text"] == "Bitter, always."

    def test_may_be_an_items_and_come_from_a_pipe(self, memory, monkeypatch):
        monkeypatch.setattr("sys.stdin", io.StringIO("For the\nfirst hour.\n"))
        assert "For the first hour." in memory("edit", "--item", "Negroni").out
        assert "pinned" in memory("history", "--item", "negroni").out

    def test_that_is_pinned_says_so(self, memory, likes):
        likes("anna", "Negroni")
        told(memory("run", "--json"))
        assert "pinned" in memory("pin", "--user", "anna").out

    def test_that_is_not_there_is_no_error(self, memory, likes):
        likes("anna", "Negroni")
        assert "Nothing is remembered of anna" in memory("show", "--user", "anna").out
        assert told(memory("show", "--user", "anna", "--json"))["memory"] is None

    @pytest.mark.parametrize(
        ("arguments", "code", "complaint"),
        [
            (("show",), 2, "--user KEY or --item KEY"),
            (("show", "--user", "anna", "--item", "Negroni"), 2, "Name one"),
            (("show", "--user", "nobody"), 2, "Nobody called 'nobody' is known"),
            (("show", "--item", "Negrony"), 2, "Did you mean Negroni?"),
            (("edit", "--item", "Negroni", "--text", " \x1b[31m "), 1, "words that can be read"),
            (("edit", "--item", "Negroni", "--text", "word " * 250), 1, "room for 1,200 letters"),
            (("pin", "--item", "Negroni"), 1, "localrec memory edit"),
            (("jobs", "--pause", "--resume"), 2, "Say one of"),
        ],
    )
    def test_asked_for_wrongly_is_refused_with_a_remedy(self, memory, arguments, code, complaint):
        outcome = memory(*arguments)
        assert (outcome.code, outcome.out) == (code, "")
        assert complaint in outcome.err

    def test_goes_with_its_person(self, cli, memory, likes, own_workspace):
        likes("annabelle", "Negroni", "Americano")
        likes("bea", "Negroni")
        told(memory("run", "--json"))
        receipt = told(
            cli("--workspace", own_workspace, "forget", "--user", "annabelle", "--yes", "--json")
        )
        assert receipt["found"] == []
        assert receipt["rows"]["memory"] >= 1
        assert receipt["rows"]["job"] == 2


class TestRules:
    def test_are_shown_in_the_form_in_which_they_are_edited(self, memory, tmp_path):
        shown = memory("rules", "show")
        assert "Version 0, shipped" in shown.err
        path = tmp_path / "my.rules"
        path.write_text(shown.out, encoding="utf-8")
        edited = told(memory("rules", "edit", "--file", path, "--json"))
        assert (edited["version"], edited["source"]) == (1, "edited")
        again = memory("rules", "show")
        assert "Version 1, edited" in again.err
        assert again.out == shown.out

    def test_are_read_from_a_pipe_too(self, memory, monkeypatch):
        shown = memory("rules", "show").out
        for words in (("--file", "-"), ()):
            monkeypatch.setattr("sys.stdin", io.StringIO(shown))
            assert "edited" in memory("rules", "edit", *words).err
        assert told(memory("rules", "show", "--json"))["version"] == 2

    def test_that_are_wrong_change_nothing(self, memory, tmp_path):
        path = tmp_path / "my.rules"
        path.write_text('rules "x" for "cocktails"\n\nrule "y": run rm', encoding="utf-8")
        code, out, err = memory("rules", "edit", "--file", path)
        assert (code, out) == (1, "")
        assert "line 3" in err
        assert told(memory("rules", "show", "--json"))["version"] == 0

    def test_are_written_by_the_model_from_the_figures_of_the_domain(
        self, memory, likes, monkeypatch
    ):
        likes("anna", "Negroni", "Americano")
        likes("bea", "Negroni")
        written = [
            'if edge_weight > 0.5 for people then multiply score by 2.0 because "Ties hold."',
            "if metadata_overlap_score > 0.5 then multiply score by 1.5 "
            'because "What is in a drink tells most."',
            'if memory_similarity_score > 0.5 then multiply score by 1.2 because "Alike in words."',
            "enough",
        ]
        model = ScriptedModel(written)
        monkeypatch.setattr("localrec.workspace.model_pool.ModelPool.open", lambda *_: model)
        made = told(memory("rules", "generate", "--json"))
        assert (made["version"], made["source"], len(made["rules"]["rules"])) == (1, "model", 3)
        assert "2 people" in model.prompts[0][-1].content
        shown = memory("rules", "show")
        assert "Version 1, model" in shown.err
        assert "Ties hold." in shown.out

    def test_of_a_model_that_writes_none_leave_those_that_hold(self, memory, likes, monkeypatch):
        likes("anna", "Negroni")
        monkeypatch.setattr(
            "localrec.workspace.model_pool.ModelPool.open", lambda *_: ScriptedModel(["nonsense"])
        )
        assert memory("rules", "generate").code == 1
        assert told(memory("rules", "show", "--json"))["version"] == 0

    def test_for_another_domain_are_refused(self, memory, tmp_path):
        shown = memory("rules", "show").out.replace('for "cocktails"', 'for "books"')
        path = tmp_path / "my.rules"
        path.write_text(shown, encoding="utf-8")
        code, _, err = memory("rules", "edit", "--file", path, "--domain", "cocktails")
        assert code == 1
        assert 'rules "' in err


@pytest.mark.parametrize(
    "command",
    [("edit", "--text", "Likes it bitter."), ("pin",), ("unpin",), ("show",), ("history",)],
)
def test_nobody_s_memory_is_meant_by_mistake(memory, likes, command):
    likes("anna", "Negroni")
    outcome = memory(*command, "--user", "anne")
    assert (outcome.code, outcome.out) == (2, "")
    assert "Nobody called 'anne' is known here." in outcome.err
    assert "Did you mean anna?" in outcome.err
    assert json.loads(memory("history", "--user", "anna", "--json").out)["versions"] == []
