"""What else says by its form that it lasts, where ``habits`` sees no plain habit: abilities, illnesses, what one gave up or is learning.

"I cycle to work now" and "I can't swim" are said in the words of a moment, and embeddings take them for one. What makes them lasting
is the plain present of something one does again and again, with its time or place, and that no word of the moment stands beside it.
"""

from __future__ import annotations

import re
from typing import Final

from edgemem.text import fold, is_han

MOST: Final = 110
"""Characters of the longest clause looked at: what goes on longer tells a story."""

_MOMENT = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|right now|for now|just now|at the moment|this|that|these(?! days)|those|last night|already|again|instead|if|unless|maybe|perhaps|should"
    r"|you|your|u|ur|error|errors|button|click|screen|page|file|files|folder|command|code|it works|and it|but it|so i|then i)\b|[?？\"“”]"
)
_POINTING = re.compile(r"\b(?:it|that|this|them|those|these|here|there|him|her|so|how|what|why|where)\b\W*$")
_LEAD = (
    r"^\W*(?:(?:so|and|but|well|also|btw|oh|actually|yeah|yes|yep|no|hi|hey|fyi|ok|these days|nowadays|usually|normally|now|since (?:may|june|july|\w+ember|\w+uary|\d{4}|the \w+|then)|on \w+days|in the (?:mornings?|evenings?)|most (?:days|mornings)|every \w+)\W+)*"
    r"(?:i|we)\s+(?:(?:usually|always|often|normally|mostly|generally|sometimes|rarely|hardly ever|never|still|now|also|only|really|both|mainly|basically|typically|regularly|tend to|prefer to|like to|do ?n['o’]?t|cannot|can['’]?t|no longer) )*"
)
_ROUTE = r"(?:bus|train|tram|tube|metro|subway|underground|ferry|bike|car|motorbike|scooter|stairs|coach|boat|night bus|night train)"
_MEAL = r"(?:breakfast|lunch|dinner|supper|brunch|tea)"
_SPORT = r"(?:running|swimming|climbing|dancing|fishing|riding|cycling|jogging|hiking|rowing|bowling|surfing|skiing|bouldering|dancing)"
_OBJECT = r"(?! (?:it|that|this|them|those|these|too much of|up|about)\b)"
_DOES = (
    rf"(?:take|catch|ride|use|prefer) (?:the|a|my|our) (?:\w+ )?{_ROUTE}\b",
    r"(?:cycle|bike|walk|drive|commute|row|skate|scoot|travel|go|get) (?:(?:in|over|down|up) )?(?:to|into) (?:work|school|the office|uni|university|college|town|class|campus|the station|the gym|church|mosque|temple|mass|choir|yoga|therapy|bed)\b",
    r"(?:run|swim|cycle|row|jog|train|climb|walk|ski|surf|practi[sc]e|meditate|garden|volunteer|sing|dance|fast|pray|nap|bake|cook|knit|sew|paint|read|write|stretch)(?: \w+)?(?: \w+)? (?:to|every|most|twice|once|three times|daily|weekly|before|after|with (?:my|a|the)|at the|in the|for (?:fun|a living|years)|on (?:mon|tues|wednes|thurs|fri|satur|sun|week)\w+|at weekends)\b",
    rf"(?:go|went back to|am back to) {_SPORT}\b",
    r"(?:get|wake) up (?:at|around|before|early|late|by|with|when)\b|go to (?:bed|sleep) (?:at|around|before|early|late|by|after|when)\b|sleep (?:badly|well|poorly|on (?:my|the)|in (?:a|the)|with (?:a|the|my|earplugs)|until|till|late|about|around|six|seven|eight|nine|\d)",
    rf"(?:eat|have|skip|cook|make) (?:my |our |a late |an early |a big |no )?{_MEAL}(?: (?:at|with|in|around|late|early|before|after|every|on|alone|together)\b|\W*$)",
    r"(?:eat|drink|take|like|have|want) (?:my|our) (?:coffee|tea|eggs?|steak|toast|porridge|pizza|curry|noodles|food|espresso|lunch|pills?|tablets?|meds|medication|insulin|vitamins?) \w+",
    rf"(?:eat|drink|wear|smoke|vape|speak|teach|collect|grow|breed|own|rent|share) (?!out\b|up\b|anything|something|too much|like\b|a lot\b|now\b){_OBJECT[:-3]}\b)[\w'’-]+",
    r"(?:prefer|like|love|hate|dislike|enjoy|adore|detest|loathe|avoid|(?<=can't )stand|(?<=cannot )stand|(?<=cant )stand)(?! (?:it|that|this|them|those|these|your|how|what|the (?:idea|first|second|third|last|one|way|sound|look|title|intro|ending|answer|draft|version))\b) [\w'’-]+ ?\w*",
    r"(?:take|use) (?:vitamins?|iron|creatine|insulin|magnesium|melatonin|antihistamines?|ibuprofen|aspirin|statins?|metformin|antidepressants|the pill|naps?|a nap|\d+ ?mg)\b",
    r"(?:work|study|teach|shop|bank|live)(?: \w+)? (?:from home|nights|shifts|weekends|part[- ]time|full[- ]time|remotely|at|for|as|in|on (?:mon|tues|wednes|thurs|fri|satur|sun)\w+)\b",
    r"(?:pick|drop|walk|feed|water|visit|call|ring|see|meet|look after|help|drive) (?:up )?(?:my|our|the) (?:[\w-]+ ){0,2}[\w-]+(?: (?:up|off))? (?:every|each|on \w+days|at (?:\w+ )?(?:one|two|three|four|five|six|seven|eight|nine|ten|\d+|noon|weekends)|twice|once a|before|after (?:work|school))\b",
    r"do (?:yoga|pilates|karate|judo|tai chi|crossfit|ballet|the (?:shopping|cooking|laundry|school run|accounts|books)|my (?:shopping|accounts|stretches|exercises))\b",
    r"pay (?:(?:my|our|the|\W?\d+) )?(?:\w+ )?(?:rent|bills|mortgage|fees) (?:on|in|by|per|every|monthly|weekly|yearly)\b",
    r"keep (?:my|our|the|a|an|bees|hens|chickens|goats|sheep|pigeons|fish|rabbits|kosher|halal)\b.*\w",
)
_HABIT = re.compile(f"{_LEAD}(?:{'|'.join(_DOES)})")
_UNABLE = re.compile(
    r"^\W*(?:(?:so|and|but|also|btw|sorry|no|well|actually)\W+)*(?:i|we)(?: really| still| just)? (?:can['’]?t|cannot|can not|do ?n['’o]?t|never learned (?:how )?to|never learnt (?:how )?to|ca ?n) "
    r"(?:really |ever |actually )?(?:swim|drive|cook|ride(?: a (?:bike|horse))?|ski|skate|sing|dance|whistle|read (?:music|maps|french|arabic|chinese)|fly|smoke|drink(?: (?:alcohol|coffee|milk|beer|wine))?|eat (?!now\b|it\b|that\b|this\b|anything\b|yet\b|out\b)[a-z]+|own (?:a|an|any) \w+"
    r"|use (?:social media|facebook|instagram|cash|a smartphone|sugar)|watch (?:tv|television|the news)|sleep (?:without|on my|with the|past)|work (?:weekends|nights|on \w+days|fridays|mondays)|have (?:a (?:car|tv|smartphone|licence|license|garden|bath|dishwasher|degree)|kids|children|siblings|pets))(?: very well| well| at all| any ?more| on \w+days| at night| in the \w+)*\W*$"
)
_LASTING_NOW = re.compile(
    r"^\W*(?:(?:so|and|but|also|btw|well|actually|yeah)\W+)*(?:i['’]?m|i am|we['’]?re|we are|i['’]ve been|i have been) (?:currently |still |also |slowly |now |both )?"
    r"(?:learning (?!that|how this|it\b)[a-z]+|training (?:for|to be|as)|studying (?!it\b|this\b)[a-z]+|saving (?:up )?(?:for|to)|trying to (?:quit|lose|cut (?:down|out|back)|eat (?:less|more)|drink (?:less|more)|learn|conceive|get (?:fit|pregnant|into))"
    r"|on (?:a (?:\w+[- ])?(?:diet|gap year|sabbatical|visa|waiting list)|maternity leave|paternity leave|parental leave|sick leave|statins|insulin|antidepressants|blood thinners)|renovating|expecting (?:a|our|my|twins)|writing (?:a|my) (?:book|novel|thesis|dissertation|memoir)"
    r"|looking for (?:a|an) (?:new )?(?:job|flat|house|apartment|place to live|room|nursery|therapist|flatmate)|applying (?:for|to) (?:a|an|\w+)|doing (?:a|an|my) (?:phd|ph\.d|masters?|mba|degree|apprenticeship|evening course|course in)|preparing for (?:a|an|my|the) \w+|retraining|raising (?:my|two|three|our))\b"
)
_GIVEN_UP = re.compile(
    r"^\W*(?:(?:so|and|but|also|btw|well|actually|yeah|no)\W+)*(?:i|we|i['’]ve|we['’]ve|i have)(?: \w+ly| just| now| since| finally)? (?:switched (?:from [\w ]{2,20} )?to|gone back to|went back to|moved over to|changed to|quit (?:smoking|drinking|coffee|sugar|my job|the \w+)|gave up (?!on\b|trying\b|and\b)[a-z]+|given up (?!on\b|trying\b)[a-z]+"
    r"|stopped (?:taking|drinking|eating|smoking|going to|buying|using|wearing|driving|working|watching)|taken up [a-z]+|took up [a-z]+)\b"
)

