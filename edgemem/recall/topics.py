"""Other words for what people ask a memory about, in English and Chinese: a job is where somebody works, 职业 too.

Used where a question finds little by its own words. Each group is what may stand for each other; words of a group
need not mean the same, only tell of the same matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from edgemem.text import comparable

_GROUPS = (
    "job work works working worked profession occupation career employer employed company office living 工作 职业 上班 公司 单位 任职 职位",
    "teach teaches teaching teacher professor lecturer subject 教 老师 教师 教书",
    "live lives living home house flat apartment address residence street moved settled 住 家 住址 地址 公寓 小区 房子 搬到 定居",
    "from hometown grew born native 老家 家乡 出生 籍贯", "rent landlord lease 房租 租 房东", "mortgage loan debt 房贷 贷款 债",
    "moved move moving relocate 搬 搬家", "eat eats eating food diet meal dish cook cuisine 吃 饮食 食物 菜 饭 忌口 口味",
    "allergy allergies allergic intolerant intolerance 过敏 不耐受", "vegetarian vegan gluten halal kosher 吃素 素食 清真",
    "drink drinks drinking coffee tea beverage milk 喝 饮料 咖啡 茶", "pet pets dog cat animal rabbit hamster 宠物 狗 猫 动物 养",
    "car cars drive drives driving vehicle 车 汽车 开车", "bike bicycle cycling cycle scooter 自行车 单车 骑车", "commute travel ride rides get 通勤 坐车",
    "trip trips travel travelled visit visited holiday vacation journey tour 旅行 旅游 去 度假 出差 游",
    "train trains plane planes fly flying flight flights 火车 高铁 飞机", "sport sports exercise gym run running runs marathon race training workout fitness 运动 跑步 锻炼 健身 比赛 马拉松 打球",
    "hobby hobbies interest interests pastime free 爱好 兴趣 业余", "music song songs band listen listens singer instrument 音乐 歌 乐器 听 琴",
    "play plays playing practise practising practice learning 弹 拉 练 学",
    "book books read reads reading novel writing writes author 书 读 看书 小说 写", "film films movie movies watch series show 电影 看 剧",
    "game games gaming 游戏", "language languages speak speaks speaking fluent 语言 会说 外语", "study studies studying studied university college degree student school major 读 大学 学习 专业 学校 研究",
    "exam exams test certificate qualification 考试 证书", "wife husband spouse married marriage partner 妻子 丈夫 老婆 老公 结婚 爱人",
    "anniversary wedding 纪念日 婚礼", "child children kid kids son daughter baby pregnant 孩子 儿子 女儿 宝宝 怀孕",
    "sibling siblings brother sister 兄弟 姐妹", "parent parents mother father mum mom dad 父母 爸爸 妈妈 爸妈",
    "birthday born birth age old 生日 出生 年龄 岁", "name called 名字 叫 姓名", "phone mobile number telephone 电话 手机 号码",
    "email mail contact contacted reach message messages calls 邮箱 邮件 联系", "health ill illness disease condition diagnosed 健康 病 身体",
    "doctor dentist surgeon physician clinic 医生 牙医 医院", "surgery operation operated 手术", "medicine medication tablets tablet pills pill drug drugs prescription 药 吃药 药片",
    "injury injured hurt knee back pain 受伤 伤 疼", "money budget spend cost price pay pays afford 钱 预算 花 价格 付", "saving save savings invest 存钱 攒钱 投资",
    "salary income earn earns 工资 收入 薪水", "buy bought purchase want wants plan plans planning buying 买 打算 想 计划", "computer laptop pc 电脑 笔记本",
    "goal goals dream aim 目标 梦想", "like likes love loves enjoy enjoys favourite favorite prefer prefers fan 喜欢 爱 最爱 偏好",
    "dislike dislikes hate hates avoid avoids never cannot 讨厌 不喜欢 不 避免 不能", "format style answer answers reply replies tone formatted 回答 格式 风格 语气",
    "team boss manager colleague colleagues report 老板 领导 同事 团队", "project projects working deadline 项目 截止 任务",
    "meeting meetings appointment appointments 会议 开会 预约", "key keys password code 钥匙 密码", "weekend monday tuesday wednesday thursday friday saturday sunday weekly 周末 每周 星期",
    "morning mornings early every daily 早上 每天 早晨", "religion church faith believe 宗教 信仰 教堂", "colour color 颜色", "size shoe clothes 尺码 鞋码 衣服",
    "renovate restoring restore repair repairs fix fixing 修 修理 装修",
)  # fmt: skip
"""One group a string; a word may be in several."""

_LATIN = re.compile("[a-z]+")
_HAN = re.compile("[\u3400-\u9fff]")


@cache
def _index() -> Mapping[str, frozenset[str]]:
    index: dict[str, set[str]] = {}
    for group in _GROUPS:
        words = group.split()
        for word in words:
            index.setdefault(word, set()).update(words)
    return {word: frozenset(others) for word, others in index.items()}


@cache
def _han_words() -> re.Pattern[str]:
    return re.compile("|".join(sorted((w for w in _index() if _HAN.match(w)), key=lambda w: (-len(w), w))))


def others(question: str) -> list[tuple[str, frozenset[str]]]:
    """The words of a question that stand in a group, each with the group's other words."""
    return [(word, _index()[word] - {word}) for word in dict.fromkeys(_words(comparable(question)))]


def _words(text: str) -> Iterator[str]:
    index = _index()
    yield from (w for w in _LATIN.findall(text) if w in index)
    if not text.isascii():
        yield from _han_words().findall(text)


def share(matters: Sequence[tuple[str, frozenset[str]]], content: str) -> float:
    """Share (0..1) of a question's matters that a text speaks of; 0 when it has none."""
    if not matters:
        return 0.0
    text = comparable(content)
    words = set(_words(text))
    return sum(not words.isdisjoint({word, *more}) for word, more in matters) / len(matters)
