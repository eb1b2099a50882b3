"""What people do in the local Slack: write, edit, delete, click, give commands, fill in modals."""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from fakes import slack_views
from fakes.platform import Seen
from fakes.slack_blocks import Button, buttons_of
from fakes.slack_chat import content_of, remove
from fakes.slack_delivery import Delivery
from fakes.slack_events import announce, announce_edit, described
from fakes.slack_rules import POST_TEXT, check_view
from fakes.slack_views import Modal
from fakes.slack_world import Json, Message, OpenView, World

_ADDRESS = re.compile(r"https?://[^\s<>]+")
_MENTION = re.compile(r"&lt;([@#][A-Z0-9]+)&gt;")


@dataclass(eq=False, repr=False)
class People(World):
    """Everything here takes what a person types, and returns when the app was told of it, or has answered."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.delivery = Delivery(self)
        self.deliver = self.delivery.event

    async def say(
        self,
        channel: str,
        user: str,
        text: str,
        *,
        thread: str | None = None,
        mention: bool = False,
        files: Sequence[Json] = (),
        mention_event: bool = True,
    ) -> str:
        """Write a message; with `mention` it begins by naming the bot. Returns its ts. `mention_event=False` leaves the
        app_mention out, as Slack may do for a message with files."""
        self._present(channel, user)
        typed = self._typed(f"<@{self.bot.id}> {text}" if mention else text)
        message = Message(self.new_ts(), channel, user, typed, thread=thread, files=tuple(files))
        announce(self, self.post(message), mention_event=mention_event)
        return message.ts

    async def edit(self, channel: str, ts: str, text: str) -> None:
        """Change what one wrote; the mention of the bot stays where there was one."""
        message = self._message(channel, ts)
        before = described(self, message)
        named = f"<@{self.bot.id}> " if message.text.startswith(f"<@{self.bot.id}> ") else ""
        message.text, message.edited = self._typed(named + text), self.new_ts()
        self.changed(message)
        announce_edit(self, message, before)

    async def delete(self, channel: str, ts: str) -> None:
        """Delete a message, also one of the bot."""
        remove(self, self._message(channel, ts))

    async def slash(self, command: str, text: str, user: str, channel: str) -> Json | None:
        """Give a slash command; what the app acknowledged with, None if it did not in time."""
        there = self.channels[channel]
        payload = {
            "token": "verification",
            "team_id": self.team,
            "team_domain": "local",
            "channel_id": channel,
            "channel_name": "directmessage" if there.kind == "im" else there.name,
            "user_id": user,
            "user_name": self.users[user].name,
            "command": command,
            "text": text,
            "api_app_id": self.app,
            "is_enterprise_install": "false",
            "response_url": self.new_hook(user, channel),
            "trigger_id": self.new_trigger(user),
        }
        told = await self.delivery.call("slash_commands", payload)
        if told is None:
            self._whisper(channel, user, f"{command} failed because the app did not respond")
        elif told.get("text") or told.get("blocks"):
            said, blocks = content_of(told, POST_TEXT)
            to = None if told.get("response_type") == "in_channel" else user
            self.post(Message(self.new_ts(), channel, self.bot.id, said, blocks, to=to))
        return told

    async def click(self, where: str | Seen | Modal, what: str, user: str) -> Json | None:
        """Click a button of a message or of the open modal, named by its label, action_id or value."""
        if isinstance(where, Modal):
            opened = self._opened(user)
            base: Json = {
                "container": {"type": "view", "view_id": opened.id},
                "view": slack_views.described(self, opened),
            }
            button = _button(buttons_of(opened.view["blocks"]), what)
        else:
            message = self.posts[where if isinstance(where, str) else where.id]
            if message.to not in (None, user) or message.deleted:
                raise ValueError(f"{self.users[user].name} does not see the message")
            self._present(message.channel, user)
            button = _button(buttons_of(message.blocks), what)
            base = self._on(message, user)
        action: Json = {
            "type": button.element["type"],
            "action_id": button.element.get("action_id", ""),
            "block_id": button.block.get("block_id", ""),
            "text": {"type": "plain_text", "text": button.label},
            "value": button.value,
            "action_ts": self.new_ts(),
        }
        return await self._interact("block_actions", user, base | {"actions": [action]})

    async def shortcut(self, callback_id: str, channel: str, ts: str, user: str) -> Json | None:
        """Use a shortcut from the menu of a message."""
        message = self._message(channel, ts)
        self._present(channel, user)
        fields = {key: value for key, value in self._on(message, user).items() if key != "container"}
        fields |= {"callback_id": callback_id, "action_ts": self.new_ts(), "message_ts": ts}
        return await self._interact("message_action", user, fields)

    async def submit(
        self, user: str, values: Mapping[str, object] | None = None, files: Sequence[Json] = ()
    ) -> Modal | None:
        """Fill in the open modal and send it; values are named by action_id, block_id or label. What is open then."""
        opened = self._opened(user)
        view = slack_views.described(self, opened)
        view["state"] = {"values": slack_views.fill(opened, values or {}, files)}
        told = await self._interact("view_submission", user, {"view": view, "response_urls": []})
        stack = self.modals[user]
        if told is None:
            opened.errors = {"": "We had some trouble connecting. Try again?"}
            return self.modal(user)
        match told.get("response_action"):
            case "errors":
                blocks = {block["block_id"] for block in opened.view["blocks"]}
                if unknown := set(cast(Json, told["errors"])) - blocks:
                    raise ValueError(f"the app reports errors for blocks that the modal does not have: {unknown}")
                opened.errors = cast(Json, told["errors"])
            case "update":
                check_view(told["view"])
                slack_views.replace(self, opened, told["view"])
            case "push":
                check_view(told["view"])
                stack.append(OpenView(self.new_id("V"), user, told["view"], self.new_id("h")))
            case "clear":
                stack.clear()
            case _:
                stack.remove(opened)
        return self.modal(user)

    async def close(self, user: str) -> None:
        """Close the open modal, and those below it."""
        opened = self._opened(user)
        self.modals[user].clear()
        if opened.view.get("notify_on_close"):
            view = slack_views.described(self, opened)
            await self._interact("view_closed", user, {"view": view, "is_cleared": True})

    def modal(self, user: str) -> Modal | None:
        """What the person sees in the modal on top, None if none is open."""
        stack = self.modals.get(user)
        return slack_views.seen(self, stack[-1]) if stack else None

    async def _interact(self, kind: str, user: str, fields: Json) -> Json | None:
        person = {"id": user, "username": self.users[user].name, "name": self.users[user].name, "team_id": self.team}
        payload: Json = {
            "type": kind,
            "user": person,
            "team": {"id": self.team, "domain": "local"},
            "enterprise": None,
            "is_enterprise_install": False,
            "api_app_id": self.app,
            "token": "verification",
            "trigger_id": self.new_trigger(user),
        }
        return await self.delivery.call("interactive", payload | fields)

    def _on(self, message: Message, user: str) -> Json:
        """What an interaction with a message tells; an ephemeral one's content is not in it."""
        container = {"type": "message", "message_ts": message.ts, "channel_id": message.channel}
        container |= {"is_ephemeral": message.to is not None} | (
            {"thread_ts": message.thread} if message.thread else {}
        )
        told: Json = {
            "container": container,
            "channel": {"id": message.channel, "name": self.channels[message.channel].name},
            "response_url": self.new_hook(user, message.channel, message),
            "state": {"values": {}},
        }
        return told if message.to else told | {"message": described(self, message)}

    def _typed(self, text: str) -> str:
        """What Slack makes of what a person types: three characters escaped, addresses in angle brackets."""
        escaped = _MENTION.sub(r"<\1>", html.escape(text, quote=False))
        return _ADDRESS.sub(lambda match: f"<{match[0]}>", escaped)

    def _whisper(self, channel: str, user: str, text: str) -> None:
        self.post(Message(self.new_ts(), channel, "USLACKBOT", text, to=user))

    def _message(self, channel: str, ts: str) -> Message:
        message = self.posts[ts]
        if message.channel != channel or message.deleted:
            raise ValueError(f"no message {ts} in {self.channels[channel].name}")
        return message

    def _present(self, channel: str, user: str) -> None:
        if user not in self.channels[channel].members:
            raise ValueError(f"{self.users[user].name} is not in {self.channels[channel].name}")

    def _opened(self, user: str) -> OpenView:
        if not self.modals.get(user):
            raise ValueError(f"{self.users[user].name} has no modal open")
        return self.modals[user][-1]


def _button(buttons: Sequence[Button], what: str) -> Button:
    for button in buttons:
        if what in (button.label, button.value, button.element.get("action_id")):
            return button
    raise ValueError(f"no button {what!r}, but {[button.label for button in buttons]}")
