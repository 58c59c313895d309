"""The course for the page: lessons, work on exercises, answers, as plain data.

The learner's files and the progress are those of the terminal, in one folder: whatever is written
was read right before, and a file is never replaced by somebody who has not seen what is in it.
"""

from __future__ import annotations

import functools
import hashlib
import random
import re
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..learn import course, questions, rendering, sandbox
from ..learn.exercise import Exercise, exercises
from ..learn.progress import Progress
from ..learn.sandbox import Limits, Outcome
from ..learn.terminal import next_exercise
from ..saving import write_atomically
from . import config, limits
from .limits import RefusedError

Stopped = Callable[[], bool]
PATHS = re.compile(r'File "[^"]*[\\/]([^"\\/]+)"')  # of folders that are gone when one reads of them


class Course:
    """The course in one learner's folder; safe to be asked by several threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self.lock = threading.Lock()

    # --- reading -----------------------------------------------------------------------------------

    def overview(self, body: dict[str, Any]) -> dict[str, Any]:
        """All lessons with their exercises, and how far one is."""
        progress = self._progress()
        following = next_exercise(progress)
        return {
            "folder": str(self.folder),
            "passed": sum(e.name in progress.passed for e in exercises()),
            "count": len(exercises()),
            "next": None if following is None else _named(following, progress),
            "lessons": [_listed(lesson, progress) for lesson in course.lessons()],
        }

    def lesson(self, body: dict[str, Any]) -> dict[str, Any]:
        found, progress = _lesson(body.get("number")), self._progress()
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

    def work(self, body: dict[str, Any]) -> dict[str, Any]:
        """An exercise with the learner's file, or the starter where there is none yet."""
        e, progress = _exercise(body), self._progress()
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
            "next": _maybe_named(next_exercise(progress, e.name), progress),
        }

    # --- writing -----------------------------------------------------------------------------------

    def save(self, body: dict[str, Any]) -> dict[str, Any]:
        """Write the learner's file, unless it is not the one that the page has seen."""
        return {"version": self._save(_exercise(body), body)}

    def hint(self, body: dict[str, Any]) -> dict[str, Any]:
        """One more than before, as far as there are any."""
        e = _exercise(body)
        with self.lock:
            count = self._progress().note_hint(e.name, len(e.hints))
        return {"hints": [rendering.prose(hint) for hint in e.hints[:count]]}

    def solution(self, body: dict[str, Any]) -> dict[str, Any]:
        """After passing, or for those who were asked and are sure."""
        e = _exercise(body)
        with self.lock:
            progress = self._progress()
            if e.name not in progress.passed and body.get("sure") is not True:
                return {"solution": None}
            progress.note_solution(e.name)
        return {"solution": e.solution}

    def quiz(self, body: dict[str, Any]) -> dict[str, Any]:
        """Keep an answer; the first counts."""
        key, right = config.text("key", body.get("key")), body.get("right")
        if not isinstance(right, bool):
            raise RefusedError(f"right must be true or false, got {config.shown(right)}")
        number, _, place = key.partition(".")
        quizzes = len(_lesson(number).of("quiz"))
        if (
            not place.isdecimal()
            or not 1 <= int(place) <= quizzes
            or key != f"{int(number)}.{int(place)}"
        ):
            raise RefusedError(f"there is no quiz {config.shown(key)}")
        with self.lock:
            progress = self._progress()
            progress.note_quiz(key, right)
        return {"first": progress.quizzes[key]}

    def question(self, body: dict[str, Any]) -> dict[str, Any]:
        """A generated quiz, which is not kept."""
        found = questions.question(random.Random(), _lesson(body.get("lesson")).number)
        return {"quiz": {"kind": "number", **vars(found)}}

    # --- running -----------------------------------------------------------------------------------

    def run(self, body: dict[str, Any], stopped: Stopped) -> dict[str, Any]:
        """The learner's file alone, or the blocks of a lesson up to one of them."""
        job: dict[str, Any] = {"kind": "run"}
        if "exercise" in body:
            e = _exercise(body)
            version, name, text = self._save(e, body), e.name, _source(body.get("text"))
        else:
            version, name, job["before"] = (
                None,
                "block",
                _code(_lesson(body.get("lesson")), body.get("blocks")),
            )
            text = job["before"].pop()[0]
        with tempfile.TemporaryDirectory(prefix="chainrule-") as place:
            file = Path(place) / f"{name}.py"
            file.write_text(text, encoding="utf-8")
            outcome = sandbox.run({**job, "file": str(file)}, Path(place), _most(), stopped)
        return {"outcome": _outcome(outcome), "version": version}

    def check(self, body: dict[str, Any], stopped: Stopped) -> dict[str, Any]:
        """Save the learner's file and check it."""
        e = _exercise(body)
        version = self._save(e, body)
        outcome = e.check(self._path(e), _most(), stopped)
        with self.lock:
            progress = self._progress()
            if outcome.passed:
                progress.note_passed(e.name)
        following = _maybe_named(next_exercise(progress, e.name), progress)
        return {"outcome": _outcome(outcome), "version": version, "next": following}

    # --- the folder --------------------------------------------------------------------------------

    def _progress(self) -> Progress:
        return Progress.read(self.folder)

    def _path(self, e: Exercise) -> Path:
        return self.folder / f"{e.name}.py"

    def _read(self, e: Exercise) -> tuple[str, str]:
        """The learner's text, and a name for this state of the file: "" for none."""
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
            raise RefusedError(f"{self._path(e)} is not text in UTF-8", 422) from None
        return text, hashlib.sha256(content).hexdigest()

    def _save(self, e: Exercise, body: dict[str, Any]) -> str:
        """Write what was sent, if the file is as the page knows it: seen, or left by its last save.

        A page that closes cannot wait for the answer to that save: `after` is what it had sent.
        """
        text, seen = _source(body.get("text")), config.text("version", body.get("version"))
        content = text.encode()
        with self.lock:
            there, version = self._read(e)
            if version and there == text:
                return version
            ours = version != "" and there == body.get("after")
            if version != seen and not ours:
                text = f"{e.name}.py was changed by another program since it was loaded here"
                raise RefusedError(text, 409)
            self.folder.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path(e), content)
        return hashlib.sha256(content).hexdigest()


