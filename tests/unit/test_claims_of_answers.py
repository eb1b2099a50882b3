"""An answer as claims with their citations."""

import pytest

from degenerate import DEGENERATE, assert_linear
from kbot.reflection.claims import Claim, attributed, split_claims, without


@pytest.mark.parametrize(
    "answer",
    [
        "The gym opens at 6 in the morning [1]. It closes at 10 in the evening [2].",
        "The gym opens at 6 in the morning. [1] It closes at 10 in the evening. [2]",
        "- The gym opens at 6 in the morning [1].\n- It closes at 10 in the evening [2].",
        "# Opening hours of the gym\n\nThe gym opens at 6 in the morning [1].\n\nIt closes at 10 in the evening. [2]",
    ],
)
def test_a_mark_belongs_to_the_sentence_that_it_ends(answer: str) -> None:
    assert split_claims(answer) == [
        Claim("The gym opens at 6 in the morning.", (1,)),
        Claim("It closes at 10 in the evening.", (2,)),
    ]


def test_a_claim_may_cite_several_and_none() -> None:
    found = split_claims("São 22 dias úteis por ano [1][3]. O pedido se faz no portal da empresa.")
    assert found == [Claim("São 22 dias úteis por ano.", (1, 3)), Claim("O pedido se faz no portal da empresa.", ())]


@pytest.mark.parametrize(
    "answer",
    [
        "O que mais você gostaria de saber?",
        "The benefits that you get are as follows:",
        "The passages do not say when it closes.",
        "Os trechos não dizem quando ela fecha.",
        "Os documentos não informam o salário [1].",
        "Não há informações sobre o salário nos documentos [1].",
        "There is no information about this [1].",
        "The documents do not mention 40 days [1].",
        "## Férias",
        "## 1. Férias e licenças de todos",
        "There are 3 rules for everybody:",
        "Quer saber mais sobre os 22 dias de férias?",
        "",
    ],
)
def test_what_says_nothing_of_the_world_is_no_claim(answer: str) -> None:
    assert split_claims(answer) == []


@pytest.mark.parametrize(
    ("answer", "claim", "cites"),
    [
        ("## Employees get 40 days of sick leave [1]", "Employees get 40 days of sick leave", (1,)),
        ("## Os estagiários têm 40 dias de férias", "Os estagiários têm 40 dias de férias", ()),
        ("| Sick | 40 |", "Sick; 40", ()),
        ("| Leave | Days |\n| --- | --- |\n| Sick | 40 |", "Sick; 40", ()),
        ("| Sick | 40 days | The documents do not mention exceptions [1] |", "Sick; 40 days", (1,)),
        (
            "Everybody gets 40 days and a free car, as follows:",
            "Everybody gets 40 days and a free car, as follows:",
            (),
        ),
        ("You get 40 days of vacation, right?", "You get 40 days of vacation, right?", ()),
        ("São 40 dias de férias, certo?", "São 40 dias de férias, certo?", ()),
    ],
)
def test_what_cites_or_holds_a_figure_is_a_claim_wherever_it_stands(
    answer: str, claim: str, cites: tuple[int, ...]
) -> None:
    assert split_claims(answer) == [Claim(claim, cites)]
    assert without(answer, split_claims(answer)) == ""


def test_a_heading_is_left_out_as_a_line() -> None:
    answer = "Ask in the portal.\n\n## Everybody gets 40 days [1]\n\nIt closes at 9 in Lisbon [2]."
    assert without(answer, [Claim("Everybody gets 40 days", (1,))]) == (
        "Ask in the portal.\n\nIt closes at 9 in Lisbon [2]."
    )


def test_short_sentences_with_citations_of_their_own_are_claims_of_their_own() -> None:
    answer = "R$ 420 [1]. O café da manhã é cobrado à parte [2]."
    price, breakfast = split_claims(answer)
    assert (price, breakfast) == (Claim("R$ 420.", (1,)), Claim("O café da manhã é cobrado à parte.", (2,)))
    assert without(answer, [breakfast]) == "R$ 420 [1]."


@pytest.mark.parametrize("answer", ["Não [1]. {}", "Não. {}", "Sim, {}", "**No.** {}", "Yes [1]; {}"])
def test_yes_or_no_belongs_to_the_sentence_that_it_opens_and_is_none_of_its_words(answer: str) -> None:
    answer = answer.format("a academia abre aos domingos [1].")
    assert split_claims(answer) == [Claim("a academia abre aos domingos.", (1,))]
    assert without(answer, split_claims(answer)) == ""


@pytest.mark.parametrize("step", ["Passo 2: ", "**Step 2:** ", "2. ", "Etapa 3. "])
def test_the_number_of_a_step_is_none_of_its_figures(step: str) -> None:
    assert [claim.text for claim in split_claims(f"{step}Reinicie a máquina [1].")] == ["Reinicie a máquina."]


