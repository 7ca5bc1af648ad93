"""What is true only for now, or not at all: moods, errands, what would be if, what a film says."""

from __future__ import annotations

import re

from edgemem.text import fold

_LASTING = re.compile(
    r"\b(?:always|every|usually|often|never|since|chronic|for (?:years|months|\d+)|whenever|each|any ?more|these days|normally|allergic)\b|经常|每[天周月年次个晚早]|一直|总是|老是|长期|慢性|从小|多年|平时|习惯|一向|天生|以[后後]|今[后後]|就(?:会|要)?(?:睡不着|失眠|头[疼痛晕]|犯?困|[胃肚]子?[疼痛]|拉肚子|紧张|心慌|想吐|过敏)|\bfrom now on\b|\bin future\b"
)
_MOOD = "tired|sleepy|exhausted|knackered|shattered|hungry|starving|thirsty|bored|stressed|hungover|grumpy|freezing|boiling|sweating|swamped|nervous|excited|fed up|overwhelmed|dizzy|gutted"
_STATE = re.compile(
    rf"\b(?:i['’]?m|i am|im|feeling|feel|so|too|super|really|dead|bit) (?:\w+ )?(?:{_MOOD})\b|^\W*(?:ugh|argh|god|omg|man)?\W*(?:{_MOOD})\b"
    r"|^\W*(?:(?:i['’]?m|i am|im|currently|stuck|still|sat|just) )*(?:in|on|at) (?:a|the|my|this) (?:meeting|call|lecture|class|queue|train|bus|tram|plane|way|break|loo|bath|car|gym|airport)\b"
    r"|\b(?:i['’]?m|im|i am) just \w+ing\b|\bin traffic\b|\bon my way\b|\bcan['’]?t talk\b|\b(?:phone|battery)(?:['’]?s| is)? (?:at|on|about to|nearly|almost)\b"
    r"|(?:好|太|有点|现在|今天|今晚|刚|快|要)[^，,]{0,4}(?:累|困|饿|烦|渴|无聊|头疼|头晕|紧张|难过|郁闷|崩溃)|[困累饿烦热冷急气]死|[累困饿](?:坏|瘫|趴)"
    r"|(?:正|现在|正在|还在|刚)(?:在)?(?:开会|堵车|排队|加班|赶车|路上|等车|上课|洗澡|做饭)|没电了|信号[^，,]{0,4}(?:差|不好|弱|断)|加载不出|网[^，,]{0,2}[卡慢]|睡不着了?$|昨晚[^，,]{0,6}(?:没睡|才睡|失眠)|等会儿?再[聊说]|先不聊"
    r"|^我?(?:还|正|现在|已经|就)*在(?:路上|车上|地铁上|高铁上|飞机上|外面|超市|排队|写作业|洗|收拾|打扫|发呆|等(?:公交|车|地铁|电梯|外卖|快递|人|他|她|朋友|位|菜|红灯))"
)
_MOMENT = re.compile(
    r"\b(?:can['’]?t|cannot|couldn['’]?t) (?:find|decide|open|log ?in|connect|figure|pick|choose between|see (?:what|why|where))\b"
    r"|\b(?:get|gets|getting|got|throws?|throwing|gives?) (?:me )?(?:(?:an?|the|this|that|some) )?(?:\w+ )?(?:error|exception|warning|40\d|50\d)s?\b|\bnothing (?:changed|happens|happened)\b"
    r"|\bjust (?:knocked|spilled|spilt|dropped|woke|ate|stepped|sat|opened|closed|got (?:home|back|in|up|off)|(?:finished|had) (?:lunch|dinner|breakfast|work))\b"
    r"|\b(?:driving|drives) (?:me|us|everyone) (?:\w+ )?(?:nuts|mad|crazy|insane|bonkers|up the wall)\b"
    r"|\bforget how to (?:spell|pronounce|write|say)\b|\bcan['’]?t (?:spell|type|think|focus|concentrate|read (?:my|this|the)|see straight)\b"
    r"|\b(?:ran|bumped) into (?:my|our|an?|the) [\w ]{2,30}(?:at|in|on)\b"
    r"|把[^，,]{1,6}(?:烤糊|煮糊|烧糊|炒糊|打翻|洒|弄脏|忘在|落在)|(?:今天|今早|早上|上午|中午|下午|晚上)[^，,]{0,6}(?:打扫|收拾|洗了|倒了垃圾|遛了|逛了|买了[点些]|吃了|喝了)"
    r"|刚(?:才|刚)?(?:骑车|坐车|走路|打车|把|到家|到公司|到办公|下班|下课|吃完|喝完|洗完|睡醒|醒|起床|回来|回到|出门|开完|忙完|打翻|收工)"
    r"|(?:选不出|选不定|算不清|看不懂|想不出|想不起|找不[着到]|登不上|连不上|打不开|写不出|搞不定|定不下|决定不了)"
    r"|还是(?:不行|没用|报错|一样|不对|没反应)|报(?:错|[45]\d\d)|编译(?:不)?(?:过|通过)|等着呢?$|在等着|(?:今晚|今天|今早|中午|晚上)(?:想)?(?:做|吃|喝|煮|炖|炒|点)(?!了?手术|检查)[^，,]{1,8}$"
)
"""What goes wrong, falls down or is on the stove just now."""

