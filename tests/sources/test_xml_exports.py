"""BoardGameGeek and MyAnimeList: what a list says, and XML that means harm."""

from __future__ import annotations

import gzip
from pathlib import Path
from xml.etree import ElementTree

import pytest

from localrec.data.rows import HistoryRows
from localrec.foundation.bounded_files import FileLimits
from localrec.foundation.errors import InputError
from localrec.graph.domain_files import load_domain
from localrec.sources import detect_kind, open_source
from localrec.sources.xml_records import read_records

GAMES = """<?xml version="1.0" encoding="utf-8" standalone="yes"?>
<items totalitems="4" pubdate="Sat, 01 Feb 2025 10:00:00 +0000">
 <item objecttype="thing" objectid="13" subtype="boardgame" collid="1">
  <name sortindex="1">CATAN</name><yearpublished>1995</yearpublished>
  <stats minplayers="3" maxplayers="4" minplaytime="60" maxplaytime="120" playingtime="120">
   <rating value="8.5"><average value="7.1"/><averageweight value="2.3"/></rating></stats>
  <status own="1" wishlist="0" lastmodified="2020-05-04 10:00:00"/><numplays>12</numplays>
  <comment>With &lt;b&gt;friends&lt;/b&gt;.</comment></item>
 <item objecttype="thing" objectid="14" subtype="boardgameexpansion" collid="2">
  <name sortindex="1">Seafarers</name><stats><rating value="N/A"/></stats>
  <status own="0" wishlist="1" wishlistpriority="3"/><numplays>0</numplays></item>
 <item objecttype="thing" objectid="15" subtype="boardgame" collid="3">
  <name sortindex="1">Go</name><stats><rating value="N/A"/></stats>
  <status own="1"/><numplays>2</numplays></item>
 <item objecttype="thing" objectid="16" subtype="boardgame" collid="4">
  <name sortindex="1">Chess</name><stats><rating value="N/A"/></stats><status own="1"/></item>
</items>"""
ANIME = """<?xml version="1.0" encoding="UTF-8" ?>
<!-- Created by XML Export feature at MyAnimeList.net -->
<myanimelist><myinfo><user_id>1</user_id></myinfo>
<anime><series_animedb_id>1</series_animedb_id><series_title><![CDATA[Cowboy Bebop]]></series_title>
<series_type>TV</series_type><series_episodes>26</series_episodes><my_score>9</my_score>
<my_finish_date>2019-07-00</my_finish_date><my_status>Completed</my_status>
<my_times_watched>2</my_times_watched><my_tags><![CDATA[space, jazz]]></my_tags></anime>
<anime><series_animedb_id>2</series_animedb_id><series_title><![CDATA[Naruto]]></series_title>
<my_score>0</my_score><my_finish_date>0000-00-00</my_finish_date><my_status>Dropped</my_status></anime>
<anime><series_animedb_id>3</series_animedb_id><series_title><![CDATA[Akira]]></series_title>
<my_score>0</my_score><my_status>Plan to Watch</my_status></anime>
<anime><series_title><![CDATA[Monster]]></series_title><my_score>0</my_score>
<my_status>On-Hold</my_status></anime>
<manga><manga_mangadb_id>3</manga_mangadb_id><manga_title><![CDATA[Monster]]></manga_title>
<my_score>10</my_score><my_status>Completed</my_status></manga>
</myanimelist>"""
LAUGHS = """<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "haha"><!ENTITY c "&b;&b;&b;&b;">]>
<myanimelist><anime><series_title>&c;</series_title></anime></myanimelist>"""
OUTSIDE = """<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]>
<myanimelist><anime><series_title>&b;</series_title></anime></myanimelist>"""


def read(kind: str, path: Path, text: str | bytes) -> HistoryRows:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    source = open_source(kind)
    history = source.read(path, load_domain(source.domain), "anna")  # type: ignore[call-arg]
    assert isinstance(history, HistoryRows)
    return history


def events(history: HistoryRows) -> dict[str, tuple[str, float | None, int]]:
    return {row.item: (row.event.value, row.rating, row.times) for row in history.interactions}


