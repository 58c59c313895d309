"""Grading the submissions of a class, including hostile ones."""

import csv
from pathlib import Path

import pytest

from chainrule import cli
from chainrule.learn.exercise import exercise

from .submissions import run


def test_a_hostile_class_gets_the_right_marks(tmp_path: Path) -> None:
    """Only a few; `python -m tests.learn.submissions 200` tests more submissions, and more kinds."""
    wrong, seconds = run(tmp_path, 24)
    assert not wrong, "\n".join(wrong)
    assert seconds < 120


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A class of three: one submitted a solution, one an empty file, and one nothing."""
    place = tmp_path / "class"
    for learner in ("anna", "ben", "carl", ".git"):
        (place / learner).mkdir(parents=True)
    (place / "carl" / "write_mul.py").write_text(exercise("write_mul").solution)
    (place / "anna" / "write_mul.py").write_text(" \n")
    (place / "anna" / "wirte_mul.py").write_text("x = 1")
    (place / "anna" / "old").mkdir()
    (place / "ben" / "notes.txt").write_text("later")
    (place / "write_mul.py").write_text("x = 1")
    return place


def test_every_learner_and_every_ignored_file_is_listed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder / "marks.csv"
    for verb in ("wrote", "replaced"):
        assert cli.main(["learn", "grade", str(folder), "--out", str(out)]) == 0
        assert capsys.readouterr().out.splitlines() == [
            f"1 of 2 files passed; {verb} {out}",
            "no exercise files were found for: ben",
            "ignored write_mul.py: it is not in a learner's folder",
            "ignored anna/old: it is a folder",
            "ignored anna/wirte_mul.py: no exercise has this name",
            "ignored ben/notes.txt: no exercise has this name",
        ]
    with out.open(encoding="utf-8", newline="") as file:
        rows = [[row[name] for name in row if name != "seconds"] for row in csv.DictReader(file)]
    assert rows == [
        ["anna", "write_mul", "0", "failed", "the file is empty"],
        ["ben", "", "0", "missing", "no file is named after an exercise"],
        ["carl", "write_mul", "1", "passed", ""],
    ]


def test_the_marks_show_the_learners_file_name(folder: Path) -> None:
    (folder / "carl" / "write_mul.py").write_text("class Value\n")
    out = folder / "marks.csv"
    assert cli.main(["learn", "grade", str(folder), "--out", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert 'File ""write_mul.py"", line 1 class Value' in text
    assert "chainrule-" not in text


def test_a_missing_directory_for_the_marks_is_reported(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder / "no" / "marks.csv"
    assert cli.main(["learn", "grade", str(folder), "--out", str(out)]) == 1
    assert capsys.readouterr().err == f"chainrule: the directory of {out} does not exist\n"
