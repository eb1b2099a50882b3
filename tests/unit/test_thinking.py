import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbot.thinking import UNSAID, ThinkFilter, joined, visible


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Plain answer [1].", "Plain answer [1]."),
        ("<think>hm</think>\n\nYes [1].", "Yes [1]."),
        ("<thinking>a\n<b></thinking>Sim.", "Sim."),
        ("<REASONING>x</REASONING>Ok", "Ok"),
        ("Before <think>hidden</think>after", "Before after"),
        ("<think>one</think>A <reasoning>two</reasoning>B", "A B"),
        ("Half an answer <think>and then only thoughts", "Half an answer "),
        ("<think>never closed", ""),
        ("my thoughts, tag opened by the template</think>\nA resposta.", "A resposta."),
        ("thoughts</think>again</think>Answer", "Answer"),
        ("The answer.</think>\n", "The answer."),
        ("<think></think>", ""),
        ("Write `<think>` and `</think>` around it.", "Write `<think>` and `</think>` around it."),
        ("<think>they quote `</think>Fim", "Fim"),
        ("a < b and a <thin line", "a < b and a <thin line"),
        ("ends in <thi", "ends in <thi"),
        ("<think>x</thi", ""),
        ("", ""),
    ],
)
def test_thinking_is_taken_out(text: str, said: str) -> None:
    assert visible(text) == said


def test_text_is_told_as_soon_as_it_cannot_be_a_tag() -> None:
    thoughts = ThinkFilter()
    assert list(thoughts.feed("a <")) == ["a "]
    assert list(thoughts.feed("th")) == []
    assert list(thoughts.feed("e")) == ["<the"]
    assert list(thoughts.feed(" end")) == [" end"]
    assert list(thoughts.end()) == []


def test_thinking_aloud_is_taken_back_when_the_answer_begins() -> None:
    thoughts = ThinkFilter()
    assert list(thoughts.feed("Let me see")) == ["Let me see"]
    assert list(thoughts.feed("</think>\n")) == []
    assert list(thoughts.feed("\nYes")) == [UNSAID, "Yes"]
    assert not thoughts.thinking


_WORDS = ["<think>", "</think>", "<thinking>", "</reasoning>", "<", "th", "`", " ", "\n", "Olá", ">", "/"]


@given(st.lists(st.sampled_from(_WORDS)), st.data())
def test_chunks_make_no_difference(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    thoughts = ThinkFilter()
    said: list[str] = []
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        said.extend(thoughts.feed(text[start:end]))
    assert joined([*said, *thoughts.end()]) == visible(text)


@given(
    st.text(alphabet=st.characters(exclude_characters="<`"), max_size=80),
    st.text(alphabet="abc \n<>", max_size=40),
)
def test_nothing_between_tags_is_ever_seen(answer: str, thought: str) -> None:
    assert visible(f"<think>{thought}SECRET</think>{answer}") == answer.lstrip()
