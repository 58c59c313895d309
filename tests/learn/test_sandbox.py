"""Whatever learner code does, the checker survives and says what happened."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from chainrule.learn.exercise import FOLDER, exercise
from chainrule.learn.sandbox import Limits, Outcome, run

LIMITS = Limits(seconds=2.0, megabytes=1024)


def tried(code: str, tmp_path: Path, limits: Limits = LIMITS) -> Outcome:
    file = tmp_path / "work.py"
    file.write_text(code)
    start = time.monotonic()
    outcome = exercise("write_mul").check(file, limits)
    assert time.monotonic() - start < 30
    return outcome


@pytest.mark.parametrize(
    ("code", "kind", "message"),
    [
        ("while True:\n    pass", "time", "did not end within 2 s"),
        ("import time\ntime.sleep(60)", "time", "at line 2"),
        ("x = [0]\nwhile True:\n    x = x * 2", "memory", "more than 1,024 MB"),
        ("x = bytearray(10**10)", "memory", "1,024 MB"),
        ("exit()", "exit", "exit"),
        ("import sys\nsys.exit(0)", "exit", "exit"),
        ("import os\nos._exit(0)", "exit", "ended Python"),
        ("def f():\n    return f()\nf()", "error", "calls itself without end, at line 2"),
        ("import os\nos.kill(os.getpid(), 11)", "crash", "signal 11"),
        ("1 / 0", "error", "ZeroDivisionError: division by zero, at line 1"),
        ("class Value\n    pass", "error", "SyntaxError"),
        ("raise KeyboardInterrupt", "stopped", ""),
        ("import subprocess\nsubprocess.run(['true'])", "error", "may not start a program"),
        ("import os\nos.system('true')", "error", "may not start a program"),
        ("import socket\nsocket.create_connection(('127.0.0.1', 9))", "error", "network"),
        ("x = 1", "failed", "no Value in the file"),
        ("x = input('?')", "error", "nobody to answer input() while the file is checked, at line 1"),
        ("import os\nwhile True: os.mkdir('d'); os.chdir('d')", "error", "100 deep in each other"),
        ("raise ValueError('x' * 100_000)", "error", "ValueError: xxx"),
        ("raise ValueError('\\ud800')", "error", "ValueError: ?, at line 1"),
    ],
    ids=lambda text: text[:24] if isinstance(text, str) else None,
)
def test_what_went_wrong_is_said(code: str, kind: str, message: str, tmp_path: Path) -> None:
    outcome = tried(code, tmp_path)
    assert (outcome.kind, message in outcome.message) == (kind, True), outcome


def test_the_file_has_the_name_that_the_learner_gave_it(tmp_path: Path) -> None:
    outcome = tried("x = 1\nclass Value\n", tmp_path)
    assert outcome.message.startswith('File "work.py", line 2\n')
    code = "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()\n"
    outcome = tried(f"{code}raise ValueError(__file__)", tmp_path)
    assert 'File "work.py", line 3, in <module>' in outcome.printed
    assert outcome.message == "ValueError: work.py, at line 6"


def test_a_flood_of_text_is_cut(tmp_path: Path) -> None:
    outcome = tried("while True:\n    print('x' * 1000)", tmp_path, Limits(seconds=10.0))
    assert outcome.kind == "output"
    assert len(outcome.printed) < 30_000
    once = tried("print('y' * 100_000_000)", tmp_path, Limits(seconds=10.0))
    assert once.kind == "output"


def test_files_are_written_in_the_own_folder_only(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outcome = tried(f"open({str(outside)!r}, 'w').write('x')", tmp_path)
    assert "its own folder only" in outcome.message
    assert not outside.exists()
    outside.write_text("kept")
    for code in (f"os.remove({str(outside)!r})", f"os.rename({str(outside)!r}, 'here')"):
        assert "its own folder only" in tried(f"import os\n{code}", tmp_path).message
    assert outside.read_text() == "kept"
    solution = exercise("write_mul").solution
    assert tried(f"{solution}\nopen('notes.txt', 'w').write('x')", tmp_path).passed


@pytest.mark.parametrize(
    "code",
    [
        "shutil.rmtree(OUT)",
        "shutil.rmtree(OUT, ignore_errors=True)",
        "os.remove(OUT + '/kept.txt')",
        "os.unlink('kept.txt', dir_fd=os.open(OUT, os.O_RDONLY))",
        "os.mkdir('new', dir_fd=os.open(OUT, os.O_RDONLY))",
        "os.mkdir(OUT + '/new')",
        "os.rmdir(OUT + '/empty')",
        "os.rename(OUT + '/kept.txt', 'here')",
        "os.rename('mine', OUT + '/kept.txt')",
        "os.replace('mine', OUT + '/kept.txt')",
        "shutil.move('mine', OUT + '/kept.txt')",
        "shutil.move(OUT + '/kept.txt', 'here')",
        "shutil.copy('mine', OUT + '/kept.txt')",
        "os.link('mine', OUT + '/new')",
        "os.link(OUT + '/kept.txt', 'here')",
        "os.symlink('mine', OUT + '/new')",
        "os.symlink(OUT, 'there'); open('there/kept.txt', 'w')",
        "os.truncate(OUT + '/kept.txt', 0)",
        "os.open(OUT + '/kept.txt', os.O_RDONLY | os.O_TRUNC)",
        "os.open(OUT + '/kept.txt', os.O_WRONLY | os.O_APPEND)",
        "os.chdir(OUT); open('kept.txt', 'w')",
        "os.chmod(OUT + '/kept.txt', 0)",
        "os.chmod(os.open(OUT + '/kept.txt', os.O_RDONLY), 0)",
        "os.chown(OUT + '/kept.txt', os.getuid(), os.getgid())",
        "os.utime(OUT + '/kept.txt', (0, 0))",
        "os.setxattr(OUT + '/kept.txt', 'user.a', b'b')",
        "os.mkfifo(OUT + '/new')",
        "os.mknod(OUT + '/new')",
        "sqlite3.connect(OUT + '/new')",
        "sqlite3.connect('file:' + OUT + '/new?mode=rwc', uri=True)",
        "os.forkpty()",
        "os.kill(os.getppid(), 0)",
        "multiprocessing.get_context('spawn').Process(target=print).start()",
        "multiprocessing.get_context('fork').Process(target=print).start()",
        "urllib.request.urlopen('http://localhost:9')",
    ],
)
def test_nothing_outside_is_changed(code: str, tmp_path: Path) -> None:
    out = tmp_path / "outside"
    (out / "empty").mkdir(parents=True)
    (out / "kept.txt").write_text("kept")
    before = os.stat(out / "kept.txt")
    start = "import multiprocessing, os, shutil, sqlite3, urllib.request\nopen('mine', 'w').write('x')\n"
    outcome = tried(f"{start}OUT = {str(out)!r}\n{code}", tmp_path)
    assert outcome.kind == "error"
    assert "code in an exercise may " in outcome.message
    assert sorted(path.name for path in out.iterdir()) == ["empty", "kept.txt"]
    assert (out / "kept.txt").read_text() == "kept"
    after = os.stat(out / "kept.txt")
    assert (after.st_mode, after.st_mtime, after.st_nlink) == (before.st_mode, before.st_mtime, 1)


def test_a_swallowed_refusal_is_told(tmp_path: Path) -> None:
    place = str(tmp_path / "outside.txt")
    code = f"try:\n    open({place!r}, 'w')\nexcept OSError:\n    pass\n"
    outcome = tried(code + exercise("write_mul").solution, tmp_path)
    assert outcome.passed
    assert outcome.message == f"tried to write outside its folder: {place}"
    outcome = tried(code + "class Value:\n    pass", tmp_path)
    assert outcome.kind in ("failed", "error")
    assert outcome.message.endswith(f"\ntried to write outside its folder: {place}")
    said = tried(f"open({place!r}, 'w')", tmp_path).message
    assert said.count(place) == 1


@pytest.mark.parametrize(
    "code",
    [
        "exec(open(FOLDER + '/write_mul/solution.py').read())",
        "from chainrule.learn.exercises.write_mul.solution import Value",
        "from chainrule.learn.exercise import exercise\nexec(exercise('write_mul').solution)",
        "import os\nos.symlink(FOLDER, 'here')\nexec(open('here/write_mul/solution.py').read())",
    ],
)
def test_solutions_are_not_read(code: str, tmp_path: Path) -> None:
    outcome = tried(f"FOLDER = {str(FOLDER)!r}\n{code}", tmp_path)
    assert outcome.kind == "error"
    assert "code in an exercise may not read exercises and their solutions" in outcome.message


def test_inside_everything_works(tmp_path: Path) -> None:
    code = """
