"""Currencies: the sign, code or word that a header or cell bears, and how questions call them."""

from __future__ import annotations

import re

import msgspec

from localrec.foundation.text import fold_accents


class Currency(msgspec.Struct, frozen=True):
    """One currency.

    Args:
        plural: Plural noun in sentences.
        units: Word of questions -> its worth.
        codes: Words of headers and cells for it, in small letters.
    """

    plural: str
    units: dict[str, float]
    codes: frozenset[str]


def _currency(plural: str, units: str, codes: str, cents: str = "") -> Currency:
    worth = dict.fromkeys(units.split(), 1.0) | dict.fromkeys(cents.split(), 0.01)
    return Currency(plural, worth, frozenset(codes.split()))


DOLLARS = _currency("dollars", "dollar $ usd buck", "$ us$ usd dollar dollars", "cent")
EUROS = _currency("euros", "euro € eur", "€ eur euro euros", "cent")
POUNDS = _currency("pounds", "pound £ gbp quid", "£ gbp pound pounds sterling", "pence")
_CURRENCIES = (
    DOLLARS,
    EUROS,
    POUNDS,
    _currency("yen", "yen ¥ jpy", "¥ jpy yen"),
    _currency("yuan", "yuan cny rmb", "cny rmb yuan renminbi"),
    _currency("won", "won ₩ krw", "₩ krw won"),
    _currency("rupees", "rupee ₹ inr", "₹ inr rs rupee rupees", "paisa"),
    _currency("francs", "franc chf", "chf sfr franc francs franken", "rappen"),
    _currency("kronor", "krona kronor sek kr", "sek krona kronor"),
    _currency("kroner", "krone kroner kr nok dkk", "nok dkk kr krone kroner"),
    _currency("złoty", "złoty zloty pln zł", "zł zl pln zloty"),
    _currency("koruny", "koruna koruny kč czk", "kč kc czk koruna"),
    _currency("forint", "forint huf ft", "huf ft forint"),
    _currency("roubles", "rouble ruble ₽ rub", "₽ rub rouble ruble roubles rubles"),
    _currency("lira", "lira ₺", "₺ lira"),
    _currency("reais", "real reais brl", "r$ brl reais"),
    _currency("pesos", "peso mxn", "mxn peso pesos"),
    _currency("Canadian dollars", "dollar $ cad buck", "c$ ca$ cad", "cent"),
    _currency("Australian dollars", "dollar $ aud buck", "a$ au$ aud", "cent"),
    _currency("New Zealand dollars", "dollar $ nzd buck", "nz$ nzd", "cent"),
)
_BY_CODE = {code: one for one in _CURRENCIES for code in one.codes}
_SIGN = re.compile(r"(?:US|CA?|AU?|NZ|R)?\$|[€£¥₩₹₽₺]|kč|zł", re.IGNORECASE)
# Words of other meanings, which name a currency only beside a word for a price.
_DOUBTFUL = frozenset("pound pounds won rs real kr ft kc zl lira sterling cad".split())
# Without a word on the currency, any of these is understood.
ANY_MONEY = {**DOLLARS.units, **EUROS.units, **POUNDS.units}


def currency_of(header: str, unit: str = "") -> Currency | None:
    """The currency of a column: that of its cells, else that of its header; None without one.

    Args:
        header: As the file writes it: "Preis (€)", "price_gbp".
        unit: The sign or unit that most cells bear.
    """
    if told := _BY_CODE.get(unit.casefold()):
        return told
    if sign := _SIGN.search(header):
        return _BY_CODE.get(sign.group().casefold())
    return next((_BY_CODE[word] for word in _words(header) if word in _BY_CODE), None)


def bears_sign(text: str) -> bool:
    """Whether a header or unit bears the sign of a currency."""
    return _SIGN.search(text) is not None


def without_currency(header: str) -> str:
    """A header without the signs and words for a currency: "Preis (€)" is "Preis"."""
    return " ".join(word for word in _words(_SIGN.sub(" ", header)) if word not in _BY_CODE)


def names_currency_alone(header: str) -> bool:
    """Whether a header says nothing but a currency: "€", "EUR", "yen"."""
    if without_currency(header):
        return False
    words = _words(_SIGN.sub(" ", header))
    return bears_sign(header) or (bool(words) and not _DOUBTFUL & {*words})


def _words(header: str) -> list[str]:
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", fold_accents(header))
    return re.findall(r"[a-z]+|\d+", apart.casefold())
