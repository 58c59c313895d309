"""The course as plain data for the page: lessons, the learner's files, quizzes.

The terminal uses the same folder for files and progress. So every write first reads the file again, and
a page cannot overwrite a version that it has not seen.
"""

from __future__ import annotations

import functools
import hashlib
import random
import re
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..learn import course, questions, rendering
from ..learn.exercise import Exercise, exercises
from ..learn.progress import PRIVATE, Progress, make_folder
from ..learn.sandbox import runner
from ..learn.sandbox.runner import Limits, Outcome
from ..learn.terminal.session import next_exercise
from ..support.atomic.files import write_atomically
from . import limits, schemas
from .limits import RefusedError

Stopped = Callable[[], bool]
PATHS = re.compile(r'File "[^"]*[\\/]([^"\\/]+)"')  # a path in a traceback; its temporary folder is gone


class Course:
    """The course in one learner's folder; thread-safe."""

    def __init__(self, folder: Path) -> None:
        self.folder: Path = folder.absolute()
        self.lock: Any = threading.Lock()

    # --- reading -----------------------------------------------------------------------------------

    def overview(self) -> dict[str, Any]:
        """All lessons with their exercises, and the learner's progress."""
        progress = self._progress()
        return {
            "folder": str(self.folder),
            "passed": sum(e.name in progress.passed for e in exercises()),
            "count": len(exercises()),
            "next": _next(progress),
            "lessons": [_listed(lesson, progress) for lesson in course.lessons()],
        }

    def lesson(self, number: str) -> dict[str, Any]:
        found, progress = _lesson(number), self._progress()
        blocks = [dict(block) for block in _blocks(found.number)]
        named = {e.name: _named(e, progress) for e in exercises()}
        for block in blocks:
            if block["kind"] == "exercises":
                block["exercises"] = [named[name] for name in block["names"]]
            elif block["kind"] == "quiz":
                block["answered"] = progress.quizzes.get(block["key"])
        return {
            **_listed(found, progress),
            "blocks": blocks,
            "count": len(course.lessons()),
            "questions": found.number >= questions.FIRST,
        }

    def work(self, exercise: str) -> dict[str, Any]:
        """An exercise with the learner's file, or the starter code if there is none yet."""
        e, progress = _exercise(exercise), self._progress()
        text, version = self._read(e)
        taken = e.hints[: progress.hints.get(e.name, 0)]
        return {
            **_named(e, progress),
            "task": rendering.prose(e.task),
            "starter": e.starter,
            "text": text,
            "version": version,
            "path": str(self._path(e)),
            "hints": [rendering.prose(hint) for hint in taken],
            "hint_count": len(e.hints),
            "next": _next(progress, e.name),
        }

    # --- writing -----------------------------------------------------------------------------------

    def save(self, asked: schemas.Save, exercise: str) -> dict[str, Any]:
        """Write the learner's file, unless it changed since the page read it.

        A closing page cannot wait for the answer to its previous save: `after` is the text of that save.
        """
        return {"version": self._save(_exercise(exercise), asked.text, asked.version, asked.after)}

    def hint(self, asked: schemas.Hint) -> dict[str, Any]:
        """Reveal one more hint, if there is one."""
        e = _exercise(asked.exercise)
        with self.lock:
            count = self._progress().note_hint(e.name, len(e.hints))
        return {"hints": [rendering.prose(hint) for hint in e.hints[:count]]}

    def solution(self, asked: schemas.Solution) -> dict[str, Any]:
        """The solution, if the exercise is passed or the learner confirmed."""
        e = _exercise(asked.exercise)
        with self.lock:
            progress = self._progress()
            if e.name not in progress.passed and not asked.sure:
                return {"solution": None}
            progress.note_solution(e.name)
        return {"solution": e.solution}

    def quiz(self, asked: schemas.Quiz) -> dict[str, Any]:
        """Save an answer; only the first counts."""
        if all(asked.key not in lesson.quiz_keys for lesson in course.lessons()):
            raise RefusedError(f"there is no quiz {asked.key!r}", 404)
        with self.lock:
            progress = self._progress()
            progress.note_quiz(asked.key, asked.right)
        return {"first": progress.quizzes[asked.key]}

    def question(self, asked: schemas.Question) -> dict[str, Any]:
        """A generated quiz. Its answer is not saved."""
        found = questions.question(random.Random(), _lesson(asked.lesson).number)
        return {"quiz": {"kind": "number", **vars(found)}}

    # --- running -----------------------------------------------------------------------------------

    def run_exercise(self, asked: schemas.Work, stopped: Stopped) -> dict[str, Any]:
        """Save the learner's file and run it without checking."""
        e = _exercise(asked.exercise)
        version = self._save(e, asked.text, asked.version)
        return {"outcome": _ran(e.name, asked.text, [], stopped), "version": version}

    def run_blocks(self, asked: schemas.Blocks, stopped: Stopped) -> dict[str, Any]:
        """Run the code of a lesson up to and including the last block given."""
        *before, (text, _) = _code(_lesson(asked.lesson), asked.blocks)
        return {"outcome": _ran("block", text, before, stopped)}

    def check(self, asked: schemas.Work, stopped: Stopped) -> dict[str, Any]:
        """Save the learner's file and check it."""
        e = _exercise(asked.exercise)
        version = self._save(e, asked.text, asked.version)
        outcome = e.check(self._path(e), _most(), stopped)
        with self.lock:
            progress = self._progress()
            if outcome.passed:
                progress.note_passed(e.name)
        following = _next(progress, e.name)
        return {"outcome": _outcome(outcome), "version": version, "next": following}

    # --- the folder --------------------------------------------------------------------------------

    def _progress(self) -> Progress:
        return Progress.read(self.folder)

    def _path(self, e: Exercise) -> Path:
        return self.folder / f"{e.name}.py"

    def _read(self, e: Exercise) -> tuple[str, str]:
        """The learner's text and its version; without a file, the starter code and ""."""
        try:
            with self._path(e).open("rb") as file:
                content = file.read(limits.CODE + 1)
        except FileNotFoundError:
            return e.starter, ""
        if len(content) > limits.CODE:
            raise RefusedError(f"{self._path(e)} is larger than {limits.CODE:,} bytes", 422)
        try:
            text = content.decode().replace("\r\n", "\n")
        except UnicodeDecodeError:
            raise RefusedError(f"{self._path(e)} is not UTF-8 text", 422) from None
        return text, hashlib.sha256(content).hexdigest()

    def _save(self, e: Exercise, text: str, seen: str, after: str | None = None) -> str:
        """Write the text if the file is as the page read it, or as the page's previous save left it."""
        content = _encoded(text)
        with self.lock:
            there, version = self._read(e)
            if version and there == text:
                return version
            ours = version != "" and there == after
            if version != seen and not ours:
                text = f"{e.name}.py was changed by another program since it was loaded here"
                raise RefusedError(text, 409)
            make_folder(self.folder)
            write_atomically(self._path(e), content, PRIVATE)
        return hashlib.sha256(content).hexdigest()


