"""A growing reply as its reader sees it: how it gets to the end, and how it is laid out over messages."""

import asyncio
import time
from itertools import pairwise

from chat_in_memory import ANSWER, PLACE, STEP, grow, platform, words

from kbot.chat import Content
from kbot.errors import DeliveryError
from kbot.live_reply import LiveReply, Pacer


async def test_the_reply_grows_in_one_message_from_its_placeholder_to_the_final_text():
    chat = platform()
    async with LiveReply(chat, PLACE, placeholder="a procurar…", cursor="|") as reply:
        assert chat.seen == ["a procurar…"]
        await grow(reply, "As **férias são de 22** dias.", 0.015)
        reply.finish("As **férias são de 22** dias. [1]", ANSWER)
    assert chat.seen == ["As **férias são de 22** dias. [1]"]
    assert next(iter(chat.messages.values())) == Content(chat.seen[0], "final", ANSWER)
    growing = [view[0] for view in chat.views[1:-1]]
    assert len(growing) >= 3
    assert "As **férias|**" in growing
    assert all("|" in text and text.count("**") % 2 == 0 for text in growing)
    assert [len(a) < len(b) for a, b in pairwise(growing)]


async def test_writing_never_waits_and_the_newest_text_wins():
    chat = platform(latency=0.05)
    async with LiveReply(chat, PLACE) as reply:
        started = time.monotonic()
        for n in range(1000):
            reply.write(f"{n} ")
        assert time.monotonic() - started < 0.05
        reply.replace("short")
        await asyncio.sleep(0.2)
        reply.finish("short and final")
    assert chat.seen == ["short and final"]
    assert len(chat.calls) <= 4


async def test_the_next_interval_starts_after_the_edit_came_back():
    chat = platform(latency=0.03)
    async with LiveReply(chat, PLACE, pacer=Pacer(0.03)) as reply:
        await grow(reply, words(30, "w"), 0.01)
        reply.finish("end")
    edits = [at for at, verb, text in chat.calls if verb == "edit" and text != "end"]
    assert len(edits) >= 3
    assert all(later - earlier >= 0.055 for earlier, later in pairwise(edits))


async def test_nothing_is_sent_that_changes_nothing_or_is_blank():
    chat = platform()
    async with LiveReply(chat, PLACE, placeholder="…") as reply:
        for _ in range(10):
            reply.write("\n ")
            await asyncio.sleep(STEP)
        assert chat.verbs() == ["send"]
        reply.write("x")
        await asyncio.sleep(5 * STEP)
        assert chat.verbs() == ["send", "edit"]
        reply.finish("x")


async def test_a_text_whose_markup_is_all_held_back_is_never_shown_blank():
    chat = platform()
    async with LiveReply(chat, PLACE, cursor="") as reply:
        for token in ("``", "`py", "thon", "\n", "x = 1", "\n```"):
            reply.write(token)
            await asyncio.sleep(2 * STEP)
        reply.finish(reply.text)
    assert chat.seen == ["```python\nx = 1\n```"]
    assert len(chat.calls) == len(chat.views)


async def test_a_status_stands_in_place_of_the_text_until_more_is_written():
    chat = platform()
    async with LiveReply(chat, PLACE) as reply:
        reply.show("checking…")
        await asyncio.sleep(3 * STEP)
        assert chat.seen == ["checking…"]
        reply.write("Yes")
        await asyncio.sleep(3 * STEP)
        assert chat.seen == ["Yes ▌"]
    assert chat.seen == ["Yes"]


async def test_text_past_the_edit_limit_goes_on_in_new_messages_and_full_ones_rest():
    chat = platform(post=60, edit=40)
    text = words(12)
    async with LiveReply(chat, PLACE) as reply:
        await grow(reply, text, 0.01)
        await asyncio.sleep(5 * STEP)
        reply.finish(text, ANSWER)
    assert " ".join(chat.seen) == text
    assert len(chat.seen) == 3
    assert chat.answers == [None, None, ANSWER]
    assert [content.stage for content in chat.messages.values()][-1] == "final"
    full = [text for _, _, text in chat.calls].index(chat.seen[0])
    assert not any(text.startswith("palavra0") for _, _, text in chat.calls[full + 1 :])


