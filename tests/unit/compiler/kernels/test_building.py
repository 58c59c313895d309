"""Building kernels in the background: every way in which a compiler can fail, threads, forks, exits."""

import ctypes
import os
import re
import resource
import shlex
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from chainrule.compiler.backends.kernels import building, compiling
from chainrule.compiler.backends.kernels.building import Build, Builder, build

Fake = Callable[[str], Path]

SOURCE = """
#include "kernel.h"
KERNEL void run(double *x, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i += LANES) v_store(x + i, v_op_mul(v_load(x + i), v_splat(2.0)));
}
"""
REAL = 'exec cc "$@"'
PYTHON = shlex.quote(sys.executable)  # in shell scripts, which may have no other programs


def works(made: Build) -> bool:
    """Whether the kernel of SOURCE doubles numbers."""
    address = made.address("run")
    if address is None:
        return False
    numbers = (ctypes.c_double * 16)(*range(16))
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_ssize_t)(address)(ctypes.addressof(numbers), 16)
    return list(numbers) == [2.0 * i for i in range(16)]


def in_new_process(code: str, **environment: str) -> subprocess.Popen[str]:
    head = "import os, sys, time\nfrom tests.unit.compiler.kernels.test_building import *\n"
    return subprocess.Popen(
        [sys.executable, "-c", head + textwrap.dedent(code)],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process: subprocess.Popen[str], within: float = 60.0) -> str:
    out, err = process.communicate(timeout=within)
    assert (process.returncode, err) == (0, "")
    return out


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def test_a_kernel_is_built_once_and_kept(kept: Path) -> None:
    made = build(SOURCE)
    assert made.wait()
    assert works(made)
    assert (made.error, made.cached) == (None, False)
    assert build(SOURCE) is made
    (entry,) = kept.iterdir()
    assert re.fullmatch(r"[0-9a-f]{64}-[0-9a-f]{64}\.so", entry.name)


def test_an_earlier_process_s_kernel_is_ready_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert build(SOURCE).wait()
    monkeypatch.setattr(building, "_builder", Builder())
    monkeypatch.setattr(compiling.Running, "compile", None)
    made = build(SOURCE)
    assert works(made)
    assert made.cached


def test_building_does_not_keep_the_caller_waiting(fake: Fake, tmp_path: Path) -> None:
    fake(f'while ! [ -e "{tmp_path}/go" ]; do sleep 0.02; done; {REAL}')
    started = time.monotonic()
    made = build(SOURCE)
    assert not made.ready
    assert made.address("run") is None
    assert not made.wait(0.01)
    assert time.monotonic() - started < 5.0
    (tmp_path / "go").touch()
    assert made.wait(60.0)
    assert works(made)


def test_a_function_that_the_kernel_does_not_have() -> None:
    made = build(SOURCE)
    assert made.wait()
    assert made.address("walk") is None
    assert made.error == "the kernel has no function walk"


def test_switched_off(monkeypatch: pytest.MonkeyPatch, fake: Fake) -> None:
    runs = fake(REAL)
    monkeypatch.setenv("CHAINRULE_KERNELS", "off")
    made = build(SOURCE)
    assert not made.wait()
    assert made.error == building.unavailable() == "switched off by CHAINRULE_KERNELS=off"
    assert not runs.exists()


def test_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINRULE_KERNELS", "wait")
    assert works(build(SOURCE))
    assert building.unavailable() is None


def test_an_unknown_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINRULE_KERNELS", "yes")
    assert build(SOURCE).error == "CHAINRULE_KERNELS must be on, off or wait, got 'yes'"


