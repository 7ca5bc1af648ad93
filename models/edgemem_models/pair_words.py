"""The words that ``pair_signs`` looks for, English and Chinese: change, negation, people, contrasts, opposites."""

from __future__ import annotations

import re
from typing import Final

from edgemem_models.pair_numbers import DAYS, MONTHS


def _found(english: str, other: str = "") -> re.Pattern[str]:
    whole = rf"(?<![\w'])(?:{english})(?!\w)"
    return re.compile(f"{whole}|{other}" if other else whole)


SIGNS: Final[dict[str, re.Pattern[str]]] = {
    "negation": _found(
        r"not|no|never|none|nothing|without|neither|nor|cannot|unable|hardly|\w+n['’]t|avoids?|refus\w+|forbid\w*|forbidden|prohibited|off limits|free of",
        "不(?!过|久|同|错|仅|但)|没|无(?!论)|未|别(?!的|人)|非(?!常)|勿|禁|戒|忌|拒",
    ),
    "ended": _found(
        r"no longer|any ?more|any longer|not .{2,30} any ?more|stopped|quit|gave up|given up|dropped|ended|used to|former(?:ly)?|left|sold|lost|died|dead"
        r"|cancelled|canceled|called off|fell through|discontinued|withdr[ae]w\w*|laid off|retired|got rid|done with|is off",
        "不再|已经不|停了?|辞|取消|退出|卖[掉了]|去世|离开|离职|放弃|戒|撤回|作罢|没成|报废|解散|停用|下线|关了|不了[。，]?$|不[^，。]{1,8}了",
    ),
    "changed": _found(
        r"now|moved|switched|changed|replaced|instead|migrated|swapped|traded|became|become|turned|went over|went back|gone back|since then|from now on|these days"
        r"|nowadays|lately|again|back|new|renamed|converted|started|has started|reassigned|took over|taken over|handed over|relocated|by now|has been \w+ed|upgraded"
        r"|rescheduled|postponed|put off|extended|pushed|raised|cut|reduced|went up|goes up|increased|lowered|grown|updated",
        "改|换|搬|转|迁|变|现在|如今|最近|从今|以后|今后|又|重新|升|降|涨|减|加到|延|推迟|提前|挪|调|恢复|开始|接手|新",
    ),
    "finished": _found(
        r"finished|completed|delivered|arrived|paid|passed|accepted|approved|fixed|repaired|solved|settled|found|signed|got|received|returned|done|closed|merged|has been \w+ed|came back|learned|born|married|engaged",
        "了[。.]?$|已|完|好了|到账|签收|通过|拿到|修好|找到|结清|出来|考[过上下]|学会|生了|毕业|入职|领证|终于|批准",
    ),
    "corrected": _found(
        r"wrong|mistake|mistaken|typo|mistyped|actually|in fact|correction|not in|not on|after all|misdiagnosis|mixed up|turned out|never \w+ed",
        "不是|写错|记错|错了|笔误|其实|更正|误诊|有误|不对|应为|之前记|误",
    ),
    "allowed": _found(r"may|allowed|permitted|allows?|permits?|free to|okay to|fine", "可以|允许|准许|能(?!不)|让"),
    "forbidden": _found(r"may not|not allowed|not permitted|isn['’]t allowed|must not|forbidden|banned|prohibited|off limits", "不许|不准|不能|禁止|不让|不可|不允许|别"),
    "likes": _found(r"likes?|loves?|enjoys?|fond|favou?rite|prefers?|fan|adores?|keen|rather|taste", "喜欢|爱|偏好|最爱|钟爱|迷上|喜好"),
    "dislikes": _found(r"hates?|dislikes?|detests?|can['’]t stand|loathes?|doesn['’]t like|afraid|scared|fears?|terrified", "讨厌|不喜欢|受不了|恨|怕|不爱|反感|恐"),
    "repeats": _found(r"every|each|weekly|daily|monthly|a (?:day|week|month|year)|always|usually|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|nightly", "每|总|一直|经常|平时|习惯"),
    "when": _found(
        r"in (?:19|20)\d\d|last (?:week|year|month|spring|summer|autumn|winter)|ago|yesterday|" + "|".join(f"(?:in|on) {m}" for m in MONTHS) + "|" + "|".join(f"on {d}" for d in DAYS),
        r"(?:19|20)\d\d年|去年|前年|上周|上个?月|昨天|\d+月|[一二三四五六七八九十]月|周[一二三四五六日]",
    ),
    "wish": _found(r"wants?|would like|plans?|intends?|hopes?|is going to|will|goal", "想|打算|计划|准备|希望|要"),
    "rule": _found(r"assistant|answers?|repl(?:y|ies)|addressed|called|reminders?|reminded", "助手|回答|回复|答复|称呼|提醒|叫"),
    "only": _found(r"only|just|exclusively|nothing but|solely", "只|仅|唯一|光"),
    "also": _found(r"also|too|as well|another|other|second|both", "也|还(?!没)|另|又|再次|其他"),
    "because": _found(r"because|since|due to|so that|for the sake|after|thanks to", "因为|由于|所以|为了"),
    "has": _found(r"has|have|owns?|had|keeps?|got", "有|养"),
    "bought": _found(r"bought|paid|ordered|gave|lent|visited|went|ran|met|borrowed|travelled|read|saw|sold|donated", "买|付|订|给|借|去过|跑|见|捐|花了|参加"),
    "skilled": _found(r"speaks?|plays?|knows?|knits?|sings?|studie[sd]|learn\w*", "会|学|懂|弹|拉|打球|唱"),
    "home": _found(r"lives?|based|home|address|resides?|rents?|moved", "住|定居|家在|租|搬"),
    "work": _found(r"works?|job|employed|employer|boss|manager|company|leads?|team", "工作|上班|公司|领导|负责|任职|团队|岗位"),
    "value": _found(r"costs?|salary|rent|price|budget|port|version|size|weighs?|height|deadline|due|runs on|uses?|called|named|password|number|age|years old", "端口|版本|价|工资|房租|预算|体重|身高|截止|名叫|叫|用|岁|元|号"),
    "state": _found(r"pending|waiting|open|draft|shipped|sent|booked|in review|submitted|applied|assigned|due|unpaid|scheduled|being", "等|待|在审|进行|处理|发货|预约|预订|申请|提交|还没|尚未|正在|未"),
}  # fmt: skip
"""Name and pattern of each yes/no sign of one folded sentence."""

