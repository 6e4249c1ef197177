"""The answers to the gold questions, to questions about films, and rankings of 200 requests."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from .masks import TOLERANCE, masked
from .program import CHECKOUT, EMBEDDER, INPUTS, Ended, run_program

RANKED_BY = ("auto", "memrec", "agenticrec-fused", "auto-memory")
_REQUESTS, _CANDIDATES, _HISTORY = 200, 20, 40
_ROUNDED = 1e-4  # `rank` writes four digits
_UNSTABLE = ("timings_ms", "reflection", "score")


def drink_answers(home: Path) -> dict[str, Any]:
    """Answer every gold question about drinks with the real embedder and no chat model."""
    _run(home, "models", "pull", EMBEDDER[1])  # nothing is fetched that is here
    _run(home, "datasets", "pull", "cocktails")
    _run(home, "index")  # an import leaves the vectors to a process in the background
    return _answers(home, CHECKOUT / "datasets" / "cocktails" / "questions.jsonl")


def film_answers(home: Path) -> dict[str, Any]:
    """Answer questions about films of MovieLens 100K, most of them asked by stored users."""
    return _answers(home, INPUTS / "film_questions.jsonl", "--domain", "movies")


def import_films(home: Path) -> None:
    """Import MovieLens 100K; its texts are embedded by their spelling."""
    (home / "w").mkdir()
    (home / "w" / "settings.toml").write_text('embedder = "hashing"\n', encoding="utf-8")
    _run(home, "datasets", "pull", "ml-100k")
    _run(home, "index")
    (home / "requests.jsonl").write_text(
        "".join(f"{json.dumps(one)}\n" for one in rank_requests(home)), encoding="utf-8"
    )


def rankings(home: Path, system: str) -> dict[str, Any]:
    """Rank the candidates of every request; the first ranking is kept whole."""
    out = home / f"{system}.jsonl"
    _run(home, "rank", "--batch", "requests.jsonl", "--out", out.name, "--system", system)
    ranked = _records(out)
    lists = {one["id"]: [[key, one["scores"][key]] for key in one["ranking"]] for one in ranked}
    return {"first": masked(ranked[0], home), "rankings": lists}


def rank_requests(home: Path) -> Iterator[dict[str, Any]]:
    """Draw 200 users by their hashes: the last film of each among 19 that the user never met.

    Every fourth request names a stored user, the others bring their history.
    """
    met = defaultdict(list)
    path = home / "cache" / "datasets" / "ml-100k" / "ml-100k.inter"
    with path.open(encoding="utf-8", newline="") as stream:
        for user, item, rating, at in list(csv.reader(stream, delimiter="\t"))[1:]:
            met[user].append((float(at), item, float(rating)))
    films = sorted({item for interactions in met.values() for _, item, _ in interactions})
    for place, user in enumerate(sorted(met, key=_drawn)[:_REQUESTS]):
        *before, (_, target, _) = sorted(met[user])
        known = {item for _, item, _ in met[user]}
        others = sorted((one for one in films if one not in known), key=lambda f: _drawn(user, f))
        candidates = sorted([target, *others[: _CANDIDATES - 1]], key=lambda f: _drawn(f, user))
        history = before[-_HISTORY:]
        by_whom = (
            {"user": user}
            if place % 4 == 3
            else {
                "history": [item for _, item, _ in history],
                "ratings": [rating for *_, rating in history],
            }
        )
        yield {"id": user, "candidates": candidates, **by_whom}


def ranking_differences(expected: dict[str, Any], actual: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each list whose scores or whose order differ.

    Items may change places only where their recorded scores are equal to the digits written.
    """
    for request in [*expected, *(one for one in actual if one not in expected)]:
        if request not in actual or request not in expected:
            yield f"request {request}: is {'gone' if request in expected else 'new'}"
            continue
        was, now = dict(expected[request]), dict(actual[request])
        if was.keys() != now.keys():
            yield f"request {request}: other candidates"
        elif moved := [key for key in was if abs(was[key] - now[key]) > TOLERANCE]:
            yield f"request {request}: {moved[0]} had {was[moved[0]]}, has {now[moved[0]]}"
        elif swapped := _swapped([was[key] for key, _ in actual[request]]):
            yield f"request {request}: scores fall in another order from place {swapped}"


def _swapped(scores: list[float]) -> int:
    """Return the first place, from 1, that a better one follows; 0 where there is none."""
    pairs = pairwise(scores)
    return next((place for place, (one, after) in enumerate(pairs, 1) if after > one + _ROUNDED), 0)


def _answers(home: Path, questions: Path, *options: str) -> dict[str, Any]:
    """Return question -> what was understood, what was answered, and a hash of the words."""
    out = home / "answers.jsonl"
    _run(home, "ask", "--batch", str(questions), "--out", out.name, "--no-model", *options)
    return {one["id"]: _answer(masked(one, home)) for one in _records(out)}


def _answer(answer: dict[str, Any]) -> dict[str, Any]:
    intent = {
        name: value for name, value in answer["intent"].items() if value not in ([], {}, None)
    }
    told = {
        "task": answer["task"]["kind"],
        "intent": intent,
        "items": [item["key"] for item in answer["items"]],
        "near": [item["key"] for item in answer["near"]],
        "relaxed": answer["relaxed"],
        "message": answer["message"],
        "words": _digest(_stable(answer)),
    }
    return {name: value for name, value in told.items() if value not in ([], "")}


def _stable(value: Any) -> Any:
    """Return an answer without what the processor or the clock has a say in."""
    if isinstance(value, dict):
        return {name: _stable(one) for name, one in value.items() if name not in _UNSTABLE}
    return [_stable(one) for one in value] if isinstance(value, list) else value


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:10]


def _drawn(*names: str) -> str:
    return hashlib.sha256("|".join(names).encode()).hexdigest()


def _records(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _run(home: Path, *arguments: str) -> Ended:
    ended = run_program("--workspace", "w", *arguments, folder=home)
    assert ended.code == 0, ended.err
    return ended
