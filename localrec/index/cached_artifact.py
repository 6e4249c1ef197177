"""One cache in `indexes/`: data files, and a JSON sidecar that vouches for them.

The files' names carry a mark of what they were made from and the sidecar is replaced last, so
whenever a process dies there is the old cache with its old files or the new one with its new files.
Whatever does not fit counts as absent, for the store has the truth.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from localrec.foundation.atomic_files import file_checksum, short_digest, sync, write_atomically
from localrec.foundation.paths import make_private


class CachedArtifact:
    """The files of one cache, which are whole or absent together.

    Args:
        folder: The workspace's `indexes/`.
        stem: Beginning of all its file names.
    """

    def __init__(self, folder: Path, stem: str) -> None:
        self._folder, self._stem = folder, stem
        self.sidecar_path = folder / f"{stem}.json"

    def path(self, mark: str, kind: str) -> Path:
        """The file of one kind that was made from what `mark` stands for."""
        return self._folder / f"{self._stem}.{mark}.{kind}"

    def is_whole(self, mark: str, checksums: Mapping[str, str]) -> bool:
        """Check every file against its checksum, given by kind, before anything parses it.

        Raises:
            OSError: a file is missing.
        """
        return all(file_checksum(self.path(mark, kind)) == told for kind, told in checksums.items())

    def write(
        self,
        mark: str,
        savers: Mapping[str, Callable[[Path], object]],
        sidecar: Callable[[dict[str, str]], bytes],
    ) -> dict[str, str]:
        """Put the files beside the old ones, then the sidecar over the old one, then tidy up.

        Args:
            mark: Mark of what the files are made from.
            savers: Writes the file of each kind.
            sidecar: Encodes the sidecar from the checksum of each kind.

        Raises:
            OSError: the folder or the disk does not take them; the old cache is unharmed.
        """
        if not self._folder.is_dir():
            make_private(self._folder)
        paths = {kind: self.path(mark, kind) for kind in savers}
        checksums = {kind: write_atomically(paths[kind], save) for kind, save in savers.items()}
        write_atomically(self.sidecar_path, sidecar(checksums))
        sync(self._folder)
        for path in self._folder.glob(f"{self._stem}.*"):
            if path not in {self.sidecar_path, *paths.values()}:
                with suppress(OSError):  # still mapped by another process on Windows
                    path.unlink()
        return checksums


def artifact_states(folder: Path) -> dict[str, bool]:
    """The caches of a workspace's `indexes/`, whatever they hold: stem -> whether it is whole.

    A sidecar that is no JSON counts as a damaged cache.
    """
    states = {}
    for sidecar in sorted(folder.glob("*.json")):
        try:
            told = msgspec.json.decode(sidecar.read_bytes())
            if checksums := set(_checksums(told)):
                files = folder.glob(f"{sidecar.stem}.*.*")
                states[sidecar.stem] = checksums <= {file_checksum(one) for one in files}
        except (OSError, msgspec.MsgspecError):
            states[sidecar.stem] = False
    return states


def remove_artifact(folder: Path, stem: str) -> None:
    """Remove a cache, its sidecar first; whoever needs it makes it anew."""
    (folder / f"{stem}.json").unlink(missing_ok=True)
    for path in folder.glob(f"{stem}.*"):
        path.unlink(missing_ok=True)


def remove_domain_caches(folder: Path, domain: str) -> None:
    """Remove what was computed from the items of a domain and from what users did with them.

    A cache of another domain whose name begins alike goes too; whoever needs it makes it anew.
    """
    digest = short_digest(domain)
    if folder.is_dir():
        for path in sorted(folder.iterdir(), key=lambda path: path.suffix != ".json"):
            if digest in path.name or path.name.startswith((f"{domain}-", "weights-")):
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink(missing_ok=True)


def _checksums(told: Any) -> Iterator[str]:
    """The checksums that a sidecar of any kind vouches for."""
    if not isinstance(told, dict):
        return
    if "checksum" in told:
        yield str(told["checksum"])
    several = told.get("checksums", ())
    yield from map(str, several.values() if isinstance(several, dict) else several)