PEOPLE: Final[dict[str, re.Pattern[str]]] = {
    "mother": _found("mother|mum|mom", "妈|母亲"),
    "father": _found("father|dad", "爸|父亲"),
    "parents": _found("parents?", "父母"),
    "sister": _found("sisters?", "姐|妹"),
    "brother": _found("brothers?|twin", "哥|弟"),
    "son": _found("sons?", "儿子"),
    "daughter": _found("daughters?", "女儿"),
    "child": _found("child|children|kids?|baby", "孩子|宝宝|娃"),
    "spouse": _found("wife|husband|spouse|partner|girlfriend|boyfriend|fianc[eé]e?", "老公|老婆|妻|丈夫|太太|先生|爱人|对象|伴侣|女朋友|男朋友|女友|男友"),
    "grand": _found(r"grand\w+|nan|granny", "爷爷|奶奶|外公|外婆|姥"),
    "kin": _found("aunt|uncle|cousin|nephew|niece|[a-z]+-in-law", "姑|姨|叔|舅|表[哥姐弟妹]|堂[哥姐弟妹]|侄|外甥|岳|婆婆|公公|嫂|姐夫"),
    "friend": _found("friends?|flatmate|roommate|housemate|best man", "朋友|闺蜜|室友|同学|发小"),
    "colleague": _found("colleagues?|coworkers?|intern|assistant|co-founder|team lead", "同事|助理|实习生|合伙人|搭档"),
    "boss": _found("boss|manager|supervisor|lead", "领导|老板|上司|主管|导师"),
    "neighbour": _found("neighbou?rs?|landlord|landlady|tenant", "邻居|房东|房客"),
    "doctor": _found("doctor|dentist|physio\\w*|vet|teacher|coach|lawyer|client|customer", "医生|老师|教练|律师|客户|师傅"),
    "pet": _found("dogs?|cats?|puppy|kitten|horse|parrots?|tortoise", "狗|猫|鹦鹉|乌龟|兔|宠物"),
}  # fmt: skip
"""Name and pattern of each kind of person or animal."""

