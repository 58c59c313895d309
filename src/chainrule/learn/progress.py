"""The learner's progress, in one small file that the terminal and the studio share."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..support.atomic.files import write_atomically

FILE = "progress.json"
PRIVATE = 0o600  # other users cannot read the learner's files


def _named(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda found: isinstance(found, dict) and all(map(fits, found.values()))


# The fields of the file, each with whether what was found there is valid.
SCHEMA: dict[str, Callable[[Any], bool]] = {
    "passed": _named(lambda when: isinstance(when, str)),
    "hints": _named(lambda count: type(count) is int and count >= 0),
    "solutions": lambda found: isinstance(found, list) and all(isinstance(x, str) for x in found),
    "quizzes": _named(lambda right: isinstance(right, bool)),
}


def default_folder() -> Path:
    """The folder with the learner's files: CHAINRULE_COURSE, or one in the current folder."""
    return Path(os.environ.get("CHAINRULE_COURSE") or "chainrule-course")


def make_folder(folder: Path) -> None:
    """Create a folder that only its owner can read; an existing one keeps its permissions."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


@dataclass
class Progress:
    """Which exercises were passed and when, hints taken, solutions seen, quizzes answered."""

    folder: Path
    passed: dict[str, str] = field(default_factory=dict)
    hints: dict[str, int] = field(default_factory=dict)
    solutions: list[str] = field(default_factory=list)
    quizzes: dict[str, bool] = field(
        default_factory=dict
    )  # by "lesson.number": whether the first answer was right
    damaged: Path | None = None  # where an unreadable file was moved

    @classmethod
    def read(cls, folder: Path) -> Progress:
        """Read the file, or start afresh if there is none. A damaged file is kept beside the new one."""
        path = folder / FILE
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return cls(folder)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict) and all(fits(found.get(name)) for name, fits in SCHEMA.items()):
            return cls(folder, **{name: found[name] for name in SCHEMA})
        return cls(folder, damaged=path.replace(path.with_suffix(".damaged")))

    def write(self) -> None:
        """Write atomically: a new file replaces the old one."""
        make_folder(self.folder)
        content = {name: getattr(self, name) for name in SCHEMA}
        write_atomically(self.folder / FILE, json.dumps(content, indent=1).encode(), PRIVATE)

    def refresh(self) -> None:
        """Read the file again: the terminal and the studio may both be open."""
        self.__dict__.update(vars(Progress.read(self.folder)))

    def note_passed(self, name: str) -> None:
        self.refresh()
        self.passed.setdefault(name, time.strftime("%Y-%m-%dT%H:%M:%S"))
        self.write()

    def note_hint(self, name: str, count: int) -> int:
        """The number of hints to show now: one more than before, if there are more."""
        self.refresh()
        self.hints[name] = min(self.hints.get(name, 0) + 1, count)
        self.write()
        return self.hints[name]

    def note_solution(self, name: str) -> None:
        self.refresh()
        if name not in self.solutions:
            self.solutions.append(name)
            self.write()

    def note_quiz(self, key: str, right: bool) -> None:
        self.refresh()
        if key not in self.quizzes:
            self.quizzes[key] = right
            self.write()
