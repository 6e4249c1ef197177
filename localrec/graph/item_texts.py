"""Which items say a phrase: in their names, in the names of what they have, or in their texts.

Read into memory at the first question that asks for it. A phrase is searched as letters with a
word's beginning before it, so that "tobacco" is found in "tobaccos" and "rum" not in "drum".
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

import numpy as np

from localrec.data.arrays import Mask
from localrec.data.domains import Domain
from localrec.foundation.text_matching import fold
from localrec.graph.store import Store

_END = "\n"


class ItemTexts:
    """The folded names and texts of one domain's items as one long string.

    Args:
        store: The store that the texts are read from.
        domain: The domain of the items.
        names: Names of the items, in the order of `node_ids`.
        node_ids: Node ids of the items, rising.
    """

    def __init__(
        self, store: Store, domain: Domain, names: Sequence[str], node_ids: Sequence[int]
    ) -> None:
        self._count = len(names)
        told = {int(node): [fold(name)] for node, name in zip(node_ids, names, strict=True)}
        # What an item looks like is asked for by its own words, not by any that a text says.
        fields = [told for name, told in domain.texts.items() if name == "description"]
        for field in fields:
            rows = store.rows(
                "SELECT node_id, strip_accents(lower(json_extract_string(properties, ?))) "
                "FROM node WHERE domain = ? AND kind = ?",
                [f"$.{field}", domain.name, domain.item],
            )
            for node, text in rows:
                if text and node in told:
                    told[node].append(text.replace("'", "").replace("’", ""))
        lines = [" " + " | ".join(parts).replace(_END, " ") for parts in told.values()]
        self._text = _END.join(lines)
        lengths = np.array([len(line) + 1 for line in lines], dtype=np.int64)
        self._starts: list[int] = [0, *np.cumsum(lengths).tolist()][: self._count]

    def saying(
        self,
        attributes: Sequence[str],
        items_with: Callable[[tuple[int, ...]], Mask],
        words: tuple[str, ...],
    ) -> Mask:
        """Mark the items that say some words side by side, or have an attribute of such a name.

        Args:
            attributes: Names of the attributes as roots, with blanks around.
            items_with: Marks the items with any of some attributes.
            words: The words, as roots.
        """
        phrase = " ".join(words)
        named = (index for index, name in enumerate(attributes) if f" {phrase} " in name)
        mask = items_with(tuple(named)).copy()
        text, place = self._text, 0
        while phrase and (place := text.find(phrase, place)) >= 0:
            if not text[place - 1].isalnum():
                item = bisect_right(self._starts, place) - 1
                mask[item] = True
                place = self._starts[item + 1] if item + 1 < self._count else len(text)
            else:
                place += len(phrase)
        return mask
