"""The HTML report in a real browser: plots are drawn, and nothing is asked of any network."""

import pytest

from localrec.evaluation.reporting.rendering import as_html

from .browser import open_browser
from .planted_report import EVIL, REPORT, SYSTEMS, questions_answered

VISIBLE = """
[...document.querySelectorAll('svg')].map(svg => {
  const box = svg.getBoundingClientRect();
  const marks = [...svg.querySelectorAll('.mark')].map(mark => mark.getBoundingClientRect());
  return {
    title: svg.querySelector('title').textContent,
    name: svg.getAttribute('aria-labelledby').split(' ')
      .map(id => document.getElementById(id).textContent).join(' '),
    width: box.width, height: box.height, marks: marks.length,
    drawn: marks.filter(one => one.width > 0 && one.height > 0).length,
    inside: marks.every(one => one.left >= box.left - 1 && one.right <= box.right + 1
                            && one.top >= box.top - 1 && one.bottom <= box.bottom + 1),
  };
})
"""
# Names that cover a mark or one another are not readable.
COVERED = """
[...document.querySelectorAll('svg')].flatMap(svg => {
  const names = [...svg.querySelectorAll('text')].map(one => [one.textContent,
    one.getBoundingClientRect()]);
  return names.flatMap(([text, a], place) => names.slice(place + 1)
    .filter(([_, b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
                     && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3)
    .map(([other]) => [text, other]));
})
"""
CONTRAST = """
(() => {
  const light = text => {
    const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3).map(Number)
      .map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const style = (what, of) => getComputedStyle(document.querySelector(what))[of];
  const panel = light(style('figure', 'backgroundColor'));
  return {
    text: ratio(panel, light(style('svg .name', 'fill'))),
    tick: ratio(panel, light(style('svg .tick', 'fill'))),
    note: ratio(panel, light(style('figcaption p', 'color'))),
    ours: ratio(panel, light(style('.bar.ours', 'fill'))),
    whisker: ratio(panel, light(style('.whisker', 'stroke'))),
    dark: panel < 0.2,
  };
})()
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with open_browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(as_html(REPORT), encoding="utf-8")
    return path


class TestPlots:
    @pytest.mark.parametrize("width", [1280, 800, 390])
    def test_are_drawn_with_every_mark_inside(self, browser, page, width):
        browser.open(page, width=width)
        plots = browser.ask(VISIBLE)
        assert [(one["title"], one["marks"]) for one in plots] == [
            ("Quality: H@10", len(SYSTEMS)),  # the broken one has no bar
            ("Quality: latency, ms (less is better)", len(SYSTEMS)),
            ("Quality against time", len(SYSTEMS)),
            ("Router", 4),
            ("Agreement", 4),
        ]
        for one in plots:
            assert one["width"] > 150, one
            assert one["height"] > 40, one
            assert one["drawn"] == one["marks"], one
            assert one["inside"], one

    def test_have_bars_as_long_as_their_figures(self, browser, page):
        browser.open(page)
        bars = browser.ask(
            "[...document.querySelector('svg').querySelectorAll('.bar')]"
            ".map(bar => bar.getBoundingClientRect().width)"
        )
        assert bars == pytest.approx([bars[0] * v / 0.08 for v in SYSTEMS.values()], rel=0.02)

    def test_have_names_that_do_not_cover_one_another(self, browser, page):
        browser.open(page)
        assert browser.ask(COVERED) == []

    def test_are_read_out_with_their_numbers(self, browser, page):
        browser.open(page)
        named = [one["name"] for one in browser.ask(VISIBLE)]
        assert "ours 0.0800 [0.0720, 0.0880]" in named[0]
        assert "C1, C2: 1" in named[3]

    def test_stand_beside_tables_with_their_numbers(self, browser, page):
        browser.open(page)
        figures = browser.ask(
            "[...document.querySelectorAll('figure')].map(one => "
            "[one.querySelectorAll('svg').length, one.querySelectorAll('table').length])"
        )
        assert figures == [[2, 1], [1, 1], [1, 1], [1, 1], [0, 1]]

    def test_never_make_the_page_wider_than_the_screen(self, browser, page):
        browser.open(page, width=390)
        assert browser.ask("document.documentElement.scrollWidth") <= 390


class TestARouter:
    CELLS = """
    (() => {
      const router = [...document.querySelectorAll('svg')]
        .find(svg => svg.querySelector('title').textContent === 'Router of marc');
      const cells = [...router.querySelectorAll('.mark')];
      return {
        shades: cells.map(one => parseFloat(getComputedStyle(one).fillOpacity)),
        sizes: cells.map(one => one.getBoundingClientRect()).map(box => box.width * box.height),
        texts: [...router.querySelectorAll('text')].map(one => one.textContent),
        table: [...router.closest('figure').querySelectorAll('tbody tr')]
          .map(row => [...row.children].map(cell => cell.textContent)),
      };
    })()
    """

    @pytest.fixture
    def cells(self, browser, truth, tmp_path):
        page = tmp_path / "report.html"
        page.write_text(as_html(questions_answered(truth)), encoding="utf-8")
        browser.open(page)
        assert set(browser.requested()) <= {page.as_uri(), "data:,"}
        return browser.ask(self.CELLS)

    def test_is_drawn_as_a_table_shaded_by_how_often(self, cells):
        shades = cells["shades"]
        assert len(shades) == 16
        assert all(size > 0 for size in cells["sizes"])
        c2_as_c2, c3_as_c1, c3_as_c3, c1_as_c1 = (shades[one] for one in (5, 8, 10, 0))
        assert c2_as_c2 > c3_as_c1 == c3_as_c3 > c1_as_c1

    def test_has_its_numbers_beside_it(self, cells):
        assert ["C3", "1", "0", "1", "0", "2", "50%"] in cells["table"]
        assert {"C1", "C2", "C3", "C4"} <= set(cells["texts"])


class TestColours:
    @pytest.mark.parametrize("dark", [False, True])
    def test_can_be_told_from_the_ground(self, browser, page, dark):
        browser.open(page, dark=dark)
        contrast = browser.ask(CONTRAST)
        assert contrast.pop("dark") is dark
        assert contrast.pop("ours") >= 3, contrast
        assert contrast.pop("whisker") >= 3, contrast
        assert min(contrast.values()) >= 4.5, contrast

    def test_change_with_the_theme(self, browser, page):
        browser.open(page, dark=False)
        light = browser.screenshot()
        browser.open(page, dark=True)
        assert browser.screenshot() != light


class TestNothingIsRequested:
    def test_by_the_report(self, browser, page):
        browser.open(page)
        assert set(browser.requested()) <= {page.as_uri(), "data:,"}
        assert browser.happened("Log.entryAdded") == []

    def test_even_if_a_tag_slipped_through(self, browser, page, tmp_path):
        broken = page.read_text("utf-8").replace("</main>", f"{EVIL}</main>")
        (tmp_path / "broken.html").write_text(broken, "utf-8")
        browser.open(tmp_path / "broken.html")
        assert browser.ask("document.querySelectorAll('img').length") == 1
        blocked = [one["blockedReason"] for one in browser.happened("Network.loadingFailed")]
        assert blocked == ["csp"] or not any("evil" in url for url in browser.requested())
        told = [one["entry"]["text"] for one in browser.happened("Log.entryAdded")]
        assert any("Content Security Policy" in text for text in told), told
        assert browser.ask("document.title") == REPORT.title

    def test_and_the_watch_would_see_it(self, browser, tmp_path):
        (tmp_path / "careless.html").write_text(EVIL, "utf-8")
        browser.open(tmp_path / "careless.html")
        assert "http://evil.test/a.png" in browser.requested()
        assert browser.ask("document.title") == "7"

    def test_and_names_are_shown_as_they_are(self, browser, page):
        browser.open(page)
        assert browser.ask("document.querySelectorAll('img, script').length") == 0
        assert "evil.test" in browser.ask("document.querySelector('main').textContent")
