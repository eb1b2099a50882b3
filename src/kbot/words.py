"""What the bot itself says, in the language of the person it says it to."""

from dataclasses import dataclass

from kbot.chat import Decision, labels_in
from kbot.errors import (
    DatabaseError,
    EmbedderMismatch,
    ModelError,
    ModelMissing,
    ModelTimeout,
    ModelUnreachable,
    RerankerMismatch,
    StreamCut,
)


@dataclass(frozen=True, slots=True)
class Words:
    """The sentences of one language: about an answer, about files that are ingested, and the lines of reports. Those on
    failures end in the next step, for the person who asked or for whoever runs kbot; the errors' own words are for the
    log, and in one language only."""

    searching: str
    checking: str
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
    index: str
    unexpected: str
    revised: str
    unread_files: str
    only_admins: str
    ingesting: str
    ingested: str
    seen_by_all: str
    seen_here: str
    paused: str
    no_files: str
    added: str
    replaced: str
    duplicate: str
    rejected: str
    pages: tuple[str, str]
    chunks: tuple[str, str]
    without_text: str
    embedding: str
    read_title: str
    read_line: str
    read_cited: str
    read_nothing: str
    decided_title: str
    decided: dict[str, str]
    sources_title: str
    sources_line: str
    sources_none: str
    gaps_title: str
    gaps_line: str
    gaps_people: tuple[str, str]
    gaps_reported: str
    gaps_unhelpful: str
    gaps_none: str
    forgotten: str
    unknown_source: str
    did_you_mean: str
    thanks: str
    sorry: str
    reported: str
    gone_answer: str

    def of_decision(self, decision: Decision) -> str:
        """A decision in a sentence."""
        said = self.decided.get(f"{decision.step} {decision.outcome}") or self.decided[decision.outcome]
        return said.format(detail=decision.detail).replace(" ()", "")

    def of(self, error: BaseException) -> str:
        """An error in words for the person who asked, without a traceback."""
        match error:
            case ModelError():
                name = error.model.partition(":")[2] or error.model
                return self._of_model(error).format(model=error.model, name=name)
            case DatabaseError():
                return self.database
            case EmbedderMismatch() | RerankerMismatch():
                return self.index
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


_LABELS = {language: labels_in(language) for language in ("en", "pt")}

