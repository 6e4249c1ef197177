"""What is wrong with a piece of JSON, in plain words instead of the decoder's."""

from __future__ import annotations

import re

from localrec.foundation.text import clean_text

_MISMATCH = re.compile(
    r"Expected `(?P<wanted>[^`]*)`, got `(?P<found>[^`]*)`(?: - at `\$?\.?(?P<place>[^`]*)`)?"
)
_MISSING = re.compile(r"Object missing required field `(?P<field>[^`]*)`.*")
_MALFORMED = re.compile(r"JSON is malformed: .* \(byte (?P<byte>\d+)\)", re.DOTALL)
_NAMES = {
    "str": "a text",
    "int": "a number",
    "float": "a number",
    "bool": "yes or no",
    "array": "a list",
    "object": "an object",
    "null": "nothing",
}


def json_problem(error: Exception) -> str:
    """One clause about the error of a JSON decoder, such as "`ts` holds a number, not a text"."""
    told = str(error)
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    if told.startswith(("Input data was truncated", "Expecting")):
        return "it ends in the middle, as if it were cut off"
    if malformed := _MALFORMED.fullmatch(told):
        return f"there is a fault at byte {int(malformed['byte']):,}"
    if missing := _MISSING.fullmatch(told):
        return f"the field `{clean_text(missing['field'])}` is missing"
    found = _MISMATCH.fullmatch(told)
    if found is None:
        return clean_text(told)
    wanted = [_named(one) for one in found["wanted"].split(" | ") if one != "null"]
    subject = f"`{clean_text(found['place'])}`" if found["place"] else "it"
    allowed = " or ".join(dict.fromkeys(wanted))
    if found["found"] == "null":
        return f"{subject} is empty, where {allowed} belongs"
    return f"{subject} holds {_named(found['found'])}, where {allowed} belongs"


def _named(kind: str) -> str:
    return _NAMES.get(kind, clean_text(kind))
