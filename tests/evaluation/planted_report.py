"""A report with one of everything, and with names that try to break out of it."""

from __future__ import annotations

from localrec.evaluation.intervals import Measure
from localrec.evaluation.records import (
    Bars,
    Confusion,
    HeatMap,
    Point,
    Report,
    Scale,
    Scatter,
    Section,
    Table,
    Text,
)
from localrec.evaluation.report import Origin

EVIL = '<img src="http://evil.test/a.png" onerror="document.title=7">'
SYSTEMS = {"ours": 0.08, "popularity": 0.02, "a-baseline-with-quite-a-long-name": 0.05, EVIL: 0.06}
NOT_MEASURED = Measure(None, None, None, 0)


def figure(value: float) -> Measure:
    """A measure with an interval around it."""
    return Measure(value, round(value * 0.9, 4), round(value * 1.1, 4), 100)


BARS = Bars(
    title="Quality",
    scales=(Scale(name="H@10"), Scale(name="latency", unit="ms", better="less")),
    rows={name: (figure(value), figure(900 * value)) for name, value in SYSTEMS.items()}
    | {"broken": (NOT_MEASURED, NOT_MEASURED)},
    ours=("ours",),
    note="A note on bars.",
)
SCATTER = Scatter(
    title="Quality against time",
    across=Scale(name="time", unit="s", better="less"),
    up=Scale(name="NDCG@10"),
    points=tuple(
        Point(name=name, across=10.0**place, up=figure(value))
        for place, (name, value) in enumerate(SYSTEMS.items(), -2)
    ),
    ours=("ours",),
)
CONFUSION = Confusion(
    title="Router", classes=("C1", "C2"), counts={"C1": {"C1": 9, "C2": 1}, "C2": {"C2": 5}}
)
HEAT = HeatMap(
    title="Agreement",
    columns=("constraints", "grounded"),
    rows={"accuracy": (figure(0.5), figure(-0.25)), "factuality": (figure(0.1), NOT_MEASURED)},
    reach=1.0,
)
REPORT = Report(
    title="A planted report",
    summary="Ours | theirs.",
    origin=Origin(command="localrec evaluate run", date="2026-11-22", versions={}, machine="2"),
    sections=(
        Section(title="Rankings", blocks=(Text(text=f"Said by {EVIL}."), BARS, SCATTER)),
        Section(
            title="Classes",
            blocks=(
                CONFUSION,
                HEAT,
                Table(title="Settings", head=("", "with"), rows=(("a|b", "1"),), strong=((0, 1),)),
            ),
        ),
    ),
)
