"""Random questions: expressions small enough to differentiate by hand."""

from __future__ import annotations

import random

from ..inspect.expressions import parse
from ..viz.explaining.quiz import Question, quiz

FIRST = 3  # the lesson that explains gradients
RICHER = 5  # from this lesson on, expressions have more than sums and products
FUNCTIONS = ("tanh", "relu", "exp", "sigmoid")
NUMBERS = (-3.0, -2.0, -1.0, 1.0, 2.0, 3.0)
SMALLEST, LARGEST = 1e-2, 1e3  # the range of answers worth computing by hand
LINES = 14  # maximum length of a worked answer


def question(rng: random.Random, lesson: int) -> Question:
    """A question about a partial derivative of a random expression, at the level of a lesson."""
    while True:
        text = _expression(rng, richer=lesson >= RICHER)
        names = parse(text).names
        if len(names) < 2:
            continue
        values = {name: rng.choice(NUMBERS) for name in names}
        found = quiz(text, values, rng.choice(names))
        if SMALLEST <= abs(found.answer) <= LARGEST and len(found.worked.splitlines()) <= LINES:
            return found


def _expression(rng: random.Random, richer: bool) -> str:
    """A sum or difference of small terms; a richer one may have powers and a function around it."""
    names = "abc"[: rng.choice((2, 3))]
    terms = [_term(rng, names, richer) for _ in range(rng.choice((2, 2, 3)))]
    text = rng.choice((" + ", " + ", " - ")).join(terms)
    if richer and rng.random() < 0.7:
        text = f"{rng.choice(FUNCTIONS)}({text})"
        return f"{text} * {rng.choice(names)}" if rng.random() < 0.4 else text
    return text


def _term(rng: random.Random, names: str, richer: bool) -> str:
    one, other = rng.choice(names), rng.choice(names)
    forms = [one, f"{one}*{other}", f"{one}*{other}", f"{rng.choice((2, 3))}*{one}"]
    return rng.choice([*forms, f"{one}**2"] if richer else forms)
