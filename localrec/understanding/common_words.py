"""Common English words, slang and number words that are no names."""

from __future__ import annotations

# Everyday words of requests and small talk; a typo is never read into one of these. A domain adds
# its own (`QuestionWords.common`).
COMMON = frozenset(
    """
a able about above actor actually add added adding adult after afternoon again ago ah all allergic
allergies allergy almost alone along already alright also alternative alternatives always am
amazing among an and anniversary another any anybody anymore anyone anything anytime anyway
anywhere apart are around as ask asked asking at ate autumn available away baby back bad bake
balcony bar barbecue based basic bbq beach beat beautiful because become been before begin behind
being believe below best better between beyond big birthday bit bite blend body boil bold book
boring boss both bottle bottles bought bowl bridal bright bring bringing brother brought brunch
build bunch busy but buy by call called came can cannot cant care careful case casual catch
celebrate celebration century chance change cheap check cheers cheese child children chill chilled
chocolate choice choose christmas city class classic classics classy clean close clue cold
colleague color colored colorful colour coloured colourful combination come comes comfort coming
common company complex complicated contain containing contains content cook cooking cool copy cosy
couch could couldnt count couple course cousin cozy crave craving crazy crisp crowd cuisine cup
cupboard cure cut dad daily damn dance dark dash date daughter day days dead deal dear decade
decent decide deep definitely delicate delicious depth describe desert dessert did didnt die diet
different dinner direct director dirty dislike do does doesnt doing done dont door down dream
dressed drive driver driving drop dry due during each earlier easier easily easter easy eat eating
either elegant else end energy enjoy enjoyed enough especially etc even evening event ever every
everybody everyone everything everywhere exact exactly example except exciting exclude exotic
expect expensive extra eye fact fall family fan fanciest fancy fantastic far fast father favorite
favourite favourites feel feeling few fiance field fill filled film films final find fine finish
first fit fix flat flavor flavored flavors flavour flavoured flavours food for forgot forward
found four free fresh friday fridge friend friendly friends from front full fun funky garden gave
genre get gets getting gift girl girlfriend girls give given glad gluten go goes going gone gonna
good got gotta grab graduation grandfather grandma grandmother great group grown guess guest
guesting guests guy guys had half halloween hand handful handle happen happy hard hardly has hate
have havent having he health healthy hear heat heavy hello help her here hers hes hey hi high him
hint his hit hold holiday home honest honestly hope hopefully host hosted hosting hot hour hours
house how however huge hungry husband i id idea ideally ideas if ill im impress impressive in
include included includes including indoor info ingredient ingredients inside inspired instagram
instead intense intensity interesting into intolerance intolerant involve involves is isnt it its
ive job join just keen keep kept kick kid kids kind kinda kitchen knew knock know lactose lads
lady large last late later lay lazy learn least leave leaving leftover less let lets level lie
life light lighter lightest like liked likes line list little live loads local long longer look
looking looks lose lot lots love loved lovely low lower luck lunch lying made main mainly make
maker makers makes making man many married match mate matter may maybe me meal mean means meant
medium meet meeting member memory men mention menu merry met middle might mild mind mine minus
minute mix mixed mixing mixture mom moment monday money month mood more morning most mostly mother
mouth move movie movies much mum music must my myself name named near nearly necessarily need
needed needs neighbor neighbour neighbours neither never new newer next nice night no nobody none
nope nor normal not note notes nothing now nowhere number obviously occasion odd of off offer
office often oh ok okay old older on once one ones only onto open opinion option optional options
or order ordered original other others our ours out outdoor outside over overly overpowering own
pack pair pairing pale part particular particularly party past patio people perfect perfectly
perhaps person photo photogenic pick picked picky picnic picture pint place plain plan plant plate
play pleasant please plus point pool pop popular possible possibly powerful prefer preferably
preferred prefers pregnant preparation prepare pretty price probably problem proper properly put
quality question quick quickly quiet quite rainy rarely rather read ready real really reason
receive recently recipe recipes recommend recommendation recommendations refresh regular relax
relaxing release released remember remind reminiscent replace request require rest restaurant
result rich right room roommate root rough round run said same saturday save saw say says scene
school season seat second see seem seems seen self send series serious seriously serve served
serves serving set several shall share she should shouldnt show shower shows side sight similar
simple simpler simply since sir sister sit situation skip sleep slightly slow small smell smelling
smooth snack so sofa soft solid some somebody someone something sometimes somewhat somewhere son
soon sophisticated sorry sort sorts sound sounds special specifically spicy splash spring stand
standard start started stay steak stick still stock stop store story straight strange strength
strong stronger strongest stuck student stuff stunning style substitute substitutes subtle such
sudden sugary suggest suggested suggestion suggestions suit suitable summer sunday sunny sunset
super supper sure surprise surprising swap sweet sweeter sweetest sweetish sweetness switch ta
table take taken takes taking tall tart taste tasted tastes tasting tasty team teenager tell ten
terrace texture than thank thanks thanksgiving that thats the their them theme then there theres
these they theyre thing things think thinking third this those though thought three through throw
thursday till time tiny tip tired to today toddler together told tomorrow tonight too took top
total totally touch towards traditional treat tried trip true try trying tuesday turn twice twist
two type types typical ugly under understand unique unless until unusual up upon us use used uses
using usual usually vacation valentine valentines variant variants variation variations vegan
vegetarian version very vibe vibes view visit visual visually vivid wait wake walk wanna want
wanted wanting wants warm warmer warming was wasnt watch watching watchlist way we weather wedding
week weekend weekends weeknight weird welcome well went were weve what whatever whats when where
whether which while who whole why wife will winter wish with within without woman women wonder
wondering wont word work works world worried worth would wouldnt wow write wrong yeah year years
yes yesterday yet you youd your yours yourself zero
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
