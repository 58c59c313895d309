"""The command line of the course: `chainrule learn ...`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..support.atomic.files import place, write_atomically
from ..support.numbers import plural
from . import reading
from .course import lesson
from .exercise import exercise, exercises, own_folder, read, use
from .progress import default_folder
from .sandbox.isolation import missing_walls, protection
from .sandbox.runner import Limits
from .teacher import grading, trying
from .teacher.skeleton import new
from .terminal import paging, session
from .terminal.output import Style

PAGE = "an HTML page with live graphs and quizzes; training runs become programs to run elsewhere"
NOTEBOOK = "a Jupyter notebook: code with its output, figures and training runs as cells to run"


def add_command(
    commands: Any, name: str, text: str, run: Callable[[Any], Any], *examples: str, more: str = "."
) -> Any:
    """Add a command to `chainrule`; its description is `text` and `more`."""
    head = "example:" if len(examples) == 1 else "examples:"
    p = commands.add_parser(
        name,
        help=text,
        description=f"{text[0].upper()}{text[1:]}{more}",
        epilog="\n  chainrule ".join((head, *examples)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.set_defaults(run=run)
    return p


def add_learn(commands: Any) -> None:
    p = add_command(
        commands,
        "learn",
        "work through the course: lessons, checked exercises, quizzes",
        _with_exercises(lambda a: session.learn(a.folder)),
        *("learn", "learn read 1", "learn quiz 1", "learn code 1 > lesson1.py", "learn open write_mul"),
        *("learn check write_mul", "learn grade submissions --out marks.csv"),
        *("learn export 3 --html backward.html", "learn new twice", "learn try twice"),
        "learn --exercises . list",
        more=". Without a command, it opens the next exercise and checks it whenever you save.",
    )
    p.add_argument(
        "--folder",
        type=Path,
        default=default_folder(),
        help="folder with your course files (default: CHAINRULE_COURSE if set, else chainrule-course)",
    )
    add_exercises(p)
    words = p.add_subparsers(title="commands", metavar="COMMAND")
    _add(words, "list", "show all lessons and exercises, and your progress", show_list)
    for word, text, run in (
        ("read", "read a lesson", lambda a: paging.show(reading.read(_number(a)))),
        ("code", "print the code of a lesson, to run it", lambda a: print(reading.code(_number(a)))),
        ("quiz", "answer the questions of a lesson", lambda a: session.quiz(a.folder, _number(a))),
    ):
        _add(words, word, text, run).add_argument(
            "number",
            type=int,
            nargs="?",
            help="number of the lesson (default: the lesson of the next exercise)",
        )
    opened = "open an exercise and check it on every save"
    _add(words, "open", opened, lambda a: session.learn(a.folder, a.name)).add_argument("name")
    _add(words, "check", "check an exercise once", check).add_argument(
        "name", nargs="?", help="an exercise, or its file (default: the next exercise)"
    )
    _add(words, "hint", "show one more hint", hint).add_argument(
        "name", nargs="?", help="an exercise (default: the next one)"
    )
    exported = _add(words, "export", "export a lesson or an exercise as a file", export)
    exported.add_argument("name", metavar="NAME|NUMBER", help="an exercise, or the number of a lesson")
    kinds = exported.add_mutually_exclusive_group(required=True)
    kinds.add_argument("--html", metavar="FILE", help=PAGE)
    kinds.add_argument("--notebook", metavar="FILE", help=NOTEBOOK)
    _add(words, "new", "for teachers: create the files of a new exercise", make).add_argument(
        "name", help="name of the exercise, its file and its function: lower-case words joined by _"
    )
    _add(words, "try", "for teachers: check whether an exercise is ready", try_out).add_argument(
        "exercise",
        type=Path,
        metavar="FOLDER",
        help="folder of the exercise, which contains exercise.toml",
    )
    graded = _add(
        words, "grade", "for teachers: check the files of a class and write the marks to a CSV", grade
    )
    graded.add_argument(
        "submissions",
        type=Path,
        metavar="FOLDER",
        help="has a folder per learner, with files named after exercises: anna/write_mul.py",
    )
    graded.add_argument(
        "--out",
        type=Path,
        default=Path("marks.csv"),
        metavar="FILE",
        help="CSV file for the marks (default: marks.csv)",
    )
    graded.add_argument(
        "--seconds",
        type=float,
        default=Limits().seconds,
        help="seconds that each file may take (default: 10)",
    )


def _add(words: Any, name: str, text: str, run: Callable[[Any], None]) -> Any:
    p = words.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
    p.set_defaults(run=_with_exercises(run))
    return p


def add_exercises(p: Any) -> None:
    """Add the option --exercises, which the studio has too."""
    p.add_argument(
        "--exercises",
        type=Path,
        default=own_folder(),
        metavar="FOLDER",
        help="folder with a teacher's exercises, added to the course's (default: CHAINRULE_EXERCISES)",
    )


def _with_exercises(run: Callable[[Any], None]) -> Callable[[Any], None]:
    def started(arguments: Any) -> None:
        use(arguments.exercises)
        run(arguments)

    return started


def _number(arguments: Any) -> int:
    """The lesson that was named, else that of the current exercise."""
    if arguments.number is not None:
        return int(arguments.number)
    return session.current(session.known(arguments.folder)).lesson


def _name(arguments: Any) -> str:
    """The exercise that was named, else the current one, which is then printed."""
    if arguments.name is not None:
        return str(arguments.name)
    found = session.current(session.known(arguments.folder))
    print(f"{found.name}: {found.title}")
    return found.name


def show_list(arguments: Any) -> None:
    print("\n".join(session.listed(session.known(arguments.folder), Style(sys.stdout))))


def check(arguments: Any) -> None:
    """Check an exercise by its name, or a file named after one."""
    path = Path(_name(arguments))
    if (path / "exercise.toml").is_file() and path.name not in {e.name for e in exercises()}:
        raise ValueError(f"{path} is the folder of an exercise; use chainrule learn try {path}")
    found = exercise(path.stem)
    folder = arguments.folder
    file = path if path.suffix == ".py" else session.opened(found, session.begun(folder).folder)
    outcome = found.check(file)
    print(session.report(found, outcome, Style(sys.stdout)))
    if not outcome.passed:
        raise ValueError("not passed yet")
    session.begun(folder).note_passed(found.name)


def try_out(arguments: Any) -> None:
    """Report whether a teacher's exercise is ready."""
    e = read(arguments.exercise)
    problems = list(trying.gaps(e))
    for line in (*problems, *trying.advice(e)):
        print(line)
    for trial in trying.trials(e):
        print(trial, flush=True)
        problems += [trial.problem] * bool(trial.problem)
    if problems:
        count = plural(len(problems), "problem")
        raise ValueError(f"{e.name} is not ready: fix the {count} above")
    print(
        f"{e.name} is ready; to use it: chainrule learn --exercises {os.path.relpath(e.folder.parent)}"
    )


