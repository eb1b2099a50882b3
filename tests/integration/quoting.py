"""Prompts for the model that quotes."""

from langchain_core.messages import BaseMessage

from kbot.chat import Passage
from kbot.language import Language
from kbot.prompts import Persona, answer_prompt, format_passages


def prompt(question: str, *texts: str, language: Language = "en", refusal: str | None = None) -> list[BaseMessage]:
    passages = [Passage(f"c{n}", "d", "s.md", "S", text, 0, 0, 0, 0) for n, text in enumerate(texts)]
    values = {"passages": format_passages(passages), "question": question}
    return answer_prompt(Persona("x", refusal=refusal), language).invoke(values).to_messages()
