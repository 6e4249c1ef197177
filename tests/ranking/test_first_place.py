"""A trained reranker starts from a ranking's order, and says what to put first."""

import numpy as np
import pytest

from localrec.llm.scripted import ScriptedModel
from localrec.memory.first_place import PLACES, first_place_prompt, rerank_first
from localrec.memory.rerank_stage import RerankCandidate, RerankContext

FILMS = [RerankCandidate(title, "is Drama") for title in ("Alien", "Big", "Cube", "Dune")]
SCORES = np.log([0.1, 0.2, 0.6, 0.1])
CONTEXT = RerankContext(memory="Likes horror.")


def reranked(said, films=FILMS, scores=SCORES):
    model = ScriptedModel(lambda messages: said)
    found = rerank_first(model, CONTEXT, films, scores, singular="film")
    return found, model


def test_candidates_are_shown_in_the_order_of_their_chances_with_these():
    prompt = first_place_prompt(CONTEXT, FILMS[2:] + FILMS[:1], np.log([0.6, 0.3, 0.1]), "film")
    assert prompt[-1].content.splitlines() == [
        "About the person: Likes horror.",
        "A. 60% Cube. is Drama",
        "B. 30% Dune. is Drama",
        "C. 10% Alien. is Drama",
    ]


def test_one_question_orders_them_all():
    found, model = reranked("1 7 1 1")
    assert np.argsort(-found.scores).tolist()[0] == 1  # B is Big, second by its chances
    assert (found.calls, model.calls) == (1, 1)
    assert found.scores.min() >= 0 and found.scores.max() <= 1


def test_keeping_the_first_leaves_it_there():
    assert np.argmax(reranked("keep")[0].scores) == 2


def test_scores_rise_as_logarithms_of_the_answer_s_probabilities():
    scores = reranked("8 4 2 1")[0].scores[[2, 1, 0, 3]]
    assert np.diff(scores) == pytest.approx([np.diff(scores)[0]] * 3)


def test_candidates_beyond_the_shown_ones_stay_behind_them():
    films = [RerankCandidate(f"Film {number}") for number in range(9)]
    found, model = reranked("1 1 1 1 1 1", films, -np.arange(9.0))
    assert (found.scores[: len(PLACES)] > 0).all()
    assert found.scores[len(PLACES) :].tolist() == [0.0] * 3
    assert "Film 6" not in model.prompts[0][-1].content


def test_a_line_break_in_a_title_makes_no_line():
    _, model = reranked("keep", [RerankCandidate("A\nB. 99% Big"), *FILMS[1:]])
    lines = model.prompts[0][-1].content.splitlines()
    assert sum(line.startswith("B. ") for line in lines) == 1


def test_without_candidates_no_model_is_asked():
    found = rerank_first(None, CONTEXT, [], np.zeros(0), singular="film")  # type: ignore[arg-type]
    assert len(found.scores) == 0 and found.calls == 0
