"""Words of questions that are no names: kept from being "corrected" into one, and cues.

The lists are data, in one place, so that a reader sees at a glance what the parser listens for.
"""

# Everyday words of requests and small talk; a typo is never read into one of these.
COMMON = frozenset(
    """
a able about above actually add added adding adult after afternoon again ago ah all allergic allergy almost alone along already alright also
always am amazing among an and another any anybody anymore anyone anything anyway apart are around as ask asked asking at ate available away
baby back bad bake bar barbecue bartender based basic bbq beach beat beautiful because become been before begin behind being believe below best
better between beyond big birthday bit bite bitterness body boil bold book boring both bottle bottles bought bowl bring bringing brother brought
brunch build bunch busy but buy by call called came can cannot cant care careful case casual catch celebrate celebration chance change cheap
check child children chill chilled choice choose christmas city class classic classy clean close clue cold color colored colour coloured combination
come comes comfort coming common company complex complicated contain containing contains content cook cooking cool copy cosy could couldnt count couple
course cozy crave craving crazy crowd cuisine cup cupboard cut dad daily damn dance dark date daughter day days dead deal dear decent decide deep
definitely delicate delicious depth describe desert dessert did didnt die diet different dinner direct dirty dislike do does doesnt doing
done dont door down drank dream dressed drink drinker drinking drinks drive driver driving dry due during each earlier easier easily easy eat
eating either elegant else end energy enjoy enjoyed enough especially etc even evening event ever every everybody everyone everything exact exactly
example except exciting exclude exotic expect expensive extra eye fact fall family fan fancy fantastic far fast father favorite favourite feel
feeling few fiance field fill filled final find fine finish first fit fix flat flavor flavored flavors flavour flavoured flavours food for
forgot forward found four free fresh friday fridge friend friendly friends from front full fun funky garden gave get gets getting gift girl girlfriend
girls give given glad go goes going gone gonna good got gotta grab grandma great group grown guess guest guests guy guys had half
halloween hand handle happen happy hard hardly has hate have havent having he health healthy hear heat heavy hello help her here hers hes hey
hi high him his hit hold holiday home honest honestly hope hopefully host hosting hot hour hours house how however huge hungry husband i
id idea ideally ideas if ill im impress impressive in include included includes including indoor info inside inspired instagram instead interesting into
involve involves is isnt it its ive job join just keen keep kept kick kid kids kind kinda kitchen knew know lady large last late later
lay lazy learn least leave leaving leftover less let lets level lie life light lighter like liked likes line liquid list little live
local long longer look looking looks lose lot lots love loved lovely low lower luck lunch lying made main mainly make makes making
man many married match mate matter may maybe me mean means meant meal medium meet meeting member memory men mention menu merry met
middle might mild mind mine minus minute mix mixed mixing mixture mom moment monday money month mood more moreish morning most mostly mother mouth
move movie much mum music must my myself name named near nearly necessarily need needed needs neither never new newer next nice
night no nobody none nor normal not note notes nothing now number nowhere obviously occasion odd of off offer office often oh ok
okay old older on once one ones only onto open opinion option optional options or order ordered original other others our
ours out outdoor outside over own pack pair pairing part particular particularly party past patio people perfect perfectly perhaps person
photo photogenic pick picked picky picnic picture place plain plan plate play please pleasant plus point pool pop popular possible possibly pour
powerful prefer preferably preferred prefers pregnant prepare pretty preparation price probably problem proper properly put quality question quick quickly
quiet quite rainy rarely rather read ready real really reason receive recently recipe recipes recommend recommendation recommendations
refresh refreshing refreshment regular relax relaxing remember remind reminiscent replace request require rest restaurant result rich right
roommate room root rough round run said same saturday save saw say says scene school season seat second see seem seems seen
self send serious seriously serve served serves serving set several shake shall share she should shouldnt show shows side sight similar simple
simpler simply since sip sipping sir sister sit situation skip sleep slightly slow small smell smelling smooth snack so soft solid some
somebody someone something sometimes somewhat son soon sophisticated sorry sort sorts sound sounds special specifically spring stand standard start started
stay stick still stir stirred stock stop store story straight strange strong stronger stuck stuff stunning style subtle such sudden suggest
suggested suggestion suggestions suit suitable summer sunday sunny sunset super supper sure surprise surprising swap sweet sweetness sweeter switch table take
taken takes taking tall taste tasted tastes tasting tasty team tell ten texture than thank thanks that thats the their them theme then there theres
these they theyre thing things think thinking third this those though thought three through throw thursday till time tiny tip
tired to today together told tomorrow tonight too took top total totally touch towards traditional treat tried trip true try trying tuesday
turn twice twist two type types typical ugly under understand unique unless until unusual up upon us use used uses using usual usually
vacation variation variations version very vibe vibes view visit visual visually wait wake walk wanna want wanted wanting wants warm warming warmer was wasnt
watch watching way we weather wedding week weekend weekends weird welcome well went were weve what whatever whats when where whether
which while who whole why wife will winter wish with within without woman women wonder wondering wont word work works world worried
worth would wouldnt wow write wrong yeah year years yes yesterday yet you youd your yours yourself zero fanciest strongest lightest sweetest
alcohol alcoholic nonalcoholic booze boozy boozier proof abv allergies intolerant intolerance vegan vegetarian plant lactose gluten free friendly
cocktail cocktails mocktail mocktails beverage beverages tipple libation ingredient ingredients glass glasses garnish garnished garnishes colourful
colorful bright vivid pale film films movies movie genre watchlist show shows series actor director released release decade century classics
spirited spirits liquor pint served poolside nightcap digestif digestive aperitivo hangover cure thirsty thirst parched quench slushy blend
spicy sweetish sugary syrupy hint splash dash touch bit loads bunch handful drop couple favourites please cheers ta mate lads lovely
maker makers bartenders brunchy wedding bridal shower anniversary graduation valentine valentines easter thanksgiving autumn weeknight
strength intense intensity overly overpowering cloying tart tangy zesty crisp boozed knock quiche steak oysters tapas cheese chocolate
nope whatever anywhere anytime everywhere somewhere sofa couch balcony terrace hosted guesting mother grandmother grandfather boss colleague
cousin neighbor neighbour neighbours student kid toddler teenager driving sober pregnant teetotal
""".split()  # noqa: SIM905 - a hundred lines of quotes would hide the words
)

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
        "out of",
        "ran out of",
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
        "replace",
        "replacing",
        "swapping",
        "get rid of",
        "refuse",
        "rid of",
        "keep off",
    )
)

# After these, a negation does not bar anything ("not sure", "don't mind").
HARMLESS_AFTER_NOT = frozenset(
    "sure only just mind care matter necessarily bothered fussed fussy picky decide worry know "
    "idea preference problem worries rush hurry doubt wonder matter long forget".split()
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
