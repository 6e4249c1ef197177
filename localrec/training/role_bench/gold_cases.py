"""Cases from gold questions: those that people wrote, with what each demands.

A composed question is of our own composer, and an adapter that learnt from it is at home there. So
who routes or reads questions, or prefers lists, is decided by gold questions (`GoldQuestion`):
those that ship for a domain, or a file of the same form about the own catalogue. A question is
asked where the store or its taxonomy knows every name in it.

Of those that ship both halves are asked. On the development half the rules were made right (0.986
of 140 tasks), so that no model could be told better there; the other one they were not fitted to.
Nothing is fitted to either on the machine of a user, who is told counts and no question. Who works
on rules or adapters uses the development half: `scripts/studies/run.py role_adapters --half dev`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import msgspec

from localrec.evaluation.questions.gold import (
    GoldQuestion,
    is_exact_match,
    read_gold,
    unknown_names,
    violated_constraints,
)
from localrec.evaluation.questions.store_truth import StoreTruth
from localrec.foundation.paths import shipped
from localrec.training.role_bench.question_cases import (
    LISTED,
    ListPair,
    paired_cases,
    read_cases,
    routed_cases,
    sampled,
)
from localrec.training.role_bench.records import SEED, EmptyRole, RoleCases
from localrec.understanding.query_parser import query_view
from localrec.workspace import OpenWorkspace
from localrec.workspace.domain_context import DomainContext

FEWEST_GOLD = 30  # of fewer, hardly a difference can be told from chance
_NONE = (
    "No gold questions fit this catalogue, and composed ones bind nobody; write {} or more, a line "
    "each as `localrec help evaluation` shows, and name the file: --gold FILE."
)


class GoldSet(msgspec.Struct, frozen=True):
    """Gold questions whose names one domain of a workspace knows."""

    context: DomainContext
    truth: StoreTruth
    questions: list[GoldQuestion]

    def cases(self, role: str) -> RoleCases:
        """Make the cases of one of `GOLD_ROLES`."""
        asked, context = self.questions, self.context
        if role == "router":
            return routed_cases(context, [(one.query, one.task) for one in asked], gold=True)
        if role == "reflector":
            return paired_cases(context, list(self._pairs()), gold=True)
        return read_cases(
            context,
            [one.query for one in asked],
            lambda number, query: is_exact_match(
                asked[number].gold, query_view(query, context.vocabulary), self.truth
            ),
            gold=True,
        )

    def _pairs(self) -> Iterator[ListPair]:
        """Draw for each question a list that meets it and one of which nothing does."""
        random_ = random.Random(f"{SEED} gold")
        index, items = self.context.catalogue.item_index, list(self.truth.items.values())
        for one in self.questions:
            found: tuple[list[int], list[int]] = [], []
            for item in random_.sample(items, len(items)):
                wrong = set(violated_constraints(one.gold, item, self.truth))
                place = index(item.key)
                if place is not None and wrong != {"is the example"}:
                    found[bool(wrong)].append(place)
                if min(map(len, found)) >= LISTED:
                    break
            if min(map(len, found)) >= LISTED:
                better, worse = (sampled(random_, side) for side in found)
                yield ListPair(one.query, one.task, better, worse)


def open_gold(workspace: OpenWorkspace, file: Path | None) -> GoldSet | None:
    """Find the gold questions of a workspace, in the domain that knows most of them.

    Args:
        workspace: Open as long as cases are asked.
        file: Gold questions about its own catalogue; None for those that ship.

    Raises:
        InputError: the file, or a line of it, cannot be read.
    """
    best: GoldSet | None = None
    for domain in workspace.domains():
        path = file or shipped("datasets") / domain / "questions.jsonl"
        if file is None and not path.is_file():
            continue
        context = workspace.context(domain)
        truth = StoreTruth(workspace.store, context.domain)
        known = [one for one in read_gold(path) if not any(unknown_names([one], truth))]
        if len(known) >= max(FEWEST_GOLD, 1 + (len(best.questions) if best else 0)):
            best = GoldSet(context, truth, known)
    return best


def no_gold(role: str) -> EmptyRole:
    """Tell that a role cannot be given away here, and what it takes."""
    return EmptyRole(role=role, reason=_NONE.format(FEWEST_GOLD))
