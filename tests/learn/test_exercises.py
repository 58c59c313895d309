"""Every starter file fails its check, every solution passes, and plausible mistakes are caught."""

from dataclasses import replace

import pytest

from chainrule.learn.exercise import Exercise, exercises
from chainrule.learn.sandbox.runner import USUAL
from chainrule.learn.wrong import Wrong

from ..conftest import require_imports

CASES = exercises()
PATIENT = replace(USUAL, seconds=60.0)  # other tests may keep the processors busy
each = pytest.mark.parametrize("exercise", CASES, ids=lambda exercise: exercise.name)


@each
def test_the_starter_fails_and_the_solution_passes(exercise: Exercise) -> None:
    require_imports((exercise.folder / "solution.py").read_text())
    assert exercise.task
    assert 2 <= len(exercise.hints) <= 4
    assert "your code here" in exercise.starter
    first = exercise.check(exercise.folder / "starter.py", PATIENT)
    assert first.kind == "failed", first  # because a property does not hold, not with an exception
    assert "it raises" not in first.message
    second = exercise.check(exercise.folder / "solution.py", PATIENT)
    assert (second.kind, second.message) == ("passed", "")


@pytest.mark.parametrize(
    ("exercise", "wrong"),
    [pytest.param(e, wrong, id=f"{e.name}-{wrong.name}") for e in CASES for wrong in e.wrong],
)
def test_a_wrong_solution_is_rejected(exercise: Exercise, wrong: Wrong) -> None:
    assert wrong.why
    require_imports(wrong.code)
    outcome = exercise.check(wrong, PATIENT)
    assert outcome.kind in ("failed", "error"), outcome
    assert outcome.message


def test_each_exercise_has_five_wrong_solutions() -> None:
    assert all(len(exercise.wrong) >= 5 for exercise in CASES)
