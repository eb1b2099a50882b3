"""What kbot says in Discord of its own accord, and the names of its commands, in the language of the person."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """The sentences, in one language."""

    started: str
    only_admins: str
    no_files: str
    no_text: str
    missing: str
    failed: str
    too_long: str
    not_yours: str


_ENGLISH = Words(
    started="📥 The receipt grows in a message of its own here.",
    only_admins="🔒 Only admins can do that here: whoever may manage the server, or is named in kbot's settings.",
    no_files="📎 There are no files in this message. Use it on a message with files.",
    no_text="💬 There is no text in this message that I could answer.",
    missing="⛔ I cannot write here: an admin of the server must allow me {missing} in this channel.",
    failed="⚠️ That did not work. Try again in a moment; if it fails again, tell an admin.",
    too_long="⏱️ Discord lets me change this answer for 15 minutes only, and it is not finished. Ask again, or write to "
    "me directly, where answers may take longer.",
    not_yours="🔒 Only people who can read the channel may see that.",
)
_PORTUGUESE = Words(
    started="📥 O recibo cresce em uma mensagem própria aqui.",
    only_admins="🔒 Só admins podem fazer isso aqui: quem gerencia o servidor, ou está nas configurações do kbot.",
    no_files="📎 Não há arquivos nesta mensagem. Use em uma mensagem com arquivos.",
    no_text="💬 Não há texto nesta mensagem que eu possa responder.",
    missing="⛔ Não posso escrever aqui: um admin do servidor precisa me permitir {missing} neste canal.",
    failed="⚠️ Não deu certo. Tente de novo daqui a pouco; se falhar outra vez, avise um admin.",
    too_long="⏱️ O Discord só me deixa mudar esta resposta por 15 minutos, e ela não está pronta. Pergunte de novo, ou "
    "escreva diretamente para mim, onde as respostas podem demorar mais.",
    not_yours="🔒 Só quem pode ler o canal pode ver isso.",
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
    return _PORTUGUESE if language.lower().startswith("pt") else _ENGLISH
