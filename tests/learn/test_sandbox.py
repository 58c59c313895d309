"""The checker survives whatever learner code does, and reports what happened."""

import os
import platform
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from chainrule import cli
from chainrule.learn.exercise import FOLDER, exercise
from chainrule.learn.sandbox import child, isolation, seccomp, starting
from chainrule.learn.sandbox.runner import Limits, Outcome, run
from chainrule.value import c_core

LIMITS = Limits(seconds=2.0, megabytes=192)
WITHOUT_ISOLATION = (
    "from chainrule.learn.sandbox import forking, isolation; isolation.WALLS = (); forking.main()"
)


def tried(code: str, tmp_path: Path, limits: Limits = LIMITS, name: str = "write_mul") -> Outcome:
    """Check this code as the solution of an exercise."""
    file = tmp_path / "work.py"
    file.write_text(code)
    start = time.monotonic()
    outcome = exercise(name).check(file, limits)
    assert time.monotonic() - start < 30
    return outcome


def ran(code: str, folder: Path, *more: Any) -> Outcome:
    """Run this code as a program, without a checker."""
    (folder / "work.py").write_text(code)
    return run({"kind": "run", "file": str(folder / "work.py")}, folder, *more)


def printed(code: str, tmp_path: Path) -> str:
    outcome = ran(code, tmp_path, LIMITS)
    assert outcome.kind == "passed", outcome
    return outcome.printed


@pytest.mark.parametrize(
    ("code", "kind", "message"),
    [
        ("while True:\n    pass", "time", "did not end within 2 s"),
        ("import time\ntime.sleep(60)", "time", "at line 2"),
        ("x = [0]\nwhile True:\n    x = x * 2", "memory", "more than 192 MB"),
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
        ("x = 1", "failed", "the file does not define Value"),
        ("input('?')", "error", "input() cannot be answered while the file is being checked, at line 1"),
        ("import os\nwhile True: os.mkdir('d'); os.chdir('d')", "error", "nest folders 100 deep"),
        ("raise ValueError('x' * 100_000)", "error", "ValueError: xxx"),
        ("raise ValueError('\\ud800')", "error", "ValueError: ?, at line 1"),
    ],
    ids=lambda text: text[:24] if isinstance(text, str) else None,
)
def test_failures_are_explained(code: str, kind: str, message: str, tmp_path: Path) -> None:
    outcome = tried(code, tmp_path)
    assert (outcome.kind, message in outcome.message) == (kind, True), outcome


def test_messages_show_the_learners_file_name(tmp_path: Path) -> None:
    outcome = tried("x = 1\nclass Value\n", tmp_path)
    assert outcome.message.startswith('File "work.py", line 2\n')
    code = "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()\n"
    outcome = tried(f"{code}raise ValueError(__file__)", tmp_path)
    assert 'File "work.py", line 3, in <module>' in outcome.printed
    assert outcome.message == "ValueError: work.py, at line 6"


def test_excessive_output_is_truncated(tmp_path: Path) -> None:
    outcome = tried("while True:\n    print('x' * 1000)", tmp_path, Limits(seconds=10.0))
    assert outcome.kind == "output"
    assert len(outcome.printed) < 30_000
    once = tried("print('y' * 100_000_000)", tmp_path, Limits(seconds=10.0))
    assert once.kind == "output"