def test_an_unknown_instruction_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINRULE_SIMD", "mmx")
    assert "CHAINRULE_SIMD must be one of avx512, avx2, base" in str(build(SOURCE).error)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("exit 3", "fake-cc failed: exit status 3"),
        ("kill -9 $$", "fake-cc failed: killed by signal 9"),
        ("echo 'cc1: fatal error: out of memory' >&2; exit 1", "cc1: fatal error: out of memory"),
        (f"{PYTHON} -c 'import os; os.write(2, os.urandom(300000))'; exit 1", "fake-cc failed: "),
        (f"{PYTHON} -c 'while True: print(\"nonsense\")' >&2", "fake-cc failed: nonsense"),
        ("true", "fake-cc wrote no library"),
        ("echo nonsense > kernel.so", "the kernel cannot be loaded: "),
        (": > kernel.so", "the kernel cannot be loaded: "),
        ("mkdir kernel.so", "fake-cc wrote no library"),
        (
            f'cc "$@"; {PYTHON} -c "import os; os.truncate(\'kernel.so\', 2000)"',
            "wrote only a part of the library",
        ),
        ("rm -rf ../build-*; exit 1", "fake-cc failed: exit status 1"),
        ("echo 'No space left on device' >&2; exit 1", "fake-cc failed: No space left on device"),
    ],
)
def test_a_broken_compiler(body: str, error: str, fake: Fake, kept: Path) -> None:
    fake(body)
    made = build(SOURCE)
    assert not made.wait(60.0)
    assert error in str(made.error)
    assert len(str(made.error)) <= compiling.LONGEST_ERROR
    assert str(made.error).isprintable()
    assert made.address("run") is None
    assert list(kept.iterdir()) == []


def test_an_error_in_the_text() -> None:
    made = build("nonsense")
    assert not made.wait()
    assert re.match(r"cc failed: kernel\.c:1:1: error: ", str(made.error))


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("no-such-compiler", "CC names 'no-such-compiler', which was not found"),
        ("'", 'CC is not a command: "\'"'),
    ],
)
def test_a_missing_compiler(command: str, error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", command)
    assert build(SOURCE).error == building.unavailable() == error


def test_no_compiler_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(building.cc, "_zig", lambda: None)
    error = "no C compiler was found: install gcc or clang, or pip install 'chainrule[jit]'"
    assert build(SOURCE).error == error


def test_a_compiler_that_is_not_executable(monkeypatch: pytest.MonkeyPatch, fake: Fake) -> None:
    fake(REAL)
    script = Path(os.environ["CC"])
    assert not isinstance(building.compiler(), str)
    script.write_text("\x7fELF nonsense")
    made = build(SOURCE)
    assert not made.wait(60.0)
    assert "Exec format error" in str(made.error)


def test_a_compiler_with_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "cc -DEXTRA=1")
    made = build(SOURCE + "\n#if !EXTRA\n#error\n#endif\n")
    assert made.wait()


def test_a_compiler_that_hangs_is_killed(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "TIME_LIMIT", 0.5)
    fake(f'echo $$ > "{tmp_path}/parent"; sleep 1000 & echo $! > "{tmp_path}/child"; wait')
    made = build(SOURCE)
    assert not made.wait(30.0)
    assert made.error == "fake-cc took longer than 0.5 s"
    for name in ("parent", "child"):
        process, until = int((tmp_path / name).read_text()), time.monotonic() + 10.0
        while is_alive(process) and time.monotonic() < until:
            time.sleep(0.01)
        assert not is_alive(process)


def test_a_compiler_that_keeps_failing_is_not_run_again(fake: Fake) -> None:
    runs = fake("exit 1")
    for i in range(5):
        assert not build(f"{SOURCE} // {i}").wait(60.0)
    assert build(SOURCE).error == "the compiler failed 3 times in a row"
    assert runs.read_text().count("run") == building.MOST_FAILURES


def test_a_failure_is_not_remembered(fake: Fake, tmp_path: Path) -> None:
    fake(f'[ -e "{tmp_path}/repaired" ] || exit 1; {REAL}')
    assert not build(SOURCE).wait(60.0)
    (tmp_path / "repaired").touch()
    assert build(SOURCE).wait(60.0)


def test_too_many_kernels(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    fake("exec sleep 1000")
    monkeypatch.setattr(building, "MOST_WAITING", 3)
    errors = [build(f"{SOURCE} // {i}").error for i in range(6)]
    assert errors[-1] == "3 kernels are waiting already"
    assert errors[:3] == [None] * 3


def test_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert build(SOURCE).error == "RuntimeError: can't start new thread"


def test_files_cannot_grow() -> None:
    """As on a full disk, every program that writes more than 1,000 bytes fails."""
    code = """
        made = build(SOURCE)
        print(made.wait(60.0), made.error)
    """
    limit = (1000, 1000)
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from tests.unit.compiler.kernels.test_building import *" + textwrap.dedent(code),
        ],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # it would be cut off, and others read it
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert finished(process).startswith("False cc failed: ")


