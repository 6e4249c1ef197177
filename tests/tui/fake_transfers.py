"""Imports, exports and pulls that take no file, and can be told to wait."""

from __future__ import annotations

import msgspec

from localrec.data.rows import ImportReport, RowProblem
from localrec.foundation.progress import Progress
from localrec_tui.services.import_look import FileKind, FileLook
from localrec_tui.services.records import ExportChoice, ExportRequest, ImportRequest, RequestHandle
from localrec_tui.services.transfers import Arrival, DatasetDetails, DatasetSummary, ImportUndo

from .recorder import Recorder

REPORT = ImportReport(
    source="letterboxd",
    path="films.zip",
    domain="movies",
    read=6,
    kept=5,
    merged=0,
    dropped=1,
    problems=(RowProblem(row=4, column="Year", problem="no year", action="dropped"),),
)
_DRINKS = DatasetSummary(
    name="cocktails", title="Drinks", domain="cocktails", licence="Apache-2.0", here=True
)
_FILMS = DatasetSummary(
    name="ml-100k", title="Films", domain="movies", licence="research", here=False
)
_ARRIVAL = Arrival(
    number=1, day="2026-11-20", source="drinks", file="drinks", domain="cocktails", kept=3, user=""
)

HISTORY = ExportChoice(
    name="the history of anna: drinks",
    form="CSV",
    file="anna-history-cocktails.csv",
    formats=("csv", "json", "parquet"),
    request=ExportRequest(what="history", user="anna", domain="cocktails"),
)
FILMS = ExportChoice(
    name="all 3 films",
    form="CSV",
    file="movies.csv",
    request=ExportRequest(what="items", domain="movies"),
)


class FakeTransferService(Recorder):
    """Takes in and gives out nothing.

    Attributes:
        found: What every file is, but for its path.
        choices: What can go out.
        words: How many were given since the last import.
    """

    def __init__(self) -> None:
        super().__init__()
        self.found = FileLook(path="", kind=FileKind.KNOWN)
        self.choices: tuple[ExportChoice, ...] = (HISTORY, FILMS)
        self.words = 0

    def look(self, path: str) -> FileLook:
        self._note("look", path)
        return msgspec.structs.replace(self.found, path=path)

    def dry_run(
        self, wanted: ImportRequest, request: RequestHandle, progress: Progress
    ) -> ImportReport:
        self._note("dry_run", wanted)
        request.over.set()
        return REPORT

    def import_file(
        self, wanted: ImportRequest, request: RequestHandle, progress: Progress
    ) -> ImportReport:
        self._note("import_file", wanted)
        progress("films", 2, 6)
        try:
            self._wait(request)
        finally:
            request.over.set()
        return REPORT

    def import_undo(self) -> ImportUndo:
        self._trip()
        return ImportUndo(file="films.zip", words=self.words)

    def undo_import(self) -> None:
        self._note("undo_import", None)

    def export_choices(self, user: str | None) -> tuple[ExportChoice, ...]:
        return self.choices

    def export(self, wanted: ExportRequest, request: RequestHandle, progress: Progress) -> str:
        self._note("export", wanted)
        return f"4 rows are in {wanted.out}."

    def datasets(self) -> tuple[DatasetSummary, ...]:
        return (_DRINKS, _FILMS)

    def dataset_details(self, name: str) -> DatasetDetails:
        files = () if name == "cocktails" else (("films.zip", 4_900_000),)
        return DatasetDetails(files=files, items=3)

    def receipt(self, number: int) -> ImportReport:
        return REPORT

    def domain_counts(self, domain: str) -> tuple[tuple[str, int], ...]:
        return (("cocktail", 3), ("ingredient", 12)) if domain == "cocktails" else ()

    def pull(self, name: str, request: RequestHandle, progress: Progress) -> None:
        self._note("pull", name)
        progress("files", 1, 3)
        try:
            self._wait(request)
        finally:
            request.over.set()

    def rebuild_memories(self, request: RequestHandle, progress: Progress) -> str:
        self._note("rebuild", None)
        return "12 memories were counted anew."

    def arrivals(self, limit: int) -> tuple[Arrival, ...]:
        return (_ARRIVAL,)