@pytest.mark.parametrize(
    "code",
    [
        *("open(OUT + '/new', 'w')", "shutil.rmtree(OUT)", "shutil.rmtree(OUT, ignore_errors=True)"),
        *("os.remove(OUT + '/kept.txt')", "os.unlink('kept.txt', dir_fd=os.open(OUT, os.O_RDONLY))"),
        *("os.mkdir('new', dir_fd=os.open(OUT, os.O_RDONLY))", "os.mkdir(OUT + '/new')"),
        *("os.rmdir(OUT + '/empty')", "os.rename(OUT + '/kept.txt', 'here')"),
        *("os.rename('mine', OUT + '/kept.txt')", "os.replace('mine', OUT + '/kept.txt')"),
        *("shutil.move('mine', OUT + '/kept.txt')", "shutil.move(OUT + '/kept.txt', 'here')"),
        *("shutil.copy('mine', OUT + '/kept.txt')", "os.link('mine', OUT + '/new')"),
        *("os.link(OUT + '/kept.txt', 'here')", "os.symlink('mine', OUT + '/new')"),
        *("os.symlink(OUT, 'there'); open('there/kept.txt', 'w')", "os.truncate(OUT + '/kept.txt', 0)"),
        "os.open(OUT + '/kept.txt', os.O_RDONLY | os.O_TRUNC)",
        "os.open(OUT + '/kept.txt', os.O_WRONLY | os.O_APPEND)",
        *("os.chdir(OUT); open('kept.txt', 'w')", "os.chmod(OUT + '/kept.txt', 0)"),
        "os.chmod(os.open(OUT + '/kept.txt', os.O_RDONLY), 0)",
        "os.chown(OUT + '/kept.txt', os.getuid(), os.getgid())",
        *("os.utime(OUT + '/kept.txt', (0, 0))", "os.setxattr(OUT + '/kept.txt', 'user.a', b'b')"),
        *("os.mkfifo(OUT + '/new')", "os.mknod(OUT + '/new')", "sqlite3.connect(OUT + '/new')"),
        *("sqlite3.connect('file:' + OUT + '/new?mode=rwc', uri=True)", "os.forkpty()"),
        "os.kill(os.getppid(), 0)",
        "multiprocessing.get_context('spawn').Process(target=print).start()",
        "multiprocessing.get_context('fork').Process(target=print).start()",
        "urllib.request.urlopen('http://localhost:9')",
    ],
)
def test_nothing_outside_the_folder_is_changed(code: str, tmp_path: Path) -> None:
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


def test_a_swallowed_exception_is_still_reported(tmp_path: Path) -> None:
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
        "from chainrule.learn._exercises.write_mul.solution import Value",
        "from chainrule.learn.exercise import exercise\nexec(exercise('write_mul').solution)",
        "import os\nos.symlink(FOLDER, 'here')\nexec(open('here/write_mul/solution.py').read())",
    ],
)
def test_learner_code_cannot_read_solutions(code: str, tmp_path: Path) -> None:
    outcome = tried(f"FOLDER = {str(FOLDER)!r}\n{code}", tmp_path)
    assert outcome.kind == "error"
    assert "code in an exercise may not read exercises or their solutions" in outcome.message


def test_files_inside_the_folder_can_be_changed(tmp_path: Path) -> None:
    code = """
import os, shutil, sqlite3
os.makedirs("a/b")
open("a/b/c", "w").write("x")
os.rename("a/b/c", "a/d")
os.symlink("d", "a/link")
os.link("a/d", "e")
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


@pytest.mark.parametrize("path", [None, "", os.pathsep, f".{os.pathsep}"])
def test_the_learners_files_do_not_shadow_modules(
    path: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A learner's random.py must neither break the checker nor run before the guard is installed."""
    monkeypatch.chdir("/")
    if path is not None:
        monkeypatch.setenv("PYTHONPATH", path)
    for name in ("random", "json", "faulthandler", "chainrule", "traceback", "fractions", "heapq"):
        (tmp_path / f"{name}.py").write_text(f"raise ValueError('{name} of the learner')")
    outcome = ran("import random, json, fractions, chainrule\nprint('hällo')", tmp_path)
    assert (outcome.kind, outcome.printed) == ("passed", "hällo\n")


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
def test_harmless_code_passes(code: str, tmp_path: Path) -> None:
    outcome = tried(f"{code}\n{exercise('write_mul').solution}", tmp_path)
    assert (outcome.kind, outcome.message) == ("passed", "")


