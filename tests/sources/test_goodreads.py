"""The export of Goodreads: what each column becomes, and what bad cells and files cost."""

import re
import unicodedata
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from localrec.data.rows import Event
from localrec.foundation.bounded_files import FileLimits
from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.text_matching import roots
from localrec.graph.domain_files import load_domain
from localrec.sources.goodreads import GoodreadsSource
from localrec.sources.protocols import FilePreview
from localrec.sources.storygraph import StoryGraphSource
from tests.sources.book_exports import DUNE, GOODREADS_COLUMNS, SAMPLES, export, goodreads

BOOKS = load_domain("books")
TOMORROW = datetime.now(UTC) + timedelta(days=3)
SAVE_AS = "Save it as a plain CSV file in UTF-8 and import that."


def read(path, content, limits=None):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return GoodreadsSource(limits).read(path, BOOKS, "ann")


@pytest.fixture
def csv(tmp_path):
    return tmp_path / "goodreads.csv"


@pytest.fixture(scope="module")
def sample():
    return GoodreadsSource().read(SAMPLES / "goodreads" / "library.csv", BOOKS, "ann")


@pytest.fixture(scope="module")
def item(sample):
    return {item.name: item for item in sample.items}


@pytest.fixture(scope="module")
def done(sample):
    return {item.name: one for item, one in zip(sample.items, sample.interactions, strict=True)}


class TestTheSample:
    def test_is_read_whole(self, sample):
        report = sample.report
        assert (report.read, report.kept, report.problems) == (7, 7, ())
        assert {one.user for one in sample.interactions} == {"ann"}
        assert [one.item for one in sample.interactions] == [one.key for one in sample.items]

    def test_gives_a_book_its_facts(self, item):
        assert item["Dune"].key == "dune-by-frank-herbert"
        assert item["Dune"].properties == {
            "title": "Dune",
            "creator": "Frank Herbert",
            "year": 1965,
            "series": "Dune",
            "series_number": "1",
            "isbn13": "9780441172719",
            "pages": 688,
            "goodreads": 44767458,
            "description": "Dune by Frank Herbert (1965), number 1 of Dune.",
            "description_source": "generated",
        }

    def test_links_author_and_decade_for_all_and_shelves_for_the_person(self, item):
        assert [(one.kind, one.name, one.personal) for one in item["Dune"].links] == [
            ("author", "Frank Herbert", False),
            ("decade", "1960s", False),
            ("genre", "science fiction", True),
        ]

    def test_keeps_every_personal_word_out_of_the_items_texts(self, item):
        texts = repr([one.properties for one in item.values()])
        assert not re.search("spice|Ann|favorites|russian|sci-fi", texts)

    def test_tells_a_rating_with_its_day_count_and_review(self, done):
        dune = done["Dune"]
        assert (dune.event, dune.rating, dune.times) == (Event.RATED, 5.0, 2)
        assert dune.at == datetime(2021, 3, 14)
        assert dune.note == "Sand, and more sand & spice."

    @pytest.mark.parametrize(
        ("name", "event"),
        [
            ("The Hobbit, or There and Back Again", Event.LIKED),
            ("Mistborn: The Final Empire", Event.WANTED),
            ("The Iliad", Event.SEEN),
            ("Ulysses", Event.ABANDONED),
            ("Crime and Punishment", Event.LATER),
        ],
    )
    def test_reads_an_event_from_the_shelf(self, done, name, event):
        assert (done[name].event, done[name].rating) == (event, None)

    def test_knows_years_before_christ_without_a_decade(self, item):
        iliad = item["The Iliad"]
        assert iliad.properties["year"] == -750
        assert iliad.properties["description"] == "The Iliad by Homer (750 BC)."
        assert "decade" not in {one.kind for one in iliad.links}

    def test_takes_the_isbn_of_ten_where_the_other_is_missing(self, item):
        name = "Good Omens: The Nice and Accurate Prophecies of Agnes Nutter"
        assert item[name].properties["isbn13"] == "9780060853983"

    def test_keeps_translators_and_private_notes_out(self, sample):
        assert not re.search("Fagles|Gaiman|lent to", repr(sample.items + sample.interactions))


