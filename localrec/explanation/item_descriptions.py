"""Let a local model write missing item descriptions, and check them against the graph.

The import gave such items a description from their facts by a template. Here a model may write the
same facts better. Its sentence is kept only if every name in it is one of the item's own edges, and
is marked as the model's. Each batch of items is one transaction, so a stopped run can continue.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from localrec.data.chat_message import Message
from localrec.data.evidence import Evidence
from localrec.data.query import Query
from localrec.data.records import Record
from localrec.explanation.grounding import is_grounded
from localrec.foundation.errors import ModelError
from localrec.graph.item_subgraph import ItemSubgraph
from localrec.llm.chat_model import ChatModel
from localrec.llm.structured_output import parse_sentence, sentence_grammar

if TYPE_CHECKING:
    from localrec.graph.catalogue import Catalogue
    from localrec.graph.store import Store
    from localrec.understanding.vocabulary import Vocabulary

_LONGEST = 240
_AT_ONCE = 16


class DescribeSummary(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The counts of a run: sentences kept, and sentences dropped for unsupported claims."""

    waiting: int
    written: int
    dropped: int


def generate_descriptions(
    store: Store,
    catalogue: Catalogue,
    vocabulary: Vocabulary,
    model: ChatModel,
    limit: int | None,
    progress: Callable[[int, int], None],
) -> DescribeSummary:
    """Let the model describe the items whose description was made by template.

    Items it fails on keep the template's text and are marked, so that they are not tried again.

    Raises:
        ModelError: the model cannot be used at all.
    """
    waiting = _waiting(store, catalogue)
    todo = waiting[:limit]
    written = 0
    for start in range(0, len(todo), _AT_ONCE):
        progress(start, len(todo))
        batch = todo[start : start + _AT_ONCE]
        sentences = {item: _describe(catalogue, vocabulary, model, item) for item in batch}
        with store.transaction():
            for item, sentence in sentences.items():
                _keep(store, int(catalogue.node_ids[item]), sentence)
        written += sum(sentence is not None for sentence in sentences.values())
    progress(len(todo), len(todo))
    return DescribeSummary(waiting=len(waiting), written=written, dropped=len(todo) - written)


def _waiting(store: Store, catalogue: Catalogue) -> list[int]:
    rows = store.rows(
        "SELECT key FROM node WHERE domain = ? AND kind = ? "
        "AND properties->>'$.description_source' = 'generated' ORDER BY node_id",
        [catalogue.domain.name, catalogue.domain.item],
    )
    found = (catalogue.item_index(key) for (key,) in rows)
    return [index for index in found if index is not None]


def _keep(store: Store, node_id: int, sentence: str | None) -> None:
    patch = {"description_source": "template"}
    if sentence is not None:
        patch = {"description_source": "model", "description": sentence}
    store.execute(
        "UPDATE node SET properties = json_merge_patch(properties, ?::JSON) WHERE node_id = ?",
        [msgspec.json.encode(patch).decode(), node_id],
    )


def _describe(
    catalogue: Catalogue, vocabulary: Vocabulary, model: ChatModel, item: int
) -> str | None:
    """Let the model describe an item; None where no sentence passes the check."""
    name = catalogue.names[item]
    around = ItemSubgraph(catalogue, item, catalogue.details([item])[item])
    edges = [around.edge(link) for link in around.links]
    domain = catalogue.domain
    system = (
        f"You describe a {domain.singular} for a menu in one short sentence. Name only what "
        "the list gives. Do not invent anything."
    )
    listed = "\n".join(f"- {edge.target}" for edge in edges)
    try:
        generation = model.generate(
            [Message("system", system), Message("user", f"{name}\n{listed}\nSentence:")],
            grammar=sentence_grammar(_LONGEST),
            max_tokens=80,
            fixed=1,
        )
        sentence = parse_sentence(generation.text.strip(), _LONGEST)
    except ModelError:
        return None
    named = [*edges, Evidence(source=name, relation="IS", target=domain.singular)]
    return sentence if is_grounded(sentence, named, Query(), vocabulary) else None
