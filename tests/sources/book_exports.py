"""Small exports of books in both public layouts, made row by row."""

import csv
import io
from pathlib import Path

SAMPLES = Path(__file__).parent / "samples"
GOODREADS_COLUMNS = (
    "Book Id,Title,Author,Author l-f,Additional Authors,ISBN,ISBN13,My Rating,Average Rating,"
    "Publisher,Binding,Number of Pages,Year Published,Original Publication Year,Date Read,"
    "Date Added,Bookshelves,Bookshelves with positions,Exclusive Shelf,My Review,Spoiler,"
    "Private Notes,Read Count,Owned Copies"
).split(",")
STORYGRAPH_COLUMNS = (
    "Title,Authors,Contributors,ISBN/UID,Format,Read Status,Date Added,Last Date Read,Dates Read,"
    "Read Count,Moods,Pace,Character- or Plot-Driven?,Strong Character Development?,"
    "Loveable Characters?,Diverse Characters?,Flawed Characters?,Star Rating,Review,"
    "Content Warnings,Content Warning Description,Tags,Owned?"
).split(",")
DUNE = {"Title": "Dune (Dune, #1)", "Author": "Frank Herbert", "Exclusive Shelf": "read"}
DUNE_THERE = {"Title": "Dune", "Authors": "Frank Herbert", "Read Status": "read"}


def export(columns: list[str], *rows: dict[str, str]) -> str:
    """A CSV with these columns; what a row does not name stays empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def goodreads(*rows: dict[str, str]) -> str:
    return export(GOODREADS_COLUMNS, *({**DUNE, **row} for row in rows))


def storygraph(*rows: dict[str, str]) -> str:
    return export(STORYGRAPH_COLUMNS, *({**DUNE_THERE, **row} for row in rows))