_ILL = r"(?:(?:bad|terrible|awful|stomach|splitting) )?(?:stomach ?aches?|tummy ?aches?|aches?|cramps|headaches?|heartburn|migraines?|hives|(?:a )?rash(?:es)?|nosebleeds?|acne|ill|sick|sneezy?|itchy?|nauseous|nausea|bloated|dizzy|jittery|palpitations)"
_HARMS = re.compile(
    rf"^\W*(?:(?:so|and|but|also|btw|well|actually|yeah|no)\W+)*(?!i\b|we\b|he\b|she\b|they\b|people\b|my\b|your\b|work\b|the (?:news|boss|thought|idea)\b)[a-z][\w'’ -]{{1,30}} (?:always |usually |often )?(?:gives?|makes?) me (?:an? )?{_ILL}\W*$"
    rf"|^\W*(?:(?:so|and|but|also|btw|well|actually|yeah|no)\W+)*i (?:always |usually |often )?(?:get|break out in|come out in|feel) (?:an? )?{_ILL} (?:from|after|when(?:ever)? i|if i|every time i) [\w'’ -]{{2,40}}\W*$"
)
_HARMS_HAN = re.compile(
    "(?:我|我们)?(?:晚上|早上|空腹|每次|只要|经常|一)*(?:我)?一?(?:吃|喝|坐|闻到?|碰到?|接触|抽|熬夜|晒)[^，。了]{0,8}?[，,]?(?:我)?(?:就|就会|会|容易|总是?|老是?)+"
    "(?:拉肚子|腹泻|过敏|胃[疼痛胀]|肚子[疼痛胀]|头[疼痛晕]|晕[车船机]?|吐|想吐|恶心|起[疹红][子点]?|心慌|长痘|不舒服|失眠|睡不着|流鼻血|咳嗽|打喷嚏|烧心|反酸)"
)

