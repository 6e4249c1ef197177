"""Lines of the bench beside peers that learn from likings: implicit and LensKit.

LensKit's EASE and item kNN run in an environment of its own. implicit has no EASE.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
from curation import likings
from findings import say
from peer_environments import answering, ask_line, python_of
from peer_lines import PeerLine, Seconds, Wanted, compare, each
from scipy.sparse import csr_matrix

from localrec.data.interactions import Interactions
from localrec.ranking.baselines.ease import EASE, EASEConfig
from localrec.ranking.baselines.item_knn import ItemKNN, ItemKNNConfig
from localrec.ranking.baselines.matrix_factorization import Als, AlsConfig
from localrec.ranking.recommender import Recommender, ScoreRequests
from localrec.ranking.top_items import top_items

Fitted = TypeVar("Fitted", bound=Recommender)

LENSKIT = "lenskit==2025.8.1"  # the last whose wheel is for Python 3.11
LISTS, K, NEIGHBOURS, SEED = 64, 10, 100, 1
# Items that are fitted densely, and their likings and users, from the items of the long catalogue.
DENSE_SHARE, DENSE_LIKINGS = 25, 150
LIKINGS, USERS_SHARE = 10, 5
MEANWHILE: Callable[..., None] = lambda *_told: None  # noqa: E731 - nobody watches
SERVER = Path(__file__).with_name("lenskit_server.py")
IMPLICIT = "implicit's"


def list_lines(peers: Path, items: int, repeat: int) -> Iterator[PeerLine]:
    """Fits and lists of ten, all from scratch and from equal likings."""
    dense = items // DENSE_SHARE
    few = max(3, repeat // 2)
    rows, matrix = likings_of(DENSE_LIKINGS * dense, dense, dense)
    of = f"{len(rows):,} likings of {dense:,} items"
    pair = timed(lambda: ours_fitted(rows), lambda: fitted(matrix))
    yield compare(f"fit of item kNN, {of}", f"{IMPLICIT} `CosineRecommender`", pair, few)
    pair = timed(lambda: fit(Als(AlsConfig()), rows), lambda: als_fitted(matrix))
    yield compare(f"fit of ALS, {of}", f"{IMPLICIT} `AlternatingLeastSquares`", pair, few)
    with lenskit_over(peers, rows) as lenskit:
        if lenskit is not None:
            for name, ours in (("item kNN", lambda: ours_fitted(rows)), ("EASE", ease(rows))):
                pair = (lambda o=ours: each(o)), (lambda n=name: lenskit.fit(n))
                yield compare(f"fit of {name}, {of}, LensKit", f"LensKit's {name}", pair, few)
    yield from long_lines(peers, items, repeat)


def long_lines(peers: Path, items: int, repeat: int) -> Iterator[PeerLine]:
    """Fits and lists of item kNN over a long catalogue."""
    users = items // USERS_SHARE
    rows, matrix = likings_of(LIKINGS * items, users, items)
    of = f"{len(rows):,} likings of {items:,} items"
    pair = timed(lambda: ours_fitted(rows), lambda: fitted(matrix))
    yield compare(f"fit of item kNN, {of}", f"{IMPLICIT} `CosineRecommender`", pair, 3)
    say("fits for the lists")
    ours, theirs = ours_fitted(rows), fitted(matrix)
    asked = np.random.default_rng(SEED).integers(users, size=LISTS).tolist()

    def listed() -> None:
        for user in asked:
            list_of(ours, rows, user)

    def recommended() -> None:
        for user in asked:
            theirs.recommend(user, matrix[user], N=K)

    name = f"a list of {K} from {items:,} items, item kNN"
    pair = (lambda: each(listed) / LISTS), (lambda: each(recommended) / LISTS)
    yield compare(name, f"{IMPLICIT} `recommend`", pair, repeat, Wanted(1))
    with lenskit_over(peers, rows) as lenskit:
        if lenskit is not None:
            lenskit.fit("item kNN")
            pair = (lambda: each(listed) / LISTS), (lambda: lenskit.list_of(asked) / LISTS)
            yield compare(f"{name}, LensKit", "LensKit's `recommend`", pair, repeat)


def timed(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[Seconds, Seconds]:
    """Both sides with their processor seconds."""
    return (lambda: each(ours)), (lambda: each(theirs))


def likings_of(many: int, users: int, items: int) -> tuple[Interactions, csr_matrix]:
    """The likings in both sides' form."""
    user, item, day = likings(many, users, items)
    order = np.lexsort((day, user))
    user, item, day = user[order], item[order], day[order]
    rows = Interactions(
        user=user,
        item=item,
        stars=np.full(len(user), np.nan, dtype=np.float32),
        at=(day * 86_400).astype("datetime64[s]"),
        users=users,
        items=items,
    )
    ones = np.ones(len(user), dtype=np.float32)
    return rows, csr_matrix((ones, (user, item)), shape=(users, items))


