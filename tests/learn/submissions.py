"""Right, wrong and hostile submissions of a class, each with its expected result.

`python -m tests.learn.submissions 200` grades 200 of them and prints how long it took.
"""

import csv
import os
import sys
import tempfile
import time
from pathlib import Path

from chainrule.learn.exercise import exercise, exercises
from chainrule.learn.sandbox.runner import Limits
from chainrule.learn.teacher.grading import LARGEST, grade, write

LIMITS = Limits(seconds=2.0, megabytes=192)
GOOD = exercise("write_mul").solution
DEEP = "import sys\nsys.setrecursionlimit(10**9)"
# The content of a file, the possible results of its check, and part of the message.
HOSTILE: list[tuple[str | bytes, str, str]] = [
    ("while True: pass", "time", "did not end within 2 s, at line 1"),
    ("x = [0]\nwhile True: x = x * 2", "memory", "more than 192 MB"),
    ("exit()", "exit", "called exit()"),
    ("while True: print('x' * 1000)", "output", "printed more than 5,000,000 characters"),
    ("def f(): return f()\nf()", "error", "calls itself without end"),
    ("open('/OUTSIDE/kept.txt', 'w')", "error", "its own folder only"),
    ("import shutil\nshutil.rmtree('/OUTSIDE')", "error", "its own folder only"),
    (b"x = '\xff\xfe'\nclass Value: pass", "error", "SyntaxError"),
    (b"x" * (LARGEST + 1), "error", "larger than 1,000,000 bytes"),
    ("raise ValueError('x' * 10**6 + '\\ud800')", "error", "ValueError: xxx"),
    ("import os\nos.kill(os.getppid(), 9)", "error", "may not end other processes"),
    ("import os\nfor _ in range(9999): os.mkdir('d'); os.chdir('d')", "error", "may not nest folders"),
    # The quick test covers those above only.
    ("while True:\n    try:\n        while True: pass\n    except BaseException: pass", "time", ""),
    ("import time\ntime.sleep(1000)", "time", "at line 2"),
    ("x = bytearray(10**11)", "memory", "more than 192 MB"),
    ("import os\nos._exit(0)", "exit", "ended Python"),
    (f"{DEEP}\ndef f(x): return f(x) + 1\nf(0)", "crash time memory", ""),
    ("import os\nopen('a', 'w')\nos.replace('a', '/OUTSIDE/kept.txt')", "error", "its own folder only"),
    ("import os\nwhile True: os.fork()", "error", "may not start a process"),
    ("import os\nos.kill(os.getpid(), 9)", "crash", "signal 9"),
    ("import os, sys\nos.closerange(0, 99)", "exit crash", ""),
    (b"\x00" * 100, "error", "null bytes"),
    ("x = " + "(" * 10_000, "error memory", ""),
    (b"", "failed", "the file is empty"),
]


def made(folder: Path, count: int) -> dict[str, tuple[str, str]]:
    """Write the submissions of a class; returns the expected result for each learner.

    Every second one is hostile; the others are solutions, mistakes and paths that cannot be read.
    """
    outside = folder / "outside"
    outside.mkdir(parents=True)
    (outside / "kept.txt").write_text("kept")
    expected: dict[str, tuple[str, str]] = {}
    known = exercises()
    for i in range(count):
        learner = f"{'=+-@'[i % 4]}learner {i:03}"
        place = folder / "class" / learner
        place.mkdir(parents=True)
        if i % 2:
            content, kind, text = HOSTILE[i // 2 % len(HOSTILE)]
            code = content if isinstance(content, bytes) else content.encode()
            (place / "write_mul.py").write_bytes(code.replace(b"/OUTSIDE", os.fsencode(outside)))
        elif i % 4:
            chosen = known[i // 4 % len(known)]
            (place / f"{chosen.name}.py").write_text(chosen.wrong[0].code)
            kind, text = (
                "failed error time",
                "",
            )  # some train a network, which may take too long on a busy machine
        elif i % 16 == 8:
            kind, text = _odd(place / "write_mul.py", i // 16)
        else:
            (place / "write_mul.py").write_text(GOOD)
            kind, text = "passed", ""
        expected[learner] = kind, text
    return expected


def _odd(path: Path, which: int) -> tuple[str, str]:
    """Create something other than a readable file; returns the expected result."""
    if which % 4 == 0:
        path.write_text(GOOD)
        path.chmod(0)
        return ("passed", "") if os.access(path, os.R_OK) else ("error", "could not be read")
    if which % 4 == 1:
        path.symlink_to("/etc/passwd")
    elif which % 4 == 2:
        path.mkdir()
    else:
        os.mkfifo(path)
    return "error", "it is not a regular file"


def run(folder: Path, count: int) -> tuple[list[str], float]:
    """Grade a class; returns the wrong marks, and the seconds that grading took."""
    expected = made(folder, count)
    start = time.monotonic()
    passed, total = write(folder / "marks.csv", grade(folder / "class", LIMITS, workers=2))
    seconds = time.monotonic() - start
    with (folder / "marks.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["learner"].removeprefix("'"): row for row in csv.DictReader(file)}
    wrong = []
    for learner, (kinds, text) in expected.items():
        row = rows.pop(learner, None)
        if row is None:
            wrong.append(f"{learner} is missing")
        elif row["result"] not in kinds.split() or text not in row["message"]:
            wrong.append(f"{learner}: expected {kinds} {text!r}, got {row['result']} {row['message']!r}")
        elif row["passed"] != str(int(kinds == "passed")):
            wrong.append(f"{learner}: passed is {row['passed']}, with the result {row['result']}")
    wrong += [f"{learner} was not expected" for learner in rows]
    if (passed, total) != (sum(kind == "passed" for kind, _ in expected.values()), count):
        wrong.append(f"{passed} of {total} passed")
    if (folder / "outside" / "kept.txt").read_text() != "kept":
        wrong.append("a file outside the class was changed")
    return wrong, seconds


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        wrong, seconds = run(Path(place), int(sys.argv[1]))
    print(*wrong, f"{sys.argv[1]} submissions in {seconds:.1f} s, {len(wrong)} wrong marks", sep="\n")
    sys.exit(bool(wrong))
