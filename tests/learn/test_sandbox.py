"""Whatever learner code does, the checker survives and says what happened."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from chainrule.learn.exercise import exercise
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
    ],
    ids=lambda text: text[:24] if isinstance(text, str) else None,
)
def test_what_went_wrong_is_said(code: str, kind: str, message: str, tmp_path: Path) -> None:
    outcome = tried(code, tmp_path)
    assert (outcome.kind, message in outcome.message) == (kind, True), outcome


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
