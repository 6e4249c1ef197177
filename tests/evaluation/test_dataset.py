"""What a workspace knows of many people, as arrays: once each, in order, the same everywhere."""

from datetime import datetime

import numpy as np
import pytest

from localrec.data.rows import Event, InteractionRow
from localrec.evaluation.ranking.keyed_interactions import read_interactions
from localrec.foundation.errors import InputError
from localrec.graph.domain_files import load_domain
from localrec.sources import read_export
from localrec.workspace import OpenWorkspace

from .crowd import plant, rows

MOVIES = load_domain("movies")


def did(user, item, event, day, rating=None):
    at = None if day is None else datetime(2025, 1, day)
    return InteractionRow(user=user, item=item, event=event, rating=rating, at=at)


def read(folder, source=None):
    with OpenWorkspace(folder) as workspace:
        return read_interactions(workspace.store, MOVIES, source)


def told(keyed):
    """Rows as (person, item, stars, day)."""
    data = keyed.interactions
    return [
        (
            keyed.user_keys[data.user[row]],
            keyed.item_keys[data.item[row]],
            None if np.isnan(data.stars[row]) else float(data.stars[row]),
            None if np.isnat(data.at[row]) else int(str(data.at[row])[8:10]),
        )
        for row in range(len(data))
    ]


def test_a_person_and_an_item_meet_once_and_the_first_verdict_counts(tmp_path):
    folder = plant(
        tmp_path / "w",
        [
            did("bo", "f03", Event.SEEN, 2),
            did("bo", "f03", Event.RATED, 4, 2.5),
            did("ann", "f07", Event.RATED, 9, 4.0),
            did("ann", "f01", Event.SEEN, 5),
            did("ann", "f02", Event.WANTED, 6),
            did("ann", "f05", Event.LATER, 6),
        ],
    )
    assert told(read(folder)) == [
        ("ann", "f01", None, 5),
        ("ann", "f07", 4.0, 9),
        ("bo", "f03", 2.5, 2),
    ]


def test_rows_of_one_moment_keep_the_order_of_the_import_and_undated_ones_come_first(tmp_path):
    films = ["f09", "f02", "f30", "f11"]
    interactions = [did("ann", film, Event.SEEN, 3) for film in films]
    folder = plant(tmp_path / "w", [*interactions, did("ann", "f20", Event.SEEN, None)])
    assert [item for _, item, _, _ in told(read(folder))] == ["f20", *films]


def test_numbers_follow_the_keys_whatever_the_order_of_the_import(tmp_path):
    interactions = list(rows(users=6))
    one = read(plant(tmp_path / "one", interactions))
    other = read(
        plant(
            tmp_path / "other",
            sorted(interactions, key=lambda row: (row.at, row.user)),
        )
    )
    assert one.fingerprint == other.fingerprint
    assert one.user_keys.tolist() == sorted(one.user_keys)
    assert one.item_keys.tolist() == sorted(one.item_keys)


def test_the_fingerprint_knows_every_rating(tmp_path):
    interactions = list(rows(users=3))
    changed = [did("p00", interactions[0].item, Event.RATED, 1, 0.5), *interactions[1:]]
    assert (
        read(plant(tmp_path / "one", interactions)).fingerprint
        != read(plant(tmp_path / "other", changed)).fingerprint
    )


def test_only_one_source_counts_where_one_is_named(tmp_path):
    folder = plant(tmp_path / "w")
    assert len(read(folder, "planted").interactions) == 400
    with pytest.raises(InputError, match="nothing from recbole of what people did with films"):
        read(folder, "recbole")


def test_items_lead_back_to_the_store(tmp_path):
    keyed = read(plant(tmp_path / "w"))
    with OpenWorkspace(tmp_path / "w") as workspace:
        catalogue = workspace.context("movies").catalogue
        places = catalogue.indexes_of(keyed.item_nodes)
        assert [catalogue.keys[place] for place in places] == keyed.item_keys.tolist()


def test_an_import_of_many_keeps_the_order_of_the_file(tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    drawn = np.random.default_rng(5)
    pairs = drawn.permutation([(user, item) for user in range(200) for item in range(50)]).tolist()
    lines = [f"{user}\t{item}\t4\t881250949" for user, item in pairs]
    head = "user_id:token\titem_id:token\trating:float\ttimestamp:float"
    (folder / "many.inter").write_text("\n".join([head, *lines, ""]), encoding="utf-8")
    history = read_export("recbole", folder, MOVIES)
    with OpenWorkspace(tmp_path / "w", writable=True, may_read=history.files) as workspace:
        workspace.imports.import_history(history, MOVIES, None, embed=False)
        keyed = read_interactions(workspace.store, MOVIES, "recbole")
    data = keyed.interactions
    read = zip(keyed.user_keys[data.user], keyed.item_keys[data.item], strict=True)
    expected = sorted(((str(user), str(item)) for user, item in pairs), key=lambda pair: pair[0])
    assert list(read) == expected
