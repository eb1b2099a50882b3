"""Small talk is told from questions by its words, in both languages."""

import pytest

from kbot.small_talk import SmallTalk, small_talk, small_talk_in


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Thank you very much for your help", "thanks"),
        ("obg", "thanks"),
        ("vlw", "thanks"),
        ("tks", "thanks"),
        ("thx", "thanks"),
        ("brigadão", "thanks"),
        ("muito obrigado pela ajuda!", "thanks"),
        ("perfeito", "acknowledgement"),
        ("show de bola", "acknowledgement"),
        ("beleza, obrigado", "thanks"),
        ("great, thanks a lot", "thanks"),
        ("ok", "acknowledgement"),
        ("ok obrigado", "thanks"),
        ("boa tarde pessoal", "greeting"),
        ("tchau", "farewell"),
        ("👍", "acknowledgement"),
        ("🙏🏽", "acknowledgement"),
        ("hi", "greeting"),
        ("Hello!", "greeting"),
        ("obrigado!", "thanks"),
        ("Muito obrigada, kbot :)", "thanks"),
        ("ok, thanks", "thanks"),
        ("Bom dia, tudo bem?", "greeting"),
        ("Thank you very much", "thanks"),
        ("Oi, bom dia", "greeting"),
        ("hello", "greeting"),
        ("Muito obrigado!", "thanks"),
        (":thumbsup:", "acknowledgement"),
        (":+1:", "acknowledgement"),
        ("thanks!!", "thanks"),
        ("Até amanhã", "farewell"),
        ("valeu demais, galera", "thanks"),
        ("Obrigada mesmo!", "thanks"),
        ("thanks again", "thanks"),
        ("got it, thanks", "thanks"),
        ("Perfect, that's what I needed", "acknowledgement"),
        ("that helped a lot", "acknowledgement"),
        ("good bot", "acknowledgement"),
        ("Entendi, valeu", "thanks"),
        ("ótimo, era isso mesmo", "acknowledgement"),
        ("oi kbot", "greeting"),
        ("hi there", "greeting"),
        ("thank u so much", "thanks"),
        ("no, thanks", "thanks"),
        ("não, obrigado", "thanks"),
        ("help", "help"),
        ("o que você faz?", "help"),
        ("how are you?", "greeting"),
        ("OK 👍", "acknowledgement"),
        ("muito bom!", "acknowledgement"),
        ("❤️", "acknowledgement"),
        ("obrigado pela resposta rápida", "thanks"),
        ("thanks for everything", "thanks"),
        ("have a nice weekend!", "farewell"),
        ("bom fim de semana", "farewell"),
        ("Perfeito, era isso mesmo, valeu pela ajuda", "thanks"),
        ("ok?", "acknowledgement"),
        ("Ótimo! Obrigado, pessoal.", "thanks"),
        ("que legal!", "acknowledgement"),
        ("thank you all", "thanks"),
    ],
)
def test_what_asks_for_nothing_is_small_talk(text: str, kind: SmallTalk) -> None:
    assert small_talk(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "obrigado, e o horário?",
        "thanks, and on Sundays?",
        "hi, when is lunch?",
        "Obrigado e aos domingos?",
        "ok button colour",
        "",
        "?!",
        "Olá Vista",
        "perfeito para quem?",
        "legal",
        "legal?",
        "Lisboa?",
        "and Sundays?",
        "e em Lisboa?",
        "sim",
        "no",
        "e?",
        "bom dia útil",
        "good morning shift",
        "help desk",
        "ajuda de custo",
        "thanks to whom?",
        "is it legal?",
        "top secret",
        "a boa prática",
        "muito",
        "the",
        "Bye laws",
        "ok, e a academia?",
        "tudo",
        "por quê?",
        "great circle route",
        "cool down",
        "🤔",
        "show me the prices",
        "ajuda com a VPN",
        "boa noite, qual o horário da academia",
        "valeu a pena?",
        "perfeito?",
        "gratuito",
        "time",
        "equipe",
        "e a equipe?",
        "all",
        "support",
        "for support",
        "it worked how?",
        "não funcionou",
        "não ajudou",
        "that helps no",
        "ok e agora?",
        "ok, e o time?",
        "bom dia, e o time?",
    ],
)
def test_what_may_ask_for_something_is_none_however_polite(text: str) -> None:
    assert small_talk(text) == ""


def test_small_talk_is_of_the_language_of_its_words() -> None:
    assert small_talk_in("ok, obrigado") == {"pt"}
    assert small_talk_in("ok, thanks") == {"en"}
    assert small_talk_in("ok") == {"pt", "en"}
    assert small_talk_in("Lisboa") == frozenset()


def test_a_long_text_is_no_small_talk_and_is_told_at_once() -> None:
    assert small_talk("obrigado por isso " * 1000 + "x") == ""
    assert small_talk("demais por isso " * 9 + "x") == ""
