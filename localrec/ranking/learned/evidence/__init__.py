"""The kinds of evidence, one module each; `KINDS` lists them in the order of fitting."""

from __future__ import annotations

from typing import Any

import msgspec

from localrec.ranking.learned.evidence.base import FitEvidence
from localrec.ranking.learned.evidence.content import Attributes, Texts, fit_attributes, fit_texts
from localrec.ranking.learned.evidence.cooccurrence import Cooccurrence, fit_cooccurrence
from localrec.ranking.learned.evidence.ease import Ease, fit_ease
from localrec.ranking.learned.evidence.item_knn import ItemNeighbours, fit_item_knn
from localrec.ranking.learned.evidence.memory import NeighbourhoodMemory, fit_memory
from localrec.ranking.learned.evidence.networks import (
    AttentionEncoder,
    RecurrentEncoder,
    fit_attention,
    fit_gru,
)
from localrec.ranking.learned.evidence.odds import Odds, fit_odds
from localrec.ranking.learned.evidence.popularity import PopularityEvidence, fit_popularity
from localrec.ranking.learned.evidence.user_knn import UserNeighbours, fit_user_knn


class EvidenceKind(msgspec.Struct, frozen=True):
    """One kind of evidence.

    Args:
        record: Type of the fitted kind.
        fit: Fits it; None where the data gives it nothing to say.
        slow: Whether fitting takes long enough to be worth keeping on the way.
    """

    record: type[Any]
    fit: FitEvidence
    slow: bool = False


KINDS: dict[str, EvidenceKind] = {
    "popularity": EvidenceKind(PopularityEvidence, fit_popularity),
    "attributes": EvidenceKind(Attributes, fit_attributes),
    "texts": EvidenceKind(Texts, fit_texts),
    "cooccurrence": EvidenceKind(Cooccurrence, fit_cooccurrence, slow=True),
    "item-knn": EvidenceKind(ItemNeighbours, fit_item_knn, slow=True),
    "odds": EvidenceKind(Odds, fit_odds, slow=True),
    "user-knn": EvidenceKind(UserNeighbours, fit_user_knn),
    "memory": EvidenceKind(NeighbourhoodMemory, fit_memory),
    "ease": EvidenceKind(Ease, fit_ease, slow=True),
    "gru": EvidenceKind(RecurrentEncoder, fit_gru, slow=True),
    "attention": EvidenceKind(AttentionEncoder, fit_attention, slow=True),
}
NETWORKS = ("gru", "attention")  # the kinds that are trained
