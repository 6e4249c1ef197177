"""A question's text before anything is read of it: slips of writing that no word shows alone.

What is written anew is as long as before, so that places in the text stay.
"""

from __future__ import annotations

import re

# "no more then 15 dollars".
_THEN = re.compile(
    r"(?i)\b((?:more|less|fewer|longer|shorter|cheaper|higher|lower|older|newer|later|earlier"
    r"|greater|other|rather|better|bigger|smaller)\s+)then\b"
)
# "There must be one from Porto, no?": a tag refuses nothing.
_TAG = re.compile(
    r"(?i),\s*(?:no|eh|right|yes|yeah|innit|isn['’]?t (?:it|there))\s*\?(?=\s*$|\s+(?-i:[A-Z]))"
)
# Dictated: "something tall comma no gin period".
_COMMA = re.compile(r"\s+comma(?=\s+\w)")
_STOP = re.compile(r"\s+(?:full stop|period|question mark)\s*$")
_UNEQUAL = re.compile(r"(?<=\s)!=(?=\s)")  # "country != US"


def normalise_question(text: str) -> str:
    """Write a question as it was meant.

    Example:
        `normalise_question("no more then 15 dollars")` is "no more than 15 dollars".
    """
    text = _UNEQUAL.sub("no", _THEN.sub(r"\1than", text))
    if _COMMA.search(text):  # else it may be a title, "Blue Period"
        text = _COMMA.sub(lambda spoken: ",".ljust(len(spoken[0])), text)
        text = _STOP.sub(lambda spoken: ".".ljust(len(spoken[0])), text)
    return _TAG.sub(lambda tag: f"{' ' * (len(tag[0]) - 1)}?", text)
