"""Measure what some kept libraries would cost where localrec has code of its own.

    python scripts/bench/libraries.py

Prints a line each: the same rules as text and as JSON in tokens of SmolLM2, SASRec in NumPy beside
the start of onnxruntime, and families of a catalogue in numbers beside NetworkX. TRL's trainer is
measured by bench/train.py. Times are of the processor, the least of several rounds.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.index.sasrec import SasRecEncoder
from localrec.llm.model_catalog import model_path
from localrec.llm.model_process import ModelProcess
from localrec.memory.default_rules import default_rules
from localrec.memory.rule_text import format_rules

SIZE, LAYERS, HEADS, LENGTH, ITEMS = 64, 2, 2, 50, 1682
FAMILIES = 400  # concepts below one another in a made taxonomy
ROUNDS = 5


def least_ms(work: Callable[[], object]) -> float:
    """Milliseconds of the processor, the least of some rounds."""
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return 1000 * min(times)


def rule_tokens() -> str:
    """The rules of films as a model writes them, and as JSON of the same records."""
    rules = default_rules("movies")
    with ModelProcess(model_path("smollm2-135m")) as model:
        text = model.count_tokens(format_rules(rules))
        json = model.count_tokens(msgspec.json.encode(rules.rules).decode())
    return f"{len(rules.rules)} rules: {text} tokens as text, {json} as JSON"


def sequence_model() -> str:
    """A history of 50 items read in NumPy, and the import that onnxruntime begins with."""
    generator = np.random.default_rng(1)

    def drawn(*shape: int) -> NDArray[np.float32]:
        return generator.normal(0.0, 0.1, shape).astype(np.float32)

    encoder = SasRecEncoder(
        items=drawn(ITEMS, SIZE),
        bias=drawn(ITEMS),
        met=np.ones(ITEMS, dtype=bool),
        norms=drawn(2 * LAYERS + 1, 2, SIZE),
        squares=drawn(LAYERS, 6, SIZE, SIZE),
        shifts=drawn(LAYERS, 6, SIZE),
        distances=drawn(LAYERS, HEADS, LENGTH),
    )
    history = generator.integers(ITEMS, size=LENGTH).astype(np.int32)
    reading = least_ms(lambda: encoder.state_of(history))
    importing = _import("onnxruntime")
    return f"SASRec in NumPy: {reading:.1f} ms a history; onnxruntime imports in {importing} ms"


def families() -> str:
    """All families above an item, in a tree of numbers and in a graph of NetworkX."""
    importing = _import("networkx")
    import networkx

    above = {concept: (concept - 1) // 2 for concept in range(1, FAMILIES)}
    graph = networkx.DiGraph(list(above.items()))

    def walk(concept: int) -> set[int]:
        found = set()
        while concept in above:
            concept = above[concept]
            found.add(concept)
        return found

    assert all(walk(one) == networkx.descendants(graph, one) for one in range(FAMILIES))
    own = least_ms(lambda: [walk(one) for one in range(FAMILIES)])
    theirs = least_ms(lambda: [networkx.descendants(graph, one) for one in range(FAMILIES)])
    return (
        f"families above {FAMILIES} concepts: {own:.1f} ms in a loop, {theirs:.1f} ms by NetworkX, "
        f"which imports in {importing} ms"
    )


def _import(name: str) -> str:
    began = time.process_time()
    importlib.import_module(name)
    return f"{1000 * (time.process_time() - began):.0f}"


if __name__ == "__main__":
    for measure in (families, sequence_model, rule_tokens):
        print(measure())
