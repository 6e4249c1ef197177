"""The export of The StoryGraph: what each column becomes, and what bad cells and files cost."""

import re
import unicodedata
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from localrec.data.rows import Event
from localrec.foundation.bounded_files import FileLimits
from localrec.foundation.errors import InputError, UsageError
from localrec.graph.domain_files import load_domain
from localrec.sources.goodreads import GoodreadsSource
from localrec.sources.storygraph import StoryGraphSource
from tests.sources.book_exports import SAMPLES, goodreads, storygraph

BOOKS = load_domain("books")
TOMORROW = datetime.now(UTC) + timedelta(days=3)
SAVE_AS = "Save it as a plain CSV file in UTF-8 and import that."


def read(path, content, limits=None):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return StoryGraphSource(limits).read(path, BOOKS, "ann")


@pytest.fixture
def csv(tmp_path):
    return tmp_path / "storygraph.csv"


@pytest.fixture(scope="module")
def sample():
    return StoryGraphSource().read(SAMPLES / "storygraph" / "library.csv", BOOKS, "ann")


@pytest.fixture(scope="module")
def item(sample):
    return {item.name: item for item in sample.items}


@pytest.fixture(scope="module")
def done(sample):
    return {item.name: one for item, one in zip(sample.items, sample.interactions, strict=True)}


class TestTheSample:
    def test_keeps_quarters_of_a_star(self, done):
        dune = done["Dune"]
        assert (dune.event, dune.rating, dune.times) == (Event.RATED, 4.25, 2)
        assert (dune.at, dune.note) == (datetime(2022, 1, 9), "Sand, and more sand.")

    @pytest.mark.parametrize(
        ("name", "event"),
        [
            ("The Hobbit", Event.SEEN),
            ("Good Omens", Event.WANTED),
            ("Ulysses", Event.ABANDONED),
            ("The Left Hand of Darkness", Event.SEEN),
            ("Piranesi", Event.LATER),
        ],
    )
    def test_reads_an_event_from_the_status(self, done, name, event):
        assert (done[name].event, done[name].rating) == (event, None)

    def test_makes_moods_pace_and_tags_personal_genres(self, item):
        genres = [link for link in item["Dune"].links if link.kind == "genre"]
        assert all(link.personal for link in genres)
        assert [link.name for link in genres] == [
            *("adventurous", "challenging", "slow-paced", "plot-driven"),
            *("science fiction", "desert"),
        ]

    def test_links_every_author_and_none_of_the_narrators(self, item, sample):
        authors = [link.name for link in item["Good Omens"].links if link.kind == "author"]
        assert authors == ["Terry Pratchett", "Neil Gaiman"]
        assert item["Good Omens"].properties["creator"] == "Terry Pratchett"
        assert "Brick" not in repr(sample.items)

    def test_takes_the_last_day_of_the_ranges_where_no_other_is_told(self, done):
        assert done["The Hobbit"].at == datetime(2019, 7, 2)

    def test_takes_a_year_alone_as_its_first_day(self, done):
        assert done["Letter from Birmingham Jail"].at == datetime(2020, 1, 1)

    def test_keeps_isbns_and_no_other_identifiers(self, item):
        assert item["Dune"].properties["isbn13"] == "9780441172719"
        assert item["The Left Hand of Darkness"].properties["isbn13"] == "9780441478125"
        assert "isbn13" not in item["Good Omens"].properties  # an ASIN
        assert "isbn13" not in item["Ulysses"].properties  # a number of StoryGraph's own

    def test_keeps_content_warnings_out(self, sample):
        assert "Death" not in repr(sample)

    def test_tells_what_was_mended(self, sample):
        told = [(one.row, one.column, one.problem) for one in sample.report.problems]
        assert told == [(8, "Star Rating", "'0.25' is less than half a star; taken as 0.5")]