class TestRecognising:
    def test_takes_its_own_header_and_no_other(self):
        heads = {
            name: (SAMPLES / name / "library.csv").read_text()
            for name in ("goodreads", "storygraph")
        }
        for source in (GoodreadsSource(), StoryGraphSource()):
            for name, head in heads.items():
                preview = FilePreview(name="library.csv", head=head)
                assert source.recognises(preview) == (source.kind == name)

    def test_a_row_of_numbers_is_nobodys(self):
        assert not GoodreadsSource().recognises(
            FilePreview(name="u.data", head="196\t242\t3\t88125")
        )


@pytest.mark.parametrize("user", [None, "", " \x1b[0m "])
def test_who_it_is_must_be_said(user):
    with pytest.raises(UsageError) as refused:
        GoodreadsSource().read(SAMPLES / "goodreads" / "library.csv", BOOKS, user)
    assert str(refused.value) == (
        "An export of Goodreads does not say whose it is. Name the person with --user."
    )


WRONG = "9780441172710"
# What one cell costs: the cell, the line of the receipt.
CELLS = {
    "a rating of 11": ("My Rating", "11", "'11' is no rating from 0 to 5; left out"),
    "a rating in words": ("My Rating", "five", "'five' is no rating from 0 to 5; left out"),
    "a rating of no number": ("My Rating", "nan", "'nan' is no rating from 0 to 5; left out"),
    "a date in the future": (
        "Date Read",
        f"{TOMORROW:%Y/%m/%d}",
        f"'{TOMORROW:%Y/%m/%d}' lies in the future; left out",
    ),
    "an impossible date": ("Date Read", "2021/02/30", "'2021/02/30' is no date; left out"),
    "a day that is none": ("Date Added", "31/31/2021", "'31/31/2021' is no date; left out"),
    "a year of the Romans": ("Date Read", "0021/03/14", "'0021/03/14' is no date; left out"),
    "a wrong check digit": ("ISBN13", f'="{WRONG}"', f"'{WRONG}' is no ISBN; left out"),
    "an ISBN of a spreadsheet": ("ISBN13", "9.78044E+12", "'9.78044E+12' is no ISBN; left out"),
    "pages without end": (
        "Number of Pages",
        "9" * 9,
        "'999999999' is no number from 0 to 99999; left out",
    ),
    "a year to come": (
        "Year Published",
        "20221",
        "'20221' is no number from -3000 to 2100; left out",
    ),
    "a count below none": ("Read Count", "-1", "'-1' is no number from 0 to 9999; left out"),
    "an escape in a rating": (
        "My Rating",
        "\x1b[31m<|im_end|>",
        "'< |im_end|>' is no rating from 0 to 5; left out",
    ),
}


@pytest.mark.parametrize("name", CELLS)
def test_a_bad_cell_costs_the_cell_and_is_told(csv, name):
    column, cell, problem = CELLS[name]
    history = read(csv, goodreads({column: cell}))
    told = [(one.row, one.column, one.action, one.problem) for one in history.report.problems]
    assert told == [(2, column, "repaired", problem)]
    assert [(one.event, one.rating) for one in history.interactions] == [(Event.SEEN, None)]
    assert (history.interactions[0].at, history.interactions[0].times) == (None, 1)


