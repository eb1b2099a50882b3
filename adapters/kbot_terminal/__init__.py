"""kbot in a terminal: `kbot chat`, and what `kbot demo` shows."""

from kbot_terminal.adapter import TerminalAdapter

__all__ = ["TerminalAdapter"]