_JOKE = re.compile(
    r"\b(?:i['’]?d|i would|i could|i['’]?ll|i will|gonna|going to|about to|ready to) (?:literally |happily |gladly |honestly |totally |probably )?(?:kill|murder|strangle|die|scream|explode|marry (?:this|that|the|whoever)|eat a horse|sell (?:my|our|a) (?:soul|kids?|children|son|daughter|mother|mum|mom|husband|wife|brother|sister|kidney)|give (?:my|a|an) (?:\w+ )?(?:arm|leg|kidney|kingdom))\b"
    r"|\bis (?:such )?an? (?:absolute |total |actual |complete |literal |real )?(?:saint|angel|monster|nightmare|legend|menace|gremlin|demon|goddess)\b|\b(?:king|queen) of (?!spades|hearts|clubs|diamonds|the )\w+|\bin human form\b"
    r"|(?:卖了|拿去|换)(?:我)?(?:换|去换)?[^，,]{0,4}(?:奶茶|咖啡|火锅|可乐|烧烤)|吃(?:得|的)下一?头|(?:我|他|她|娃|公|婆)[^，,]{0,6}(?:是|就是|简直是?|真是)[^，,]{0,4}(?:女王|之王|魔王|圣人|恶魔|魔鬼|活菩萨|咸鱼|废物|僵尸|神兽)|(?:想|要|快)(?:掐死|打死|笑死|疯了?$)"
)
"""Exaggerations nobody means."""

_IF = re.compile(
    r"^\W*(?:and |but |so |ok |lol |haha )*(?:if (?:i|we|only|you|they)\b|what if\b|i wish\b|suppose\b|imagine\b|let['’]?s say\b|say (?:i|we)\b|hypothetically\b|in another life\b)"
    r"|\bif i (?:ever )?(?:won|were|had|could|was)\b|\bin my dreams\b"
    r"|^\W*(?:那|哎|唉)?(?:如果|要是|假如|假设|假使|倘若|万一|想象一下)|^(?!.*(?:先|再|重[启装新]|关[掉了]|打开|换[成个]|改[成了]|卸|删|调|拔|插|按|把|用|加)).*就好了$|(?:下辈子|做梦)"
)
_THEN = re.compile(
    r"^\W*(?:then |and )?(?:i['’]d|i would|we['’]d|we would|the first thing)\b|^\W*(?:我?就|那我|第一件事|然后)"
)
_ORDER = re.compile(
    r"\W*(?:ok |and |now |then |so |please |pls |can you |could you )*(?:give|tell|show|write|make|send|list|find|draw|draft|get|bring|suggest|recommend|name) (?:me |us )?(?:a|an|one|two|three|four|five|ten|\d+|some|another|any|more|ideas)\b"
    r"|\s*(?:请|麻烦)?(?:再)?(?:帮我|给我|替我)?(?:写|来|讲|列|起|想|推荐|找|画|编)(?:一|两|三|几|点|些)?[个首篇段封份条句张点些]"
)
_ELSEWHERE = re.compile(
    r"^\W*(?:in|on) (?:the|that|this|a) (?:\w+ )?(?:film|movie|book|novel|show|series|song|podcast|episode|documentary|video|article|game)\b"
    r"|(?<!my )(?<!our )\b(?:article|paper|website|post|guy online|ad|horoscope|lyrics?|proverb) (?:says?|said|claims?|goes)\b"
    r"|^\W*(?:best|regards|kind regards|best regards|sincerely|yours|cheers|dear)\b[^.!?]{0,40}[,.]?$"
    r"|^\W*(?:招聘|星座|歌里|此致|敬礼|网上|新闻|书里|书上|电影里|电视[剧里]|剧里|小说里|歌词|听说|据说|有人说|抖音|小红书|公众号|俗话)"
)


_REACTION = re.compile(
    r"^\W*(?:(?:no|nope|nah|hmm|ugh|ok|yes|haha|sorry)\W+)*(?:i )?(?:really )?(?:don['’]?t|do not|didn['’]?t|hate|love|loved|like|liked) (?:like |want |need |get |mean |ask for )?(?:that|this|these|those|your|it(?! when| if))\b"
    r"|^\W*(?:我)?(?:不(?:太)?喜欢|讨厌|喜欢|不要|不想要)(?:你|这个|那个|这版|第[一二三]|[，,。]|$)|^[^，,\s]*我[^，,\s]*你(?:刚|给|说|写|这|那|上)[^，,\s]*$|^[^，,\s]*你(?:刚|给我|上次)[^，,\s]*$"
)