async def test_a_final_text_uses_the_post_limit_for_messages_not_sent_yet():
    chat = platform(post=200, edit=40)
    async with LiveReply(chat, PLACE) as reply:
        reply.finish(words(24))
    assert " ".join(chat.seen) == words(24)
    assert [len(text) > 40 for text in chat.seen] == [False, True]


async def test_past_the_last_message_the_rest_goes_as_a_file():
    chat = platform(post=50, edit=40, messages=2)
    text = f"{words(6)}\n\n```python\n{words(20)}\n```"
    async with LiveReply(chat, PLACE) as reply:
        await grow(reply, text)
        reply.finish(text, ANSWER)
    assert len(chat.seen) == 2
    assert chat.answers == [None, ANSWER]
    assert len(chat.files) == 1
    seen = "".join([*chat.seen, *chat.files])
    assert all(seen.count(f"palavra{n}") >= 1 for n in range(20))
    assert chat.files[0].startswith("```python\n")


async def test_a_retracted_text_leaves_nothing_of_it_behind():
    chat = platform(post=60, edit=40)
    async with LiveReply(chat, PLACE, withdrawn="—") as reply:
        await grow(reply, words(9, "errado"), 0.015)
        await asyncio.sleep(5 * STEP)
        assert len(chat.seen) >= 2
        reply.replace("")
        reply.show("checking…")
        await asyncio.sleep(8 * STEP)
        assert not any("errado" in text for text in chat.seen)
        reply.finish("Not in the documents.", ANSWER)
    assert chat.seen == ["Not in the documents."]
    assert chat.answers == [ANSWER]


async def test_the_final_waits_for_the_edit_in_flight_and_comes_last():
    chat = platform(latency=0.05)
    async with LiveReply(chat, PLACE) as reply:
        reply.write("interim")
        await asyncio.sleep(0.02)
        reply.finish("final")
    assert chat.seen == ["final"]
    assert [view[0] for view in chat.views] == ["…", "interim ▌", "final"]


async def test_sources_come_with_a_text_that_was_already_there():
    chat = platform(post=60, edit=40)
    async with LiveReply(chat, PLACE) as reply:
        await grow(reply, words(6), 0.015)
        await asyncio.sleep(5 * STEP)
        first, second = chat.seen
        assert second
        reply.finish(first, ANSWER)
    assert chat.seen == [first]
    assert chat.answers == [ANSWER]


async def test_a_message_that_cannot_be_deleted_shows_that_it_is_not_needed():
    chat = platform(post=60, edit=40)
    chat.refuse = lambda verb, content: DeliveryError("may not delete") if verb == "delete" else None
    async with LiveReply(chat, PLACE) as reply:
        await grow(reply, words(6), 0.015)
        await asyncio.sleep(5 * STEP)
        reply.finish("short", ANSWER)
    assert chat.seen == ["short", "—"]


async def test_a_withdrawn_reply_is_deleted_whole():
    chat = platform(post=60, edit=40)
    async with LiveReply(chat, PLACE) as reply:
        await grow(reply, words(6), 0.015)
        await asyncio.sleep(5 * STEP)
        assert len(chat.seen) == 2
        reply.withdraw()
    assert chat.seen == []


async def test_a_reply_takes_the_place_of_an_earlier_one():
    chat, posted = platform(post=60, edit=40), list[list[str]]()

    async def note(ids: list[str]) -> None:
        posted.append(ids)

    async with LiveReply(chat, PLACE, posted=note) as first:
        first.finish(words(6))
    assert posted == [["m0"], ["m0", "m1"]] == [posted[0], first.message_ids]
    async with LiveReply(chat, PLACE, messages=first.message_ids) as second:
        await asyncio.sleep(3 * STEP)
        assert chat.seen == ["…", "—"]
        second.finish("other words", ANSWER)
    assert chat.seen == ["other words"]
    assert chat.answers == [ANSWER]
    assert second.message_ids == ["m0"]
