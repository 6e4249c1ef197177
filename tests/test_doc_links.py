"""Links in README and docs lead somewhere: to a file of the checkout, and to a heading in it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
PAGES = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def anchors(page):
    """The names that a page's headings go by in links."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


def broken(page):
    """Links of a page that lead nowhere."""
    for file, anchor in LINK.findall(FENCED.sub("", page.read_text("utf-8"))):
        target = (page.parent / file).resolve() if file else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            yield f"{file}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_somewhere(page):
    assert list(broken(page)) == []


def test_a_link_to_no_file_or_no_heading_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A heading, here\n[a](#a-heading-here) [b](no.md) [c](page.md#none)", "utf-8")
    assert list(broken(page)) == ["no.md#", "page.md#none"]


def test_every_extra_that_a_page_names_can_be_installed():
    declared = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    named = {
        extra.strip()
        for page in PAGES
        for extras in re.findall(r"(?:localrec|\"\.)\[([\w, -]+)\]", page.read_text("utf-8"))
        for extra in extras.split(",")
    }
    assert {"training", "mcp"} <= named
    assert named <= set(declared["optional-dependencies"])
