"""`chainrule learn new NAME`: creates the files of an exercise, to fill in."""

from __future__ import annotations

from pathlib import Path

from ..exercise import course_exercises, holding, named

TASK = "Describe the task here, in two or three plain sentences."
HINTS = ("A nudge: where to look.", "Nearly the answer.")
FILES = {
    "exercise.toml": 'title = "{title}"\nlesson = 1\nminutes = 10\n',
    "starter.py": '''"""{task}"""


def {name}(x):
    pass  # your code here
''',
    "solution.py": '''"""{task}"""


def {name}(x):
    return 2 * x
''',
    "hints.md": "\n\n---\n\n".join(HINTS) + "\n",
    "check.py": """from chainrule.learn.checking import Work, number


def check(work: Work) -> None:
    {name} = work.get("{name}")

    @work.for_all(number())
    def doubles(x: float) -> None:
        work.equal("{name}(x)", {name}(x), 2 * x)
""",
    "wrong.toml": """forgets.why = "forgets the factor"
forgets.edits = [["2 * x", "x"]]
""",
}


def new(name: str, folder: Path) -> Path:
    """Write the skeleton of an exercise into a new folder."""
    place = holding(folder) / named(name)
    if name in {e.name for e in course_exercises()}:
        raise ValueError(f"{name} is an exercise of the course: choose a different name")
    if place.exists():
        raise ValueError(f"{place} already exists")
    for file, text in FILES.items():
        path = place / file
        path.parent.mkdir(parents=True, exist_ok=True)
        title = name.replace("_", " ").capitalize()
        path.write_text(text.format(name=name, title=title, task=TASK), encoding="utf-8")
    return place