import os, shutil, sqlite3
os.makedirs("a/b")
open("a/b/c", "w").write("x")
os.rename("a/b/c", "a/d")
os.symlink("d", "a/link")
os.link("a/d", "e")
os.chmod("e", 0o600)
os.utime("e", (0, 0))
os.truncate("e", 0)
shutil.move("e", "a/b")
os.mkdir("f", dir_fd=os.open("a", os.O_RDONLY))
shutil.rmtree("a")
sqlite3.connect(":memory:").execute("create table t (x)")
sqlite3.connect("file::memory:?cache=shared", uri=True).close()
sqlite3.connect("data.db").execute("create table t (x)")
open(os.devnull, "w").write("x")
"""
    outcome = tried(code + exercise("write_mul").solution, tmp_path)
    assert outcome.passed, outcome


def test_the_kernel_refuses_what_python_does_not_announce(tmp_path: Path) -> None:
    """As a library in C does it, where the kernel has Landlock."""
    code = """
import ctypes
from chainrule.learn import wall
if ctypes.CDLL(None).syscall(wall.CREATE_RULESET, None, 0, wall.VERSION) >= 1:
    library = ctypes.CDLL(None, use_errno=True)
    assert library.creat({!r}, 0o600) == -1
    assert ctypes.get_errno() == 13
    assert library.creat(b"here", 0o600) >= 0
