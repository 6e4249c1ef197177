"""How the house stands: sizes, names and imports, and lines by package before and after.

    python scripts/house.py             print the sizes, and what is over a limit
    python scripts/house.py --write     write the drawing and the tables into docs/design.md
    python scripts/house.py --trace WORKSPACE USER    run two commands and count what runs in them

Everything but `--trace` reads the source alone, so that `tests/test_house.py` can hold the code
against the limits. What the code was like before is kept in docs/figures/house-before.json, made by
the same functions: `--keep FOLDER` writes it from a checkout of the tag `before-house`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from house_source import (
    CLASS_LINES,
    FUNCTION_LINES,
    MODULE_LINES,
    ROOT,
    SYSTEM_LINES,
    Sizes,
    Source,
    layers,
    upward_imports,
)

DESIGN = ROOT / "docs" / "design.md"
FIGURES = ROOT / "docs" / "figures"
COMMANDS = {
    "recommend": ("recommend", "--system", "memrec", "--domain", "movies", "-k", "3"),
    "ask": ("ask", "a smoky drink without whiskey", "--domain", "cocktails", "-k", "3"),
}
# What nobody could do before, and the files that were written for it and for nothing else. No file
# named here existed at the tag: git diff --diff-filter=A -M30% --numstat ec7bac0 HEAD -- '*.py'
FEATURES = {
    "default ranking that is learnt": (
        "localrec/ranking/learned localrec/index/gru4rec.py localrec/systems/learned.py "
        "localrec/systems/reranker_learning.py localrec/explanation/deciding_reasons.py "
        "localrec/cli/learn.py tui/localrec_tui/services/learning.py scripts/bench/learning.py "
        "scripts/studies/learned_ranking.py scripts/studies/learned_ranking_data.py "
        "scripts/studies/learned_ranking_report.py"
    ),
    "catalogues of one's own from any table": (
        "localrec/sources/catalogues localrec/sources/table_guess.py "
        "localrec/data/catalogue_columns.py localrec/workspace/own_domains.py "
        "localrec/workspace/table_domains.py localrec/workspace/domain_check.py "
        "localrec/graph/domain_removal.py localrec/cli/domains.py localrec/cli/import_guesses.py "
        "scripts/studies/catalogue_rows.py scripts/studies/asked_catalogues.py"
    ),
    "formats that could not be imported": (
        "localrec/sources/boardgamegeek.py localrec/sources/imdb.py "
        "localrec/sources/myanimelist.py localrec/sources/netflix.py localrec/sources/spotify.py "
        "localrec/sources/personal_items.py localrec/sources/screen_titles.py "
        "localrec/sources/xml_records.py localrec/sources/export_cells.py "
        "localrec/packs/cocktails/bar_assistant.py localrec/packs/cocktails/iba_recipes.py "
        "localrec/packs/cocktails/mr_boston.py localrec/packs/cocktails/recipe_catalogue.py "
        "scripts/studies/export_faults.py scripts/studies/export_layouts.py "
        "scripts/studies/export_layouts_xml.py "
        "scripts/studies/export_round_trips.py scripts/studies/fuzz_tables.py "
        "localrec/sources/bookcrossing.py localrec/sources/calibre.py "
        "localrec/sources/goodbooks.py localrec/sources/librarything.py "
        "localrec/sources/sqlite_tables.py localrec/sources/trakt.py "
        "scripts/studies/calibre_library.py scripts/studies/library_layouts.py "
        "scripts/studies/drink_layouts.py scripts/studies/dataset_layouts.py "
        "scripts/studies/interaction_faults.py"
    ),
    "words that a question's reader did not know": (
        "localrec/understanding/amounts.py localrec/understanding/foreign_questions.py "
        "localrec/understanding/language_words.py localrec/understanding/nearest_names.py "
        "localrec/understanding/question_reader.py localrec/understanding/topics.py "
        "localrec/understanding/state_phrases.py localrec/understanding/unused_words.py "
        "localrec/understanding/years.py localrec/explanation/answer_message.py "
        "localrec/systems/declined.py scripts/studies/asked_questions.py "
        "localrec/understanding/mended_numbers.py localrec/understanding/partial_names.py "
        "localrec/understanding/text_wishes.py localrec/retrieval/other_readings.py "
        "localrec/graph/item_texts.py"
    ),
    "open dumps that tell more of a library": (
        "localrec/sources/dumps localrec/cli/import_dumps.py localrec/data/knowledge.py "
        "localrec/graph/joined_items.py localrec/graph/knowledge_join.py"
    ),
    "panes of the app beside its lists": (
        "tui/localrec_tui/item_text.py tui/localrec_tui/services/history_queries.py "
        "tui/localrec_tui/services/feedback.py tui/localrec_tui/widgets/badges.py "
        "tui/localrec_tui/widgets/item_facts.py tui/localrec_tui/widgets/item_pane.py "
        "tui/localrec_tui/widgets/shown_items.py tui/localrec_tui/widgets/side_pane.py"
    ),
    "public Python API": "localrec/api",
    "contracts and entry points of plug-ins": "localrec/testing localrec/foundation/plugins.py",
    "server for local assistants": "localrec/mcp_server localrec/cli/mcp.py",
    "SQL over the store": "localrec/graph/views.py localrec/cli/sql.py",
    "lists with variety, for several users": (
        "localrec/ranking/diversity.py localrec/systems/list_choice.py "
        "scripts/studies/list_diversity.py"
    ),
    "vectors made in the background": "localrec/index/pending_vectors.py",
    "faults told in a sentence": (
        "localrec/foundation/crash_report.py localrec/foundation/disk_errors.py "
        "localrec/foundation/delayed_close.py"
    ),
    "evaluation of data that is only imported": (
        "localrec/evaluation/data_folders.py localrec/evaluation/ranking/given_negatives.py"
    ),
    "these figures": (
        "scripts/house.py scripts/house_source.py scripts/bench/before_after.py "
        "scripts/bench/libraries.py scripts/studies/asked_judge.py"
    ),
}


class Traced(msgspec.Struct, frozen=True):
    """How many of our modules and rooms ran during one command."""

    modules: int
    rooms: int


class HouseFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one state of the code.

    Args:
        lines: Lines of Python by package.
        traced: What runs during a command; empty where it was not measured.
        sizes: The largest module, class and function, and others; None where not measured.
    """

    lines: dict[str, int]
    traced: dict[str, Traced] = {}
    sizes: Sizes | None = None


