"""The wordings of composed questions, split between the two halves.

`{x}` is a name, `{n}` the domain's word for one item, `{ns}` for several. A constraint is worded:

    before    in front of the noun       "a blue drink"
    behind    behind the noun            "a drink without egg"
    does      behind "which drinks"      "come in a coupe"
    alone     as a sentence              "I can't have nuts."
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Way = Literal["before", "behind", "does", "alone"]
Wordings = Mapping[Way, tuple[str, ...]]

INCLUDE: Wordings = {
    "before": ("{x}", "{x}-based", "{x}", "{x}-forward", "{x}-heavy", "{x}", "{x}-led", "{x}"),
    "behind": (
        "with {x}", "made with {x}", "that has {x} in it", "containing {x}", "with some {x}",
        "that uses {x}", "featuring {x}", "built around {x}", "and {x}", "on a base of {x}",
        "including {x}", "where {x} does the work", "with a bit of {x}", "full of {x}",
        "to use up my {x}", "that goes heavy on the {x}",
    ),
    "does": (
        "have {x}", "contain {x}", "use {x}", "call for {x}", "are made with {x}", "include {x}",
        "need {x}", "feature {x}",
    ),
    "alone": (
        "It should have {x}.", "I love {x}.", "There has to be {x} in it.", "Use {x}.",
        "I've got {x}.", "I'm in the mood for {x}.", "{x} would be good.", "Please include {x}.",
        "We bought too much {x}.", "There's {x} to finish up.", "I fancy {x}.", "Put {x} in it.",
    ),
}  # fmt: skip

GENRE: Wordings = {
    "before": ("{x}", "proper {x}", "good {x}", "classic {x}"),
    "behind": (
        "that is {x}", "in the {x} genre", "with plenty of {x}", "that counts as {x}",
        "which is really {x}", "with some {x} in it", "of the {x} kind", "filed under {x}",
    ),
    "does": ("are {x}", "count as {x}", "belong to {x}", "are filed under {x}"),
    "alone": (
        "It should be {x}.", "I'm in the mood for {x}.", "Make it {x}.", "I'm always up for {x}.",
        "We usually go for {x}.", "{x} would be good.", "Tonight it has to be {x}.", "I want {x}.",
    ),
}  # fmt: skip

EXCLUDE: Wordings = {
    "before": ("{x}-free", "no-{x}", "non-{x}", "{x}-less"),
    "behind": (
        "without {x}", "with no {x}", "but no {x}", "minus the {x}", "that isn't made with {x}",
        "free of {x}", "but not {x}", "without any {x}", "leaving out {x}", "but hold the {x}",
        "that skips the {x}", "that has no {x} in it", "not containing {x}", "except with {x}",
        "and no {x}", "as long as there is no {x}",
    ),
    "does": (
        "have no {x}", "don't contain {x}", "come without {x}", "leave out {x}", "avoid {x}",
        "don't use {x}", "do without {x}", "skip {x}",
    ),
    "alone": (
        "I can't stand {x}.", "No {x}, please.", "I'm allergic to {x}.", "Leave out the {x}.",
        "I don't like {x}.", "Nothing with {x}.", "Anything but {x}.", "Keep {x} away from me.",
        "I don't have any {x}.", "{x} makes me ill.", "We're out of {x}.", "Not a fan of {x}.",
    ),
}  # fmt: skip

VESSEL: Wordings = {
    "before": ("{x}",) * 4,
    "behind": (
        "in a {x}", "served in a {x}", "that comes in a {x}", "for a {x}", "poured into a {x}",
        "that goes into a {x}", "presented in a {x}", "to serve in a {x}", "out of a {x}",
        "you'd put in a {x}", "made for the {x}", "to drink from a {x}",
    ),
    "does": (
        "come in a {x}", "are served in a {x}", "go in a {x}", "fit a {x}", "belong in a {x}",
        "are poured into a {x}", "get served in a {x}", "suit a {x}",
    ),
    "alone": (
        "I'd like to serve it in a {x}.", "It should come in a {x}.", "I have a clean {x} here.",
        "I just bought a {x}.", "It goes in a {x}.", "Serve it in a {x}.", "We only have a {x}.",
        "It's for the {x} my aunt gave me.", "I want to use my {x}.", "{x} only.",
        "My {x} is waiting.", "Something has to go into this {x}.",
    ),
}  # fmt: skip

PERIOD: Wordings = {
    "before": ("{x}",) * 4,
    "behind": (
        "from the {x}", "made in the {x}", "of the {x}", "that came out in the {x}",
        "dating from the {x}", "out of the {x}", "released in the {x}", "from back in the {x}",
    ),
    "does": (
        "are from the {x}", "came out in the {x}", "date from the {x}", "were made in the {x}",
    ),
    "alone": (
        "It should be from the {x}.", "I'm going through the {x}.", "The {x} only.",
        "It has to come out of the {x}.", "I grew up in the {x}.", "Stick to the {x}.",
        "We're doing a {x} night.", "The {x} were the best.",
    ),
}  # fmt: skip

COLOUR: Wordings = {
    "before": ("{x}", "bright {x}", "{x}-coloured", "{x}", "{x}", "pale {x}", "deep {x}", "{x}"),
    "behind": (
        "that is {x}", "that looks {x}", "in {x}", "that turns out {x}", "with a {x} colour",
        "of a {x} colour", "that's {x} to look at", "in a {x} tone", "which is {x}",
        "that matches my {x} dress", "with a {x} hue", "in a shade of {x}",
    ),
    "does": (
        "are {x}", "look {x}", "turn out {x}", "have a {x} colour", "come out {x}", "are all {x}",
        "end up {x}", "shine {x}",
    ),
    "alone": (
        "It should be {x}.", "The theme is {x}.", "Everything at the party is {x}.",
        "The colour has to be {x}.", "Make it {x}.", "{x} is my colour.", "I want it {x}.",
        "It must look {x}.",
    ),
}  # fmt: skip

LOOK: Wordings = {
    "before": ("{x}", "nicely {x}", "{x}-looking", "{x}"),
    "behind": (
        "that is {x}", "that looks {x}", "with a {x} look", "that comes {x}", "which looks {x}",
        "that ends up {x}", "looking {x}", "with a {x} appearance",
    ),
    "does": ("are {x}", "look {x}", "come {x}", "have a {x} look"),
    "alone": (
        "It should be {x}.", "I want it to look {x}.", "It has to be {x} for the photo.",
        "See that it is {x}.", "It must come out {x}.", "I like them {x}.", "Think {x}.",
        "{x} if possible.",
    ),
}  # fmt: skip

GARNISH: Wordings = {
    "behind": (
        "garnished with {x}", "with {x} on top", "topped with {x}", "finished with {x}",
        "with {x} as garnish", "with a garnish of {x}", "decorated with {x}", "and {x} to finish",
    ),
    "does": (
        "are garnished with {x}", "come with {x} on top", "are topped with {x}", "carry {x}",
    ),
    "alone": (
        "Garnish it with {x}.", "It needs {x} on top.", "Top it with {x}.", "I have {x} on hand.",
    ),
}  # fmt: skip

FLAG: Wordings = {
    "behind": (", {x}", "that is {x}", "which is {x}", "but {x}"),
    "alone": ("{x}, please.", "It has to be {x}.", "Make it {x}.", "{x}!"),
}

CREATOR: Wordings = {
    "behind": ("by {x}", "from {x}", "that {x} made", "with {x} behind it"),
    "does": ("are by {x}", "come from {x}", "were made by {x}", "have {x} behind them"),
    "alone": ("I like {x}.", "It should be by {x}.", "{x} is my favourite.", "Only {x}."),
}

# Looks without a name.
VISUAL: Wordings = {
    "before": (
        "pretty", "beautiful", "photogenic", "striking", "gorgeous-looking", "eye-catching",
        "good-looking", "stunning",
    ),
    "behind": (
        "that looks great in a photo", "that looks stunning", "that catches the eye",
        "that looks as good as possible", "with a dramatic look", "that's a feast for the eyes",
        "nice to look at", "whose looks impress",
    ),
    "does": ("look best", "look the prettiest", "are the most photogenic", "catch the eye"),
    "alone": (
        "It has to look good.", "I want to take pictures of it.", "Looks are what counts.",
        "It's for a photo.",
    ),
}  # fmt: skip

# Around a noun with its demands.
REQUESTS = (
    "{it}", "I'd like {it}", "can you find me {it}", "{it}, please", "I want {it}",
    "what about {it}", "show me {it}", "do you have {it}", "looking for {it}", "I'm after {it}",
    "could I get {it}", "suggest {it}", "recommend {it}", "is there {it}", "I need {it}",
    "any idea for {it}", "give me {it}", "I fancy {it}", "how about {it}", "find {it}",
    "got {it}?", "I could do with {it}", "we want {it}", "would you know {it}",
    "what is {it} called?", "pour me {it}", "help me to {it}", "who makes {it}?", "{it}, quick",
    "tell me about {it}", "time for {it}", "let's have {it}", "I'm craving {it}", "{it}?",
    "what would be {it}?", "I was told of {it}", "my evening calls for {it}", "point me to {it}",
    "is {it} a thing?", "I'd love to try {it}", "surely there is {it}", "I'm off for {it}",
    "mind finding {it}?", "say I wanted {it}", "start me off on {it}", "I can't find {it}",
    "what's new in the way of {it}", "keep me happy with {it}", "{it} would do nicely",
    "could there be {it}", "next round: {it}", "put {it} on the list",
)  # fmt: skip
WHICH = (
    "which {ns} {does}?", "what {ns} {does}?", "are there {ns} that {does}?",
    "show me {ns} that {does}", "name some {ns} that {does}", "I want {ns} that {does}",
    "list the {ns} that {does}", "do you know {ns} which {does}?", "find {ns} that {does}",
    "are there any {ns} that {does}?", "give me {ns} that {does}", "tell me which {ns} {does}",
    "how many {ns} {does}?", "{ns} that {does}", "only {ns} which {does}", "any {ns} that {does}",
    "do {ns} exist that {does}?", "remind me what {ns} {does}", "your best {ns} that {does}",
    "I collect {ns} that {does}",
)  # fmt: skip
NOUNS = (
    "something", "a {n}", "some {n}", "anything", "a good {n}", "one", "a nice {n}", "a decent {n}",
    "a lovely little {n}", "a proper {n}", "an easy {n}", "the right {n}", "a {n} or two", "{ns}",
    "a fun {n}", "your finest {n}",
)  # fmt: skip
ANY_NOUN = ("something", "anything at all", "a thing", "whatever")

# Things at hand, several at once.
AT_HAND = (
    "I have {xs}. What can I make?", "what can I do with {xs}?", "I've got {xs}, any ideas?",
    "there's {xs} left over, what now?", "my shelf holds {xs}", "only {xs} in the house",
    "what goes with {xs}?", "in the cupboard are {xs}. What would work?",
    "make me something out of {xs}", "{xs} is all there is. What can be made?",
    "using {xs}, what would you mix?", "what do I get from {xs}?",
    "{xs} on the counter, now what?", "all I own is {xs}", "someone left {xs} behind. Ideas?",
    "fridge says {xs}", "is there any use for {xs}?", "today's haul: {xs}", "{xs} need using up",
    "we're down to {xs}, what is possible?", "put {xs} to work", "down here with {xs}. Help?",
    "stocked up on {xs}. What to do first?", "how far do I get with {xs}?",
)  # fmt: skip
# The same, where something is missing.
LACKING = (
    "{xs} but no {z}", "{xs}, no {z} though", "{xs} and not one bit of {z}", "{xs} minus {z}",
    "{xs}, sadly no {z}", "{xs} without any {z}", "{xs} (no {z})", "{xs}, only the {z} is gone",
)  # fmt: skip

# An example that the answer shall be like.
LIKE = (
    "something like {x}", "like {x}", "similar to {x}", "what else is like {x}?",
    "I love {x}, what else would I like?", "alternatives to {x}", "{x} alternatives",
    "I enjoyed {x}, what next?", "a variation on {x}", "anything close to {x}?",
    "more along the lines of {x}", "instead of {x}", "what is comparable to {x}?",
    "in the style of {x}", "I always have {x}, suggest a change", "a {n} that reminds of {x}",
    "{x} is my favourite, what should I try?", "{x} but different", "a twist on {x}",
    "bored of {x}, what is near it?", "another {n} like {x}", "same spirit as {x}",
    "a relative of {x}", "a replacement for {x}", "if I like {x}, what would suit me?",
    "my version of {x}, only new", "{x}, only different", "what resembles {x}?",
    "I can't stop thinking of {x}. Anything alike?", "my wife likes {x}, what could she try?",
    "a cousin of {x}", "close to {x}, please", "we had {x} last week and want a similar {n}",
    "as good as {x}", "a substitute for {x}", "{x} again? show me a neighbour of it",
)  # fmt: skip
LIKE_BUT = (
    "{x} {but}", "like {x} {but}", "{x}, {but}", "something like {x} {but}",
    "a {x} {but}", "similar to {x}, {but}", "my usual {x}, {but}", "a {n} like {x} {but}",
    "make {x} {but}", "the {n} {x} {but}", "a version of {x} {but}", "take {x}, {but}",
)  # fmt: skip
LIKE_ORDER = (
    "{x} but {more}",
    "like {x}, only {more}",
    "a {more} {x}",
    "something {more} than {x}",
    "{more} than {x}",
    "{x}, just {more}",
    "a {more} version of {x}",
    "similar to {x} but {more}",
)
# An example that the answer shall not be, or that lacks something.
LIKE_CONTRAST = (
    "{y} but not a {x}", "anything with {y} except a {x}", "{y}, but no {x} again",
    "not another {x}, but still {y}", "more {y}, just not {x}", "{y} that is not a {x}",
    "I know the {x}. What else has {y}?", "{y} and anything but a {x}",
)  # fmt: skip
LIKE_SWAP = (
    "{x} with {y} instead of {z}", "swap the {z} in {x} for {y}", "a {x} made with {y}, not {z}",
    "{x}, but {y} in place of {z}", "a {x} in which {y} replaces the {z}",
    "for my {x} I have {y} and no {z}", "{x}: trade {z} for {y}", "can {x} do with {y} and no {z}?",
)  # fmt: skip
LIKE_LACK = (
    "no {z} left for my {x}", "I want {x} but have no {z}", "what is like {x} without {z}?",
    "out of {z}, so no {x} tonight. What now?", "{x} minus {z}", "a {z}-free {x}",
    "{x}, hold the {z}", "I can't have {z}, so what can I take instead of {x}?",
)  # fmt: skip

LEADS = (
    "It's my birthday on Saturday.", "We have guests tonight.", "I'm new to this.",
    "My sister is coming over.", "Long week behind me.", "Help me out here.", "Quick question.",
    "We just moved house.", "I promised my neighbours an evening.", "Hello there!",
    "My book club meets tomorrow.", "It's raining all day.", "Hi, hope you are well.",
    "I'm planning a small party for eight.", "My boss is retiring.", "So, here is the thing.",
    "I finally have a free evening.", "Our team won yesterday.", "I'm a bit picky.",
    "Last time you were a great help.", "Sorry to bother you again.", "I never know what to take.",
    "There's a wedding next month.", "The dog is asleep at last.",
)  # fmt: skip
TAILS = (
    "please", "thanks", "any ideas?", "if you can", "thank you!", "what would you say?",
    "I'm open otherwise", "surprise me",
)  # fmt: skip

# Questions that are no sentences: a piece for each demand, in any order.
LOOSE: Mapping[str, tuple[str, ...]] = {
    "include": (
        "{x}", "with {x}", "{x} in it", "got {x}", "love {x}", "{x}", "some {x}", "has {x}",
        "using {x}", "made of {x}", "must have {x}", "{x}", "a dash of {x}", "{x} welcome",
        "plenty of {x}", "bit of {x}", "goes with {x}", "there's {x} here", "{x} as the base",
        "I own {x}", "heavy on {x}", "any {x}", "{x} lying about", "fond of {x}",
    ),
    "exclude": (
        "no {x}", "without {x}", "hate {x}", "not {x}", "sans {x}", "hold the {x}", "{x} free",
        "never {x}", "can't do {x}", "minus {x}", "nothing with {x}", "zero {x}", "avoid {x}",
        "not a drop of {x}", "{x} is out", "rather not {x}", "no {x} at all", "skips the {x}",
        "allergic to {x}", "doesn't have {x}", "less the {x}", "can't stand {x}", "{x}-free",
        "anything but {x}", "isn't {x}", "none of that {x}", "free of {x}", "keep off the {x}",
    ),
    "container": (
        "{x}", "in a {x}", "{x} please", "comes in my {x}", "{x}", "meant for a {x}", "{x} ideas",
        "got a clean {x}", "into a {x}", "a {x} full of something", "that fits a {x}", "{x} one",
    ),
    "colour": (
        "{x}", "{x} coloured", "something {x}", "all {x}", "{x}", "looks {x}", "{x} in colour",
        "a {x} thing", "{x} to look at", "kind of {x}", "{x} all over", "dark {x}",
    ),
    "look": (
        "{x}", "looks {x}", "something {x}", "{x}", "nicely {x}", "a {x} one", "comes {x}",
        "{x} in a photo",
    ),
    "garnish": ("{x} on top", "{x} to finish", "topped with {x}", "a bit of {x} on it"),
    "category": ("{x}", "a {x}", "proper {x}", "{x} kind", "some {x}", "a real {x}"),
    "flag": ("{x}", "{x} please", "has to be {x}", "make it {x}"),
    "creator": ("by {x}", "from {x}", "one of {x}", "{x} again"),
    "like": (
        "{x}", "like {x}", "my usual {x}", "{x} lookalike", "{x}", "{x} dupe", "sick of {x}",
        "{x} equivalent", "{x} flavours", "{x}-like", "{x} vibes", "a simpler {x}", "{x}",
        "{x} style", "in the {x} vein", "the {x} way", "not quite {x}", "{x} territory",
        "a {x} take", "next best to {x}", "family of {x}", "{x} kind of thing", "go-to is {x}",
        "a change from {x}",
    ),
}  # fmt: skip

# Who is told of before or behind a question: many, and all of them with every task, so that none
# is a sign of one.
WHO = (
    "my sister", "the neighbours", "my nan", "the twins", "an old friend", "my boss", "my partner",
    "the book club", "our team", "my flatmate", "the whole family", "my cousin", "a colleague",
    "my son", "everybody here", "the new people next door",
)  # fmt: skip
DOES = (
    "will be here", "had a long week", "wants a treat", "asked me to choose", "is hard to please",
    "deserves something", "can't decide", "has an exam behind them", "would like a surprise",
    "trusts my taste", "is celebrating", "found an old map", "got drenched in the rain",
    "needs cheering up", "moved house", "came back from the mountains",
)  # fmt: skip
WHEN = (
    "tonight", "on Saturday", "this weekend", "after work", "tomorrow", "for brunch", "at last",
    "before dinner", "by the fire", "in the garden", "after the hike", "on the balcony",
    "next week", "for the party", "at home", "for two",
)  # fmt: skip
