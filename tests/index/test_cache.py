"""Whatever happens to a cache, the field opens and answers as the store says."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys

import pytest

from localrec.index.embedded_fields import open_field
from localrec.index.vectors import ExactIndex, HnswIndex

from .planted import clustered, put_many

FIELD = ("drinks", "name", "planted")


@pytest.fixture(params=["exact", "hnsw"])
def backend(request):
    return request.param


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "indexes"


@pytest.fixture
def planted(store):
    """The store with 201 drinks and their clustered vectors."""
    node_ids, matrix = clustered(201)
    store.execute("DELETE FROM node")
    put_many(store, node_ids)
    write(store, node_ids, matrix)
    return store


def write(store, node_ids, matrix, generation=1):
    """Write vectors, and text hashes that differ from those of any other generation."""
    hashes = node_ids * 1_000 + generation
    store.write_embeddings("name", "planted", node_ids, hashes, matrix)


def opens_rebuilt_and_right(store, folder, backend):
    node_ids, matrix = store.read_embeddings(*FIELD)
    field = open_field(store, folder, *FIELD, backend)
    assert field.origin == "built"
    assert field.search(matrix[::20], 1)[0][:, 0].tolist() == node_ids[::20].tolist()
    assert open_field(store, folder, *FIELD, backend).origin == "cache"
    return True


def files(folder, ending):
    return [path for path in folder.iterdir() if path.name.endswith(ending)]


DAMAGES = {
    "cut short": lambda content: content[: len(content) // 2],
    "emptied": lambda content: b"",
    "one bit flipped": lambda content: content[:-100] + bytes([content[-100] ^ 1]) + content[-99:],
    "replaced by noise": lambda content: bytes(range(256)) * 40,
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("ending", [".json", ".nodes.npy", ".vectors.npy", ".graph"])
def test_a_damaged_file_is_rebuilt(planted, folder, ending, damage):
    open_field(planted, folder, *FIELD, "hnsw")
    (path,) = files(folder, ending)
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert opens_rebuilt_and_right(planted, folder, "hnsw")


@pytest.mark.parametrize("ending", [".json", ".nodes.npy", ".vectors.npy", ".graph"])
def test_a_missing_file_is_rebuilt(planted, folder, ending):
    open_field(planted, folder, *FIELD, "hnsw")
    files(folder, ending)[0].unlink()
    assert opens_rebuilt_and_right(planted, folder, "hnsw")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("format", 0),
        ("fingerprint", "planted:name:201:0"),
        ("model", "another"),
        ("size", 31),
        ("count", 200),
        ("metric", "euclidean"),
        ("backend", "exact"),
        ("backend", "annoy"),
        ("parameters", {"M": 4}),
        ("checksums", {}),
        ("size", "wide"),
        ("surprise", 1),
    ],
)
def test_a_sidecar_that_says_anything_else_is_not_believed(planted, folder, key, value):
    open_field(planted, folder, *FIELD, "hnsw")
    (path,) = files(folder, ".json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))
    assert opens_rebuilt_and_right(planted, folder, "hnsw")


def test_files_of_another_size_are_not_taken_though_their_checksums_agree(
    planted, folder, tmp_path
):
    """What a cache copied from elsewhere would look like; hnswlib itself would not notice."""
    open_field(planted, folder, *FIELD, "hnsw")
    (sidecar,) = files(folder, ".json")
    narrow = ExactIndex(*clustered(201, size=8))
    told = json.loads(sidecar.read_text())
    savers = {"vectors.npy": narrow.save, "graph": HnswIndex.build(narrow).save}
    for ending, save in savers.items():
        (path,) = files(folder, ending)
        save(path)
        told["checksums"][ending] = checksum(path)
    sidecar.write_text(json.dumps(told))
    assert opens_rebuilt_and_right(planted, folder, "hnsw")


def checksum(path):
    return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()


def test_replaced_vectors_under_the_same_node_ids_make_the_cache_stale(planted, folder, backend):
    open_field(planted, folder, *FIELD, backend)
    node_ids, matrix = clustered(201, seed=4)
    write(planted, node_ids, matrix, generation=2)
    assert opens_rebuilt_and_right(planted, folder, backend)


def test_a_death_before_the_new_sidecar_leaves_the_old_cache_good(planted, folder, backend):
    open_field(planted, folder, *FIELD, backend)
    before = shutil.copytree(folder, folder.with_name("before"))
    write(planted, *clustered(201, seed=4), generation=2)
    open_field(planted, folder, *FIELD, backend)
    for path in before.iterdir():  # old files, old sidecar, and the new files already in place
        shutil.copy(path, folder)
    write(planted, *clustered(201), generation=1)
    assert open_field(planted, folder, *FIELD, backend).origin == "cache"
    assert len(files(folder, ".vectors.npy")) == 2
    write(planted, *clustered(201, seed=4), generation=2)
    assert opens_rebuilt_and_right(planted, folder, backend)
    assert len(files(folder, ".vectors.npy")) == 1


KILLED = """
import os, signal, sys
from pathlib import Path
from localrec.graph.store import Store
from localrec.index.embedded_fields import open_field

