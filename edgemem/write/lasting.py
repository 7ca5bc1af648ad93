"""What says by its form that it lasts: plain habits, likes, abilities, illnesses, what one gave up or is learning.

"I cycle to work now" and "I can't swim" are said in the words of a moment, and learned weights take them for one. English says a
habit in the simple present, which the moment is seldom told in; Chinese by a word such as 喜欢, or by a way or time with the verb.
A bare "I play chess" may yet be a move in a story: only what names how often, when or where, and a few kinds that stories and
work do not tell, is sure of itself.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from edgemem.text import fold, is_han

MOST: Final = 110
"""Characters of the longest clause looked at: what goes on longer tells a story."""
MOST_BARE: Final = 80
"""The same where nothing tells how often, when or where."""


class Form(NamedTuple):
    """What the form of a clause says: the gate's letter, ``P`` for what is liked, ``F`` for the rest; ``sure`` against any doubt or only a small one."""

    letter: Literal["F", "P"]
    sure: bool


_MOMENT = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|right now|for now|just now|at the moment|this|that|these(?! days)|those|last night|already|again|instead|if|unless|maybe|perhaps|should"
    r"|you|your|u|ur|error|errors|button|click|screen|page|file|files|folder|command|code|it works|and it|but it|so i|then i)\b|[?？\"“”]"
)
_POINTING = re.compile(r"\b(?:it|that|this|them|those|these|here|there|him|her|so|how|what|why|where)\b\W*$")
_NOW: Final = re.compile(
    r"\b(?:now|just|ago|currently|would|could|wish|might|will|like a|too much|so much|so well|so badly|badly these|lately|then|suddenly|imagine|suppose|later|soon|next|last|once|until|while|it)\b"
)
"""What makes the bare simple present something else than a habit: the moment, a tale, something named before."""

_OFTEN = r"usually|always|often|normally|mostly|generally|typically|regularly|mainly|never|rarely|hardly ever|almost (?:always|never)"
_HOUR = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight|dawn|\d+)"
_ANCHOR = re.compile(
    rf"\b(?:{_OFTEN}|tend to|every|each|most (?:days|mornings|nights|evenings)|on (?:mon|tues|wednes|thurs|fri|satur|sun|week)\w*|at weekends|(?:once|twice|times) (?:a|per)|daily|weekly|monthly|nights|shifts"
    rf"|(?:before|after) (?:work|school|bed|class|breakfast|lunch|dinner|supper|meals|training|sleep)|(?:at|around|by|about) {_HOUR}|in the (?:morning|evening|afternoon|winter|summer)s?|these days|nowadays"
    r"|to (?:work|school|the office|uni|university|college|town|campus|the gym|church|bed)|from home|in bed|for (?:fun|a living|years))\b"
)
"""How often, when or where one does something."""