CONTRASTS: Final[tuple[tuple[re.Pattern[str], ...], ...]] = tuple(
    tuple(_found(*word) for word in group)
    for group in (
        (("prod(?:uction)?", "生产|线上"), ("staging", "预发"), ("tests?|testing", "测试"), ("dev(?:elopment)?|local", "开发|本地")),
        (("home|house|private", "家里|在家|私人"), ("work|office|company|colleagues", "公司|上班|工作"), ("school|children", "学校|孩子")),
        (("weekdays?|monday to friday", "工作日"), ("weekends?", "周末")),
        (("summer", "夏"), ("winter", "冬"), ("spring", "春"), ("autumn|fall", "秋")),
        (("morning|breakfast", "早|上午"), ("lunch|noon|afternoon", "午|下午"), ("evening|dinner|night|nightly", "晚|夜")),
        (("left", "左"), ("right", "右")),
        (("back|return|home", "回"), ("out|there|to", "去")),
        (("first", "第一|初"), ("second", "第二|二"), ("third", "第三|三"), ("last|final", "末|终")),
        (("phone", "手机|电话"), ("laptop|computer|mac", "电脑|笔记本"), ("tablet", "平板"), ("watch", "手表"), ("server", "服务器")),
        (("cat", "猫"), ("dog", "狗"), ("horse", "马"), ("bird|parrot", "鸟|鹦鹉")),
        (("car", "车(?!站)"), ("bike|bicycle", "自行车|单车"), ("train", "火车|高铁"), ("bus", "公交"), ("flight|plane|fl(?:y|ies|ew)", "航班|飞")),
        (("rent", "租"), ("mortgage|loan", "贷"), ("salary|pay|earns?", "工资|薪"), ("budget", "预算"), ("price|costs?", "价|费")),
        (("studied|grew up|born|used to|was|had|went|did|ran|visited", "以前|曾|过(?!敏)|出生|长大"), ("lives?|is|has|works?|owns?", "现在|住|在"), ("will|wants?|plans?", "要|想|打算|明年|下")),
    )
)  # fmt: skip
"""Groups of words that keep two statements apart when each has another one."""

ID = re.compile(r"\b[a-z]{1,5}-?\d{2,}\w*|#\s?\d+|(?<![\d.,])\d{3,}(?:-\w+)?(?![\d.,]*\d)")
"""A number that names a thing rather than counts: mixed with letters, after #, or of three digits and more."""

ID_NOUN = _found(
    "order|ticket|issue|pr|bug|case|invoice|room|flight|train|plot|number|case|version|claim|bus|line|contract",
    "订单|工单|房间|航班|编号|号线|路|合同|发票|单号|车次|期",
)
"""Things that are told apart by such numbers."""

YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
"""A year from 1900 to 2099."""

OPPOSITES: Final[tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]] = tuple(
    (_found(*a), _found(*b))
    for a, b in (
        (("likes?|loves?|enjoys?", "喜欢|爱"), ("hates?|dislikes?|detests?", "讨厌|受不了")),
        (("open|opens|opened", "开"), ("closed?|closes", "关|闭")),
        (("on|turned on", "开着"), ("off|turned off", "关着")),
        (("short|brief|concise", "简短|短"), ("long|detailed|thorough", "详细|长")),
        (("single", "单身"), ("married|engaged|partner|relationship", "结婚|已婚|领证|对象|订婚")),
        (("left", "左"), ("right", "右")),
        (("morning|early", "早|上午"), ("evening|night|late", "晚|下午|夜")),
        (("before", "前"), ("after", "后")),
        (("more|up|raised|increased", "多|升|涨|加"), ("less|down|cut|lowered|reduced", "少|降|减")),
        (("dark", "深色|暗"), ("light", "浅色|亮")),
        (("cash", "现金"), ("card", "卡")),
        (("started|began|takes up|taken up", "开始|重新"), ("stopped|quit|gave up", "停|戒|放弃")),
        (("approved|accepted|passed", "通过|批准|考过"), ("rejected|turned down|failed|refused", "驳回|拒|没过|挂")),
        (("lost|missing", "丢|没了"), ("found|back", "找到|找回")),
        (("remote\\w*|from home", "远程|在家"), ("office|on site", "办公室|到岗|坐班")),
    )
)  # fmt: skip
"""Pairs of words that turn a statement round."""
