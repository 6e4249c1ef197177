"""Load the shipped rule sets, and choose the first one of a domain.

The files `datasets/rules/NAME.rules` hold the paper's four published sets (Figures 11 and 12) and
two of our own. A domain keeps its shipped set until a model or a user writes another one.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from localrec.foundation.errors import InputError
from localrec.foundation.paths import shipped
from localrec.memory.rule_text import parse_rules
from localrec.memory.rules import RuleSet

# Books mostly come as whole reading histories, which is what the GoodReads set was written for;
# films as ratings given in one sitting, for which MovieTV's steep decay would be wrong.
_DEFAULTS = {"books": "goodreads", "cocktails": "cocktails", "movies": "movies", "places": "yelp"}
# Written for sparse histories and lasting tastes, with low thresholds: it takes least for granted.
_ELSEWHERE = "books"
_SUFFIX = ".rules"


def default_rules(domain: str) -> RuleSet:
    """Return the rules of a domain that has none of its own.

    Books have `goodreads`, places `yelp`, films and drinks sets of their own name; every other
    domain, such as music, products or one that somebody declared, has `books`.
    """
    rules = shipped_rules(_DEFAULTS.get(domain, _ELSEWHERE))
    return msgspec.structs.replace(rules, domain=domain)


@lru_cache
def shipped_rules(name: str) -> RuleSet:
    """Load a rule set of `datasets/rules`.

    Raises:
        InputError: there is none of that name, or its file was damaged.
    """
    known = shipped_rule_names()
    if name not in known:
        raise InputError(f"No rules named {name!r} ship.", f"Known: {', '.join(known)}.")
    path = shipped("datasets") / "rules" / f"{name}{_SUFFIX}"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} cannot be read: {error}.", "Restore the file that was installed."
        ) from error
    return parse_rules(text, source="shipped", where=str(path))


def shipped_rule_names() -> tuple[str, ...]:
    """List the names that `shipped_rules` knows, sorted."""
    folder = shipped("datasets") / "rules"
    return tuple(sorted(path.stem for path in folder.glob(f"*{_SUFFIX}")))
