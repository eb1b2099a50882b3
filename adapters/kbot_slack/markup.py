"""Slack's markup: what a person wrote becomes plain text, and what kbot writes cannot become markup by accident."""

import re

from kbot.chat import is_web, without_mentions

_TOKEN = re.compile(r"<((?:[@#!]|[A-Za-z][A-Za-z0-9+.-]*:)[^<>]*)>")
_MENTION = re.compile(r"<@([A-Z0-9]+)(?:\|[^<>]*)?>")
# What breaks out of the address in <address|label>.
_UNSAFE = {ord(character): f"%{ord(character):02X}" for character in '|<>"`\\ '}
_MARKDOWN = re.compile(
    r"(?P<code>```.*?```|`[^`\n]+`)"
    r"|\\(?P<literal>[\\`*_\[\]()<>~#.!|+-])"
    r"|\*\*(?P<bold>[^*\n]+)\*\*"
    r"|\[(?P<label>[^\[\]\n]+)\]\(<?(?P<url>[^\s<>()]+(?:\([^\s<>()]*\)[^\s<>()]*)*)>?\)"
    r"|^#{1,6} +(?P<heading>[^\n]+?)(?: +#+)?$"
    r"|^(?P<indent> *)[-*+] +",
    re.DOTALL | re.MULTILINE,
)


def escape(text: str) -> str:
    """The text for `text` and mrkdwn fields, where `&`, `<` and `>` are Slack's own."""
    return escape_block(text.replace("&", "&amp;"))


def escape_block(text: str) -> str:
    """The text for markdown blocks, which still take `<!here>` and `<@U…>` for mentions, but show `&` as it is."""
    return text.replace("<", "&lt;").replace(">", "&gt;")


def unescape(text: str) -> str:
    """The text without Slack's three entities."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def count(text: str) -> int:
    """Characters that Slack counts for a message: its text once as a markdown block and once escaped for notifications,
    of which the latter is never the shorter."""
    return len(escape(text))


def mentions(text: str) -> set[str]:
    """The ids of the users whom a text as Slack sends it mentions."""
    return set(_MENTION.findall(text))


def read(text: str, bot_user_id: str) -> str:
    """What a person wrote, as plain text for the model: without mentions of the bot itself, other mentions and channels
    by name where Slack says it and by id where not, links as "label (address)", line breaks kept."""
    pieces = _TOKEN.split(without_mentions(text, rf"<@{re.escape(bot_user_id)}(?:\|[^<>]*)?>"))
    # Text and tokens alternate. A token's text is unescaped as well, but only after it was taken apart.
    return "".join(unescape(_plain(piece) if n % 2 else piece) for n, piece in enumerate(pieces)).strip()


def typed(text: str) -> str:
    """What a person typed, where Slack made links of it: "handbook.md" of `<http://handbook.md|handbook.md>`."""
    pieces = _TOKEN.split(text)
    return "".join(unescape(piece.rpartition("|")[2] if n % 2 else piece) for n, piece in enumerate(pieces)).strip()


def link(url: str | None, label: str) -> str:
    """An escaped mrkdwn link; the escaped label alone unless the address is one of http or https."""
    if not url or not is_web(url):
        return escape(label)
    return f"<{escape(url.strip().translate(_UNSAFE))}|{escape(label).replace('|', '¦')}>"


def mrkdwn(markdown: str) -> str:
    """Markdown as escaped mrkdwn, for the surfaces that take no markdown block: bold, headings, lists and links; code
    is left as it is, and so is all else."""
    written: list[str] = []
    end = 0
    for found in _MARKDOWN.finditer(markdown):
        written += escape(markdown[end : found.start()]), _converted(found)
        end = found.end()
    return "".join([*written, escape(markdown[end:])])


def _converted(found: re.Match[str]) -> str:
    part = found.groupdict()
    if part["label"]:
        return link(part["url"], part["label"].replace("**", ""))
    if part["indent"] is not None:
        return f"{part['indent']}• "
    if strong := part["bold"] or part["heading"]:
        return f"*{mrkdwn(strong.replace('*', ''))}*"
    return escape(part["code"] or part["literal"])


def _plain(token: str) -> str:
    target, _, label = token.partition("|")
    if target.startswith("@"):
        return f"@{label.removeprefix('@') or target[1:]}"
    if target.startswith("#"):
        return f"#{label.removeprefix('#') or target[1:]}"
    if target.startswith("!subteam^"):
        return f"@{label.removeprefix('@') or target.removeprefix('!subteam^')}"
    if target.startswith("!date^"):
        return label
    if target.startswith("!"):
        return f"@{target[1:]}"
    address = target.removeprefix("mailto:").removeprefix("tel:")
    # Slack makes a link of a bare "example.com" too, and says so by that label.
    return address if not label or _bare(label) == _bare(address) else f"{label} ({address})"


def _bare(address: str) -> str:
    return address.removeprefix("https://").removeprefix("http://").rstrip("/")
