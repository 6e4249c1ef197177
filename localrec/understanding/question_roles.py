"""What each word of a question is there for, by a small network over the embedder's token states.

The network reads what MiniLM makes of each token, and learnt vectors of the tokens that tell a role
("without", "hate", "but"); two layers of attention weigh them against each other. MiniLM's upper
layers were tuned with it (LoRA), and are run a second time with these weights. It was trained by
`localrec train reader`; the forward pass here is NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal, Protocol, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.foundation.errors import ModelError
from localrec.foundation.text_matching import Token
from localrec.index.encoder_layers import (
    MATRICES,
    EncoderLayer,
    LayerLora,
    LoraWeights,
    normed,
    run_layers,
    softmax,
)

Role = Literal[
    "other", "wanted", "one_of", "more", "less", "barred", "example", "known", "at_hand", "aside",
    "bound",
]  # fmt: skip
ROLES: tuple[Role, ...] = get_args(Role)
PLACE = {role: place for place, role in enumerate(ROLES)}
WEIGHTS = Path(__file__).parent / "languages" / "en-roles.npz"
FARTHEST = 24  # tokens apart; farther ones count as so far
# Weights on each side of 0, in 5 bits with room to spare: the fewer, the smaller the file. With 11
# instead of 15 it is 5 % smaller, and one of 989 questions for development is read otherwise.
STEPS = 11
_CLIPS = (1.0, 0.9, 0.8, 0.7, 0.6)  # of a column's largest weight, the best of which is its scale
Floats = NDArray[np.float32]
_EPSILON = np.float32(1e-5)  # torch's own in LayerNorm


class TokenStates(Protocol):
    """An encoder's reading of a text: its tokens, their spans, and a state of each."""

    @property
    def ids(self) -> NDArray[np.int64]:
        """Numbers of the tokens, (n,)."""
        ...

    @property
    def spans(self) -> Sequence[tuple[int, int]]:
        """Return the span of each token, `text[start:end]`; (0, 0) of one that is no text."""
        ...

    @property
    def states(self) -> Floats:
        """Their states, (n, size)."""
        ...

    @property
    def middle(self) -> Floats:
        """Their states before the upper layers, (n, size)."""
        ...


class StateReader(Protocol):
    """An encoder that tells the states of tokens; `size` numbers in each."""

    name: str
    size: int

    def read(self, text: str) -> TokenStates:
        """Read one text."""
        ...

    def read_many(self, texts: Sequence[str]) -> Sequence[TokenStates]:
        """Read many texts."""
        ...

    def upper_layers(self) -> tuple[EncoderLayer, ...]:
        """The layers behind the middle."""
        ...


