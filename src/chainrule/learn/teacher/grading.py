"""`chainrule learn grade FOLDER`: checks a class's submissions in isolation and writes a CSV.

FOLDER has a folder for each learner, with files named after the exercises: anna/write_mul.py.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ...support.atomic.files import place, write_atomically
from ..exercise import Exercise, exercises
from ..progress import FILE as PROGRESS
from ..sandbox.runner import USUAL, Limits, Outcome

COLUMNS = ("learner", "exercise", "passed", "result", "seconds", "message")
LARGEST = 1_000_000  # maximum size of a submission in bytes
COURSE = "chainrule-course"  # the learner's folder, if it is handed in as a whole
MISSING = Outcome("missing", "no file is named after an exercise")


@dataclass(frozen=True)
class Submission:
    """One file of one learner."""

    learner: str
    exercise: Exercise
    path: Path

    def check(self, limits: Limits) -> Outcome:
        try:
            if self.path.is_symlink() or not self.path.is_file():
                return Outcome("error", "it is not a regular file")
            if self.path.stat().st_size > LARGEST:
                return Outcome("error", f"the file is larger than {LARGEST:,} bytes")
            if not self.path.read_bytes().strip():
                return Outcome("failed", "the file is empty")
            return self.exercise.check(self.path, limits)
        except OSError as error:
            return Outcome("error", f"it could not be read: {error.strerror}")


def learners(folder: Path) -> list[Path]:
    """The learners' folders, in order."""
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder")
    return sorted(p for p in folder.iterdir() if p.is_dir() and not _hidden(p))


def submissions(folder: Path) -> list[Submission]:
    """The files to check, in order; files that are not exercises are left out."""
    known = {e.name: e for e in exercises()}
    found = [
        Submission(learner.name, known[path.stem], path)
        for learner in learners(folder)
        for path in sorted([*learner.glob("*.py"), *learner.glob(f"{COURSE}/*.py")])
        if path.stem in known
    ]
    if not found:
        raise ValueError(
            f"there is nothing to grade in {folder}: it needs a folder for each learner, with files "
            f"such as {next(iter(known))}.py"
        )
    return found


def without(folder: Path) -> list[str]:
    """Learners without any file named after an exercise."""
    graded = {submission.learner for submission in submissions(folder)}
    return [learner.name for learner in learners(folder) if learner.name not in graded]


def ignored(folder: Path, out: Path) -> Iterator[str]:
    """Files that are not graded, each with the reason; `out` is the CSV."""
    for path in sorted(p for p in folder.iterdir() if not p.is_dir() and not _hidden(p)):
        if path.resolve() != out.resolve():
            yield f"{_writable(path.name)}: it is not in a learner's folder"
    graded = {submission.path for submission in submissions(folder)}
    for learner in learners(folder):
        for path in sorted([*learner.iterdir(), *learner.glob(f"{COURSE}/*")]):
            if path in graded or path.name in (COURSE, PROGRESS) or _hidden(path):
                continue
            reason = "it is a folder" if path.is_dir() else "no exercise has this name"
            yield f"{_writable(str(path.relative_to(folder)))}: {reason}"


def _hidden(path: Path) -> bool:
    """Files created by the system or Python, not by people."""
    return path.name.startswith((".", "__"))


def grade(
    folder: Path, limits: Limits = USUAL, workers: int | None = None, done: Callable[[], object] = int
) -> Iterator[tuple[Submission, Outcome]]:
    """Check all submissions, a few at a time; yields them in order."""
    found = submissions(folder)

    def check(submission: Submission) -> Outcome:
        outcome = submission.check(limits)
        done()
        return outcome

    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        yield from zip(found, pool.map(check, found), strict=True)


def write(
    path: Path, results: Iterable[tuple[Submission, Outcome]], missing: Iterable[str] = ()
) -> tuple[int, int]:
    """Write the CSV, with a row for each learner without files; returns how many passed, of how many."""
    found = list(results)
    rows = [_row(submission.learner, submission.exercise.name, outcome) for submission, outcome in found]
    rows += [_row(learner, "", MISSING) for learner in missing]
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    writer.writerows(row for _, row in sorted(rows, key=lambda each: each[0]))
    write_atomically(place(path), text.getvalue().encode())
    return sum(outcome.passed for _, outcome in found), len(found)


def _row(learner: str, exercise: str, outcome: Outcome) -> tuple[str, list[str]]:
    """A row with its sort key, the name before it is escaped."""
    message = " ".join(outcome.message.split())
    cells = [_cell(learner), exercise, str(int(outcome.passed)), outcome.kind]
    return learner, [*cells, f"{outcome.seconds:.2f}", _cell(message)]


def _cell(text: str) -> str:
    """Encodable text that a spreadsheet does not interpret as a formula."""
    text = _writable(text)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def _writable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()  # a folder's name may be any bytes
