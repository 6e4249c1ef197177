"""The groups of calls: each does what its command does, and tells it as the command's JSON."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from localrec import AsyncWorkspace, InputError, ModelError, UsageError, Workspace


@pytest.fixture
def desk(bundled_workspace, tmp_path):
    shutil.copytree(bundled_workspace, tmp_path / "workspace")
    with Workspace(tmp_path / "workspace", hold_s=0.1) as opened:
        yield opened


@pytest.fixture
def told(cli, desk):
    """The JSON that a command prints about the same workspace."""

    def run(*arguments):
        desk.close()
        return json.loads(cli(*arguments, "--json", "--workspace", desk.folder).out)

    return run


class TestShelves:
    def test_what_is_added_is_there_with_its_mended_names(self, desk, told):
        made = desk.shelf.add("ana", "gin, campri, sweet vermouth")
        assert made.corrected == {"campri": "campari"} and len(made.shelf) == 3
        assert "ana" in made.notes[0]
        assert told("shelf", "list", "--user", "ana")["shelf"] == list(made.shelf)
        assert (
            sorted(desk.shelf("ana")) == sorted(made.shelf) == sorted(desk.shelf.list("ana").shelf)
        )

    def test_what_it_makes_is_what_the_command_says(self, desk, told):
        desk.shelf.add("ana", ["gin", "campari", "sweet vermouth"])
        printed = told("shelf", "show", "--user", "ana", "-k", "4")
        assert desk.shelf.show("ana", k=4).to_dict() == printed
        assert desk.shelf.show(have="gin, campari, sweet vermouth", k=4).to_dict() == printed

    def test_what_is_taken_off_is_gone_and_what_was_not_there_is_told(self, desk):
        desk.shelf.add("ana", "gin, campari")
        left = desk.shelf.remove("ana", "gin, rum")
        assert left.shelf == ("campari",) and "Not on the shelf" in left.notes[0]
        assert desk.shelf.clear("ana").shelf == ()
        with pytest.raises(InputError, match="is empty"):
            desk.shelf.show("ana")

    def test_one_shelf_has_to_be_named(self, desk):
        with pytest.raises(UsageError, match="a user, or what is at hand"):
            desk.shelf.show()
        with pytest.raises(UsageError, match="a user, or what is at hand"):
            desk.shelf.show("ana", have="gin")


class TestMemories:
    def test_jobs_are_worked_and_versions_kept(self, desk, told):
        desk.feedback("ana", "Negroni", "like")
        assert desk.memory.jobs().counts["waiting"] == 1
        assert desk.memory.run(use_model=False).events == 1
        counted = desk.memory.show(user="ana")
        assert counted.to_dict() == told("memory", "show", "--user", "ana")["memory"]
        mine = desk.memory.edit("Likes it bitter.", user="ana")
        assert mine.pinned and desk.memory("ana") == "Likes it bitter."
        assert [one.version for one in desk.memory.history(user="ana")] == [mine.version, 1]
        assert not desk.memory.unpin(user="ana").pinned
        assert desk.memory.pin(user="ana").pinned

    def test_paused_jobs_wait_until_they_are_resumed(self, desk):
        desk.feedback("ana", "Negroni", "like")
        assert desk.memory.jobs(pause=True).paused
        with pytest.raises(InputError, match="paused"):
            desk.memory.run(use_model=False)
        assert not desk.memory.jobs(resume=True).paused
        with pytest.raises(UsageError, match="Say one of"):
            desk.memory.jobs(pause=True, resume=True)

    def test_nothing_to_pin_is_refused_with_the_way_to_write_it(self, desk):
        with pytest.raises(InputError) as refused:
            desk.memory.pin(item="Negroni")
        assert "memory edit --item" in refused.value.hint

    def test_a_rebuild_counts_all_memories_of_a_domain(self, desk):
        desk.feedback("ana", "Negroni", "like")
        [report] = desk.memory.rebuild(domain="cocktails")
        assert report.users == 1 and desk.memory("ana")

    def test_rules_are_read_edited_and_versioned(self, desk, told):
        text = desk.memory.rules.text(domain="cocktails")
        saved = desk.memory.rules.edit(text)
        assert saved.version == 1 and saved.source == "edited"
        printed = told("memory", "rules", "show", "--domain", "cocktails")
        assert desk.memory.rules.show(domain="cocktails").to_dict() == printed["rules"]
        with pytest.raises(InputError, match="The text"):
            desk.memory.rules.edit("no rules at all")


class TestCatalogues:
    def test_lists_are_those_of_the_commands(self, desk, told):
        assert desk.models.list().to_rows() == told("models", "list")
        assert desk.models.roles().to_rows() == told("models", "list", "--roles")
        assert desk.datasets.list().to_rows() == told("datasets", "list")
        assert desk.domains.list().to_rows() == told("domains", "list")

    def test_a_role_is_bound_and_given_back(self, desk):
        assert desk.models.use("writer", "smollm2-135m") == "smollm2-135m"
        assert {one.role: one.holder for one in desk.models.roles()}["writer"] == "smollm2-135m"
        desk.models.use("writer", "rules")
        assert {one.role: one.holder for one in desk.models.roles()}["writer"] == "rules"
        with pytest.raises(UsageError, match="no role 'singer'"):
            desk.models.use("singer", "rules")

    def test_a_bundled_data_set_is_pulled_into_an_empty_folder(self, tmp_path):
        with Workspace(tmp_path / "fresh") as desk:
            assert desk.domains.list().to_rows()[0]["items"] == 0
            report = desk.datasets.pull("cocktails")
            assert report.kept > 300 and desk.domains() == ["cocktails"]
            assert desk.item("Negroni").domain == "cocktails"

    def test_a_domain_is_made_checked_and_removed(self, desk, tmp_path):
        table = tmp_path / "wines.csv"
        table.write_text("title,country,price\nA,Portugal,14\nB,Italy,19\n", encoding="utf-8")
        made = desk.domains.new("wines", table)
        assert made.columns.keys() == {"title", "country", "price"}
        assert desk.domains.check("wines").to_dict() == {
            "name": "wines",
            "problems": list(desk.domains.check("wines").problems),
        }
        with pytest.raises(UsageError, match="here already"):
            desk.domains.new("wines", table)
        assert desk.domains.new("wines", table, replace=True) == made
        assert desk.domains.remove("wines").to_dict() == {"name": "wines", "items": 0}
        with pytest.raises(UsageError, match="no domain of this workspace"):
            desk.domains.remove("wines")


class TestPictures:
    def test_a_folder_is_looked_at_and_listed(self, desk, tmp_path, told):
        from PIL import Image

        photos = tmp_path / "photos"
        photos.mkdir()
        Image.new("RGB", (64, 64), (200, 40, 20)).save(photos / "negroni.png")
        assert desk.images.add(photos, dry_run=True).fresh == 1 and not desk.images.list()
        desk.images.add(photos)
        assert [one.name for one in desk.images.list()] == ["Negroni"]
        assert desk.images.list().to_rows() == told("images", "list")
        assert desk.images.describe(use_model=False).left == 0

    def test_what_is_looked_for_has_to_be_said(self, desk):
        with pytest.raises(UsageError, match="either words or a picture"):
            desk.images.find()


class TestUpkeep:
    def test_the_doctor_finds_what_the_command_finds(self, desk, told):
        assert desk.doctor(privacy=True).to_rows() == told("doctor", "--privacy")
        found = {check.what: check.state for check in desk.doctor()}
        assert found["catalogue cocktails"] == "ok" and "broken" not in found.values()

    def test_too_little_to_learn_from_is_told(self, desk, told):
        [fit] = desk.learn(domain="cocktails")
        assert fit.rows == 0 and "too few" in fit.text
        assert {name: one.to_dict() for name, one in desk.learn.status().items()} == told(
            "learn", "--status"
        )

    def test_an_index_that_is_complete_embeds_nothing(self, desk):
        assert desk.index() == {"cocktails": 0}


class TestMeasuring:
    @pytest.fixture
    def run(self, desk, tmp_path):
        drinks = [row["key"] for row in desk.sql("select key from items limit 30").to_rows()]
        lines = ["user_id:token\titem_id:token\ttimestamp:float"]
        lines += [
            f"u{user}\t{drinks[(user * 7 + place * 3) % 30]}\t{place}"
            for user in range(12)
            for place in range(6)
        ]
        folder = tmp_path / "met"
        folder.mkdir()
        (folder / "met.inter").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return desk.evaluate(folder, systems=["popularity", "random"], name="small")

    def test_runs_are_listed_compared_and_exported(self, desk, run, told, tmp_path):
        assert [one.name for one in desk.evaluate.list() if one.state == "complete"] == ["small"]
        printed = told("evaluate", "list")
        assert desk.evaluate.list().to_rows() == printed["runs"] + printed["configs"]
        [compared] = desk.evaluate.compare("small:popularity", "small:random")
        assert (compared.ours, compared.theirs) == ("small:popularity", "small:random")
        files = desk.evaluate.export("small", tmp_path / "trec")
        assert files and all(file.is_file() for file in files)

    def test_what_explains_nothing_cannot_be_judged(self, desk, run):
        with pytest.raises(InputError, match="neither answers"):
            desk.evaluate.judge("small")

    def test_models_and_runs_that_are_not_there_are_refused(self, desk):
        with pytest.raises(ModelError, match="no model named"):
            desk.models.bench("nothing")
        for call in (desk.train.resume, lambda run: desk.train.refine(run, name="better")):
            with pytest.raises(InputError, match="no training run"):
                call("nothing")

    def test_settings_of_a_policy_and_of_its_requests_reach_the_training(self, desk, monkeypatch):
        from localrec.training.rl import policy_run

        asked = []

        def prepared(folder, config, progress):
            asked.append(config)
            raise InputError("far enough", "")

        monkeypatch.setattr(policy_run, "prepared", prepared)
        with pytest.raises(InputError, match="far enough"):
            desk.train.grpo(name="first", base="smollm2-135m", candidates=5, seed=3, steps=2)
        [config] = asked
        assert (config.base, config.steps, config.seed) == ("smollm2-135m", 2, 3)
        assert (config.episodes.candidates, config.episodes.seed) == (5, 3)

    def test_settings_of_changes_to_the_default_reach_the_training(self, desk, monkeypatch):
        from localrec.training.rl import from_default

        asked = []

        def prepared(folder, config, progress):
            asked.append(config)
            raise InputError("far enough", "")

        monkeypatch.setattr(from_default, "prepared", prepared)
        with pytest.raises(InputError, match="far enough"):
            desk.train.from_default(name="first", base="smollm2-135m", train=5, curriculum=False)
        [config] = asked
        assert (config.base, config.train, config.curriculum) == ("smollm2-135m", 5, False)
        with pytest.raises(InputError, match="no training run"):
            desk.train.from_default(name="second", refine="first")

    @pytest.mark.parametrize("name", ["init_from", "start"])
    def test_a_network_to_train_further_is_taken_under_its_old_name_too(
        self, desk, monkeypatch, name
    ):
        from localrec.training.reader import role_training

        asked = []
        monkeypatch.setattr(role_training, "train_reader", lambda *given: asked.append(given))
        desk.train.reader(["k.jsonl"], "roles.npz", epochs=2, **{name: "older.npz"})
        [(*_, config, _, network)] = asked
        assert (config.epochs, network) == (2, Path("older.npz"))

    def test_a_network_to_train_further_under_both_names_is_refused(self, desk):
        with pytest.raises(UsageError, match="Pass init_from alone"):
            desk.train.reader(["k.jsonl"], "roles.npz", init_from="a.npz", start="b.npz")


def test_groups_are_awaited_too(desk):
    async def told():
        async with AsyncWorkspace(desk.folder) as awaited:
            await awaited.shelf.add("ana", "gin")
            text = await awaited.memory.rules.text(domain="cocktails")
            return await awaited.shelf("ana"), await awaited.domains(), text

    desk.close()
    shelf, domains, text = asyncio.run(told())
    assert shelf == ["gin"] and domains == ["cocktails"] and text


def test_a_workspace_loads_a_group_when_it_is_used(tmp_path):
    import subprocess
    import sys

    program = (
        "import sys; from localrec import Workspace; desk = Workspace(sys.argv[1]); "
        "before = [m for m in sys.modules if m in ('localrec.api.shelves', 'duckdb', 'numpy')]; "
        "desk.shelf; print(before, 'localrec.api.shelves' in sys.modules)"
    )
    run = [sys.executable, "-c", program, str(tmp_path)]
    told = subprocess.run(run, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[] True"