@pytest.mark.parametrize(
    ("here", "there"),
    [
        (
            {"Title": "Dune (Dune, #1)", "Author": "Frank Herbert"},
            {"Title": "Dune", "Authors": "Frank Herbert"},
        ),
        (
            {"Title": "The Hobbit", "Author": "J.R.R. Tolkien"},
            {"Title": "The Hobbit", "Authors": "J. R. R. Tolkien"},
        ),
        (
            {
                "Title": "Good Omens",
                "Author": "Terry  Pratchett",
                "Additional Authors": "N. Gaiman",
            },
            {"Title": "Good Omens", "Authors": "Terry Pratchett, Neil Gaiman"},
        ),
        (
            {"Title": "Harry Potter and the Philosopher’s Stone (Harry Potter, #1)"}
            | {"Author": "J.K. Rowling"},
            {"Title": "Harry Potter and the Philosopher's Stone", "Authors": "JK Rowling"},
        ),
        (
            {"Title": "Why We Can't Wait", "Author": "Martin Luther King Jr."},
            {"Title": "Why We Can't Wait", "Authors": "Martin Luther King, Jr."},
        ),
        (
            {"Title": "노르웨이의 숲", "Author": "무라카미 하루키"},
            {"Title": "노르웨이의 숲", "Authors": "무라카미 하루키"},
        ),
        (
            {"Title": "Les Misérables", "Author": "Victor Hugo"},
            {"Title": "Les Mise\u0301rables", "Authors": "Victor Hugo"},
        ),
    ],
)
def test_a_book_has_one_key_whichever_export_it_comes_from(tmp_path, here, there):
    other = tmp_path / "goodreads.csv"
    other.write_text(goodreads(here), encoding="utf-8")
    [one] = GoodreadsSource().read(other, BOOKS, "ann").items
    [two] = read(tmp_path / "storygraph.csv", storygraph(there)).items
    assert one.key == two.key


def test_who_it_is_must_be_said():
    with pytest.raises(UsageError) as refused:
        StoryGraphSource().read(SAMPLES / "storygraph" / "library.csv", BOOKS, None)
    assert str(refused.value) == (
        "An export of StoryGraph does not say whose it is. Name the person with --user."
    )


# What one cell costs: the cell, the line of the receipt.
CELLS = {
    "a rating of 11": ("Star Rating", "11", "'11' is no rating from 0 to 5; left out"),
    "a rating below none": ("Star Rating", "-1", "'-1' is no rating from 0 to 5; left out"),
    "a date in the future": (
        "Last Date Read",
        f"{TOMORROW:%Y/%m/%d}",
        f"'{TOMORROW:%Y/%m/%d}' lies in the future; left out",
    ),
    "an impossible date": ("Last Date Read", "2021/13/01", "'2021/13/01' is no date; left out"),
    "an impossible range": (
        "Dates Read",
        "2021/02/30",
        "'2021/02/30' is no date; left out",
    ),
    "a wrong check digit": ("ISBN/UID", "9780441172710", "'9780441172710' is no ISBN; left out"),
    "a count of words": ("Read Count", "many", "'many' is no number from 0 to 9999; left out"),
}


@pytest.mark.parametrize("name", CELLS)
def test_a_bad_cell_costs_the_cell_and_is_told(csv, name):
    column, cell, problem = CELLS[name]
    history = read(csv, storygraph({column: cell}))
    told = [(one.row, one.column, one.action, one.problem) for one in history.report.problems]
    assert told == [(2, column, "repaired", problem)]
    assert [(one.event, one.rating) for one in history.interactions] == [(Event.SEEN, None)]
    assert (history.interactions[0].at, history.interactions[0].times) == (None, 1)


