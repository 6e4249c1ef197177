"""Words of questions that are no names: kept from being "corrected" into one, and cues.

The lists are data, in one place, so that a reader sees at a glance what the parser listens for.
"""

# Everyday words of requests and small talk; a typo is never read into one of these.
COMMON = frozenset(
    """
a able about above abv actor actually add added adding adult after afternoon again ago ah
alcohol alcoholic all allergic allergies allergy almost alone along already alright also
alternative alternatives always am amazing among an and anniversary another any anybody anymore
anyone anything anytime anyway anywhere apart aperitivo are around as ask asked asking at ate
autumn available away baby back bad bake balcony bar barbecue bartender bartenders based basic
bbq beach beat beautiful because become been before begin behind being believe below best better
between beverage beverages beyond big birthday bit bite bitterness blend body boil bold book
booze boozed boozier boozy boring boss both bottle bottles bought bowl bridal bright bring
bringing brother brought brunch brunchy build bunch busy but buy by call called came can cannot
cant care careful case casual catch celebrate celebration century chance change cheap check
cheers cheese child children chill chilled chocolate choice choose christmas city class classic
classics classy clean close cloying clue cocktail cocktails cold colleague color colored
colorful colour coloured colourful combination come comes comfort coming common company complex
complicated contain containing contains content cook cooking cool copy cosy couch could couldnt
count couple course cousin cozy crave craving crazy crisp crowd cuisine cup cupboard cure cut
dad daily damn dance dark dash date daughter day days dead deal dear decade decent decide deep
definitely delicate delicious depth describe desert dessert did didnt die diet different
digestif digestive dinner direct director dirty dislike do does doesnt doing done dont door down
drank dream dressed drink drinker drinking drinks drive driver driving drop dry due during each
earlier easier easily easter easy eat eating either elegant else end energy enjoy enjoyed enough
especially etc even evening event ever every everybody everyone everything everywhere exact
exactly example except exciting exclude exotic expect expensive extra eye fact fall family fan
fanciest fancy fantastic far fast father favorite favourite favourites feel feeling few fiance
field fill filled film films final find fine finish first fit fix flat flavor flavored flavors
flavour flavoured flavours food for forgot forward found four free fresh friday fridge friend
friendly friends from front full fun funky garden garnish garnished garnishes gave genre get
gets getting gift girl girlfriend girls give given glad glass glasses gluten go goes going gone
gonna good got gotta grab graduation grandfather grandma grandmother great group grown guess
guest guesting guests guy guys had half halloween hand handful handle hangover happen happy hard
hardly has hate have havent having he health healthy hear heat heavy hello help her here hers
hes hey hi high him hint his hit hold holiday home honest honestly hope hopefully host hosted
hosting hot hour hours house how however huge hungry husband i id idea ideally ideas if ill im
impress impressive in include included includes including indoor info ingredient ingredients
inside inspired instagram instead intense intensity interesting into intolerance intolerant
involve involves is isnt it its ive job join just keen keep kept kick kid kids kind kinda
kitchen knew knock know lactose lads lady large last late later lay lazy learn least leave
leaving leftover less let lets level libation lie life light lighter lightest like liked likes
line liquid liquor list little live loads local long longer look looking looks lose lot lots
love loved lovely low lower luck lunch lying made main mainly make maker makers makes making man
many married match mate matter may maybe me meal mean means meant medium meet meeting member
memory men mention menu merry met middle might mild mind mine minus minute mix mixed mixing
mixture mocktail mocktails mom moment monday money month mood more moreish morning most mostly
mother mouth move movie movies much mum music must my myself name named near nearly necessarily
need needed needs neighbor neighbour neighbours neither never new newer next nice night nightcap
no nobody nonalcoholic none nope nor normal not note notes nothing now nowhere number obviously
occasion odd of off offer office often oh ok okay old older on once one ones only onto open
opinion option optional options or order ordered original other others our ours out outdoor
outside over overly overpowering own oysters pack pair pairing pale parched part particular
particularly party past patio people perfect perfectly perhaps person photo photogenic pick
picked picky picnic picture pint place plain plan plant plate play pleasant please plus point
pool poolside pop popular possible possibly pour powerful prefer preferably preferred prefers
pregnant preparation prepare pretty price probably problem proof proper properly put quality
quench question quiche quick quickly quiet quite rainy rarely rather read ready real really
reason receive recently recipe recipes recommend recommendation recommendations refresh
refreshing refreshment regular relax relaxing release released remember remind reminiscent
replace request require rest restaurant result rich right room roommate root rough round run
said same saturday save saw say says scene school season seat second see seem seems seen self
send series serious seriously serve served serves serving set several shake shall share she
should shouldnt show shower shows side sight similar simple simpler simply since sip sipping sir
sister sit situation skip sleep slightly slow slushy small smell smelling smooth snack so sober
sofa soft solid some somebody someone something sometimes somewhat somewhere son soon
sophisticated sorry sort sorts sound sounds special specifically spicy spirited spirits splash
spring stand standard start started stay steak stick still stir stirred stock stop store story
straight strange strength strong stronger strongest stuck student stuff stunning style
substitute substitutes subtle such sudden sugary suggest suggested suggestion suggestions suit
suitable summer sunday sunny sunset super supper sure surprise surprising swap sweet sweeter
sweetest sweetish sweetness switch syrupy ta table take taken takes taking tall tangy tapas tart
taste tasted tastes tasting tasty team teenager teetotal tell ten terrace texture than thank
thanks thanksgiving that thats the their them theme then there theres these they theyre thing
things think thinking third thirst thirsty this those though thought three through throw
thursday till time tiny tip tipple tired to today toddler together told tomorrow tonight too
took top total totally touch towards traditional treat tried trip true try trying tuesday turn
twice twist two type types typical ugly under understand unique unless until unusual up upon us
use used uses using usual usually vacation valentine valentines variant variants variation
variations vegan vegetarian version very vibe vibes view visit visual visually vivid wait wake
walk wanna want wanted wanting wants warm warmer warming was wasnt watch watching watchlist way
we weather wedding week weekend weekends weeknight weird welcome well went were weve what
whatever whats when where whether which while who whole why wife will winter wish with within
without woman women wonder wondering wont word work works world worried worth would wouldnt wow
write wrong yeah year years yes yesterday yet you youd your yours yourself zero zesty
    """.split()
)