def hint(arguments: Any) -> None:
    found = exercise(_name(arguments))
    solution = f"s in `chainrule learn open {found.name}`"
    print(session.hint(found, session.begun(arguments.folder), solution))


def export(arguments: Any) -> None:
    from .teacher import exporting

    name = arguments.name
    thing = lesson(int(name)) if name.isdecimal() else exercise(name)
    file = place(arguments.html or arguments.notebook)
    text = exporting.html(thing) if arguments.html else exporting.notebook(thing)
    verb = _writing(file)
    write_atomically(file, text.encode())
    print(f"{verb} {file}")


def make(arguments: Any) -> None:
    place = new(arguments.name, arguments.exercises or Path())
    print(f"wrote {place}; fill it in, then: chainrule learn try {place}")


def grade(arguments: Any) -> None:
    from tqdm import tqdm

    folder, out = arguments.submissions, arguments.out
    found, missing = grading.submissions(folder), grading.without(folder)
    verb = _writing(place(out))  # reports a bad path before the work starts
    with tqdm(total=len(found), unit=" files", disable=None) as bar:
        results = grading.grade(folder, Limits(arguments.seconds), done=bar.update)
        passed, total = grading.write(out, results, missing)
    print(f"{passed} of {plural(total, 'file')} passed; {verb} {out}")
    if missing_walls():
        print(f"warning: the programs were {protection()}")
    if missing:
        print(f"no exercise files were found for: {', '.join(missing)}")
    for line in grading.ignored(folder, out):
        print(f"ignored {line}")


def _writing(file: Path) -> str:
    """The verb to report: "replaced" if the file exists."""
    return "replaced" if file.exists() else "wrote"
