"""Reports as text: three forms with the same numbers, whatever stands in names."""

import re
from html import unescape
from html.parser import HTMLParser

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from localrec.evaluation.reporting.axes import Axis, axis_over
from localrec.evaluation.reporting.number_format import digits_for, table_of, with_interval
from localrec.evaluation.reporting.rendering import (
    as_html,
    as_json,
    as_markdown,
    read_report,
    write_report,
)
from localrec.evaluation.reporting.report_records import BarPlot, MetricScale
from localrec.evaluation.reporting.template_engine import render_text
from localrec.evaluation.statistics import IntervalEstimate

from .planted_report import BARS, CONFUSION, EVIL, REPORT, SCATTER, figure

ELEMENT = '<p title="{{ value }}">{{ text }}</p>'


class Addresses(HTMLParser):
    """Everything that an element of a page points to."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found += [
            value for name, value in attrs if name in {"href", "src", "srcset", "action"}
        ]


class TestForms:
    def test_all_hold_every_number_of_every_table(self):
        html, markdown = as_html(REPORT), as_markdown(REPORT)
        for section in REPORT.sections:
            for block in section.blocks:
                if isinstance(block, BarPlot):
                    cells = [cell for row in table_of(block).rows for cell in row[1:]]
                    assert len(cells) == 10
                    assert all(f">{cell}<" in html for cell in cells)
                    assert all(cell in markdown for cell in cells)

    def test_json_is_read_back_as_it_was(self):
        assert read_report(as_json(REPORT)) == REPORT

    def test_something_else_is_no_report(self):
        with pytest.raises(msgspec.ValidationError):
            read_report(b'{"title": 1}')

    def test_are_written_whole_for_their_owner(self, tmp_path):
        paths = write_report(REPORT, tmp_path)
        assert [path.name for path in paths] == ["report.html", "report.md", "report.json"]
        assert sorted(tmp_path.iterdir()) == sorted(paths)
        assert all(path.stat().st_mode & 0o077 == 0 for path in paths)

    def test_a_report_without_anything_is_a_page_too(self):
        empty = msgspec.structs.replace(REPORT, sections=())
        assert "<main></main>" in as_html(empty)
        assert as_markdown(empty).startswith("# A planted report\n")


class TestHtml:
    def test_holds_no_tag_that_a_name_brought(self):
        assert EVIL not in as_html(REPORT)
        assert not re.search(r"<(script|img|iframe|object|base|form)\b", as_html(REPORT))

    def test_names_no_address_outside_itself(self):
        reader = Addresses()
        reader.feed(as_html(REPORT))
        assert set(reader.found) == {"data:,", "#part-1", "#part-2"}
        assert "url(" not in as_html(REPORT)

    def test_policy_allows_its_own_style_and_nothing_else(self):
        policy = re.search(r'Content-Security-Policy" content="([^"]+)"', as_html(REPORT))[1]
        rules = dict(rule.strip().split(" ", 1) for rule in unescape(policy).split(";"))
        style = rules.pop("style-src")
        assert re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", style)
        assert rules.pop("img-src") == "data:"
        assert rules == dict.fromkeys(("default-src", "base-uri", "form-action"), "'none'")

    def test_ids_are_unique_and_every_label_finds_its_own(self):
        html = as_html(REPORT)
        ids = re.findall(r' id="([^"]+)"', html)
        assert len(ids) == len(set(ids))
        labels = [
            name for names in re.findall(r'labelledby="([^"]+)"', html) for name in names.split()
        ]
        assert labels
        assert set(labels) <= set(ids)

    @given(st.text(), st.text())
    @example('"1<2>', '" onload="1<2')
    def test_text_and_attributes_cannot_break_out(self, text, value):
        made = render_text(ELEMENT, text=text, value=value)
        assert made.startswith('<p title="')
        assert made.count("<") == 2
        assert made.count('"') == 2

    def test_letters_that_would_turn_the_page_around_are_left_out(self):
        hostile = "a\u202eb\x1b[2Jc"
        assert render_text(ELEMENT, text=hostile, value=hostile) == '<p title="abc">abc</p>'


class TestMarkdown:
    def test_a_bar_in_a_name_does_not_part_cells(self):
        assert r"| a\|b | **1** |" in as_markdown(REPORT).splitlines()

    def test_holds_no_html(self):
        assert not re.search(r"(?<!\\)<", as_markdown(REPORT))


class TestNumbers:
    @pytest.mark.parametrize(
        ("values", "digits"),
        [
            ([0.058, 0.004], 4),
            ([0.5, 0.01], 3),
            ([4.1], 2),
            ([45.0], 1),
            ([1200.0], 0),
            ([None], 3),
        ],
    )
    def test_of_a_column_have_as_many_digits_as_the_largest_needs(self, values, digits):
        assert digits_for(values) == digits

    def test_carry_their_interval(self):
        assert with_interval(IntervalEstimate(0.5, 0.4, 0.6, 9), 2) == "0.50 [0.40, 0.60]"
        assert with_interval(IntervalEstimate(None, None, None, 0), 2) == "-"

    def test_the_best_is_stressed_in_the_direction_of_its_scale(self):
        assert table_of(BARS).strong == ((0, 1), (1, 2))

    def test_nothing_is_best_where_all_are_equal(self):
        equal = BarPlot(
            title="", scales=(MetricScale(name="x"),), rows={"a": (figure(1),), "b": (figure(1),)}
        )
        assert table_of(equal).strong == ()

    def test_of_a_confusion_are_summed_by_row(self):
        assert table_of(CONFUSION).rows == (
            ("C1", "9", "1", "10", "90%"),
            ("C2", "0", "5", "5", "100%"),
        )

    def test_of_a_scatter_are_all_there(self):
        assert [row[1] for row in table_of(SCATTER).rows] == ["0.0100", "0.100", "1.000", "10.0"]


class TestAxes:
    spans = st.floats(1e-6, 1e9)

    @given(st.lists(spans, min_size=1, max_size=20))
    def test_hold_all_values_in_order(self, values):
        axis = axis_over(values, 0, 100)
        places = [axis.at(value) for value in sorted(values)]
        assert places == sorted(places)
        assert all(axis.low <= value <= axis.high for value in values)
        assert all(0 <= place <= 100 for place in places)

    @given(st.lists(spans, min_size=1, max_size=20))
    def test_have_a_few_round_ticks_within(self, values):
        axis = axis_over(values, 0, 100)
        ticks = axis.ticks()
        assert 1 <= len(ticks) <= 12
        assert all(axis.low * 0.999 <= tick <= axis.high * 1.001 for tick in ticks)

    def test_are_logarithmic_where_values_span_decades(self):
        axis = axis_over([0.01, 100.0], 0, 100)
        assert axis.at(1.0) == pytest.approx(50)
        assert axis.ticks() == [0.01, 0.1, 1.0, 10.0, 100.0]

    def test_can_rise(self):
        assert Axis(0, 10, 100, 0).at(2.5) == 75

    @pytest.mark.parametrize(
        ("value", "text"), [(0.05, "0.05"), (1500.0, "1.5k"), (2e6, "2M"), (0.0, "0")]
    )
    def test_ticks_are_short(self, value, text):
        assert Axis.label(value) == text
