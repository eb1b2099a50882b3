"""What kbot shows in Slack keeps Slack's limits, has sources only where there are any, and nothing becomes markup.

The real library judges the shapes: every block and window goes through its validators.
"""

import json
import re
from dataclasses import astuple, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View

from kbot.chat import Answer, Citation, Content, Passage, Report, labels_in
from kbot_slack import blocks, modals
from kbot_slack.markup import count, unescape
from kbot_slack.words import words_in

PASSAGE = Passage("p1", "d1", "plano.pdf", "Plano", "text", 0.9, 0.9, 0.9, 0.9)
ONE = Citation(1, "plano.pdf", "Plano", "quote", "p1", page=2, url="https://e.example/plano.pdf?a=1&b=2")
ANSWER = Answer(
    "Quando?",
    "Na segunda. [1]",
    grounded=True,
    refused=False,
    citations=(ONE,),
    read=(PASSAGE,),
    id="a1",
    language="pt",
)
REFUSED = replace(ANSWER, grounded=False, refused=True, reason="nothing_near", citations=(), read=())
UNCITED = replace(ANSWER, grounded=False, reason="uncited", citations=(), read=())


def validate(shown: list[dict[str, Any]]) -> None:
    parsed = Block.parse_all(shown)  # pyright: ignore[reportUnknownMemberType]  # the library says "dict" and no more
    assert [block.type for block in parsed] == kinds(shown)
    for block in parsed:
        block.validate_json()


def checked(made: dict[str, Any]) -> list[dict[str, Any]]:
    """The blocks of a message, after the library's own validators and the limits it does not know."""
    shown: list[dict[str, Any]] = made["blocks"]
    validate(shown)
    assert len(shown) <= 50
    assert len(json.dumps(shown, ensure_ascii=False)) <= 13_200
    assert len(made["text"]) <= 4_000
    ids = [block["block_id"] for block in shown if "block_id" in block]
    assert len(ids) == len(set(ids))
    for block in shown:
        if block["type"] == "context":
            assert len(block["elements"]) <= 10
            assert all(0 < len(element["text"]) <= 3_000 for element in block["elements"])
    return shown


def final(answer: Answer | None, text: str = "Na segunda. [1]") -> list[dict[str, Any]]:
    return checked(blocks.message(Content(text, "final", answer), "b1"))


def kinds(shown: list[dict[str, Any]]) -> list[str]:
    return [block["type"] for block in shown]


def source_lines(shown: list[dict[str, Any]]) -> list[str]:
    elements = [element for block in shown if block["type"] == "context" for element in block["elements"]]
    return [line for element in elements for line in str(element["text"]).split("\n")]


@pytest.mark.parametrize("stage", ["placeholder", "growing", "failed"])
def test_an_unfinished_reply_is_its_text(stage: Any) -> None:
    made = blocks.message(Content("R&D <!here>", stage, ANSWER), "b1")
    assert checked(made) == [{"type": "markdown", "block_id": "b1", "text": "R&D &lt;!here&gt;"}]
    assert made["text"] == "R&amp;D &lt;!here&gt;"


def test_a_grounded_answer_has_sources_and_buttons() -> None:
    shown = final(ANSWER)
    assert kinds(shown) == ["markdown", "context", "context_actions", "actions"]
    assert source_lines(shown) == ["*Fontes*", "[1] <https://e.example/plano.pdf?a=1&amp;b=2|Plano · p. 2>"]
    feedback = shown[2]["elements"][0]
    assert feedback["action_id"] == blocks.RATE
    assert blocks.rating(feedback["positive_button"]["value"]) == ("a1", "helpful")
    assert blocks.rating(feedback["negative_button"]["value"]) == ("a1", "unhelpful")
    read = shown[3]["elements"][0]
    assert (read["action_id"], read["value"], read["text"]["text"]) == (blocks.READ, "a1", "Mostrar tudo o que li")


def test_a_refusal_has_no_sources_and_tells_an_admin() -> None:
    # Even if the core were to leave citations in it.
    for answer in (REFUSED, replace(REFUSED, citations=(ONE,), read=(PASSAGE,))):
        shown = final(replace(answer, language="en"))
        assert kinds(shown) == ["markdown", "actions"]
        button = shown[1]["elements"][0]
        assert (button["action_id"], button["value"], button["text"]["text"]) == (blocks.REPORT, "a1", "Tell an admin")


def test_an_uncited_answer_can_be_rated_but_has_no_sources() -> None:
    assert kinds(final(UNCITED)) == ["markdown", "context_actions"]


def test_without_an_id_there_are_no_buttons() -> None:
    assert kinds(final(replace(ANSWER, id=""))) == ["markdown", "context"]
    assert kinds(final(replace(REFUSED, id=""))) == ["markdown"]
    assert kinds(final(None)) == ["markdown"]


