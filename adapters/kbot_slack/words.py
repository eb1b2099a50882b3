"""What kbot says in Slack alone, in the language of the person it says it to."""

from dataclasses import dataclass

from kbot.chat import in_language


@dataclass(frozen=True, slots=True)
class Words:
    """The sentences, in one language."""

    usage_ask: str
    usage_forget: str
    invite: str
    not_here: str
    inbox: str


_ENGLISH = Words(
    usage_ask="Write your question after the command: `/ask How many days of leave are there?` Only you will see the "
    "answer; `/ask in_channel …` shows it to everybody here.",
    usage_forget="Write the document's name after the command, as `/sources` shows it: `/forget handbook.pdf`",
    invite="I am not in this channel. Invite me with `/invite @kbot`, then try again.",
    not_here="kbot is not in this channel: invite it first, or choose everybody.",
    inbox="Here is the receipt for the documents that you sent in <#{channel}>, where I cannot write:",
)
_PORTUGUESE = Words(
    usage_ask="Escreva a pergunta depois do comando: `/ask Quantos dias de férias há?` Só você verá a resposta; "
    "`/ask in_channel …` mostra a todos aqui.",
    usage_forget="Escreva o nome do documento depois do comando, como `/sources` o mostra: `/forget manual.pdf`",
    invite="Não estou neste canal. Convide-me com `/invite @kbot` e tente de novo.",
    not_here="O kbot não está neste canal: convide-o antes, ou escolha todos.",
    inbox="Este é o recibo dos documentos que você enviou em <#{channel}>, onde não posso escrever:",
)


def words_in(language: str) -> Words:
    """The sentences in a language; English where it is not Portuguese."""
    return in_language(language, _ENGLISH, _PORTUGUESE)
