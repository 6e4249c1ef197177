"""A workspace in plain dictionaries: what each step must leave in the store, and nothing else.

The model knows no SQL and no file. `StoreModel.after(step)` says which exit code a step must have
and what the store must hold then; `stored(folder)` reads the same shape out of a real store.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from localrec.graph.journal import open_settled
from localrec.graph.store import Store


class PoolItem(NamedTuple):
    """An item that steps may import: its domain, key and name, and of a drink what is in it."""

    domain: str
    key: str
    name: str
    parts: tuple[str, ...] = ()


DRINKS = (
    PoolItem("cocktails", "negroni", "Negroni", ("gin", "campari")),
    PoolItem("cocktails", "gimlet", "Gimlet", ("gin", "lime juice")),
    PoolItem("cocktails", "daiquiri", "Daiquiri", ("white rum", "lime juice")),
    PoolItem("cocktails", "limeade", "Limeade", ("lime juice",)),
)
FILMS = (
    PoolItem("movies", "heat-1995", "Heat"),
    PoolItem("movies", "fargo-1996", "Fargo"),
    PoolItem("movies", "ronin-1998", "Ronin"),
)
BOOKS = (
    PoolItem("books", "dune-by-frank-herbert", "Dune"),
    PoolItem("books", "emma-by-jane-austen", "Emma"),
)
RATED = (PoolItem("movies", "1", "Alpha Dog"), PoolItem("movies", "2", "Beta Test"))
WINES = (
    PoolItem("wines", "amarone", "Amarone"),
    PoolItem("wines", "rioja", "Rioja"),
    PoolItem("wines", "sancerre", "Sancerre"),
)
OWN = "wines"  # a domain of the workspace's own, which steps make and take away
POOL = {item.name: item for item in (*DRINKS, *FILMS, *BOOKS, *RATED, *WINES)}
PARTS = ("gin", "campari", "lime juice", "white rum")
USERS = ("anna", "bob", "1")  # "1" is also a user of the data set of ratings
CATALOGUE = ""  # in `brought`: what no user brought

Row = tuple[
    str, str, str, str, float | None, str, str
]  # domain, user, item, event, stars, note, source


class Step(NamedTuple):
    """One thing that is done to a workspace: its kind, and what it is about."""

    kind: str
    user: str = ""
    names: tuple[str, ...] = ()
    value: str = ""
    number: float = 0.0


@dataclasses.dataclass
class StoreModel:
    """What a store holds.

    Args:
        brought: Item name -> who brought it.
        users: Domain and key of each user.
        said: All that users did, oldest first.
        shelves: User and thing.
        pinned: Domain and user -> the memory that they wrote.
        pictures: Names of the items that have one.
        domains: The workspace's own.
        settings: The content of settings.toml.
    """

    brought: dict[str, set[str]] = dataclasses.field(default_factory=dict)
    users: set[tuple[str, str]] = dataclasses.field(default_factory=set)
    said: list[Row] = dataclasses.field(default_factory=list)
    shelves: set[tuple[str, str]] = dataclasses.field(default_factory=set)
    pinned: dict[tuple[str, str], str] = dataclasses.field(default_factory=dict)
    pictures: set[str] = dataclasses.field(default_factory=set)
    domains: set[str] = dataclasses.field(default_factory=set)
    settings: str = ""

    def copy(self) -> StoreModel:
        """The same, independent of this one."""
        return StoreModel(
            brought={name: set(by) for name, by in self.brought.items()},
            users=set(self.users),
            said=list(self.said),
            shelves=set(self.shelves),
            pinned=dict(self.pinned),
            pictures=set(self.pictures),
            domains=set(self.domains),
            settings=self.settings,
        )

    def knows(self, user: str, domain: str | None = None) -> bool:
        """Whether anybody is called so (there)."""
        return any(key == user and domain in (None, of) for of, key in self.users)

    def after(self, step: Step) -> tuple[int | None, StoreModel]:
        """The exit code that a step must have (None: whichever), and the model after a success."""
        then = self.copy()
        return getattr(then, f"_{step.kind}")(step), then

    def shape(self) -> dict[str, object]:
        """What is compared with the store."""
        return {
            "items": sorted((POOL[name].domain, POOL[name].key, name) for name in self.brought),
            "users": sorted(self.users),
            "said": Counter(self.said),
            "shelves": sorted(self.shelves),
            "pinned": dict(sorted(self.pinned.items())),
            "pictures": sorted(self.pictures),
            "domains": sorted(self.domains),
            "settings": self.settings,
        }

    # --- imports ---

    def _drinks(self, step: Step) -> int:
        self._bring(step.names, CATALOGUE)
        return 0

    def _films(self, step: Step) -> int:
        return self._history(step, "movies", "letterboxd", "")

    def _books(self, step: Step) -> int:
        return self._history(step, "books", "goodreads", step.value)

    def _history(self, step: Step, domain: str, source: str, note: str) -> int:
        self._bring(step.names, step.user)
        self.users.add((domain, step.user))
        mine = (domain, step.user)
        self.said = [
            row
            for row in self.said
            if not (row[:2] == mine and row[2] in step.names and row[6] == source)
        ]
        self.said += [(*mine, name, "rated", step.number, note, source) for name in step.names]
        return 0

    def _ratings(self, step: Step) -> int:
        self._bring([item.name for item in RATED], CATALOGUE)
        raters = {user for user, _ in ratings_of(step)}
        self.users |= {("movies", user) for user in raters}
        self.said = [r for r in self.said if not (r[6] == "movielens" and r[1] in raters)]
        self.said += [
            ("movies", user, name, "rated", step.number, "", "movielens")
            for user, name in ratings_of(step)
        ]
        return 0

    def _wines(self, step: Step) -> int | None:
        if OWN not in self.domains:
            return None
        self._bring(step.names, CATALOGUE)
        return 0

    def _pictures(self, step: Step) -> int | None:
        here = [name for name in step.names if name in self.brought]
        shown = {name for name in here if POOL[name].domain == step.value}
        self.pictures |= shown
        return 0 if shown else None

    # --- domains ---

    def _domain_new(self, step: Step) -> int | None:
        has_items = self._has_items(OWN)
        self.domains.add(OWN)
        return None if has_items else 0

    def _domain_remove(self, step: Step) -> int | None:
        if OWN not in self.domains:
            return None
        self.domains.discard(OWN)
        for name in [name for name in self.brought if POOL[name].domain == OWN]:
            self._lose(name)
        self.said = [row for row in self.said if row[0] != OWN]
        self.users = {one for one in self.users if one[0] != OWN}
        self.pinned = {one: text for one, text in self.pinned.items() if one[0] != OWN}
        return 0

    def between(self, step: Step) -> list[StoreModel]:
        """What a killed process may leave beside all and nothing: steps of two parts, each whole.

        Taking a domain away takes its items, then its declaration; one without items is replaced
        by taking the old one away.
        """
        half = self.copy()
        if step.kind == "domain_remove":
            half._domain_remove(step)
            half.domains = set(self.domains)
        elif step.kind == "domain_new":
            half.domains.discard(OWN)
        return [half]

    def _lose(self, name: str) -> None:
        del self.brought[name]
        self.pictures.discard(name)

    def _bring(self, names: tuple[str, ...] | list[str], by: str) -> None:
        for name in names:
            brought = self.brought.setdefault(name, set())
            if by == CATALOGUE or CATALOGUE not in brought:
                brought.add(by)

    # --- what users say ---

    def _feedback(self, step: Step) -> int:
        [name] = step.names
        if name not in self.brought:
            return 2 if self.brought else 1
        domain = POOL[name].domain
        self.users.add((domain, step.user))
        stars = step.number if step.value == "rated" else None
        row = (domain, step.user, name, step.value, stars, f"because {step.number:g}", "feedback")
        self.said.append(row)
        return 0

    def _undo(self, step: Step) -> int | None:
        if not self.knows(step.user):
            return None
        mine = [row for row in self.said if row[1] == step.user and row[6] == "feedback"]
        if step.names:
            mine = [row for row in mine if row[2] == step.names[0]]
        if not mine:
            return None
        newest = len(self.said) - 1 - self.said[::-1].index(mine[-1])
        del self.said[newest]
        return 0

    def _shelve(self, step: Step) -> int | None:
        here = {part for name in self.brought for part in POOL[name].parts}
        self.users.add(("cocktails", step.user))
        self.shelves |= {(step.user, part) for part in step.names}
        return 0 if set(step.names) <= here else None

    def _unshelve(self, step: Step) -> int | None:
        self.shelves -= {(step.user, part) for part in step.names}
        here = {part for name in self.brought for part in POOL[name].parts}
        known = self.knows(step.user, "cocktails")
        return (0 if known else 2) if set(step.names) <= here else None

    def _edit(self, step: Step) -> int | None:
        if not self._has_items(step.value):
            return None
        self.pinned[step.value, step.user] = f"Likes {step.number:g} things."
        return 0 if self.knows(step.user, step.value) else 2

    def _pin(self, step: Step) -> int | None:
        return None  # whichever memory there is, if there is one; it is read afterwards

    def _unpin(self, step: Step) -> int | None:
        if not self._has_items(step.value) or not self.knows(step.user, step.value):
            return None
        return 0 if self.pinned.pop((step.value, step.user), None) else None

    def _has_items(self, domain: str) -> bool:
        return any(POOL[name].domain == domain for name in self.brought)

    # --- forgetting ---

    def _forget(self, step: Step) -> int | None:
        user = step.user
        if not self.knows(user):
            return None
        self.users = {one for one in self.users if one[1] != user}
        self.said = [row for row in self.said if row[1] != user]
        self.shelves = {one for one in self.shelves if one[0] != user}
        self.pinned = {one: text for one, text in self.pinned.items() if one[1] != user}
        held = {row[2] for row in self.said}
        for name, brought in list(self.brought.items()):
            brought.discard(user)
            if not brought and name not in held:
                self._lose(name)
        return 0

    def _forget_item(self, step: Step) -> int | None:
        [name] = step.names
        if name not in self.brought:
            return None
        self._lose(name)
        self.said = [row for row in self.said if row[2] != name]
        return 0

    # --- what changes nothing ---

    def _work(self, step: Step) -> int | None:
        return 0 if self.brought else None

    def _upgrade(self, step: Step) -> int | None:
        return None

    def _index(self, step: Step) -> int | None:
        return 0 if self._has_items(step.value) else None

    def _learn(self, step: Step) -> int | None:
        return None  # a store with so few rows is told to have too few

    def _rebuild(self, step: Step) -> int | None:
        return 0 if self.brought else None

    def _evaluate(self, step: Step) -> int | None:
        return None  # there may be too little to hold out

    def _use(self, step: Step) -> int | None:
        return None  # the model that an adapter was trained on may not be here

    def _describe(self, step: Step) -> int | None:
        return None  # there is no model here

    def _ask(self, step: Step) -> int | None:
        return 0 if self.brought else None

    def _recommend(self, step: Step) -> int | None:
        if not self._has_items("movies"):
            return None
        return 0 if self.knows(step.user) else 2

    def _export(self, step: Step) -> int | None:
        return 0 if self.knows(step.user, step.value) else None


def ratings_of(step: Step) -> list[tuple[str, str]]:
    """User and item of each row of a data set of ratings: user 1 rates all, user 2 the first."""
    rows = [("1", item.name) for item in RATED]
    return [*rows, ("2", RATED[0].name)] if len(step.names) > 1 else rows


def stored(folder: Path) -> dict[str, object]:
    """What a workspace holds, in the shape of a model."""
    settings = folder / "settings.toml"
    content = settings.read_text(encoding="utf-8") if settings.is_file() else ""
    if not (folder / "store.duckdb").is_file():
        return {**StoreModel(settings=content, domains=own_domains(folder)).shape()}
    with open_settled(folder, read_only=True) as store:
        return stored_in(store, folder)


def own_domains(folder: Path) -> set[str]:
    """The domains that a workspace declares itself."""
    return {path.parent.name for path in folder.glob("domains/*/domain.toml")}


def stored_in(store: Store, folder: Path) -> dict[str, object]:
    """What an open store and the files beside it hold, in the shape of a model."""
    settings = (folder / "settings.toml").read_text(encoding="utf-8")
    shown = store.rows(
        "SELECT DISTINCT name FROM items JOIN picture ON node_id = item_id "
        "WHERE import_id IS NOT NULL ORDER BY 1"
    )
    return {
        "pictures": [name for (name,) in shown],
        "domains": sorted(own_domains(folder)),
        "items": sorted(store.rows("SELECT domain, key, name FROM items")),
        "users": sorted(store.rows('SELECT domain, "user" FROM users')),
        "said": Counter(
            store.rows(
                "SELECT domain, \"user\", item, event, stars, coalesce(note, ''), source "
                "FROM interactions"
            )
        ),
        "shelves": sorted(store.rows('SELECT "user", name FROM shelves')),
        "pinned": dict(
            sorted(
                ((domain, key), text)
                for domain, key, text in store.rows(
                    "SELECT domain, key, text FROM memories WHERE pinned AND kind = 'user'"
                )
            )
        ),
        "settings": settings,
    }