_NODS = re.compile(
    r"\W*(?:fun(?:ny)?|nice|great|good|cool|lovely|sweet|cute|hard(?: work)?|tough|tricky|weird|strange|sad|fair|exactly|totally|true|[a-z]+(?=, also))"
    r", ?(?:also |definitely |oh )?(?:yes|yeah|yep|sure|indeed)\W*"
)


def reaction(clause: str) -> bool:
    """Whether a clause only answers what the assistant just wrote: "don't like it", "fun, yes", 我不喜欢你这个语气."""
    text = fold(clause)
    if _NODS.fullmatch(text):
        return True
    return len(text) <= 50 and _REACTION.search(text) is not None and _LASTING.search(text) is None


_ANNOUNCES = re.compile(
    r"\W*(?:(?:a|one|just|another|quick|next|different|other|last|short) )*(?:quick (?:one|thing)|questions?|one more question|query)\s*[:,—–-](?!.*\b(?:i|my|me|we|our)\b)"
    r"|\s*(?:再?问(?:一下|个问题|你)?|另一个问题|还有个问题|请教(?:一下|个问题)?)\s*[:：,，](?!.*我)"
)


def announces(clause: str) -> bool:
    """Whether a clause only says what the next question is about: "quick one: oil or butter,"."""
    return _ANNOUNCES.match(fold(clause)) is not None


_ADJUSTS = re.compile(
    r"\W*(?:ok |and |now |but |please |make it )*(?:(?:a (?:bit|little|touch)|slightly|much|even) )?(?:more [a-z]+|less [a-z]+|shorter|longer|simpler|softer|warmer|friendlier|funnier|clearer|bolder)(?: please| pls| now)?\W*"
    r"|(?!.*[了我])(?:请|再|更|稍微|稍|改得?|写得?|换得?|弄得?|要)*[一-鿿]{1,3}(?:一些|一点儿?|点儿?|些)[吧呗哈啊]?\W*"
)


def adjusts(clause: str) -> bool:
    """Whether a clause that answers nothing only asks for the last answer in another tone or length: "a bit shorter", 再正式一些."""
    return _ADJUSTS.fullmatch(fold(clause)) is not None


def wanted_now(clause: str) -> bool:
    """Whether a clause orders one piece of work: "give me three titles", 帮我写首诗."""
    text = fold(clause)
    return _ORDER.match(text) is not None and _LASTING.search(text) is None


def passing(clause: str) -> bool:
    """Whether a clause tells a mood, a mishap, a place or an errand that is over by tomorrow, or exaggerates for fun."""
    text = fold(clause)
    if _JOKE.search(text) is not None:
        return True
    at_once = _STATE.search(text) is not None or _MOMENT.search(text) is not None
    return len(text) <= 60 and at_once and _LASTING.search(text) is None


_THIS_ONCE = re.compile(
    r"\b(?:only|just) (?:for|in|during) (?:this|the current) (?:one )?(?:chat|conversation|session|thread|message|reply|answer|task|exercise|question|game)\b"
    r"|\bfor (?:this|the current) (?:one )?(?:chat|conversation|session|thread|reply|answer|exercise|game)(?: only| alone)?(?=\s*(?:$|[,.;!]))|\bjust (?:this once|for once)\b"
    r"|(?:只|仅|就)(?:在|限于?|用于|是)?(?:这次|本次|这一次|这个|当前|这轮)的?(?:聊天|对话|会话|回答|任务|游戏)|(?:这次|本次|这轮)(?:聊天|对话|会话)(?:里|中|内)?(?:先|就|请|你)?(?:叫|用|称呼|按|说)|仅此一次|下次(?:就)?(?:不用|别|恢复)"
)
"""What is wished for one conversation or one answer."""


def this_once(clause: str) -> bool:
    """Whether a wish is for this conversation only: "just for this chat, call me Captain"."""
    return _THIS_ONCE.search(fold(clause)) is not None


def unreal(clause: str, before: str | None) -> bool:
    """Whether a clause tells what would be if something were so; also as the second half of such a sentence."""
    text = fold(clause)
    if _IF.search(text):
        return True
    return before is not None and _IF.search(fold(before)) is not None and _THEN.match(text) is not None


def elsewhere(clause: str) -> bool:
    """Whether a clause tells what a film, a book or other people online say."""
    return _ELSEWHERE.search(fold(clause)) is not None
