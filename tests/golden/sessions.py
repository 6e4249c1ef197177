"""The sessions that are recorded: command lines as a user would type them, one after the other.

`bar` works with the bundled drinks, `exports` imports every kind of file, `films` evaluates on
thirty made-up users. No session has a model: texts are embedded by their spelling, so that each
processor gives the same answers.
"""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .masks import masked, parsed
from .program import INPUTS, Ended, run_program

Record = dict[str, Any]
Run = Callable[..., Ended]

# What no session can take part in: it draws on the terminal, or trains for minutes.
# Sessions type the old names of two commands: "join" for "merge", "take-in" for "import-run".
# Commands that came after the recording have tests of their own.
LEFT_OUT = frozenset(
    {"tui", "learn", "train sequential", "evaluate rate", "evaluate merge", "evaluate import-run"}
    | {
        "mcp",
        "sql",
        "help",
        "backup",
        "restore",
        "warm",
        "train reader",
        "train from-default",
        "models bench",
        *(f"domains {verb}" for verb in ("new", "list", "show", "edit", "check", "remove")),
    }
)

_EXPORTS = {
    "cocktails": ("cocktails/drinks.csv", None),
    "drinks": ("drinks/drinks", None),
    "goodreads": ("goodreads/library.csv", "anna"),
    "storygraph": ("storygraph/storygraph.csv", "bea"),
    "letterboxd": ("letterboxd/letterboxd", "anna"),
    "listenbrainz": ("listenbrainz/listenbrainz", "anna"),
    "lastfm": ("lastfm/plays.csv", "bea"),
    "movielens": ("movielens/ml-latest-small", None),
    "amazon": ("amazon/games", None),
    "recbole": ("recbole/recbole", None),
    "instructrec": ("instructrec/instructrec", None),
    "yelp": ("yelp/yelp", None),
    "table": ("table/table/films.mapping.toml", None),
}

_DOMAINS = ("books", "cocktails", "movies", "music", "places", "products")

