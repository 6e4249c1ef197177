"""Score items for a user by four kinds of evidence that add up.

Neighbours: how much a like of one item raises the odds of another among all users, as in naive
Bayes: log P(j | i) - log P(j), weighted by the user's preference for i and damped, because the
items of one history are not independent. Attributes: the genres, authors or ingredients of liked
and disliked items. Nearness: the text cosine to liked items, less that to disliked ones.
Popularity: the prior log P(j), and the only evidence for a cold-start user.

Every part is an array over all items of the catalogue, (n,). Nothing is trained, so feedback counts
in the next answer. The weights were set on development users of MovieLens 100K
(docs/results/ranking.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes, Scores
from localrec.data.interaction_matrix import InteractionMatrix
from localrec.graph.catalogue import Catalogue
from localrec.graph.user_profile import UserProfile
from localrec.index.embedded_fields import EmbeddedField

_ALL = slice(None)
_SMOOTHING = np.float32(5.0)  # users of average habits added to each share
_VOTES = 3.0  # a history of any length weighs as much as so many independent votes
_ASKED = 50  # items of a history whose neighbours are asked; the strongest, then the newest
_ATTRIBUTES = 0.3
_NEARNESS = 0.3
_RESTRAINT = 2.0  # added to the weight of a history, so that one rating is no profile yet


def popularity_scores(interactions: InteractionMatrix) -> Scores:
    """Compute log(1 + users who liked it), (n,)."""
    return np.log1p(interactions.likes).astype(np.float32)


def cooccurrence_scores(user_profile: UserProfile, interactions: InteractionMatrix) -> Scores:
    """Sum how much the user's likes raise each item's odds, (n,)."""
    total = np.zeros(len(interactions.likes), dtype=np.float32)
    weights = user_profile.liked
    for place in strongest_likes(user_profile):
        total += weights[place] * lift(interactions, int(user_profile.items[place]))
    return total * np.float32(_VOTES / (_VOTES + float(weights.sum())))


def lift(interactions: InteractionMatrix, item: int, others: Indexes | slice = _ALL) -> Scores:
    """Compute the smoothed log P(j | i) - log P(j) for j in `others`."""
    counts, asked = interactions.liked_with(item)
    likes = interactions.likes[others].astype(np.float32)
    liked = float(interactions.likes[item])
    share = (liked + 1.0) / (interactions.user_count + 2.0)
    together = counts[others] * np.float32(liked / asked if asked else 0.0)
    return np.log((together + _SMOOTHING * share) / ((likes + _SMOOTHING) * share))


def strongest_likes(user_profile: UserProfile) -> NDArray[np.int64]:
    """Return the places of at most 50 likes, the strongest first, newest first among equals."""
    places = np.flatnonzero(user_profile.liked > 0)
    order = np.lexsort((-places, -user_profile.liked[places]))
    return places[order][:_ASKED]


def attribute_scores(user_profile: UserProfile, catalogue: Catalogue) -> Scores:
    """Score the attributes of each item by the user's preferences, (n,)."""
    return np.float32(_ATTRIBUTES) * catalogue.score_by_attributes(
        attribute_preferences(user_profile, catalogue)
    )


def attribute_preferences(user_profile: UserProfile, catalogue: Catalogue) -> NDArray[np.float64]:
    """Compute the user's preference for each attribute, weighted by rarity, (attributes,)."""
    preference = np.zeros(len(catalogue.attributes))
    for item, strength in zip(user_profile.items, user_profile.strengths, strict=True):
        preference[catalogue.attributes_of(int(item))] += strength
    weight = float(np.abs(user_profile.strengths).sum()) + _RESTRAINT
    return preference * catalogue.rarity / weight


def content_similarity(
    user_profile: UserProfile, catalogue: Catalogue, field: EmbeddedField
) -> Scores:
    """Subtract the cosine to disliked items from that to liked ones, (n,); 0 without a text."""
    scores = np.zeros(len(catalogue), dtype=np.float32)
    if not len(field) or not len(user_profile):
        return scores
    ids = catalogue.node_ids[user_profile.items]
    rows = np.searchsorted(field.node_ids, ids).clip(max=len(field) - 1)
    embedded = field.node_ids[rows] == ids
    if not embedded.any():
        return scores
    mixed = user_profile.strengths[embedded] @ field.exact.matrix[rows[embedded]]
    weight = float(np.abs(user_profile.strengths).sum()) + _RESTRAINT
    places = np.searchsorted(catalogue.node_ids, field.node_ids).clip(max=len(catalogue) - 1)
    ours = catalogue.node_ids[places] == field.node_ids
    direction = (mixed / weight).astype(np.float32)  # float64 would copy the whole matrix
    scores[places[ours]] = (field.exact.matrix @ direction)[ours]
    return np.float32(_NEARNESS) * scores