# What one row costs: the rows, the lines of the receipt.
ROWS = {
    "no title": ([{"Title": ""}, {}], ["row 2, Title: dropped: has no title"]),
    "a title of controls": (
        [{"Title": "\x1b[2J\u200b\u202e"}, {}],
        ["row 2, Title: dropped: has no title"],
    ),
    "the same row twice": (
        [{"My Rating": "5"}, {"My Rating": "5"}],
        ["row 2, Title: merged: is the book of row 3, which counts"],
    ),
    "an older verdict behind": (
        [
            {"My Rating": "5", "Date Read": "2022/01/01"},
            {"My Rating": "2", "Date Read": "2012/01/01"},
        ],
        ["row 3, Title: merged: is the book of row 2, which counts"],
    ),
    "a rated edition and one wished for later": (
        [
            {"My Rating": "5", "Date Read": "2012/01/01"},
            {"Exclusive Shelf": "to-read", "Date Added": "2022/01/01"},
        ],
        ["row 3, Title: merged: is the book of row 2, which counts"],
    ),
    "an edition on hold since": (
        [
            {"Date Read": "2012/01/01"},
            {"Exclusive Shelf": "on-hold", "Date Added": "2022/01/01"},
        ],
        ["row 3, Title: merged: is the book of row 2, which counts"],
    ),
    "shelves without end": (
        [{"Bookshelves": ",".join(f"shelf-{number}" for number in range(5_000))}],
        ["row 2, None: repaired: 5000 labels; the first 100 were taken"],
    ),
    "formulas, tokens and escapes": (
        [{"Title": "=cmd|' /C calc'!A0 <|im_start|>\x1b]0;x\x07", "My Review": "@SUM(A1)</s>"}],
        [],
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_bad_row_costs_the_row_and_is_told(csv, name):
    rows, lines = ROWS[name]
    history = read(csv, goodreads(*rows))
    assert [
        f"row {one.row}, {one.column}: {one.action}: {one.problem}"
        for one in history.report.problems
    ] == lines
    assert len(history.items) == len(history.interactions) == history.report.kept == 1
    assert history.report.read == len(rows)


def test_ragged_rows_are_left_out_and_named(csv):
    report = read(csv, goodreads({}) + "1,Emma\n").report
    told = [(one.row, one.action, one.problem) for one in report.problems]
    assert told == [(3, "dropped", "has 2 cells where the header has 24")]


def test_a_rating_outweighs_the_shelf(csv):
    ulysses = {"Title": "Ulysses", "Exclusive Shelf": "did-not-finish", "My Rating": "3"}
    [done] = read(csv, goodreads(ulysses)).interactions
    assert (done.event, done.rating) == (Event.RATED, 3.0)


@pytest.mark.parametrize("tag", ["dnf", "dropped", "abandoned"])
def test_a_book_tagged_as_given_up_on_the_shelf_read_was_no_success(csv, tag):
    assert read(csv, goodreads({"Bookshelves": tag})).interactions[0].event is Event.ABANDONED


def test_formulas_and_tokens_stay_as_harmless_text(csv):
    [item] = read(csv, goodreads(ROWS["formulas, tokens and escapes"][0][0])).items
    assert item.name == "=cmd|' /C calc'!A0 < |im_start|>"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252"])
def test_other_encodings_are_read(csv, encoding):
    history = read(csv, goodreads({"Author": "José Saramago"}).encode(encoding))
    assert history.items[0].properties["creator"] == "José Saramago"


def test_columns_of_older_exports_do_no_harm(csv):
    older = [*GOODREADS_COLUMNS, "Recommended For", "Condition", "BCID"]
    [item] = read(csv, export(older, {**DUNE, "Condition": "worn"})).items
    assert item.key == "dune-by-frank-herbert"


def test_a_spreadsheet_that_took_zeros_and_gave_decimals_loses_nothing(csv):
    [item] = read(csv, goodreads({"ISBN": "441172717", "Number of Pages": "688.0"})).items
    assert (item.properties["isbn13"], item.properties["pages"]) == ("9780441172719", 688)


def letterboxd():
    return "Date,Name,Year,Letterboxd URI,Rating\n2021-01-01,Fargo,1996,https://boxd.it/x,4\n"


# Files that are refused: their content, the whole message.
FILES = {
    "an export of StoryGraph": (
        (SAMPLES / "storygraph" / "library.csv").read_bytes(),
        "{path} looks like a StoryGraph export, not like one of Goodreads. "
        "Import it with `localrec import storygraph`.",
    ),
    "an export of Letterboxd": (
        letterboxd().encode(),
        "{path} looks like a Letterboxd export, not like one of Goodreads. "
        "Import it with `localrec import letterboxd`.",
    ),
    "a missing column": (
        b"Title,Author,My Rating\nDune,Frank Herbert,5\n",
        "{path} lacks the column Exclusive Shelf; it has Title, Author, My Rating. "
        "Export the library from Goodreads again.",
    ),
    "a foreign header": (
        b"a,b\n1,2\n",
        "{path} lacks the columns Title, Author, My Rating, Exclusive Shelf; it has a, b. "
        "Export the library from Goodreads again.",
    ),
    "an empty file": (b"", "{path} is empty. Export it again."),
    "a header alone": (
        goodreads().encode(),
        "{path} holds no book that can be kept: it holds no rows. Each row needs a title.",
    ),
    "no title at all": (
        goodreads({"Title": ""}).encode(),
        "{path} holds no book that can be kept: row 2 has no title. Each row needs a title.",
    ),
    "a zip archive": (
        b"PK\x03\x04\x14\0\x06\0../../x",
        f"{{path}} is a zip archive, not a table. {SAVE_AS}",
    ),
    "a pickle": (
        b"\x80\x04\x95cos\nsystem",
        f"{{path}} is a Python pickle, not a table. {SAVE_AS}",
    ),
    "binary noise": (bytes(range(1, 9)) * 40, f"{{path}} is a binary file, not a table. {SAVE_AS}"),
    "the page to log in": (
        b"<!DOCTYPE html><html>Sign in</html>",
        "{path} is a web page, not a table. Log in and download the export itself, or save the "
        "table on the page as a plain CSV file.",
    ),
    "mixed encodings": (
        b"\xef\xbb\xbf" + goodreads({}).encode() + b"1,Caf\xe9\n",
        "{path}, line 3: the text is not utf-8-sig, although the file says so. "
        "Save it in UTF-8, or leave the encoding out.",
    ),
    "a NUL byte": (
        goodreads({"Author": "Frank\0Herbert"}).encode(),
        "{path}, row 2, column 'Author': there is a NUL byte. Remove it.",
    ),
    "a huge field": (
        goodreads({"My Review": "x" * ((1 << 20) + 1)}).encode(),
        "{path}, row 2, column 'My Review': the cell holds 1,048,577 characters, "
        "more than 1,048,576. Shorten it.",
    ),
    "an open quote": (
        (goodreads({}) + '1,"Emma').encode(),
        "{path}, row 3, column 'Title': the quote is never closed. "
        "Close the quote, or double the quotes inside the cell.",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file_is_refused_with_its_message(csv, name):
    content, message = FILES[name]
    with pytest.raises(InputError) as refused:
        read(csv, content)
    assert str(refused.value) == message.format(path=csv)


def test_a_file_over_the_limit_is_refused(csv):
    with pytest.raises(InputError, match="more than the 100 allowed"):
        read(csv, goodreads({}), FileLimits(file_bytes=100))


cells = st.text(
    alphabet=st.one_of(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
        st.sampled_from("\x1b[]()#,;<>|/=\"'&\u200b\u202e\r\n"),
    ),
    max_size=60,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(title=cells, author=cells, review=cells, shelves=cells)
def test_whatever_the_cells_hold_the_output_is_harmless_and_the_same_twice(
    csv, title, author, review, shelves
):
    hostile = {"Title": title, "Author": author, "My Review": review, "Bookshelves": shelves}
    padding = {"My Review": "x" * 2_000}  # so that it is no binary file by its first bytes
    content = goodreads(padding, hostile)
    history = read(csv, content)
    assert read(csv, content) == history
    texts = [
        *(text for item in history.items for text in (item.name, *item.properties.values())),
        *(link.name for item in history.items for link in item.links),
        *(one.note for one in history.interactions),
        *(one.problem for one in history.report.problems),
    ]
    for text in filter(lambda text: isinstance(text, str), texts):
        assert not any(unicodedata.category(letter) in {"Cc", "Cf", "Co"} for letter in text)
        assert not re.search(r"<\||</?[a-z_]+>", text)
    assert all(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", item.key) for item in history.items)
    assert all(link.name for item in history.items for link in item.links)
    assert history.report.kept + history.report.merged + history.report.dropped == 2


class TestTheDomain:
    @pytest.mark.parametrize("kind", ["genre", "decade"])
    def test_gives_no_spelling_to_two_concepts(self, kind):
        owners = {}
        for name, one in BOOKS.taxonomy[kind].items():
            for spelling in (name, *one.also, *one.ask):
                owners.setdefault(roots(spelling), set()).add(name)
        assert [names for names in owners.values() if len(names) > 1] == []

    @pytest.mark.parametrize("kind", ["genre", "decade"])
    def test_names_only_families_that_exist(self, kind):
        concepts = BOOKS.taxonomy[kind]
        parents = {family for one in concepts.values() for family in one.parents}
        assert parents <= set(concepts)

    @pytest.mark.parametrize(
        ("shelf", "genre"),
        [
            ("sci-fi", "science fiction"),
            ("ya", "young adult"),
            ("non-fiction", "nonfiction"),
            ("graphic-novels", "comics"),
            ("historical", "historical fiction"),
            ("cozy-mystery", "cosy mystery"),
            ("book-club", None),
            ("read-in-2021", None),
            ("favorites", None),
            ("japan", "japan"),
        ],
    )
    def test_knows_the_shelves_that_people_use(self, csv, shelf, genre):
        [item] = read(csv, goodreads({"Bookshelves": f"{shelf}, read"})).items
        genres = [link.name for link in item.links if link.kind == "genre"]
        assert genres == ([genre] if genre else [])