def ours_fitted(rows: Interactions) -> ItemKNN:
    """Our neighbours."""
    return fit(ItemKNN(ItemKNNConfig(neighbours=NEIGHBOURS)), rows)


def ease(rows: Interactions) -> Callable[[], EASE]:
    """What fits our EASE."""
    return lambda: fit(EASE(EASEConfig()), rows)


def fit(model: Fitted, rows: Interactions) -> Fitted:
    """Fit one of our models and hand it back."""
    model.fit(rows, SEED, MEANWHILE)
    return model


def fitted(matrix: csr_matrix) -> Any:
    """implicit's neighbours, as many."""
    from implicit.nearest_neighbours import CosineRecommender

    model = CosineRecommender(K=NEIGHBOURS)
    model.fit(matrix, show_progress=False)
    return model


def als_fitted(matrix: csr_matrix) -> Any:
    """implicit's factors, as many and as often solved for as ours are."""
    from implicit.als import AlternatingLeastSquares

    ours = AlsConfig()
    model = AlternatingLeastSquares(
        factors=ours.embedding_size,
        regularization=ours.regularization,
        alpha=ours.alpha,
        iterations=ours.epochs,
        random_state=SEED,
    )
    model.fit(matrix, show_progress=False)
    return model


class LensKit:
    """A process that fits and lists with LensKit, and tells its own processor seconds."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def fit(self, name: str) -> float:
        """Fit "item kNN" or "EASE"; returns its seconds."""
        return self._ask({"fit": "ease" if name == "EASE" else "item-knn"})

    def list_of(self, users: Sequence[int]) -> float:
        """List for some users out of what was fitted last; returns the seconds."""
        return self._ask({"list": users, "k": K})

    def _ask(self, asked: dict[str, object]) -> float:
        answer = ask_line(self._process, msgspec.json.encode(asked).decode())
        return msgspec.json.decode(answer, type=tuple[list[list[int]], float])[1]


@contextmanager
def lenskit_over(peers: Path, rows: Interactions) -> Iterator[LensKit | None]:
    """Keep LensKit over some rows, in an environment of its own; None where it is not to be had."""
    try:
        python = python_of(peers, LENSKIT, seeing_ours=True)
    except subprocess.CalledProcessError:
        say("LensKit left out: pip cannot install it")
        yield None
        return
    with tempfile.TemporaryDirectory() as folder, answering(python, SERVER) as process:
        file = Path(folder) / "rows.npz"
        np.savez(file, user=rows.user, item=rows.item)
        if process.stdin:
            process.stdin.write(f"{file}\n")
        yield LensKit(process)


def list_of(model: ItemKNN, rows: Interactions, user: int) -> list[int]:
    """The ten best items that a user has not met."""
    own = rows.item[rows.rows_of(user)]
    requests = ScoreRequests(np.array([user], dtype=np.int32), (own,))
    return top_items(model, requests, K)[0].tolist()