# Spoken spellings, read as the word they stand for.
SLANG: dict[str, str] = {
    "wiv": "with",
    "wth": "with",
    "wit": "with",
    "wid": "with",
    "nowt": "nothing",
    "owt": "anything",
    "summat": "something",
    "sumthin": "something",
    "somethin": "something",
    "somthin": "something",
    "smth": "something",
    "wivout": "without",
    "withou": "without",
    "aint": "not",
    "plz": "please",
    "pls": "please",
    "wanna": "want",
    "gimme": "give",
    "insted": "instead",
    "cos": "because",
    "cuz": "because",
    "coz": "because",
    "preggers": "pregnant",
    "n": "and",
}

# Words that turn what follows into something unwanted.
NEGATIONS: tuple[tuple[str, ...], ...] = tuple(
    tuple(phrase.split())
    for phrase in (
        "no",
        "not",
        "without",
        "w o",
        "sans",
        "minus",
        "never",
        "neither",
        "nor",
        "non",
        "avoid",
        "rid me of",
        "rather not drink",
        "rather not have",
        "not drinking any",
        "not touching",
        "hes off",
        "shes off",
        "am off",
        "im off",
        "are off",
        "is off",
        "pass on",
        "swore off",
        "sworn off",
        "giving up",
        "given up",
        "gave up",
        "forbade",
        "forbid",
        "forbids",
        "spare me",
        "spare me the",
        "has nothing with",
        "want anything with",
        "zero",
        "replaces",
        "different than",
        "different from",
        "take the place of",
        "takes the place of",
        "trouble with",
        "issues with",
        "issue with",
        "problems with",
        "problem with",
        "cant abide",
        "cannot take",
        "cant take",
        "cant process",
        "cannot digest",
        "cant digest",
        "avoiding",
        "avoids",
        "hate",
        "hates",
        "dislike",
        "dislikes",
        "loathe",
        "despise",
        "detest",
        "cant stand",
        "cannot stand",
        "cant bear",
        "cant have",
        "cannot have",
        "cant drink",
        "cannot drink",
        "cant eat",
        "cant do",
        "cant handle",
        "cant tolerate",
        "cannot tolerate",
        "doesnt like",
        "dont",
        "doesnt",
        "didnt",
        "isnt",
        "arent",
        "wont",
        "havent",
        "hasnt",
        "allergic to",
        "allergy to",
        "allergies to",
        "intolerant to",
        "intolerant of",
        "intolerance to",
        "sensitive to",
        "skip",
        "skipping",
        "omit",
        "omitting",
        "exclude",
        "excluding",
        "except",
        "except for",
        "apart from",
        "aside from",
        "other than",
        "anything but",
        "everything but",
        "all but",
        "besides",
        "hold the",
        "leave out",
        "leaving out",
        "lose the",
        "ditch",
        "ditching",
        "ban",
        "nothing with",
        "nothing",
        "none of",
        "free of",
        "free from",
        "devoid of",
        "stay away from",
        "staying away from",
        "steer clear of",
        "keep away from",
        "keep out",
        "cut out",
        "lacking",
        "im out of",
        "am out of",
        "were out of",
        "are out of",
        "ran out of",
        "run out of",
        "all out of",
        "fresh out of",
        "me off",
        "stay off",
        "staying off",
        "lay off",
        "keep off",
        "come off",
        "go off",
        "gone off",
        "skips",
        "omits",
        "leaves out",
        "excludes",
        "drop the",
        "drops the",
        "ditches",
        "loses",
        "loses the",
        "lacks",
        "instead of",
        "rather than",
        "in place of",
        "in lieu of",
        "sick of",
        "tired of",
        "bored of",
        "bored with",
        "fed up with",
        "not a fan of",
        "no fan of",
        "never liked",
        "swap out",
        "swap the",
        "swap",
        "switch the",
        "switch",
        "exchange the",
        "trade the",
        "reacts badly to",
        "react badly to",
        "replace",
        "replacing",
        "swapping",
        "get rid of",
        "refuse",
        "rid of",
    )
)

