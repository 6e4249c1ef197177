"""What can go out of a workspace, for one user."""

from __future__ import annotations

import re

from localrec.graph.domain_files import load_domain
from localrec.graph.store import Store
from localrec_tui.services.records import WORKSPACE, DomainSummary, ExportChoice, ExportRequest
from localrec_tui.services.store_queries import domain_summaries, met_domains, user_domains

_HISTORY, _PROFILE, _ITEMS = "history", "profile", "items"
_LETTERBOXD, _FILMS = "letterboxd", "movies"
_RECBOLE = "recbole"
_TABLES = ("csv", "json", "parquet")
_ANY_TABLE = "CSV, JSON or Parquet"


def export_choices(store: Store, user: str | None) -> tuple[ExportChoice, ...]:
    """A user's histories and profiles first, the one with most in it on top; then catalogues."""
    found: list[ExportChoice] = []
    if user is not None:
        names = user_domains(store, user)
        found += [_history(user, name, is_only=len(names) == 1) for name in names]
        found += [_for_letterboxd(user) for name in names if name == _FILMS]
        found += [_profile(user, name, is_only=len(names) == 1) for name in names]
    domains = domain_summaries(store)
    for one in domains:
        request = ExportRequest(what=_ITEMS, domain=one.name)
        name = f"all {one.counted}" if one.items > 1 else f"the only {one.singular}"
        file = f"{one.name}.csv"
        found.append(
            ExportChoice(name=name, form=_ANY_TABLE, file=file, request=request, formats=_TABLES)
        )
    met = met_domains(store)
    found += [_atomic_files(one) for one in domains if one.name in met]
    return (*found, _backup()) if found else ()


def _history(user: str, domain: str, *, is_only: bool) -> ExportChoice:
    return ExportChoice(
        name=f"the history of {user}: {load_domain(domain).plural}",
        form=_ANY_TABLE,
        formats=_TABLES,
        file=f"{_stem(user)}-history.csv" if is_only else f"{_stem(user)}-history-{domain}.csv",
        request=ExportRequest(what=_HISTORY, user=user, domain=domain),
    )


def _for_letterboxd(user: str) -> ExportChoice:
    return ExportChoice(
        name=f"the films of {user} for Letterboxd",
        form="CSV that it imports",
        file=f"{_stem(user)}-{_LETTERBOXD}.csv",
        request=ExportRequest(what=_HISTORY, user=user, domain=_FILMS, form=_LETTERBOXD),
    )


def _profile(user: str, domain: str, *, is_only: bool) -> ExportChoice:
    return ExportChoice(
        name=f"the profile of {user}: {load_domain(domain).plural}",
        form="JSON, CSV or Parquet",
        formats=("json", "csv", "parquet"),
        file=f"{_stem(user)}-profile.json" if is_only else f"{_stem(user)}-profile-{domain}.json",
        request=ExportRequest(what=_PROFILE, user=user, domain=domain),
    )


def _atomic_files(domain: DomainSummary) -> ExportChoice:
    return ExportChoice(
        name=f"the {domain.plural} with who rated them",
        form="a folder for RecBole",
        file=f"{domain.name}-{_RECBOLE}",
        request=ExportRequest(what="", domain=domain.name, form=_RECBOLE),
    )


def _backup() -> ExportChoice:
    return ExportChoice(
        name="the whole workspace",
        form="a backup that localrec restore reads",
        file="localrec-backup.zip",
        request=ExportRequest(what=WORKSPACE),
    )


def _stem(user: str) -> str:
    """A user's key as the beginning of a file's name."""
    return re.sub(r"[^\w.-]+", "-", user).strip("-.") or "my"
