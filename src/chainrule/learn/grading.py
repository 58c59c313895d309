"""`chainrule learn grade FOLDER`: a class's submissions, each isolated, into a CSV.

A folder for each learner, with files named as the exercises: anna/write_mul.py.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from .exercise import Exercise, exercises
from .sandbox import USUAL, Limits, Outcome

COLUMNS = ("learner", "exercise", "passed", "result", "seconds", "message")
LARGEST = 1_000_000  # bytes of a submission


@dataclass(frozen=True)
class Submission:
    """One file of one learner."""

    learner: str
    exercise: Exercise
    path: Path

    def check(self, limits: Limits) -> Outcome:
        try:
            if self.path.is_symlink() or not self.path.is_file():
                return Outcome("error", "it is not a plain file")
            if self.path.stat().st_size > LARGEST:
                return Outcome("error", f"the file is larger than {LARGEST:,} bytes")
            return self.exercise.check(self.path, limits)
        except OSError as error:
            return Outcome("error", f"it could not be read: {error.strerror}")


def submissions(folder: Path) -> list[Submission]:
    """What there is to check, in order; files that are no exercises are left out."""
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder")
    known = {e.name: e for e in exercises()}
    found = [
        Submission(learner.name, known[path.stem], path)
        for learner in sorted(p for p in folder.iterdir() if p.is_dir())
        for path in sorted([*learner.glob("*.py"), *learner.glob("chainrule-course/*.py")])
        if path.stem in known
    ]
    if not found:
        raise ValueError(
            f"there is nothing to grade in {folder}: it needs a folder for each learner, with files "
            f"such as {next(iter(known))}.py"
        )
    return found


def without(folder: Path) -> list[str]:
    """Learners of whom nothing can be graded: no file has the name of an exercise."""
    graded = {submission.learner for submission in submissions(folder)}
    return sorted(p.name for p in folder.iterdir() if p.is_dir() and p.name not in graded)


def grade(
    folder: Path, limits: Limits = USUAL, workers: int | None = None, done: Callable[[], object] = int
) -> Iterator[tuple[Submission, Outcome]]:
    """Check all of them, a few at a time; in the order of `submissions`."""
    found = submissions(folder)

    def check(submission: Submission) -> Outcome:
        outcome = submission.check(limits)
        done()
        return outcome

    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        yield from zip(found, pool.map(check, found), strict=True)


def write(path: Path, results: Iterator[tuple[Submission, Outcome]]) -> tuple[int, int]:
    """The CSV; returns how many passed, and of how many."""
    passed = total = 0
    part = path.with_name(path.name + ".part")
    with part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for submission, outcome in results:
            message = " ".join(outcome.message.split())
            writer.writerow(
                [
                    *(_cell(submission.learner), submission.exercise.name, int(outcome.passed)),
                    *(outcome.kind, f"{outcome.seconds:.2f}", _cell(message)),
                ]
            )
            passed += outcome.passed
            total += 1
    os.replace(part, path)
    return passed, total


def _cell(text: str) -> str:
    """Text that can be written, and that a spreadsheet does not take for a formula."""
    text = text.encode("utf-8", "replace").decode()  # names of folders may be anything
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
