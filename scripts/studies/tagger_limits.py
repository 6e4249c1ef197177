"""Choose how sure the role tagger must be to refuse a name, through the whole product.

Run:
    python scripts/studies/run.py tagger_limits --catalogues FOLDER --limits 0.7:1,0.8:0.93 FILE...

Each set of limits is `barred:beside` or `barred:beside:spared` of `RoleLimits`: the share from
which a name is refused where the rules heard no refusal, and where they heard one of another name,
and that from which a name that they refuse is spared. Limits are chosen on questions
by other hands than those that they are judged by.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

import msgspec
from asked_catalogues import AskedCatalogue
from asked_judge import AskedQuestion, Verdict, judge
from asked_questions import MEASURES, put, read_questions, summarise
from findings import Findings, add_folder, show_step

from localrec.foundation.paths import make_private
from localrec.index.embedders import open_embedder
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.understanding.question_roles import WEIGHTS, RoleLimits, RoleTagger, load_roles

_SHOWN = ("satisfied", "barred_served", "silently_wrong", "over_relaxed", "impossible_said")
_RULES = "rules alone"
_LIMITS = ("excluded", "beside", "spared")


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("files", type=Path, nargs="+", help="questions, one JSON object a line")
    parser.add_argument("--catalogues", type=Path, required=True, help="folder of DOMAIN.jsonl")
    parser.add_argument("--limits", required=True, help="barred:beside[:spared], by commas")
    parser.add_argument("--network", type=Path, default=WEIGHTS, help="the tagger's")
    add_folder(parser, "--state", "asked", "where the built workspaces stay")


def measure(asked: argparse.Namespace) -> Findings:
    """Ask every question with rules alone and with each set of limits."""
    taggers = open_taggers(asked.network, asked.limits.split(","))
    questions = read_questions(asked.files)
    state = make_private(asked.state)
    told: dict[str, list[Verdict]] = {way: [] for way in (_RULES, *taggers)}
    for domain in sorted({one.domain for one in questions}):
        mine = [one for one in questions if one.domain == domain]
        catalogue = AskedCatalogue(domain, asked.catalogues / f"{domain}.jsonl", state)
        for way, verdicts in ask_in_every_way(mine, catalogue, taggers).items():
            told[way] += verdicts
    return Findings(text=as_markdown(told))


def open_taggers(network: Path, limits: list[str]) -> dict[str, RoleTagger]:
    """A tagger for each set of limits."""
    encoder = open_embedder(threads=1)
    found = {}
    for one in limits:
        shares = map(float, one.split(":"))
        told = msgspec.structs.replace(RoleLimits(), **dict(zip(_LIMITS, shares, strict=False)))
        found[one] = RoleTagger(load_roles(network), encoder, told)  # type: ignore[arg-type]
    return found


def ask_in_every_way(
    questions: list[AskedQuestion], catalogue: AskedCatalogue, taggers: Mapping[str, RoleTagger]
) -> dict[str, list[Verdict]]:
    """Ask all questions of one domain in every way and judge the answers."""
    told: dict[str, list[Verdict]] = {way: [] for way in (_RULES, *taggers)}
    workspace, context = catalogue.open({one.id: one.user for one in questions if one.user})
    with workspace:
        for way, verdicts in told.items():
            system = "marc-rules"
            if way in taggers:
                system = "marc"
                context.indexes.role_tagger = taggers[way]
            answerer = SYSTEM_REGISTRY.answerer(context, system)
            for done, asked in enumerate(questions, 1):
                show_step(f"{catalogue.name}, {way}", done, len(questions))
                given, _ = put(asked, answerer, catalogue.name_of)
                verdicts.append(judge(asked, given, catalogue.rows, catalogue.rows_named))
    return told


def as_markdown(told: Mapping[str, list[Verdict]]) -> str:
    """A row for each way."""
    lines = [
        f"{len(told[_RULES])} questions, three items each.",
        "",
        "| barred:beside | " + " | ".join(MEASURES[name] for name in _SHOWN) + " |",
        "| --- |" + " ---: |" * len(_SHOWN),
    ]
    for way, verdicts in told.items():
        found = summarise(verdicts)
        cells = (found[name].get("all") for name in _SHOWN)
        values = (f"{one.value:.3f} ({one.n})" if one and one.n else "-" for one in cells)
        lines.append(f"| {way} | " + " | ".join(values) + " |")
    return "\n".join(lines)
