"""The learner's progress, in one small file that the terminal and the studio share."""

from __future__ import annotations

import json
import os
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

FILE = "progress.json"


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
        progress = cls(folder)
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            progress.passed = {str(k): str(v) for k, v in found["passed"].items()}
            progress.hints = {str(k): int(v) for k, v in found["hints"].items()}
            progress.solutions = [str(name) for name in found["solutions"]]
            progress.quizzes = {str(k): bool(v) for k, v in found["quizzes"].items()}
        except FileNotFoundError:
            pass
        except (ValueError, KeyError, TypeError, AttributeError):
            progress.damaged = path.replace(path.with_suffix(".damaged"))
        return progress

    def write(self) -> None:
        """Write atomically: a new file replaces the old one."""
        make_folder(self.folder)
        numbers: dict[str, Any] = asdict(self)
        del numbers["folder"], numbers["damaged"]
        with tempfile.NamedTemporaryFile(
            "w", dir=self.folder, suffix=".part", delete=False, encoding="utf-8"
        ) as part:
            json.dump(numbers, part, indent=1)
        os.replace(part.name, self.folder / FILE)

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
