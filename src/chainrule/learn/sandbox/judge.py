"""The judge process: runs the checker of an exercise, separate from the learner's process.

`forking.py` forks the judge, and `runner.py` sends the judge a job as JSON on standard input. The judge
forks the learner's process, which has no access to the result pipe, and sends the checker's requests to
that process through a `Link`. A job `check` runs a checker on a file; `run` runs the file alone, or
after other blocks of code in the same namespace. An empty line on the result pipe means that the
learner's code starts.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..checking import CheckFailedError, Work
from . import child
from .link import CHECKER, EndedError, Link

EXERCISES = Path(__file__).parents[1] / "_exercises"
RESERVED = 8192  # megabytes of address space that libraries may reserve without using it
OPEN_FILES, LARGEST_FILE = 64, 16 * 2**20  # together a gigabyte, deleted ones included
TO_ANSWER, TO_END = 0.25, 1.0  # seconds to report the current line, and to exit
END_WITH_PARENT, READABLE, ADOPT_ORPHANS = 1, 4, 36  # for prctl

Found = dict[str, Any]  # kind, message, parts


def limit(megabytes: int, seconds: float) -> None:
    """Limit memory, time and files of this process and its child.

    Memory in use counts as data; PyTorch, for one, reserves far more address space than it uses.
    """
    size = megabytes * 2**20
    for what, most in (
        (resource.RLIMIT_DATA, size),
        (resource.RLIMIT_AS, size + RESERVED * 2**20),
        (resource.RLIMIT_CPU, int(seconds) + 10),  # includes startup
        (resource.RLIMIT_FSIZE, LARGEST_FILE),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with contextlib.suppress(ValueError, OSError):  # macOS does not support all of them
            resource.setrlimit(what, (allowed, allowed))


def start(job: dict[str, Any]) -> tuple[Link, int]:
    """Fork the learner's process; returns the link to it and its process id."""
    answers, to_judge = os.pipe()
    questions, to_learner = os.pipe()
    judge = os.getpid()
    process = os.fork()
    if process == 0:
        try:
            os.close(job["result"])
            _prctl(END_WITH_PARENT, signal.SIGKILL)
            _prctl(READABLE, 1)
            if os.getppid() == judge:
                child.live(job, questions, to_judge)
        finally:
            os._exit(1)
    os.close(to_judge)
    os.close(questions)
    return Link(answers, to_learner, judging=True, failure=CheckFailedError), process


def decide(job: dict[str, Any], link: Link) -> Found:
    """Load the file and its checker, and run the checker on it."""
    check: Callable[[Work], None] | None = None
    hidden = [str(EXERCISES)]
    os.write(job["result"], b"\n")
    if job["kind"] == "check":
        path = Path(job["checker"])
        try:
            check = child.load(path, CHECKER).check
        except Exception as error:
            return _found("checker", f"the checker does not run: {child.described(error, path)}")
        hidden += [str(path.with_name(name)) for name in ("solution.py", "wrong", "wrong.toml")]
    found = judged({**job, "hidden": hidden}, link, check)
    outside: Any = ()
    with contextlib.suppress(EndedError, Exception):
        outside = link.there(child.finish)()
    unsaid = [str(path) for path in outside if str(path) not in found["message"]]
    if unsaid and found["kind"] != "gone":
        note = f"tried to write outside its folder: {', '.join(unsaid)}"
        found["message"] = f"{found['message']}\n{note}".strip()
    return found


def judged(job: dict[str, Any], link: Link, check: Callable[[Work], None] | None) -> Found:
    """The outcome: "gone" for a process that exited on its own."""
    try:
        module = link.there(child.begin)(job)
        if check is not None:
            source = Path(job["checker"]).read_text(encoding="utf-8")
            check(Work(module, link.there(child.printed), there=link.there, source=source))
    except CheckFailedError as failed:
        return _found("failed", str(failed), failed.parts)
    except EndedError as ended:
        return _found(ended.kind, ended.message)
    except MemoryError:
        megabytes = f"{job['megabytes']:,} MB"
        return _found(
            "memory", f"it needed more than {megabytes} of memory: does a list grow without end?"
        )
    except Exception as error:
        return _found("error", getattr(error, "told", "") or child.described(error, Path(job["file"])))
    return _found("passed", "")


def end_children(process: int, patience: float = 0.0) -> int:
    """End the learner's process and its descendants; returns its exit code.

    The process has `patience` seconds to exit on its own. Orphaned descendants become children of this
    process: `main` asks the kernel for that.
    """
    end = time.monotonic() + patience
    while not (ended := os.waitpid(process, os.WNOHANG))[0]:
        if time.monotonic() >= end:
            os.kill(process, signal.SIGKILL)
            ended = os.waitpid(process, 0)
            break
        time.sleep(0.01)
    while orphans := _children():
        for each in orphans:
            os.kill(each, signal.SIGKILL)
            os.waitpid(each, 0)
    return os.waitstatus_to_exitcode(ended[1])


def hide() -> None:
    """Hide this process's files and memory in /proc from other processes of the same user."""
    _prctl(READABLE, 0)


def main(result: int, trace: int) -> None:
    """Run the job from standard input in its folder; results go to a pipe, crashes to a file."""
    job = {**json.loads(sys.stdin.buffer.read()), "result": result, "trace": trace}
    os.chdir(job["folder"])
    # Create temporary files in the folder, because other places would be denied.
    os.environ.update(TMPDIR=job["folder"], HOME=job["folder"])
    os.environ["CHAINRULE_KERNELS"] = "off"  # a compiler could not be started
    os.umask(0o077)
    limit(job["megabytes"], job["seconds"])
    _prctl(END_WITH_PARENT, signal.SIGKILL)
    _prctl(ADOPT_ORPHANS, 1)
    hide()
    link, process = start(job)

    def stop(*_: Any) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.kill(process, child.WHERE)
        time.sleep(TO_ANSWER)
        end_children(process)
        os._exit(1)

    signal.signal(signal.SIGTERM, stop)
    found = decide(job, link)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # The link is gone, so the process's exit explains the failure.
    found["code"] = end_children(process, TO_END if found["kind"] == "gone" else 0.0)
    os.write(job["result"], json.dumps(found).encode())
    os._exit(0)


def _found(kind: str, message: str, parts: dict[str, str] | None = None) -> Found:
    """A result, truncated to fit the pipe, which is read only at the end."""
    short = {name: text[: child.LONGEST // 8] for name, text in (parts or {}).items()}
    return {"kind": kind, "message": message[: child.LONGEST], "parts": short}


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, *map(ctypes.c_ulong, (value, 0, 0, 0)))


def _children() -> list[int]:
    """The children of this process, if the system lists them."""
    try:
        return [
            int(each) for each in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        ]
    except OSError:
        return []
