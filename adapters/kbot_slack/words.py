"""What kbot says in Slack of its own accord, in the language of the person it says it to."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """The sentences, in one language."""

    usage_ask: str
    usage_forget: str
    only_admins: str
    invite: str
    not_here: str
    no_files: str
    failed: str
    inbox: str
    not_yours: str
    titles: dict[str, str]


_ENGLISH = Words(
    usage_ask="Write your question after the command: `/ask How many days of leave are there?` Only you will see the "
    "answer; `/ask in_channel …` shows it to everybody here.",
    usage_forget="Write the document's name after the command, as `/sources` shows it: `/forget handbook.pdf`",
    only_admins="Only admins may do that. Ask one of your workspace.",
    invite="I am not in this channel. Invite me with `/invite @kbot`, then try again.",
    not_here="kbot is not in this channel: invite it first, or choose everybody.",
    no_files="There are no files in this message. Use it on a message with files.",
    failed="That did not work. Try again in a moment; if it fails again, tell an admin.",
    inbox="Here is the receipt for the documents that you sent in <#{channel}>, where I cannot write:",
    not_yours="Only members of the channel may see that.",
    titles={"sources": "Documents", "gaps": "Not answered", "read": "What I read"},
)
_PORTUGUESE = Words(
    usage_ask="Escreva a pergunta depois do comando: `/ask Quantos dias de férias há?` Só você verá a resposta; "
    "`/ask in_channel …` mostra a todos aqui.",
    usage_forget="Escreva o nome do documento depois do comando, como `/sources` o mostra: `/forget manual.pdf`",
    only_admins="Só admins podem fazer isso. Peça a um do seu workspace.",
    invite="Não estou neste canal. Convide-me com `/invite @kbot` e tente de novo.",
    not_here="O kbot não está neste canal: convide-o antes, ou escolha todos.",
    no_files="Não há arquivos nesta mensagem. Use em uma mensagem com arquivos.",
    failed="Não deu certo. Tente de novo daqui a pouco; se falhar outra vez, avise um admin.",
    inbox="Este é o recibo dos documentos que você enviou em <#{channel}>, onde não posso escrever:",
    not_yours="Só membros do canal podem ver isso.",
    titles={"sources": "Documentos", "gaps": "Sem resposta", "read": "O que li"},
)


def words_in(language: str) -> Words:
    """The sentences in a language; English where it is not Portuguese."""
    return _PORTUGUESE if language.lower().startswith("pt") else _ENGLISH
