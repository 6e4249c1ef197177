"""`models bench` and `models list --roles`, over a tiny model and planted results."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

pytest.importorskip("torch")  # writes the tiny model

from localrec.evaluation.provenance import current_origin
from localrec.evaluation.statistics import compare, ratio_estimate
from localrec.foundation.errors import InputError
from localrec.foundation.role_holders import shipped_holders
from localrec.foundation.settings import (
    Settings,
    bind_role,
    load_settings,
    save_settings,
    with_figure,
)
from localrec.training.role_bench import bench
from localrec.training.role_bench.model_bench import shown_arguments
from localrec.training.role_bench.records import BenchReport, RoleResult, RoleSide


def result_of(role: str, model: float, rules: float, *, gold: bool = False) -> RoleResult:
    """A result over forty cases, each side right in its share of them."""
    ours, theirs = (
        [(float(number < 40 * share), 1.0) for number in range(40)] for share in (model, rules)
    )
    sides = [
        RoleSide(name=name, quality=ratio_estimate(parts), seconds=0.1)
        for name, parts in (("rules", theirs), ("toy", ours))
    ]
    return RoleResult(
        role=role,
        measure="it is right",
        cases=40,
        fingerprint="f",
        rules=sides[0],
        model=sides[1],
        difference=compare(ours, theirs),
        gold=gold,
    )


@pytest.fixture
def planted(monkeypatch):
    """A bench that found writer, judge and reflector won, router and slots on composed ones."""
    found = (
        *(result_of("writer", 1.0, 0.5), result_of("judge", 1.0, 0.1)),
        *(result_of("router", 0.9, 0.9, gold=True), result_of("router", 0.9, 0.2)),
        *(result_of("slots", 1.0, 0.1), result_of("reflector", 0.9, 0.5, gold=True)),
    )

    def measured(folder, model, adapters, roles, count, progress, command=(), gold=None):
        return BenchReport(
            model=model.stem,
            megabytes=1.0,
            sha256="0",
            adapters={},
            seed=1,
            results=found,
            empty=(),
            origin=current_origin("-m localrec", ["models", "bench", *command]),
        )

    monkeypatch.setattr(bench, "bench_model", measured)


def test_a_bench_measures_a_model_role_by_role_on_this_machine(cli, own_workspace, gguf, tmp_path):
    page = tmp_path / "models.md"
    asked = ("--roles", "writer,agent,image words", "--cases", "2", "--page", page, "--json")
    code, out, _ = cli("--workspace", own_workspace, "models", "bench", gguf, *asked)
    assert code == 0
    report = json.loads(out)["report"]
    assert [one["role"] for one in report["results"]] == ["writer"]
    assert report["results"][0]["rules"]["quality"]["value"] == 1.0
    assert [one["role"] for one in report["empty"]] == ["agent", "image words"]
    assert report["empty"][1]["line"]["cases"] == 2
    assert "projector" in report["empty"][1]["reason"]
    assert "--cases 2" in report["origin"]["command"]
    assert str(tmp_path) not in json.dumps(report)
    assert f"| {Path(gguf).stem} |" in page.read_text(encoding="utf-8")


def test_a_model_takes_the_roles_that_it_won_with_their_figures(cli, own_workspace, gguf, planted):
    call = ("--workspace", own_workspace, "models")
    code, out, err = cli(*call, "bench", gguf, "--adopt")
    assert code == 0
    assert "writer: it is right (40 cases)" in out
    assert "writer is played by" in err
    settings = load_settings(own_workspace)
    assert settings.roles == {"writer": str(gguf), "reflector": str(gguf)}
    assert settings.figures == {
        "writer": "1.000 against 0.500 of the rules, 40 cases",
        "reflector": "0.900 against 0.500 of the rules, 40 gold questions",
    }
    assert "router: it is right (40 gold questions)" in out
    assert "The model: better, which decides nothing: gold questions do." in out
    roles = {one["role"]: one for one in json.loads(cli(*call, "list", "--roles", "--json").out)}
    assert roles["writer"]["holder"] == str(gguf)
    assert roles["writer"]["figure"] == settings.figures["writer"]
    assert roles["router"]["holder"] == "rules"
    assert roles["router"]["measured"].startswith("docs/results/")


def test_nothing_changes_without_adopt_and_a_role_given_back_loses_its_figure(
    cli, own_workspace, gguf, planted
):
    call = ("--workspace", own_workspace, "models")
    assert cli(*call, "bench", gguf).code == 0
    assert load_settings(own_workspace).roles == {}
    assert cli(*call, "bench", gguf, "--adopt").code == 0
    assert cli(*call, "use", "writer", "rules").code == 0
    assert [*load_settings(own_workspace).figures] == ["reflector"]
    assert "bound by hand" in cli(*call, "list", "--roles").out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--roles", "oracle"), "no role 'oracle'"),
        (("--adapter", "question-router"), "names no role"),
        (("--adapter", "writer=question-router"), "was trained for router, and not for writer"),
    ],
)
def test_a_wrong_command_line_is_refused_with_a_remedy(cli, own_workspace, gguf, arguments, told):
    code, out, err = cli("--workspace", own_workspace, "models", "bench", gguf, *arguments)
    assert (code, out) == (2, "")
    assert told in err


def test_the_command_of_a_report_has_roles_and_no_folders():
    told = shown_arguments("/big/toy.gguf", ["router=/mine/r.gguf", "writer=w"], ["router"], 9)
    assert " ".join(told) == (
        "toy.gguf --adapter router=r.gguf --adapter writer=w --roles router --cases 9"
    )
    told = shown_arguments("toy", [], [], 9, Path("/mine/gold.jsonl"))
    assert " ".join(told) == "toy --cases 9 --gold gold.jsonl"


def test_without_gold_questions_it_is_told_how_to_write_some(cli, own_workspace, gguf, tmp_path):
    few = tmp_path / "gold.jsonl"
    few.write_text(
        '{"id": "q1", "query": "gin", "half": "dev", "task": "C3", "possible": true, '
        '"gold": {"include": ["gin"]}}\n',
        encoding="utf-8",
    )
    asked = ("--roles", "router", "--cases", "2", "--gold", few)
    code, out, _ = cli("--workspace", own_workspace, "models", "bench", gguf, *asked)
    assert code == 0
    assert "No gold questions fit this catalogue, and composed ones bind nobody" in out


def test_the_settings_keep_figures_and_a_binding_by_hand_drops_them(tmp_path):
    settings = with_figure(bind_role(Settings(), "writer", "toy"), "writer", 'a "good" one')
    save_settings(tmp_path, settings)
    assert load_settings(tmp_path) == settings
    assert bind_role(settings, "writer", "other").figures == {}


def test_a_role_that_nobody_bound_has_the_holder_that_ships(tmp_path, monkeypatch):
    assert Settings().holder_of("writer") == shipped_holders()["writer"].holder
    won = tmp_path / "roles.toml"
    won.write_text(
        '[writer]\nholder = "smollm2-135m"\nfigure = "f"\nmeasured = "m"\n', encoding="utf-8"
    )
    monkeypatch.setattr(
        "localrec.foundation.role_holders.shipped_holders", lambda: shipped_holders(won)
    )
    assert Settings().holder_of("writer") == "smollm2-135m"
    assert Settings(roles={"writer": "rules"}).holder_of("writer") == "rules"
    assert Settings().holder_of("judge") == "rules"


def test_a_damaged_file_of_holders_is_named(tmp_path):
    path = tmp_path / "roles.toml"
    path.write_text("[writer]\nholder = 3\n", encoding="utf-8")
    with pytest.raises(InputError, match="holders of roles"):
        shipped_holders(path)


def test_every_default_has_a_page_that_is_there():
    root = Path(__file__).parents[2]
    for role, one in shipped_holders().items():
        assert msgspec.structs.astuple(one)[1], role
        assert (root / one.measured).is_file()
