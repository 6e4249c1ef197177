"""What stands beside the lists of data sets and imports: what they are, and what they brought."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content

from localrec.data.rows import ImportReport
from localrec.foundation.prose import count_of
from localrec_tui.item_text import source_name
from localrec_tui.services.transfers import Arrival, DatasetDetails, DatasetSummary, ImportUndo
from localrec_tui.widgets.detail_pane import pane_fact, pane_head, pane_lines

_PROBLEMS = 100


def arrival_line(arrival: Arrival) -> Content:
    """An import in a line: when, from which file, how many rows, whose."""
    whose = f" of {arrival.user}" if arrival.user else ""
    return Content.assemble(
        (f"{arrival.day}  ", "dim"),
        (arrival.file, "bold"),
        f"  {arrival.kept:,} rows{whose} ({source_name(arrival.source)})",
    )


def receipt_notes(report: ImportReport) -> list[str]:
    """What a receipt says behind its counts: notes, then the rows that are dropped or mended."""
    lines = []
    if report.found_again:
        lines.append(f"{report.found_again:,} of the items are in a catalogue here already.")
    lines += report.notes
    lines += [f"  {one.as_line()}" for one in report.gravest_problems()[:_PROBLEMS]]
    if len(report.problems) > _PROBLEMS:
        lines.append(f"  … {len(report.problems) - _PROBLEMS:,} more")
    return lines


def receipt_text(arrival: Arrival, report: ImportReport) -> Content:
    """The receipt of an import that is over."""
    return pane_lines(_receipt_lines(arrival, report))


def undo_question(found: ImportUndo) -> str:
    """Ask whether an import is to be taken back, and say what goes with it."""
    lines = [f"Take back the import of {found.file}?"]
    if found.words:
        go = "goes" if found.words == 1 else "go"
        lines.append(f"{count_of(found.words, 'word')} given since then {go} too.")
    lines += [
        "What was changed on shelves and in memories since then goes too.",
        "Words that were taken back since then return.",
    ]
    return "\n".join(lines)


def dataset_text(dataset: DatasetSummary, details: DatasetDetails) -> Content:
    """What a data set is, where it comes from, and how it comes in."""
    return pane_lines(_dataset_lines(dataset, details))


def domain_text(counts: tuple[tuple[str, int], ...]) -> Content:
    """What is here of a domain."""
    if not counts:
        return Content("Nothing is here of it yet.")
    wide = max(len(f"{count:,}") for _, count in counts)
    return pane_lines(
        Content.assemble(f"{count:>{wide},}  ", (kind.replace("_", " "), "dim"))
        for kind, count in counts
    )


def _receipt_lines(arrival: Arrival, report: ImportReport) -> Iterator[Content | str]:
    yield pane_fact("When", arrival.day)
    yield pane_fact("Format", report.source)
    yield pane_fact("Domain", report.domain)
    yield pane_fact("Of", arrival.user or "nobody in particular")
    yield ""
    yield (
        f"{count_of(report.read, 'row')} read: {report.kept:,} kept, {report.merged:,} merged, "
        f"{report.dropped:,} dropped."
    )
    yield from receipt_notes(report)
    yield Content.styled("\nZ takes the last import of this run back.", "dim")


def _dataset_lines(dataset: DatasetSummary, details: DatasetDetails) -> Iterator[Content | str]:
    yield Content.styled(dataset.title, "bold")
    yield ""
    yield pane_fact("Domain", dataset.domain)
    yield pane_fact("Licence", dataset.licence)
    yield pane_fact("Here", f"yes, {details.items:,} items" if dataset.here else "no")
    yield ""
    if details.files:
        yield pane_head("Files, by the network")
        for name, size in details.files:
            yield Content.assemble(f"  {name}", (f"  {size / 1e6:,.1f} MB", "dim"))
    else:
        yield "It ships with localrec and needs no network."
    yield ""
    yield pane_head("To bring it in")
    yield f"  P, or localrec datasets pull {dataset.name}"
