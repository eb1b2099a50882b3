"""What the bot itself says, in the language of the person it says it to."""

from dataclasses import dataclass

from kbot.errors import (
    DatabaseError,
    EmbedderMismatch,
    ModelError,
    ModelMissing,
    ModelTimeout,
    ModelUnreachable,
    StreamCut,
)
from kbot.language import Language


@dataclass(frozen=True, slots=True)
class Words:
    """The sentences of one language. Those on failures end in the next step, for the person who asked or for whoever
    runs kbot; the errors' own words are for the log, and in one language only."""

    searching: str
    waiting: str
    queued: str
    empty: str
    interrupted: str
    uncited: str
    unreachable: str
    missing: str
    timeout: str
    cut: str
    failed: str
    database: str
    embedder: str
    unexpected: str

    def of(self, error: BaseException) -> str:
        """An error in words for the person who asked, without a traceback."""
        match error:
            case ModelError():
                name = error.model.partition(":")[2] or error.model
                return self._of_model(error).format(model=error.model, name=name)
            case DatabaseError():
                return self.database
            case EmbedderMismatch():
                return self.embedder
            case _:
                return self.unexpected

    def _of_model(self, error: ModelError) -> str:
        match error:
            case StreamCut():
                return self.cut
            case ModelUnreachable():
                return self.unreachable
            case ModelMissing():
                return self.missing
            case ModelTimeout():
                return self.timeout
            case _:
                return self.failed


_ENGLISH = Words(
    searching="🔎 Searching the documents…",
    waiting="⏳ Waiting: {ahead} earlier in this conversation.",
    queued="⏳ Others are being answered; you are number {number} in the queue.",
    empty="👋 Ask me a question about the documents, in a sentence.",
    interrupted="⚠️ Interrupted before the answer was complete. Please ask again.",
    uncited="⚠️ I could not tie this to a passage of the documents, so take it as unconfirmed.",
    unreachable="⚠️ The model {model} cannot be reached, so I cannot answer now. Whoever runs kbot can start its server (`ollama serve`, if it is Ollama's), correct KBOT_OLLAMA_URL, or choose another model with KBOT_CHAT_MODEL.",
    missing="⚠️ The model {model} is not installed, so I cannot answer now. Whoever runs kbot can fetch it (`ollama pull {name}`, if it is Ollama's) or choose another with KBOT_CHAT_MODEL.",
    timeout="⚠️ The model {model} took too long, and I stopped waiting. Please ask again; if it happens often, whoever runs kbot can raise KBOT_MODEL_TIMEOUT or choose a smaller model.",
    cut="⚠️ The answer was cut off here. Please ask again, or for less at once; if it happens often, whoever runs kbot can raise KBOT_ANSWER_TOKENS, or look at the log of the model's server.",
    failed="⚠️ The model {model} failed. Please ask again; if it stays so, whoever runs kbot finds the cause with `kbot doctor`.",
    database="⚠️ I cannot reach my database now. Please ask again in a moment; if it stays so, whoever runs kbot finds the cause with `kbot doctor`.",
    embedder="⚠️ My index was built with another embedding model, so I cannot search it. Whoever runs kbot has to run `kbot reindex`.",
    unexpected="⚠️ Something went wrong on my side. Please ask again; if it stays so, whoever runs kbot finds the cause with `kbot doctor`.",
)

_PORTUGUESE = Words(
    searching="🔎 Procurando nos documentos…",
    waiting="⏳ Na fila: {ahead} antes nesta conversa.",
    queued="⏳ Outras perguntas estão sendo respondidas; a sua é a número {number} da fila.",
    empty="👋 Faça uma pergunta sobre os documentos, em uma frase.",
    interrupted="⚠️ Interrompido antes de a resposta ficar completa. Pergunte de novo, por favor.",
    uncited="⚠️ Não consegui ligar isto a um trecho dos documentos; considere não confirmado.",
    unreachable="⚠️ O modelo {model} não está acessível e não posso responder agora. Quem cuida do kbot pode iniciar o servidor dele (`ollama serve`, se for do Ollama), corrigir KBOT_OLLAMA_URL ou escolher outro modelo com KBOT_CHAT_MODEL.",
    missing="⚠️ O modelo {model} não está instalado e não posso responder agora. Quem cuida do kbot pode baixá-lo (`ollama pull {name}`, se for do Ollama) ou escolher outro com KBOT_CHAT_MODEL.",
    timeout="⚠️ O modelo {model} demorou demais e parei de esperar. Pergunte de novo; se acontecer muito, quem cuida do kbot pode aumentar KBOT_MODEL_TIMEOUT ou escolher um modelo menor.",
    cut="⚠️ A resposta foi cortada aqui. Pergunte de novo, ou peça menos de uma vez; se acontecer muito, quem cuida do kbot pode aumentar KBOT_ANSWER_TOKENS ou olhar o log do servidor do modelo.",
    failed="⚠️ O modelo {model} falhou. Pergunte de novo; se continuar, quem cuida do kbot acha a causa com `kbot doctor`.",
    database="⚠️ Não alcanço meu banco de dados agora. Pergunte de novo daqui a pouco; se continuar, quem cuida do kbot acha a causa com `kbot doctor`.",
    embedder="⚠️ Meu índice foi feito com outro modelo de embeddings e não posso procurar nele. Quem cuida do kbot precisa rodar `kbot reindex`.",
    unexpected="⚠️ Algo deu errado do meu lado. Pergunte de novo; se continuar, quem cuida do kbot acha a causa com `kbot doctor`.",
)

SPOKEN = (_ENGLISH, _PORTUGUESE)
"""The words of every language, for when nobody knows whom they are for."""


def words_in(language: Language) -> Words:
    """The words of a language; English where it is neither of the two."""
    return _PORTUGUESE if language == "pt" else _ENGLISH
