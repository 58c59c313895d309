"""The process in which learner code runs: sets its limits, does one job, writes one result.

A job comes as JSON on standard input. `check` runs the checker of an exercise on a file, `run` a
file alone, or after other blocks of code that share its names. What the code prints goes to standard
output; the result goes to a pipe of its own.
"""

from __future__ import annotations

import faulthandler
import importlib.util
import io
import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any

# Events of sys.addaudithook that no exercise needs.
FORBIDDEN = {
    "os.system": "start a program",
    "subprocess.Popen": "start a program",
    "os.exec": "start a program",
    "os.posix_spawn": "start a program",
    "os.fork": "start a process",
    "socket.connect": "use the network",
    "socket.bind": "use the network",
}
CHANGES = (
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.chmod",
    "os.link",
    "os.symlink",
    "os.truncate",
)


class RefusedError(PermissionError):
    """Something that an exercise has no need for."""


class EarlierBlockError(Exception):
    """What a block of a lesson needs did not run."""


def limit(megabytes: int, seconds: float) -> None:
    """Memory, time and file sizes, where the system can limit them."""
    try:
        import resource
    except ImportError:  # not there on Windows
        return
    size = megabytes * 2**20
    for what, most in (
        (resource.RLIMIT_AS, size),
        (resource.RLIMIT_CPU, int(seconds) + 2),
        (resource.RLIMIT_FSIZE, 50 * 2**20),
        (resource.RLIMIT_CORE, 0),
    ):
        try:
            resource.setrlimit(what, (most, most))
        except (ValueError, OSError):
            continue


def guard(folder: Path) -> None:
    """Refuse what writes outside the folder, starts programs or uses the network."""
    inside = os.path.realpath(folder)

    def allowed(path: Any) -> bool:
        if isinstance(path, int):
            return True
        place = os.path.realpath(os.fsdecode(path))
        return place == os.devnull or place == inside or place.startswith(inside + os.sep)

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event in FORBIDDEN:
            raise RefusedError(f"code in an exercise may not {FORBIDDEN[event]}")
        if event == "open":
            path, mode, flags = args
            writes = any(letter in (mode or "") for letter in "wax+")
            writes = writes or bool(mode is None and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
            if writes and not allowed(path):
                raise RefusedError(f"code in an exercise may write in its own folder only, not {path}")
        elif event in CHANGES and not allowed(args[0]):
            raise RefusedError(f"code in an exercise may change its own folder only, not {args[0]}")

    sys.addaudithook(hook)


def load(path: Path, name: str, before: Sequence[tuple[str, bool]] = ()) -> ModuleType:
    """A file as a module; blocks that come before it have run in its namespace."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    for number, (text, raises) in enumerate(before, 1):
        prepare(module, number, text, raises)
    spec.loader.exec_module(module)
    return module


def prepare(module: ModuleType, number: int, text: str, raises: bool) -> None:
    """Run an earlier block, without what it prints; one that is meant to raise may."""
    try:
        with redirect_stdout(io.StringIO()):
            exec(compile(text, f"block {number}", "exec"), module.__dict__)
    except Exception as error:
        if not raises:
            what = f"{type(error).__name__}: {error}".removesuffix(": ")
            raise EarlierBlockError(f"block {number} of this lesson raises {what}") from None


def described(error: BaseException, file: Path) -> str:
    """An exception with the line of the learner's file it came from."""
    text = "".join(traceback.format_exception_only(error)).strip()
    if isinstance(error, EarlierBlockError):
        return str(error)
    if isinstance(error, SyntaxError):
        return text
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(file)]
    if isinstance(error, RecursionError):
        text = "RecursionError: a function calls itself without end"
    return f"{text}, at line {lines[-1]}" if lines else text


class Echo(io.StringIO):
    """Keeps what is printed, up to a limit, and prints it."""

    def __init__(self, to: Any, most: int) -> None:
        super().__init__()
        self.to, self.most = to, most

    def write(self, text: str) -> int:
        if self.tell() < self.most:
            super().write(text[: self.most - self.tell()])
        return int(self.to.write(text))

    def flush(self) -> None:
        self.to.flush()


def work(job: dict[str, Any], file: Path) -> tuple[str, str, dict[str, str]]:
    """Do the job; returns how it ended, what to say of it, and the parts of a failed check."""
    from chainrule.learn.checking import CheckFailedError, Work

    checker: Callable[[Work], None] | None = None
    if job["kind"] == "check":
        checker = load(Path(job["checker"]), "checker").check
    guard(Path(job["folder"]))
    echo = Echo(sys.stdout, job["characters"])
    try:
        with redirect_stdout(echo):
            module = load(file, "work", job.get("before", ()))
            if checker is not None:
                checker(Work(module, echo.getvalue))
    except CheckFailedError as failed:
        return "failed", str(failed), failed.parts
    except MemoryError:
        return "memory", f"it needed more than {job['megabytes']:,} MB of memory", {}
    except SystemExit:
        return "exit", "it called exit() before the check was done", {}
    except KeyboardInterrupt:
        return "stopped", "it was stopped", {}
    except BaseException as error:
        return "error", described(error, file), {}
    return "passed", "", {}


def main() -> None:
    job = json.loads(sys.stdin.buffer.read())
    result, file = job["result"], Path(job["file"])
    faulthandler.enable(job["trace"])
    faulthandler.dump_traceback_later(job["seconds"], exit=False, file=job["trace"])
    limit(job["megabytes"], job["seconds"])
    kind, message, parts = work(job, file)
    sys.stdout.flush()
    with open(result, "w", encoding="utf-8") as pipe:
        json.dump({"kind": kind, "message": message, "parts": parts}, pipe)
    os._exit(0)  # whatever threads or exit functions there are


if __name__ == "__main__":
    main()
