"""What every adapter owes the bot and its readers.

A platform's test module subclasses `AdapterConformance` and gives it one fixture, `reader`: the adapter in front of a
real or faithful platform, a place in it, and what a person there sees.
"""

import asyncio
import re
from typing import Protocol

import pytest

from kbot.chat import Adapter, Answer, Citation, Content, MessageGone, Place
from kbot.live_reply import LiveReply, Pacer

CITATIONS = (
    Citation(1, "rh.pdf", "Manual de RH", "São 22 dias.", "c1", page=12, heading="Férias", url="https://ex.org/rh.pdf"),
    Citation(2, "faq.md", "FAQ", "Ask your lead.", "c2"),
)
GROUNDED = Answer("férias?", "São **22** dias [1][2].", grounded=True, refused=False, citations=CITATIONS)
REFUSED = Answer("moon?", "I did not find this.", grounded=False, refused=True, reason="nothing_near")


class Reader(Protocol):
    """Someone who looks at a place in which an adapter writes."""

    adapter: Adapter
    place: Place

    async def seen(self) -> str:
        """All text that is on the screen now, as a person reads it."""
        ...


def words(text: str) -> str:
    """A text without what layout adds to it: white space and the frames of boxes."""
    return re.sub(r"[\s─-╿]+", "", text)


class AdapterConformance:
    """The tests; the fixture `reader` comes from the subclass."""

    @pytest.fixture
    def reader(self) -> Reader:
        raise NotImplementedError("Give the conformance suite its `reader` fixture.")

    async def test_its_limits_can_be_worked_with(self, reader: Reader):
        limits = reader.adapter.limits
        assert reader.adapter.name.isidentifier()
        assert min(limits.post, limits.edit) >= 500
        assert limits.messages >= 1
        assert limits.interval >= 0

    async def test_every_message_has_an_id_of_its_own(self, reader: Reader):
        ids = [await reader.adapter.send(reader.place, Content(f"text {n}", "final")) for n in range(3)]
        assert len({*ids}) == 3
        assert all(ids)
        seen = await reader.seen()
        assert [seen.count(f"text {n}") for n in range(3)] == [1, 1, 1]

    async def test_an_edit_takes_the_place_of_what_was_there(self, reader: Reader):
        message = await reader.adapter.send(reader.place, Content("searching", "placeholder"))
        await reader.adapter.edit(reader.place, message, Content("half of it", "growing"))
        await reader.adapter.edit(reader.place, message, Content("the whole", "final"))
        seen = await reader.seen()
        assert seen.count("the whole") == 1
        assert "searching" not in seen
        assert "half of it" not in seen

    async def test_a_grounded_answer_ends_with_its_numbered_sources(self, reader: Reader):
        message = await reader.adapter.send(reader.place, Content("…", "placeholder"))
        await reader.adapter.edit(reader.place, message, Content(GROUNDED.text, "final", GROUNDED))
        seen = await reader.seen()
        for shown in ("Manual de RH", "12", "Férias", "https://ex.org/rh.pdf", "FAQ"):
            assert shown in seen
        assert seen.index("dias") < seen.index("Manual de RH") < seen.index("FAQ")

    @pytest.mark.parametrize("stage", ["placeholder", "growing"])
    async def test_no_source_is_shown_before_the_final(self, reader: Reader, stage: str):
        message = await reader.adapter.send(reader.place, Content("…", "placeholder"))
        await reader.adapter.edit(
            reader.place, message, Content("São", "placeholder" if stage == "placeholder" else "growing")
        )
        assert "Manual de RH" not in await reader.seen()

    async def test_a_refusal_shows_no_sources(self, reader: Reader):
        await reader.adapter.send(reader.place, Content(REFUSED.text, "final", REFUSED))
        seen = await reader.seen()
        assert REFUSED.text in seen
        assert "source" not in seen.lower()

    async def test_an_ungrounded_answer_shows_no_sources_even_if_it_has_some(self, reader: Reader):
        uncited = Answer("q", "Perhaps.", grounded=False, refused=False, reason="uncited", citations=CITATIONS)
        await reader.adapter.send(reader.place, Content(uncited.text, "final", uncited))
        assert "Manual de RH" not in await reader.seen()

    async def test_a_failure_is_shown(self, reader: Reader):
        message = await reader.adapter.send(reader.place, Content("…", "placeholder"))
        await reader.adapter.edit(reader.place, message, Content("The model is not running.", "failed"))
        assert "The model is not running." in await reader.seen()

    @pytest.mark.parametrize(
        "text",
        ["@everyone look", "<!channel> look", "[bold]x[/bold] [/] [link=y]", "a < b && c > d", "<b>not html</b>"],
    )
    async def test_what_would_be_markup_elsewhere_is_plain_text(self, reader: Reader, text: str):
        await reader.adapter.send(reader.place, Content(text, "final"))
        assert words(text) in words(await reader.seen())

    async def test_letters_of_all_scripts_arrive(self, reader: Reader):
        text = "Férias não são ação, 日本語の文章, naïve, e\u0301"
        await reader.adapter.send(reader.place, Content(text, "final"))
        assert words(text) in words(await reader.seen())

    async def test_texts_as_long_as_the_limits_are_taken(self, reader: Reader):
        limits = reader.adapter.limits
        message = await reader.adapter.send(reader.place, Content("…", "placeholder"))
        await reader.adapter.edit(reader.place, message, Content(_long(min(limits.edit, 4000)), "final"))
        await reader.adapter.send(reader.place, Content(_long(min(limits.post, 4000)), "final"))
        assert (await reader.seen()).count("w0 w1 w2") == 2

    async def test_a_tail_sent_as_a_file_can_be_read(self, reader: Reader):
        await reader.adapter.send_file(reader.place, "answer.md", "the tail of it")
        assert "the tail of it" in await reader.seen()

    async def test_an_edit_of_a_message_that_is_not_there_says_so(self, reader: Reader):
        with pytest.raises(MessageGone):
            await reader.adapter.edit(reader.place, "no-such-message", Content("x", "growing"))

    async def test_a_reply_that_grew_is_read_once_and_whole(self, reader: Reader):
        text = "# Título\n\n" + "\n\n".join(f"Parágrafo {n} com **negrito** e `código`." for n in range(20))
        async with LiveReply(reader.adapter, reader.place, pacer=Pacer(0.01)) as reply:
            for token in text.split(" "):
                reply.write(f"{token} ")
                await asyncio.sleep(0.001)
            reply.finish(text, GROUNDED)
        seen = await reader.seen()
        assert [seen.count(f"Parágrafo {n} ") for n in range(20)] == [1] * 20
        assert seen.count("Manual de RH") == 1
        assert "▌" not in seen


def _long(size: int) -> str:
    text = " ".join(f"w{n}" for n in range(size))
    return text[:size].rstrip()
