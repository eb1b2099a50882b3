"""Everything that models are told beside what they are told it about, so that two runs show whether it was the same."""

import hashlib
from typing import get_args

from kbot.chat import Passage
from kbot.evaluation import judge
from kbot.ingestion import proposed
from kbot.language import Language
from kbot.prompts import Persona, answer_prompt, ask_again, format_passages, rewrite_prompt
from kbot.reflection import graders, rewording

_PASSAGE = Passage("", "", "", "{title}", "{text}", 0, 0, 0, 0, page=1, heading="{heading}")


def instructions(persona: Persona) -> list[str]:
    """Every text of the product's own that a model reads: with an answer and its second draft, a follow-up, a vote,
    another search, a document that it is to cut, and a claim that it is to judge."""
    answering: list[str] = []
    for language in get_args(Language):
        prompts = (answer_prompt(persona, language), rewrite_prompt(language))
        answering += [prompt.pretty_repr() for prompt in prompts]
        answering.append(ask_again("{question}", ["{statement}", "{statement}"], language))
    shown = format_passages([_PASSAGE])
    return [*answering, shown, *graders.PROMPTS, *rewording.PROMPTS, *proposed.PROMPTS, *judge.PROMPTS]


def prompt_version(persona: Persona) -> str:
    """A hash of all instructions."""
    return hashlib.sha256("\0".join(instructions(persona)).encode()).hexdigest()[:12]