"""
    outside = tmp_path / "outside.txt"
    code = code.format(os.fsencode(outside))
    outcome = tried(code + exercise("write_mul").solution, tmp_path)
    assert outcome.passed, outcome
    assert not outside.exists()


@pytest.mark.parametrize("path", [None, "", os.pathsep, f".{os.pathsep}"])
def test_files_beside_it_do_not_replace_modules(
    path: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A learner's random.py must neither break the checker nor run before the guard is up."""
    monkeypatch.chdir("/")
    if path is not None:
        monkeypatch.setenv("PYTHONPATH", path)
    for name in ("random", "json", "faulthandler", "chainrule", "traceback", "fractions", "heapq"):
        (tmp_path / f"{name}.py").write_text(f"raise ValueError('{name} of the learner')")
    (tmp_path / "work.py").write_text("import random, json, fractions, chainrule\nprint('fine')")
    outcome = run({"kind": "run", "file": str(tmp_path / "work.py")}, tmp_path)
    assert (outcome.kind, outcome.printed) == ("passed", "fine\n")


@pytest.mark.parametrize(
    "code",
    [
        "breakpoint()",
        "print('\\ud800')",
        "import sys; sys.__stdout__.close()",
        "import tempfile; tempfile.TemporaryFile().write(b'x')",
        "import os\nfor _ in range(90): os.mkdir('d'); os.chdir('d')",
    ],
)
def test_what_does_no_harm_passes(code: str, tmp_path: Path) -> None:
    outcome = tried(f"{code}\n{exercise('write_mul').solution}", tmp_path)
    assert (outcome.kind, outcome.message) == ("passed", "")


def test_the_time_that_python_takes_to_start_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text("import time; time.sleep(2.5)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    outcome = tried(exercise("write_mul").solution, tmp_path, Limits(seconds=1.0))
    assert outcome.passed, outcome


def test_what_it_started_is_ended_with_it(tmp_path: Path) -> None:
    code = "import threading\nthreading.Thread(target=lambda: [0 for _ in iter(int, 1)]).start()\n"
    outcome = tried(code + exercise("write_mul").solution, tmp_path)
    assert outcome.passed


def test_a_run_can_be_stopped(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text("while True:\n    pass")
    start = time.monotonic()
    job = {"kind": "run", "file": str(tmp_path / "loop.py")}
    outcome = run(job, tmp_path, Limits(), lambda: time.monotonic() - start > 1.0)
    assert outcome.kind == "stopped"
    assert time.monotonic() - start < 8


def test_a_file_can_be_run_alone(tmp_path: Path) -> None:
    (tmp_path / "hello.py").write_text("print('hällo')")
    outcome = run({"kind": "run", "file": str(tmp_path / "hello.py")}, tmp_path)
    assert (outcome.kind, outcome.printed) == ("passed", "hällo\n")


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    before = set(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else set()
    for _ in range(3):
        tried("x = 1", tmp_path)
    if before:
        assert len(os.listdir("/proc/self/fd")) <= len(before) + 1
