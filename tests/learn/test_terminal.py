"""`chainrule learn` in a real pseudo-terminal, and its subcommands."""

import csv
import json
import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any

import pytest

from chainrule.learn.exercise import exercise, exercises
from chainrule.learn.progress import Progress

from ..conftest import require_program

SOLUTION = exercise("write_mul").solution
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class Terminal:
    """A program in a pseudo-terminal."""

    def __init__(self, *words: str, cwd: Path, columns: int = 80, pager: str = "") -> None:
        self.master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (24, columns))
        environment = {**os.environ, "PAGER": pager, "TERM": "xterm"}
        environment.pop("COLUMNS", None)
        command = [sys.executable, "-m", "chainrule", *words]
        pipes: Any = {"stdin": slave, "stdout": slave, "stderr": slave, "start_new_session": True}
        self.process = subprocess.Popen(command, cwd=cwd, env=environment, **pipes)
        os.close(slave)
        self.text = ""

    def until(self, text: str, seconds: float = 30.0) -> str:
        """Read until this text is printed; returns what came before it."""
        end = time.monotonic() + seconds
        while text not in self.text:
            if time.monotonic() > end:
                raise AssertionError(f"{text!r} was not printed, only: {self.text[-2000:]}")
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    self.text += COLOURS.sub("", os.read(self.master, 65536).decode())
                except OSError:
                    break
        before, found, self.text = self.text.partition(text)
        assert found, f"{text!r} was not printed, only: {before[-2000:]}"
        return before

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def after(self, text: str, keys: str) -> None:
        self.until(text)
        self.press(keys)

    def close(self) -> int:
        code = self.process.wait(20)
        os.close(self.master)
        return code


