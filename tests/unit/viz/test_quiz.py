"""Questions about gradients, with their answers."""

import pytest

from chainrule.inspect.expressions import ExpressionError
from chainrule.viz.explaining.quiz import quiz

from ...near import near


def test_a_question() -> None:
    question = quiz("tanh(a*b + a**2)", {"a": 2.0, "b": -3.0}, wrt="a")
    assert question.question == "y = tanh(a·b + a²) with a = 2, b = -3. What is dy/da?"
    assert question.answer == near(0.0706508249, rel=1e-8)
    assert question.accepts(0.0707)
    assert not question.accepts(0.072)
    assert not question.accepts(float("nan"))
    assert question.worked.splitlines()[1] == "dy/da = 0.07065"


def test_a_gradient_of_zero_can_be_answered() -> None:
    question = quiz("relu(x) * y", {"x": -1.0, "y": 2.125}, wrt="x")
    assert question.question == "out = relu(x)·y with x = -1, y = 2.125. What is d out/dx?"
    assert question.answer == 0.0
    assert question.accepts(0.0)
    assert not question.accepts(1.0)


def test_an_expression_of_one_variable() -> None:
    question = quiz("a", {"a": 2.0}, wrt="a")
    assert question.question == "y = a with a = 2. What is dy/da?"
    assert question.answer == 1.0


def test_errors() -> None:
    with pytest.raises(ExpressionError, match=r"^'c' is not a variable of a \* b, which has a, b$"):
        quiz("a * b", {"a": 1.0, "b": 2.0}, wrt="c")
    with pytest.raises(ExpressionError, match=r"^no value for b: write b=1.5$"):
        quiz("a * b", {"a": 1.0}, wrt="a")
    message = r"^the gradient with respect to a is inf: choose other values$"
    with pytest.raises(ValueError, match=message):
        quiz("sqrt(a)", {"a": 0.0}, wrt="a")
