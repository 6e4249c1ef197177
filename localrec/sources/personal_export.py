"""What the exports of one person have in common: whose they are, and moments that can be."""

from __future__ import annotations

from datetime import datetime

from localrec.foundation.errors import UsageError
from localrec.foundation.text import clean_name
from localrec.sources.bulk_tables import latest_moment


def export_owner(user: str | None, service: str) -> str:
    """The key of the person whose export is read.

    Args:
        user: Value of `--user`.
        service: The name of the service, for the message.

    Raises:
        UsageError: nobody was named.
    """
    key = clean_name(user)
    if not key:
        raise UsageError(
            f"An export of {service} does not say whose it is.", "Name the person with --user."
        )
    return key


def moment_problem(at: datetime, earliest: datetime) -> str | None:
    """Return the reason why `at` (UTC) cannot be the time of an event; None where it can."""
    if at > latest_moment():
        return "is in the future"
    return f"is before {earliest.year}" if at < earliest else None