def test_a_short_answer_is_a_claim_if_it_cites() -> None:
    assert split_claims("R$ 420 [1]") == [Claim("R$ 420", (1,))]
    assert split_claims("Claro!") == []


@pytest.mark.parametrize(
    ("answer", "dropped", "rest"),
    [
        ("It opens at 8 in Porto [1]. It closes at 9 in Lisbon [2].", [1], "It opens at 8 in Porto [1]."),
        ("It opens at 8 in Porto. [1] It closes at 9 in Lisbon. [2]", [0], "It closes at 9 in Lisbon [2]."),
        (
            "São três regras:\n\n- A primeira é simples [1].\n- A segunda é falsa [1].\n- A terceira é longa [2].",
            [1],
            "São três regras:\n\n- A primeira é simples [1].\n- A terceira é longa [2].",
        ),
        ("1. A primeira é simples [1].\n2. A segunda é falsa [1].", [0, 1], ""),
        ("Only one sentence is here [1].", [], "Only one sentence is here [1]."),
    ],
)
def test_claims_are_left_out_with_what_only_led_to_them(answer: str, dropped: list[int], rest: str) -> None:
    claims = split_claims(answer)
    assert without(answer, [claims[n] for n in dropped]) == rest


def test_a_citation_is_put_before_the_stop() -> None:
    answer = "It opens at 8 in Porto. It closes at 9 in Lisbon [2]!"
    first, second = split_claims(answer)
    assert attributed(answer, {first: 3}) == "It opens at 8 in Porto [3]. It closes at 9 in Lisbon [2]!"
    assert attributed(answer, {first: 3, second: 1}) == "It opens at 8 in Porto [3]. It closes at 9 in Lisbon [1]!"
    assert attributed("Abre às 8h no Porto", {Claim("Abre às 8h no Porto", ()): 1}) == "Abre às 8h no Porto [1]"


@pytest.mark.parametrize(
    "answer",
    [
        "a) O almoço custa 12 euros [1] b) o jantar custa 15 euros [2]",
        "a) O almoço custa 12 euros [1], b) o jantar custa 15 euros [2]",
        "(i) O almoço custa 12 euros [1] e (ii) o jantar custa 15 euros [2]",
        "São duas: 1. O almoço custa 12 euros [1] 2. o jantar custa 15 euros [2]",
        "- O almoço custa 12 euros [1] - o jantar custa 15 euros [2]",
        "1) O almoço custa 12 euros [1] 2) o jantar custa 15 euros [2]",
    ],
)
def test_items_of_a_list_within_a_line_are_claims_of_their_own(answer: str) -> None:
    first, second = Claim("O almoço custa 12 euros", (1,)), Claim("o jantar custa 15 euros", (2,))
    assert split_claims(answer) == [first, second]
    assert "almoço" not in without(answer, [first])
    assert "o jantar custa 15 euros [2]" in without(answer, [first])
    assert without(answer, [second]) == answer[: answer.index("[1]") + len("[1]")]
    assert attributed(answer, {first: 7, second: 8}) == answer.replace("[1]", "[7]").replace("[2]", "[8]")


def test_the_items_that_stay_are_parted_as_they_were() -> None:
    answer = (
        "a) O almoço custa 12 euros [1]; b) o jantar custa 15 euros [2] e c) a ceia custa 9 euros [3]. Abre às 8h [4]."
    )
    lunch, dinner, supper, hours = split_claims(answer)
    assert without(answer, [lunch]).startswith("b) o jantar")
    assert without(answer, [dinner]).startswith("a) O almoço custa 12 euros [1] e c) a ceia custa 9 euros [3]. ")
    assert without(answer, [dinner, supper]) == "a) O almoço custa 12 euros [1]. Abre às 8h [4]."
    assert without(answer, [lunch, dinner, supper, hours]) == ""


def test_the_number_of_the_next_item_is_no_part_of_the_one_before_it() -> None:
    answer = "1. Lunch costs 12 euros [1]. 2. Dinner costs 15 euros [2]."
    lunch, dinner = split_claims(answer)
    assert (lunch.text, dinner.text) == ("Lunch costs 12 euros.", "Dinner costs 15 euros.")
    assert without(answer, [dinner]) == "1. Lunch costs 12 euros [1]."


@pytest.mark.parametrize(
    "answer",
    [
        "Ver alínea a) do artigo 5 e b) do artigo 6 da lei [1].",
        "Lunch costs 12 euros [1] - a bargain for everybody.",
        "It opens at 8 - 10 on Mondays [1] and at 9 on Sundays [2].",
    ],
)
def test_what_is_no_list_stays_one_claim(answer: str) -> None:
    assert len(split_claims(answer)) == 1