def test_a_disk_that_is_full_at_the_last_moment(
    kept: Path, monkeypatch: pytest.MonkeyPatch, builder: Builder
) -> None:
    def refuse(path: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    made = build(SOURCE)
    assert made.wait()
    assert works(made)
    builder.close()
    assert list(kept.iterdir()) == []


def test_a_disk_that_is_full_from_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: object) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(building.Folder, "working_folder", refuse)
    made = build(SOURCE)
    assert not made.wait(60.0)
    assert made.error == "OSError: [Errno 28] No space left on device"


def test_threads_that_want_the_same_kernel(fake: Fake) -> None:
    runs = fake(REAL)
    found: list[Build] = []
    threads = [threading.Thread(target=lambda: found.append(build(SOURCE))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0].wait(60.0)
    assert {id(made) for made in found} == {id(found[0])}
    assert runs.read_text() == "run\n"


def test_two_processes_that_build_the_same_kernel(fake: Fake, tmp_path: Path, kept: Path) -> None:
    fake(f'while ! [ -e "{tmp_path}/go" ]; do sleep 0.02; done; {REAL}')
    code = "made = build(SOURCE); print(made.wait(60.0) and works(made))"
    processes = [in_new_process(code) for _ in range(2)]
    until = time.monotonic() + 30.0
    while len(list(kept.glob("build-*"))) < 2 and time.monotonic() < until:
        time.sleep(0.02)
    (tmp_path / "go").touch()
    assert [finished(process) for process in processes] == ["True\n", "True\n"]
    assert len(list(kept.glob("*.so"))) == 1
    assert list(kept.glob("build-*")) == []


def test_a_fork_while_the_compiler_runs(fake: Fake, tmp_path: Path) -> None:
    """The child has neither the thread nor the compiler of its parent, and starts its own."""
    fake(f'while ! [ -e "{tmp_path}/go" ]; do sleep 0.02; done; {REAL}')
    code = f"""
        made = build(SOURCE)
        while building._builder.running.process is None: time.sleep(0.01)
        child = os.fork()
        if child == 0:
            assert not made.ready
            open({str(tmp_path / "go")!r}, "w").close()
            os._exit(0 if made.wait(60.0) and works(made) else 1)
        print(os.waitpid(child, 0)[1], made.wait(60.0) and works(made))
    """
    assert finished(in_new_process(code)) == "0 True\n"


def test_a_fork_after_a_kernel_was_built() -> None:
    code = """
        made = build(SOURCE)
        assert made.wait()
        child = os.fork()
        if child == 0:
            other = build(SOURCE + "// other")
            same = works(made) and build(SOURCE) is made
            os._exit(0 if same and other.wait(60.0) and works(other) else 1)
        print(os.waitpid(child, 0)[1])
    """
    assert finished(in_new_process(code)) == "0\n"


def test_a_fork_while_a_lock_is_held() -> None:
    code = """
        with building._builder.lock, building._builder.running.lock:
            child = os.fork()
            if child == 0:
                os._exit(0 if works_soon() else 1)
        print(os.waitpid(child, 0)[1])
    """
    assert (
        finished(
            in_new_process(
                "def works_soon():\n    made = build(SOURCE)\n    return made.wait(60.0)\n"
                + textwrap.dedent(code)
            )
        )
        == "0\n"
    )


def test_the_interpreter_ends_while_the_compiler_runs(fake: Fake, tmp_path: Path, kept: Path) -> None:
    fake(f'echo $$ > "{tmp_path}/parent"; sleep 1000 & echo $! > "{tmp_path}/child"; wait')
    code = f"""
        build(SOURCE)
        while not os.path.exists({str(tmp_path / "child")!r}): time.sleep(0.01)
    """
    started = time.monotonic()
    assert finished(in_new_process(code)) == ""
    assert time.monotonic() - started < 30.0
    time.sleep(0.1)
    assert not is_alive(int((tmp_path / "parent").read_text()))
    assert not is_alive(int((tmp_path / "child").read_text()))
    assert list(kept.iterdir()) == []


def test_nothing_is_built_at_the_end(builder: Builder) -> None:
    builder.close()
    made = build(SOURCE)
    assert not made.wait(0.1)
    assert made.error == "the interpreter is shutting down"
