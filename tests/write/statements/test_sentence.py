"""What is put together from scraps of talk is a sentence, or no memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgemem.records import Turn
from edgemem.settings import Settings
from edgemem.store import traces
from edgemem.testing import ScriptedModel
from edgemem.write.clauses import Clause, Corrected
from edgemem.write.fields import righted
from edgemem.write.statements import sentence
from edgemem.write.statements.sentence import flaw, named_once
from tests.helpers import opened

ON = Settings(background=False)


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        ("According to the user, Quiet, yes; Cheap, also yes.", sentence.NO_VERB),
        ("According to the user, roomy, no; warm, very.", sentence.NO_VERB),
        ("According to the user, the chemist from home.", sentence.NO_VERB),
        ("According to the user, lives in Ghent; has two kids.", sentence.NO_SUBJECT),
        ("According to the user, doesn't open on Sundays.", sentence.NO_SUBJECT),
        ("According to the user, it closes on Mondays.", sentence.POINTS_BACK),
        ("According to the user, that was in Porto; they moved in May.", sentence.POINTS_BACK),
        ("According to the user, her mother sews.", sentence.POINTS_BACK),
        ("The user will hardly see each other.", sentence.FOR_SEVERAL),
        ("The user phones one another at night.", sentence.FOR_SEVERAL),
        ("The user's sister see each other rarely.", sentence.FOR_SEVERAL),
        ("The user is twins.", sentence.FOR_SEVERAL),
        ("The user is a family of five.", sentence.FOR_SEVERAL),
        ("The user is still good friends.", sentence.FOR_SEVERAL),
        ("The user is both vegan.", sentence.FOR_SEVERAL),
        ("The user all went skiing.", sentence.FOR_SEVERAL),
        ("The user's flat is their own.", sentence.SAYS_NOTHING),
        ("The user's dog is theirs.", sentence.SAYS_NOTHING),
        ("The user's older sister Noor is the user's own.", sentence.SAYS_NOTHING),
        ("The user's cousin Noor is Noor.", sentence.SAYS_NOTHING),
        ("The user is a couple.", sentence.FOR_SEVERAL),
        ("The user is neighbours since May.", sentence.FOR_SEVERAL),
        ("The user's little brother can't stand each other.", sentence.FOR_SEVERAL),
        ("According to the user, 2019.", sentence.NO_VERB),
        ("According to the user, …", sentence.NO_VERB),
        ("The user's dog is a dog.", sentence.SAYS_NOTHING),
        ("The user's cousin is the user's cousin.", sentence.SAYS_NOTHING),
        ("用户的手机是手机。", sentence.SAYS_NOTHING),
        ("用户的院子是用户自己的。", sentence.SAYS_NOTHING),
        ("用户的狗是用户的。", sentence.SAYS_NOTHING),
        ("用户很少互相联系。", sentence.FOR_SEVERAL),
        ("用户彼此都不说话。", sentence.FOR_SEVERAL),
        ("用户去年冬天也互相见面。", sentence.FOR_SEVERAL),
        ("用户提到：后来每半年一次。", sentence.POINTS_BACK),
        ("用户提到：因为用户搬家。", sentence.POINTS_BACK),
        ("用户的外公：后来每半年一次。", sentence.POINTS_BACK),
        ("被问到“吃什么”时，用户回答：粥，他弟弟也来。", sentence.NO_SUBJECT),
    ],
)
def test_what_is_no_sentence_is_told(content: str, wrong: str) -> None:
    assert flaw(content) == wrong


@pytest.mark.parametrize(
    "content",
    [
        "According to the user, the new lead is Priya.", "According to the user, the bakery shuts on Mondays.",
        "According to the user, treasurer of the choir since 2019.", "According to the user, this summer the choir sings in Oslo.",
        "The user and their sister call each other daily.", "The user's brother and the user hardly see each other.",
        "The user helps the neighbours know each other.", "The user is friends with Noor.", "The user speaks both Welsh and English.",
        "The user is deaf in both ears.", "The user works all day.", "The user's flat is in Ghent.", "The user's dog is called Biscuit.",
        "The user's favourite colour is green.", "The user's household is five people.", "The user's sister is a nurse.",
        "用户的姐姐叫小芸。", "用户的老师是王老师。", "用户是老师。", "用户和弟弟互相照应。", "用户的手机是华为的。",
        "用户的外公：每半年复查一次。", "被问到“有孩子吗”时，用户回答：有，两个。", "被问到“住几楼”时，用户回答：三，靠窗。", "用户现在只喝茶。",
        "The user's mum and dad can't stand each other.", "The user's brother and sister don't talk to each other.",
        "The user's older brother or little sister call each other.", "The user's mum & dad avoid each other.",
        "The user's company is their own.", "The user's boat is theirs.", "The user's bakery is the user's own.",
        "The user is a couple counsellor.", "The user is a couples therapist.", "The user is partners manager at a bank.",
        "The user is parents representative of the school.", "The user's neighbour Mason is a mason.", "The user's friend Baker is a baker.",
        "用户希望家人互相尊重。", "用户最看重的是夫妻互相信任。", "用户觉得邻居应该互相帮忙。", "用户的公司是用户自己的。",
        "用户提到：后来用户搬到了深圳。", "用户提到：于是用户改吃素了。", "用户提到：所以，用户不喝酒。",
    ],
)  # fmt: skip
def test_a_sentence_is_one(content: str) -> None:
    assert flaw(content) is None


@pytest.mark.parametrize(
    ("twice", "once"),
    [
        ("The user's sister Ottoline is called Ottoline.", "The user's sister is called Ottoline."),
        ("The user's dog Biscuit is named Biscuit.", "The user's dog is named Biscuit."),
        ("用户的姐姐小芸叫小芸。", "用户的姐姐叫小芸。"),
        ("用户的猫年糕名字叫年糕。", "用户的猫名字叫年糕。"),
        ("The user's sister Ottoline is called Otti.", "The user's sister Ottoline is called Otti."),
        ("用户的姐姐小芸叫小芸芸。", "用户的姐姐小芸叫小芸芸。"),
    ],
)
def test_a_name_is_told_once(twice: str, once: str) -> None:
    assert named_once(twice) == once
    assert flaw(once) is None


@pytest.mark.parametrize(
    ("joined", "whole"),
    [
        ("用户提到：后来用户搬到了深圳。", "用户搬到了深圳。"),
        ("用户提到：于是，用户改吃素了。", "用户改吃素了。"),
        ("用户提到：后来每半年一次。", "用户提到：后来每半年一次。"),
        ("用户的姐姐小芸叫小芸。", "用户的姐姐叫小芸。"),
    ],
)
def test_a_whole_sentence_needs_nothing_that_ties_it_to_another(joined: str, whole: str) -> None:
    assert sentence.tidied(joined) == whole


BEGINNINGS = (
    "", "According to the user, ", "The user ", "The user is ", "The user's sister ", "用户", "用户提到：", "用户的姐姐：", "用户的猫是",
    "被问到“有吗”时，用户回答：", "Asked “when?”, the user answered: ",
)  # fmt: skip


@given(st.sampled_from(BEGINNINGS), st.text() | st.text("0123456789 .,;:'’-"))
def test_any_text_can_be_looked_at(beginning: str, text: str) -> None:
    assert flaw(beginning + text) in {None, *sentence.FLAWS}
    assert len(sentence.tidied(beginning + text)) <= len(beginning + text)


@pytest.mark.parametrize(
    ("message", "refused"),
    [
        ("We'll hardly see each other this winter.", "The user will hardly see each other this winter."),
        ("Our flat is our own.", "The user's flat is their own."),
    ],
)
def test_what_is_no_sentence_is_refused_and_the_trace_says_why(store_path: Path, message: str, refused: str) -> None:
    with opened(store_path, ScriptedModel(choices={message: "F"}), settings=ON) as file:
        mem = file.user("me")
        receipt = mem.learn([Turn("user", message, session="s")])
        assert not receipt.memories
        assert [(r.content, r.reason in sentence.FLAWS) for r in receipt.rejected] == [(refused, True)]
        (turn,) = mem.turns("s")
        with file.engine.read() as tx:
            ((_, _, steps),) = traces.of_turn(tx, 1, turn.key)
        assert refused in str(steps)


def test_a_name_told_as_a_liking_is_a_fact(store_path: Path) -> None:
    """The letter of a clause is a guess; what it tells in fields is not."""
    said = {"My name is Ottoline.": "P", "I like quince jam.": "P", "我住在里斯本。": "P"}
    with opened(store_path, ScriptedModel(choices=said), settings=ON) as file:
        mem = file.user("me")
        mem.learn([Turn("user", text) for text in said])
        assert {m.content: m.kind for m in mem.list()} == {
            "The user's name is Ottoline.": "fact",
            "The user likes quince jam.": "preference",
            "用户住在里斯本。": "fact",
        }


@pytest.mark.parametrize(
    ("first", "correction", "right"),
    [
        ("My ferry leaves at 9:40.", "sorry, 9:14", "The user's ferry leaves at 9:14."),
        ("我的渡轮是9点40的。", "打错了，9点14", "用户的渡轮是9点14的。"),
        ("My sister Ottoline lives in Ghent.", "sorry, I meant Bruges", "The user's sister Ottoline lives in Bruges."),
        ("我的考试在周四。", "说错了，周五", "用户的考试在周五。"),
    ],
)
def test_a_correction_in_the_next_message_ends_what_it_corrects(
    store_path: Path, first: str, correction: str, right: str
) -> None:
    """Also where the correction alone would not be worth a memory: what it corrects stands there, wrong."""
    keeps_first = ScriptedModel(choices={first.rstrip(".。"): "F"})
    with opened(store_path, keeps_first, settings=ON) as file:
        mem = file.user("me")
        (wrong,) = mem.learn([Turn("user", first, session="s")]).memories
        (fresh,) = mem.learn([Turn("user", correction, session="s")]).memories
        assert (fresh.content, fresh.outcome, fresh.replaced) == (right, "replaced", wrong.id)
        assert [m.content for m in mem.list()] == [right]
        assert fresh.change is not None
        mem.undo(fresh.change)
        assert [m.content for m in mem.list()] == [wrong.content]


@pytest.mark.parametrize(
    ("first", "correction", "right"),
    [
        ("I work at Lidl in Ghent. It pays 30 an hour.", "sorry, Bruges", {"The user works at Lidl in Bruges; it pays 30 an hour."}),
        ("我女儿住在根特。她一小时挣三十块。", "说错了，布鲁日", {"用户的女儿住在布鲁日。", "用户的女儿一小时挣三十块。"}),
    ],
)  # fmt: skip
def test_a_correction_of_a_joined_memory_keeps_its_other_half(
    store_path: Path, first: str, correction: str, right: set[str]
) -> None:
    keeps_all = ScriptedModel(choices={first[:4]: "F", "pays": "F", "小时": "F"})
    with opened(store_path, keeps_all, settings=ON) as file:
        mem = file.user("me")
        mem.learn([Turn("user", first, session="s")])
        (fresh,) = mem.learn([Turn("user", correction, session="s")]).memories
        assert {m.content for m in mem.list()} == right
        assert fresh.outcome == "replaced"


def test_a_value_is_put_right_inside_a_joined_sentence() -> None:
    wrong = Corrected(1, Clause("I work at Lidl in Ghent.", 0), "", "I work at Lidl in Bruges.")
    joined = "The user works at Lidl in Ghent. It pays 30 an hour."
    assert righted(joined, wrong) == "The user works at Lidl in Bruges. It pays 30 an hour."
    assert righted("The user likes Ghent, in Ghent most of all.", wrong) is None
    assert righted("The user has two cats.", wrong) is None
    han = Corrected(1, Clause("我住在根特", 0), "", "我住在布鲁日")
    assert righted("用户住在根特，房租八百。", han) == "用户住在布鲁日，房租八百。"


@pytest.mark.parametrize(
    ("first", "edited", "correction"),
    [
        ("My sister Ottoline lives in Ghent.", "The user's sister Ottoline lives in Bruges, near the canal.", "sorry, I meant Bruges"),
        ("我的考试在周四。", "用户的考试在周五下午。", "说错了，周五"),
    ],
)  # fmt: skip
def test_a_correction_does_not_overrule_what_the_user_wrote(
    store_path: Path, first: str, edited: str, correction: str
) -> None:
    with opened(store_path, ScriptedModel(choices={first.rstrip(".。"): "F"}), settings=ON) as file:
        mem = file.user("me")
        (learned,) = mem.learn([Turn("user", first, session="s")]).memories
        mem.edit(learned.id, content=edited)
        mem.learn([Turn("user", correction, session="s")])
        assert edited in [m.content for m in mem.list()]


@pytest.mark.parametrize(
    ("first", "correction"), [("My ferry leaves at 9:40.", "sorry, 9:14"), ("我的考试在周四。", "说错了，周五")]
)
def test_what_was_pinned_is_pinned_when_it_is_put_right(store_path: Path, first: str, correction: str) -> None:
    with opened(store_path, ScriptedModel(choices={first.rstrip(".。"): "F"}), settings=ON) as file:
        mem = file.user("me")
        (wrong,) = mem.learn([Turn("user", first, session="s")]).memories
        mem.pin(wrong.id)
        (fresh,) = mem.learn([Turn("user", correction, session="s")]).memories
        assert fresh.replaced == wrong.id
        assert [(m.id, m.pinned) for m in mem.list()] == [(fresh.id, True)]


def test_a_correction_leaves_the_rest_of_its_message_alone(store_path: Path) -> None:
    first = "I keep bees in Porto. My ferry leaves at 9:40."
    with opened(store_path, ScriptedModel(choices={"bees": "F", "ferry": "F"}), settings=ON) as file:
        mem = file.user("me")
        mem.learn([Turn("user", first, session="s")])
        mem.learn([Turn("user", "sorry, 9:14", session="s")])
        assert {m.content for m in mem.list()} == {
            "The user keeps bees in Porto.",
            "The user's ferry leaves at 9:14.",
        }