class RoleLayer(msgspec.Struct, frozen=True):
    """One layer of attention, normalised before each half; rows come from the left.

    Args:
        norms: Scale and shift before the attention, then before the feed-forward, (2, 2, size).
        mixed: Queries, keys and values in one, (size, 3 * size), and their shift.
        gathered: Joins the heads, (size, size), and its shift.
        inner: First matrix of the feed-forward, (size, inner), and its shift.
        outer: Second matrix of the feed-forward, (inner, size), and its shift.
        distances: Bias of the attention of each head by distance, (heads, 2 * FARTHEST + 1).
    """

    norms: Floats
    mixed: tuple[Floats, Floats]
    gathered: tuple[Floats, Floats]
    inner: tuple[Floats, Floats]
    outer: tuple[Floats, Floats]
    distances: Floats

    def run(self, states: Floats) -> Floats:
        """States (n, size) from such."""
        states = states + self._attend(normed(states, self.norms[0], _EPSILON))
        inside = normed(states, self.norms[1], _EPSILON) @ self.inner[0] + self.inner[1]
        return states + np.maximum(inside, 0.0) @ self.outer[0] + self.outer[1]

    def _attend(self, states: Floats) -> Floats:
        count, size = states.shape
        heads = len(self.distances)
        mixed = (states @ self.mixed[0] + self.mixed[1]).reshape(count, 3, heads, size // heads)
        queries, keys, values = mixed.transpose(1, 2, 0, 3)  # each (heads, n, size / heads)
        near = queries @ keys.swapaxes(1, 2) * np.float32((size // heads) ** -0.5)
        weights = softmax(near + self.distances[:, distances_between(count)])
        joined = (weights @ values).transpose(1, 0, 2).reshape(count, size)
        gathered: Floats = joined @ self.gathered[0] + self.gathered[1]
        return gathered


class RoleNetwork(msgspec.Struct, frozen=True):
    """The trained network.

    Args:
        encoder: Name of the embedder whose states it reads.
        first: Matrix from a state to the network's own size, and its shift.
        cue_rows: Row of `cues` by token, 0 of tokens without one, (vocabulary,).
        cues: Learnt vectors of tokens that tell a role, (m, size).
        layers: The layers of attention.
        last_norm: Scale and shift, (2, size).
        last: Matrix to the roles, (size, roles), and its shift.
        lora: For each of the encoder's upper layers, which are run anew with them; none where the
            network reads the encoder's own states.
    """

    encoder: str
    first: tuple[Floats, Floats]
    cue_rows: NDArray[np.int32]
    cues: Floats
    layers: tuple[RoleLayer, ...]
    last_norm: Floats
    last: tuple[Floats, Floats]
    lora: tuple[LayerLora, ...] = ()

    def shares(self, told: TokenStates, upper: Sequence[EncoderLayer] = ()) -> Floats:
        """The share of each role for each token, (n, roles).

        Args:
            told: The encoder's reading of the text.
            upper: Its upper layers with `lora` merged in; none without LoRA weights.
        """
        read = run_layers(upper, told.middle) if upper else told.states
        states = read @ self.first[0] + self.first[1] + self.cues[self.cue_rows[told.ids]]
        for layer in self.layers:
            states = layer.run(states)
        return softmax(normed(states, self.last_norm, _EPSILON) @ self.last[0] + self.last[1])


class RoleLimits(msgspec.Struct, frozen=True):
    """The confidence that the tagger needs for each decision, 0 to 1.

    Args:
        excluded: To refuse a name where the rules heard no refusal.
        beside: To refuse a name where the rules heard a refusal of another; at 1 none is.
        wished: To refuse a name right behind "loves", "wants" or the like.
        alone: To refuse a name where nothing would be left that is wished for.
        spared: To take a name for a wish that the rules refuse.
        less: To read a refusal as "less of it".
        aside: To leave a name out of the question.
        words: To refuse words that name nothing.
    """

    excluded: float = 0.4
    beside: float = 0.6
    wished: float = 0.97
    alone: float = 0.9
    spared: float = 1.0
    less: float = 0.9
    aside: float = 0.9
    words: float = 0.9


ALONE = RoleLimits(excluded=0.5, beside=0.5, spared=0.5, less=0.5, aside=0.5, words=0.5)


class WordRoles(msgspec.Struct, frozen=True):
    """The roles of the words of a question.

    Args:
        shares: Share of each role for each word, (words, roles).
        limits: The shares that are needed to count against the rules.
    """

    shares: Floats
    limits: RoleLimits = RoleLimits()

    def of(self, first: int, last: int, *roles: Role) -> float:
        """The share that some roles have together in words `first` to `last` (exclusive)."""
        mean = self.shares[first:last].mean(axis=0)
        return float(sum(mean[PLACE[role]] for role in roles))

    def named(self, first: int, last: int, *roles: Role) -> float:
        """The same among all roles but "other", for words that are known to be a name."""
        mean = self.shares[first:last].mean(axis=0)
        named = 1.0 - mean[PLACE["other"]]
        return float(sum(mean[PLACE[role]] for role in roles) / max(named, 1e-6))


class RoleTagger:
    """Tells what each word of a question is there for.

    Args:
        network: Trained, or the file that the first question for it reads it from.
        encoder: Tells the states that it reads.
        limits: The shares that it needs to contradict the rules.

    Example: `RoleTagger(load_roles(), MiniLmEmbedder(folder)).tag("gin, no egg", tokens(text))`
    """

    def __init__(
        self, network: RoleNetwork | Path, encoder: StateReader, limits: RoleLimits | None = None
    ) -> None:
        self._given, self._encoder = network, encoder
        self._limits = limits or RoleLimits()

    @cached_property
    def _network(self) -> RoleNetwork:
        return load_roles(self._given) if isinstance(self._given, Path) else self._given

    @cached_property
    def _upper(self) -> tuple[EncoderLayer, ...]:
        lora = self._network.lora
        if not lora:
            return ()
        layers = self._encoder.upper_layers()
        return tuple(one.with_lora(mine) for one, mine in zip(layers, lora, strict=True))

    def tag(self, text: str, words: Sequence[Token]) -> WordRoles:
        """The roles of the words of a text; words that the encoder did not reach are "other".

        Raises:
            ModelError: the file of the network is damaged, or one of the encoder's.
        """
        told = self._encoder.read(text)
        shares = self._network.shares(told, self._upper)
        found = np.zeros((len(words), len(ROLES)), dtype=np.float32)
        found[:, PLACE["other"]] = 1.0
        spans = np.asarray(told.spans, dtype=np.int64).reshape(-1, 2)
        for place, word in enumerate(words):
            inside = (spans[:, 0] < word.end) & (spans[:, 1] > word.start)
            if inside.any():
                found[place] = shares[inside].mean(axis=0)
        return WordRoles(found, self._limits)


@lru_cache(maxsize=4)
def load_roles(path: Path = WEIGHTS) -> RoleNetwork:
    """Read a trained network, once.

    Raises:
        ModelError: there is none, or the file is damaged.
    """
    with _reading(path), np.load(path, allow_pickle=False) as kept:
        return unpacked({name: kept[name] for name in kept.files})


def encoder_of(path: Path = WEIGHTS) -> str:
    """Name of the embedder whose states a trained network reads; all of it takes 25 ms to read.

    Raises:
        ModelError: there is none, or the file is damaged.
    """
    with _reading(path), np.load(path, allow_pickle=False) as kept:
        return str(kept["encoder"])


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, KeyError, IndexError) as error:
        raise ModelError(
            f"{path} holds no network that tells the roles of words.",
            "Train it: localrec train reader",
        ) from error


def packed(network: RoleNetwork) -> dict[str, NDArray[np.generic]]:
    """The network as arrays to be kept: matrices in 5 bits with a scale for each column.

    Shifts, norms and distances are kept in half precision, whose steps are far below the matrices'.
    """
    kept: dict[str, NDArray[np.generic]] = {
        "encoder": np.array(network.encoder),
        "cue_rows": network.cue_rows.astype(np.int16),
        "last_norm": network.last_norm.astype(np.float16),
    }

    def keep(name: str, matrix: Floats, shift: Floats | None) -> None:
        scale = _best_scale(matrix)
        kept[f"{name}_8"] = _in_steps(matrix, scale)
        kept[f"{name}_scale"] = scale
        if shift is not None:
            kept[f"{name}_shift"] = shift.astype(np.float16)

    keep("first", *network.first)
    keep("cues", network.cues, None)
    keep("last", *network.last)
    for number, layer in enumerate(network.layers):
        for name in ("mixed", "gathered", "inner", "outer"):
            keep(f"{number}_{name}", *getattr(layer, name))
        kept[f"{number}_norms"] = layer.norms.astype(np.float16)
        kept[f"{number}_distances"] = layer.distances.astype(np.float16)
    for number, lora in enumerate(network.lora):
        for name, low in lora.items():
            keep(f"lora{number}_{name}_down", low.down, None)
            keep(f"lora{number}_{name}_up", low.up.T, None)  # few columns, so few scales
    return kept


def _best_scale(matrix: Floats) -> NDArray[np.float16]:
    """The scale of each column that its weights lose least by."""
    largest = np.maximum(np.abs(matrix).max(axis=0), 1e-6) / STEPS
    scales = [(largest * clip).astype(np.float16) for clip in _CLIPS]
    lost = [((_in_steps(matrix, one) * one - matrix) ** 2).sum(axis=0) for one in scales]
    best: NDArray[np.float16] = np.choose(np.argmin(lost, axis=0), scales)
    return best


def _in_steps(matrix: Floats, scale: NDArray[np.float16]) -> NDArray[np.int8]:
    steps = np.rint(matrix / scale.astype(np.float32)).clip(-STEPS, STEPS)
    return steps.astype(np.int8)


def unpacked(kept: dict[str, NDArray[np.generic]]) -> RoleNetwork:
    """The network that `packed` made arrays of.

    Raises:
        KeyError: an array is missing.
        ValueError: it was trained for other roles, or its arrays do not belong together.
    """

    def matrix(name: str) -> Floats:
        return kept[f"{name}_8"].astype(np.float32) * kept[f"{name}_scale"].astype(np.float32)

    def both(name: str) -> tuple[Floats, Floats]:
        return matrix(name), kept[f"{name}_shift"].astype(np.float32)

    def layer_lora(number: int) -> LayerLora:
        begins = [f"lora{number}_{name}" for name in MATRICES]
        return {
            name: LoraWeights(matrix(f"{begin}_down"), matrix(f"{begin}_up").T)
            for name, begin in zip(MATRICES, begins, strict=True)
            if f"{begin}_up_8" in kept
        }

    count = sum(name.endswith("_norms") for name in kept)
    tuned = len({name.partition("_")[0] for name in kept if name.startswith("lora")})
    if kept["last_8"].shape[1] != len(ROLES):
        raise ValueError("trained for other roles")
    network = RoleNetwork(
        encoder=str(kept["encoder"]),
        first=both("first"),
        cue_rows=kept["cue_rows"].astype(np.int32),
        cues=matrix("cues"),
        layers=tuple(
            RoleLayer(
                norms=kept[f"{number}_norms"].astype(np.float32),
                mixed=both(f"{number}_mixed"),
                gathered=both(f"{number}_gathered"),
                inner=both(f"{number}_inner"),
                outer=both(f"{number}_outer"),
                distances=kept[f"{number}_distances"].astype(np.float32),
            )
            for number in range(count)
        ),
        lora=tuple(map(layer_lora, range(tuned))),
        last_norm=kept["last_norm"].astype(np.float32),
        last=both("last"),
    )
    _require_fitting_sizes(network)
    return network


def _require_fitting_sizes(network: RoleNetwork) -> None:
    """Refuse a network whose arrays do not belong together; raises ValueError."""
    size = network.first[0].shape[1]
    shapes: list[tuple[Floats, tuple[int | None, ...]]] = [
        (network.cues, (None, size)),
        (network.last[0], (size, len(ROLES))),
    ]
    for layer in network.layers:
        shapes += [
            (layer.norms, (2, 2, size)),
            (layer.mixed[0], (size, 3 * size)),
            (layer.gathered[0], (size, size)),
            (layer.inner[0], (size, len(layer.outer[0]))),
            (layer.outer[0], (None, size)),
            (layer.distances, (None, 2 * FARTHEST + 1)),
        ]
    for lora in network.lora:
        shapes += [(low.up, (low.down.shape[1], None)) for low in lora.values()]
    fits = all(
        array.ndim == len(shape)
        and all(wanted in (None, found) for wanted, found in zip(shape, array.shape, strict=True))
        for array, shape in shapes
    )
    whole = all(set(lora) == set(MATRICES) for lora in network.lora)
    if not (fits and whole and network.cue_rows.max() < len(network.cues)):
        raise ValueError("arrays of different sizes")


def distances_between(count: int) -> NDArray[np.int64]:
    """Place in a table of distances for each pair of tokens, (n, n)."""
    place = np.arange(count)
    return (place[:, None] - place).clip(-FARTHEST, FARTHEST) + FARTHEST
