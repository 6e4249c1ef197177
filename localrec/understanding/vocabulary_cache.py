"""The phrase tables of a vocabulary, kept in `indexes/` and read instead of built.

Cutting and sorting every name of a catalogue takes 0.1 s for 2,000 of them and 1 s for 100,000;
reading the tables takes a tenth of that. They are made from the names, the declaration of the
domain and the code that cuts them, and a digest of the three says whether they still serve. Like
every file in `indexes/` they can be lost, and go when something is forgotten: names of a person's
own shelves are in them.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np

from localrec.foundation import text_matching
from localrec.foundation.atomic_files import short_digest
from localrec.foundation.errors import WorkspaceError
from localrec.foundation.file_marks import file_mark
from localrec.foundation.text_matching import PhraseTable
from localrec.graph import taxonomy
from localrec.graph.catalogue import Catalogue
from localrec.index.cached_artifact import CachedArtifact
from localrec.understanding import (
    absent_names,
    askable_names,
    language_words,
    partial_names,
    spelling,
    superlatives,
    vocabulary,
)
from localrec.understanding.meanings import Meaning
from localrec.understanding.partial_names import LongName
from localrec.understanding.vocabulary import Vocabulary, VocabularyTables

Payload = TypeVar("Payload")

_TABLES = "msgpack"


class _Phrases(msgspec.Struct, frozen=True, array_like=True):
    """The content of a phrase table, whose payloads are numbers of meanings or keys of items."""

    payloads: dict[tuple[str, ...], list[int]]
    longest: dict[str, int]
    words: dict[str, int]


class _Stored(msgspec.Struct, frozen=True, array_like=True):
    """All tables of a vocabulary, each meaning and key of an item once."""

    meanings: list[Meaning]
    keys: list[str]
    names: _Phrases
    items: _Phrases
    long_names: dict[str, list[LongName]]
    callable: list[str]
    identity: list[int]


class _Sidecar(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    made_from: str
    checksum: str


def open_vocabulary(catalogue: Catalogue, folder: Path) -> Vocabulary:
    """Read the vocabulary of a catalogue, or build it and keep its tables for next time.

    Args:
        catalogue: The items and attributes as one viewer sees them.
        folder: The workspace's `indexes/`; where it takes nothing, nothing is kept.
    """
    files = CachedArtifact(folder, f"words-{short_digest(catalogue.domain.name)}")
    made_from = _digest(catalogue)
    stored = _read(files, made_from)
    if stored is not None:
        catalogue.identity = np.array(stored.identity, dtype=np.int32)
        return Vocabulary(catalogue, _tables(stored))
    built = Vocabulary(catalogue)
    tables = msgspec.msgpack.encode(_stored(built, catalogue))
    with suppress(OSError, WorkspaceError):  # a full disk: slower next time, not wrong
        files.write(
            made_from,
            {_TABLES: lambda path: path.write_bytes(tables)},
            lambda checksums: msgspec.json.encode(_Sidecar(made_from, checksums[_TABLES])),
        )
    return built


def _read(files: CachedArtifact, made_from: str) -> _Stored | None:
    try:
        sidecar = msgspec.json.decode(files.sidecar_path.read_bytes(), type=_Sidecar)
        if sidecar.made_from != made_from:
            return None
        if not files.is_whole(made_from, {_TABLES: sidecar.checksum}):
            return None
        return msgspec.msgpack.decode(files.path(made_from, _TABLES).read_bytes(), type=_Stored)
    except (OSError, msgspec.MsgspecError):
        return None  # missing, cut short or scribbled over


def _digest(catalogue: Catalogue) -> str:
    """Changes with the names of a catalogue, the declaration of its domain, and the code."""
    digest = blake2b(digest_size=8)
    attributes = [(one.kind, one.key, one.name) for one in catalogue.attributes]
    told = (catalogue.keys, catalogue.names, attributes, catalogue.domain, _code())
    digest.update(msgspec.msgpack.encode(told, order="deterministic"))
    return digest.hexdigest()


@cache
def _code() -> str:
    """Changes with the files that say how names are cut and what they stand for."""
    modules = (
        *(text_matching, taxonomy, language_words, partial_names),
        *(absent_names, askable_names, spelling, superlatives, vocabulary),
    )
    files = [Path(__file__), *(Path(module.__file__ or "") for module in modules)]
    files += sorted((Path(__file__).parent / "languages").glob("*.toml"))
    return str([file_mark(path) for path in files])


def _stored(built: Vocabulary, catalogue: Catalogue) -> _Stored:
    meanings: dict[Meaning, int] = {}
    keys: dict[str, int] = {}
    return _Stored(
        names=_numbered(built.names, meanings),
        items=_numbered(built.items, keys),
        meanings=list(meanings),
        keys=list(keys),
        long_names=built.partial.words,
        callable=sorted(built.partial.callable),
        identity=catalogue.identity.tolist(),
    )


def _numbered(table: PhraseTable[Payload], numbers: dict[Payload, int]) -> _Phrases:
    payloads = {
        phrase: [numbers.setdefault(one, len(numbers)) for one in meant]
        for phrase, meant in table.payloads.items()
    }
    return _Phrases(payloads, table.longest, dict(table.words))


def _tables(stored: _Stored) -> VocabularyTables:
    return VocabularyTables(
        _meant(stored.names, stored.meanings),
        _meant(stored.items, stored.keys),
        stored.long_names,
        set(stored.callable),
    )


def _meant(phrases: _Phrases, meanings: list[Payload]) -> PhraseTable[Payload]:
    payloads = {
        phrase: [meanings[number] for number in numbers]
        for phrase, numbers in phrases.payloads.items()
    }
    return PhraseTable(payloads, phrases.longest, Counter(phrases.words))