# By step and outcome of a `kbot.chat.Decision`; {detail} is numbers alone.
_DECIDED = {
    "en": {
        "follow-up alone": "The question stands by itself.",
        "follow-up joined": "The question was understood together with an earlier one ({detail}).",
        "follow-up rewritten": "The question was rewritten so that it stands by itself ({detail}).",
        "retrieval needed": "The documents have to be searched.",
        "retrieval not needed": "Nothing has to be looked up for that.",
        "gate near": "The search found something near enough ({detail}).",
        "gate nothing near": "The search found nothing near enough ({detail}).",
        "reranker failed": "The reranker did not answer; the order is that of the search alone.",
        "passages relevant": "Passages judged relevant: {detail}.",
        "passages none relevant": "No passage was judged relevant ({detail}).",
        "passages answer": "The passages hold the answer, as far as search and model can tell ({detail}).",
        "passages no answer": "The passages do not hold the answer, as far as search and model can tell ({detail}).",
        "search again": "Searched again in other words ({detail}).",
        "claims attributed": "Statements whose citation was put right: {detail}.",
        "claims supported": "Statements checked against their sources: all {detail} are supported.",
        "claims unsupported": "Statements that their sources do not support: {detail}.",
        "answer to the point": "The draft answers the question ({detail}).",
        "answer beside the point": "The draft does not answer the question ({detail}).",
        "draft written again": "The draft was withdrawn and written once more.",
        "draft failed": "The model failed while it wrote the draft once more.",
        "draft quoted": "The draft was withdrawn, and the documents quoted instead.",
        "draft cut": "What was not supported was left out ({detail}).",
        "draft refused": "The draft was withdrawn: too little of it was supported ({detail}).",
        "sources disagree": "Sources that disagree: {detail}.",
        "unchecked": "A check could not be made, since the model or the embedder failed; what it would have checked stands.",
    },
    "pt": {
        "follow-up alone": "A pergunta se entende sozinha.",
        "follow-up joined": "A pergunta foi entendida junto com uma anterior ({detail}).",
        "follow-up rewritten": "A pergunta foi reescrita para se entender sozinha ({detail}).",
        "retrieval needed": "É preciso procurar nos documentos.",
        "retrieval not needed": "Não é preciso procurar nada para isso.",
        "gate near": "A busca achou algo próximo o bastante ({detail}).",
        "gate nothing near": "A busca não achou nada próximo o bastante ({detail}).",
        "reranker failed": "O reranker não respondeu; a ordem é a da busca.",
        "passages relevant": "Trechos julgados relevantes: {detail}.",
        "passages none relevant": "Nenhum trecho foi julgado relevante ({detail}).",
        "passages answer": "Os trechos têm a resposta, até onde a busca e o modelo podem dizer ({detail}).",
        "passages no answer": "Os trechos não têm a resposta, até onde a busca e o modelo podem dizer ({detail}).",
        "search again": "Nova busca com outras palavras ({detail}).",
        "claims attributed": "Afirmações cuja citação foi corrigida: {detail}.",
        "claims supported": "Afirmações conferidas com as fontes: todas sustentadas ({detail}).",
        "claims unsupported": "Afirmações que as fontes não sustentam: {detail}.",
        "answer to the point": "O rascunho responde à pergunta ({detail}).",
        "answer beside the point": "O rascunho não responde à pergunta ({detail}).",
        "draft written again": "O rascunho foi retirado e escrito mais uma vez.",
        "draft failed": "O modelo falhou ao escrever o rascunho mais uma vez.",
        "draft quoted": "O rascunho foi retirado, e os documentos citados em seu lugar.",
        "draft cut": "O que não tinha sustentação ficou de fora ({detail}).",
        "draft refused": "O rascunho foi retirado: muito pouco dele tinha sustentação ({detail}).",
        "sources disagree": "Fontes que discordam: {detail}.",
        "unchecked": "Uma conferência não pôde ser feita, pois o modelo ou o embedder falhou; o que ela conferiria fica.",
    },
}

