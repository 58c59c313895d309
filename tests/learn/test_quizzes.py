"""Parsing the answers to quizzes, and finding the nodes that they refer to."""

import ast
from typing import Any

import pytest

from chainrule.learn import rendering
from chainrule.learn.course import lessons
from chainrule.learn.quizzes import Verdict, answers_of, judge, name_of, node_of, pictured
from chainrule.learn.terminal.quizzing import graph

QUIZZES = [
    pytest.param(quiz.data, id=f"{lesson.number}.{i}")
    for lesson in lessons()
    for i, quiz in enumerate(lesson.of("quiz"), 1)
]
NODE = {
    "kind": "node",
    "expression": "relu(w1*x)*w2 + max(x, b)**2",
    "values": {"w1": -1.0, "x": 2.0, "w2": 0.5, "b": 0.1},
    "answers": ["relu(w1*x)", "max(x, b)"],
    "feedback": "these two",
}


@pytest.mark.parametrize("quiz", QUIZZES)
def test_the_given_answer_is_accepted_and_others_are_not(quiz: dict[str, Any]) -> None:
    if quiz["kind"] == "choice":
        for i, option in enumerate(quiz["option"], 1):
            right = bool(option.get("right"))
            assert judge(quiz, str(i)) == Verdict(right, option["feedback"], right)
    elif quiz["kind"] == "number":
        assert judge(quiz, repr(quiz["answer"])) == Verdict(True, quiz["worked"], True)
        wrong = judge(quiz, f" {quiz['answer'] + 2 * quiz['tolerance'] + 1e-6} ")
        assert not wrong.right
        assert wrong.text.startswith(f"The answer is {quiz['answer']:.6g}. ")
    else:
        assert judge(quiz, ", ".join(quiz["answers"])) == Verdict(True, quiz["feedback"], True)
        assert not judge(quiz, quiz["expression"]).right


@pytest.mark.parametrize("quiz", [each for each in QUIZZES if each.values[0]["kind"] == "node"])
def test_each_answer_refers_to_one_node(quiz: dict[str, Any]) -> None:
    """The page and the terminal find the same node, for every equivalent spelling."""
    found = pictured(quiz["expression"], quiz["values"])
    nodes = answers_of(quiz, found)
    assert len(set(nodes)) == len(quiz["answers"])
    assert rendering.quiz(quiz)["answers"] == nodes
    drawing = graph(quiz)
    for text, node in zip(quiz["answers"], nodes, strict=True):
        same = ast.unparse(ast.parse(text))
        for spelling in (same, same.replace(" ", ""), f" ( {text} ) ", name_of(found, node)):
            assert node_of(found, spelling) == node
        assert f"{node + 1}  {name_of(found, node)}" in drawing
        assert judge({**quiz, "answers": [text]}, str(node + 1)).right


def test_every_node_is_found_by_its_name() -> None:
    found = pictured("relu(-a*b)**2 / (2*a - 0.5) + max(a, b)", {"a": 2.0, "b": -3.0})
    for node in found.nodes:
        if node.kind != "constant" or node.data != 2.0:  # 2.0 occurs twice
            assert node_of(found, name_of(found, node.id)) == node.id


def test_an_expression_written_twice_is_two_nodes() -> None:
    found = pictured("exp(a) / (exp(a) + b)", {"a": 1.0, "b": 2.0})
    message = r"^exp\(a\) occurs more than once in the graph, as 2 and 3: choose by number$"
    with pytest.raises(ValueError, match=message):
        node_of(found, "exp(a)")


@pytest.mark.parametrize(
    ("typed", "right"), [("0.9", True), ("0,9", True), ("9e-1", True), ("−0.9", False), ("inf", False)]
)
def test_common_spellings_of_numbers(typed: str, right: bool) -> None:
    quiz = {"kind": "number", "question": "", "answer": 0.8 + 0.1, "tolerance": 0.0, "worked": "sum"}
    assert judge(quiz, typed).right is right


@pytest.mark.parametrize("typed", ["4 8", "8, 4", "relu(w1 * x), max(x, b)", "(relu(w1*x)), 8"])
def test_nodes_by_number_or_name(typed: str) -> None:
    assert judge(NODE, typed) == Verdict(True, "these two", True)


@pytest.mark.parametrize("typed", ["w1 b", "b  w1", "w1 7", "b, w1"])
def test_names_need_no_comma(typed: str) -> None:
    assert judge({**NODE, "answers": ["w1", "b"]}, typed).right


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("4", "There are more nodes to choose."),
        ("relu(w1*x), w2", "A chosen node is not part of the answer."),
        ("1, 4, 8", "A chosen node is not part of the answer."),
    ],
)
def test_wrong_or_incomplete_choices_of_nodes(typed: str, text: str) -> None:
    assert judge(NODE, typed) == Verdict(False, text, False)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("12", r"^there is no node 12: the nodes are 1 to 11$"),
        ("0", r"^there is no node 0: the nodes are 1 to 11$"),
        ("w1 + x", r"^w1 \+ x is not in the graph$"),
        ("w3", r"^w3 is not in the graph, whose names are w1, x, w2, b$"),
        ("relu(w1", "column"),
    ],
)
def test_answers_that_are_not_nodes(typed: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        judge(NODE, typed)
