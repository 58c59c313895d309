"""Quizzes: finds the nodes that an answer names, and judges answers.

Independent of pages and terminals, which both look up nodes here. Pages judge answers in JavaScript, so
that exported files work too; `judge` does the same for the terminal.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..inspect.expressions import parse
from ..inspect.rules import written
from ..value import Value
from ..viz.explaining.quiz import Question
from ..viz.model import CONSTANT, LEAF, Picture, picture

SPACE = re.compile(r"[\s,]+")
AND = re.compile(r"\s+and\s+")
NUMBERS = re.compile(r"[\d\s,]+")  # node numbers, with any separators


@dataclass(frozen=True)
class Verdict:
    """Whether an answer was right, the feedback, and whether that reveals the right answer."""

    right: bool
    text: str
    told: bool


def judge(quiz: Mapping[str, Any], answer: str) -> Verdict:
    """Judge a typed answer; for an invalid one, ValueError says what to type."""
    kinds = {"choice": _judge_choice, "number": _judge_number, "node": _judge_nodes}
    return kinds[quiz["kind"]](quiz, answer.strip())


def pictured(expression: str, values: Mapping[str, float]) -> Picture:
    """The picture of an expression with these numbers, after backward."""
    result = parse(expression)({name: Value(float(x), label=name) for name, x in values.items()})
    assert isinstance(result, Value)
    result.backward()
    return picture(result)


def answers_of(quiz: Mapping[str, Any], found: Picture) -> list[int]:
    """The nodes that a quiz asks for."""
    return [node_of(found, text) for text in quiz["answers"]]


def node_of(found: Picture, text: str) -> int:
    """The node that computes an expression; ValueError if there is not exactly one."""
    expression = parse(text)
    leaves = {node.label: node.data or 0.0 for node in found.nodes if node.kind == LEAF}
    if not set(expression.names) <= set(leaves):
        raise ValueError(f"{text} is not in the graph, whose names are {', '.join(leaves)}")
    result = expression({name: Value(leaves[name], label=name) for name in expression.names})
    wanted = _shapes(picture(result))[-1] if isinstance(result, Value) else result
    nodes = [i for i, shape in enumerate(_shapes(found)) if shape == wanted]
    if not nodes:
        raise ValueError(f"{text} is not in the graph")
    if len(nodes) > 1:
        numbers = " and ".join(str(i + 1) for i in nodes)
        raise ValueError(f"{text} occurs more than once in the graph, as {numbers}: choose by number")
    return nodes[0]


def name_of(found: Picture, node: int) -> str:
    """A node's expression as Python source."""
    return ast.unparse(_tree(found, node))


# --- judging ---------------------------------------------------------------------------------------


def _judge_choice(quiz: Mapping[str, Any], answer: str) -> Verdict:
    options = quiz["option"]
    if not answer.isdecimal() or not 1 <= int(answer) <= len(options):
        raise ValueError(f"type a number from 1 to {len(options)}")
    chosen = options[int(answer) - 1]
    right = bool(chosen.get("right"))
    return Verdict(right, chosen["feedback"], right)


def _judge_number(quiz: Mapping[str, Any], answer: str) -> Verdict:
    try:
        number = float(answer.replace("−", "-").replace(",", "."))
    except ValueError:
        raise ValueError("type a number, such as 2.5 or -3") from None
    asked = Question(*(quiz[name] for name in ("question", "answer", "tolerance", "worked")))
    if asked.accepts(number):
        return Verdict(True, asked.worked, True)
    return Verdict(False, f"The answer is {asked.answer:.6g}. {asked.worked}", True)


def _judge_nodes(quiz: Mapping[str, Any], answer: str) -> Verdict:
    found = pictured(quiz["expression"], quiz["values"])
    answers = set(answers_of(quiz, found))
    chosen = {_meant(found, part) for part in _parts(answer)}
    if not chosen <= answers:
        return Verdict(False, "A chosen node is not part of the answer.", False)
    if chosen != answers:
        return Verdict(False, "There are more nodes to choose.", False)
    return Verdict(True, quiz["feedback"], True)


def _parts(answer: str) -> list[str]:
    """Split at any separators between numbers and names, but only at commas between expressions."""
    answer = AND.sub(",", answer)
    if NUMBERS.fullmatch(answer):
        return answer.replace(",", " ").split()
    try:
        tree = ast.parse(answer, mode="eval").body
    except SyntaxError:
        words = SPACE.split(answer)
        # Leave other errors to the parser, which explains them.
        return words if all(word.isidentifier() or word.isdecimal() for word in words) else [answer]
    return [ast.unparse(each) for each in tree.elts] if isinstance(tree, ast.Tuple) else [answer]


def _meant(found: Picture, part: str) -> int:
    if not part.isdecimal():
        return node_of(found, part)
    if not 1 <= int(part) <= len(found.nodes):
        raise ValueError(f"there is no node {part}: the nodes are 1 to {len(found.nodes)}")
    return int(part) - 1


# --- nodes -----------------------------------------------------------------------------------------


def _shapes(found: Picture) -> Sequence[Any]:
    """The expression of each node, as nested tuples of operations, names and numbers."""
    made: list[Any] = []
    for node in found.nodes:
        made.append(
            (node.op, *(made[i] for i in node.inputs)) if node.inputs else node.label or node.data
        )
    return made


def _tree(found: Picture, i: int) -> ast.expr:
    node = found.nodes[i]
    if node.kind == CONSTANT:
        assert node.data is not None
        return ast.Constant(int(node.data) if node.data.is_integer() else node.data)
    if not node.inputs:
        return ast.Name(node.label)
    return written(node.op, node.inputs, lambda j: _tree(found, j))