def test_pythons_startup_time_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text("import time; time.sleep(2.5)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    outcome = tried(exercise("write_mul").solution, tmp_path, Limits(seconds=1.0))
    assert outcome.passed, outcome


def test_a_running_thread_does_not_delay_the_result(tmp_path: Path) -> None:
    code = "import threading\nthreading.Thread(target=lambda: [0 for _ in iter(int, 1)]).start()\n"
    assert tried(code + exercise("write_mul").solution, tmp_path).passed


def test_no_file_descriptors_are_leaked(tmp_path: Path) -> None:
    before = set(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else set()
    for _ in range(3):
        tried("x = 1", tmp_path)
    if before:
        assert len(os.listdir("/proc/self/fd")) <= len(before) + 1


# --- one parent process for all runs -----------------------------------------------------------------


def test_a_run_does_not_affect_the_next(tmp_path: Path) -> None:
    code = """
import chainrule, json, os, sys
found = [hasattr(chainrule, "mine"), "MINE" in os.environ, hasattr(json, "mine")]
print(*found, sys.getrecursionlimit())
chainrule.mine, os.environ["MINE"], json.mine = 1, "1", 1
sys.setrecursionlimit(7777)
"""
    first = printed(code, tmp_path)
    assert first == f"False False False {sys.getrecursionlimit()}\n"
    assert printed(code, tmp_path) == first


def test_random_numbers_differ_between_runs(tmp_path: Path) -> None:
    code = "import random, numpy as np\nprint(random.random(), np.random.random())"
    first, second = (printed(code, tmp_path).split() for _ in range(2))
    assert not set(first) & set(second)


def test_the_next_run_sees_a_changed_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "import os, time, chainrule\nprint(chainrule.core, os.environ.get('TZ'), time.tzname[0])"
    monkeypatch.setenv("CHAINRULE_CORE", "python")
    monkeypatch.setenv("TZ", "UTC")
    assert printed(code, tmp_path) == "python UTC UTC\n"
    monkeypatch.setenv("TZ", "XYZ-3")
    assert printed(code, tmp_path) == "python XYZ-3 XYZ\n"
    monkeypatch.delenv("CHAINRULE_CORE")
    assert printed(code, tmp_path) == f"{'c' if c_core else 'python'} XYZ-3 XYZ\n"


def test_concurrent_runs_do_not_wait_for_each_other(tmp_path: Path) -> None:
    """Each run waits for a file that the other writes, so neither would ever finish if they ran one
    after the other.
    """

    def one(number: int) -> str:
        place = tmp_path / str(number)
        code = "import os, time\nopen('here', 'w')\nwhile not os.path.exists('there'): time.sleep(0.01)"

        def stopped() -> bool:
            if (place / "here").exists():
                (tmp_path / str(1 - number) / "there").touch()
            return False

        kind = ran(code, place, Limits(seconds=10.0), stopped).kind
        stopped()  # a run that found its file at once may have ended before the first call
        return kind

    for number in range(2):
        (tmp_path / str(number)).mkdir()
    with ThreadPoolExecutor() as pool:
        assert list(pool.map(one, range(2))) == ["passed", "passed"]


def test_a_killed_parent_is_replaced(tmp_path: Path) -> None:
    assert printed("print(1)", tmp_path) == "1\n"
    (parent,) = starting._parents
    parent.process.kill()
    parent.process.wait()
    assert printed("print(2)", tmp_path) == "2\n"
    assert starting._parents[0].process.pid != parent.process.pid


# --- system call filter -----------------------------------------------------------------------------

needs_filter = pytest.mark.skipif(
    not seccomp.available(), reason="this kernel cannot filter system calls"
)
needs_landlock = pytest.mark.skipif(
    not isolation.Landlock().available(), reason="this kernel does not have Landlock"
)
BEFORE = """
import ctypes, os, platform, signal, struct
library = ctypes.CDLL(None, use_errno=True)
PARENT = os.getppid()
def call(x86, arm, *arguments):
    number = arm if platform.machine() == "aarch64" else x86
    wide = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return library.syscall(ctypes.c_long(number), *wide)
"""
# System calls made directly, bypassing Python's checks.
CALLS = {
    "a socket": "library.socket(2, 1, 0)",
    "a local socket": "library.socket(1, 1, 0)",
    "a raw socket": "library.socket(17, 3, 0)",
    "a netlink socket": "library.socket(16, 3, 0)",
    "a pair of sockets": "library.socketpair(1, 1, 0, (ctypes.c_int * 2)())",
    "connecting an open file": "library.connect(1, b'x' * 16, 16)",
    "a datagram": "library.sendto(1, b'x', 1, 0, b'x' * 16, 16)",
    "a fork": "library.fork()",
    "a fork by its number": "call(57, 220, 0, 0, 0, 0, 0)",
    "a clone": "call(56, 220, 17, 0, 0, 0, 0)",
    "a clone as a sibling": "call(56, 220, 0x8000 | 17, 0, 0, 0, 0)",
    "a clone in a new namespace": "call(56, 220, 0x10000000 | 17, 0, 0, 0, 0)",
    "clone3": "call(435, 435, struct.pack('=11Q', *[0] * 4, 17, *[0] * 6), 88)",
    "execve": "library.execve(b'/bin/true', None, None)",
    "execveat": "call(322, 281, -100, b'/bin/true', None, None, 0)",
    "a new session": "library.setsid()",
    "a new process group": "library.setpgid(0, 0)",
    "a new namespace": "library.unshare(0x10000000)",
    "a signal to the judge": "library.kill(PARENT, 0)",
    "a signal to every process": "library.kill(-1, 0)",
    "a signal to its process group": "library.kill(0, 0)",
    "a signal to a thread": "call(234, 131, PARENT, PARENT, 0)",
    "a signal to a thread with tkill": "call(200, 130, PARENT, 0)",
    "a queued signal": "call(129, 138, PARENT, 0, b'x' * 128)",
    "a signal through a file": "library.fcntl(1, 8, PARENT)",
    "a pidfd": "call(434, 434, PARENT, 0)",
    "ptrace on the judge": "library.ptrace(16, PARENT, 0, 0)",
    "writing to the memory of the judge": "call(311, 271, PARENT, 0, 0, 0, 0, 0)",
    "reading the memory of the judge": "call(310, 270, PARENT, 0, 0, 0, 0, 0)",
    "setting the limits of the judge": "call(302, 261, PARENT, 9, struct.pack('=QQ', 0, 0), None)",
    "raising its own limits": "call(302, 261, 0, 2, struct.pack('=QQ', 2**40, 2**40), None)",
    "raising its own limits with setrlimit": "call(160, 164, 2, struct.pack('=QQ', 2**40, 2**40))",
    "surviving the judge": "library.prctl(1, 0, 0, 0, 0)",
    "lowering the judge's priority": "library.setpriority(0, PARENT, 19)",
    "a memory file": "library.memfd_create(b'x', 0)",
    "shared memory": "library.shmget(0, 4096, 0o1600)",
    "a message queue": "library.msgget(0, 0o1600)",
    "io_uring": "call(425, 425, 8, b'\\0' * 120)",
    "userfaultfd": "call(323, 282, 0)",
    "bpf": "call(321, 280, 0, b'\\0' * 64, 64)",
    "performance counters": "call(298, 241, b'\\0' * 128, 0, -1, -1, 0)",
    "keyctl": "call(250, 219, 0, -3, 0, 0, 0)",
    "a mount": "library.mount(b'none', b'/tmp', b'tmpfs', 0, None)",
    "chroot": "library.chroot(b'/tmp')",
    "setuid": "library.setuid(1000)",
    "typing into a terminal": "library.ioctl(0, 0x5412, b'x')",
    "the mode of another file": "library.chmod(OUT, 0)",
    "the mode of an open file": "library.fchmod(1, 0)",
    "the owner of another file": "library.chown(OUT, 0, 0)",
    "the times of another file": "library.utimensat(-100, OUT, None, 0)",
    "the attributes of another file": "library.setxattr(OUT, b'user.a', b'b', 1, 0)",
    "a call newer than the filter": "call(452, 452, -100, OUT, 0, 0)",
    "an x32 call": "call(0x40000000 | 41, 452, 2, 1, 0)",
}
FILES = {
    "writing a file": "library.creat(OUT, 0o600)",
    "opening a file to write": "library.open(OUT, 2)",
    "reading a file": "library.open(OUT, 0)",
    "removing a file": "library.unlink(OUT)",
    "renaming a file": "library.rename(OUT, b'here')",
    "linking a file": "library.link(OUT, b'here')",
    "truncating a file": "library.truncate(OUT, 0)",
    "a file in shared memory": "library.open(b'/dev/shm/chainrule', 0o102, 0o600)",
    "the environment of the judge": "library.open(f'/proc/{PARENT}/environ'.encode(), 0)",
    "the memory of the judge as a file": "library.open(f'/proc/{PARENT}/mem'.encode(), 2)",
    "the parent folder": "library.open(b'..', 0)",
    "the password file": "library.open(b'/etc/shadow', 0)",
}


@pytest.mark.parametrize(
    "code",
    [
        *(pytest.param(code, id=what, marks=needs_filter) for what, code in CALLS.items()),
        *(pytest.param(code, id=what, marks=needs_landlock) for what, code in FILES.items()),
    ],
)
def test_the_kernel_denies(code: str, tmp_path: Path) -> None:
    """The call must fail, and the program must continue."""
    outside = tmp_path / "kept.txt"
    outside.write_text("kept")
    before = os.stat(outside)
    code = f"""{BEFORE}
OUT = {os.fsencode(outside)!r}
result = {code}
assert result == -1, result
error = os.strerror(ctypes.get_errno())
assert ctypes.get_errno() in (1, 13, 18, 38), error
"""
    outcome = tried(code + exercise("write_mul").solution, tmp_path)
    assert outcome.passed, outcome
    after = os.stat(outside)
    assert outside.read_text() == "kept"
    for name in ("st_mode", "st_uid", "st_mtime_ns"):
        assert getattr(after, name) == getattr(before, name)


@needs_filter
@pytest.mark.skipif(platform.machine() != "x86_64", reason="this test makes 32-bit calls on x86-64")
def test_32_bit_system_calls_end_the_program(tmp_path: Path) -> None:
    """int 0x80 makes 32-bit system calls, whose numbers have different meanings."""
    code = """
import ctypes, mmap
page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
page.write(bytes.fromhex("b814000000cd80c3"))  # getpid
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
ctypes.CFUNCTYPE(ctypes.c_int)(address)()
"""
    outcome = tried(code + exercise("write_mul").solution, tmp_path)
    assert outcome.kind == "crash"
    # If the kernel does not support 32-bit calls, the instruction itself faults.
    assert outcome.message.startswith(("Python crashed (signal 31)", "Python crashed (signal 11)"))


@pytest.mark.skipif(
    not os.path.exists("/usr/include/asm-generic/unistd.h"),
    reason="the kernel headers are not installed",
)
def test_system_call_numbers_match_the_kernel_headers() -> None:
    known = {"x86_64": "x86_64-linux-gnu/asm/unistd_64.h", "aarch64": "asm-generic/unistd.h"}
    for machine, header in known.items():
        path = Path("/usr/include") / header
        if not path.exists():
            continue
        pattern = re.compile(r"#define __NR(?:3264)?_(\w+)\s+(\d+)")
        numbers = {name: int(number) for name, number in pattern.findall(path.read_text())}
        for table in (seccomp.REFUSED, seccomp.DEPENDS):
            found = seccomp.numbers(table, machine)
            assert found == {name: numbers[name] for name in found}


@pytest.mark.parametrize(
    "code",
    [
        # mmap returns (void *) -1 when it fails.
        "take = lambda: library.mmap(None, 64 << 20, 3, 0x22, -1, 0) not in (None, 2**64 - 1)",
        "keep = []\ntake = lambda: keep.append(ctypes.create_string_buffer(64 << 20)) is None",
        pytest.param(
            "take = lambda: library.mmap(None, 64 << 20, 3, 0x21, -1, 0) not in (None, 2**64 - 1)",
            marks=needs_filter,
        ),
    ],
    ids=["private", "allocated", "shared"],
)
def test_the_memory_limit_holds_for_machine_code_too(code: str, tmp_path: Path) -> None:
    program = f"""
import ctypes
library = ctypes.CDLL(None)
library.mmap.restype = ctypes.c_void_p
library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
{code}
count = 0
try:
    while count < 100 and take(): count += 1
except MemoryError:
    pass
print(count)
"""
    assert int(printed(program, tmp_path)) < 8  # of 64 MB each


@pytest.mark.parametrize(
    "code",
    [
        "for i in range(100): open(str(i), 'wb').write(bytes(10 << 20))\nimport time; time.sleep(9)",
        "while True: open(str(id(object())) + str(__import__('time').time_ns()), 'w')",
    ],
    ids=["large", "many"],
)
def test_the_size_of_the_folder_is_limited(code: str, tmp_path: Path) -> None:
    outcome = tried(code, tmp_path, Limits(seconds=20.0))
    assert outcome.kind == "files", outcome
    assert outcome.message == "it wrote more than 200 MB or 10,000 files: is there a loop?"


def test_the_size_of_a_file_is_limited(tmp_path: Path) -> None:
    outcome = tried("open('a', 'wb').write(bytes(64 << 20))", tmp_path)
    assert (outcome.kind, "File too large" in outcome.message) == ("error", True), outcome


def test_new_files_are_private_to_their_owner(tmp_path: Path) -> None:
    code = """
import os
open("new", "w").close()
os.mkdir("folder")
print([oct(os.stat(place).st_mode & 0o777) for place in (".", __file__, "new", "folder")])
"""
    outcome = tried(code + exercise("write_mul").solution, tmp_path)
    assert outcome.passed, outcome
    assert outcome.printed == "['0o700', '0o600', '0o600', '0o700']\n"


def test_secrets_in_the_environment_are_not_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", "secret")
    monkeypatch.setenv("HOME", "/home/teacher")
    code = "import os\nassert 'SERVICE_TOKEN' not in os.environ\n"
    code += "print(os.path.expanduser('~') == os.getcwd())"
    assert printed(code, tmp_path) == "True\n"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        *(
            (code, f"may not {what}: remove this call, at line 2")
            for code, what in (
                ("import socket\nsocket.socket()", "use the network"),
                ("import os\nos.fork()", "start a process"),
                ("import multiprocessing as m\nm.Process(target=print).start()", "start a process"),
                ("import os\nos.chmod('a', 0)", "change the mode of a file"),
            )
        ),
        ("import os\nos.listdir(os.path.dirname(os.getcwd()))", f"({child.WALLED}), at line 2"),
        ("x = bytearray(10**10)", "it needed more than 192 MB of memory: does a list grow without end?"),
    ],
    ids=["socket", "fork", "multiprocessing", "chmod", "reading", "memory"],
)
def test_reaching_a_limit_is_explained_in_one_line(code: str, message: str, tmp_path: Path) -> None:
    if "listdir" in code and not isolation.Landlock().available():
        pytest.skip("this kernel does not have Landlock")
    said = tried(code, tmp_path).message
    assert "\n" not in said
    assert said.endswith(message), said


