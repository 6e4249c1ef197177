"""Files that must be refused, each with its whole message."""

import gzip
import json
import os
from pathlib import Path

import pytest

from localrec.data.domains import Domain
from localrec.foundation.bounded_files import FileLimits
from localrec.foundation.errors import InputError
from localrec.packs.cocktails.recipe_files import CocktailSource
from localrec.sources import open_source

HEADER = "id,name,category,glassType,instructions,ingredients,ingredientMeasures\n"
SAVE_AS = "Save it as a plain CSV file in UTF-8 and import that."
CLOSE = "Close the quote, or double the quotes inside the cell."


def row(ingredients: str = "['gin']", name: str = "Negroni") -> str:
    return f"1,{name},sour,coupe,Stir.,{ingredients},['30 ml']\n"


BAD_FILES = {
    "missing.csv": (
        b"id,ingredients\n1,['gin']\n",
        "{path} lacks the column name; it has id, ingredients. "
        "localrec help sources shows the two layouts of drinks.",
    ),
    "wide.csv": (
        b"idDrink,strDrink\n1,Negroni\n",
        "{path} lacks the column strIngredient1; it has idDrink, strDrink. "
        "localrec help sources shows the two layouts of drinks.",
    ),
    "marked.csv": (
        b"\xef\xbb\xbf" + (HEADER + row() + row(name="Cr\xe8me")).encode("latin-1"),
        "{path}, line 3: the text is not utf-8-sig, although the file says so. "
        "Save it in UTF-8, or leave the encoding out.",
    ),
    "pickle.csv": (b"\x80\x04\x95abc", f"{{path}} is a Python pickle, not a table. {SAVE_AS}"),
    "excel.csv": (
        b"PK\x03\x04\x14\0\x06\0[Content_Types].xml",
        f"{{path}} is an Excel workbook, not a table. {SAVE_AS}",
    ),
    "zip.csv": (
        b"PK\x03\x04\x14\0\x06\0a.csv",
        f"{{path}} is a zip archive, not a table. {SAVE_AS}",
    ),
    "parquet.csv": (b"PAR1\x15\x04", f"{{path}} is a Parquet file, not a table. {SAVE_AS}"),
    "noise.csv": (bytes(range(1, 9)) * 40, f"{{path}} is a binary file, not a table. {SAVE_AS}"),
    "gzip.csv": (
        gzip.compress(b"a,b\n"),
        "{path} is a gzip archive by its first bytes, not a table. "
        "Unpack it, or let its name end in .csv.gz.",
    ),
    "bomb.csv.gz": (
        gzip.compress(b"a" * (40 << 20)),
        "{path} unpacks to more than the 16,777,216 bytes allowed. "
        "If it is no zip bomb, unpack it and import the plain file.",
    ),
    "cut.csv.gz": (
        gzip.compress(os.urandom(4000))[:2000],
        "{path} is damaged: Compressed file ended before the end-of-stream marker was reached. "
        "Get it again.",
    ),
    "cell.csv": (
        (HEADER + row() + row(name="x" * ((1 << 20) + 1))).encode(),
        "{path}, row 3, column 'name': the cell holds 1,048,577 characters, more than 1,048,576. "
        "Shorten it.",
    ),
    "nul.csv": (
        (HEADER + row() + row(name="Neg\0roni")).encode(),
        "{path}, row 3, column 'name': there is a NUL byte. Remove it.",
    ),
    "deep.csv": (
        (HEADER + row("[" * 30_000 + "]" * 30_000)).encode(),
        "{path} holds no drink that can be kept: row 2 (Negroni) has no ingredient. "
        "Each row needs a name and an ingredient.",
    ),
    "long.csv": (
        (HEADER + row("[" + "'a'" * 30_000 + "]")).encode(),
        "{path} holds no drink that can be kept: row 2 (Negroni) has no ingredient. "
        "Each row needs a name and an ingredient.",
    ),
    "open.csv": (
        (HEADER + row() + row(name='"Negroni')).encode(),
        f"{{path}}, row 3, column 'name': the quote is never closed. {CLOSE}",
    ),
    "quote.csv": (
        (HEADER + row(name='"Neg"roni')).encode(),
        "{path}, row 2, column 'name': the quotes are broken (',' expected after '\"'). " + CLOSE,
    ),
    "header.csv": (
        HEADER.encode(),
        "{path} holds no drink that can be kept: it holds no rows. "
        "Each row needs a name and an ingredient.",
    ),
    "nameless.csv": (
        (HEADER + row(name="")).encode(),
        "{path} holds no drink that can be kept: row 2 has no name. "
        "Each row needs a name and an ingredient.",
    ),
    "page.csv": (
        b"\n<!DOCTYPE html><html><body>404</body></html>",
        "{path} is a web page, not a table. Log in and download the export itself, or save the "
        "table on the page as a plain CSV file.",
    ),
    "twice.csv": (
        b"id,name,name\n1,a,b\n",
        "{path}, row 1, column 3: the header names 'name' twice. "
        "Rename or remove one of the two columns.",
    ),
    "empty.csv": (b"", "{path} is empty. Export it again."),
    "null.json": (
        b'{"drinks": null}',
        "{path} lacks the columns name, ingredients; it has nothing. "
        "localrec help sources shows the two layouts of drinks.",
    ),
    "deep.json": (
        b'{"drinks": ' + b"[" * 5000,
        "{path} is not the JSON that is expected here: `drinks[0]` holds a list, where an "
        "object belongs. Export it again.",
    ),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_refused_with_its_message(
    tmp_path: Path, drinks_domain: Domain, name: str
) -> None:
    content, message = BAD_FILES[name]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as refused:
        CocktailSource().read(path, drinks_domain)
    assert str(refused.value) == message.format(path=path)


def test_a_declared_encoding_is_checked(tmp_path: Path, drinks_domain: Domain) -> None:
    path = tmp_path / "declared.csv"
    path.write_bytes((HEADER + row(name="Crème")).encode("cp1252"))
    with pytest.raises(InputError, match=r"line 2: the text is not utf-8, although"):
        CocktailSource(encoding="utf-8").read(path, drinks_domain)
    with pytest.raises(InputError, match="'klingon' is not an encoding"):
        CocktailSource(encoding="klingon").read(path, drinks_domain)


def test_a_bad_byte_far_into_a_file_is_named_by_its_line(
    tmp_path: Path, drinks_domain: Domain
) -> None:
    path = tmp_path / "far.csv"
    path.write_bytes((HEADER + row() * 40_000).encode() + row(name="Crème").encode("cp1252"))
    with pytest.raises(InputError, match=r"line 40002: the text is not utf-8"):
        CocktailSource(encoding="utf-8").read(path, drinks_domain)


def test_a_quote_that_swallows_the_file_is_stopped(tmp_path: Path, drinks_domain: Domain) -> None:
    path = tmp_path / "swallowed.csv"
    path.write_text(HEADER + row(name='"Negroni') + row() * 200)
    with pytest.raises(InputError, match=r"row 2, column 'name': the row is longer than 4,000"):
        CocktailSource(FileLimits(row_chars=4_000)).read(path, drinks_domain)


def test_a_file_over_the_limit_is_refused_unread(tmp_path: Path, drinks_domain: Domain) -> None:
    path = tmp_path / "large.csv"
    path.write_text(HEADER + row())
    with pytest.raises(InputError, match="more than the 10 allowed"):
        CocktailSource(FileLimits(file_bytes=10)).read(path, drinks_domain)


def test_a_pipe_a_folder_and_nothing_are_refused(tmp_path: Path, drinks_domain: Domain) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    for path, cause in [
        (pipe, "is not a file"),
        (tmp_path, "is not a file"),
        (tmp_path / "none.csv", "cannot be read: No such file or directory"),
    ]:
        with pytest.raises(InputError, match=cause):
            CocktailSource().read(path, drinks_domain)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("item_id:token\ttitle\n1\tx\n", "row 1: the header field 'title' is not written as"),
        ("item_id:token\ttitle:text\n1\tx\n", "row 1: the header field 'title:text' is not"),
        ("item_id:token\tyear:token\n1\t2\n", "lacks the field title; it has item_id, year"),
        ("title:token_seq\n1\n", "lacks the field item_id; it has title"),
        ("item_id:token\ttitle:token\n", "no item that can be kept: it holds no rows"),
        ("item_id:token\ttitle:token\n1\n", "row 2 has 1 cells where the header has 2"),
        ("item_id:token\titem_id:float\n1\t1\n", "row 1: the header names 'item_id' twice"),
    ],
)
def test_a_bad_atomic_file_is_refused(
    tmp_path: Path, films_domain: Domain, content: str, message: str
) -> None:
    path = tmp_path / "bad.item"
    path.write_text(content)
    with pytest.raises(InputError) as refused:
        open_source("recbole").read(path, films_domain)
    assert message in refused.value.message


@pytest.mark.parametrize(
    "line", ['{"name": "x"}', "[" * 5000, "not json", '{"name": 3}', b"\xff\xfa".decode("latin-1")]
)
def test_a_bad_line_of_the_bundled_format_is_named(
    tmp_path: Path, drinks_domain: Domain, line: str
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes((json.dumps(GOOD_DRINK) + "\n" + line + "\n").encode("latin-1"))
    with pytest.raises(InputError, match=r"bad\.jsonl, line 2: this is no drink"):
        open_source("drinks").read(path, drinks_domain)


GOOD_DRINK = {
    "name": "Negroni",
    "category": "aperitif",
    "glass": "old fashioned glass",
    "alcoholic": "alcoholic",
    "ingredients": [{"name": "gin", "measure": "30 ml"}],
    "garnish": ["orange peel"],
    "instructions": "Stir.",
    "description": "Bitter.",
    "look": {"colours": ["red"], "clarity": "clear", "layers": 2, "foam": "light"},
    "image_description": "A red drink.",
}