@pytest.mark.parametrize(
    ("url", "line"),
    [
        (None, "[1] a |&gt; &lt;!channel&gt;"),
        ("file:///etc/passwd", "[1] a |&gt; &lt;!channel&gt;"),
        ("https://[broken", "[1] a |&gt; &lt;!channel&gt;"),
        ("https://e.example/a|b>c d", "[1] <https://e.example/a%7Cb%3Ec%20d|a ¦&gt; &lt;!channel&gt;>"),
    ],
)
def test_a_source_cannot_break_out_of_its_link(url: str | None, line: str) -> None:
    citation = replace(ONE, title="a |> <!channel>", source="a |> <!channel>", page=None, url=url)
    assert source_lines(final(replace(ANSWER, citations=(citation,))))[1] == line


def many(amount: int, title: str, url: str) -> tuple[Citation, ...]:
    return tuple(Citation(n, f"{n}.pdf", f"{n} {title}", "", f"p{n}", page=n, url=url) for n in range(1, amount + 1))


@pytest.mark.parametrize(
    ("amount", "title", "url"),
    [
        (10, "A title", "https://e.example/" + "x" * 500),
        (40, "&" * 200, "https://e.example/" + "&" * 300),
        (60, "t" * 400, ""),
    ],
)
def test_no_source_is_lost_while_shortening_helps(amount: int, title: str, url: str) -> None:
    lines = source_lines(final(replace(ANSWER, citations=many(amount, title, url)), "x" * 3_900))
    assert [line.partition("]")[0] for line in lines[1:]] == [f"[{n}" for n in range(1, amount + 1)]


def test_what_cannot_be_shown_is_counted() -> None:
    lines = source_lines(final(replace(ANSWER, citations=many(2_000, "&" * 50, "")), "x" * 3_900))
    assert lines[-1] == f"… +{2_000 - (len(lines) - 2)}"


@given(
    st.text(alphabet=st.sampled_from('a&<>"\n é😀|`*'), max_size=5_000),
    st.lists(
        st.tuples(st.text(max_size=500), st.sampled_from([None, "https://e.example/" + "&" * 900, "ftp://x"])),
        max_size=30,
    ),
)
def test_every_answer_keeps_the_limits(text: str, cited: list[tuple[str, str | None]]) -> None:
    citations = tuple(Citation(n, "s", title, "", "p", url=url) for n, (title, url) in enumerate(cited, 1))
    shown = final(replace(ANSWER, citations=citations), f"x{text}")
    if count(f"x{text}") <= blocks.TEXT:
        assert unescape(shown[0]["text"]) == unescape(f"x{text}")


def test_a_text_that_is_too_long_ends_with_an_ellipsis() -> None:
    made = blocks.message(Content("&" * 2_000, "growing"), "b1")
    checked(made)
    assert made["text"].endswith("&amp;…")
    assert blocks.TEXT - 5 < len(made["text"]) <= blocks.TEXT
    assert blocks.ephemeral("x" * 3_900)["text"] == "x" * 3_900


def test_a_whisper_is_one_block() -> None:
    made = blocks.ephemeral("**no** <@U1>")
    assert made == {"text": "**no** &lt;@U1&gt;", "blocks": [{"type": "markdown", "text": "**no** &lt;@U1&gt;"}]}


@pytest.mark.parametrize("value", ["", "helpful:", "reported:a1", "a1"])
def test_a_value_that_is_no_rating(value: str) -> None:
    with pytest.raises(ValueError, match="feedback button"):
        blocks.rating(value)


def window(view: dict[str, Any]) -> dict[str, Any]:
    View(**view).validate_json()
    validate(view["blocks"])
    assert len(view["blocks"]) <= 100
    assert not {block["type"] for block in view["blocks"]} & {"markdown", "context_actions"}  # which windows refuse
    return view


def ingest(private: bool = False, label: str = "general", language: str = "en") -> dict[str, Any]:
    metadata = modals.pack(modals.Shown("ingest", "C1"))
    return window(modals.ingest_view("C1", label, private, language, metadata=metadata))


def filled(files: Any = None, urls: str | None = None, scope: str | None = "channel") -> dict[str, Any]:
    """A submission in the shape in which Slack sends it."""
    chosen = scope and {"text": {"type": "plain_text", "text": "…"}, "value": scope}
    values = {
        "files": {"files": {"type": "file_input", **({} if files is None else {"files": files})}},
        "urls": {"urls": {"type": "plain_text_input", "value": urls}},
        "scope": {"scope": {"type": "radio_buttons", "selected_option": chosen}},
    }
    return {"state": {"values": values}}


