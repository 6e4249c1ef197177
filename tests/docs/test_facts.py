"""Facts in the documentation that the code decides: files, variables, licences, exit codes."""

from __future__ import annotations

import json
import re
from importlib.metadata import PackageNotFoundError, metadata

import pytest

from .conftest import CHECKOUT, PAGES

PAPERS = (CHECKOUT / "docs" / "papers.md").read_text("utf-8")
SPOKEN = {
    "Apache-2.0": r"apache",
    "MIT": r"\bmit\b",
    "MIT-CMU": r"mit-cmu",
    "BSD-3-Clause": r"bsd",
    "LGPL-3.0-or-later": r"\blgpl",
}


@pytest.fixture
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(CHECKOUT / "scripts")


def test_every_file_of_the_index_of_papers_is_there():
    named = re.findall(r"`([\w/.-]+/[\w.-]+)`", PAPERS)
    assert len(named) > 60
    assert [name for name in named if not (CHECKOUT / name).exists()] == []


def test_every_equation_of_each_paper_has_a_row():
    _, marc, memrec, agenticrec = PAPERS.split("\n## ")
    assert set(re.findall(r"C\d", marc)) == {"C1", "C2", "C3", "C4"}
    found = {int(number) for number in re.findall(r"equation (\d)", memrec)}
    assert found == {1, 2, 3, 4, 5, 6}
    assert {"equation 1", "equation 2", "equations 3 to 5"} <= set(
        re.findall(r"equations? [\d to]+\d|equation \d", agenticrec)
    )


def test_every_variable_that_localrec_reads_is_documented(scripts):
    from configuration_page import VARIABLES

    read = {
        name
        for folder in ("localrec", "tui")
        for path in (CHECKOUT / folder).rglob("*.py")
        for name in re.findall(r'"(LOCALREC_\w+)"', path.read_text("utf-8"))
    } - {"LOCALREC_ON_A_LEASH", "LOCALREC_ARGUMENTS"}  # from a command to the jobs that it starts
    assert read == {name for name in VARIABLES if name.startswith("LOCALREC_")}


def test_each_package_has_the_licence_that_its_metadata_names(scripts):
    from sbom import LICENCES, requirements

    assert LICENCES.keys() == requirements().keys()
    for name, licence in LICENCES.items():
        try:
            found = metadata(name)
        except PackageNotFoundError:
            continue
        classified = [one for one in found.get_all("Classifier") or () if "License" in one]
        told = " ".join([found["License-Expression"] or "", found["License"] or "", *classified])
        assert not told.strip() or re.search(SPOKEN[licence], told.lower()), (name, told[:200])


def test_the_list_of_parts_is_valid_and_the_same_each_time(scripts):
    validation = pytest.importorskip("cyclonedx.validation.json")
    from cyclonedx.schema import SchemaVersion
    from sbom import FILE, bill_text

    kept = (CHECKOUT / "docs" / "sbom" / FILE).read_text("utf-8")
    assert bill_text() == bill_text() == kept
    checked = validation.JsonStrictValidator(SchemaVersion.V1_6)
    installed = bill_text(installed=True)
    assert checked.validate_str(kept) is None and checked.validate_str(installed) is None
    assert "version" in next(
        one for one in json.loads(installed)["components"] if one["name"] == "duckdb"
    )


def test_no_page_is_written_without_a_title():
    untitled = [
        path.name
        for path in PAGES
        if not re.search(r"^# \S", path.read_text("utf-8"), re.MULTILINE)
    ]
    assert untitled == []


def test_the_page_of_sources_links_the_page_of_measured_files_where_it_gives_figures():
    page = (CHECKOUT / "docs" / "sources.md").read_text("utf-8")
    (section,) = [one for one in page.split("\n## ") if one.startswith("How it was checked")]
    assert "](results/files.md#" in section
