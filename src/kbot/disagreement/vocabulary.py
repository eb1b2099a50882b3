"""The words by which two sentences are told to be about the same thing, or not, in Portuguese and English."""


def _each(words: str) -> list[str]:
    return words.split()


# Words that add nothing to what a sentence is about: roots of five letters, without accents.
LIGHT = frozenset(
    word[:5]
    for word in _each(
        "get gets got receive entitled grant grants granted given give gives take takes done made make makes every each"
        " per all total also always now date been being will shall would need needs usually just than any such some"
        " paid pays amount value rate there maximum minimum limit deadline"
        " recebe receber direito tem cada todo todos toda todas total valor sempre agora data ficam fica feito feita"
        " realiza realizado acontece ocorre será serão foram sido parte forma qual desde pago paga prazo"
        " precisa precisam máximo máxima mínimo mínima limite após"
        # Everybody: who is meant in particular is named by another word.
        " employee employees worker workers staff people person everyone user users company"
        " funcionário colaborador empregado pessoa pessoas usuário empresa"
    )
)
# How long something lasts or recurs, where no number stands before it.
PERIODS: dict[str, str] = {
    word: words.split()[0]
    for words in (
        "day days daily dia dias diário",
        "night nights noite noites",
        "week weeks weekly semana semanas semanal",
        "month months monthly mes meses mensal",
        "year years yearly annual ano anos anual",
    )
    for word in words.split()
}
# A condition that only one of two sentences has makes them statements on different cases.
CONDITIONS: dict[str, str] = {
    "when": r"if|when|whenever|caso|quando|desde que",
    "unless": r"unless|except|excluding|exceto|salvo|a menos que",
    "only": r"only|somente|apenas|só",
    "without": r"without|sem",
    "formerly": r"former|formerly|previous|previously|originally|used to|anterior|anteriormente|antigamente",
    "before": r"before|antes",
    "after": r"after|depois|após",
    "during": r"during|durante",
    "half": r"half|metade|mei[oa]",
    "more": r"extra|additional|adicional|adicionais|further|mais um[a]?",
    "other": r"another|other|instead|outr[oa]s?",
}
# A day on which something begins to hold is no part of what holds.
EFFECTIVE = r"(?:since|as of|effective|starting|from|desde|a partir de)"
# Near to an encoder, and yet never the same: beginnings of words, without accents.
CONTRASTS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("matern",), ("patern",)),
    (("first", "primeir"), ("second", "segund", "third", "terceir")),
    (("start", "begin", "comec", "inici"), ("end", "finish", "termin")),
    (("minim",), ("maxim",)),
    (("buy", "purchas", "compra"), ("sell", "sale", "vend")),
    (("student", "alun", "estudant"), ("teacher", "profess")),
    (("north", "norte", "south", "sul"), ("east", "leste", "west", "oeste", "north", "norte", "south", "sul")),
    (("male", "men", "homem", "homens"), ("female", "women", "mulher")),
    (("upload", "envio"), ("download",)),
    (("arriv", "chega"), ("depart", "saida", "partida")),
    (("entrada", "entry"), ("saida", "exit")),
    (("intern",), ("extern",)),
    (("manager", "gerente", "gestor"), ("employee", "funcionari", "colaborador", "worker")),
    (("domestic", "naciona"), ("internaciona",)),
    (("gross", "bruto"), ("net", "liquid")),
    (("summer", "verao"), ("winter", "inverno")),
)
# Words for kinds and states of documents, which say nothing of what a document is on.
DOCUMENTS = frozenset(
    _each(
        "policy policies faq handbook manual guide guideline rules regulation document version draft final new old"
        " latest revised questions wiki notes memo copy"
        " política políticas guia cartilha regras regulamento norma documento versão rascunho novo nova antigo antiga"
        " perguntas dúvidas comunicado cópia"
    )
)
