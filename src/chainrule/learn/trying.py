"""`chainrule learn try FOLDER`: whether an exercise of one's own is ready for learners.

The starter must fail, the solution pass, and every wrong solution fail; what is said to each of them
is shown, because learners will read it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .exercise import Exercise
from .sandbox import Outcome

PLACE = "your code here"


@dataclass(frozen=True)
class Trial:
    """A file of an exercise, how its check ended, and what is wrong with that: "" for nothing."""

    file: str
    outcome: Outcome
    problem: str

    def __str__(self) -> str:
        done = "passes" if self.outcome.passed else "fails"
        line = f"{self.file:24} {done}, {self.problem or 'as it should'}"
        said = "" if self.outcome.passed else textwrap.indent(self.outcome.message, "    ")
        return f"{line}\n{said}".rstrip()


def gaps(e: Exercise) -> Iterator[str]:
    """What a learner would miss before anything is checked."""
    if not e.task:
        yield "starter.py: it must begin with a docstring, the task"
    if PLACE not in e.starter:
        yield f"starter.py: mark the places to fill in with # {PLACE}"
    if not all(e.hints):
        yield "hints.md: a hint is empty; they are separated by lines of ---"
    if not e.wrong:
        yield "wrong/: put a plausible wrong solution there, which the checker must reject"


def trials(e: Exercise) -> Iterator[Trial]:
    """Check the starter, the solution and every wrong solution."""
    starter = e.check(e.folder / "starter.py")
    yield Trial("starter.py", starter, _of_the_starter(starter))
    solution = e.check(e.folder / "solution.py")
    yield Trial("solution.py", solution, "" if solution.passed else "BUT IT MUST PASS")
    for path in e.wrong:
        yield _of_a_wrong_one(e, path)


def _of_the_starter(outcome: Outcome) -> str:
    if outcome.passed:
        return "BUT IT MUST FAIL: the checker asks for nothing that is missing in it"
    if outcome.kind != "failed" or "it raises" in outcome.message:
        return "BUT WITH AN EXCEPTION: meet what is not there yet with work.kind"
    return ""


def _of_a_wrong_one(e: Exercise, path: Path) -> Trial:
    outcome = e.check(path)
    problem = ""
    if outcome.passed:
        problem = "BUT IT MUST FAIL: the checker does not notice what is wrong"
    elif outcome.kind not in ("failed", "error"):
        problem = "BUT THE CHECKER MUST SAY WHY"
    return Trial(f"wrong/{path.name}", outcome, problem)
