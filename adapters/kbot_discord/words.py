"""What kbot says in Discord alone, and the names of its commands, in the language of the person."""

from dataclasses import dataclass

from kbot.chat import in_language


@dataclass(frozen=True, slots=True)
class Words:
    """The sentences, in one language."""

    started: str
    no_text: str
    missing: str
    too_long: str


_ENGLISH = Words(
    started="📥 The receipt grows in a message of its own here.",
    no_text="💬 There is no text in this message that I could answer.",
    missing="⛔ I cannot write here: an admin of the server must allow me {missing} in this channel.",
    too_long="⏱️ Discord lets me change this answer for 15 minutes only, and it is not finished. Ask again, or write to "
    "me directly, where answers may take longer.",
)
_PORTUGUESE = Words(
    started="📥 O recibo cresce em uma mensagem própria aqui.",
    no_text="💬 Não há texto nesta mensagem que eu possa responder.",
    missing="⛔ Não posso escrever aqui: um admin do servidor precisa me permitir {missing} neste canal.",
    too_long="⏱️ O Discord só me deixa mudar esta resposta por 15 minutos, e ela não está pronta. Pergunte de novo, ou "
    "escreva diretamente para mim, onde as respostas podem demorar mais.",
)

IN_PORTUGUESE = {
    "ask": "perguntar",
    "ingest": "ingerir",
    "sources": "fontes",
    "forget": "esquecer",
    "gaps": "lacunas",
    "Ask kbot about this": "Perguntar ao kbot sobre isto",
    "Ingest files": "Ingerir arquivos",
    "Ask the documents": "Perguntar aos documentos",
    "Your question, in a sentence": "Sua pergunta, em uma frase",
    "Only you see the answer": "Só você vê a resposta",
    "Ingest files and addresses, so that they can be asked about (admins)": "Ingerir arquivos e endereços, para que se "
    "possa perguntar sobre eles (admins)",
    "A file to ingest": "Um arquivo a ingerir",
    "Addresses of web pages, with spaces between them": "Endereços de páginas da web, separados por espaços",
    "Who may get answers from them; without a choice, as the channel is": "Quem recebe respostas deles; sem escolha, "
    "como o canal é",
    "Everybody": "Todos",
    "This channel only": "Só este canal",
    "List the documents that answers come from (admins)": "Listar os documentos de que vêm as respostas (admins)",
    "Delete a document (admins)": "Apagar um documento (admins)",
    "The document's name": "O nome do documento",
    "What people asked and the documents did not answer (admins)": "O que as pessoas perguntaram e os documentos não "
    "responderam (admins)",
    "question": "pergunta",
    "private": "privado",
    "urls": "enderecos",
    "scope": "alcance",
    "source": "documento",
    **{f"file{n}": f"arquivo{n}" for n in range(1, 6)},
}
"""What the commands are called, by their English names and descriptions."""


def words_in(language: str) -> Words:
    """The sentences in a language; English where it is not Portuguese."""
    return in_language(language, _ENGLISH, _PORTUGUESE)
