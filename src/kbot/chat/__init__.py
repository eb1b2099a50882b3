"""The door between kbot and the places where people talk to it.

An adapter imports this module and nothing else of kbot. It turns what its platform sends into an `IncomingMessage`,
hands that to the `Bot` it was given, and offers the few calls of `Adapter` with which the bot answers.
"""

from kbot.chat.adapter import Adapter, Bot, Content, Limits, Opinion, Stage
from kbot.chat.answers import Answer, Citation, Decision, Passage, Report
from kbot.chat.labels import Labels, captions, in_language, labels_in, plain, sources, turns
from kbot.chat.lines import check_home, is_web, packed, short, without_mentions
from kbot.chat.messages import Attachment, IncomingMessage, IngestRequest, Person, Place
from kbot.chat.settings import Ids, read_settings, settings_of
from kbot.errors import DeliveryError, Forbidden, KbotError, MessageGone, RateLimited, Rejected, SettingsError
from kbot.logs import get_logger

__all__ = [
    "Adapter",
    "Answer",
    "Attachment",
    "Bot",
    "Citation",
    "Content",
    "Decision",
    "DeliveryError",
    "Forbidden",
    "Ids",
    "IncomingMessage",
    "IngestRequest",
    "KbotError",
    "Labels",
    "Limits",
    "MessageGone",
    "Opinion",
    "Passage",
    "Person",
    "Place",
    "RateLimited",
    "Rejected",
    "Report",
    "SettingsError",
    "Stage",
    "captions",
    "check_home",
    "get_logger",
    "in_language",
    "is_web",
    "labels_in",
    "packed",
    "plain",
    "read_settings",
    "settings_of",
    "short",
    "sources",
    "turns",
    "without_mentions",
]
