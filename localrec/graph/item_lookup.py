"""An item or a person by what somebody types: a key, a name, or nearly one.

Whoever is not known is never guessed: commands that change or delete refuse with the near names,
and those that read tell them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from localrec.data.domains import Domain
from localrec.foundation.errors import UsageError
from localrec.foundation.text import clean_key, clean_name
from localrec.graph.interactions import USER
from localrec.graph.store import Store

_DIGITS = re.compile(r"\d+")
_SHOWN = 3
_ALIKE = 70  # percent of letters that agree, as rapidfuzz counts them


def find_item(store: Store, domains: Sequence[Domain], named: str) -> tuple[str, int, str]:
    """The item that is meant: its domain, node id and name.

    A key that fits exactly wins, then a name (whatever its case and accents), in the order of the
    domains.

    Raises:
        UsageError: nothing or several things are called so; the hint names what is near.
    """
    nearby: list[str] = []
    for domain in domains:
        rows = store.rows(
            "SELECT node_id, key, name FROM node WHERE domain = ? AND kind = ? ORDER BY node_id",
            [domain.name, domain.item],
        )
        meant = _meant(named, rows)
        if len(meant) > 1:
            keys = ", ".join(key for _, key, _ in meant[:_SHOWN])
            raise UsageError(
                f"Several {domain.plural} are called {clean_name(named)!r}.", f"Give a key: {keys}."
            )
        if meant:
            node_id, _, name = meant[0]
            return domain.name, int(node_id), name
        nearby += nearest_names(named, [name for _, _, name in rows])
    raise UsageError(
        f"There is nothing called {clean_name(named)!r} here.",
        _did_you_mean(nearby) or "Give its key or name.",
    )


def _meant(named: str, rows: Sequence[tuple[int, str, str]]) -> list[tuple[int, str, str]]:
    """Rows with exactly this key, else with this name; folding all names costs the most."""
    folded = named.casefold()
    wanted = clean_key(named)
    return (
        [row for row in rows if row[1] == named]
        or [row for row in rows if row[2].casefold() == folded]
        or [row for row in rows if wanted in (row[1], clean_key(row[2]))]
    )


def nobody_called(
    store: Store,
    key: str,
    domain: str | None = None,
    *,
    otherwise: str = "Give a name as an import or feedback gave it.",
) -> UsageError:
    """The refusal of a person whom nobody knows, with the near names.

    Args:
        store: An open store.
        key: The person's key.
        domain: The domain that was searched; all domains when None.
        otherwise: The hint where nobody's name is near.
    """
    elsewhere = domains_of_user(store, key)
    if domain is not None and elsewhere:
        return UsageError(
            f"Nobody called {key!r} is known in {domain}.",
            f"There is somebody of that name in {' and '.join(elsewhere)}.",
        )
    return UsageError(f"Nobody called {key!r} is known here.", near_users(store, key) or otherwise)


def told_if_unknown(store: Store, key: str) -> str:
    """Say that no user has this key, and name similar ones; "" for a known user."""
    known = domains_of_user(store, key)
    return "" if known else str(nobody_called(store, key, otherwise=""))


def told_if_new(store: Store, key: str) -> str:
    """Say that a user is about to be created, and name similar ones; "" for a known user."""
    if domains_of_user(store, key):
        return ""
    return f"{key!r} is new here. {near_users(store, key)}".strip()


def meant_or_new(store: Store, key: str, *, is_new: bool, insist: str = "add --new-user") -> str:
    """Say that a user is about to be created; "" for a known user.

    Args:
        store: An open store.
        key: The user's key.
        is_new: Whether the caller insists that a new user is meant.
        insist: Words on how to insist, for the hint of the error.

    Raises:
        UsageError: nobody has this name, and somebody's differs from it by a letter or two.
    """
    if domains_of_user(store, key):
        return ""
    misspelt = [] if is_new else misspelt_users(store, key)
    if misspelt:
        raise UsageError(
            f"Nobody called {key!r} is known here.",
            f"{_did_you_mean(misspelt)} For somebody new, {insist}.",
        )
    return f"{key!r} is new here."


def misspelt_users(store: Store, key: str) -> list[str]:
    """Known users whose keys are this one but for its case or a letter or two, the nearest first.

    Numbers are names of their own: 17 is nobody's misspelt 71, nor is user2 user1.
    """
    from rapidfuzz.distance import OSA

    asked = clean_name(key).casefold()
    rows = store.rows("SELECT DISTINCT key FROM node WHERE kind = ? ORDER BY 1", [USER])
    found = []
    for (known,) in rows:
        other = known.casefold()
        if other == asked:
            found.append((0, known))
            continue
        shorter = min(len(asked), len(other))
        most = 1 if shorter < 5 else 2
        if shorter < 3 or abs(len(asked) - len(other)) > most:
            continue
        if _DIGITS.findall(asked) != _DIGITS.findall(other):
            continue
        apart = OSA.distance(asked, other, score_cutoff=most)
        if apart <= most:
            found.append((apart, known))
    return [known for _, known in sorted(found)][:_SHOWN]


def near_users(store: Store, key: str) -> str:
    """A question whether somebody was meant whose name is spelt nearly so; "" for none."""
    rows = store.rows("SELECT DISTINCT key FROM node WHERE kind = ? ORDER BY 1", [USER])
    nearby = misspelt_users(store, key) + nearest_names(key, [name for (name,) in rows])
    return _did_you_mean(list(dict.fromkeys(nearby)))


def domains_of_user(store: Store, key: str) -> list[str]:
    """The domains in which somebody is known, by name."""
    rows = store.rows(
        "SELECT domain FROM node WHERE kind = ? AND key = ? ORDER BY 1", [USER, clean_name(key)]
    )
    return [name for (name,) in rows]


def nothing_keyed(store: Store, key: str, domains: Sequence[Domain]) -> UsageError:
    """The refusal of an item's key that no domain has, with the keys of what is near."""
    nearby: list[str] = []
    for domain in domains:
        rows = store.rows(
            "SELECT key, name FROM node WHERE domain = ? AND kind = ? ORDER BY node_id",
            [domain.name, domain.item],
        )
        keys = {name: own for own, name in rows} | {own: own for own, _ in rows}
        nearby += [keys[name] for name in nearest_names(key, list(keys))]
    hint = _did_you_mean(list(dict.fromkeys(nearby))) or "Give the key of an item."
    return UsageError(f"No item has the key {key!r} here.", hint)


def _did_you_mean(names: Sequence[str]) -> str:
    return f"Did you mean {', '.join(names[:_SHOWN])}?" if names else ""


def nearest_names(named: str, names: Sequence[str]) -> list[str]:
    """The few names that are spelt most like what somebody wrote, the nearest first."""
    from rapidfuzz import fuzz, process  # only a name that was not found pays for it

    found = process.extract(
        named.casefold(),
        {name: name.casefold() for name in names},
        scorer=fuzz.WRatio,
        limit=_SHOWN,
        score_cutoff=_ALIKE,
    )
    return [name for _, _, name in found]


def users_like(store: Store, like: str, limit: int) -> tuple[str, ...]:
    """Return the keys of users that contain `like` in any case, in alphabetical order."""
    rows = store.rows(
        "SELECT DISTINCT key FROM node WHERE kind = ? AND contains(lower(key), lower(?)) "
        "ORDER BY key LIMIT ?",
        [USER, like, limit],
    )
    return tuple(key for (key,) in rows)