def test_a_run_without_its_isolation_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run is never silently unprotected: only systems that lack a mechanism run without it."""

    class Broken:
        keeps_from = ("everything",)

        def available(self) -> bool:
            return True

        def enclose(self, folder: str) -> None:
            raise OSError(1, "not this time")

    monkeypatch.setattr(isolation, "WALLS", (Broken(),))
    with pytest.raises(child.UnprotectedError, match="the program was not started: not this time"):
        child.begin({"folder": "/"})


def test_info_shows_the_protection_in_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli.main(["info"]) == 0
    assert f"exercises  learners' programs are {isolation.protection()}\n" in capsys.readouterr().out
    monkeypatch.setattr(isolation, "WALLS", ())
    assert isolation.protection() == (
        "not isolated from files outside their own folder, the network or other processes on this "
        "system: run only code that you trust"
    )
    monkeypatch.setattr(isolation, "WALLS", (isolation.Landlock(),))
    monkeypatch.setattr(isolation.Landlock, "available", lambda self: True)
    assert isolation.protection() == (
        "isolated by the kernel from files outside their own folder; not isolated from the network or "
        "other processes on this system: run only code that you trust"
    )


# --- termination ------------------------------------------------------------------------------------


def alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def gone(process: int) -> bool:
    """Whether a process ends within ten seconds."""
    for _ in range(200):
        if not alive(process):
            return True
        time.sleep(0.05)
    return False


LOOP = "import os\nprint(os.getpid(), flush=True)\nwhile True: pass"
needs_proc = pytest.mark.skipif(
    not os.path.isdir("/proc/self"), reason="this test looks up processes in /proc"
)


def test_a_stopped_run_leaves_no_process(tmp_path: Path) -> None:
    start = time.monotonic()
    outcome = ran(LOOP, tmp_path, Limits(seconds=60.0), lambda: time.monotonic() - start > 5.0)
    assert outcome.kind == "stopped"
    assert time.monotonic() - start < 13
    assert gone(int(outcome.printed))


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_program_ends_with_the_process_that_started_it(number: int, tmp_path: Path) -> None:
    """For example, after Ctrl-C in a terminal, or when the studio is killed."""
    (tmp_path / "loop.py").write_text(
        LOOP.replace("print(os.getpid(), flush=True)", "open('pid', 'w').write(str(os.getpid()))")
    )
    code = (
        "from pathlib import Path\nfrom chainrule.learn.sandbox.runner import Limits, run\n"
        f"run({{'kind': 'run', 'file': 'loop.py'}}, Path({str(tmp_path)!r}), Limits(seconds=60.0))"
    )
    starter = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            if (tmp_path / "pid").exists() and (tmp_path / "pid").read_text():
                break
            time.sleep(0.05)
        process = int((tmp_path / "pid").read_text())
        assert alive(process)
        starter.send_signal(number)
        assert starter.wait(20) != 0
        assert gone(process)
    finally:
        starter.kill()
        starter.wait()


def test_output_before_a_timeout_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if PYTHONUNBUFFERED is not set."""
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    outcome = ran("print('epoch 1')\nprint('loss', end='')\nwhile True: pass\n", tmp_path, LIMITS)
    assert (outcome.kind, outcome.printed) == ("time", "epoch 1\nloss")


@needs_proc
def test_processes_of_a_program_do_not_outlive_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A double fork into a new session, through ctypes, where no filter forbids it."""
    monkeypatch.setattr(starting, "FORKING", ("-c", WITHOUT_ISOLATION))
    code = """
import ctypes, os, time
library = ctypes.CDLL(None)
if library.fork() == 0:
    library.setsid()
    if library.fork() == 0:
        open("pid", "w").write(str(os.getpid()))
        os.rename("pid", "there")
        time.sleep(600)
    os._exit(0)
while not os.path.exists("there"): time.sleep(0.01)
print(open("there").read())
"""
    patient = Limits(seconds=6.0, megabytes=192)  # two forks may be slow on a busy machine
    for end, kind in (("", "passed"), ("while True: pass", "time")):
        place = tmp_path / kind
        place.mkdir()
        outcome = ran(code + end, place, patient)
        assert outcome.kind == kind, outcome
        assert gone(int(outcome.printed)), outcome