_LEAD = (
    r"^\W*(?:(?:so|and|but|well|also|btw|by the way|oh|actually|yeah|yes|yep|no|hi|hey|fyi|ok|these days|nowadays|usually|normally|now|since (?:may|june|july|\w+ember|\w+uary|\d{4}|the \w+|then)|on \w+days|in the (?:mornings?|evenings?)|most (?:days|mornings)|every \w+)\W+)*"
    rf"(?:i|we)\s+(?:(?:{_OFTEN}|sometimes|occasionally|still|now|also|only|really|both|basically|tend to|prefer to|like to|do ?n['o’]?t|cannot|can['’]?t|no longer) )*"
)
_ROUTE = r"(?:bus|train|tram|tube|metro|subway|underground|ferry|bike|car|motorbike|scooter|stairs|coach|boat|night bus|night train|[su]-bahn)"
_MEAL = r"(?:breakfast|lunch|dinner|supper|brunch|tea)"
_SPORT = r"(?:running|swimming|climbing|dancing|fishing|riding|cycling|jogging|hiking|rowing|bowling|surfing|skiing|bouldering)"
_PLAYED = (
    r"(?:(?:the )?(?:piano|guitar|bass|violin|viola|cello|drums|flute|clarinet|oboe|trumpet|trombone|horn|saxophone|sax|harp|organ|accordion|banjo|ukulele|mandolin|recorder|bagpipes|keyboard|double bass)"
    r"|(?:football|soccer|tennis|table tennis|badminton|squash|basketball|volleyball|handball|hockey|rugby|cricket|golf|baseball|chess|bridge|darts|snooker|padel|netball))"
)
_TONGUE = r"(?:english|french|german|spanish|italian|portuguese|dutch|danish|swedish|norwegian|finnish|polish|czech|russian|ukrainian|greek|turkish|arabic|hebrew|hindi|urdu|bengali|tamil|persian|farsi|mandarin|cantonese|chinese|japanese|korean|thai|vietnamese|welsh|irish|hungarian|romanian|catalan|swahili)"
_ONE_THING = r"(?!(?:the|an?) (?!lot|little|bit)(?!.*\b(?:every|each|daily|(?:before|after) \w+)\b))"
"""Not "drink the potion", "eat an apple": one thing, once."""
_GOES_ON = r"(?! (?:out|into|in(?! (?:the (?:rain|snow|dark|park|woods|morning|evening)|a (?:choir|band|club)))|away|off|over|up|down|through|past|around|towards?|to(?! (?:work|school|the office|relax|unwind|keep))|at the|across|from|back|along|ahead|inside|outside|under|and|the|an?|my|our|some|all|for (?:it|the|my)|one|two|three|\w+ (?:to|into|out of) )\b)"
"""Not "run out of memory", "climb the tower"."""
_LIKES = (
    r"(?P<likes>(?:prefer|like|love|hate|dislike|enjoy|adore|detest|loathe|avoid|(?<=can't )stand|(?<=cannot )stand|(?<=cant )stand)(?! (?:it|that|this|them|those|these|your|how|what|where|when|who|both|either|neither|none|all|one|two|option|options|choice|number|version|variant|draft|plan|style|design|answer|myself|my (?:life|luck|brain)|being|to (?:think|say|point|add|know|see)"
    r"|the (?:idea|ideas|first|second|third|last|one|way|sound|look|title|intro|ending|answer|draft|version|option|plan|colou?rs?|style|design|tone|new|old|other))\b) (?!.*\b(?:option|version|draft)\b)[\w'’-]+ ?\w*)"
)
_DOES = (
    _LIKES,
    rf"(?:take|catch|ride|use) (?:the |a |my |our )?(?:\w+ )?{_ROUTE}\b",
    r"(?:cycle|bike|walk|drive|commute|row|skate|scoot|travel|go|get) (?:(?:in|over|down|up) )?(?:to|into) (?:work|school|the office|uni|university|college|town|class|campus|the station|the gym|the pool|the library|the market|church|mosque|temple|mass|choir|yoga|therapy|bed)\b",
    r"(?:train|climb|fast|pray|nap|bake|cook|write|stretch|swim|run|practi[sc]e)(?: \w+)?(?: \w+)? (?:every|most|twice|once|three times|daily|weekly|before|after|with (?:my|a|the)|at the|in the|for (?:fun|a living|years)|on (?:mon|tues|wednes|thurs|fri|satur|sun|week)\w+|at weekends)\b",
    rf"(?:run|jog|swim|cycle|bike|bicycle|walk|hike|climb|row|sail|ski|skate|surf|fish|dance|sing|paint|knit|sew|crochet|garden|meditate|volunteer|commute){_GOES_ON}\b",
    rf"(?:go|went back to|am back to) {_SPORT}\b",
    rf"play (?:{_PLAYED}|(?!it|that|this|along|around|with|the|my|our|dead|dumb|one|two)(?!an? (?!lot|little|bit)))",
    rf"(?:practi[cs]e|cook|bake|brew|skip|drive|ride|study) (?!it\b|that\b|this\b|me\b|my turn|the\b(?! (?:drums|piano|violin|cello|guitar|flute|organ))){_ONE_THING}",
    rf"(?:eat|drink|smoke|vape|speak|teach|collect|grow) (?!out\b|up\b|old\b|to\b|with\b|of\b|in\b|for\b|as\b|it\b|what\b|anything|something|too much|like\b|a lot\b|now\b|my words|my way){_ONE_THING}[\w'’-]+",
    r"(?:wear|breed|own|rent|share) (?!the\b|it\b|out\b|down\b|up\b|my (?:screen|thoughts)|anything|something|now\b)[\w'’-]+",
    r"(?:listen to|coach) (?!it\b|me\b|the\b(?! (?:radio|news)))[\w'’-]+",
    r"read (?!a |an |the |about\b|it\b|somewhere\b|what\b|how\b|through\b|all\b|from\b|into\b|out\b)",
    r"water (?!it)|live (?!with it|up)|work (?!it\b|the\b|my way|on (?:it|the)|out (?:the|a|how)|around|with it)",
    r"(?:wake|get) up (?!and\b|in an?\b|to an?\b|the\b|from\b|off\b)\w+|go to (?:bed|sleep)(?! and)\b|sleep(?! (?:and|in the|on it|through)\b)",
    r"sleep (?:on (?:my|the)|in the (?:spare|other|guest))\b",
    rf"(?:eat|have|skip|cook|make) (?:my |our |a late |an early |a big |no )?{_MEAL}(?: (?:at|with|in|around|late|early|before|after|every|on|alone|together)\b|\W*$)",
    r"(?:eat|drink|take|have) (?:my|our) (?:coffee|tea|eggs?|steak|toast|porridge|pizza|curry|noodles|food|espresso|lunch|pills?|tablets?|meds|medication|insulin|vitamins?) \w+",
    r"(?:take|use) (?:vitamins?|iron|creatine|insulin|magnesium|melatonin|antihistamines?|ibuprofen|aspirin|statins?|metformin|antidepressants|the pill|naps?|a nap|\d+ ?mg)\b",
    r"(?:study|shop|bank)(?: \w+)? (?:from home|nights|weekends|part[- ]time|full[- ]time|remotely|at|for|as|in|on (?:mon|tues|wednes|thurs|fri|satur|sun)\w+)\b",
    rf"(?:pick|drop|walk|feed|water|visit|call|ring|see|meet|look after|help|drive) (?:up )?(?:my|our|the) (?:[\w-]+ ){{0,2}}[\w-]+(?: (?:up|off))? (?:every|each|on \w+days|at (?:\w+ )?(?:{_HOUR}|weekends)|twice|once a|before|after (?:work|school))\b",
    r"do (?:yoga|pilates|karate|judo|tai chi|crossfit|ballet|the (?:shopping|cooking|laundry|school run|accounts|books)|my (?:shopping|accounts|stretches|exercises))\b",
    r"pay (?:(?:my|our|the|\W?\d+) )?(?:\w+ )?(?:rent|bills|mortgage|fees) (?:on|in|by|per|every|monthly|weekly|yearly)\b",
    r"keep (?:bees|hens|chickens|goats|sheep|pigeons|fish|rabbits|kosher|halal|(?:my|our|the|an?) (?:[\w-]+ ){1,3}(?:in|on|by|under|behind|beside|above|at|next to) (?:the|my|our|an?)\b)",
)
_HABIT = re.compile(f"{_LEAD}(?:{'|'.join(_DOES)})")
_SURE = re.compile(rf"{_LEAD}(?:play {_PLAYED}|speak (?:\w+ )?{_TONGUE})\b")
"""Instruments, sports and languages need no time or place."""
_AND_SO = r"^\W*(?:(?:so|and|but|also|btw|well|actually|yeah|sorry|no)\W+)*"
_UNABLE = re.compile(
    rf"{_AND_SO}(?:i|we)(?: really| still| just)? (?:can['’]?t|cannot|can not|do ?n['’o]?t|never learned (?:how )?to|never learnt (?:how )?to|ca ?n) "
    r"(?:really |ever |actually )?(?:swim|drive|cook|ride(?: a (?:bike|horse))?|ski|skate|sing|dance|whistle|read (?:music|maps|french|arabic|chinese)|fly|smoke|drink(?: (?:alcohol|coffee|milk|beer|wine))?|eat (?!now\b|it\b|that\b|this\b|the\b|anything\b|yet\b|out\b)[a-z]+|own (?:a|an|any) \w+"
    r"|use (?:social media|facebook|instagram|cash|a smartphone|sugar)|watch (?:tv|television|the news)|sleep (?:without|on my|with the|past)|work (?:weekends|nights|on \w+days|fridays|mondays)|have (?:a (?:car|tv|smartphone|licence|license|garden|bath|dishwasher|degree)|kids|children|siblings|pets))(?: very well| well| at all| any ?more| on \w+days| at night| in the \w+)*\W*$"
)
_KIDS = r"(?:\w+ ){0,2}(?:kids?|child(?:ren)?|babies|baby|sons?|daughters?|boys?|girls?|twins|triplets|nieces?|nephews?|grand\w+)"
_LASTING_NOW = re.compile(
    rf"{_AND_SO}(?:i['’]?m|i am|we['’]?re|we are|i['’]ve been|i have been) (?:currently |still |also |slowly |now |both )?"
    r"(?:learning (?!that\b|how this|it\b|the\b|a lot|from\b|about\b|so\b)[a-z]+|training (?:for|to be|as)|studying (?!it\b|this\b|the\b)[a-z]+|saving up(?: (?:for|to))?|saving for|saving to (?:buy|get|move|pay|travel|visit)|trying to (?:quit|lose (?:weight|\w+ (?:kilos|pounds|kg))|cut (?:down|out|back)|eat (?:less|more)|drink (?:less|more)|learn (?!the\b)|conceive|get (?:fit|pregnant|into shape))"
    r"|on (?:a (?:\w+[- ])?(?:diet|gap year|sabbatical|visa|waiting list)|maternity leave|paternity leave|parental leave|sick leave|statins|insulin|antidepressants|blood thinners)"
    rf"|renovating|expecting (?:(?:an?|our|my) )?{_KIDS}|raising (?:my|our|two|three|four) {_KIDS}|writing (?:a|my) (?:\w+ )?(?:book|novel|thesis|dissertation|memoir)"
    r"|looking for (?:a|an) (?:new )?(?:job|flat|house|apartment|place to live|room|nursery|therapist|flatmate)|applying (?:for|to) (?:(?:an?|my|the) )?(?:[\w-]+ ){0,2}(?:jobs?|visas?|loan|mortgage|grants?|scholarships?|citizenship|residency|internships?|positions?|promotion|ph\.?d|schools?|universit\w+|uni|colleges?|program(?:me)?s?)"
    r"|doing (?:a|an|my) (?:phd|ph\.d|masters?|mba|degree|apprenticeship|evening course|course in)|preparing for (?:an?|my|our|the) (?:[\w-]+ ){0,2}(?:exams?|tests?|finals|marathon|race|triathlon|wedding|move|birth|baby|surgery|operation|recital|audition|interviews?|licen[cs]e|citizenship)|retraining)\b"
)
_HABITS_LEFT = rf"(?:smoking|vaping|drinking|coffee|sugar|alcohol|caffeine|nicotine|gluten|dairy|meat|facebook|instagram|twitter|social media|{_SPORT})"
_SWITCHED = rf"(?:(?:\w+ )?(?:shifts?|milk|decaf|tea|coffee|diet|lenses|glasses|vaping)|part[- ]time|full[- ]time|remote work|working \w+|an electric \w+|{_SPORT}|{_HABITS_LEFT})"
_GIVEN_UP = re.compile(
    rf"{_AND_SO}(?:i|we|i['’]ve|we['’]ve|i have)(?: \w+ly| just| now| since| finally)? (?:(?:switched|changed|moved over) (?:from [\w ]{{2,20}} )?to {_SWITCHED}|(?:gone|went) back to (?:{_HABITS_LEFT}|school|uni|university|college|church|part[- ]time|full[- ]time)"
    rf"|quit (?:{_HABITS_LEFT}|my job|the (?:gym|choir|band|club|orchestra))|(?:gave|given) up (?!(?:on|trying|and|the|my|our|an?|hope|half\w*|after|because|when|in|at|for|to|once|long|too|looking|searching|waiting|fighting|asking|arguing|debugging|completely|all)\b)[a-z]+"
    r"|stopped (?:(?:taking|drinking|eating|smoking|buying|using|wearing|driving|working|watching)(?! (?:the(?! (?:pill|bus|train|tram|tube|news)\b)|an?|at|because|when|for)\b)|going to (?:the )?(?:gym|church|pool|mass|choir|therapy|yoga|school|office))|(?:taken|took) up (?!(?:the|an?|my|our|arms|space|position|residence|most|too|all|half)\b)[a-z]+)\b"
)