def test_the_number_of_an_item_is_no_part_of_its_claim() -> None:
    assert [
        claim.text for claim in split_claims("1. Open the portal of trips [1].\n2. Choose the date there [1].")
    ] == [
        "Open the portal of trips.",
        "Choose the date there.",
    ]


@pytest.mark.parametrize(
    ("mark", "cites"),
    [
        ("[1, 2]", (1, 2)),
        ("[1-3]", (1, 2, 3)),
        ("【2†source】", (2,)),
        ("[Source 2]", (2,)),
        ("[Fontes 1 e 2]", (1, 2)),
        ("[^2]", (2,)),
        ("[1](#passage-1)", (1,)),
        ("[1] [2]", (1, 2)),
    ],
)
@pytest.mark.parametrize("form", ["A academia abre às seis da manhã {}.", "A academia abre às seis da manhã. {}"])
def test_a_claim_cites_by_marks_in_every_form_that_answers_are_read_in(
    form: str, mark: str, cites: tuple[int, ...]
) -> None:
    assert split_claims(form.format(mark)) == [Claim("A academia abre às seis da manhã.", cites)]


@pytest.mark.parametrize(
    "said", ["Read the first element with `a[1]` there.", "The first element is my_list[1] there."]
)
def test_an_index_in_code_cites_nothing(said: str) -> None:
    assert [claim.cites for claim in split_claims(said)] == [()]


CODE = "```python\n# It opens at 6 in the morning. It closes at 9 [2].\nx = a[1]\n\n\n\n-\n```"


def test_a_block_of_code_is_no_claim_and_stays_as_it_is() -> None:
    answer = f"The gym opens at 6 in the morning [1].\n\n{CODE}\n\nIt closes at 9 in the evening [2]."
    claims = split_claims(answer)
    assert [claim.cites for claim in claims] == [(1,), (2,)]
    assert without(answer, claims) == CODE
    assert without(answer, claims[:1]) == f"{CODE}\n\nIt closes at 9 in the evening [2]."
    assert CODE in attributed(answer, dict.fromkeys(claims, 3))
    unclosed = "Run this program in a terminal:\n\n~~~\n| a [1] | It is b of them. It is c. |"
    assert split_claims(unclosed) == []


TABLE = """| Expense | Limit |
| --- | --- |
| Hotel in capitals | R$ 420. By night [1] |
| Meals on any trip [2] | R$ 90 |"""


def test_a_row_of_a_table_is_one_claim() -> None:
    assert split_claims(TABLE) == [
        Claim("Hotel in capitals; R$ 420. By night", (1,)),
        Claim("Meals on any trip; R$ 90", (2,)),
    ]


def test_rows_are_left_out_as_lines_and_the_head_with_the_last() -> None:
    answer = f"The limits are as follows for you:\n\n{TABLE}\n\nAsk in the portal for more [3]."
    hotel, meals, portal = split_claims(answer)
    head, rule, _, second = TABLE.split("\n")
    assert without(answer, [hotel]) == answer.replace(TABLE, "\n".join([head, rule, second]))
    assert without(answer, [hotel, meals]) == "The limits are as follows for you:\n\nAsk in the portal for more [3]."
    assert without(answer, [portal]) == f"The limits are as follows for you:\n\n{TABLE}"


def test_a_row_gets_its_citation_in_its_last_cell() -> None:
    hotel, meals = split_claims(TABLE)
    assert attributed(TABLE, {hotel: 4, meals: 5}).split("\n")[2:] == [
        "| Hotel in capitals | R$ 420. By night [4] |",
        "| Meals on any trip | R$ 90 [5] |",
    ]


def test_short_items_with_a_figure_or_a_mark_are_claims() -> None:
    answer = "The limits are as follows:\n- Hotel: R$ 420\n- Taxi: none [2]\n- Fine!\n- Meals on any trip: R$ 90 [1]"
    assert [claim.text for claim in split_claims(answer)] == ["Hotel: R$ 420", "Taxi: none", "Meals on any trip: R$ 90"]


def test_blank_lines_are_left_as_they_are_in_code_alone() -> None:
    answer = f"It opens at 8 in Porto [1].\n\nIt closes at 9 in Lisbon [2].\n\n{CODE}\n\nIt rains in the north [3]."
    _, second, _ = split_claims(answer)
    assert without(answer, [second]) == f"It opens at 8 in Porto [1].\n\n{CODE}\n\nIt rains in the north [3]."


@pytest.mark.parametrize("piece", DEGENERATE)
def test_degenerate_answers_are_read_in_time_proportional_to_their_length(piece: str) -> None:
    assert_linear(lambda text: without(text, split_claims(text)[:1]), piece)
    assert_linear(lambda text: attributed(text, dict.fromkeys(split_claims(text), 1)), piece)
