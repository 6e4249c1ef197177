"""The site that scripts/site builds: whole, readable from the disk, and without another machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

from tests.evaluation.browser import open_browser

from .conftest import CHECKOUT

pytest.importorskip("material")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site's folder."""
    out = tmp_path_factory.mktemp("site") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "-d", str(out)]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    told = subprocess.run(
        command, cwd=CHECKOUT, capture_output=True, text=True, env=env, check=False
    )
    assert told.returncode == 0, told.stdout + told.stderr
    return out


class Page(HTMLParser):
    """The links, the anchors and the loaded files of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors, self.loaded = [], set(), []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        """Note what a tag leads to."""
        given = dict(attributes)
        self.anchors |= {given.get("id"), given.get("name")}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif address := given.get("src") or (given.get("href") if tag == "link" else None):
            self.loaded.append(address)


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html"}


def followed(page, pages):
    """The pages that the links of a page lead to."""
    for link in pages[page].links:
        target = (page.parent / unquote(urlsplit(link).path)).resolve()
        if target in pages:
            yield target


def test_every_page_is_reached_from_the_first_in_two_clicks(site, pages):
    written = {path.relative_to(CHECKOUT / "docs") for path in (CHECKOUT / "docs").rglob("*.md")}
    assert {path.relative_to(site).with_suffix(".md") for path in pages} == written
    first = site / "index.html"
    one_click = set(followed(first, pages))
    two_clicks = {target for page in one_click for target in followed(page, pages)}
    assert pages.keys() == {first} | one_click | two_clicks


def test_every_link_leads_to_a_file_and_a_place_in_it(pages):
    dead = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = pages[target].anchors if target in pages else None
            if not target.exists() or (parts.fragment and known and parts.fragment not in known):
                dead.append((path.name, link))
    assert dead == []


def test_no_page_loads_anything_from_another_machine(site, pages):
    loaded = {urlsplit(address).scheme for page in pages.values() for address in page.loaded}
    assert loaded <= {"", "data"}
    styles = "".join(path.read_text("utf-8") for path in site.rglob("*.css"))
    assert not re.search(r"(url\(|@import )[\"']?https?:", styles)


@pytest.fixture
def browser(tmp_path):
    with open_browser(tmp_path) as opened:
        yield opened


_FOUND = """
new Promise((done) => {
  document.querySelector("[data-md-component=search-query]").focus();
  const look = () => {
    const found = document.querySelectorAll(".md-search-result__link").length;
    found ? done(found) : setTimeout(look, 50);
  };
  const field = document.querySelector("[data-md-component=search-query]");
  field.value = "receipt";
  field.dispatchEvent(new Event("input", {bubbles: true}));
  field.dispatchEvent(new KeyboardEvent("keyup", {bubbles: true}));
  look();
})
"""


def test_the_search_works_from_the_disk_and_asks_no_other_machine(site, browser):
    browser.open(site / "howto" / "books.html")
    assert browser.ask(_FOUND) > 0
    assert {urlsplit(address).scheme for address in browser.requested()} <= {"file", "data", "blob"}
