"""Sources that contradict each other: found without a model, and told in the answer."""

from kbot.disagreement.search import Disagreement, Side, disagreements
from kbot.disagreement.telling import told

__all__ = ["Disagreement", "Side", "disagreements", "told"]
