"""kbot answers a team's questions from the documents it was given, or says that they do not hold the answer."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kbot.engine import Engine
    from kbot.retriever import Retriever

__all__ = ["Engine", "Retriever"]


def __getattr__(name: str) -> Any:
    # Loaded when asked for: `import kbot.errors` should not wait for LangChain.
    if name == "Engine":
        from kbot.engine import Engine

        return Engine
    if name == "Retriever":
        from kbot.retriever import Retriever

        return Retriever
    raise AttributeError(f"module 'kbot' has no attribute {name!r}")
