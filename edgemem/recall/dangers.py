"""What is dangerous to forget: an allergy, when the talk is of dinner, stands in few words of the question.

Rules over English and Chinese, both sides: what the question is about, and what a memory must speak of. They add
candidates and take none away, so where they see nothing, recall goes on as ever.
"""

from __future__ import annotations

import re

from edgemem import foods
from edgemem.recall.question import Look
from edgemem.store import fulltext, memories
from edgemem.text import comparable

MOST = 20
"""Memories of dangers that are looked at for one question."""

_FOOD = re.compile(
    r"\b(?:eat(?:ing|s)?|foods?|meals?|dinners?|lunch(?:es)?|breakfasts?|brunch|supper|snacks?|cook(?:ing|s)?|recipes?|restaurants?|menus?|dish(?:es)?"
    r"|cafes?|baking|bake|cakes?|desserts?|drinks?|groceries|catering|picnics?|barbecue|bbq|potluck|takeaway|takeout|dine|dining"
    rf"|fruits?|spices?|ingredients?)\b|\b{foods.LATIN}"
    r"|吃|饭|餐|菜|食|做饭|点心|零食|烧烤|聚会|火锅|外卖|甜品|蛋糕|宵夜|喝|坚果|花生|海鲜|水果|鸡蛋|牛奶|忌口"
)
DRUGS = re.compile(
    r"\b(?:medicines?|medications?|pills?|drugs?|painkillers?|antibiotics?|dose|doctor|vaccines?|headache|fever|flu|cold|cough|ill|sick|hospital|surgery|pharmacy)\b"
    r"|药|医生|医院|疫苗|头疼|头痛|发烧|感冒|咳嗽|生病|手术|抗生素"
)
_EFFORT = re.compile(
    r"\b(?:sports?|exercises?|workouts?|gym|running|marathon|hik(?:e|ing)|climb(?:ing)?|div(?:e|ing)|swim(?:ming)?|training|flights?|fly(?:ing)?|trips?|travel)\b"
    r"|运动|锻炼|健身|跑步|马拉松|爬山|潜水|游泳|训练|飞行|旅行|旅游"
)
_NOT_TO_EAT = (
    "allergic allergy allergies intolerant intolerance anaphylaxis celiac coeliac diabetes diabetic vegan vegetarian halal kosher"
    " pregnant gluten lactose 过敏 不耐受 糖尿病 素食 吃素 清真 怀孕 忌口 痛风"
)
_NOT_TO_TAKE = (
    "allergic allergy allergies anaphylaxis pregnant breastfeeding asthma epilepsy thinner thinners kidney liver 过敏 怀孕 哺乳"
    " 哮喘 癫痫 高血压 心脏病 肾病 肝病"
)
_NOT_TO_DO = "asthma epilepsy pacemaker pregnant pregnancy vertigo dizziness haemophilia 哮喘 癫痫 心脏病 起搏器 怀孕 高血压 恐高"
_DANGERS = (
    (_FOOD, _NOT_TO_EAT, ("allergy", "diet")),
    (DRUGS, _NOT_TO_TAKE, ("allergy",)),
    (_EFFORT, _NOT_TO_DO, ()),
)
"""What a question speaks of; words, and attributes, of the memories that matter then."""


def dangers(look: Look) -> list[int]:
    """Keys of memories that speak of a danger in what the question is about, best first."""
    text = comparable(look.question.text)
    found: dict[int, float] = {}
    for asked, told, attributes in _DANGERS:
        if asked.search(text):
            found |= dict.fromkeys(memories.telling(look.tx, look.user, attributes, MOST), 0.0)
            found |= dict(fulltext.search(look.tx, "memory_fts", look.user, told, MOST))
    return sorted(found, key=lambda key: -found[key])
