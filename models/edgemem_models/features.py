"""What code can see in a clause: person, time, question form, quotation, negation, and the like.

The numbers stand beside the embeddings in the learned gate (``heads``). English and Chinese; each
is a small rough sign, and only the trained weights say what it is worth.
"""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Final

_QUOTES = str.maketrans("‘’“”「」『』", '\'\'""""""')


def _words(english: str, other: str = "") -> re.Pattern[str]:
    """English words as whole words, other signs anywhere."""
    whole = rf"(?<![\w'])(?:{english})(?!\w)" if english else ""
    return re.compile("|".join(part for part in (whole, other) if part))


_MONTH = "jan(?:uary)?|feb(?:ruary)?|march|april|june|july|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
_DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|tues?|wed|thurs?|fri|sat"
_ASK = "what|whats|what's|who|who's|whose|where|where's|when|why|which|how|how's"
_AUX = "is|are|am|was|were|do|does|did|can|could|would|will|should|shall|has|have|any|r u|u"

SIGNS: Final[dict[str, re.Pattern[str]]] = {
    "i": _words("i|i'm|im|i've|ive|i'd|i'll|me|myself", "我(?!们)|俺|本人"),
    "my": _words("my|mine", "我[的家妈爸哥姐弟妹爷奶女儿老公婆朋同室]|俺家"),
    "we": _words("we|we're|we've|we'll|our|ours|us", "我们|咱"),
    "i_first": re.compile(
        r"^\W*(?:(?:so|and|but|also|ok|well|yes|no|btw|actually|oh)\W+)?(?:i|i'm|im|i've|ive|my|we|we're|we've|our)\b|^\W*(?:我|咱|俺)"
    ),
    "you": _words("you|you're|your|u|ur|ya", "你|您"),
    "third": _words("he|she|they|he's|she's|they're|his|her|their|him|them", "他|她|它"),
    "kin": _words(
        "mum|mom|mother|dad|father|parents?|wife|husband|hubby|partner|girlfriend|gf|boyfriend|bf|fianc[eé]e?|ex|son|daughter"
        "|kids?|child(?:ren)?|baby|toddler|twins|sister|brother|siblings?|cousin|aunt(?:ie)?|uncle|niece|nephew|gran(?:ny|dad|dma|ddaughter|dson)?"
        r"|nan|grand\w+|[\w]+-in-law|mate|friend|housemate|flatmate|roommate|neighbou?r|colleague|boss|manager|landlord|dog|cat|puppy",
        "妈|爸|爷爷|奶奶|外公|外婆|姥|老公|老婆|妻子|丈夫|媳妇|男朋友|女朋友|对象|儿子|女儿|孩子|宝宝|哥|姐|弟|妹|舅|姨|叔|室友|同事|老板|领导|房东|邻居|闺蜜|朋友|猫|狗|婆婆|公公|岳",
    ),
    "question": re.compile(r"[?？]\W*$|[吗呢么嘛][。！!.\s]*$"),
    "ask_first": re.compile(rf"^\W*(?:(?:and|so|but|ok|btw|also)\W+)?(?:{_ASK}|{_AUX})\b|^\W*(?:请问|为什么|怎么|如何|什么|哪|谁|几)"),
    "ask_word": _words(_ASK, "什么|怎么|怎样|咋|如何|为什么|为啥|哪[个里些儿]|多少|几[个点号天]|啥|谁|吗|是不是|能不能|有没有|要不要|可不可以"),
    "past": _words(
        "was|were|had|did|used to|got|went|came|left|lost|sold|bought|ago|last|since|yesterday|been|became|taught|born|grew|[a-z]{3,}ed",
        "了|过(?!敏)|已经|去年|前年|昨天|上周|上个月|以前|之前|当年|曾经",
    ),
    "future": _words(
        "will|i'll|we'll|going to|gonna|next|tomorrow|tmrw|until|till|due|from|starts?|starting|moving|booked|in \\d+ (?:days|weeks|months)",
        "将|打算|准备|计划|下周|下个?月|明天|明年|后天|就要|定在|订了",
    ),
    "now": _words(
        "now|right now|rn|today|tonight|this (?:morning|afternoon|evening)|atm|at the moment|just now|already|still",
        "今天|今晚|现在|正在|刚才|刚刚|此刻|这会儿|马上|今早|等会",
    ),
    "for_now": _words("this (?:time|once)|for now|just once|for this|first", "这次|这回|先|这一次|这篇|这段|这句|暂时"),
    "habit": _words(
        "always|never|usually|every|each|often|hardly|mostly|whenever|daily|weekly|any ?more|these days|regularly|only|normally|most",
        "总是|从来|每[天周年月次个晚早]|一直|经常|平时|从不|通常|向来|一般|天天|老是|只",
    ),
    "standing": _words(
        "from now on|from here on|in (?:the )?future|going forward|in general|for good|always|never|whenever i|any ?more|again|when i",
        "以后|今后|往后|从现在起|每次|永远|一律|都要|不要再|别再|凡是|统一",
    ),
    "taste": _words(
        "like|likes|love|loves|hate|hates|loathe|detest|prefer|prefers|fan of|favou?rite|keen|can't stand|can't abide|rather|sooner"
        "|into|enjoy|adore|dislike|picky|fussy|drink|eat|eats|don't do",
        "喜欢|讨厌|爱|受不了|偏好|最怕|不吃|不喝|只吃|只喝|口味|钟爱|不碰|吃不了|习惯|宁愿|更倾向|不太能",
    ),
    "negation": _words(
        r"not|no|never|none|nothing|without|nope|nah|neither|can'?t|cannot|don'?t|won'?t|isn'?t|doesn'?t|didn'?t|haven'?t|hasn'?t|aren'?t|wasn'?t|\w+n't",
        "不|没|别|无|非|未|勿",
    ),
    "digit": re.compile(r"\d|[一二两三四五六七八九十百千万]+[个岁年月号点块只口次天周]"),
    "date": _words(rf"{_MONTH}|{_DAY}|(?:19|20)\d\d|\d{{1,2}}(?:st|nd|rd|th)|birthday", r"\d+\s*[月号日]|周[一二三四五六日末]|星期|礼拜|生日|[一二三四五六七八九十]月"),
    "id": re.compile(r"#\s?\w*\d{2,}|\b[a-z]{1,6}[-/]\d{2,}|\b\d{4,}\b|编号|单号"),
    "command": re.compile(
        r"^\W*(?:(?:ok|and|now|then|so|please|pls|plz|kindly|can you|could you|can u|would you|will you|just)\W+)*"
        r"(?:write|make|give|tell|explain|translate|fix|summari[sz]e|show|convert|solve|draft|rewrite|proofread|correct|find|list|check|turn"
        r"|add|play|book|help|suggest|recommend|continue|put|send|change|use|keep|skip|do|try|quiz|let's|read|reply|answer|format|describe|create|say|guess)\b"
        r"|^\W*(?:请|麻烦)?(?:帮|给我|替我|翻译|写|改|总结|解释|列|推荐|查|讲|算|来[个一段首]|把|说说|生成|润色|继续|换)"
    ),
    "rule_first": re.compile(
        r"^\W*(?:(?:and|also|please|pls|plz)\W+)?(?:no|don'?t|never|always|only|use|call me|whenever|when i|if i|dates?|next time|be|talk|treat|address|sign)\b"
        r"|\b(?:unless i|not [a-z]+ please|please)\W*$|^\W*(?:不要|别|不准|不许|禁止|统一|请用|叫我|称呼|回复|回答|以后|凡是|每次|只用|只要)"
    ),
    "given": re.compile(
        r"\b(?:since|as|because|bc|given(?: that)?|seeing as|considering|with|like)\W+(?:i|i'm|im|we|we're|we've|my|me|our|us)\b|^\W*as an? |\b(?:can|could|should|would|do) (?:i|we|my)\b"
        r"|(?:我|我们|我家)[^,?]{2,16}[, ][^?]*(?:吗|怎么|什么|咋|啥|能|哪|不)|像我|作为"
    ),
    "fiction": _words(
        "character|novel|story|show|episode|season|series|documentary|youtube|reddit|horoscope|apparently|transcript|sample|test|exercise|essay|once upon",
        "小说|电视剧|剧里|综艺|主播|博主|网友|听说|据说|传说|同人|段子|抖音|微博|小红书|公众号|例句|造句|作文",
    ),
    "greeting": re.compile(
        r"^\W*(?:hi|hey|hello|yo|morning|good (?:morning|evening|night)|g'day|arvo|night|bye|thanks?|thx|thnx|cheers|ta|ok|okay|kk?|lol|haha+"
        r"|great|nice|cool|brilliant|perfect|sure|yep|yeah|yes|hmm+|wow|congrats|sorry|right|love (?:it|this))\b"
        r"|^\W*(?:你好|您好|嗨|哈喽|早|晚安|谢|多谢|辛苦|好的|好滴|嗯|哦|行|收到|再见|拜|哈哈|呵呵|在吗|不客气|ok)"
    ),
    "hypothetical": _words(
        "if i|if we|if you|if someone|if only|what if|would|imagine|suppose|assume|say i|say you|hypothetically|in theory|wish|maybe|might|someday|one day|let's say",
        "如果|要是|假如|假设|假使|万一|就好了|说不定|哪天|有一天|想象|倘若|的话",
    ),
    "role": re.compile(
        r"\*[^*\n]{2,}\*|\b(?:pretend|imagine|role ?-?play|in character|you are an?|you're an?|you're my|my (?:novel|character|story))\b|扮演|角色|假装|设定|台词|剧本|小说|主角|本座|朕|本宫"
    ),
    "quote": re.compile(r"[\"《]|(?:^|\s)'[^']+'(?:\s|$)"),
    "quoted_i": re.compile(r"\"[^\"]*(?:\b(?:i|i'm|my|me|we)\b|我)[^\"]*\""),
    "speech": _words("said|says|say|told|tells|goes|wrote|quote|lyrics?|film|movie|song|book|paper reports", "说|表示|告诉|写道|歌词|电影|书里|台词|新闻|报道|据|网上|原文"),
    "code": re.compile(r"[{};`\\]|=\s|\w\(|\bdef |\bselect |traceback|https?:|</?\w+>|\\n|\w\.\w+\(|error:"),
    "mood": _words(
        "tired|bored|boring|excited|ugh+|arg+h+|omg|lol|lmao|haha+|hungry|sleepy|knackered|sad|happy|angry|annoyed|nervous|confused|gutted|cry|scream|fml|stressed|low|sore|stuck|crazy|wow|yay|bleugh",
        "累|烦|困|哈哈|饿|开心|难过|郁闷|无聊|崩溃|气死|紧张|激动|笑死|呜|唉|救命|好热|好冷|天气|[😂🤣😭😡😬💀🥰🙏]",
    ),
    "life": _words(
        "live|lives|living|moved|from|born|work|works|working|job|study|studying|studied|married|engaged|divorced|retired|school|uni|degree|speak|speaks|grew up|own|have|i've|we've|has|got|named|called|name's|name is|years?",
        "住|工作|上班|搬|毕业|结婚|离婚|出生|退休|读[研博书大]|老家|籍贯|开了?家|养了?|叫|今年|岁|专业|公司|买了|换了|考[上过研]|怀孕|当[了老医]",
    ),
    "health": _words(
        r"allerg\w+|intoleran\w+|diagnos\w+|diabet\w+|asthma\w*|coeliac|celiac|vegan|vegetarian|medication|tablets|mg|surgery|pregnant|blood|therap\w+|deaf|blind|wheelchair|disorder|chronic|migraines?|hip|halal|kosher",
        "过敏|确诊|糖尿病|高血压|哮喘|手术|怀孕|吃素|素食|乳糖|药|近视|住院|复查|痛风|偏头痛|慢性|血糖|清真",
    ),
    "task": _words(
        r"done|finish\w*|approved|pending|submitted|ordered|paid|waiting|status|refund\w*|ticket|order|invoice|deliver\w*|arrived|application|applied|booked|merged|closed|draft|chapter|halfway|version|blocked|due|sent|received|accepted|rejected|replacement|quote|claim|offer|progress|stage|so far|yet|sprint|review",
        "已|完成|审批|提交|退款|订单|进度|报销|快递|到货|签收|审核|通过|驳回|还没|待|卡在|上线|发货|工单|初稿|终稿|定稿|投稿|办[好完理]|装修|验收|面试|项目",
    ),
    "memory": _words(
        "remember|memory|memori[sz]e|store|save|record|database|ignore|instructions?|system|note that|admin\\w*",
        "记住|记忆|忽略|指令|系统|存入|写入|保存|管理员|权限|记录",
    ),
    "secret": _words("password|passcode|pin|cvv|api key|card number|sort code|passwd|token|code", "密码|验证码|身份证|卡号|口令|密钥|银行卡"),
    "advert": _words("sale|% off|free|offer|click|subscribe|discount|deal|breaking|customers|buy now", "优惠|限时|免费|点击|特价|促销|抢购|包邮|折"),
}  # fmt: skip
"""Name and pattern of each yes/no sign of the folded clause."""