_ILL = r"(?:(?:bad|terrible|awful|stomach|splitting) )?(?:stomach ?aches?|tummy ?aches?|aches?|cramps|headaches?|heartburn|migraines?|hives|(?:a )?rash(?:es)?|nosebleeds?|acne|ill|sick|sneezy?|itchy?|nauseous|nausea|bloated|dizzy|jittery|palpitations)"
_HARMS = re.compile(
    rf"{_AND_SO}(?!i\b|we\b|he\b|she\b|they\b|people\b|my\b|your\b|work\b|the (?:news|boss|thought|idea)\b)[a-z][\w'’ -]{{1,30}} (?:always |usually |often )?(?:gives?|makes?) me (?:an? )?{_ILL}\W*$"
    rf"|{_AND_SO}i (?:always |usually |often )?(?:get|break out in|come out in|feel) (?:an? )?{_ILL} (?:from|after|when(?:ever)? i|if i|every time i) [\w'’ -]{{2,40}}\W*$"
)

_HARMS_HAN = re.compile(
    "(?:我|我们)?(?:晚上|早上|空腹|每次|只要|经常|一)*(?:我)?一?(?:吃|喝|坐|闻到?|碰到?|接触|抽|熬夜|晒)[^，。了]{0,8}?[，,]?(?:我)?(?:就|就会|会|容易|总是?|老是?)+"
    "(?:拉肚子|腹泻|过敏|胃[疼痛胀]|肚子[疼痛胀]|头[疼痛晕]|晕[车船机]?|吐|想吐|恶心|起[疹红][子点]?|心慌|长痘|不舒服|失眠|睡不着|流鼻血|咳嗽|打喷嚏|烧心|反酸)"
)

