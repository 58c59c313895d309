"""A class is graded, whatever its files do."""

import csv
from pathlib import Path

import pytest

from chainrule import cli
from chainrule.learn.exercise import exercise

from .submissions import run


def test_a_hostile_class_gets_the_right_marks(tmp_path: Path) -> None:
    """A few submissions; `python -m tests.learn.submissions 200` tests more, of more kinds."""
    wrong, seconds = run(tmp_path, 24)
    assert not wrong, "\n".join(wrong)
    assert seconds < 120


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A class of three: one solution, one empty file, one learner without a file."""
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


def test_nobody_and_nothing_is_passed_over(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "marks.csv"
    for verb in ("wrote", "replaced"):
        assert cli.main(["learn", "grade", str(folder), "--out", str(out)]) == 0
        assert capsys.readouterr().out.splitlines() == [
            f"1 of 2 files passed; {verb} {out}",
            "no file of an exercise was found of: ben",
            "ignored write_mul.py: it is in no learner's folder",
            "ignored anna/old: it is a folder",
            "ignored anna/wirte_mul.py: no exercise has this name",
            "ignored ben/notes.txt: no exercise has this name",
        ]
    with out.open(encoding="utf-8", newline="") as file:
        rows = [[row[name] for name in row if name != "seconds"] for row in csv.DictReader(file)]
    assert rows == [
        ["anna", "write_mul", "0", "failed", "the file is empty"],
        ["ben", "", "0", "missing", "there is no file with the name of an exercise"],
        ["carl", "write_mul", "1", "passed", ""],
    ]


def test_the_marks_name_a_file_as_the_learner_does(folder: Path) -> None:
    (folder / "carl" / "write_mul.py").write_text("class Value\n")
    out = folder / "marks.csv"
    assert cli.main(["learn", "grade", str(folder), "--out", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert 'File ""write_mul.py"", line 1 class Value' in text
    assert "chainrule-" not in text


def test_a_place_for_the_marks_is_looked_for_first(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder / "no" / "marks.csv"
    assert cli.main(["learn", "grade", str(folder), "--out", str(out)]) == 1
    assert capsys.readouterr().err == f"chainrule: no directory for {out}\n"