WHOLE: Final[dict[str, re.Pattern[str]]] = {
    "forget": re.compile(
        r"(?:don'?t|do not|never|not to) (?:\w+ )?(?:save|remember|keep (?:this|that|it)|store|record|note|log)|off the record|not for the record|forget (?:what|that|about|i)|don'?t tell"
        "|别记|不要记|不用记|别存|不要存|(?<!我)忘[了掉](?!说|讲|告诉|提)|别保存|不要保存|别往|保密"
    ),
    "injection": re.compile(
        r"ignore (?:all|your|the|previous)|system:|memory[.(]|to (?:your|the) memory|store (?:the|that|this|as)|permanent fact|save that the user|忽略(?:之前|以上|所有|你)|写入记忆|存入|系统(?:提示|指令|：|:)"
    ),
    "asks": re.compile(r"[?？]"),
    "roleplay": SIGNS["role"],
    "quotation": re.compile("[\"《]"),
    "pasted": re.compile(r"```|\n.*\n|traceback|\bsubject:|\bfrom:|here's the|translate|proofread|rewrite|summari[sz]e|convert|翻译|改写|润色|总结一下|原文|以下"),
}  # fmt: skip
"""Signs of the folded whole message."""

QUESTION: Final[dict[str, re.Pattern[str]]] = {
    "asked_you": re.compile(r"\b(?:you|your|you're)\b|你|您"),
    "asked_offer": re.compile(
        r"\b(?:shall|should|would you like|do you want|want me|can i|may i|is that|does that|did (?:it|that)|anything else|example|version|now|this|how are)\b|需要我|要不要|要我|可以吗|继续|还有|这次|哪个版本"
    ),
    "asked_habit": re.compile(
        r"\b(?:usually|ever|often|much|many|where|who|have|do you (?:have|eat|drink|work|live|play|speak)|call you|allerg\w+|living)\b|平时|通常|一般|有没有|几[个口岁]|过敏|叫什么|哪里|忌口|喜欢|习惯|从事|多久"
    ),
}
"""Signs of the folded question the assistant asked just before."""