# What one row costs: the rows, the line of the receipt.
ROWS = {
    "no title": ([{"Title": " \x1b[1m "}, {}], "row 2, Title: dropped: has no title"),
    "the same row twice": ([{}, {}], "row 2, Title: merged: is the book of row 3, which counts"),
    "read once, wished for again": (
        [{"Last Date Read": "2020/01/01"}, {"Read Status": "to-read", "Date Added": "2021/01/01"}],
        "row 3, Title: merged: is the book of row 2, which counts",
    ),
    "tags without end": (
        [{"Tags": ",".join(f"tag-{number}" for number in range(200))}],
        "row 2, None: repaired: 200 labels; the first 100 were taken",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_bad_row_costs_the_row_and_is_told(csv, name):
    rows, line = ROWS[name]
    history = read(csv, storygraph(*rows))
    [told] = history.report.problems
    assert f"row {told.row}, {told.column}: {told.action}: {told.problem}" == line
    assert len(history.items) == len(history.interactions) == history.report.kept == 1


# Files that are refused: their content, the whole message.
FILES = {
    "an export of Goodreads": (
        (SAMPLES / "goodreads" / "library.csv").read_bytes(),
        "{path} looks like a Goodreads export, not like one of StoryGraph. "
        "Import it with `localrec import goodreads`.",
    ),
    "a table of MovieLens": (
        b"userId,movieId,rating,timestamp\n1,1,4.0,964982703\n",
        "{path} looks like a MovieLens table, not like one of StoryGraph. "
        "Import it with `localrec import movielens`.",
    ),
    "a missing column": (
        b"Title,Authors,Read Status\nDune,Frank Herbert,read\n",
        "{path} lacks the column Star Rating; it has Title, Authors, Read Status. "
        "Export the library from StoryGraph again.",
    ),
    "an empty file": (b"", "{path} is empty. Export it again."),
    "a header alone": (
        storygraph().encode(),
        "{path} holds no book that can be kept: it holds no rows. Each row needs a title.",
    ),
    "a column twice": (
        b"Title,Title\nDune,Dune\n",
        "{path}, row 1, column 2: the header names 'Title' twice. "
        "Rename or remove one of the two columns.",
    ),
    "a cut zip archive": (
        b"PK\x03\x04\x14\0",
        f"{{path}} is a zip archive, not a table. {SAVE_AS}",
    ),
    "a workbook": (
        b"PK\x03\x04\x14\0\x06\0[Content_Types].xml",
        f"{{path}} is an Excel workbook, not a table. {SAVE_AS}",
    ),
    "a pickle": (
        b"\x80\x05cos\nsystem\n",
        f"{{path}} is a Python pickle, not a table. {SAVE_AS}",
    ),
    "mixed encodings": (
        b"\xef\xbb\xbf" + storygraph({}).encode() + b"Caf\xe9\n",
        "{path}, line 3: the text is not utf-8-sig, although the file says so. "
        "Save it in UTF-8, or leave the encoding out.",
    ),
    "a NUL byte": (
        storygraph({"Review": "good\0bad"}).encode(),
        "{path}, row 2, column 'Review': there is a NUL byte. Remove it.",
    ),
    "broken quotes": (
        (storygraph({}) + '"Em"ma",\n').encode(),
        "{path}, row 3, column 'Title': the quotes are broken (',' expected after '\"'). "
        "Close the quote, or double the quotes inside the cell.",
    ),
    "nothing but ragged rows": (
        (storygraph() + "Dune,Frank Herbert\n").encode(),
        "{path} holds no book that can be kept: row 2 has 2 cells where the header has 23. "
        "Each row needs a title.",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file_is_refused_with_its_message(csv, name):
    content, message = FILES[name]
    with pytest.raises(InputError) as refused:
        read(csv, content)
    assert str(refused.value) == message.format(path=csv)


def test_a_row_without_end_is_refused(csv):
    with pytest.raises(InputError, match="the row is longer than 9,000 characters"):
        read(csv, storygraph({"Review": "x" * 10_000}), FileLimits(row_chars=9_000))


cells = st.text(
    alphabet=st.one_of(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
        st.sampled_from("\x1b[]()#,;<>|/=\"'&0123456789\u200b\u202e\r\n"),
    ),
    max_size=60,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.fixed_dictionaries(dict.fromkeys(("Title", "Authors", "Review", "Tags"), cells)))
def test_whatever_the_texts_hold_the_output_is_harmless_and_the_same_twice(csv, hostile):
    # The first row keeps the file from being taken for a binary one by its first bytes.
    content = storygraph({"Review": "x" * 2_000}, hostile)
    history = read(csv, content)
    assert read(csv, content) == history
    texts = [
        *(text for item in history.items for text in (item.name, *item.properties.values())),
        *(link.name for item in history.items for link in item.links),
        *(one.note for one in history.interactions),
    ]
    for text in filter(lambda text: isinstance(text, str), texts):
        assert not any(unicodedata.category(letter) in {"Cc", "Cf", "Co"} for letter in text)
        assert not re.search(r"<\||</?[a-z_]+>", text)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.fixed_dictionaries(
        dict.fromkeys(
            ("Star Rating", "Last Date Read", "Dates Read", "Read Count", "ISBN/UID"), cells
        )
    )
)
def test_whatever_the_other_cells_hold_values_stay_in_their_bounds(csv, hostile):
    history = read(csv, storygraph({"Title": "Emma", "Review": "x" * 2_000}, hostile))
    for one in history.interactions:
        assert one.rating is None or 0.5 <= one.rating <= 5
        assert one.at is None or 1900 <= one.at.year <= datetime.now(UTC).year + 1
        assert 1 <= one.times <= 9_999
    assert len(history.items) == 2