_MOMENT_HAN = re.compile(
    '今[天晚早]|刚|正在|马上|待会|等下|一会|先这|[?？吗呢吧]$|什么|怎么|要不要|是不是|如果|要是|你|报错|[“”"]|[了过]一?下'
)
_HABIT_HAN = re.compile(
    # how one goes to work
    "^(?:[^，。]{0,6}[，,])?(?:我|我们|咱)(?:现在|平时|一般|每天|都|基本|上班|上学|通常|习惯)*(?:坐|骑|开|走路|步行|打车|乘|挤|蹬)[^，。]{0,8}(?:上班|上学|去公司|去单位|去学校|通勤|上下班)"
    # what one can and cannot do
    "|^(?:我|我们)(?:也|还|都|从小就?)?(?:不太?|只)?会(?:一点儿?)?(?:弹|拉|吹(?!牛)|唱|画|写(?:代码|毛笔|书法|诗)|[说讲][^，。]{1,4}[话语文]|游泳|骑(?:自行车|马|摩托|电动|车)|开(?:车|船|飞机|卡车|手动挡)|滑|做(?:饭|菜|蛋糕|衣服|木工|川菜|粤菜)|打(?:球|篮球|羽毛球|乒乓|网球|太极|麻将|字|鼓|毛衣)|跳舞|修|织|下(?:围棋|象棋|棋)|编程|烤|包饺子|手语|急救)(?!.*[去来给])"
    # illnesses, fears, beliefs
    "|^(?:我|我们家?)(?:也|还|一直|从小|天生|先天)?(?:有|得过|患有|得了|患过)(?:点儿?|轻微|轻度|严重|中度|遗传性?|慢性|过敏性)?[^，。有得]{0,6}(?:症|炎|癌|哮喘|结石|三高|高血压|低血糖|糖尿病|胃病|心脏病|近视|散光|色盲|色弱|痛风|贫血|湿疹|鼻炎|颈椎病|偏头痛)(?![人毒例])"
    "|^(?:我|我们家?|我爸妈?|我妈)(?:都|一直|从小)?信(?:佛|基督|天主|伊斯兰|道教|教|奉)"
    # what goes on for months
    "|^(?:我|我们)(?:最近|现在|目前|一直|还|也|正)*在(?:自?学(?!校|院)|备考|备孕|攒钱|存钱|减肥|减脂|戒[烟酒糖]|找(?:工作|房子?|对象)|装修|考(?:研|公|证|驾照|雅思|托福|编)|练(?!习题)|读(?:研|博|在职)|写(?:毕业)?论文|写(?:一?本)?(?:书|小说)|创业|化疗|康复|休产假|待业|带娃|还(?:房贷|车贷|贷款))"
    # plans with a time
    "|^(?:我们?|我家|全家)?(?:今年|明年|后年|年底|年后|下半年|下个?月|下学期|国庆|春节|过年|五一|中秋|元旦|暑假|寒假|端午|清明|\\d+月|[一二三四五六七八九十]+月)(?:份|底|初|中旬|的时候|假期)?(?:我们?|全家)?(?:打算|准备|计划|要|想)(?:去|换|买|搬|考|结婚|回|报|带|装修|生|辞|创业|退休|出国|离)[^，。]*"
    # what took the place of something else
    "|^(?:我(?:的|家|们)?|公司|单位|家里|办公室|学校)?(?!.*(?:文档|格式|标题|颜色|字体|代码|文件|语气|称呼|版本))[^，。我]{0,8}(?:换成|换到|搬到|改成|改用|改喝|改吃|改坐|改骑)[^，。]{1,12}了$"
    # a way of doing
    "|^(?!今|明|等|现|那|待|晚|下午|上午|早)[^，。我]{2,8}我(?:都|一般|总是?|习惯|通常|每次)?(?:是)?先[^，。]{2,14}再[^，。]{2,14}$"
    # how one eats
    "|^(?:我|我们家?|家里)(?:平时|一般|都)?(?:吃得|口味)(?:比较|偏|很|挺)?(?:清淡|辣|咸|甜|重|素|淡|油)"
)  # fmt: skip


def told(clause: str) -> str | None:
    """The gate's letter of a clause that tells something lasting by its form, P or F; None where the form does not say."""
    text = fold(clause).strip()
    if len(text) > MOST:
        return None
    if is_han(text):
        text = text.rstrip("。！!~～，, ")
        lasts = _HABIT_HAN.search(text) is not None or _HARMS_HAN.fullmatch(text) is not None
        return "F" if lasts and _MOMENT_HAN.search(text) is None else None
    if _HARMS.match(text) and not re.search(r"\b(?:this|that|today|now|it)\b", text):
        return "F"
    if _MOMENT.search(text) is not None or _POINTING.search(text) is not None:
        return None
    if _LASTING_NOW.match(text) or _GIVEN_UP.match(text) or _UNABLE.match(text):
        return "F"
    return "P" if _HABIT.match(text) is not None else None