steps = int(sys.argv[2])
replace = Path.replace

def replace_and_die(self, target):
    global steps
    steps -= 1
    if steps < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return replace(self, target)

Path.replace = replace_and_die
folder = Path(sys.argv[1])
with Store.open_(folder / "store.duckdb", read_only=True) as store:
    open_field(store, folder / "indexes", "drinks", "name", "planted", "hnsw")
"""


@pytest.mark.parametrize("steps", range(4))
def test_a_process_killed_while_writing_leaves_a_cache_that_opens(planted, folder, steps, tmp_path):
    open_field(planted, folder, *FIELD, "hnsw")
    write(planted, *clustered(201, seed=4), generation=2)
    planted.close()
    died = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), str(steps)], check=False)
    assert died.returncode == -signal.SIGKILL
    with type(planted).open_(tmp_path / "store.duckdb", read_only=True) as reopened:
        assert opens_rebuilt_and_right(reopened, folder, "hnsw")
    assert files(folder, ".tmp") == []


class TestWhereNothingCanBeWritten:
    def test_a_file_in_the_folders_place_leaves_the_index_in_memory(self, planted, folder, backend):
        folder.write_text("not a folder")
        field = open_field(planted, folder, *FIELD, backend)
        assert field.origin == "memory"
        assert len(field) == 201

    def test_a_full_disk_leaves_the_index_in_memory_and_the_old_cache_whole(
        self, planted, folder, backend, monkeypatch
    ):
        open_field(planted, folder, *FIELD, backend)
        before = sorted((path.name, path.read_bytes()) for path in folder.iterdir())
        write(planted, *clustered(201, seed=4), generation=2)

        def full(handle):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        field = open_field(planted, folder, *FIELD, backend)
        assert field.origin == "memory"
        assert sorted((path.name, path.read_bytes()) for path in folder.iterdir()) == before

    def test_a_graph_that_the_disk_cut_short_is_not_vouched_for(self, planted, folder, monkeypatch):
        monkeypatch.setattr(HnswIndex, "save", save_half_of(HnswIndex.save))
        assert open_field(planted, folder, *FIELD, "hnsw").origin == "memory"


def save_half_of(save):
    class Disk:
        """A graph whose file comes out short, as hnswlib leaves it on a full disk."""

        def __init__(self, graph):
            self._graph = graph

        def save_index(self, path):
            self._graph.save_index(path)
            os.truncate(path, self.index_file_size() // 2)

        def index_file_size(self):
            return self._graph.index_file_size()

    def save_on_a_full_disk(self, path):
        whole, self._graph = self._graph, Disk(self._graph)
        try:
            save(self, path)
        finally:
            self._graph = whole

    return save_on_a_full_disk
