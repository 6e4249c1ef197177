"""Numbers of a table as numbers of a domain: units, comparatives, which end is better."""

from __future__ import annotations

from typing import Literal

from localrec.data.catalogue_columns import NumberColumn
from localrec.data.domains import NumberSpec
from localrec.sources.catalogues.column_profiles import ColumnProfile
from localrec.sources.catalogues.currencies import (
    ANY_MONEY,
    bears_sign,
    currency_of,
    without_currency,
)
from localrec.sources.catalogues.header_words import header_words, meaning_of, property_name
from localrec.sources.catalogues.numbers import RANGED
from localrec.sources.catalogues.records import RecordTable
from localrec.sources.catalogues.units import is_unit_of

_CHEAP = (
    "cheaper",
    "less expensive",
    "more affordable",
    "affordable",
    "inexpensive",
    "cheap",
    "cheapest",
    "budget",
)
_DEAR = ("more expensive", "pricier", "dearer", "costlier", "high-end", "expensive")
_BETTER = (
    "better rated",
    "higher rated",
    "best rated",
    "top rated",
    "highly rated",
    "better reviewed",
)
_WORSE = ("worse rated", "lower rated")
_PLAIN: dict[str, NumberSpec] = {
    "pages": NumberSpec(
        kind="count", says="has {value} pages", units={"page": 1}, words=("page count",),
        more=("longer", "thicker"), less=("shorter", "thinner", "quick read", "short read"),
    ),
    "servings": NumberSpec(
        kind="count", says="serves {value}", units={"serving": 1, "portion": 1, "people": 1},
        words=("serve",), more=("more servings",), less=("fewer servings",),
    ),
    "calories": NumberSpec(
        kind="amount", says="has {value} calories", units={"calorie": 1, "kcal": 1, "cal": 1},
        more=("more filling", "richer"), less=("lighter", "lower in calories", "fewer calories"),
    ),
    "ibu": NumberSpec(
        kind="amount", says="has a bitterness of {value} IBU", units={"ibu": 1},
        words=("ibu", "bitterness"), more=("more bitter", "bitterer", "hoppier", "bitter"),
        less=("less bitter", "milder"),
    ),
    "complexity": NumberSpec(
        kind="amount", says="has a complexity of {value}",
        words=("complexity", "weight", "difficulty"),
        more=("more complex", "heavier", "harder", "more difficult", "deeper", "brainier"),
        less=("simpler", "lighter", "easier", "less complex", "simple", "easy"),
    ),
    "popularity": NumberSpec(
        kind="count", says="was rated by {value}", units={"vote": 1, "rating": 1},
        more=("more popular", "popular", "better known", "most popular"),
        less=("less known", "lesser known", "more obscure", "obscure"), better="higher",
    ),
    "rank": NumberSpec(kind="count", says="has rank {value}", words=("rank",), better="lower"),
    "ounces": NumberSpec(
        kind="amount", says="holds {value} ounces", units={"ounce": 1, "oz": 1},
        more=("bigger",), less=("smaller",),
    ),
    "min players": NumberSpec(
        kind="count", says="needs at least {value} players", bound="low",
        units={"player": 1, "people": 1, "person": 1},
    ),
    "max players": NumberSpec(
        kind="count", says="takes up to {value} players", bound="high",
        units={"player": 1, "people": 1, "person": 1},
    ),
    "players": NumberSpec(
        kind="count", says="is for {value} players", units={"player": 1, "people": 1},
    ),
    "age": NumberSpec(
        kind="count", says="is for ages from {value}", bound="low",
        units={"year old": 1, "years old": 1, "year-old": 1, "years of age": 1},
        words=("age", "aged", "ages"),
    ),
}  # fmt: skip
_UNKNOWN_AT_ZERO = ("minutes", "pages", "complexity", "year", "max players", "age", "calories")
_GAP = 0.4  # of a scale, above a 0 that stands alone below it
# Headers that bear one number each for questions; of several the likeliest comes first, and what
# something used to cost comes last.
_LEAD = ("total", "avg", "average", "new", "current", "sale", "discounted", "list", "")
_FORMER = frozenset({"old", "was", "before", "former", "previous", "regular", "crossed"})
_BOTH_ENDS = "players"


