"""A teacher's own exercises: creating and trying them, and showing them along with the course's."""

import csv
from pathlib import Path

import pytest

from chainrule.learn.exercise import ExerciseError, course_exercises, exercise, exercises, read
from chainrule.learn.teacher.grading import submissions
from chainrule.learn.teacher.skeleton import TASK, new
from chainrule.learn.teacher.trying import advice, gaps, trials
from chainrule.learn.wrong import edited

from .test_terminal import run


def filled_in(place: Path) -> None:
    """Replace the placeholder texts of a template."""
    for file in ("starter.py", "solution.py"):
        text = (place / file).read_text()
        (place / file).write_text(text.replace(TASK, "Double a number."))
    (place / "hints.md").write_text("What is x + x?\n\n---\n\nMultiply by 2.\n")


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one exercise, which learners can see."""
    place = tmp_path / "week3"
    filled_in(new("twice", place))
    monkeypatch.setenv("CHAINRULE_EXERCISES", str(place))
    return place


def test_an_exercise_from_the_template_to_the_marks(tmp_path: Path) -> None:
    made = run("--exercises", "week3", "new", "twice", cwd=tmp_path)
    assert made.stdout == "wrote week3/twice; fill it in, then: chainrule learn try week3/twice\n"
    tried = run("try", "week3/twice", cwd=tmp_path)
    assert tried.returncode == 1
    assert tried.stdout.startswith(
        "starter.py: its task is still the template's, 'Describe the task here, in two or three "
        "plain sentences.'\n"
        "solution.py: its docstring is still the template's; learners read it too\n"
        "hints.md: a hint is still the template's, 'A nudge: where to look.'\n"
        "hints.md: a hint is still the template's, 'Nearly the answer.'\n"
        "advice: 1 wrong solution; exercises of the course have 5 or more, each a typical mistake\n"
    )
    assert tried.stderr.endswith("twice is not ready: fix the 4 problems above\n")
    filled_in(tmp_path / "week3" / "twice")
    tried = run("try", "week3/twice", cwd=tmp_path)
    assert tried.returncode == 0, tried.stderr
    assert tried.stdout.count("as it should") == 3
    assert "wrong.toml, forgets      fails, as it should\n    twice(x)\n" in tried.stdout
    assert tried.stdout.endswith("twice is ready; to use it: chainrule learn --exercises week3\n")
    assert "· twice" in run("--exercises", "week3", "list", cwd=tmp_path).stdout
    assert "· twice" not in run("list", cwd=tmp_path).stdout
    assert run("--exercises", "week3", "check", "twice", cwd=tmp_path).returncode == 1
    place = tmp_path / "class" / "anna"
    place.mkdir(parents=True)
    (place / "twice.py").write_text((tmp_path / "week3" / "twice" / "solution.py").read_text())
    graded = run("--exercises", "week3", "grade", "class", cwd=tmp_path)
    assert "1 of 1 file passed; wrote marks.csv" in graded.stdout, graded.stderr
    with (tmp_path / "marks.csv").open() as file:
        assert [(row["exercise"], row["passed"]) for row in csv.DictReader(file)] == [("twice", "1")]


def test_invalid_names_and_missing_folders(tmp_path: Path) -> None:
    assert run("new", "twice", cwd=tmp_path).returncode == 0
    assert run("new", "twice", cwd=tmp_path).stderr == "chainrule: twice already exists\n"
    assert "cannot be the name" in run("new", "../x", cwd=tmp_path).stderr
    said = run("check", "twice", cwd=tmp_path).stderr
    assert said == "chainrule: twice is the folder of an exercise; use chainrule learn try twice\n"
    filled_in(tmp_path / "twice")
    here = run("try", ".", cwd=tmp_path / "twice").stdout
    assert here.endswith("twice is ready; to use it: chainrule learn --exercises ..\n")
    said = run("try", "nothing", cwd=tmp_path).stderr
    assert said.startswith("chainrule: nothing has no exercise.toml: `chainrule learn new NAME`")
    said = run("--exercises", "nothing", "list", cwd=tmp_path).stderr
    assert "nothing is not a folder: --exercises and CHAINRULE_EXERCISES must name" in said


def test_an_unusable_name_is_rejected_before_anything_is_written(tmp_path: Path) -> None:
    for name, reason in {
        "write_mul": "write_mul is an exercise of the course: choose a different name",
        "class": "'class' cannot be the name of an exercise: it is a Python keyword",
    }.items():
        said = run("new", name, cwd=tmp_path)
        assert (said.returncode, said.stderr) == (1, f"chainrule: {reason}\n")
    assert not [*tmp_path.iterdir()]


def test_the_folder_of_one_exercise_is_rejected(own: Path) -> None:
    for words in (["list"], ["new", "thrice"]):
        said = run("--exercises", "twice", *words, cwd=own)
        assert said.returncode == 1
        assert f"twice is one exercise; name the folder that contains it, {own}\n" in said.stderr


def test_a_new_exercise_comes_last_in_its_lesson(own: Path) -> None:
    names = [e.name for e in exercises()]
    known = [e.name for e in course_exercises()]
    first = [e.name for e in course_exercises() if e.lesson == 1]
    assert names == [*first, "twice", *known[len(first) :]]
    assert exercise("twice").folder == own / "twice"
    assert exercise("twice").hints == ["What is x + x?", "Multiply by 2."]


def test_submissions_of_own_exercises_are_found(own: Path, tmp_path: Path) -> None:
    place = tmp_path / "class" / "anna"
    place.mkdir(parents=True)
    (place / "twice.py").write_text("")
    assert [s.exercise.name for s in submissions(tmp_path / "class")] == ["twice"]


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ('title = "A"\nlesson = 1\n', r"exercise\.toml: minutes must be a whole number$"),
        ("title = 3\nlesson = 1\nminutes = 5\n", r"exercise\.toml: title must be a string$"),
        ('title = "A"\nlesson = 99\nminutes = 5\n', r"there is no lesson 99; the lessons are 1 to 15$"),
        ("title", r"exercise\.toml is not TOML: "),
        (f"lesson = {'9' * 5000}", r"exercise\.toml is not TOML: "),
        (f"title = {'[' * 3000}", r"exercise\.toml is not TOML: "),
        ("title = '\xff'", r"exercise\.toml is not text in UTF-8: "),
    ],
)
def test_errors_in_exercise_toml_are_reported(own: Path, about: str, message: str) -> None:
    (own / "twice" / "exercise.toml").write_text(about, encoding="latin-1")
    with pytest.raises(ExerciseError, match=message):
        exercises()


def test_exercise_names_are_unique_and_valid(own: Path) -> None:
    (own / "twice").rename(own / "write_mul")
    message = "the course already has an exercise write_mul; rename that folder"
    with pytest.raises(ExerciseError, match=message):
        exercises()
    (own / "write_mul").rename(own / "Write-Mul")
    with pytest.raises(ExerciseError, match="'Write-Mul' cannot be the name of an exercise"):
        exercises()


def test_gaps_in_an_exercise_are_reported(own: Path) -> None:
    place = own / "twice"
    assert [*gaps(read(place))] == []
    (place / "wrong").mkdir()
    (place / "wrong" / "is_right.py").write_text("# is right\ndef twice(x):\n    return x + x\n")
    (place / "starter.py").write_text("def twice(x):\n    return x.half\n")
    (place / "solution.py").write_text("def twice(x):\n    return 2 * x + 1\n")
    (place / "wrong" / "ends.py").write_text("# ends\nraise SystemExit\n")
    (place / "hints.md").write_text("one\n\n---\n")
    e = read(place)
    assert [*gaps(e)] == [
        "starter.py must begin with a docstring, the task",
        "starter.py: mark the places to fill in with # your code here",
        "hints.md: a hint is empty; hints are separated by lines of ---",
    ]
    assert {trial.file: trial.problem for trial in trials(e)} == {
        "starter.py": "BUT WITH AN EXCEPTION: check what is not written yet with work.kind",
        "solution.py": "BUT IT MUST PASS",
        "wrong/ends.py": "BUT THE CHECKER MUST SAY WHY",
        "wrong.toml, forgets": "",
        "wrong/is_right.py": "BUT IT MUST FAIL: the checker does not notice the mistake",
    }
    said = run("try", str(place), cwd=own)
    assert said.returncode == 1
    assert said.stderr == "chainrule: twice is not ready: fix the 7 problems above\n"
    (place / "starter.py").write_text("def twice(x:\n")
    assert "starter.py, line 1: " in run("try", str(place), cwd=own).stderr


@pytest.mark.parametrize("file", ["starter.py", "solution.py", "hints.md", "check.py"])
def test_a_missing_file_is_named(own: Path, file: str) -> None:
    (own / "twice" / file).unlink()
    said = run("try", "twice", cwd=own)
    assert (said.stdout, said.stderr) == ("", f"chainrule: twice has no {file}\n")


def test_try_expects_the_folder_of_an_exercise(own: Path) -> None:
    said = run("try", "twice/exercise.toml", cwd=own)
    assert said.stderr == "chainrule: name the folder of the exercise, not exercise.toml\n"


def test_a_broken_checker_is_reported_once_with_its_line(own: Path) -> None:
    check = own / "twice" / "check.py"
    check.write_text("def check(work):\n    return (\n")
    said = run("try", "twice", cwd=own)
    assert said.stdout.count("the checker does not run") == 1
    assert "fails, BUT BECAUSE OF THE CHECKER: fix check.py first\n" in said.stdout
    assert f'File "{check}", line 2' in said.stdout
    assert "SyntaxError: '(' was never closed" in said.stdout
    assert said.stderr.endswith("fix the 1 problem above\n")
    check.write_text("\nimport nowhere_at_all\n")
    outcome = exercise("twice").check(own / "twice" / "solution.py")
    assert outcome.kind == "checker"
    assert outcome.message.endswith("No module named 'nowhere_at_all', at line 2")


def test_five_wrong_solutions_need_no_advice(own: Path) -> None:
    wrong = own / "twice" / "wrong"
    wrong.mkdir()
    for i in range(3):
        (wrong / f"adds_{i}.py").write_text(f"# adds\ndef twice(x):\n    return x + {i}\n")
    assert [line[:26] for line in advice(read(own / "twice"))] == ["advice: 4 wrong solutions;"]
    (wrong / "nothing.py").write_text("# nothing\ndef twice(x):\n    pass\n")
    assert [*advice(read(own / "twice"))] == []


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("starter.py", b"\xff", r"starter\.py is not text in UTF-8: "),
        ("starter.py", b"x = 1\0", r"starter\.py.*: source code string cannot contain null bytes"),
        ("hints.md", b"\xff", r"hints\.md is not text in UTF-8: "),
        ("wrong/a.py", b"\xff", r"a\.py is not text in UTF-8: "),
    ],
)
def test_files_that_are_not_text_are_named(own: Path, file: str, content: bytes, message: str) -> None:
    (own / "twice" / file).parent.mkdir(exist_ok=True)
    (own / "twice" / file).write_bytes(content)
    with pytest.raises(ExerciseError, match=message):
        assert [getattr(read(own / "twice"), name) for name in ("task", "hints", "wrong")]


WHY = "a.why = 'b'\na."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a.why = 'b'", "a: expected the keys why and edits, and optionally of"),
        (f"{WHY}edits = ['c']", r"a: edits must be pairs of strings, \[\[old, new\]\]"),
        (f"{WHY}edits = []\na.of = 'check'", "a: of must be 'solution' or 'starter', got 'check'"),
        (f"{WHY}edits = [['3 * x', 'x']]", "a: the old text must occur once, not 0 times: '3 "),
        (f"{WHY}edits = [['x', 'y']]", "a: the old text must occur once, not 2 times: 'x'"),
        (f"{WHY}edits = [['2 * x', ''], ['* x', '']]", "a: two edits overlap: '2 [*] x' and '[*] x'"),
        ("a.why =", "wrong.toml is not TOML: "),
        ("a.why = '\xff'", "wrong.toml is not TOML: 'utf-8' codec can't decode"),
        ("a.why = 3\na.edits = []", "a: why must be a string, got 3"),
    ],
)
def test_errors_in_wrong_toml_are_reported(own: Path, text: str, message: str) -> None:
    (own / "twice" / "wrong.toml").write_text(text, encoding="latin-1")
    with pytest.raises(ExerciseError, match=message):
        assert read(own / "twice").wrong


def test_applying_edits() -> None:
    text = "def f(x):\n    y = 1\n    return x\n\n\ndef g():\n    pass\n"
    assert edited(text, [["y = 1", ""]]) == text.replace("    y = 1\n", "")
    both = text.replace("y = 1\n    return x\n", "y = 2\n    if x:\n        return y\n")
    assert edited(text, [["= 1", "= 2"], ["return x", "if x:\n    return y"]]) == both
    assert edited(text, [["\n\ndef g():\n    pass\n", ""]]) == text[:-20]
    assert edited(text, [["pass", "a\nb\n"]]) == text.replace("pass", "a\n    b")
