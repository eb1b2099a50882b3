"""Small talk is told from questions by its words, in both languages."""

import time

import pytest

from kbot.small_talk import SmallTalk, small_talk, small_talk_in, without_courtesy


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
        ("não obrigado", "thanks"),
        ("Não, era isso mesmo. Obrigado!", "thanks"),
        ("no, that's all, thanks for your help", "thanks"),
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
        "Não funcionou. Obrigado",
        "Obrigado, não ajudou",
        "não funcionou não, valeu",
        "Thanks, no help",
        "no help, thanks",
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


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Obrigado, e a que horas abre a receção?", "A que horas abre a receção?"),
        ("Thanks! And what about parking?", "What about parking?"),
        ("Valeu! Quanto custa o almoço?", "Quanto custa o almoço?"),
        ("ok thanks, and on Sundays?", "And on Sundays?"),
        ("Perfeito, obrigada! E em Lisboa?", "E em Lisboa?"),
        ("thanks and where do I get a badge?", "Where do I get a badge?"),
        ("obrigado e em Lisboa?", "E em Lisboa?"),
        ("Great, and who pays?", "Who pays?"),
        ("Bom dia, tudo bem? Quanto custa o almoço?", "Quanto custa o almoço?"),
        ("Hi!\n\nHow much is it?", "How much is it?"),
        ("👍 E o almoço?", "E o almoço?"),
        ("OK. No, I meant Lisbon", "No, I meant Lisbon"),
        ("E em Lisboa? Obrigado!", "E em Lisboa?"),
        ("Is lunch free? Thanks a lot :)", "Is lunch free?"),
        ("Não funcionou. Obrigado", "Não funcionou."),
    ],
)
def test_a_courtesy_is_no_part_of_the_question_beside_it(text: str, asked: str) -> None:
    assert without_courtesy(text) == asked
    assert not small_talk(text)


@pytest.mark.parametrize(
    "text",
    [
        "Obrigado",
        "Cool! 👍",
        "Perfeito?",
        "Nice, France: is there an office?",
        "Good morning and evening shifts: when?",
        "Thank-you cards: who pays?",
        "Ok e-mail da equipa?",
        "Help, how do I install it?",
        "Great news, everyone?",
        "Sim, e em Lisboa?",
        "O que quer dizer: valeu?",
        "Quanto custa o almoço?",
    ],
)
def test_what_is_no_courtesy_or_nothing_else_stays(text: str) -> None:
    assert without_courtesy(text) == text


@pytest.mark.parametrize("text", ["obrigado, " * 20_000, "a. ok " * 20_000, "ok! " * 20_000, "\n" * 100_000 + "a"])
def test_courtesies_are_looked_for_at_the_ends_of_a_text_alone(text: str) -> None:
    begun = time.process_time()
    without_courtesy(text)
    assert time.process_time() - begun < 1
