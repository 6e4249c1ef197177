"""The kept tables of a vocabulary: the same words and meanings, and never old ones."""

from __future__ import annotations

import os
import subprocess
import sys

import msgspec
import pytest

from localrec.graph.catalogue import Catalogue
from localrec.understanding import vocabulary_cache
from localrec.understanding.query_parser import parse_query
from localrec.understanding.vocabulary import Vocabulary
from localrec.understanding.vocabulary_cache import open_vocabulary
from tests.planted import BAR, planted_store

QUESTIONS = ("a gin drink without lemon", "like a daiquri but lighter", "something red and smoky")


@pytest.fixture
def store(workspace_path):
    with planted_store(workspace_path) as store:
        yield store


@pytest.fixture
def catalogue(store):
    return Catalogue(store, BAR)


@pytest.fixture
def indexes(workspace_path):
    return workspace_path / "indexes"


@pytest.fixture
def builds(monkeypatch):
    """Counts how often tables are built."""
    built = []
    add_all = Vocabulary._add_all
    monkeypatch.setattr(Vocabulary, "_add_all", lambda self: built.append(1) or add_all(self))
    return built


def files(indexes):
    return sorted(indexes.glob("words-*"))


def test_what_is_read_is_what_was_built(store, catalogue, indexes, builds):
    open_vocabulary(catalogue, indexes)
    again = Catalogue(store, BAR)
    read = open_vocabulary(again, indexes)
    assert len(builds) == 1
    built = Vocabulary(catalogue)
    assert read.names.payloads == built.names.payloads
    assert list(read.names.payloads) == list(built.names.payloads)
    assert read.items.payloads == built.items.payloads
    assert (read.names.longest, read.items.longest) == (built.names.longest, built.items.longest)
    assert (read.names.words, read.items.words) == (built.names.words, built.items.words)
    assert (read.partial.words, read.partial.callable) == (
        built.partial.words,
        built.partial.callable,
    )
    assert again.identity.tolist() == catalogue.identity.tolist()
    for question in QUESTIONS:
        assert parse_query(question, read) == parse_query(question, built)


def test_a_new_name_builds_them_anew(store, catalogue, indexes, builds):
    open_vocabulary(catalogue, indexes)
    before = files(indexes)
    store.execute(
        "UPDATE node SET name = 'Quokka Fizz' WHERE node_id = ?", [int(catalogue.node_ids[0])]
    )
    read = open_vocabulary(Catalogue(store, BAR), indexes)
    assert read.items.get("quokka fizz")
    assert len(builds) == 2
    assert len(files(indexes)) == len(before) == 2  # the old ones are gone


# A catalogue of the bundled drinks: their domain holds sets, whose order differs between processes.
_OPEN = """
import sys
from pathlib import Path
from localrec.graph.domain_files import load_domain
from localrec.graph.catalogue import Catalogue
from localrec.understanding.vocabulary_cache import open_vocabulary
from tests.planted import planted_store
folder = Path(sys.argv[1])
with planted_store(folder / sys.argv[2]) as store:
    open_vocabulary(Catalogue(store, load_domain("cocktails")), folder / "indexes")
"""


def test_another_process_reads_the_tables_that_the_first_one_kept(tmp_path):
    (tmp_path / "indexes").mkdir()
    kept = []
    for seed in ("1", "2", "3"):
        subprocess.run(
            [sys.executable, "-c", _OPEN, str(tmp_path), seed],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
        )
        kept.append([(one.name, one.stat().st_mtime_ns) for one in files(tmp_path / "indexes")])
    assert len(kept[0]) == 2
    assert kept[0] == kept[1] == kept[2]


def test_another_declaration_of_the_domain_builds_them_anew(store, catalogue, indexes, builds):
    open_vocabulary(catalogue, indexes)
    words = msgspec.structs.replace(BAR.words, compounds={"ginlime": ("gin", "lime")})
    changed = msgspec.structs.replace(BAR, words=words)
    open_vocabulary(Catalogue(store, changed), indexes)
    assert len(builds) == 2


def test_so_does_other_code(store, catalogue, indexes, builds, monkeypatch):
    open_vocabulary(catalogue, indexes)
    monkeypatch.setattr(vocabulary_cache, "_code", lambda: "of tomorrow")
    open_vocabulary(Catalogue(store, BAR), indexes)
    assert len(builds) == 2


@pytest.mark.parametrize("harm", [b"", b"\x93 scribbled", None])
def test_what_is_damaged_or_missing_is_built_anew(store, catalogue, indexes, builds, harm):
    open_vocabulary(catalogue, indexes)
    for path in files(indexes):
        path.unlink() if harm is None else path.write_bytes(harm)
        assert open_vocabulary(Catalogue(store, BAR), indexes).names.get("gin")
    assert len(builds) == 3


def test_a_folder_that_takes_nothing_costs_time_alone(catalogue, workspace_path):
    (workspace_path / "in-the-way").write_text("")
    assert open_vocabulary(catalogue, workspace_path / "in-the-way").names.get("gin")


def test_the_files_are_for_their_owner_alone(catalogue, indexes):
    open_vocabulary(catalogue, indexes)
    assert {path.stat().st_mode & 0o777 for path in files(indexes)} == {0o600}