# --- reading a request -----------------------------------------------------------------------------


def _lesson(number: Any) -> course.Lesson:
    text = str(number)
    try:
        if not text.isascii() or not text.isdecimal() or len(text) > 4:
            raise ValueError(f"there is no lesson {config.shown(number)}")
        return course.lesson(int(text))
    except ValueError as error:
        raise RefusedError(str(error), 404) from None


def _exercise(body: dict[str, Any]) -> Exercise:
    """One of those there are: no path is made from what was asked for."""
    name = config.text("exercise", body.get("exercise"))
    found = {e.name: e for e in exercises()}
    if name not in found:
        raise RefusedError(f"there is no exercise {config.shown(name)}", 404)
    return found[name]


def _source(given: Any) -> str:
    text = config.text("text", given)
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise RefusedError("the text has characters that no file can hold") from None
    if size > limits.CODE:
        raise RefusedError(f"the text is larger than {limits.CODE:,} bytes", 413)
    return text


def _code(lesson: course.Lesson, given: Any) -> list[tuple[str, bool]]:
    """The blocks up to the one to be run, and which are meant to raise."""
    blocks = config.items("blocks", given, len(lesson.of("python")))
    if not blocks:
        raise RefusedError("blocks must have the code of at least one block")
    texts = [_source(text) for text in blocks]
    if sum(map(len, texts)) > limits.CODE:
        raise RefusedError(f"the blocks are larger than {limits.CODE:,} bytes", 413)
    return [
        (text, "raises" in block.options)
        for text, block in zip(texts, lesson.of("python"), strict=False)
    ]


def _most() -> Limits:
    return Limits(limits.PROGRAM_SECONDS, limits.PROGRAM_MEGABYTES)


# --- plain data ------------------------------------------------------------------------------------


@functools.cache
def _blocks(number: int) -> list[dict[str, Any]]:
    return rendering.blocks(course.lesson(number))


def _listed(lesson: course.Lesson, progress: Progress) -> dict[str, Any]:
    keys = [f"{lesson.number}.{i + 1}" for i in range(len(lesson.of("quiz")))]
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


def _maybe_named(e: Exercise | None, progress: Progress) -> dict[str, Any] | None:
    return None if e is None else _named(e, progress)


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {**outcome.as_dict(), "message": PATHS.sub(r'File "\1"', outcome.message)}
