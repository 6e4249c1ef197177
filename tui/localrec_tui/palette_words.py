"""The palette's words: what each action of a screen does, for somebody who knows no key yet.

A table of its own: the foot has room for one word an action, the palette for a sentence. An action
that is not listed is called by its word in the foot.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from textual.screen import Screen

Words = Mapping[str, str]  # action -> what it does
# Screens by their class's name without "Screen", so that a room is known here by its words alone.
_WORDS: Mapping[str, Words] = {
    "Home": {
        "pick_domain": "Choose the domain of the list in Home",
        "next_domain(1)": "Show the list of the next domain in Home",
        "next_domain(-1)": "Show the list of the domain before in Home",
    },
    "Ask": {
        "stop": "Stop the question that is being answered",
        "pick_task": "Correct what kind of question it is",
        "pick_wish": "Add a wish to the question",
        "pick_domain": "Choose what questions are about",
        "pick_system": "Choose who answers questions",
        "ask_alone": "Ask what stands in the line as a new question",
        "pick_image": "Ask with a picture",
        "more": "Ask for ten items more",
        "copy_answer": "Copy the answer as Markdown",
        "save_answer": "Write the answer to a file",
    },
    "Browse": {
        "shelf": "Open your shelf",
        "pick_domain": "Choose the domain that Browse lists",
        "open": "Show all about the item that is chosen in Browse",
        "walk": "Walk the graph from the item that is chosen in Browse",
        "pick_order": "Sort the catalogue",
        "turn_order": "Turn the order of the catalogue round",
        "search": "Find an item in the catalogue",
    },
    "History": {
        "edit": "Say something else of an item in your history",
        "retract": "Take back your last word on an item in your history",
        "pick_order": "Sort your history",
        "search": "Find something in your history",
    },
    "Memory": {
        "pick_domain": "Choose the domain of the memory",
        "edit": "Put the memory in your own words",
        "pin": "Pin the memory, or let it change again",
        "forget": "Forget a person, a domain or some days, from Memory",
        "work": "Work off the jobs that wait for memories",
        "rebuild": "Count all memories anew",
        "hold": "Let the jobs of memories wait, or go on",
        "retry": "Retry the jobs of memories that failed",
        "stop": "Stop what runs in Memory",
    },
    "Data": {
        "import_file": "Import a file",
        "undo_import": "Take the last import back",
        "export": "Export a history, a profile, a catalogue or a backup",
        "pull": "Pull a data set",
        "forget": "Forget a person, or what they did in a domain",
        "stop": "Stop what runs in Data",
    },
    "Runs": {
        "start": "Start a new run of the evaluation",
        "resume": "Go on with a run that was stopped",
        "compare": "Compare two systems of runs",
        "stop": "Stop the run that was started here",
    },
    "Models": {
        "pull": "Pull a model",
        "check": "Check whether the files of a model are whole",
        "measure": "Time how fast a model is here",
        "use": "Let a model play a role, or take the role back",
        "look": "Look again which models are here",
        "stop": "Stop what runs in Models",
    },
    "Training": {
        "start": "Begin a new training",
        "resume": "Go on with a training that was stopped",
        "export": "Export what a training came to as an adapter",
        "try": "Try an adapter beside its bare base",
        "use": "Use an adapter in its role",
        "stop": "Stop the training that was begun here",
    },
    "GraphBrowser": {
        "back": "Go back to the node before",
        "browse": "List all items with this attribute in Browse",
        "leave": "End the walk",
    },
    "Shelf": {
        "take_off": "Take the chosen thing off the shelf",
        "undo": "Take back the last change of the shelf",
    },
    "Run": {
        "pick_metric": "Choose the metric that is drawn",
        "pick_system": "Choose whose cases are listed",
        "sort": "Sort the cases, the worst first or as they were asked",
    },
    "RunComparison": {
        "pick_ours": "Choose our system of the comparison",
        "pick_theirs": "Choose their system of the comparison",
    },
    "TrainingRun": {
        "pick_curve": "Choose the curve that is drawn large",
        "leave_to('resume')": "Go on with this training",
        "leave_to('export')": "Export this training as an adapter",
        "leave_to('try')": "Try this training's adapter beside its base",
        "leave_to('use')": "Use this training's adapter in its role",
    },
    "Log": {"save": "Save the log to a file"},
}
_EVERYWHERE: Words = {
    "next_room(1)": "Go to the next room",
    "next_room(-1)": "Go to the room before",
    "pick_user": "Choose who sits here",
    "say('liked')": "Like the chosen item",
    "say('disliked')": "Dislike the chosen item",
    "say('seen')": "Seen: you know the chosen item",
    "say('later')": "Not now: put the chosen item off",
    "say('liked', True)": "Like the chosen item, with a reason",
    "say('disliked', True)": "Dislike the chosen item, with a reason",
    "say('seen', True)": "Seen: you know the chosen item, with a reason",
    "say('later', True)": "Not now: put the chosen item off, with a reason",
    "take_back": "Undo: take back what you said last",
    "sort": "Sort the list by the next column",
    "open": "Show all about the chosen item",
}


class RowQuestion(msgspec.Struct, frozen=True):
    """Asks which row an action means, for somebody who comes from elsewhere and has not chosen.

    Args:
        title: The question.
        column: Of the room's first table: what a row is called.
    """

    title: str
    column: int = 0


ROW_QUESTIONS: Mapping[tuple[str, str], RowQuestion] = {
    ("Data", "pull"): RowQuestion("Pull which data set?"),
    ("Models", "pull"): RowQuestion("Pull which model?"),
    ("Models", "check"): RowQuestion("Check the files of which model?"),
    ("Models", "measure"): RowQuestion("Time which model?"),
    ("Runs", "resume"): RowQuestion("Go on with which run?"),
    ("Runs", "compare"): RowQuestion("Compare the systems of which run?"),
    ("Training", "resume"): RowQuestion("Go on with which training?"),
    ("Training", "export"): RowQuestion("Export which training?"),
    ("Training", "try"): RowQuestion("Try the adapter of which training?"),
    ("Training", "use"): RowQuestion("Use the adapter of which training?"),
    ("History", "edit"): RowQuestion("Say something else of which item?", 1),
    ("History", "retract"): RowQuestion("Take back your word on which item?", 1),
}


def action_words(screen: type[Screen[Any]], action: str, otherwise: str) -> str:
    """Say what an action of a screen does, `otherwise` where no words are listed for it."""
    return _WORDS.get(_name_of(screen), {}).get(action) or _EVERYWHERE.get(action) or otherwise


def row_question(screen: type[Screen[Any]], action: str) -> RowQuestion | None:
    """Return the question that an action of a screen needs answered; None where it needs none."""
    return ROW_QUESTIONS.get((_name_of(screen), action))


def _name_of(screen: type[Screen[Any]]) -> str:
    return screen.__name__.removesuffix("Screen")