def test_a_collection_of_games_says_what_was_rated_played_and_wished_for(tmp_path: Path) -> None:
    history = read("boardgamegeek", tmp_path / "collection.xml", GAMES)
    assert events(history) == {
        "catan-1995": ("rated", 4.25, 12),
        "seafarers": ("wanted", None, 1),
        "go": ("played", None, 2),
    }
    named = {one.findtext("name") for one in ElementTree.fromstring(GAMES).iter("item")}
    assert {item.name for item in history.items} == named
    catan = history.items[0].properties
    assert [catan[name] for name in ("min_players", "max_players", "minutes", "weight")] == [
        *(3, 4, 120, 2.3)
    ]
    assert history.interactions[0].note == "With friends."


def test_what_somebody_will_never_buy_is_not_wanted(tmp_path: Path) -> None:
    xml = GAMES.replace('wishlistpriority="3"', 'wishlistpriority="5"')
    history = read("boardgamegeek", tmp_path / "collection.xml", xml)
    assert events(history)["seafarers"] == ("abandoned", None, 1)
    table = (
        "objectname,objectid,rating,wishlist,wishlistpriority,wishlistcomment\n"
        "Brass,1,0,1,5,never\nRoot,2,0,1,2,soon\nAzul,3,8,1,5,\n"
    )
    history = read("boardgamegeek", tmp_path / "collection.csv", table)
    assert events(history) == {
        "brass": ("abandoned", None, 1),
        "root": ("wanted", None, 1),
        "azul": ("rated", 4.0, 1),
    }
    assert [row.note for row in history.interactions] == ["never", "soon", None]


def test_the_columns_of_a_collection_may_be_written_in_any_case(tmp_path: Path) -> None:
    path = tmp_path / "collection.csv"
    history = read("boardgamegeek", path, "ObjectName,ObjectId,Rating,NumPlays\nAzul,3,8,2\n")
    assert detect_kind(path) == "boardgamegeek"
    assert events(history) == {"azul": ("rated", 4.0, 2)}


def test_games_from_before_writing_keep_their_year(tmp_path: Path) -> None:
    text = "objectname,objectid,rating,yearpublished\nSenet,2399,6,-3500\n"
    history = read("boardgamegeek", tmp_path / "collection.csv", text)
    assert history.items[0].properties["year"] == -3500
    assert history.report.problems == ()


def test_a_list_of_anime_says_what_was_seen_dropped_and_planned(tmp_path: Path) -> None:
    for name, text in (("a.xml", ANIME.encode()), ("a.xml.gz", gzip.compress(ANIME.encode()))):
        history = read("myanimelist", tmp_path / name, text)
        assert events(history) == {
            "cowboy-bebop": ("rated", 4.5, 3),
            "naruto": ("abandoned", None, 1),
            "akira": ("wanted", None, 1),
            "monster": ("later", None, 1),
        }
        [(domain, manga)] = history.beside
        assert (domain, events(manga)) == ("books", {"monster": ("rated", 5.0, 1)})
        assert (history.report.read, history.report.kept) == (5, 5)
        assert [link.name for link in history.items[0].links if link.personal] == ["space", "jazz"]


@pytest.mark.parametrize("text", [LAUGHS, OUTSIDE])
def test_xml_with_entities_is_refused_before_they_grow(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="declares entities"):
        read("myanimelist", tmp_path / "a.xml", text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<myanimelist><anime>", "this is no XML"),
        ("<myanimelist>" + "<a>" * 60, "nested deeper"),
        ("<html></html>", "a web page"),
        ("<opml></opml>", "its root is 'opml'"),
        ('<?xml version="1.0" encoding="rot13"?><myanimelist/>', "this is no XML"),
        (f"<myanimelist><anime><t>{'x' * 2_000}</t></anime></myanimelist>", "a record of more"),
    ],
)
def test_broken_xml_is_refused_with_its_cause(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "a.xml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        list(read_records(path, FileLimits(cell_chars=1_000), "myanimelist", ("anime",)))


def test_an_answer_that_bids_to_wait_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "collection.xml"
    path.write_text("<message>Your request has been accepted and will be processed.</message>")
    with pytest.raises(InputError, match="still preparing it"):
        open_source("boardgamegeek").read(path, load_domain("boardgames"), "anna")
