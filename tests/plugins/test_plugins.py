"""Plug-ins of other packages: found, used through the commands, and named when they are broken."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from localrec.foundation.errors import InputError
from localrec.foundation.plugins import (
    SOURCES,
    PluginError,
    find_plugin,
    installed_plugins,
    list_plugins,
    shipped_plugins,
)
from localrec.foundation.progress import no_progress
from localrec.graph.domain_files import known_domains, load_domain
from localrec.sources import open_source, source_kinds
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.testing.recommenders import cold_start_users, make_interactions
from localrec_tui.services.app_services import AppServices
from localrec_tui.services.records import IntentCorrection, QuestionRequest, RequestHandle

from .conftest import install

CONFIGURATION = """
name = "cups"
k = [1]
seed = 7
data = {domain = "tea"}
protocol = {split = "leave-one-out", candidates = 3, seed = 7}
systems = [{name = "latest"}, {name = "popularity"}, {name = "rare", kind = "ranker"}]
"""


def write_cups(path: Path) -> Path:
    """Six users drank six of eight teas each, on eight days."""
    teas = ["Sencha", "Assam", "Oolong", "Keemun", "Matcha", "Nilgiri", "Gyokuro", "Yunnan"]
    rows = [
        f"user{user},{tea},{leaf},{1 + (user + place) % 5},2024-05-{1 + place:02}"
        for user in range(6)
        for place, (tea, leaf) in enumerate(zip(teas, ["green", "black"] * 4, strict=True))
        if place not in (user, user + 1)
    ]
    path.write_text("\n".join(["drinker,tea,leaf,stars,day", *rows, ""]), encoding="utf-8")
    return path


class TestTheExampleOfTheDocumentation:
    def test_its_domain_source_system_and_recommender_serve_the_commands(self, tea, tmp_path, cli):
        home = tmp_path / "home"
        home.mkdir()
        (home / "settings.toml").write_text('embedder = "hashing"\n', encoding="utf-8")
        place = ("--workspace", home)
        cups = write_cups(tmp_path / "cups.csv")
        imported = cli("--json", "import", "auto", cups, *place)
        assert json.loads(imported.out)["kept"] == 36, imported.err
        answer = json.loads(cli("--json", "ask", "a green tea", *place).out)
        found = {item["name"] for item in answer["items"]}
        assert found < {"Sencha", "Oolong", "Matcha", "Gyokuro"}
        rarest = cli("--json", "ask", "a green tea", "-k", 1, "--system", "rare", *place)
        assert json.loads(rarest.out)["items"][0]["name"] == "Oolong", rarest.err
        listed = cli("--json", "recommend", "--user", "user1", "--system", "rare", *place)
        assert [item["name"] for item in json.loads(listed.out)["items"]] == ["Oolong", "Assam"]
        (tmp_path / "cups.toml").write_text(CONFIGURATION, encoding="utf-8")
        ran = cli("evaluate", "run", tmp_path / "cups.toml", "--out", tmp_path / "run", *place)
        assert ran.code == 0, ran.err
        for system in ("latest", "rare"):
            assert (tmp_path / "run" / f"cases-{system}.jsonl").read_text().count("\n") >= 6

    def test_its_system_answers_in_the_app(self, tea, tmp_path, cli):
        home = tmp_path / "home"
        home.mkdir()
        (home / "settings.toml").write_text('embedder = "hashing"\n', encoding="utf-8")
        cli("import", "auto", write_cups(tmp_path / "cups.csv"), "--workspace", home)
        services = AppServices(home, hold_s=0.05)
        asked = QuestionRequest(text="a green tea", k=1, system="rare")
        try:
            assert services.plugin_systems() == ("rare",)
            found = services.ask(asked, RequestHandle(), lambda items: None)
            assert [item.name for item in found.answer.items] == ["Oolong"]
            assert found.domain == "tea" and found.intent.constraints
            corrected = IntentCorrection(intent=found.intent)
            again = services.ask_intent(asked, corrected, RequestHandle(), lambda items: None)
            assert again.answer.items[0].name in {"Sencha", "Oolong", "Matcha", "Gyokuro"}
        finally:
            services.close()

    def test_its_recommender_tells_when_an_item_was_last_used(self, tea):
        from localrec_tea.latest import Latest, LatestConfig

        latest = Latest(LatestConfig())
        rows = [(0, 0, 5.0, 1), (0, 1, 5.0, 3), (1, 2, 5.0, 4), (1, 3, 5.0, 5)]
        log = make_interactions(rows, users=2, items=5)
        log.at[3] = np.datetime64("NaT")
        latest.fit(log, 0, no_progress)
        asked = cold_start_users([0])
        told = [latest.explain(asked, 0, item) for item in range(5)]
        assert [one.reasons[0].text for one in told] == [
            "Was last used 3 days ago.",
            "Was last used 1 day ago.",
            "Was last used 0 days ago.",
            "",
            "",
        ]
        assert told[3].notes == ("No day is known on which anybody used item 3.",)

    def test_it_keeps_the_contracts(self, tea):
        options = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-c", "none.ini")
        (tea / "none.ini").write_text("[pytest]\n")
        finished = subprocess.run(
            [sys.executable, "-m", "pytest", *options, "test_tea.py"],
            cwd=tea,
            capture_output=True,
            text=True,
            check=False,
        )
        assert finished.returncode == 0, finished.stdout

    def test_no_file_of_it_is_long(self, tea):
        assert all(len(one.read_text().splitlines()) < 100 for one in tea.rglob("*.py"))


class TestFinding:
    def test_what_ships_comes_first_and_in_its_order(self, tea):
        kinds = source_kinds()
        assert kinds == [*shipped_plugins(SOURCES), "tea-diary"]
        assert kinds[:6] == [
            "cocktails",
            "barassistant",
            "iba",
            "mrboston",
            "drinks",
            "goodreads",
        ]
        assert known_domains() == sorted(known_domains())
        assert {"cocktails", "movies", "tea"} <= {*known_domains()}

    def test_a_name_that_ships_cannot_be_taken(self, site):
        install(site, "thief", "1", {SOURCES: {"goodreads": "thief:Reader"}})
        plugin = find_plugin(SOURCES, "goodreads")
        assert plugin is not None
        assert plugin.package == "localrec"
        assert list_plugins(SOURCES)["goodreads"] == plugin

    def test_what_the_metadata_of_localrec_says_is_no_foreign_plugin(self, site):
        install(site, "localrec", "0", {SOURCES: {"stale": "localrec.gone:Reader"}})
        assert "stale" not in source_kinds()

    def test_an_unknown_kind_is_told_with_all_that_are_known(self, tea):
        with pytest.raises(InputError, match=r"goodreads.*tea-diary"):
            open_source("coffee")


class TestABrokenPackage:
    def test_is_named_when_it_is_used(self, site):
        (site / "cracked.py").write_text("raise RuntimeError('no luck')\n")
        install(site, "cracked", "1", {SOURCES: {"cracked": "cracked:Reader"}})
        with pytest.raises(PluginError, match=r"cracked:Reader of cracked .*no luck") as caught:
            open_source("cracked")
        assert "uninstall" in caught.value.hint

    def test_is_not_offered_in_the_app(self, tea, site):
        install(site, "broken", "1", {"localrec.systems": {"broken": "nowhere:SYSTEM"}})
        installed_plugins.cache_clear()
        assert SYSTEM_REGISTRY.plugin_names("answerer") == ["rare"]

    def test_leaves_the_other_plugins_alone(self, site):
        install(site, "cracked", "1", {SOURCES: {"cracked": "not_there:Reader"}})
        assert open_source("goodreads").kind == "goodreads"
        assert "cracked" in source_kinds()

    def test_a_domain_under_a_wrong_name_is_refused(self, tea):
        entries = {"localrec.domains": {"chai": "localrec_tea:PACK"}}
        install(tea, "chai", "1", entries)
        with pytest.raises(InputError, match="declares the domain 'tea', not 'chai'"):
            load_domain("chai")
