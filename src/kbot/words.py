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
    """The sentences of one language. Those on failures end in the next step, for whoever runs kbot."""

    searching: str
    waiting: str
    busy: str
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
            case StreamCut():
                return self.cut.format(next_step=error.next_step)
            case ModelUnreachable():
                return self.unreachable.format(model=error.model, next_step=error.next_step)
            case ModelMissing():
                return self.missing.format(model=error.model, next_step=error.next_step)
            case ModelTimeout():
                return self.timeout.format(model=error.model, next_step=error.next_step)
            case ModelError():
                return self.failed.format(model=error.model, next_step=error.next_step)
            case DatabaseError():
                return self.database
            case EmbedderMismatch():
                return self.embedder.format(next_step="kbot reindex")
            case _:
                return self.unexpected


_ENGLISH = Words(
    searching="🔎 Searching the documents…",
    waiting="⏳ Waiting: {ahead} earlier in this conversation.",
    busy="⏳ Waiting for a free place: others are being answered.",
    interrupted="⚠️ Interrupted before the answer was complete. Please ask again.",
    uncited="⚠️ I could not tie this to a passage of the documents, so take it as unconfirmed.",
    unreachable="⚠️ The model {model} cannot be reached, so I cannot answer now. {next_step}",
    missing="⚠️ The model {model} is not installed, so I cannot answer now. {next_step}",
    timeout="⚠️ The model {model} took too long, and I stopped waiting. {next_step}",
    cut="⚠️ The answer was cut off here. {next_step}",
    failed="⚠️ The model {model} failed. {next_step}",
    database="⚠️ I cannot reach my database now. Please ask again in a moment; if it stays so, tell whoever runs kbot.",
    embedder="⚠️ My index was built with another embedding model. Whoever runs kbot has to run `{next_step}`.",
    unexpected="⚠️ Something went wrong on my side. Please ask again; if it stays so, tell whoever runs kbot.",
)

_PORTUGUESE = Words(
    searching="🔎 Procurando nos documentos…",
    waiting="⏳ Na fila: {ahead} antes nesta conversa.",
    busy="⏳ Esperando uma vaga: outras perguntas estão sendo respondidas.",
    interrupted="⚠️ Interrompido antes de a resposta ficar completa. Pergunte de novo, por favor.",
    uncited="⚠️ Não consegui ligar isto a um trecho dos documentos; considere não confirmado.",
    unreachable="⚠️ O modelo {model} não está acessível e não posso responder agora. {next_step}",
    missing="⚠️ O modelo {model} não está instalado e não posso responder agora. {next_step}",
    timeout="⚠️ O modelo {model} demorou demais e parei de esperar. {next_step}",
    cut="⚠️ A resposta foi cortada aqui. {next_step}",
    failed="⚠️ O modelo {model} falhou. {next_step}",
    database="⚠️ Não alcanço meu banco de dados agora. Pergunte de novo daqui a pouco; se continuar, avise quem cuida do kbot.",
    embedder="⚠️ Meu índice foi feito com outro modelo de embeddings. Quem cuida do kbot precisa rodar `{next_step}`.",
    unexpected="⚠️ Algo deu errado do meu lado. Pergunte de novo; se continuar, avise quem cuida do kbot.",
)


def words_in(language: Language) -> Words:
    """The words of a language; English where it is neither of the two."""
    return _PORTUGUESE if language == "pt" else _ENGLISH
