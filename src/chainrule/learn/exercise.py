"""One exercise: a folder with a starter, hints, a checker and a solution.

Exercises come from the course, and from a teacher's folder that learners choose with
`--exercises FOLDER` or CHAINRULE_EXERCISES.
"""

from __future__ import annotations

import ast
import difflib
import keyword
import os
import shutil
import tempfile
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from . import wrong
from .course import HERE, lessons
from .sandbox import runner
from .sandbox.runner import USUAL, Limits, Outcome
from .wrong import Wrong

FOLDER = HERE / "_exercises"
OWN = "CHAINRULE_EXERCISES"
ABOUT = {"title": str, "lesson": int, "minutes": int}  # the keys of exercise.toml, with their types


class ExerciseError(ValueError):
    """An exercise cannot be read; the message names the file to fix."""


@dataclass(frozen=True)
class Exercise:
    """An exercise; its texts and files are read from its folder."""

    name: str
    folder: Path
    title: str
    lesson: int
    minutes: int

    def file(self, name: str) -> Path:
        """The path of one of its files; ExerciseError if the file is missing."""
        path = self.folder / name
        if not path.is_file():
            raise ExerciseError(f"{self.name} has no {name}")
        return path

    def text(self, name: str) -> str:
        """The content of one of its files; ExerciseError if it is missing or not text."""
        return _text(self.file(name))

    @property
    def starter(self) -> str:
        return self.text("starter.py")

    @property
    def task(self) -> str:
        file = self.folder / "starter.py"
        try:
            return ast.get_docstring(ast.parse(self.starter)) or ""
        except SyntaxError as error:
            where = f", line {error.lineno}" if error.lineno else ""  # null bytes are in no line
            raise ExerciseError(f"{file}{where}: {error.msg}") from None
        except (ValueError, RecursionError) as error:
            if isinstance(error, ExerciseError):
                raise
            raise ExerciseError(f"{file} cannot be parsed: {error}") from None

    @property
    def solution(self) -> str:
        return self.text("solution.py")

    @property
    def hints(self) -> list[str]:
        text = self.text("hints.md")
        return [hint.strip("\n") for hint in text.split("\n---\n")]  # code keeps its indentation

    @property
    def wrong(self) -> list[Wrong]:
        """Solutions that the checker must reject."""
        try:
            return wrong.read(self.folder)
        except ValueError as error:
            raise ExerciseError(str(error)) from None

    def check(
        self, work: Path | Wrong, limits: Limits = USUAL, stopped: Callable[[], bool] = bool
    ) -> Outcome:
        """Check a file or a wrong solution, in a separate process and a temporary folder."""
        with tempfile.TemporaryDirectory(prefix="chainrule-", ignore_cleanup_errors=True) as place:
            copy = Path(place) / f"{self.name}.py"
            if isinstance(work, Wrong):
                copy.write_text(work.code, encoding="utf-8")
            else:
                shutil.copyfile(work, copy)
            copy.chmod(0o600)
            checker = str(self.file("check.py").resolve())
            called = f"{work.name}.py" if isinstance(work, Wrong) else work.name
            job = {"kind": "check", "file": str(copy), "called": called, "checker": checker}
            return runner.run(job, Path(place), limits, stopped)


def read(folder: Path) -> Exercise:
    """Read an exercise from its folder; ExerciseError says what exercise.toml lacks."""
    if folder.is_file():
        raise ExerciseError(f"name the folder of the exercise, not {folder.name}")
    file = folder / "exercise.toml"
    try:
        about = tomllib.loads(_text(file))
    except FileNotFoundError:
        raise ExerciseError(
            f"{folder} has no exercise.toml: `chainrule learn new NAME` creates an exercise"
        ) from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, ExerciseError):
            raise
        raise ExerciseError(f"{file} is not TOML: {error}") from None
    for name, kind in ABOUT.items():
        if type(about.get(name)) is not kind:
            raise ExerciseError(
                f"{file}: {name} must be {'a string' if kind is str else 'a whole number'}"
            )
    if about["lesson"] not in {lesson.number for lesson in lessons()}:
        raise ExerciseError(
            f"{file}: there is no lesson {about['lesson']}; the lessons are 1 to {len(lessons())}"
        )
    # An absolute path ends in the folder's name, even if the folder is ".".
    place = folder.absolute()
    return Exercise(named(place.name), place, about["title"], about["lesson"], about["minutes"])


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ExerciseError(f"{file} is not text in UTF-8: {error}") from None


def named(name: str) -> str:
    """Return the name if it is valid: a file and a function will have it."""
    if not name.isidentifier() or name != name.lower():
        raise ExerciseError(
            f"{name!r} cannot be the name of an exercise: use lower-case words joined by _"
        )
    if keyword.iskeyword(name):
        raise ExerciseError(f"{name!r} cannot be the name of an exercise: it is a Python keyword")
    return name


def own_folder() -> Path | None:
    """The teacher's folder, if one was chosen."""
    return Path(os.environ[OWN]) if os.environ.get(OWN) else None


def use(folder: Path | None) -> None:
    """Add the exercises of this folder, here and in child processes."""
    if folder is not None:
        os.environ[OWN] = str(folder.absolute())


def exercises() -> tuple[Exercise, ...]:
    """All exercises, in the order of the lessons."""
    known = course_exercises()
    own = own_exercises()
    if twice := {e.name for e in known} & {e.name for e in own}:
        name = min(twice)
        raise ExerciseError(
            f"{own_folder()}: the course already has an exercise {name}; rename that folder"
        )
    return tuple(sorted((*known, *own), key=_place)) if own else known


@cache
def course_exercises() -> tuple[Exercise, ...]:
    return tuple(sorted((read(path.parent) for path in FOLDER.glob("*/exercise.toml")), key=_place))


def holding(folder: Path) -> Path:
    """Return the folder, unless it is itself an exercise."""
    if (folder / "exercise.toml").is_file():
        raise ExerciseError(
            f"{folder} is one exercise; name the folder that contains it, {folder.absolute().parent}"
        )
    return folder


def own_exercises() -> tuple[Exercise, ...]:
    """A teacher's exercises, reread every time, because the teacher may be editing them."""
    folder = own_folder()
    if folder is None:
        return ()
    if not folder.is_dir():
        raise ExerciseError(
            f"{folder} is not a folder: --exercises and {OWN} must name a folder of exercises, "
            "created with `chainrule learn new NAME`"
        )
    return tuple(read(path.parent) for path in sorted(holding(folder).glob("*/exercise.toml")))


def _place(e: Exercise) -> tuple[int, int, str]:
    """The sort key: by lesson, first the exercises that the lesson names, in the lesson's order."""
    order = _order()
    return e.lesson, order.get(e.name, len(order)), e.name


@cache
def _order() -> dict[str, int]:
    return {name: i for i, name in enumerate(n for lesson in lessons() for n in lesson.exercises)}


def exercise(name: str) -> Exercise:
    for each in exercises():
        if each.name == name:
            return each
    near = difflib.get_close_matches(name, [each.name for each in exercises()], n=1)
    meant = f"did you mean {near[0]}? " if near else ""
    raise ValueError(f"there is no exercise {name!r}; {meant}`chainrule learn list` shows them all")
