"""Asks what goes out, in which format and to which file; none is replaced without a request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from localrec_tui.base_app import AppScreen
from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem
from localrec_tui.screens.text import TextDialog
from localrec_tui.services.records import ExportChoice, ExportRequest

_FORMATS = {"csv": "CSV", "json": "JSON", "parquet": "Parquet"}
_REPLACE, _ANOTHER = "replace", "another"


def begin_export(
    screen: AppScreen[None],
    choices: Sequence[ExportChoice],
    chosen: Callable[[ExportRequest], None],
) -> None:
    """Ask what goes out, as which kind of file where there are several, then where to.

    Args:
        screen: The room that asks.
        choices: What can go out.
        chosen: Called once all is known.
    """
    by_name = {one.name: one for one in choices}

    def picked(name: str | None) -> None:
        if name is not None:
            _ask_format(screen, by_name[name], chosen)

    listed = [ChoiceItem(one.name, one.name, one.form) for one in choices]
    screen.app.push_screen(ChoiceDialog("What goes out?", listed, ""), picked)


def _ask_format(
    screen: AppScreen[None], choice: ExportChoice, chosen: Callable[[ExportRequest], None]
) -> None:
    def picked(suffix: str | None) -> None:
        if suffix is not None:
            file = str(Path(choice.file).with_suffix(f".{suffix}"))
            request = msgspec.structs.replace(choice.request, form=suffix)
            _ask_file(screen, msgspec.structs.replace(choice, file=file, request=request), chosen)

    if not choice.formats:
        _ask_file(screen, choice, chosen)
        return
    listed = [ChoiceItem(one, _FORMATS[one], f".{one}") for one in choice.formats]
    screen.app.push_screen(ChoiceDialog("In which format?", listed, choice.formats[0]), picked)


def free_path(folder: Path, name: str) -> Path:
    """A file that is not there yet: of this name, or numbered ("films-2.csv")."""
    place, number = folder / name, 2
    while place.exists():
        place = folder / f"{Path(name).stem}-{number}{Path(name).suffix}"
        number += 1
    return place


def _ask_file(
    screen: AppScreen[None], choice: ExportChoice, chosen: Callable[[ExportRequest], None]
) -> None:
    proposed = free_path(Path.home(), choice.file)

    def named(typed: str | None) -> None:
        if typed is None:
            return
        place = Path(typed or proposed).expanduser()
        place = place / choice.file if place.is_dir() else place
        suffix = place.suffix.lower().removeprefix(".")
        form = suffix if suffix in choice.formats else choice.request.form
        request = msgspec.structs.replace(choice.request, out=str(place), form=form)
        if place.exists():
            _ask_replacing(screen, choice, request, chosen)
        else:
            chosen(request)

    screen.app.push_screen(TextDialog("To which file?", f"Enter takes {proposed}"), named)


def _ask_replacing(
    screen: AppScreen[None],
    choice: ExportChoice,
    request: ExportRequest,
    chosen: Callable[[ExportRequest], None],
) -> None:
    def decided(answer: str | None) -> None:
        if answer == _REPLACE:
            chosen(msgspec.structs.replace(request, replaces=True))
        elif answer == _ANOTHER:
            _ask_file(screen, choice, chosen)

    choices = [
        ChoiceItem(_ANOTHER, "Name another file"),
        ChoiceItem(_REPLACE, "Replace it", "what is in it is lost"),
    ]
    screen.app.push_screen(
        ChoiceDialog(f"{Path(request.out).name} is there already.", choices, ""), decided
    )
