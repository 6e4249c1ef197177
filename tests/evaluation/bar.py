"""Seventeen planted drinks in a real workspace, gold questions about them, and systems to test."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec

from localrec.data.rows import CatalogueRows
from localrec.evaluation.configs import QuestionRunConfig
from localrec.evaluation.provenance import Origin
from localrec.evaluation.questions.question_harness import run_question_evaluation
from localrec.evaluation.run_folder import RunFolder
from localrec.foundation.errors import ModelError
from localrec.foundation.settings import load_settings
from localrec.graph.domain_files import load_domain
from localrec.llm.scripted import ScriptedModel
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.workspace import OpenWorkspace
from localrec.workspace.model_pool import FixedModels, ModelPool
from tests.planted import a_report, planted_rows

MADE = Origin(command="test", date="2026-11-22", versions={"localrec": "0"}, machine="none")
SPIRITS = ("gin", "vodka", "white rum", "mezcal", "campari", "lime juice", "cream", "mint")


def gold_lines():
    """Eighteen questions of each half."""
    for half in ("dev", "test"):
        for number, name in enumerate(SPIRITS):
            yield asked(f"{half}-with-{number}", f"a drink with {name}", half, include=[name])
            yield asked(f"{half}-without-{number}", f"no {name} for me", half, exclude=[name])
        yield asked(f"{half}-like", "like a Negroni", half, "C4", target="Negroni", exclude=["gin"])
        yield asked(f"{half}-glass", "in a coupe glass", half, "C2", glass=["coupe glass"])


def asked(id, query, half, task="C3", **gold):
    """One line of a gold file."""
    return {"id": id, "query": query, "half": half, "task": task, "gold": gold, "possible": True}


def plant(home):
    """A workspace with the drinks, found by spelling, and its gold file."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "settings.toml").write_text('embedder = "hashing"\n', encoding="utf-8")
    lines = b"".join(msgspec.json.encode(line) + b"\n" for line in gold_lines())
    (home / "gold.jsonl").write_bytes(lines)
    with OpenWorkspace(home, writable=True) as workspace:
        table = CatalogueRows(items=tuple(planted_rows()), report=a_report())
        workspace.imports.import_items(table, load_domain("cocktails"))
    return home


def config(home, *systems, half="dev", **fields):
    """A run over the planted gold; a system is a name or a whole table."""
    tables = [{"name": one} if isinstance(one, str) else one for one in systems]
    questions = {"gold": str(home / "gold.jsonl"), "half": half, "domain": "cocktails"}
    declared = {"name": "run", "questions": questions, "systems": tables, **fields}
    return msgspec.convert(declared, QuestionRunConfig)


class Slow:
    """A system that takes its time, so that there is some to kill it in."""

    kinds = frozenset({"answerer"})

    def answerer(self, context, options):
        return _Slowed(SYSTEM_REGISTRY.answerer(context, options.name))


class _Slowed:
    def __init__(self, inner):
        self._inner = inner

    def answer(self, question, k):
        time.sleep(0.15)
        return self._inner.answer(question, k)


def scripted(home, says="[2, 1, 3]"):
    """A workspace whose model picks the second, the first and the third of what it is shown."""
    return with_models(home, lambda role: ScriptedModel(lambda messages: says))


def stammering(home):
    """A workspace whose model picks one passage three times."""
    return scripted(home, "[2, 2, 2]")


def without_model(home):
    """A workspace whose models were never pulled."""

    def missing(role):
        raise ModelError(f"There is no model for {role}.", "localrec models pull smollm2-135m")

    return with_models(home, missing)


def with_models(home, open_model):
    """A workspace whose models are opened by a function."""
    return OpenWorkspace(home, models=FixedModels(ModelPool(load_settings(home)), open_model))


class Failing:
    """A system that does not survive being opened."""

    kinds = frozenset({"answerer"})

    def answerer(self, context, options):
        raise ZeroDivisionError("no graph")


FAILING = SYSTEM_REGISTRY.with_system("marc-no-graph", Failing())


def measure(home, out, declared, **options):
    """Run a configuration over the planted workspace."""
    return run_question_evaluation(
        declared,
        b"",
        home,
        RunFolder(out),
        MADE,
        progress=lambda what, done, total: None,
        **options,
    )


SLOW = SYSTEM_REGISTRY.with_system("marc", Slow()).with_system("marc-no-graph", Slow())


def main(home, out):
    """What the process that is killed runs."""
    home = Path(home)
    measure(home, Path(out), config(home, "marc", "marc-no-graph"), systems=SLOW)
