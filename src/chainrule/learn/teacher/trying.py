"""`chainrule learn try FOLDER`: checks whether a teacher's exercise is ready for learners.

The starter must fail, the solution pass, and every wrong solution fail; the messages are shown, because
learners will read them.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from ...support.numbers import plural
from ..exercise import Exercise
from ..sandbox.runner import Outcome
from ..wrong import MARK, Wrong
from .skeleton import HINTS, TASK

FILES = ("starter.py", "solution.py", "hints.md", "check.py")
ENOUGH = 5  # wrong solutions that an exercise should have


@dataclass(frozen=True)
class Trial:
    """A file of an exercise, the outcome of its check, and what is wrong with it, or ""."""

    file: str
    outcome: Outcome
    problem: str

    def __str__(self) -> str:
        done = "passes" if self.outcome.passed else "fails"
        line = f"{self.file:24} {done}, {self.problem or 'as it should'}"
        said = "" if self.outcome.passed else textwrap.indent(self.outcome.message, "    ")
        return f"{line}\n{said}".rstrip()


def gaps(e: Exercise) -> Iterator[str]:
    """Problems with the texts, before anything is checked; ExerciseError if a file is missing."""
    for name in FILES:
        e.file(name)
    if not e.task:
        yield "starter.py must begin with a docstring, the task"
    if e.task == TASK:
        yield f"starter.py: its task is still the template's, {TASK!r}"
    if _docstring(e.solution) == TASK:
        yield "solution.py: its docstring is still the template's; learners read it too"
    if MARK not in e.starter:
        yield f"starter.py: mark the places to fill in with {MARK}"
    if not all(e.hints):
        yield "hints.md: a hint is empty; hints are separated by lines of ---"
    for hint in e.hints:
        if hint in HINTS:
            yield f"hints.md: a hint is still the template's, {hint!r}"
    if not e.wrong:
        yield "wrong.toml: add a plausible wrong solution, which the checker must reject"


def advice(e: Exercise) -> Iterator[str]:
    """Optional improvements."""
    if 0 < len(e.wrong) < ENOUGH:
        yield (
            f"advice: {plural(len(e.wrong), 'wrong solution')}; exercises of the course have {ENOUGH} "
            f"or more, each a typical mistake"
        )


def trials(e: Exercise) -> Iterator[Trial]:
    """Check the starter, the solution and all wrong solutions; stops early if the checker fails."""
    starter = e.check(e.folder / "starter.py")
    yield Trial("starter.py", starter, _of_the_starter(starter))
    if starter.kind == "checker":
        return
    solution = e.check(e.folder / "solution.py")
    yield Trial("solution.py", solution, "" if solution.passed else "BUT IT MUST PASS")
    for wrong in e.wrong:
        yield _of_a_wrong_one(e, wrong)


def _docstring(source: str) -> str:
    """The docstring; "" for invalid Python, which its check reports."""
    try:
        return ast.get_docstring(ast.parse(source)) or ""
    except SyntaxError:
        return ""


def _of_the_starter(outcome: Outcome) -> str:
    if outcome.kind == "checker":
        return "BUT BECAUSE OF THE CHECKER: fix check.py first"
    if outcome.passed:
        return "BUT IT MUST FAIL: the checker requires nothing that it lacks"
    if outcome.kind != "failed" or "it raises" in outcome.message:
        return "BUT WITH AN EXCEPTION: check what is not written yet with work.kind"
    return ""


def _of_a_wrong_one(e: Exercise, wrong: Wrong) -> Trial:
    outcome = e.check(wrong)
    problem = ""
    if outcome.passed:
        problem = "BUT IT MUST FAIL: the checker does not notice the mistake"
    elif outcome.kind not in ("failed", "error"):
        problem = "BUT THE CHECKER MUST SAY WHY"
    return Trial(wrong.source, outcome, problem)
