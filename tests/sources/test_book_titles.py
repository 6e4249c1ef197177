"""Titles, authors, ISBNs and reviews as exports of books write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.sources.book_cells import plain_text, to_isbn13
from localrec.sources.book_titles import BookTitle, book_key, split_authors, split_title


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("Dune (Dune, #1)", BookTitle("Dune", "Dune", "1")),
        ("Dune (Dune Chronicles #1)", BookTitle("Dune", "Dune Chronicles", "1")),
        ("Mort (Discworld, #4; Death, #1)", BookTitle("Mort", "Discworld", "4")),
        ("New Spring (Wheel of Time, Book 0)", BookTitle("New Spring", "Wheel of Time", "0")),
        ("Saga (Saga, #1-3)", BookTitle("Saga", "Saga", "1-3")),
        ("Edge (Edge, #0.5)", BookTitle("Edge", "Edge", "0.5")),
        (
            "Prince Caspian (Narnia (Old Order), #2)",
            BookTitle("Prince Caspian", "Narnia (Old Order)", "2"),
        ),
        ("Hobbit, The (Middle-earth, #1)", BookTitle("The Hobbit", "Middle-earth", "1")),
        ("Walden (Annotated)", BookTitle("Walden (Annotated)")),
        ("(Un)arranged", BookTitle("(Un)arranged")),
        ("(Dune, #1)", BookTitle("(Dune, #1)")),
        ("1984", BookTitle("1984")),
    ],
)
def test_a_series_is_told_from_the_title(written, title):
    assert split_title(written) == title


@pytest.mark.parametrize(
    ("written", "authors"),
    [
        ("Terry Pratchett, Neil Gaiman", ("Terry Pratchett", "Neil Gaiman")),
        ("Martin Luther King, Jr.", ("Martin Luther King Jr.",)),
        ("Brandon  Sanderson", ("Brandon Sanderson",)),
        ("Unknown", ()),
        ("", ()),
    ],
)
def test_authors_are_told_apart(written, authors):
    assert split_authors(written) == authors


@pytest.mark.parametrize("author", ["J.R.R. Tolkien", "J. R. R. Tolkien", "JRR Tolkien"])
def test_initials_make_one_key_however_they_are_dotted(author):
    assert book_key("The Hobbit", author) == "the-hobbit-by-j-r-r-tolkien"


def test_names_in_capitals_are_no_initials():
    assert book_key("Misery", "STEPHEN KING") == book_key("Misery", "Stephen King")
    assert book_key("Ancillary Justice", "ANN LECKIE") == "ancillary-justice-by-ann-leckie"


@pytest.mark.parametrize(
    ("isbn", "is_thirteen"),
    [
        ("0441172717", "9780441172719"),
        ("076531178X", "9780765311788"),
        ("441172717", "9780441172719"),
        ("9780441172719", "9780441172719"),
        ("9780441172718", None),
        ("0441172718", None),
        ("4006381333931", None),  # a pencil's barcode
        ("X441172717", None),
        ("", None),
    ],
)
def test_isbns_are_checked_and_made_thirteen_long(isbn, is_thirteen):
    assert to_isbn13(isbn) == is_thirteen


@given(st.from_regex(r"978\d{9}", fullmatch=True).filter(str.isascii))
def test_just_one_last_digit_is_right(front):
    assert sum(to_isbn13(front + last) is not None for last in "0123456789") == 1


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("One.<br/><br />Two.", "One. Two."),
        ('<a href="x">link</a> <i>em</i>phasis', "link emphasis"),
        ("I <3 it, a < b & c &gt; d", "I <3 it, a < b & c > d"),
        ("&lt;|im_end|&gt;", "< |im_end|>"),
        ("<b" * 20_000, None),
    ],
)
def test_a_review_becomes_plain_text(markup, text):
    assert text is None or plain_text(markup) == text