def drawing(source: Source) -> str:
    """The rooms from the top to the ground: what each holds, and which rooms it imports."""
    words, imports = source.room_words(), source.room_imports()
    order = [room for row in layers(source.root) for room in row]
    lines = ["```text"]
    for row in layers(source.root):
        for room in row:
            beside = "" if room == row[0] else "| "
            below = [one for one in order if one in imports[room]]
            lines.append(f"{beside}{room}: {words[room]}")
            lines.extend(_wrapped("    -> ", below))
    return "\n".join([*lines, "```"])


def lines_table(before: HouseFigures, after: HouseFigures) -> str:
    """Lines by package, before and after; what moved has one of the two."""
    rows = [
        f"| {name} | {_count(before.lines.get(name))} | {_count(after.lines.get(name))} |"
        for name in sorted(before.lines | after.lines)
    ]
    old, new = sum(before.lines.values()), sum(after.lines.values())
    total = f"| **all** | **{old:,}** | **{new:,}** ({new - old:+,}) |"
    return "\n".join(
        ["| lines of Python | before | after |", "| --- | ---: | ---: |", *rows, total]
    )


def sizes_table(before: Sizes, after: Sizes) -> str:
    """The sizes that tests hold, before and after, with the limit of each."""
    rows = [
        ("public class names that occur more than once", "repeated_classes", 0),
        ("lines of the longest module", "longest_module", MODULE_LINES),
        ("lines of the longest class", "longest_class", CLASS_LINES),
        ("lines of the longest function", "longest_function", FUNCTION_LINES),
        ("lines of the longest script", "longest_script", MODULE_LINES),
        ("circles of modules that import each other", "circles", 0),
    ]
    told = [
        f"| {what} | {getattr(before, name):,} | {getattr(after, name):,} | {limit} |"
        for what, name, limit in rows
    ]
    return "\n".join(["| size | before | now | limit |", "| --- | ---: | ---: | ---: |", *told])


def features_table(root: Path, grown: int) -> str:
    """Lines of the files that were written for what is new, and what growth they leave."""
    sizes = {feature: lines_of(root, paths.split()) for feature, paths in FEATURES.items()}
    rows = [f"| {feature} | {lines:,} |" for feature, lines in sizes.items()]
    new = sum(sizes.values())
    return "\n".join(
        [
            "| new since the tag, in files of its own | lines |",
            "| --- | ---: |",
            *rows,
            f"| **all of these** | **{new:,}** |",
            f"| growth of everything else, so of {grown:,} in all | **{grown - new:+,}** |",
        ]
    )


def lines_of(root: Path, paths: Sequence[str]) -> int:
    """Lines of some Python files, and of those in some folders."""
    files: set[Path] = set()
    for path in paths:
        found = sorted((root / path).rglob("*.py")) if (root / path).is_dir() else [root / path]
        files.update(found)
    return sum(file.read_text("utf-8").count("\n") for file in files)


def trace_table(before: HouseFigures, after: HouseFigures) -> str:
    """What runs during a command, before and after."""
    rows = []
    for name in COMMANDS:
        old, new = before.traced.get(name), after.traced.get(name)
        if old and new:
            rows.append(f"| `{name}` | {old.modules} | {new.modules} | {old.rooms} | {new.rooms} |")
    head = "| command | modules before | after | rooms before | after |"
    return "\n".join([head, "| --- | ---: | ---: | ---: | ---: |", *rows])