_ENGLISH = Words(
    searching="🔎 Searching the documents…",
    checking="🔍 Checking: not everything in the draft stands in the documents…",
    waiting="⏳ Waiting: {ahead} earlier in this conversation.",
    queued="⏳ Others are being answered; you are number {number} in the queue.",
    empty="👋 Ask me a question about the documents, in a sentence. Admins give me documents: “ingest”, with files or addresses.",
    interrupted="⚠️ Interrupted before the answer was complete. Please ask again.",
    uncited="⚠️ I could not tie this to a passage of the documents, so take it as unconfirmed.",
    unreachable="⚠️ The model {model} cannot be reached, so I cannot answer now. Whoever runs kbot can start its server (`ollama serve`, if it is Ollama's), correct KBOT_OLLAMA_URL, or choose another model with KBOT_CHAT_MODEL.",
    missing="⚠️ The model {model} is not installed, so I cannot answer now. Whoever runs kbot can fetch it (`ollama pull {name}`, if it is Ollama's) or choose another with KBOT_CHAT_MODEL.",
    timeout="⚠️ The model {model} took too long, and I stopped waiting. Please ask again; if it happens often, whoever runs kbot can raise KBOT_MODEL_TIMEOUT or choose a smaller model.",
    cut="⚠️ The answer was cut off here. Please ask again, or for less at once; if it happens often, whoever runs kbot can raise KBOT_ANSWER_TOKENS, or look at the log of the model's server.",
    failed="⚠️ The model {model} failed. Please ask again; if it stays so, whoever runs kbot finds the cause with `kbot doctor`.",
    database="⚠️ I cannot reach my database now. Please ask again in a moment; if it stays so, whoever runs kbot finds the cause with `kbot doctor`.",
    index="⚠️ My index was built for another embedding model or reranker, so I cannot search it. Whoever runs kbot has to run `kbot reindex`.",
    unexpected="⚠️ Something went wrong on my side. Please ask again; if it stays so, whoever runs kbot finds the cause with `kbot doctor`.",
    revised="✏️ *Revised after the question was edited.*",
    unread_files="📎 I answer from ingested documents alone and have not read the attached file. An admin can have it ingested: attach it to a new message that says “ingest”.",
    only_admins=_LABELS["en"].only_admins,
    ingesting="📥 Reading {n} of {total}…",
    ingested="📥 Ready to answer from: {done} of {total}.",
    seen_by_all="Everybody may ask about it.",
    seen_here="Only asked here is it answered from.",
    paused="⏸️ Paused. It goes on by itself when kbot runs again.",
    no_files=_LABELS["en"].no_files,
    added="added",
    replaced="replaced",
    duplicate="there already",
    rejected="not read",
    pages=("1 page", "{n} pages"),
    chunks=("1 passage", "{n} passages"),
    without_text="{n} without text",
    embedding="{done} of {total} passages",
    read_title=_LABELS["en"].titles["read"],
    read_line="relevance {score:.2f} · distance {distance:.2f}",
    read_cited="cited",
    read_nothing="Nothing that you may see was read for this answer, or it has been forgotten since.",
    decided_title="How this answer came about",
    decided=_DECIDED["en"],
    sources_title=_LABELS["en"].titles["sources"],
    sources_line="{pages}{chunks} · updated {day}{scope}",
    sources_none="No document has been ingested here yet. Admins do so with /ingest.",
    gaps_title=_LABELS["en"].titles["gaps"],
    gaps_line="asked {times}×, by {people}, last on {day}",
    gaps_people=("1 person", "{n} people"),
    gaps_reported="told to the admins {n}×",
    gaps_unhelpful="answered, and found of no help {n}×",
    gaps_none="No question was left unanswered so far.",
    forgotten="🗑️ {name} is forgotten: nothing answers from it any more.",
    unknown_source="There is no document {name} here.",
    did_you_mean="Did you mean {names}?",
    thanks="🙏 Thank you, noted.",
    sorry="🙏 Thank you, noted. The admins see the question in /gaps.",
    reported="📮 Noted: the admins see this question among those that the documents do not answer (/gaps).",
    gone_answer="This answer is not kept any more.",
)

