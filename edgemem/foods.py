"""The words for foods and drinks that people avoid or are allergic to, in English and Chinese: the one list all rooms read."""

from __future__ import annotations

import re
from typing import Final

LATIN: Final = (
    "(?:eggs?|nuts?|peanuts?|almonds?|cashews?|hazelnuts?|walnuts?|gluten|wheat|dairy|milk|lactose|cheeses?|butter|fish|shellfish|seafood|prawns?|shrimps?|mussels|soya?|sesame|sugar|salt"
    "|caffeine|coffee|tea|alcohol|beer|wine|meat|pork|beef|chicken|honey|grapefruit|chocolate|spicy|bread|strawberr(?:y|ies)|kiwis?|mushrooms?|tomato(?:es)?|onions?|garlic|mustard|celery)\\b"
)
"""A pattern of them, one or several of each, to its last letter; for text in small letters or read without regard to case."""

HAN: Final = (
    "花生|核桃|腰果|杏仁|榛子|开心果|坚果|海鲜|虾|螃蟹|贝类|鱼|鸡蛋|牛奶|奶酪|奶制品|乳糖|麸质|小麦|面筋|大豆|芝麻|蜂蜜|巧克力|咖啡|酒|牛肉|猪肉|羊肉|鸡肉"
    "|芒果|草莓|猕猴桃|菠萝|蘑菇|番茄|洋葱|大蒜|香菜|芹菜"
)
"""The same in simplified characters."""

_FOOD = re.compile(rf"\b{LATIN}|{HAN}")


def named(text: str) -> set[str]:
    """The foods of the lists that a comparable text names, each in the singular: {"walnut", "egg"}."""
    found = (match[0] for match in _FOOD.finditer(text))
    return {re.sub(r"(?<=[a-z]{3})(?<!s)s$", "", re.sub("ies$", "y", re.sub("oes$", "o", food))) for food in found}