def traced(root: Path, arguments: Sequence[str]) -> Traced:
    """Run a command of the checkout in `root` in a process of its own and count what runs."""
    command = [sys.executable, str(Path(__file__).resolve()), "--count", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed:\n{done.stderr[-2000:]}")
    return msgspec.json.decode(done.stderr.strip().rsplit("\n", 1)[-1], type=Traced)


def count_run(root: str, arguments: Sequence[str]) -> None:
    """Run a command here; the last line of stderr tells modules and rooms that ran a function."""
    import threading

    ran: set[str] = set()
    ours = (f"{root}/localrec/", f"{root}/tui/localrec_tui/")  # not .venv, whatever root is called

    def profile(frame: Any, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>" and code.co_filename.startswith(ours):
            ran.add(code.co_filename)

    sys.path[:0] = [root, f"{root}/tui"]
    from localrec.cli.app import main

    sys.argv = ["localrec", *arguments]
    threading.setprofile(profile)
    sys.setprofile(profile)
    code: object = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    sys.setprofile(None)
    inside = [Path(one).relative_to(root).parts for one in ran]
    found = Traced(len(inside), len({parts[1] for parts in inside}))
    print(msgspec.json.encode(found).decode(), file=sys.stderr)
    raise SystemExit(code)


def figures_of(root: Path, workspace: str | None, user: str | None) -> HouseFigures:
    """Lines of a checkout; with a workspace also what runs in its commands."""
    counted = {}
    if workspace:
        for name, arguments in COMMANDS.items():
            who = ["--user", user] if user and name == "recommend" else []
            counted[name] = traced(root, [*arguments, *who, "--workspace", workspace])
    source = Source(root)
    return HouseFigures(lines=source.lines_by_package(), traced=counted, sizes=source.sizes())


def read_figures(name: str) -> HouseFigures:
    """Figures that are kept in docs/figures."""
    return msgspec.json.decode((FIGURES / name).read_bytes(), type=HouseFigures)


def keep_figures(name: str, figures: HouseFigures) -> None:
    """Keep figures in docs/figures."""
    encoded = msgspec.json.format(msgspec.json.encode(figures), indent=1)
    (FIGURES / name).write_bytes(encoded + b"\n")


def design_blocks(source: Source) -> dict[str, str]:
    """What this script writes into docs/design.md, by the names of the markers."""
    before, after = read_figures("house-before.json"), read_figures("house-after.json")
    after = msgspec.structs.replace(after, lines=source.lines_by_package())
    grown = sum(after.lines.values()) - sum(before.lines.values())
    assert before.sizes, "house-before.json was kept without sizes"
    return {
        "rooms": drawing(source),
        "house-sizes": sizes_table(before.sizes, source.sizes()),
        "house-lines": lines_table(before, after),
        "house-features": features_table(ROOT, grown),
        "house-traced": trace_table(before, after),
    }


def main() -> int:
    """Print, write or measure; the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="into docs/design.md")
    parser.add_argument("--trace", nargs=2, metavar=("WORKSPACE", "USER"))
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="a checkout from before")
    asked = parser.parse_args()
    if asked.trace or asked.keep:
        root, name = (asked.keep or ROOT).resolve(), "before" if asked.keep else "after"
        keep_figures(f"house-{name}.json", figures_of(root, *(asked.trace or (None, None))))
    source = Source()
    if asked.write:
        from localrec.evaluation.reporting.markdown import replace_marked_block

        for name, text in design_blocks(source).items():
            replace_marked_block(DESIGN, name, text)
    checks: dict[str, Callable[[], Mapping[str, int]]] = {
        f"modules over {MODULE_LINES} lines": source.long_modules,
        f"files of systems/ over {SYSTEM_LINES} lines": source.long_systems,
        f"classes over {CLASS_LINES} lines": source.long_classes,
        f"functions over {FUNCTION_LINES} lines": source.long_functions,
        f"scripts over {MODULE_LINES} lines": source.long_scripts,
        "class names that occur twice": source.repeated_classes,
    }
    for what, check in checks.items():
        found = check()
        print(f"{what}: {len(found)}")
        print(*(f"  {name} {size}\n" for name, size in sorted(found.items())), sep="", end="")
    for circle in source.circles():
        print("imports in a circle:", *sorted(circle), sep="\n  ")
    print("upward imports:", *upward_imports(source))
    print("lines:", f"{sum(source.lines_by_package().values()):,}")
    return 0


def _wrapped(start: str, names: Sequence[str], width: int = 92) -> Iterator[str]:
    """Names in lines of at most `width` characters; no line where there is no name."""
    line = start
    for place, name in enumerate(names):
        word = name + ("," if place + 1 < len(names) else "")
        if len(line) + len(word) > width:
            yield line.rstrip()
            line = " " * len(start)
        line += word + " "
    if names:
        yield line.rstrip()


def _count(lines: int | None) -> str:
    return "" if lines is None else f"{lines:,}"


if __name__ == "__main__":
    if "--count" in sys.argv[1:2]:
        count_run(sys.argv[2], sys.argv[3:])
    sys.exit(main())
