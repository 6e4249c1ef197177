"""Measuring through the API: ours and recommenders of one's own, over the same cases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from localrec.api.session import WorkspaceSession
from localrec.data.records import TableRows
from localrec.foundation.progress import Progress, no_progress

if TYPE_CHECKING:
    from localrec.api.exchange import InteractionTable
    from localrec.data.rows import ImportReport
    from localrec.evaluation.comparisons import SystemComparison
    from localrec.evaluation.run_folder import RunFolder, RunMetrics

RUNS = "runs"  # folder of a workspace


class Evaluation(TableRows):
    """The figures of a run, each with its 95% interval; the cases lie in `folder`.

    Example:
        `workspace.evaluation("baselines").compare("ease", "popularity").metrics` has both figures
        of each metric, their difference and its interval.

    Args:
        run: The folder of the run.
    """

    def __init__(self, run: RunFolder) -> None:
        self._run = run
        self.folder: Path = run.path
        self.figures: RunMetrics = run.metrics()

    def __repr__(self) -> str:
        return f"Evaluation({str(self.folder)!r})"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row a system and metric: value, low and high of the interval, cases."""
        from localrec.evaluation.statistics import IntervalEstimate

        nothing = {"": IntervalEstimate(None, None, None, 0)}
        return [
            {
                "system": system.name,
                "metric": metric,
                "value": found.value,
                "low": found.low,
                "high": found.high,
                "n": found.n,
                "failed": system.failed,
            }
            for system in self.figures.systems
            for metric, found in (system.metrics or nothing).items()
        ]

    def compare(self, ours: str, theirs: str) -> SystemComparison:
        """Compare two of the systems case by case, corrected for the number of metrics."""
        from localrec.evaluation.comparisons import compare_runs

        [found] = compare_runs(self._run, self._run, ours, theirs)
        return found

    def report(self) -> Path:
        """Write the report as a page that opens without a network; return its path."""
        from localrec.evaluation.run_report import write_run_report

        page, _, _ = write_run_report(self._run)
        return page

    def to_trec(self, out: str | Path) -> list[Path]:
        """Write what every system ranked and should have found as TREC runs and qrels."""
        from localrec.evaluation.ranking.trec_exchange import export_trec

        return export_trec(self._run, Path(out).expanduser())


class EvaluationCalls(WorkspaceSession):
    """The calls that measure systems, and that export and import their tables."""

    def interactions(self, *, domain: str | None = None) -> InteractionTable:
        """Read who met what in a domain, for LensKit, RecBole, pandas or a matrix.

        Args:
            domain: The domain; by default the largest.
        """
        from localrec.api.exchange import InteractionTable
        from localrec.evaluation.ranking.keyed_interactions import read_interactions
        from localrec.graph.domain_files import load_domain
        from localrec.workspace.domain_choice import domain_of_question

        with self._warm.lease() as opened:
            chosen = domain_of_question(opened, "", domain)
            return InteractionTable(read_interactions(opened.store, load_domain(chosen)))

    def import_interactions(
        self, table: object, *, domain: str, progress: Progress = no_progress
    ) -> ImportReport:
        """Store a table of interactions: a DataFrame, a `pyarrow.Table` or LensKit's `Dataset`.

        Args:
            table: With columns user_id, item_id, and maybe rating and timestamp.
            domain: The domain of the items; unknown ones get their key for a name.
            progress: Called with the step, how much of it is done, and of how much.
        """
        from tempfile import TemporaryDirectory

        from localrec.api.exchange import write_atomic_file
        from localrec.api.writing import read_import, store_import

        with TemporaryDirectory() as folder:
            write_atomic_file(table, Path(folder))
            found = read_import(Path(folder), "recbole", None, domain)
            with self._written(found.files) as opened:
                return store_import(opened, found, None, progress)

    def evaluation(self, name: str) -> Evaluation:
        """Open an earlier run by its name or folder."""
        from localrec.evaluation.run_folder import find_run

        return Evaluation(find_run(name, self.folder / RUNS))

    def import_trec(self, path: str | Path, *, reference: str, name: str) -> Evaluation:
        """Judge a foreign TREC run by the cases of a run, as a run of its own.

        Args:
            path: The run file; its tag becomes the system's name.
            reference: The run whose cases are the topics.
            name: Name of the new run.
        """
        from localrec.evaluation.provenance import current_origin
        from localrec.evaluation.ranking.trec_exchange import import_trec_run
        from localrec.evaluation.run_folder import RunFolder, find_run

        runs = self.folder / RUNS
        folder = RunFolder(runs / name)
        made = current_origin("-c", ["Workspace().import_trec", reference])
        import_trec_run(find_run(reference, runs), Path(path).expanduser(), folder, made)
        return Evaluation(folder)
