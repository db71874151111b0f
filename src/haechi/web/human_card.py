"""What the owner's page says about the number that people would have given, and about how far the asking is."""

from __future__ import annotations

from haechi.report.tables.human_scale import human_sentence
from haechi.report.words import score_label
from haechi.rubrics import Rubric
from haechi.text import language
from haechi.web.asking import Standing, words_of
from haechi.web.figures import Figures


def human_words(rubric: Rubric, figures: Figures, standing: Standing | None) -> list[str]:
    """Sentences, in the visitor's language; none where there are no ratings of people and AI judges."""
    said: list[str] = []
    if standing is not None:
        said += [words.say(language()) for words in words_of(standing, score_label(rubric, standing.score))]
    if figures.human is not None and figures.main is not None:
        said.append(human_sentence(rubric, figures.human, figures.main))
    return said