# Said right behind a name, these refuse it ("tequila is out", "egg? never").
REFUSALS: tuple[tuple[str, ...], ...] = tuple(
    tuple(phrase.split())
    for phrase in (
        "is out",
        "is used up",
        "has run out",
        "is finished",
        "is gone",
        "bottle is empty",
        "is empty",
        "make me heave",
        "makes me heave",
        "i rather not",
        "i would rather not",
        "id rather not",
        "do not sit well",
        "does not sit well",
        "dont sit well",
        "doesnt sit well",
        "will kill me",
        "would kill me",
        "disagree with me",
        "disagrees with me",
        "kept away",
        "kept out",
        "all out",
        "all off",
        "are all out",
        "are all off",
        "are out",
        "is off",
        "are off",
        "is a no",
        "is no go",
        "is banned",
        "is forbidden",
        "is excluded",
        "is disgusting",
        "is gross",
        "is awful",
        "is horrible",
        "is too",
        "are too",
        "is a problem",
        "are a problem",
        "is bad for",
        "is not allowed",
        "are not allowed",
        "is not welcome",
        "is not ok",
        "is not okay",
        "is not fine",
        "is not good",
        "is not wanted",
        "is not an option",
        "is not for me",
        "is not my thing",
        "isnt allowed",
        "isnt welcome",
        "isnt ok",
        "isnt okay",
        "isnt an option",
        "isnt for me",
        "isnt my thing",
        "arent allowed",
        "arent welcome",
        "arent an option",
        "is something i cannot",
        "is something i cant",
        "is something i dont",
        "is something we cannot",
        "is something we cant",
        "is no option",
        "must not",
        "should not",
        "may not",
        "shouldnt",
        "mustnt",
        "cannot be",
        "cant be",
        "it must not",
        "it should not",
        "it shouldnt",
        "it cannot",
        "it cant",
        "it may not",
        "i cannot have",
        "i cant have",
        "must go",
        "has to go",
        "have to go",
        "should be missing",
        "must be missing",
        "should be left out",
        "makes me sick",
        "makes me ill",
        "makes me itch",
        "makes me nauseous",
        "makes me gag",
        "makes me sneeze",
        "makes me bloated",
        "makes me feel sick",
        "make me sick",
        "make me ill",
        "make me itch",
        "make me nauseous",
        "make me gag",
        "make me sneeze",
        "make me bloated",
        "make me feel sick",
        "gives me a headache",
        "gives me headache",
        "gives me headaches",
        "gives me migraines",
        "gives me a migraine",
        "gives me hives",
        "gives me heartburn",
        "gives me a rash",
        "give me a headache",
        "give me headache",
        "give me headaches",
        "give me migraines",
        "give me a migraine",
        "give me hives",
        "give me heartburn",
        "give me a rash",
        "keeps me awake",
        "keep me awake",
        "keeps me up",
        "keep me up",
        "makes my",
        "make my",
        "upsets",
        "upset my",
        "triggers",
        "has no place",
        "have no place",
        "falls away",
        "fall away",
        "drops out",
        "excluded",
        "omitted",
        "left out",
        "left off",
        "left away",
        "aside",
        "apart",
        "no thanks",
        "no thank you",
        "never again",
        "kills me",
        "doesnt agree with",
        "dont agree with",
        "does not agree with",
        "do not agree with",
        "doesnt suit",
        "is poison",
    )
)
# Alone behind a name and before a pause, these refuse it ("milk yes, alcohol no").
REFUSING_WORDS = frozenset("no never none nope not out".split())
# Between these and the second word a name is refused ("leave the egg out", "keep gin away").
REFUSING_BRACKETS: dict[str, frozenset[str]] = {
    verb: frozenset("out away off aside behind".split())
    for verb in "leave leaving keep keeping take taking cut put".split()
}