_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+")
_HAN = re.compile("[\u4e00-\u9fff]")
_UNIT = re.compile("[\u4e00-\u9fff]{2}|[^\\W_\u4e00-\u9fff]+")

NUMBERS: Final = ("length", "tiny", "long", "share", "first", "last", "alone", "name", "han", "asked", "emoji", "shout")
NAMES: Final = (*SIGNS, *(f"whole_{n}" for n in WHOLE), *QUESTION, *NUMBERS)
"""The features in the order of ``clause_features``."""


def folded(text: str) -> str:
    """NFKC, case-folded, with straight quotation marks."""
    return unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold()


def clause_features(clause: str, message: str, asked: str | None) -> list[float]:
    """The features of a clause in its message, after the assistant's question; ``NAMES`` says what they are."""
    return [
        *_found(SIGNS, folded(clause)),
        *_found(WHOLE, folded(message)),
        *_found(QUESTION, folded(asked or "")),
        *_numbers(clause, message, asked),
    ]


def _found(patterns: dict[str, re.Pattern[str]], text: str) -> list[float]:
    return [float(pattern.search(text) is not None) for pattern in patterns.values()]


def _numbers(clause: str, message: str, asked: str | None) -> list[float]:
    words, place = len(_UNIT.findall(clause)), max(0, message.find(clause))
    after = len(message) - place - len(clause)
    return [
        math.log1p(words) / 3,
        float(words <= 2),
        float(words >= 25),
        min(1.0, len(clause) / max(1, len(message))),
        float(place == 0),
        float(after <= 1),
        float(place == 0 and after <= 1),
        float(_NAME.search(clause) is not None),
        float(_HAN.search(clause) is not None),
        float(asked is not None),
        float(any(ord(c) >= 0x1F300 for c in clause)),
        float(clause.rstrip().endswith(("!", "！"))),
    ]