class NumberProposals:
    """The numbers taken so far: each meaning serves questions once, the rest are plain numbers."""

    def __init__(self, table: RecordTable, domain: str) -> None:
        self.columns: dict[str, NumberColumn] = {}
        self.specs: dict[str, NumberSpec] = {}
        self.year: str | None = None
        self._example = ""
        self._taken: set[str] = set()
        self._table, self._domain = table, domain

    def take(self, profile: ColumnProfile) -> str:
        """Take a column and say what becomes of it; "" for one without a number to ask for."""
        if profile.meaning == "year" and profile.holds in ("number", "date", "name"):
            if self.year is None and _are_years(profile):
                self.year = profile.name
                return "the year in which it came out"
            return ""
        if profile.holds != "number" or profile.meaning in ("id", "index", "url", "address"):
            return ""
        if header_words(profile.name)[-1:] and header_words(profile.name)[-1].isdigit():
            return ""  # ratings_1 to ratings_5 say nothing that a question would ask
        meaning = profile.meaning if profile.certainty >= 0.5 else ""
        if meaning == _BOTH_ENDS and profile.format.has_ranges:
            return self._take_both_ends(profile)
        name = property_name(profile.name if header_words(profile.name) else meaning)  # "€"
        if name in self.columns or name == "year":
            return ""
        spec = self._spec(meaning, profile) if meaning not in self._taken else None
        is_share = meaning == "abv" and profile.high <= 1.0 and profile.format.unit != "%"
        times = 100.0 if is_share else 1.0
        if spec is None:
            if meaning not in ("", "minutes", "price", "rating", "rank", "complexity"):
                return ""
            spec = _plain_number(profile)
        else:
            self._taken.add(meaning)
        end = RANGED[meaning] if profile.format.has_ranges else None
        self.columns[name] = NumberColumn(
            column=profile.name,
            times=times,
            zero_is_missing=zero_is_missing(profile, meaning),
            end=end,
        )
        self.specs[name] = spec
        of_range = f"; of a range the {end} end" if end else ""
        return f"a number: {_told(spec, times)}{of_range}"

    def _take_both_ends(self, profile: ColumnProfile) -> str:
        """Two numbers of a column with ranges: "2-4" are the fewest and the most players."""
        ends: tuple[tuple[Literal["low", "high"], str], ...] = (
            ("low", f"min {_BOTH_ENDS}"),
            ("high", f"max {_BOTH_ENDS}"),
        )
        told = [(property_name(meaning), end, meaning) for end, meaning in ends]
        if any(name in self.columns or meaning in self._taken for name, _, meaning in told):
            return ""
        for name, end, meaning in told:
            self.columns[name] = NumberColumn(column=profile.name, end=end)
            self.specs[name] = _PLAIN[meaning]
            self._taken.add(meaning)
        return "two numbers: the ends of its ranges"

    def _spec(self, meaning: str, profile: ColumnProfile) -> NumberSpec | None:
        if meaning == "price":
            return self._price(profile)
        if meaning == "rating":
            return self._rating(profile)
        if meaning == "abv":
            return NumberSpec(
                kind="amount", says="has {value}% alcohol",
                units={"%": 1, "percent": 1, "abv": 1, "per cent": 1}, words=("alcohol", "abv"),
                more=("stronger", "more alcoholic", "boozier", "strong"),
                less=("weaker", "less alcoholic", "less strong", "weak"),
            )  # fmt: skip
        if meaning == "minutes":
            return self._duration(profile)
        if meaning == "popularity index":
            return self._popularity_index(profile)
        if meaning == "complexity" and (profile.high > 10 or _is_weighed(profile)):
            return None
        return _PLAIN.get(meaning)

    def _price(self, profile: ColumnProfile) -> NumberSpec:
        currency = currency_of(profile.name, profile.format.unit.partition("/")[0])
        plural, units = (currency.plural, currency.units) if currency else ("", ANY_MONEY)
        middle = profile.low + (profile.high - profile.low) * 0.02
        self._example = f" under {max(5, round(middle / 5) * 5):g} {plural or 'dollars'}"
        of = profile.format.unit.partition("/")[2]
        per = f" per {of}" if of else ""
        return NumberSpec(
            kind="amount",
            says=f"costs {{value}} {plural}".strip() + per,
            more=_DEAR,
            less=_CHEAP,
            words=("price", "cost"),
            units=units,
            better="lower",
        )

    def _rating(self, profile: ColumnProfile) -> NumberSpec:
        word = header_words(profile.name)[-1]
        units = {"point": {"point": 1.0, "pt": 1.0}, "star": {"star": 1.0}}.get(word, {})
        if not units:
            units = {"star": 1.0} if profile.high <= 5 else {"point": 1.0}
        return NumberSpec(
            kind="amount",
            says="is rated {value}",
            more=_BETTER,
            less=_WORSE,
            words=("rating", "score", "rated"),
            units=units,
            better="higher",
        )

    def _duration(self, profile: ColumnProfile) -> NumberSpec:
        words = set(header_words(profile.name))
        units = {"minute": 1.0, "min": 1.0, "hour": 60.0}
        said = "minutes"
        if profile.format.is_duration:
            pass  # cells tell their own units, whatever the header says
        elif words & {"hour", "hr"}:
            units, said = {"hour": 1.0, "minute": 1 / 60}, "hours"
        elif words & {"sec", "second"}:
            units, said = {"second": 1.0, "minute": 60.0}, "seconds"
        elif words & {"ms", "millisecond"}:
            units, said = {"second": 1e3, "minute": 6e4}, "milliseconds"
        return NumberSpec(
            kind="amount",
            says=f"takes {{value}} {said}",
            units=units,
            more=("longer", "slower"),
            less=("shorter", "quicker", "faster", "quick", "short"),
        )

    def _popularity_index(self, profile: ColumnProfile) -> NumberSpec:
        """A popularity that counts nobody: a score, or a rank of which the first is the best."""
        says, words = "has a popularity of {value}", ("popularity",)
        is_rank = profile.is_whole and profile.is_unique and profile.low >= 1
        counted = any(meaning_of(one)[0] == "popularity" for one in self._table.columns)
        if is_rank or counted:  # which end is better is not known, or told by the counts
            return NumberSpec(kind="amount", says=says, words=words)
        of_counts = _PLAIN["popularity"]
        return NumberSpec(
            kind="amount",
            says=says,
            words=words,
            more=of_counts.more,
            less=of_counts.less,
            better="higher",
        )

    def specs_with_year(self, year_in_name: bool) -> dict[str, NumberSpec]:
        """The numbers of the domain, the year among them."""
        if self.year is None and not year_in_name:
            return self.specs
        year = NumberSpec(
            kind="year",
            says="is from {value}",
            more=("newer", "more recent", "younger", "more modern"),
            less=("older", "earlier"),
        )
        return {"year": year, **self.specs}

    def example(self) -> str:
        """The end of a question that bounds a number; "" where there is none."""
        return self._example


