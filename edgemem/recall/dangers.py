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
from edgemem.times import to_db

MOST = 20
"""Memories of dangers that are looked at for one question."""

_FOOD = re.compile(
    r"\b(?:eat(?:ing|s)?|foods?|meals?|dinners?|lunch(?:es)?|breakfasts?|brunch|supper|snacks?|cook(?:ing|s)?|recipes?|restaurants?|menus?|dish(?:es)?"
    r"|cafes?|baking|bake|cakes?|desserts?|drinks?|groceries|catering|picnics?|barbecue|bbq|potluck|takeaway|takeout|dine|dining"
    rf"|fruits?|spices?|ingredients?)\b|\b{foods.LATIN}"
    r"|吃|饭|餐|菜|食|做饭|点心|零食|烧烤|聚会|火锅|外卖|甜品|蛋糕|宵夜|喝|水果|忌口"
    rf"|{foods.HAN}"
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
_FOOD_NAMED = rf"(?:\b{foods.LATIN}|{foods.HAN})"
_ILL_WORDS = (
    "ill sick unwell nausea nauseous vomits rash hives cramps bloated tolerate digest stand"
    " 吃不 喝不 就吐 就拉 就疼 就痛 就肚 就胃 就头 就痒 就不"
)
"""One of them stands in each such sentence; no more than ``fulltext.MAX_TOKENS`` are looked for."""
_MADE_ILL = re.compile(
    rf"\b(?:ill|sick|unwell|nause\w+|vomit\w*|rash|hives|cramps|bloated)\b.*\b(?:from|after|of|by|when)\b.*{_FOOD_NAMED}"
    rf"|{_FOOD_NAMED}.*\b(?:makes?|gives?)\b.*\b(?:ill|sick|unwell|nause\w+|rash|hives|cramps|bloated)\b"
    rf"|\b(?:can(?:no|['’])?t|can not|does(?:n['’]t| not)|do(?:n['’]t| not)) (?:stand|tolerate|digest)\b.*{_FOOD_NAMED}"
    rf"|(?:吃|喝|碰).{{0,3}}(?:{foods.HAN}).{{0,3}}就|(?:吃|喝|碰)不了.{{0,2}}(?:{foods.HAN})"
)
"""A food that makes ill, or is not borne, in a sentence without the word for an allergy."""
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
    if _FOOD.search(text):
        found |= dict.fromkeys(_made_ill(look), 0.0)
    return sorted(found, key=lambda key: -found[key])


def _made_ill(look: Look) -> list[int]:
    keys = [key for key, _ in fulltext.search(look.tx, "memory_fts", look.user, _ILL_WORDS, MOST)]
    live = memories.live_words(look.tx, look.user, keys, to_db(look.now), kinds=frozenset(), namespace=None)
    return [key for key, content in live.items() if _MADE_ILL.search(comparable(content))]