@pytest.mark.parametrize("language", ["en", "pt-BR", ""])
def test_the_ingest_window_proposes_the_scope_that_the_place_has(language: str) -> None:
    for private, proposed in ((True, "channel"), (False, "shared")):
        view = ingest(
            private, "a-channel-with-a-name-as-long-as-slack-permits-it-to-be-which-is-80-characters-ok", language
        )
        inputs = {block["block_id"]: block for block in view["blocks"] if block["type"] == "input"}
        assert set(inputs) == {modals.FILES, modals.URLS, modals.SCOPE}
        assert inputs[modals.SCOPE]["element"]["initial_option"]["value"] == proposed
        assert inputs[modals.SCOPE]["element"]["initial_option"] in inputs[modals.SCOPE]["element"]["options"]
        assert all(name == block["element"]["action_id"] for name, block in inputs.items())
    assert "conversa" in json.dumps(ingest(label="", language="pt"))


def test_what_was_filled_in() -> None:
    file = {"id": "F1", "name": "plano.pdf"}
    urls = " https://e.example/a \nhttp://e.example/b\n\nhttps://e.example/a"
    assert modals.read_ingest(filled([file], urls, "shared")) == (
        [file],
        ["https://e.example/a", "http://e.example/b"],
        True,
        {},
    )
    assert modals.read_ingest(filled([file])) == ([file], [], False, {})
    assert modals.read_ingest(filled([file], scope=None))[2] is False


@pytest.mark.parametrize("urls", [None, "", " \n "])
def test_nothing_to_ingest_is_an_error_at_an_input(urls: str | None) -> None:
    errors = modals.read_ingest(filled([], urls), "pt")[3]
    assert errors == {modals.URLS: "Escolha um arquivo acima, ou escreva aqui o endereço de uma página."}


@pytest.mark.parametrize("url", ["e.example/a", "ftp://e.example", "https://", "javascript:alert(1)", "https://[x"])
def test_an_address_that_is_none_is_named(url: str) -> None:
    errors = modals.read_ingest(filled([{"id": "F1"}], f"https://ok.example\n{url}"))[3]
    assert url in errors[modals.URLS]


def buttons(view: dict[str, Any]) -> dict[str, str]:
    elements = [element for block in view["blocks"] if block["type"] == "actions" for element in block["elements"]]
    return {element["action_id"]: element["value"] for element in elements}


def test_a_report_is_turned_page_by_page() -> None:
    report = Report("Everything I read for this answer", ("**one** <!here>", "two", "three"))
    views = [window(modals.report_view(report, page, "{}", "pt")) for page in range(3)]
    assert [buttons(view) for view in views] == [
        {modals.NEXT: "1"},
        {modals.BACK: "0", modals.NEXT: "2"},
        {modals.BACK: "1"},
    ]
    assert views[0]["blocks"][0]["text"]["text"] == "*one* &lt;!here&gt;"
    assert [view["blocks"][1]["elements"][0]["text"] for view in views] == ["1/3", "2/3", "3/3"]
    assert modals.report_view(report, 9, "{}", "") == modals.report_view(report, 2, "{}", "")
    assert buttons(modals.report_view(Report("Gaps", ("one",)), 0, "{}", "en")) == {}


@given(st.text(alphabet=st.sampled_from("a&<> \n*é[]()"), max_size=1_900))
def test_every_page_fits_the_window(page: str) -> None:
    view = window(modals.report_view(Report("Documents", (page,)), 0, "{}", "en"))
    shown = "".join(block["text"]["text"] for block in view["blocks"])
    assert shown.count("é") == page.count("é")
    assert shown.count("&amp;") == page.count("&")


def test_the_longest_page_is_shown_whole() -> None:
    view = window(modals.report_view(Report("Documents", ("&" * 1_900,)), 0, "{}", "en"))
    assert "".join(block["text"]["text"] for block in view["blocks"]) == "&amp;" * 1_900


def test_an_empty_report_and_the_wait_for_one() -> None:
    assert "Nothing here." in json.dumps(window(modals.report_view(Report("Gaps", ()), 0, "{}", "en")))
    assert "Um momento" in json.dumps(window(modals.waiting_view("Documentos", "pt")), ensure_ascii=False)


def test_metadata_is_read_back() -> None:
    shown = modals.Shown("read", "C1", "1700000000.000100", "a1")
    assert modals.unpack(modals.pack(shown)) == shown
    assert len(modals.pack(shown)) < 200


@pytest.mark.parametrize(
    "metadata", ["", "{}", "[1]", "null", '{"kind":"other","channel":"C1"}', '{"kind":"read","x":1}']
)
def test_foreign_metadata_is_refused(metadata: str) -> None:
    with pytest.raises(ValueError, match="open it again"):
        modals.unpack(metadata)


@pytest.mark.parametrize("language", ["en", "pt"])
def test_kbot_speaks_of_workspaces_as_people_in_slack_do(language: str) -> None:
    said = [str(part) for texts in (words_in(language), labels_in(language)) for part in astuple(texts)]
    said.append(json.dumps(modals.ingest_view("C1", "geral", False, language, metadata="{}"), ensure_ascii=False))
    assert not [text for text in said if re.search("server|servidor|discord", text, re.IGNORECASE)]
    assert "workspace" in said[-1]
