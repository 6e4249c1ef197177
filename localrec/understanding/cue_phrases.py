"""Words of questions that are no names: kept from being "corrected" into one, and cues.

The lists are data, in one place, so that a reader sees at a glance what the parser listens for.
"""

# Cues directly before an example item.
SIMILARITY_CUES: tuple[tuple[str, ...], ...] = tuple(
    tuple(phrase.split())
    for phrase in (
        "like",
        "similar to",
        "similar",
        "similar as",
        "alternative to",
        "alternative for",
        "alternatives to",
        "alternatives for",
        "alternative",
        "alternatives",
        "instead of",
        "close to",
        "closest to",
        "close",
        "near to",
        "comparable to",
        "comparable with",
        "resemble",
        "resembles",
        "resembling",
        "reminiscent of",
        "reminds me of",
        "remind me of",
        "akin to",
        "in the style of",
        "style of",
        "in the vein of",
        "in the spirit of",
        "along the lines of",
        "twist on",
        "twist of",
        "take on",
        "spin on",
        "riff on",
        "riffs on",
        "variation of",
        "variation on",
        "variations of",
        "variations on",
        "variant of",
        "variant on",
        "variants of",
        "version of",
        "versions of",
        "substitute for",
        "replacement for",
        "replace",
        "swap for",
        "fan of",
        "fans of",
        "love",
        "loved",
        "loves",
        "adore",
        "enjoy",
        "enjoyed",
        "enjoys",
        "liked",
        "likes",
        "favorite is",
        "favourite is",
        "favorite drink is",
        "favourite drink is",
        "go to is",
        "usual is",
        "usually drink",
        "usually order",
        "always order",
        "always drink",
        "same as",
        "cousin of",
        "cousin to",
        "cousins of",
        "sibling of",
        "siblings of",
        "relative of",
        "relatives of",
        "related to",
        "family of",
        "tastes like",
        "such as",
        "equivalent of",
        "equivalent to",
        "based on",
        "inspired by",
        "simpler than",
        "stronger than",
        "lighter than",
        "than",
        "bored of",
        "bored with",
        "fed up with",
        "had enough of",
        "tired of",
        "sick of",
        "beyond",
        "next to",
        "if i like",
        "rather than",
        "comes after",
        "kind of like",
        "sort of like",
        "seen",
        "watched",
        "read",
        "finished",
        "had",
        "cross between",
        "between",
    )
)

# Small words allowed between a cue and the item it introduces.
FILLERS = frozenset(
    "a an the my your our some any good old classic proper nice regular normal standard usual "
    "great decent plain traditional typical film movie drink cocktail drinking eating having both "
    "another one ones of to for famous called named basic real".split()
)

# Before "like", these make it a verb of wishing, no comparison.
WISHING = frozenset(
    "i id we wed you youd they to would really also dont do shed hed ill might".split()
)

HAVE_CUES = (
    "i have",
    "i ve",
    "ive got",
    "i got",
    "ive",
    "we have",
    "weve got",
    "i only have",
    "i just have",
    "i own",
    "all i have is",
    "all ive got is",
    "have only",
    "have some",
    "got some",
    "got only",
    "have got",
    "at home",
    "to hand",
    "on hand",
    "lying around",
    "in stock",
    "can i do with",
)

VISUAL_CUES = frozenset(
    "look looks looking photo photogenic picture instagram instagrammable pretty beautiful "
    "gorgeous stunning striking showy eye catching visually visual colourful colorful vibrant "
    "elegant aesthetic presentation spectacular showstopper dramatic glamorous glow "
    "glowing".split()
)
# Only together with a noun of looks do these mean the eye rather than the wish ("looking for").
WEAK_VISUAL = frozenset({"look", "looks", "looking"})
