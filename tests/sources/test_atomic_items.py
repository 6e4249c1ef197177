"""RecBole's item files: films by their rules, and anything else by the fields' names."""

from pathlib import Path

import msgspec
import pytest

from localrec.data.domains import AttributeSpec, Domain
from localrec.data.rows import CatalogueRows, ItemRow
from localrec.data.titles import restore_article
from localrec.foundation.errors import InputError
from localrec.sources import detect_kind, open_source, source_kinds

HEADER = "item_id:token\tmovie_title:token_seq\trelease_year:token\tclass:token_seq\n"


def read_lines(folder: Path, domain: Domain, *lines: str, header: str = HEADER) -> CatalogueRows:
    path = folder / "films.item"
    path.write_text(header + "".join(line + "\n" for line in lines), encoding="utf-8")
    return open_source("recbole").read(path, domain)


def names_of(item: ItemRow, kind: str) -> list[str]:
    return [link.name for link in item.links if link.kind == kind]


def test_a_film_has_genres_decade_year_and_a_description(
    tmp_path: Path, films_domain: Domain
) -> None:
    line = "1\tToy Story\t1995\tAnimation Children's Comedy"
    item = read_lines(tmp_path, films_domain, line).items[0]
    assert (item.key, item.name) == ("1", "Toy Story")
    assert names_of(item, "genre") == ["Animation", "Children's", "Comedy"]
    assert names_of(item, "decade") == ["1990s"]
    assert item.properties == {
        "title": "Toy Story",
        "year": 1995,
        "description": "Toy Story (1995): animation, children's and comedy.",
        "description_source": "generated",
    }


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Shawshank Redemption, The", "The Shawshank Redemption"),
        ("Fish Called Wanda, A", "A Fish Called Wanda"),
        ("Good, The Bad and The Ugly, The", "The Good, The Bad and The Ugly"),
        ("Boot, Das", "Das Boot"),
        ("Enfer, L'", "L'Enfer"),
        ("Tin Drum, The (Blechtrommel, Die)", "The Tin Drum (Die Blechtrommel)"),
        ("Hate (Haine, La)", "Hate (La Haine)"),
        ("I, Worst of All (Yo, la peor de todas)", "I, Worst of All (Yo, la peor de todas)"),
        ("Fargo", "Fargo"),
        ("Sex, Lies, and Videotape", "Sex, Lies, and Videotape"),
    ],
)
def test_articles_come_back_in_front(title: str, name: str) -> None:
    assert restore_article(title) == name


def test_the_original_title_is_kept(tmp_path: Path, films_domain: Domain) -> None:
    item = read_lines(tmp_path, films_domain, "64\tCrow, The\t1994\tAction").items[0]
    assert item.properties["title"] == "Crow, The"
    assert item.name == "The Crow"


def test_films_of_one_title_stay_apart(tmp_path: Path, films_domain: Domain) -> None:
    table = read_lines(
        tmp_path, films_domain, "1\tSabrina\t1995\tComedy", "2\tSabrina\t1954\tComedy"
    )
    assert [item.key for item in table.items] == ["1", "2"]


def test_an_unknown_genre_is_no_link_and_an_unknown_year_is_reported(
    tmp_path: Path, films_domain: Domain
) -> None:
    table = read_lines(tmp_path, films_domain, "267\tunknown\tunkonwn\tunknown")
    item = table.items[0]
    assert item.links == ()
    assert item.properties["year"] is None
    assert item.properties["description"] == "unknown."
    assert table.report.problems[0].problem == "'unkonwn' is no year; it was left out"


def test_a_year_in_the_title_stands_in_for_a_broken_column(
    tmp_path: Path, films_domain: Domain
) -> None:
    table = read_lines(tmp_path, films_domain, "1412\tLand Before Time III (1995)\tV\tAnimation")
    assert table.items[0].name == "Land Before Time III"
    assert table.items[0].properties["year"] == 1995
    assert table.report.problems[0].action == "repaired"


def test_rows_without_key_or_title_and_repeated_keys_are_told(
    tmp_path: Path, films_domain: Domain
) -> None:
    table = read_lines(
        tmp_path,
        films_domain,
        "\tA\t1990\tDrama",
        "2\t\t1990\tDrama",
        "3\tC\t1990\tDrama",
        "3\tD\t1991\tDrama",
        "4\tE",
    )
    actions = [(problem.row, problem.action) for problem in table.report.problems]
    assert actions == [(2, "dropped"), (3, "dropped"), (5, "merged"), (6, "dropped")]
    assert [item.name for item in table.items] == ["C"]


def test_other_fields_become_links_or_properties_by_the_domain(
    tmp_path: Path, films_domain: Domain
) -> None:
    books = msgspec.structs.replace(
        films_domain,
        attributes={
            "subject": AttributeSpec(role="component", edge="ABOUT"),
            "publisher": AttributeSpec(role="category", edge="FROM"),
        },
    )
    item = read_lines(
        tmp_path,
        books,
        "b1\tEmma\tcomedy manners\tMurray\t4.5\tgreen cloth",
        header="item_id:token\ttitle:token_seq\tgenres:token_seq\tpublisher:token\tprice:float"
        "\tbinding:token_seq\n",
    ).items[0]
    assert names_of(item, "subject") == ["comedy", "manners"]
    assert names_of(item, "publisher") == ["Murray"]
    assert item.properties["price"] == 4.5
    assert item.properties["binding"] == "green cloth"


def test_a_folder_needs_exactly_one_item_file(tmp_path: Path, films_domain: Domain) -> None:
    with pytest.raises(InputError, match=r"holds 0 files that end in \.item"):
        open_source("recbole").read(tmp_path, films_domain)
    read_lines(tmp_path, films_domain, "1\tA\t1990\tDrama")
    assert len(open_source("recbole").read(tmp_path, films_domain).items) == 1


@pytest.mark.real
def test_movielens_is_read_whole(movielens: Path, films_domain: Domain) -> None:
    table = open_source("recbole").read(movielens, films_domain)
    names = {item.key: item.name for item in table.items}
    assert (table.report.read, table.report.kept, table.report.dropped) == (1682, 1682, 0)
    assert names["64"] == "The Shawshank Redemption"
    assert names["543"] == "Les Misérables"
    assert sum(len(names_of(item, "decade")) for item in table.items) == 1681
    genres = {name.casefold() for item in table.items for name in names_of(item, "genre")}
    assert genres == set(films_domain.taxonomy["genre"])
    decades = {name for item in table.items for name in names_of(item, "decade")}
    assert decades == set(films_domain.taxonomy["decade"])


@pytest.mark.parametrize("kind", source_kinds())
def test_every_source_names_its_kind_and_fields(kind: str) -> None:
    source = open_source(kind)
    assert source.kind == kind
    assert all(field.name and field.becomes for field in source.fields)


def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=", ".join(source_kinds())):
        open_source("cassettes")


def test_an_atomic_file_and_its_folder_are_told_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "a.item").touch()
    assert detect_kind(tmp_path / "a.item") == "recbole"
    assert detect_kind(tmp_path) == "recbole"


def test_a_name_that_says_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.bin").touch()
    for path in (tmp_path / "a.bin", tmp_path, tmp_path / "missing"):
        with pytest.raises(InputError):
            detect_kind(path)