_PORTUGUESE = Words(
    searching="🔎 Procurando nos documentos…",
    checking="🔍 Conferindo: nem tudo no rascunho está nos documentos…",
    waiting="⏳ Na fila: {ahead} antes nesta conversa.",
    queued="⏳ Outras perguntas estão sendo respondidas; a sua é a número {number} da fila.",
    empty="👋 Faça uma pergunta sobre os documentos, em uma frase. Admins me dão documentos: “ingerir”, com arquivos ou endereços.",
    interrupted="⚠️ Interrompido antes de a resposta ficar completa. Pergunte de novo, por favor.",
    uncited="⚠️ Não consegui ligar isto a um trecho dos documentos; considere não confirmado.",
    unreachable="⚠️ O modelo {model} não está acessível e não posso responder agora. Quem cuida do kbot pode iniciar o servidor dele (`ollama serve`, se for do Ollama), corrigir KBOT_OLLAMA_URL ou escolher outro modelo com KBOT_CHAT_MODEL.",
    missing="⚠️ O modelo {model} não está instalado e não posso responder agora. Quem cuida do kbot pode baixá-lo (`ollama pull {name}`, se for do Ollama) ou escolher outro com KBOT_CHAT_MODEL.",
    timeout="⚠️ O modelo {model} demorou demais e parei de esperar. Pergunte de novo; se acontecer muito, quem cuida do kbot pode aumentar KBOT_MODEL_TIMEOUT ou escolher um modelo menor.",
    cut="⚠️ A resposta foi cortada aqui. Pergunte de novo, ou peça menos de uma vez; se acontecer muito, quem cuida do kbot pode aumentar KBOT_ANSWER_TOKENS ou olhar o log do servidor do modelo.",
    failed="⚠️ O modelo {model} falhou. Pergunte de novo; se continuar, quem cuida do kbot acha a causa com `kbot doctor`.",
    database="⚠️ Não alcanço meu banco de dados agora. Pergunte de novo daqui a pouco; se continuar, quem cuida do kbot acha a causa com `kbot doctor`.",
    index="⚠️ Meu índice foi feito para outro modelo de embeddings ou reranker e não posso procurar nele. Quem cuida do kbot precisa rodar `kbot reindex`.",
    unexpected="⚠️ Algo deu errado do meu lado. Pergunte de novo; se continuar, quem cuida do kbot acha a causa com `kbot doctor`.",
    revised="✏️ *Revisto depois que a pergunta foi editada.*",
    unread_files="📎 Respondo só a partir de documentos ingeridos e não li o arquivo anexado. Um admin pode mandar ingeri-lo: anexe-o a uma nova mensagem que diga “ingerir”.",
    only_admins=_LABELS["pt"].only_admins,
    ingesting="📥 Lendo {n} de {total}…",
    ingested="📥 Prontos para responder: {done} de {total}.",
    seen_by_all="Todos podem perguntar sobre isto.",
    seen_here="Só quem pergunta aqui recebe resposta disto.",
    paused="⏸️ Em pausa. Continua sozinho quando o kbot voltar a rodar.",
    no_files=_LABELS["pt"].no_files,
    added="adicionado",
    replaced="substituído",
    duplicate="já estava aqui",
    rejected="não lido",
    pages=("1 página", "{n} páginas"),
    chunks=("1 trecho", "{n} trechos"),
    without_text="{n} sem texto",
    embedding="{done} de {total} trechos",
    read_title=_LABELS["pt"].titles["read"],
    read_line="relevância {score:.2f} · distância {distance:.2f}",
    read_cited="citado",
    read_nothing="Nada do que você pode ver foi lido para esta resposta, ou já foi esquecido.",
    decided_title="Como se chegou a esta resposta",
    decided=_DECIDED["pt"],
    sources_title=_LABELS["pt"].titles["sources"],
    sources_line="{pages}{chunks} · atualizado em {day}{scope}",
    sources_none="Nenhum documento foi ingerido aqui ainda. Admins fazem isso com /ingest.",
    gaps_title=_LABELS["pt"].titles["gaps"],
    gaps_line="perguntado {times}×, por {people}, por último em {day}",
    gaps_people=("1 pessoa", "{n} pessoas"),
    gaps_reported="avisado aos admins {n}×",
    gaps_unhelpful="respondido, e não ajudou {n}×",
    gaps_none="Nenhuma pergunta ficou sem resposta até agora.",
    forgotten="🗑️ {name} foi esquecido: nada mais responde a partir dele.",
    unknown_source="Não há documento {name} aqui.",
    did_you_mean="Você quis dizer {names}?",
    thanks="🙏 Obrigado, anotado.",
    sorry="🙏 Obrigado, anotado. Os admins veem a pergunta em /gaps.",
    reported="📮 Anotado: os admins veem esta pergunta entre as que os documentos não respondem (/gaps).",
    gone_answer="Esta resposta não está mais guardada.",
)

SPOKEN = (_ENGLISH, _PORTUGUESE)
"""The words of every language, for when nobody knows whom they are for."""


def words_in(language: str) -> Words:
    """The words of a language ("pt", "pt-BR", "en", …); English where it is neither of the two."""
    return _PORTUGUESE if language.lower().startswith("pt") else _ENGLISH
