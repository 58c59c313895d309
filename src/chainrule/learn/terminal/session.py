"""`chainrule learn` in a terminal: opens an exercise, checks it on every save, reads keys."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

from ..course import lesson, lessons
from ..exercise import Exercise, exercise, exercises
from ..progress import FILE, Progress, make_folder
from ..reading import read
from ..sandbox.isolation import protection
from ..sandbox.runner import Outcome
from . import output, paging
from .keyboard import END, Keyboard
from .output import Style
from .quizzing import ask_all

PAUSE = 0.15  # seconds between checks of the file
KEYS = (
    *("r read the lesson", "z its quiz", "h hint", "n next", "s solution"),
    *("l list", "c check again", "q quit"),
)


def keys() -> str:
    """The available keys."""
    return "\n".join(output.filled(KEYS, gap="   "))


def listed(progress: Progress, style: Style) -> Iterator[str]:
    """All lessons with their exercises, and the learner's progress."""
    found = exercises()
    done = sum(e.name in progress.passed for e in found)
    yield style.strong(f"{done} of {len(found)} exercises passed")
    yield style.quiet(f"course in {progress.folder.absolute()}")
    for each in lessons():
        yield ""
        answered = [key in progress.quizzes for key in each.quiz_keys]
        facts = f"{each.minutes} min to read, {sum(answered)} of {len(answered)} questions answered"
        yield f"{each.number:2}. {style.strong(each.title)} {style.quiet(facts)}"
        for e in found:
            if e.lesson == each.number:
                mark = style.good("✓") if e.name in progress.passed else "·"
                yield f"    {mark} {e.name:24} {style.quiet(e.title)}"


def next_exercise(progress: Progress, after: str = "") -> Exercise | None:
    """The next exercise not yet passed, other than `after`, wrapping around; None if there is none."""
    found = exercises()
    places = [i for i, e in enumerate(found) if e.name == after]
    start = places[0] + 1 if places else 0
    for e in (*found[start:], *found[:start]):
        if e.name not in progress.passed and e.name != after:
            return e
    return None


def current(progress: Progress) -> Exercise:
    """The exercise to open if none is named."""
    return next_exercise(progress) or exercises()[0]


def begun(folder: Path) -> Progress:
    """The progress so far; prints where a new course is created, and a note if the file was damaged."""
    if not folder.exists():
        print(f"new course in {folder.absolute()}")
    return known(folder)


def known(folder: Path) -> Progress:
    """The progress so far; prints a note if its file was damaged."""
    progress = Progress.read(folder)
    if progress.damaged:
        kept = progress.damaged.absolute()
        print(f"{FILE} was damaged, so a new one was started; the old one is kept as {kept}")
    return progress


def opened(e: Exercise, folder: Path) -> Path:
    """The learner's file, created from the starter if needed."""
    path = folder / f"{e.name}.py"
    if not path.exists():
        make_folder(folder)
        path.touch(0o600)
        path.write_text(e.starter, encoding="utf-8")
    return path


def report(e: Exercise, outcome: Outcome, style: Style) -> str:
    printed = outcome.printed.rstrip()
    lines = [style.quiet(f"  | {line}") for line in printed.splitlines()[:40]]
    if outcome.passed:
        return "\n".join([*lines, style.good(f"✓ {e.title}: passed")])
    return "\n".join([*lines, style.bad(f"✗ {e.title}"), output.report(outcome.message)])


def hint(e: Exercise, progress: Progress, solution: str = "s") -> str:
    """The next hint; after the last, the same hint again and how to see the solution."""
    progress.refresh()
    before = progress.hints.get(e.name, 0)
    count = progress.note_hint(e.name, len(e.hints))
    hint = e.hints[count - 1]
    gap = "\n\n" if hint.startswith(" ") else " "  # code starts on a line of its own
    text = output.prose(f"hint {count} of {len(e.hints)}:{gap}{hint}")
    return f"{text}\n\nno more hints; {solution} shows the solution" if before == count else text