_QUESTIONS = (
    'ask "Show me a purple cocktail."',
    'ask "something blue and layered for a photo"',
    'ask "like a Negroni but lighter" -k 5',
    'ask "a smoky drink without whiskey" --explain',
    'ask "what can I make" --have "gin, campari, sweet vermouth, lemon"',
    'ask "a drnk with ginn and tonc"',
    'ask "a red drink with gin" --user anna --explain',
    'ask "the same look without vodka" --image inputs/pictures/Negroni.png',
    'ask "a crime film from the 1990s" --user anna --domain movies',
    'ask "a comedy" --domain movies --user 7',
    'ask ""',
    'ask "a drink with gin" --domain books',
)
# These are recorded as text too.
_SHOWN = (
    *('ask "something blue', 'ask "a smoky', 'ask "what can', 'ask "a red', "recommend --user 4"),
    *("shelf show", "shelf list", "memory jobs", "memory show --user", "memory history"),
)
_LISTS = (
    "recommend --user 4 --domain movies --explain",
    "recommend --user anna --domain cocktails",
    "recommend --user anna --domain movies -k 3",
    "recommend --user nobody --domain movies -k 3",
)
_SHELF = (
    'shelf add "gin, campari, sweet vermouth, lemons" --user anna',
    "shelf add unobtainium --user anna",
    "shelf list --user anna",
    "shelf show --user anna",
    'shelf show --have "gin, tonic water"',
    'ask "what can I make" --user anna',
    "shelf remove campari --user anna",
    "shelf clear --user anna",
)
_FEEDBACK = (
    "feedback --user anna --item Negroni --rating 4.5",
    'feedback --user anna --item gimlet --dislike --reason "too sour"',
    "feedback --user anna --item Americano --like --domain cocktails",
    "feedback --user bea --item Negroni --like --domain cocktails",
    "feedback --user anna --item Daiquiri --not-now --domain cocktails",
    "feedback --user anna --item Boulevardier --seen",
    "feedback --user anna --item Negronni --like",
    "feedback --user anna --undo --domain cocktails",
    "recommend --user anna --domain cocktails -k 4",
    'ask "something bitter" --user anna --domain cocktails',
    "feedback --user anna --like",
)
_MEMORY = (
    "memory jobs",
    "memory jobs --pause",
    "memory jobs --resume",
    "memory run --limit 2",
    "memory run",
    "memory show --user anna --domain cocktails",
    "memory show --item Negroni --domain cocktails",
    'memory edit --user anna --text "Likes it bitter." --domain cocktails',
    "memory history --user anna --domain cocktails",
    "memory pin --user anna --domain cocktails",
    "memory unpin --user anna --domain cocktails",
    "memory rules show --domain cocktails",
    "memory rules edit --file inputs/own.rules --domain cocktails",
    "memory rules edit --file inputs/films/movies.csv --domain cocktails",
    "memory rules generate --domain cocktails",
    "memory rebuild --domain movies",
    "memory run --model",
)
_PICTURES = (
    "images add inputs/pictures --domain cocktails --dry-run",
    "images add inputs/pictures --domain cocktails",
    "images list --domain cocktails",
    "images describe --domain cocktails --no-model",
    'images find "a red drink" --domain cocktails',
)
_EXPORTED = (
    "export --user anna --domain cocktails --out out/history.csv",
    "export --user anna --domain cocktails --out out/history.csv",
    "export --user anna --domain cocktails --what profile --out out/profile.json",
    "export --user anna --domain movies --format letterboxd --out out/films.csv",
    "export --domain movies --what items --out out/items.parquet",
    "export --domain movies --format recbole --split 8:1:1 --out out/recbole",
    "export --what list --from out/list.json --out out/list.csv",
)
_MACHINE = (
    "models list",
    "models check",
    "models check smollm2-135m",
    "models check minilm-int8",
    "models pull nonsense",
    "models use writer rules",
    "models use router question-router",
    "models use nonsense rules",
    "models try question-router",
    "datasets list",
    "datasets pull nonsense",
    "doctor",
    "doctor --repair",
    "train adapter router --estimate",
    "train grpo --estimate",
    "train refine nothing --estimate",
    "train resume nothing",
    "describe --limit 1",
    "train export nothing --out out/nothing.gguf",
)
_FORGETTING = (
    "forget --user bae --dry-run",
    "forget --user bae --yes",
    "forget --user bea --dry-run",
    "forget --user bea",
    "forget --user bea --yes",
    "forget --item heat-1995 --domain movies --yes",
    "doctor --privacy",
)
_EVALUATED = (
    "evaluate run tiny.toml",
    "evaluate run tiny.toml",
    "evaluate run other.toml",
    "evaluate run questions.toml --out out/questions",
    "evaluate run nonsense.toml",
    "evaluate list",
    "evaluate compare tiny:auto tiny:popularity",
    "evaluate export tiny --out out/trec",
    "evaluate take-in tiny out/trec/auto.run --out out/theirs",
    "evaluate join tiny other --out out/joined",
    "evaluate judge out/questions",
)


def bar_session(home: Path) -> Record:
    """Record the session that touches nearly every command."""
    record, run = _begun(home)
    run("datasets pull cocktails")
    run("import letterboxd inputs/exports/letterboxd/letterboxd --user anna")
    run("import movielens inputs/films --dry-run")
    run("import movielens inputs/films", twice=True)
    run("index")
    for lines in (_QUESTIONS, _LISTS, _FEEDBACK, _SHELF, _MEMORY):
        for line in lines:
            run(line, twice=line.startswith(_SHOWN))
    for name in system_names(home)["ask"]:
        run(f'ask "a sour drink with rum" --system {name} -k 2')
    for name in ("marc-model", "vector-rag", "agenticrec"):
        run(f'ask "a sour drink with rum" --system {name} --no-model -k 2')
    for name in system_names(home)["recommend"]:
        run(f"recommend --user 4 --domain movies -k 3 --system {name}")
    run("ask --batch inputs/questions.jsonl --out out/answers.jsonl")
    run("ask --batch inputs/questions.jsonl --out out/answers.jsonl")
    record["out/answers.jsonl"] = _lines_of(home / "out" / "answers.jsonl", home)
    liked = run("recommend --user 4 --domain movies -k 2")
    (home / "out" / "list.json").write_text(liked.out, encoding="utf-8")
    for line in (*_PICTURES, *_EXPORTED, *_MACHINE, *_FORGETTING):
        run(line, twice=line.startswith(("images list", "models list", "datasets list")))
    for name in ("history.csv", "profile.json", "films.csv", "list.csv"):
        record[f"out/{name}"] = _lines_of(home / "out" / name, home)
    return record


