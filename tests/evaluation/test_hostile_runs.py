"""Configurations, cases and runs of somebody who means harm: refused in a sentence, or harmless."""

import msgspec
import pytest

from localrec.engines.execution import open_engine
from localrec.evaluation.configs import load_config
from localrec.evaluation.provenance import Origin
from localrec.evaluation.questions.gold import read_gold
from localrec.evaluation.reporting.rendering import as_html, as_markdown
from localrec.evaluation.run_folder import RunFolder
from localrec.foundation.errors import InputError, UsageError

from .planted_report import REPORT

DEEP = "[" * 100_000 + "]" * 100_000
RUN = """
name = "{name}"
title = "{title}"
data = {{domain = "movies"}}
systems = [{{name = "{system}"}}]
{more}
"""


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": "../../elsewhere"}, "at `$.name`"),
        ({"name": "/etc/passwd"}, "at `$.name`"),
        ({"name": "a\\\\b"}, "at `$.name`"),
        ({"name": "run\\n"}, "at `$.name`"),
        ({"name": ""}, "at `$.name`"),
        ({"system": "../cases"}, "at `$.systems[0].name`"),
        ({"title": "\\u001b[2J"}, "letters that cannot be shown"),
        ({"title": "\\u202Egpj"}, "letters that cannot be shown"),
        ({"more": f"z = {DEEP}"}, "recursion"),
        ({"more": "seed = " + "9" * 5_000}, "digits"),
        ({"more": "k = [1000000000000]"}, "at `$.k[0]`"),
        ({"more": "# " + "x" * (1 << 20)}, "longer than 1,048,576 bytes"),
    ],
)
def test_a_configuration_that_means_harm_is_refused(tmp_path, fields, said):
    path = tmp_path / "run.toml"
    filled = {"name": "run", "title": "", "system": "popularity", "more": "", **fields}
    path.write_text(RUN.format(**filled), encoding="utf-8")
    with pytest.raises(InputError, match="does not declare a run") as refused:
        load_config(str(path))
    assert said in str(refused.value)


def test_a_path_that_no_file_can_have_is_refused():
    with pytest.raises(InputError):
        load_config("a\0b")


BOMBS = [
    b'{"id":"1","unknown":' + DEEP.encode() + b"}",
    b'{"id":"1","\xed\xa0\x80":1}',
    b'{"id":' + b"9" * 100_000 + b"}",
    b"\x1f\x8b\x08\x00",
]


@pytest.mark.parametrize("line", BOMBS)
def test_a_line_of_cases_that_means_harm_is_named(tmp_path, line):
    path = tmp_path / "cases-ours.jsonl"
    path.write_bytes(line + b"\n")
    for read in (RunFolder(tmp_path).outcomes, RunFolder(tmp_path).case_lines):
        with pytest.raises(InputError, match=r"cases-ours\.jsonl, line 1 is no case"):
            read("ours")


def test_a_run_that_means_harm_is_none(tmp_path):
    (tmp_path / "origin.json").write_text(f'{{"run":{{"questions":{DEEP}}}}}')
    with pytest.raises(InputError, match=r"origin\.json is no part of a run"):
        RunFolder(tmp_path).any_origin()
    system = {"name": "../../x", "settings": {}, "fit_s": 0, "score_s": 0, "cases": 0}
    metrics = {"complete": True, "systems": [{**system, "metrics": {}}]}
    (tmp_path / "metrics.json").write_bytes(msgspec.json.encode(metrics))
    with pytest.raises(InputError, match=r"metrics\.json is no part of a run"):
        RunFolder(tmp_path).metrics()


def test_gold_questions_without_an_end_are_not_read_to_it(tmp_path):
    path = tmp_path / "endless.jsonl"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a hole, which takes no room on disk
    with pytest.raises(InputError, match="is larger than"):
        read_gold(path, "dev")


def test_names_cannot_steer_a_terminal_or_a_page():
    command = "`<img src=x>\x1b[2J\u202egpj`"
    origin = Origin(command=command, date="2026-11-22", versions={}, machine="2")
    report = msgspec.structs.replace(REPORT, title="a\x1b[2Jb\u202ec", origin=origin)
    for page in (as_html(report), as_markdown(report)):
        assert not {"\x1b", "\u202e"} & set(page)
        assert "<img" not in page.replace("\\<", "")


@pytest.mark.parametrize(
    "address",
    ["local", "ray://a.example:10001", "http://a.example", "a.example", "-x:1", "a:1\n", "a b:1"],
)
def test_an_address_of_no_running_cluster_is_refused_before_ray_starts(address):
    with (
        pytest.raises(UsageError, match="no address of a Ray cluster"),
        open_engine("ray", 1, address),
    ):
        pass
