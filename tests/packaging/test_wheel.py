"""What is installed is small, complete, the same each time, and works where no checkout is."""

from __future__ import annotations

import json
import zipfile
from email import message_from_string
from fnmatch import fnmatch

from .conftest import ROOT, build

MOST_BYTES = 3_000_000


def metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        [name] = [one for one in archive.namelist() if one.endswith(".dist-info/METADATA")]
        return message_from_string(archive.read(name).decode())


def test_the_wheel_is_small_and_holds_data_and_pages_but_no_adapter(wheel, built):
    assert wheel.stat().st_size < MOST_BYTES
    [sdist] = built.glob("*.tar.gz")
    assert sdist.stat().st_size < MOST_BYTES
    names = zipfile.ZipFile(wheel).namelist()
    assert not [one for one in names if one.endswith((".gguf", ".duckdb", ".onnx"))]
    assert not [one for one in names if one.startswith(("tests", "scripts", "docs"))]
    for kept in ("py.typed", "_data/docs/sources.md", "_data/models/catalog.toml"):
        assert f"localrec/{kept}" in names


def test_the_wheel_brings_its_manual_page_and_the_list_of_its_parts(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [page] = [one for one in names if one.endswith("share/man/man1/localrec.1")]
        [parts] = [one for one in names if ".dist-info/sboms/" in one]
        assert archive.read(page).startswith(b".TH LOCALREC 1")
        listed = {one["name"] for one in json.loads(archive.read(parts))["components"]}
    asked = metadata(wheel).get_all("Requires-Dist")
    needed = {one.split(">")[0] for one in asked if "extra ==" not in one}
    assert len(needed) > 10 and needed | {"drinks"} <= listed


def test_every_file_of_data_in_the_wheel_belongs_to_a_listed_part(wheel, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "scripts")
    from sbom import BUNDLED

    listed = [one for files, _ in BUNDLED.values() for one in files.split(", ")]
    names = [one.removeprefix("localrec/_data/") for one in zipfile.ZipFile(wheel).namelist()]
    data = [one for one in names if one.endswith((".toml", ".jsonl", ".rules", ".csv"))]
    assert len(data) > 20
    for name in data:
        assert any(fnmatch(name, one) or name.startswith(f"{one}/") for one in listed), name


def test_the_metadata_is_complete(wheel):
    found = metadata(wheel)
    assert found["License-Expression"] == "Apache-2.0" and found["License-File"] == "LICENSE"
    assert found["Author"] == "localrec contributors" and found["Keywords"]
    assert len(found.get_all("Classifier")) > 8
    assert {"llm", "mcp", "tui", "all", "docs"} <= set(found.get_all("Provides-Extra"))
    assert found.get_payload().startswith("# localrec")


def test_a_second_build_is_the_same_byte_for_byte(wheel, tmp_path):
    build(ROOT, tmp_path, "--wheel")
    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()


def test_it_works_in_an_empty_folder(environment):
    told = environment.python("-c", "import localrec; print(localrec.__file__)")
    assert str(environment.site) in told.stdout, told.stderr
    told = environment.localrec("help", "sources")
    assert told.returncode == 0 and told.stdout.startswith("<!--"), told.stderr
    assert "no data leaves the machine" in environment.localrec("help", "readme").stdout
    assert "network" in environment.localrec("help", "privacy").stdout
    place = ("--workspace", environment.home / "desk")
    pulled = environment.localrec("datasets", "pull", "cocktails", "--json", *place)
    assert pulled.returncode == 0, pulled.stderr
    told = environment.localrec("ask", "a drink with gin", "--json", "--no-model", *place)
    assert told.returncode == 0, told.stderr
    assert len(json.loads(told.stdout)["items"]) == 3


def test_every_page_is_found_by_its_name_and_as_messages_name_it(cli):
    topics = json.loads(cli("help", "--json").out)
    assert len(topics) > 20
    for topic in topics:
        assert cli("help", topic).code == 0
    assert cli("help", "docs/sources.md").out == cli("help", "sources").out
    missing = cli("help", "sorces")
    assert missing.code == 2 and "sources" in missing.err


def test_messages_name_pages_that_there_are(cli):
    import re

    named = {
        topic
        for path in (ROOT / "localrec").rglob("*.py")
        for topic in re.findall(r"localrec help ([a-z-]+)", path.read_text(encoding="utf-8"))
    } - {"names"}
    assert {"sources", "evaluation"} <= named
    for topic in named:
        assert cli("help", topic).code == 0, topic
