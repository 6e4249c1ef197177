"""What can be pulled, what is here, and what is wrong: for people and for scripts."""

import json

import pytest

from localrec.llm.model_catalog import load_catalog
from localrec.sources.dataset_catalog import load_datasets


def listed(cli, *arguments, code=0):
    ended, out, err = cli(*arguments, "--json")
    assert (ended, err) == (code, "")
    return json.loads(out)


def test_datasets_say_what_they_are_and_whether_they_need_a_network(cli):
    known = {one["name"]: one for one in listed(cli, "datasets", "list")}
    assert set(known) == set(load_datasets())
    for one in known.values():
        assert set(one) == {"name", "title", "domain", "licence", "network"}
        assert one["licence"]
    assert known["cocktails"]["network"] is False
    assert known["ml-100k"]["network"] is True


def test_models_say_what_they_are_and_whether_they_are_here(cli):
    known = {one["name"]: one for one in listed(cli, "models", "list")}
    assert set(known) == set(load_catalog())
    for one in known.values():
        assert set(one) == {"name", "kind", "title", "licence", "bytes", "here"}
        assert one["bytes"] > 0
        assert one["licence"]


def test_a_model_that_was_not_pulled_is_not_here(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("LOCALREC_CACHE", str(tmp_path))
    assert not any(one["here"] for one in listed(cli, "models", "list"))
    (name, *_) = load_catalog()
    code, out, err = cli("models", "check", name)
    assert (code, out) == (1, "")
    assert f"localrec models pull {name}" in err


HINT = "Models that see pictures are in no package index: docs/pictures.md says how to add one.\n"


@pytest.mark.parametrize("what", ["datasets", "models"])
def test_for_people_it_is_a_table_with_every_name(cli, what):
    code, out, err = cli(what, "list")
    assert code == 0
    assert err == ("" if what == "datasets" else HINT)
    for name in load_datasets() if what == "datasets" else load_catalog():
        assert name in out


def test_the_bundled_drinks_need_no_network(cli, empty_workspace):
    code, out, err = cli("--workspace", empty_workspace, "datasets", "pull", "cocktails", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["kept"] >= 350
    assert cli("--workspace", empty_workspace, "ask", "a smoky drink").code == 0


def test_what_people_did_is_told_apart_from_films_and_people(
    cli, empty_workspace, tmp_path, monkeypatch
):
    files = {
        "item": "item_id:token\tmovie_title:token_seq\n1\tAlien\n2\tBabe\n3\tCasino\n",
        "user": "user_id:token\tage:token\n7\t24\n8\t53\n",
        "inter": "user_id:token\titem_id:token\trating:float\ttimestamp:float\n"
        "7\t1\t5\t881250949\n7\t2\t3\t881250950\n8\t1\t4\t881250951\n8\t1\t1\t881250952\n",
    }
    for ending, text in files.items():
        (tmp_path / f"ml-100k.{ending}").write_text(text, encoding="utf-8")
    monkeypatch.setattr(
        "localrec.sources.dataset_catalog.fetch_dataset", lambda name, progress: tmp_path
    )
    code, _, told = cli("--workspace", empty_workspace, "datasets", "pull", "ml-100k")
    assert code == 0
    assert "3 films and 3 interactions with them are in" in told  # one rating was given twice


@pytest.mark.parametrize("command", [("datasets", "pull"), ("models", "pull")])
def test_an_unknown_name_is_answered_with_the_known_ones(cli, workspace_path, command):
    code, out, err = cli("--workspace", workspace_path, *command, "no-such-thing")
    assert (code, out) == (1, "")
    assert "Known: " in err
    assert not workspace_path.exists()


class TestTheDoctor:
    def states(self, cli, workspace, code=0):
        found = listed(cli, "--workspace", workspace, "doctor", code=code)
        return {one["what"]: one for one in found}

    def test_finds_a_full_workspace_well(self, cli, workspace):
        found = self.states(cli, workspace)
        assert found["catalogue cocktails"]["state"] == "ok"
        assert "5 items" in found["catalogue cocktails"]["detail"]
        assert found["duckdb"]["state"] == found["Python"]["state"] == "ok"

    def test_says_how_to_fill_an_empty_one_and_leaves_it_empty(self, cli, workspace_path):
        assert "datasets pull" in self.states(cli, workspace_path)["workspace"]["remedy"]
        assert not workspace_path.exists()

    def test_finds_what_is_broken_and_the_remedy(self, cli, own_workspace):
        (own_workspace / "store.duckdb").write_text("dear diary")
        found = self.states(cli, own_workspace, code=1)["workspace"]
        assert found["state"] == "broken"
        assert "store.duckdb" in found["detail"]
        assert found["remedy"]

    def test_tells_people_the_same(self, cli, workspace):
        code, out, err = cli("--workspace", workspace, "doctor")
        assert (code, err) == (0, "")
        assert "catalogue cocktails: 5 items" in out
