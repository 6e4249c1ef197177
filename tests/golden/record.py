"""Records what users see: `python -m tests.golden.record [PART ...]`, by default every part.

Needs the embedder and MovieLens 100K, as the whole suite does. Look at the difference before it
is committed: each line of it is a change for somebody.

Processors without VNNI run another graph of the embedder (`localrec.index.minilm_int8`), whose
vectors differ in their last digits, so that drinks nearly as near as each other change places.
Answers with other drinks are kept for them in a file of its own. What was last recorded without
VNNI has no drinks in the other file until somebody records it with VNNI, and there the drinks of
such a question are not compared.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from localrec.index.minilm_int8 import overflows

from .disk import disk_record, shipped_adapters
from .program import EMBEDDER, FILES, MOVIELENS, golden_environment
from .questions import RANKED_BY, drink_answers, film_answers, import_films, rankings
from .sessions import bar_session, exports_session, films_session, system_names
from .words import all_words, help_as_text, help_texts, parameters, with_words

_WITHOUT_VNNI = "answers-drinks-without-vnni"
VECTOR_PARTS = ("items", "near", "words")  # parts of an answer that hang on the processor
SESSIONS = {"bar": bar_session, "exports": exports_session, "films": films_session}

os.environ["LOCALREC_LEARN"] = "off"  # what is learnt in the background depends on when


def golden(name: str) -> Any:
    """Return what was recorded under a name."""
    return json.loads((FILES / f"{name}.json").read_text(encoding="utf-8"))


def golden_drinks() -> dict[str, Any]:
    """Return what was recorded of the gold questions, as this processor answers them."""
    recorded = dict(golden("answers-drinks"))
    return recorded | golden(_WITHOUT_VNNI) if overflows() else recorded


def compared(part: str, recorded: dict[str, Any]) -> dict[str, Any]:
    """Return a part of each recorded answer, without those that this processor has no record of."""
    return {
        name: answer.get(part)
        for name, answer in recorded.items()
        if part not in VECTOR_PARTS or VECTOR_PARTS[0] in answer
    }


def golden_help() -> str:
    """Return the recorded help texts as one document."""
    return (FILES / "help.txt").read_text(encoding="utf-8")


def recorded_session(name: str, home: Path) -> dict[str, Any]:
    """Run a session; returns its commands, what it left on disk, and the systems it can name."""
    commands = SESSIONS[name](home)
    return {"commands": commands, "disk": disk_record(home), "systems": system_names(home)}


def recorded_drinks(home: Path) -> dict[str, Any]:
    """Answer the gold questions."""
    (home / "w").mkdir()
    return drink_answers(home)


def recorded_films(home: Path) -> dict[str, Any]:
    """Rank the requests by each system, and answer the questions about films."""
    import_films(home)
    return {"answers": film_answers(home), **{name: rankings(home, name) for name in RANKED_BY}}


def _save(name: str, record: Any) -> None:
    """Write one line for each entry of the two upper levels, so that differences are short."""
    lines = []
    for key, value in record.items():
        if isinstance(value, dict) and value:
            inner = (f" {_text(one)}: {_text(other)}" for one, other in value.items())
            lines.append(f"{_text(key)}: {{\n" + ",\n".join(inner) + "}")
        else:
            lines.append(f"{_text(key)}: {_text(value)}")
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    (FILES / f"{name}.json").write_text(text, encoding="utf-8")


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _record_words(home: Path) -> None:
    (FILES / "help.txt").write_text(f"{help_as_text(help_texts(home))}\n", encoding="utf-8")
    _save("parameters", parameters())
    _save("adapters", shipped_adapters())


def _record_session(name: str) -> Callable[[Path], None]:
    def record(home: Path) -> None:
        found = recorded_session(name, home)
        _save(f"session-{name}", found["commands"])
        _save(f"disk-{name}", found["disk"])
        if name == "bar":
            known = golden("words") if (FILES / "words.json").is_file() else {}
            _save("words", with_words(known, all_words(found["systems"])))

    return record


def _record_drinks(home: Path) -> None:
    found = recorded_drinks(home)
    if not overflows():
        _save("answers-drinks", found)
        return
    recorded = golden("answers-drinks")
    moved = {name: one for name, one in found.items() if not _same_drinks(one, recorded.get(name))}
    kept = {name: recorded[name] for name in moved if name in recorded}
    for name, was in _without_vnni().items():
        if name in kept and not _same_drinks(found[name], was):  # it changed: so it will with VNNI
            parts = found[name].items()
            kept[name] = {part: one for part, one in parts if part not in VECTOR_PARTS}
    _save("answers-drinks", found | kept)
    _save(_WITHOUT_VNNI, moved)


def _without_vnni() -> dict[str, Any]:
    """What was recorded last on a processor like this one."""
    return dict(golden("answers-drinks")) | golden(_WITHOUT_VNNI)


def _same_drinks(one: dict[str, Any], other: dict[str, Any] | None) -> bool:
    return other is None or all(one.get(part) == other.get(part) for part in ("items", "near"))


def _record_films(home: Path) -> None:
    for name, record in recorded_films(home).items():
        _save("answers-films" if name == "answers" else f"rankings-{name}", record)


_WANTED = {"drinks": EMBEDDER, "ml-100k": MOVIELENS}
PARTS: dict[str, Callable[[Path], None]] = {
    "words": _record_words,
    **{name: _record_session(name) for name in SESSIONS},
    "drinks": _record_drinks,
    "ml-100k": _record_films,
}


def record_parts(names: list[str]) -> None:
    """Write the files of the parts named, or of all."""
    FILES.mkdir(exist_ok=True)
    for name in names or PARTS:
        wanted = [_WANTED[name]] if name in _WANTED else []
        with (
            tempfile.TemporaryDirectory() as made,
            golden_environment(Path(made), *wanted) as home,
        ):
            PARTS[name](home)


if __name__ == "__main__":
    record_parts(sys.argv[1:])
