"""Keeps threads from reading records of a new shape at the same time.

msgspec works out the shape of a record when one is read for the first time. Two threads that do so
at once can end the process: 2 of 3 runs of 400 new shapes, each read by four threads, died by a
segmentation fault (msgspec 0.22.0). Shapes that any work may read are worked out here before;
where a part of the backend has shapes of its own, it reads them one call at a time.
"""

from __future__ import annotations

from threading import Lock

import msgspec

_lock = Lock()
_is_done = False


def prepare_shapes() -> None:
    """Work out the shapes that all work shares; the first call does, the others wait for it."""
    global _is_done
    if _is_done:
        return
    from localrec.domains import Domain
    from localrec.settings import Settings

    with _lock:
        if not _is_done:
            for shape in (Domain, Settings):
                msgspec.json.Decoder(shape)
            _is_done = True