_MOMENT_HAN = re.compile(
    '今[天晚早]|刚|正在|马上|待会|等下|一会|先这|[?？吗呢吧]$|什么|怎么|要不要|是不是|如果|要是|你|报错|[“”"]|[了过]一?下'
)
_NOW_HAN: Final = re.compile(
    r"昨[天晚]|明[天晚]|现在|[这那]|假如|想|打算|准备|可能|也许|好像|[看吃喝听写练打跑]了|[了过着呢的][\s。.!！~～]*$|来着"
)
"""What makes a bare verb something else than a habit."""
_ANCHOR_HAN = re.compile(
    "平时|平常|一般|通常|经常|常常|总是|一直|从来|向来|每[天周晚早年月个次]|周[末一二三四五六日]|睡前|饭后|上下?班|通勤|去公司|去单位|去学校|上学"
)
_WHO_HAN = r"(?:我们?|咱们?|俺)"
_OFTEN_HAN = "平时|平常|一般|通常|经常|常常|总是|每天|每周|每晚|每早|周[末一二三四五六日]|睡前|饭后|一直|从来|向来"
_BESIDE_HAN = rf"{_OFTEN_HAN}|早上|晚上|中午|下班[以之]?[后後]|也|都是?|很|特别|最|非常|超级?|比较"
_LIKES_HAN = re.compile(
    rf"\W*{_WHO_HAN}(?:{_BESIDE_HAN})*(?:(?:不太?|不怎么)?(?:喜欢|爱[吃喝看听玩用去])|热爱|讨厌)(?![它他她第的了过就])(?!.*(?:方案|选项|版|答案|标题|开头|结尾|语气|配色|颜色|字体|[前后]者|[上下][面一]|[一二三四五两几][号个种款]|[a-d\d][\s。.!！]*$))[^，。？！,?!]{{2,16}}[\s。.!！~～]*"
)
_INSTRUMENT_HAN = (
    "弹(?:钢琴|吉他|古筝|琵琶|古琴|琴|贝斯|尤克里里)|拉(?:小提琴|大提琴|中提琴|提琴|二胡|手风琴|马头琴|琴)|吹(?:笛子?|箫|葫芦丝|萨克斯|口琴|小号|长笛|单簧管|唢呐|陶笛)"
    "|打(?:[^，。去来]{0,3}球|太极拳?|麻将|架子鼓|鼓|拳|字|毛衣|桥牌|扑克)|下(?:围棋|象棋|国际象棋|棋)|游泳|滑(?:雪|冰|板|旱冰)|骑(?:自行车|单车|马|车|摩托车?|电动车)"
    "|[说讲](?!论文|课文|作文|实话|真话|好话|坏话|笑话|谎话|废话|人话|句|几)(?:一?点儿?)?[^，。清明好]{1,4}(?:语|话|文)"
)
_SKILL_HAN = (
    f"{_INSTRUMENT_HAN}|唱(?:歌|戏|京剧|粤剧|昆曲|美声)|跳[^，。]{{0,3}}舞|画(?:画|国画|油画|水彩|素描|漫画|插画)|写(?:代码|毛笔字?|书法|诗)|开(?:车|船|飞机|卡车|手动挡)"
    "|做(?:饭|菜|蛋糕|面包|甜点|衣服|木工|手工|[川粤湘鲁][菜])|修(?:车|电脑|自行车|手表|水管|家电)|织(?:毛衣|围巾|布)|编程|烤(?:面包|蛋糕|饼干)|包(?:饺子|粽子|包子)|手语|急救"
)
_CAN_HAN = re.compile(
    rf"^\W*{_WHO_HAN}(?:也|还|都|从小就?)?(?:不太?|只)?(?:会(?:一点儿?)?|在学)(?:{_SKILL_HAN})(?!.*[去来给的完])"
)
_CAN_SURELY_HAN = re.compile(rf"^\W*{_WHO_HAN}(?:也|还|从小就?)?会(?:一点儿?)?(?:{_INSTRUMENT_HAN})[\s。.!！~～]*$")
"""Instruments, sports and languages: 会 is "can" there, "will" nearly everywhere else."""
_DOES_HAN: Final = re.compile(
    rf"\W*{_WHO_HAN}(?:{_BESIDE_HAN})*(?:{_OFTEN_HAN}|下班[以之]?[后後])(?:{_BESIDE_HAN})*去?"
    r"(?:跑步|游泳|健身|打[^，。？！,?!]{1,4}球|爬山|做饭|看[^，。？！,?!]{1,10}|听[^，。？！,?!]{1,10}|喝[^，。？！,?!]{1,10}|吃[^，。？！,?!]{1,10}|练[^，。？！,?!]{1,8}|写[^，。？！,?!]{1,8}|遛[^，。？！,?!]{1,4}|陪[^，。？！,?!]{1,10})[\s。.!！~～]*"
)
_GOES_HAN = re.compile(
    rf"^(?:[^，。]{{0,6}}[，,])?\W*{_WHO_HAN}(?:现在|平时|一般|每天|都|基本|上班|上学|通常|习惯)*(?:坐|骑|开(?!会|着)|走路|步行|打车|乘|搭|挤|蹬)[^，。]{{0,8}}(?:上班|上学|去公司|去单位|去学校|通勤|上下班)"
    rf"|^\W*{_WHO_HAN}(?:{_BESIDE_HAN})*上班(?:坐|骑|开(?!会|着)|乘|搭)[^，。？！,?!]{{1,8}}$"
)
_ILL_HAN = re.compile(
    "^(?:我|我们家?)(?:也|还|一直|从小|天生|先天)?(?:有|得过|患有|得了|患过)(?:点儿?|轻微|轻度|严重|中度|遗传性?|慢性|过敏性)?[^，。有得]{0,6}(?:症|炎|癌|哮喘|结石|三高|高血压|低血糖|糖尿病|胃病|心脏病|近视|散光|色盲|色弱|痛风|贫血|湿疹|鼻炎|颈椎病|偏头痛)(?![人毒例])"
    "|^(?:我|我们家?|我爸妈?|我妈)(?:都|一直|从小)?信(?:佛|基督|天主|伊斯兰|道教|教|奉)"
)
"""Illnesses and beliefs."""
_LASTING_HAN = re.compile(
    # what goes on for months
    "^(?:我|我们)(?:最近|现在|目前|一直|还|也|正)*在(?:自?学(?!校|院)|备考|备孕|攒钱|存钱|减肥|减脂|戒[烟酒糖]|找(?:工作(?!的)|房(?!子?的|间|东)|对象(?!的))|装修(?!公司|队|市场|方案)|考(?:研(?!究)|公|证(?!明)|驾照|雅思|托福|编)|练(?!习题|级)|读(?:研(?!究)|博(?!客|文)|在职)|写(?:毕业)?论文|写(?:一?本)?(?:书|小说)|创业(?!板|园|公司|大)|化疗|康复|休产假|待业|带娃|还(?:房贷|车贷|贷款))"
    # plans with a time
    "|^(?:我们?|我家|全家)?(?:今年|明年|后年|年底|年后|下半年|下个?月|下学期|国庆|春节|过年|五一|中秋|元旦|暑假|寒假|端午|清明|\\d+月|[一二三四五六七八九十]+月)(?:份|底|初|中旬|的时候|假期)?(?:我们?|全家)?(?:打算|准备|计划|要|想)(?:去|换|买|搬|考|结婚|回|报|带|装修|生|辞|创业|退休|出国|离)[^，。]*"
    # what took the place of something else: of a person, a firm or a thing of one's life, not of a page or a program
    "|^(?:(?:我(?:的|家|们)?|公司|单位|家里|办公室|学校)[^，。我把将]{0,8}|(?:手机|电脑|车子?|早[饭餐]|晚[饭餐]|午[饭餐]|咖啡|牛奶|眼镜|床|上班|班次|作息|工作|房子|健身|医生|牙医|药|烟|主食|电话|号码|微信|邮箱|地址)(?:也|都|已经|最近|后来)*)(?:换成|换到|搬到|改成|改用|改喝|改吃|改坐|改骑)"
    "(?!.*(?:文档|格式|标题|颜色|[红黄蓝绿黑白灰紫橙]色?了|字体|代码|文件|语气|称呼|版本|[左右上下顶底]边|左侧|右侧|[上下左右]面|顶部|底部|按钮|背景|分支|变量|函数|表格))[^，。]{1,12}了$"
    # a way of doing
    "|^(?!今|明|等|现|那|待|晚|下午|上午|早)[^，。我]{2,8}我(?:都|一般|总是?|习惯|通常|每次)?(?:是)?先[^，。]{2,14}再[^，。]{2,14}$"
    # how one eats
    "|^(?:我|我们家?|家里)(?:平时|一般|都)?(?:吃得|口味)(?:比较|偏|很|挺)?(?:清淡|辣|咸|甜|重|素|淡|油)"
)  # fmt: skip