# After these, a negation does not bar anything ("not sure", "don't mind").
HARMLESS_AFTER_NOT = frozenset(
    "sure only just mind care matter necessarily bothered fussed fussy picky decide worry know "
    "lived tried had idea preference problem worries rush hurry doubt wonder long forget".split()
)

# Words that end a negation's reach.
SCOPE_ENDS = frozenset(
    "but with w using contain contains containing featuring something anything want wants need "
    "needs like love prefer prefers give make makes made served in please which that whose though "
    "although however while maybe preferably ideally plus has have having is are was just only "
    "still yet then so if because thanks show suggest recommend looking look should would could "
    "can i we my it for on by go use where replace add adding instead".split()
)

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

HAVE_CUES: tuple[tuple[str, ...], ...] = tuple(
    tuple(phrase.split())
    for phrase in (
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
        "use up",
        "using up",
        "in my bar",
        "in my cabinet",
        "in my cupboard",
        "in my fridge",
        "in the fridge",
        "in the cupboard",
        "at home",
        "to hand",
        "on hand",
        "lying around",
        "leftover",
        "left over",
        "in stock",
        "can i make with",
        "could i make with",
        "can we make with",
        "could we make with",
        "to make with",
        "can i make from",
        "can i do with",
        "make out of",
    )
)

VISUAL_CUES = frozenset(
    "look looks looking photo photogenic picture instagram instagrammable pretty beautiful "
    "gorgeous stunning striking showy eye catching visually visual colourful colorful vibrant "
    "elegant aesthetic presentation spectacular showstopper dramatic glamorous glow "
    "glowing".split()
)
# Only together with a noun of looks do these mean the eye rather than the wish ("looking for").
WEAK_VISUAL = frozenset({"look", "looks", "looking"})

NUMBER_WORDS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
