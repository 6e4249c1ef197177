"""Which items a file is a picture of, whatever it is called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.item_images.file_matching import NamedItem, match_by_column, match_by_file_name

ITEMS = [
    NamedItem(1, "negroni", "Negroni", "img/Negroni.JPG"),
    NamedItem(2, "pina-colada", "Piña Colada", "https://example.org/media/pina.png?size=1"),
    NamedItem(3, "gin-and-tonic", "Gin & Tonic", r".\IMG\gt.webp"),
    NamedItem(4, "7", "Seven", "../../etc/passwd"),
    NamedItem(5, "fizz-a", "Fizz", "shared.png"),
    NamedItem(6, "fizz-b", "Fizz", "shared.png"),
]


class TestByFileName:
    @pytest.mark.parametrize(
        ("file", "node_ids"),
        [
            ("negroni.png", (1,)),
            ("deep/er/NEGRONI.webp", (1,)),
            ("Pina colada.jpg", (2,)),
            ("piña_colada.jpg", (2,)),
            ("Gin and Tonic.jpg", (3,)),
            ("gin-and-tonics.jpg", (3,)),
            ("7.jpg", (4,)),
            ("seven.jpg", (4,)),
            ("Fizz.jpg", (5, 6)),
            ("fizz-b.jpg", (6,)),
            ("negroni sbagliato.jpg", ()),
            ("readme", ()),
        ],
    )
    def test_case_accents_and_separators_do_not_matter(self, file, node_ids):
        assert match_by_file_name(ITEMS)(file).node_ids == node_ids

    def test_a_key_fits_more_exactly_than_a_name(self):
        match = match_by_file_name(ITEMS)
        assert match("negroni.png").rank < match("Negroni.png").rank < match("Negronis.png").rank


class TestByColumn:
    @pytest.mark.parametrize(
        ("file", "node_ids"),
        [
            ("IMG/negroni.jpg", (1,)),
            ("elsewhere/negroni.jpg", (1,)),
            ("pina.png", (2,)),
            ("img/gt.webp", (3,)),
            ("shared.png", (5, 6)),
            ("negroni.png", ()),
        ],
    )
    def test_a_cell_names_a_path_an_address_or_a_bare_name(self, file, node_ids):
        assert match_by_column(ITEMS)(file).node_ids == node_ids

    def test_the_whole_path_fits_more_exactly_than_the_bare_name(self):
        match = match_by_column(ITEMS)
        assert match("img/negroni.jpg").rank < match("other/negroni.jpg").rank


@given(st.lists(st.text(max_size=20), max_size=6), st.text(min_size=1, max_size=20))
def test_no_name_and_no_cell_breaks_the_matching(cells, file):
    items = [NamedItem(place, f"k{place}", cell or "x", cell) for place, cell in enumerate(cells)]
    for match in (match_by_file_name(items), match_by_column(items)):
        assert set(match(file).node_ids) <= set(range(len(items)))