class Session:
    """One learner at one terminal: an exercise is open, its file is watched, keys are read."""

    def __init__(self, folder: Path, keyboard: Keyboard, first: str | None = None) -> None:
        new = not folder.exists()
        self.progress: Progress = begun(folder)
        self.keyboard = keyboard
        self.style: Style = Style(sys.stdout)
        self.exercise: Exercise = exercise(first) if first else current(self.progress)
        # The lesson that r shows. Once all its exercises are passed, it is the next exercise's lesson.
        self.lesson: int = self.exercise.lesson
        self.seen: tuple[int, int] | None = None
        self.asked_for_solution: bool = False
        if not new:
            self.say(self.style.quiet(f"course in {folder.absolute()}"))

    def say(self, text: str = "") -> None:
        print(text, flush=True)

    def open(self, e: Exercise) -> None:
        """Show the task; nothing is checked before the learner's first save."""
        self.exercise, self.lesson, self.asked_for_solution = e, e.lesson, False
        path = opened(e, self.progress.folder)
        self.seen = self.state()
        self.say()
        if not self.progress.passed:
            each = lesson(e.lesson)
            how = "Press r" if self.keyboard.is_terminal else f"Run `chainrule learn read {each.number}`"
            text = f"{how} to read lesson {each.number} first: {each.title}, {each.minutes} minutes."
            self.say(output.prose(text))
            self.say()
        self.say(self.style.strong(f"{e.title}  (lesson {e.lesson}, about {e.minutes} minutes)"))
        self.say(output.prose(e.task))
        self.say()
        if self.keyboard.is_terminal:
            self.say(f"Edit {path}; it is checked whenever you save it.")
            self.say(self.style.quiet(keys()))
        else:  # not a terminal: the session ends with the input, so no save would be noticed
            self.say(f"Edit {path}; then check it: chainrule learn check {e.name}")

    def state(self) -> tuple[int, int] | None:
        try:
            found = (self.progress.folder / f"{self.exercise.name}.py").stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size

    def check(self) -> Outcome:
        self.seen = self.state()
        self.say(self.style.quiet("checking ..."))
        path = opened(self.exercise, self.progress.folder)
        outcome = self.exercise.check(path)
        self.say(report(self.exercise, outcome, self.style))
        if outcome.passed:
            self.progress.note_passed(self.exercise.name)
            self.say(output.prose(self.onward()))
        return outcome

    def onward(self) -> str:
        """What to do after passing an exercise."""
        here, passed = self.exercise.lesson, self.progress.passed
        following = next_exercise(self.progress, self.exercise.name)
        done = all(e.name in passed for e in exercises() if e.lesson == here)
        parts = [f"Lesson {here} done. z: its quiz."] if done else []
        parts.append(f"n: next, {following.title}" if following else "That was the last exercise.")
        if done and following:
            self.lesson = following.lesson
            parts[-1] += f". r: read lesson {self.lesson} first"
        return " ".join(parts)

    def press(self, key: str) -> bool:
        """Handle a key; False ends the session."""
        e = self.exercise
        if key == "q":
            return False
        if key == "c":
            self.check()
        elif key == "h":
            self.say(hint(e, self.progress))
        elif key == "r":
            self.keyboard.give_lines()
            paging.show(read(self.lesson))
            self.say(self.style.quiet(keys()))
        elif key == "z":
            ask_all(lesson(e.lesson), self.progress, self.say, self.keyboard.line, self.style)
            self.say(self.style.quiet(keys()))
        elif key == "l":
            self.progress.refresh()
            for line in listed(self.progress, self.style):
                self.say(line)
        elif key == "n":
            following = next_exercise(self.progress, e.name)
            if following is None:
                self.say("There are no other exercises left.")
            else:
                self.open(following)
        elif key == "s":
            self.show_solution()
        elif key in "?":
            self.say(keys())
        return True

    def show_solution(self) -> None:
        """Show the solution after passing, or on the second request."""
        e = self.exercise
        if e.name in self.progress.passed or self.asked_for_solution:
            self.progress.note_solution(e.name)
            self.say(e.solution)
        else:
            self.asked_for_solution = True
            text = "You have not passed yet. Press s again to see the solution anyway, h for a hint."
            self.say(output.prose(text))

    def run(self) -> None:
        """Run until q or the end of input."""
        self.say(
            self.style.quiet(output.prose(f"Your programs run in separate processes, {protection()}."))
        )
        self.open(self.exercise)
        while True:
            key = self.keyboard.key(PAUSE)
            if key == END or (key and not self.press(key)):
                return
            if self.state() not in (self.seen, None):
                time.sleep(0.05)  # an editor may write in several steps
                self.check()


def learn(folder: Path, first: str | None = None) -> None:
    with Keyboard() as keyboard:
        Session(folder, keyboard, first).run()


def quiz(folder: Path, number: int) -> None:
    """Ask the questions of a lesson without opening an exercise."""
    each = lesson(number)
    with Keyboard() as keyboard:
        ask_all(each, known(folder), print, keyboard.line, Style(sys.stdout))
