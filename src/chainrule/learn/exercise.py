"""One exercise: a folder with a starter, hints, a checker and a solution."""

from __future__ import annotations

import ast
import shutil
import tempfile
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from . import sandbox
from .course import HERE
from .sandbox import USUAL, Limits, Outcome

FOLDER = HERE / "exercises"


@dataclass(frozen=True)
class Exercise:
    """Its parts, read from its folder."""

    name: str
    folder: Path
    title: str
    lesson: int
    minutes: int

    @property
    def starter(self) -> str:
        return (self.folder / "starter.py").read_text(encoding="utf-8")

    @property
    def task(self) -> str:
        return ast.get_docstring(ast.parse(self.starter)) or ""

    @property
    def solution(self) -> str:
        return (self.folder / "solution.py").read_text(encoding="utf-8")

    @property
    def hints(self) -> list[str]:
        text = (self.folder / "hints.md").read_text(encoding="utf-8")
        return [hint.strip() for hint in text.split("\n---\n")]

    @property
    def wrong(self) -> list[Path]:
        """Solutions that the checker must reject."""
        return sorted((self.folder / "wrong").glob("*.py"))

    def check(self, file: Path, limits: Limits = USUAL, stopped: Callable[[], bool] = bool) -> Outcome:
        """Check a learner's file, in a process of its own and in a folder that is thrown away."""
        with tempfile.TemporaryDirectory(prefix="chainrule-", ignore_cleanup_errors=True) as place:
            copy = Path(place) / f"{self.name}.py"
            shutil.copyfile(file, copy)
            checker = str((self.folder / "check.py").resolve())
            job = {"kind": "check", "file": str(copy), "checker": checker}
            return sandbox.run(job, Path(place), limits, stopped)


def read(folder: Path) -> Exercise:
    about = tomllib.loads((folder / "exercise.toml").read_text(encoding="utf-8"))
    return Exercise(folder.name, folder, about["title"], about["lesson"], about["minutes"])


@cache
def exercises() -> tuple[Exercise, ...]:
    """All of them, in the order of the lessons."""
    from .course import lessons

    order = [name for lesson in lessons() for name in lesson.exercises]
    found = {path.parent.name: read(path.parent) for path in FOLDER.glob("*/exercise.toml")}
    return tuple(
        sorted(
            found.values(),
            key=lambda e: (e.lesson, order.index(e.name) if e.name in order else len(order), e.name),
        )
    )


def exercise(name: str) -> Exercise:
    for each in exercises():
        if each.name == name:
            return each
    raise ValueError(f"there is no exercise {name!r}; `chainrule learn list` shows them all")