def exports_session(home: Path) -> Record:
    """Record an import of each kind of file, looked at first and then for real."""
    record, run = _begun(home)
    for kind, (path, user) in _EXPORTS.items():
        line = f"import {kind} inputs/exports/{path}" + (f" --user {user}" if user else "")
        run(f"{line} --dry-run")
        run(line)
        run(f"{line.replace(kind, 'auto', 1)} --dry-run")
    run("import nonsense inputs/films")
    run("import goodreads inputs/exports/goodreads/library.csv")
    run("import auto inputs/own.rules")
    for domain in _DOMAINS:
        run(f"export --what items --domain {domain} --out out/{domain}.json")
        record[f"out/{domain}.json"] = masked(_as_json(_text_of(home, domain)), home)
    run("doctor")
    return record


def films_session(home: Path) -> Record:
    """Record evaluations of systems that need neither a model nor torch."""
    record, run = _begun(home)
    shutil.copytree(INPUTS / "evaluations", home, dirs_exist_ok=True)
    run("import movielens inputs/films")
    run("datasets pull cocktails")
    for line in _EVALUATED:
        run(line, twice=line in ("evaluate list",) or line.startswith("evaluate compare"))
    for name in system_names(home)["rank"]:
        out = f"out/{name}.jsonl"
        run(f"rank --batch inputs/requests.jsonl --out {out} --system {name}")
        record[out] = _lines_of(home / out, home)
    return record


def system_names(home: Path) -> dict[str, list[str]]:
    """Ask each command which systems it knows, by naming one that it does not."""
    asked = {
        "ask": 'ask "gin" --system nonsense',
        "recommend": "recommend --user 4 --domain movies --system nonsense",
        "rank": "rank --batch inputs/requests.jsonl --out out/none.jsonl --system nonsense",
    }
    names = {}
    for command, line in asked.items():
        ended = _run(home, line)
        assert ended.code == 2, ended.err
        names[command] = ended.err.split("Systems: ", 1)[1].strip().rstrip(".").split(", ")
    return names


def _begun(home: Path) -> tuple[Record, Run]:
    """Lay out the inputs; returns the record, and what runs a line and adds it there."""
    shutil.copytree(INPUTS, home / "inputs")
    (home / "out").mkdir()
    (home / "w").mkdir()
    (home / "w" / "settings.toml").write_text('embedder = "hashing"\n', encoding="utf-8")
    record: Record = {}

    def run(line: str, *, twice: bool = False) -> Ended:
        ended = _run(home, f"{line} --json")
        _add(record, f"{line} --json", ended, home)
        if twice:
            _add(record, line, _run(home, line), home)
        return ended

    return record, run


def _run(home: Path, line: str) -> Ended:
    return run_program("--workspace", "w", *shlex.split(line), folder=home)


def _add(record: Record, line: str, ended: Ended, home: Path) -> None:
    """Add one command; a line that comes again counts on."""
    names = (f"{line}{f' ({count})' if count > 1 else ''}" for count in range(1, 100))
    name = next(name for name in names if name not in record)
    told = {"code": ended.code, "out": parsed(ended.out), "err": ended.err.splitlines()}
    record[name] = masked({key: value for key, value in told.items() if value != []}, home)


def _text_of(home: Path, domain: str) -> str:
    return (home / "out" / f"{domain}.json").read_text(encoding="utf-8")


def _lines_of(path: Path, home: Path) -> list[Any]:
    """Return the lines of a file that was written, each parsed where it is JSON."""
    if not path.is_file():
        return ["<none>"]
    lines: Iterator[str] = iter(path.read_text(encoding="utf-8").splitlines())
    return [masked(_as_json(line), home) for line in lines]


def _as_json(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return line
