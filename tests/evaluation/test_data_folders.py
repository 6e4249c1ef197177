"""Somebody's data set is evaluated from its folder: all items, drawn ones, or given negatives."""

from __future__ import annotations

import json

import pytest

from localrec.cli.app import run
from localrec.evaluation.configs import RunConfig, parse_config
from localrec.evaluation.data_folders import SYSTEMS, folder_config
from localrec.foundation.errors import InputError

USERS, ITEMS, EACH = 30, 24, 6


def met(user):
    """Each user goes round the items from somewhere, always to the next one."""
    return [f"i{(user + step) % ITEMS:02}" for step in range(EACH)]


@pytest.fixture
def folder(tmp_path):
    """A tiny data set as RecBole writes it, with a name that no run may have."""
    made = tmp_path / "My Things!"
    made.mkdir()
    lines = ["user_id:token\titem_id:token\ttimestamp:float"]
    for user in range(USERS):
        lines += [f"u{user}\t{item}\t{1e9 + 86400 * n}" for n, item in enumerate(met(user))]
    (made / "things.inter").write_text("\n".join(lines), encoding="utf-8")
    items = ["item_id:token\ttitle:token_seq\tcategories:token_seq"]
    items += [f"i{item:02}\tThing {item}\tc{item % 3}" for item in range(ITEMS)]
    (made / "things.item").write_text("\n".join(items), encoding="utf-8")
    return made


@pytest.fixture
def negatives(tmp_path):
    """Five items of each user that they never met."""

    def write(**changed):
        lines = {}
        for user in range(USERS):
            others = [f"i{item:02}" for item in range(ITEMS) if f"i{item:02}" not in met(user)]
            lines[f"u{user}"] = " ".join(others[:5])
        path = tmp_path / "negatives.txt"
        told = (lines | changed).items()
        path.write_text("\n".join(f"{user}\t{items}" for user, items in told if items))
        return path

    return write


@pytest.fixture
def evaluate(workspace_path, capsysbinary):
    workspace_path.mkdir()

    def call(*arguments, fails=False):
        capsysbinary.readouterr()
        code = run(["--json", "--workspace", str(workspace_path), "evaluate", *map(str, arguments)])
        out, err = capsysbinary.readouterr()
        if fails:
            assert code != 0
            return err.decode()
        assert code == 0, err.decode()
        return json.loads(out)

    return call


def figures(found):
    return {one["name"]: one["metrics"] for one in found["systems"]}


FEW = ("--system", "popularity", "--system", "item-knn", "--system", "auto-counted")


def test_a_folder_is_ranked_in_full_and_the_workspace_stays_empty(evaluate, folder, workspace_path):
    found = figures(evaluate("run", folder, *FEW))
    assert set(found) == {"popularity", "item-knn", "auto-counted"}
    assert found["item-knn"]["H@10"]["value"] > 0.9  # the next of a round
    assert found["item-knn"]["H@10"]["value"] > found["popularity"]["H@10"]["value"]
    assert not (workspace_path / "store.duckdb").exists()
    assert (workspace_path / "runs" / "my-things-full" / "report.md").is_file()


def test_the_learnt_default_is_among_what_is_measured(evaluate, folder):
    found = figures(evaluate("run", folder, "--system", "auto"))
    assert found["auto"]["H@10"]["value"] > 0.9


def test_drawn_candidates_are_as_many_as_asked_for(evaluate, folder, workspace_path):
    evaluate("run", folder, "--candidates", 4, "--system", "random")
    lines = (workspace_path / "runs" / "my-things-4" / "cases-random.jsonl").read_text()
    assert {json.loads(line)["pool"] for line in lines.splitlines()} == {4}


def test_given_negatives_are_what_is_ranked(evaluate, folder, negatives, workspace_path):
    evaluate("run", folder, "--negatives", negatives(), "--system", "random")
    cases = (workspace_path / "runs" / "my-things-given" / "cases-random.jsonl").read_text()
    for line in map(json.loads, cases.splitlines()):
        user = int(line["person"][1:])
        others = [f"i{item:02}" for item in range(ITEMS) if f"i{item:02}" not in met(user)]
        assert line["pool"] == 6
        assert set(line["top"]) == {met(user)[-1], *others[:5]}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"u3": "i00 i01"}, "negatives, where the first line has 5"),
        ({"u3": ""}, "no negatives of u3"),
        ({"u3": "i10 i11 i12 i13 i99"}, "nobody met i99"),
        ({"u3": "i03 i11 i12 i13 i14"}, "i03 is a given negative of u3, who met it"),
    ],
)
def test_negatives_that_cannot_be_ranked_are_refused(evaluate, folder, negatives, changed, said):
    path = negatives(**changed)
    assert said in evaluate("run", folder, "--negatives", path, "--system", "random", fails=True)


def test_a_run_goes_on_without_reading_the_folder_again(evaluate, folder):
    first = figures(evaluate("run", folder, "--system", "popularity"))
    for file in folder.glob("*.item"):
        file.unlink()
    again = figures(evaluate("run", folder, "--system", "popularity"))
    assert again["popularity"]["H@10"] == first["popularity"]["H@10"]


def test_what_a_folder_declares_is_a_file_that_can_be_run(folder):
    declared, text = folder_config(folder)
    assert parse_config(text, folder) == declared
    assert isinstance(declared, RunConfig)
    assert [one.name for one in declared.systems] == list(SYSTEMS)
    assert [one.name for one in declared.systems if one.kind == "ranker"] == ["auto"]


def test_a_name_with_quotes_breaks_no_line(folder):
    with pytest.raises(InputError, match="does not declare a run"):
        folder_config(folder, systems=['a"]\nname = "b'])


def test_a_folder_without_a_history_is_refused(evaluate, folder):
    for file in folder.glob("*.inter"):
        file.unlink()
    assert "holds nobody's history" in evaluate("run", folder, fails=True)


def test_the_options_of_a_folder_are_refused_for_a_file(evaluate):
    said = evaluate("run", "ml-100k-baselines-20", "--candidates", 4, fails=True)
    assert "for folders of data" in said