def _plain_number(profile: ColumnProfile) -> NumberSpec:
    """A number of which only the header says what it is; money keeps its currency."""
    words = " ".join(header_words(profile.name))
    unit = profile.format.unit
    currency = currency_of(profile.name, unit) if _is_money(profile) else None
    if currency is None:
        says = f"has {words} {{value}} {'' if unit in words.split() else unit}".strip()
        return NumberSpec(kind="amount", says=says, words=(words,))
    about = without_currency(profile.name) or "a price of"
    says = f"has {about} {{value}} {currency.plural}"
    return NumberSpec(kind="amount", says=says, words=(about, words), units=currency.units)


def _is_weighed(profile: ColumnProfile) -> bool:
    """Whether the cells or the header bear a unit of weight, so that a weight is one in kilos."""
    words = (profile.format.unit.partition("/")[0], *header_words(profile.name))
    return any(is_unit_of(word, "weight") for word in words)


def _is_money(profile: ColumnProfile) -> bool:
    """Whether the cells or the header bear the sign of a currency, or a price is meant."""
    return profile.meaning == "price" or bears_sign(f"{profile.name} {profile.format.unit}")


def zero_is_missing(profile: ColumnProfile, meaning: str) -> bool:
    """Whether a 0 says "not known", by what the number means, its share and its neighbours.

    A scale that goes down to 0 has about as many zeros as values next to them; "not rated" has
    far more, or stands alone below the scale.
    """
    if not profile.zeros or profile.low < 0:
        return False
    if meaning in _UNKNOWN_AT_ZERO:
        return True
    is_alone = profile.lowest >= _GAP * profile.high
    return meaning == "rating" and (is_alone or profile.zeros > 3 * profile.lowest_share)


def _are_years(profile: ColumnProfile) -> bool:
    if profile.holds == "number":
        return profile.is_whole and profile.low >= -5000 and 1000 <= profile.high <= 2200
    return profile.holds == "date" or any(char.isdigit() for char in "".join(profile.first))


def _told(spec: NumberSpec, times: float) -> str:
    parts = [spec.says.format(value="…")]
    if spec.units:
        parts.append(f"in {', '.join(list(spec.units)[:3])}")
    if spec.better:
        parts.append(f"{spec.better} is better")
    if times != 1:
        parts.append(f"times {times:g}")
    return "; ".join(parts)


def by_likelihood(profiles: list[ColumnProfile]) -> list[ColumnProfile]:
    """Columns with those first that speak for several of one meaning: total before prep time."""

    def place(one: ColumnProfile) -> tuple[float, int]:
        words = header_words(one.name)
        if _FORMER & {*words}:
            return (0.0, len(_LEAD))
        lead = next((rank for rank, word in enumerate(_LEAD) if word in words), len(_LEAD))
        return (-one.certainty if one.certainty < 0.9 else -1, lead)

    return sorted(profiles, key=place)
