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
ENOUGH = 5  # wrong solutions


@dataclass(frozen=True)
class Trial:
    """A file of an exercise, the outcome of its check, and the problem with that, or ""."""

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
        yield "starter.py: it must begin with a docstring, the task"
    if e.task == TASK:
        yield f"starter.py: its task is that of the template, {TASK!r}"
    if _docstring(e.solution) == TASK:
        yield "solution.py: its docstring is that of the template; learners read it too"
    if MARK not in e.starter:
        yield f"starter.py: mark the places to fill in with {MARK}"
    if not all(e.hints):
        yield "hints.md: a hint is empty; they are separated by lines of ---"
    for hint in e.hints:
        if hint in HINTS:
            yield f"hints.md: a hint is that of the template, {hint!r}"
    if not e.wrong:
        yield "wrong.toml: describe a plausible wrong solution there, which the checker must reject"


def advice(e: Exercise) -> Iterator[str]:
    """Optional improvements."""
    if 0 < len(e.wrong) < ENOUGH:
        yield (
            f"advice: {plural(len(e.wrong), 'wrong solution')}; exercises of the course have {ENOUGH} "
            f"or more, each a mistake that learners make"
        )


def trials(e: Exercise) -> Iterator[Trial]:
    """Check the starter, the solution and every wrong solution; only one if the checker is broken."""
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
        return "BUT FOR ANOTHER REASON: fix check.py first"
    if outcome.passed:
        return "BUT IT MUST FAIL: the checker asks for nothing that is missing in it"
    if outcome.kind != "failed" or "it raises" in outcome.message:
        return "BUT WITH AN EXCEPTION: meet what is not there yet with work.kind"
    return ""


def _of_a_wrong_one(e: Exercise, wrong: Wrong) -> Trial:
    outcome = e.check(wrong)
    problem = ""
    if outcome.passed:
        problem = "BUT IT MUST FAIL: the checker does not notice what is wrong"
    elif outcome.kind not in ("failed", "error"):
        problem = "BUT THE CHECKER MUST SAY WHY"
    return Trial(wrong.source, outcome, problem)