def run(*words: str, cwd: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run `chainrule learn` without a terminal."""
    command = [sys.executable, "-m", "chainrule", "learn", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, **options)


def test_the_watch_loop(tmp_path: Path) -> None:
    terminal = Terminal("learn", "open", "write_mul", cwd=tmp_path)
    terminal.until("Write __mul__")
    terminal.until("q quit")
    file = tmp_path / "chainrule-course" / "write_mul.py"
    assert file.read_text() == exercise("write_mul").starter
    terminal.press("h")
    terminal.after("hint 1 of 3", "hhh")
    terminal.after("no more hints; s shows the solution", "r")
    terminal.after("A number that remembers", "s")
    terminal.until("not passed yet")
    file.write_text(SOLUTION.replace("self.data * other.data", "self.data + other.data"))
    terminal.until("✗ Write __mul__")
    assert "with" in terminal.until("expected")
    terminal.press("c")
    terminal.until("✗ Write __mul__")
    file.write_text(SOLUTION)
    terminal.until("✓ Write __mul__: passed")
    terminal.after("n: next, Remember the inputs", "s")
    terminal.after("class Value", "l")
    terminal.until("1 of")
    terminal.after("✓ write_mul", "q")
    assert terminal.close() == 0
    progress = Progress.read(tmp_path / "chainrule-course")
    assert list(progress.passed) == ["write_mul"]
    assert (progress.hints, progress.solutions) == ({"write_mul": 3}, ["write_mul"])


def test_the_next_exercise_is_not_checked_before_a_save(tmp_path: Path) -> None:
    """Checking an unchanged starter file would only report that it is wrong."""
    terminal = Terminal("learn", "open", "write_mul", cwd=tmp_path)
    terminal.after("q quit", "n")
    terminal.until("Remember")
    terminal.until("q quit")
    time.sleep(1.0)
    terminal.press("h")
    assert "checking" not in terminal.until("hint 1 of")
    file = tmp_path / "chainrule-course" / "track_inputs.py"
    file.write_text(exercise("track_inputs").solution)
    terminal.after("passed", "q")
    assert terminal.close() == 0


def test_the_folder_and_the_end_of_a_lesson_are_shown(tmp_path: Path) -> None:
    """At the end of a lesson, r shows the next lesson, while z still asks the finished lesson's quiz."""
    folder = tmp_path / "chainrule-course"
    terminal = Terminal("learn", cwd=tmp_path, columns=200)
    assert terminal.until("Press r to read lesson 1 first").startswith(f"new course in {folder}\r\n")
    terminal.until("Edit ")
    terminal.after("q quit", "q")
    assert terminal.close() == 0
    progress = Progress.read(folder)
    progress.note_passed("first_value")
    progress.note_passed("track_inputs")
    terminal = Terminal("learn", cwd=tmp_path, columns=200)
    assert terminal.until("q quit").startswith(f"course in {folder}\r\n")
    (folder / "write_mul.py").write_text(SOLUTION)
    terminal.after("Lesson 1 done. z: its quiz. n: next, Draw the tree. r: read lesson 2 first", "r")
    terminal.after("# The graph", "z")
    terminal.until("A number that remembers")
    terminal.after("your choice: ", "\x04")
    terminal.after("q quit", "q")
    assert terminal.close() == 0


def test_a_lesson_is_shown_in_a_pager(tmp_path: Path) -> None:
    """The pager controls the terminal and handles Ctrl-C; when it ends, the keys are listed again."""
    reader = tmp_path / "reader"
    reader.write_text(
        f"#!{sys.executable}\n"
        "import os, sys\n"
        "print('BEGINS', len(sys.stdin.read().splitlines()) > 100, flush=True)\n"
        "print('TYPED', os.read(2, 100).decode())\n"
    )
    reader.chmod(0o755)
    terminal = Terminal("learn", "open", "write_mul", cwd=tmp_path, pager=f"{reader} --quiet")
    terminal.after("q quit", "r")
    terminal.until("BEGINS True")
    os.kill(terminal.process.pid, 2)
    terminal.press("on\n")
    terminal.until("TYPED on")
    terminal.after("q quit", "h")
    terminal.after("hint 1 of 3", "q")
    assert terminal.close() == 0


def test_less_shows_its_keys(tmp_path: Path) -> None:
    require_program("less")
    terminal = Terminal("learn", "read", "1", cwd=tmp_path, pager="less")
    terminal.until("A number that remembers")
    terminal.after("space: next page, b: back, q: quit", "G")
    terminal.after("(END) b: back, q: quit", "q")
    assert terminal.close() == 0


def test_the_quiz_of_a_lesson(tmp_path: Path) -> None:
    terminal = Terminal("learn", "quiz", "2", cwd=tmp_path)
    terminal.until("Question 1")
    for typed, said in (
        ("three", "type a number, such as 2.5 or -3"),
        ("2", "✗ Not quite.\r\nTry once more; then the answer is shown."),
        ("4", "✗ Not quite.\r\nThe answer is 3. The leaf a"),
    ):
        terminal.after("your number: ", f"{typed}\n")
        terminal.until(said)
    terminal.after("your number: ", "5,0\n")
    terminal.until("✓ Right.")
    drawing = terminal.until("by number or name: ")
    assert "├─ 3  a * b\r\n│  ├─ 1  a = 2\r\n│  └─ 2  b = -3\r\n" in drawing
    terminal.press("3\n")
    terminal.until("A chosen node is not part of the answer.")
    terminal.after("by number or name: ", "2\n")
    terminal.until("one node, two uses.")
    terminal.after("your choice: ", "9\n")
    terminal.until("type a number from 1 to 3")
    for option, said in ((2, "✗ Not quite."), (1, "✓ Right.")):
        terminal.after("your choice: ", f"{option}\n")
        terminal.until(said)
    terminal.until("4 answered, 1 right the first time, 0 skipped.")
    assert terminal.close() == 0
    kept = {"2.1": False, "2.2": True, "2.3": False, "2.4": False}
    assert Progress.read(tmp_path / "chainrule-course").quizzes == kept
    assert "4 of 4 questions answered" in run("list", cwd=tmp_path).stdout


def test_the_quiz_while_an_exercise_is_open(tmp_path: Path) -> None:
    """The quiz reads whole lines; afterwards, single keys work again."""
    terminal = Terminal("learn", "open", "write_mul", cwd=tmp_path)
    terminal.after("q quit", "z")
    terminal.after("your choice: ", "1\n")
    terminal.until("✓ Right.")
    terminal.after("your number: ", "\x04")
    terminal.after("q quit", "z")
    terminal.until("Question 1 (right the first time)")
    terminal.after("your choice: ", "\n")
    terminal.after("your number: ", "\n")
    terminal.until("0 answered, 0 right the first time, 2 skipped.")
    terminal.after("q quit", "h")
    terminal.after("hint 1 of 3", "q")
    assert terminal.close() == 0


def test_a_quiz_without_a_terminal(tmp_path: Path) -> None:
    asked = run("quiz", "1", cwd=tmp_path, input="1\n5", check=True)
    assert "2 answered, 2 right the first time, 0 skipped." in asked.stdout
    ended = run("quiz", "1", cwd=tmp_path, input="", check=True)
    assert ended.stdout.endswith("your choice: \n")
    assert run("quiz", "99", cwd=tmp_path).stderr.startswith("chainrule: there is no lesson 99")


def test_without_a_terminal_it_does_not_wait_for_a_save(tmp_path: Path) -> None:
    """It ends when its input ends, so it must not promise to check every save."""
    ended = run(cwd=tmp_path, input="", check=True)
    assert "whenever you save" not in ended.stdout
    assert "`chainrule learn read 1` to read lesson 1 first: " in ended.stdout
    file = Path("chainrule-course") / "first_value.py"
    assert ended.stdout.endswith(f"\nEdit {file}; then check it: chainrule learn check first_value\n")
    (tmp_path / file).write_text(exercise("first_value").solution)
    assert run("check", "first_value", cwd=tmp_path).returncode == 0


def test_lines_fit_the_terminal(tmp_path: Path) -> None:
    terminal = Terminal("learn", "open", "accumulate", cwd=tmp_path, columns=48)
    terminal.until("new course in ")
    terminal.until("\n")  # a path may have any length
    shown = terminal.until("Edit ") + terminal.until("q quit").partition("\n")[2]
    for key, end in (("h", "hint 1 of"), ("s", "You have not passed"), ("r", "## What to remember")):
        terminal.press(key)
        shown += terminal.until(end)
    terminal.press("z")
    terminal.until("Question 1")
    shown += terminal.until("your number: ")
    lines = [line for line in shown.splitlines() if not line.startswith(("    ", "#"))]
    assert 40 < max(map(len, lines)) <= 48
    terminal.press("\x04")
    terminal.after("q quit", "q")
    assert terminal.close() == 0


def test_ctrl_c_ends_the_course(tmp_path: Path) -> None:
    terminal = Terminal("learn", cwd=tmp_path)
    terminal.until("q quit")
    os.killpg(terminal.process.pid, 2)
    terminal.until("interrupted")
    assert terminal.close() == 130


def test_subcommands(tmp_path: Path) -> None:
    listed = run("list", cwd=tmp_path).stdout
    assert f"exercises passed\ncourse in {tmp_path / 'chainrule-course'}\n" in listed
    assert "A number that remembers" in run("read", "1", cwd=tmp_path).stdout
    assert run("read", "99", cwd=tmp_path).stderr.startswith("chainrule: there is no lesson 99")
    first = run("check", "write_mul", cwd=tmp_path)
    assert first.returncode == 1
    assert "✗" in first.stdout
    assert first.stdout.startswith(f"new course in {tmp_path / 'chainrule-course'}\n")
    (tmp_path / "chainrule-course" / "write_mul.py").write_text(SOLUTION)
    assert run("check", "write_mul", cwd=tmp_path).returncode == 0
    assert "hint 1 of 3" in run("hint", "write_mul", cwd=tmp_path).stdout
    for _ in range(3):
        more = run("hint", "write_mul", cwd=tmp_path).stdout
    assert more.startswith("hint 3 of 3")
    assert more.endswith("\n\nno more hints; s in `chainrule learn open write_mul` shows the solution\n")
    assert "no exercise 'nothing'; `chainrule" in run("check", "nothing", cwd=tmp_path).stderr
    message = "no exercise 'write_mull'; did you mean write_mul? `chainrule learn list`"
    assert message in run("check", "write_mull", cwd=tmp_path).stderr


def test_subcommands_default_to_the_current_lesson_and_exercise(tmp_path: Path) -> None:
    progress = Progress(tmp_path / "chainrule-course")
    for e in exercises():
        if e.lesson == 1:
            progress.note_passed(e.name)
    assert run("read", cwd=tmp_path).stdout.startswith("# The graph\n")
    assert run("code", cwd=tmp_path).stdout == run("code", "2", cwd=tmp_path).stdout
    assert run("quiz", cwd=tmp_path).stdout.startswith("The graph  (4 questions)\n")
    assert run("hint", cwd=tmp_path).stdout.startswith("draw_tree: Draw the tree\nhint 1 of")
    assert run("check", cwd=tmp_path).stdout.startswith("draw_tree: Draw the tree\n✗ Draw the tree\n")


def test_grading_a_class(tmp_path: Path) -> None:
    e = exercise("write_mul")
    work = {
        "anna": (SOLUTION, "passed"),
        "bert": (e.wrong[0].code, "failed"),
        "=1+1": ("while True: pass", "time"),
        "dora": ("exit()", "exit"),
    }
    for name, (code, _) in work.items():
        place = tmp_path / "class" / name
        place.mkdir(parents=True)
        (place / "write_mul.py").write_text(code)
        (place / "notes.py").write_text("1 / 0")
    (tmp_path / "class" / "zoe").mkdir()
    (tmp_path / "class" / "zoe" / "WriteMul.py").write_text(SOLUTION)
    course = tmp_path / "class" / "emil" / "chainrule-course"  # as the course itself creates it
    course.mkdir(parents=True)
    (course / "write_mul.py").write_text(SOLUTION)
    done = run("grade", "class", "--seconds", "2", cwd=tmp_path)
    assert "2 of 5 files passed" in done.stdout, done.stderr
    assert "no exercise files were found for: zoe" in done.stdout
    with (tmp_path / "marks.csv").open() as file:
        rows = {row["learner"]: row["result"] for row in csv.DictReader(file)}
    assert rows.pop("emil") == "passed"
    assert rows.pop("zoe") == "missing"
    assert rows == {("'" * name.startswith("=")) + name: result for name, (_, result) in work.items()}
    assert "nothing to grade" in run("grade", ".", cwd=tmp_path / "class" / "anna").stderr


@pytest.mark.parametrize(
    "field",
    [
        {"passed": {"a": 1}},
        {"hints": {"a": -5}},
        {"hints": {"a": 1e999}},
        {"hints": {"a": True}},
        {"solutions": "scale"},
        {"quizzes": {"1.1": "no"}},
    ],
)
def test_a_progress_file_is_read_as_a_whole_or_not_at_all(tmp_path: Path, field: Any) -> None:
    sound = {"passed": {"scale": "today"}, "hints": {}, "solutions": [], "quizzes": {}}
    (tmp_path / "progress.json").write_text(json.dumps(sound | field))
    assert Progress.read(tmp_path) == Progress(tmp_path, damaged=tmp_path / "progress.damaged")


def test_a_progress_file_replaces_the_old_one_and_leaves_nothing(tmp_path: Path) -> None:
    """Also when an earlier save was killed: its temporary file is removed."""
    (tmp_path / f".progress.json.{'0' * 16}.part").write_text("{")
    Progress(tmp_path).note_passed("scale")
    assert os.listdir(tmp_path) == ["progress.json"]
    assert (tmp_path / "progress.json").stat().st_mode & 0o777 == 0o600


def test_a_damaged_progress_file_is_kept(tmp_path: Path) -> None:
    (tmp_path / "progress.json").write_text("{nonsense")
    progress = Progress.read(tmp_path)
    assert progress.passed == {}
    assert (tmp_path / "progress.damaged").read_text() == "{nonsense"
    progress.note_passed("write_mul")
    assert list(Progress.read(tmp_path).passed) == ["write_mul"]
    (tmp_path / "progress.json").write_text("[]")
    listed = run("--folder", ".", "list", cwd=tmp_path).stdout
    assert listed.startswith(
        "progress.json was damaged, so a new one was started; the old one is kept as "
        f"{tmp_path / 'progress.damaged'}\n0 of"
    )


@pytest.mark.parametrize("name", [e.name for e in exercises()])
def test_tasks_fit_a_terminal(name: str) -> Any:
    assert all(len(line) <= 105 for line in exercise(name).task.splitlines())