def told(clause: str) -> Form | None:
    """What a clause says of itself by its form where it tells something lasting; None where the form does not say."""
    text = fold(clause).strip()
    if len(text) > MOST:
        return None
    return _told_han(text.rstrip("。.！!~～，, ")) if is_han(text) else _told_english(text)


def _told_english(text: str) -> Form | None:
    if _HARMS.match(text) and not re.search(r"\b(?:this|that|today|now|it)\b", text):
        return Form("F", True)
    if _MOMENT.search(text) is not None or _POINTING.search(text) is not None:
        return None
    if _UNABLE.match(text):
        return Form("F", True)
    if _LASTING_NOW.match(text) or _GIVEN_UP.match(text):
        return Form("F", False)
    found = _HABIT.match(text)
    anchored = _ANCHOR.search(text) is not None
    if found is None or not (anchored or found["likes"] or (len(text) <= MOST_BARE and _NOW.search(text) is None)):
        return None
    return Form("P" if found["likes"] else "F", anchored or _SURE.match(text) is not None)


def _told_han(text: str) -> Form | None:
    if _MOMENT_HAN.search(text) is not None:
        return None
    if _HARMS_HAN.fullmatch(text) or _ILL_HAN.search(text):
        return Form("F", True)
    bare = len(text) <= MOST_BARE and _NOW_HAN.search(text) is None
    if bare and _LIKES_HAN.fullmatch(text):
        return Form("P", True)
    if (
        _GOES_HAN.search(text)
        or _CAN_HAN.search(text)
        or _LASTING_HAN.search(text)
        or (bare and _DOES_HAN.fullmatch(text))
    ):
        return Form("F", _ANCHOR_HAN.search(text) is not None or _CAN_SURELY_HAN.search(text) is not None)
    return None
