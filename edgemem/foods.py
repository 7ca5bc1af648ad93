"""The words for foods and drinks that people avoid or are allergic to, in English: the one list all rooms read."""

from __future__ import annotations

from typing import Final

LATIN: Final = (
    "(?:eggs?|nuts?|peanuts?|almonds?|cashews?|hazelnuts?|walnuts?|gluten|wheat|dairy|milk|lactose|cheeses?|butter|fish|shellfish|seafood|prawns?|shrimps?|mussels|soya?|sesame|sugar|salt"
    "|caffeine|coffee|tea|alcohol|beer|wine|meat|pork|beef|chicken|honey|grapefruit|chocolate|spicy|bread|strawberr(?:y|ies)|kiwis?|mushrooms?|tomato(?:es)?|onions?|garlic|mustard|celery)\\b"
)
"""A pattern of them, one or several of each, to its last letter; for text in small letters or read without regard to case."""