# --- lookups ---------------------------------------------------------------------------------------


def _lesson(number: int | str) -> course.Lesson:
    found = {str(lesson.number): lesson for lesson in course.lessons()}
    if str(number) not in found:
        last = len(found)
        raise RefusedError(f"there is no lesson {str(number)[:40]}; the lessons are 1 to {last}", 404)
    return found[str(number)]


def _exercise(name: str) -> Exercise:
    """Look an exercise up by name. No path is ever built from the request."""
    found = {e.name: e for e in exercises()}
    if name not in found:
        raise RefusedError(f"there is no exercise {name[:40]!r}", 404)
    return found[name]


def _encoded(text: str) -> bytes:
    content = text.encode()
    if len(content) > limits.CODE:
        raise RefusedError(f"the text is larger than {limits.CODE:,} bytes", 413)
    return content


def _code(lesson: course.Lesson, texts: Sequence[str]) -> list[tuple[str, bool]]:
    """The code up to the block to run; for each block, whether it should raise."""
    blocks = lesson.of("python")
    if len(texts) > len(blocks):
        raise RefusedError(f"the lesson has {len(blocks)} code blocks, got {len(texts)}")
    _encoded("".join(texts))
    return [(text, "raises" in block.options) for text, block in zip(texts, blocks, strict=False)]


def _ran(name: str, text: str, before: Sequence[tuple[str, bool]], stopped: Stopped) -> dict[str, Any]:
    """Run a program in a temporary folder and return its outcome."""
    job = {"kind": "run", "before": list(before)} if before else {"kind": "run"}
    with tempfile.TemporaryDirectory(prefix="chainrule-") as place:
        file = Path(place) / f"{name}.py"
        file.touch(PRIVATE)
        file.write_text(text, encoding="utf-8")
        outcome = runner.run({**job, "file": str(file)}, Path(place), _most(), stopped)
    return _outcome(outcome)


def _most() -> Limits:
    return Limits(limits.PROGRAM_SECONDS, limits.PROGRAM_MEGABYTES)


# --- plain data ------------------------------------------------------------------------------------


@functools.cache
def _blocks(number: int) -> list[dict[str, Any]]:
    return rendering.blocks(course.lesson(number))


def _listed(lesson: course.Lesson, progress: Progress) -> dict[str, Any]:
    keys = lesson.quiz_keys
    answered = [progress.quizzes[key] for key in keys if key in progress.quizzes]
    return {
        "number": lesson.number,
        "title": lesson.title,
        "promise": lesson.promise,
        "minutes": lesson.minutes,
        "exercises": [_named(e, progress) for e in exercises() if e.lesson == lesson.number],
        "quizzes": {"count": len(keys), "answered": len(answered), "right": sum(answered)},
    }


def _named(e: Exercise, progress: Progress) -> dict[str, Any]:
    return {
        "name": e.name,
        "title": e.title,
        "lesson": e.lesson,
        "minutes": e.minutes,
        "passed": e.name in progress.passed,
    }


def _next(progress: Progress, after: str = "") -> dict[str, Any] | None:
    found = next_exercise(progress, after)
    return None if found is None else _named(found, progress)


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {**asdict(outcome), "message": PATHS.sub(r'File "\1"', outcome.message)}
