"""The adapters that are installed, found by their entry points in the group `kbot.adapters`."""

from importlib.metadata import entry_points
from typing import Any

from kbot.errors import SettingsError

GROUP = "kbot.adapters"


def adapter_names() -> list[str]:
    """The names of the installed adapters."""
    return sorted(entry_points(group=GROUP).names)


def load_adapter(name: str) -> Any:
    """The class of an installed adapter; it is made without arguments, from its own settings, and has `run(bot)`.

    Raises `SettingsError` for a name that is not installed, or lacks a library.
    """
    found = entry_points(group=GROUP, name=name)
    if not found:
        raise SettingsError(
            f"There is no adapter {name!r}. Installed: {', '.join(adapter_names()) or 'none'}. "
            "An adapter comes with a package that has an entry point in the group kbot.adapters."
        )
    try:
        return next(iter(found)).load()
    except ImportError as error:
        raise SettingsError(
            f"The adapter {name!r} cannot be loaded ({error}). Install what it needs: pip install 'kbot[{name}]'."
        ) from error
