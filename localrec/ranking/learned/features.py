"""Turn signals into features on common scales: each signal in two units.

Signals come in units of their own: logits, counts, sums of ridge weights. For each history a signal
is read twice over the whole catalogue, so that one weight means the same for everybody, and among
10 candidates the same as among all:

    NAME        in standard deviations from the mean; tells the few best apart
    NAME~log    the logarithm of 0.1 + the height above the least, over the mean height; tells
                something from nothing where a signal is silent on most items

A signal that finds all items alike becomes 0 and says nothing.
"""

from __future__ import annotations

import numpy as np

from localrec.ranking.learned.evidence.base import Signals
from localrec.ranking.learned.interactions import Floats

LOG = "~log"
_LEAST_SPREAD = 1e-6
_FLOOR = 0.1  # of the mean height


def feature_names(signals: tuple[str, ...]) -> tuple[str, ...]:
    """Name the two features of each signal."""
    return tuple(name for signal in signals for name in (signal, signal + LOG))


def signal_of(feature: str) -> str:
    """Return the signal of a feature."""
    return feature.removesuffix(LOG)


def summed_by_signal(names: tuple[str, ...], amounts: Floats) -> dict[str, float]:
    """Add up the contributions of both features of each signal."""
    summed: dict[str, float] = {}
    for name, amount in zip(names, amounts.tolist(), strict=True):
        summed[signal_of(name)] = summed.get(signal_of(name), 0.0) + amount
    return summed


def features_of(signals: Signals, names: tuple[str, ...]) -> Floats:
    """Compute named features, zeros where the signal is missing, (k, b, items)."""
    shape = next(iter(signals.values())).shape
    features = np.zeros((len(names), *shape), dtype=np.float32)
    for place, name in enumerate(names):
        signal = signals.get(signal_of(name))
        if signal is not None:
            features[place] = logarithmic(signal) if name.endswith(LOG) else standardized(signal)
    return features


def standardized(signal: Floats) -> Floats:
    """Scale each row to mean 0 and deviation 1; zeros where all items score alike."""
    centred = signal - signal.mean(axis=1, keepdims=True)
    spread = np.sqrt(np.square(centred).mean(axis=1, keepdims=True))
    flat = spread <= _LEAST_SPREAD * np.maximum(1.0, np.abs(signal).max(axis=1, keepdims=True))
    scaled: Floats = np.where(flat, 0.0, centred / np.where(flat, 1.0, spread))
    return scaled.astype(np.float32)


def logarithmic(signal: Floats) -> Floats:
    """Take centred logarithms of each row; zeros where all items score alike."""
    height = signal - signal.min(axis=1, keepdims=True)
    mean = height.mean(axis=1, keepdims=True)
    flat = mean <= _LEAST_SPREAD * np.maximum(1e-3, np.abs(signal).max(axis=1, keepdims=True))
    logs = np.log(height / np.where(flat, 1.0, mean) + np.float32(_FLOOR))
    centred: Floats = np.where(flat, 0.0, logs - logs.mean(axis=1, keepdims=True))
    return centred.astype(np.float32)
