"""Builds kernels in the background, while the interpreter already answers.

    made = building.build(source)   # returns at once, and never raises
    made.address("run")             # None until the compiler has finished

One thread of the process compiles one kernel after the other. CHAINRULE_KERNELS=off builds none; with
`wait`, `build` returns when the kernel is there. Without a kernel, `error` says why.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import hashlib
import os
import shutil
import threading
import time
from collections import deque
from functools import cache
from pathlib import Path
from typing import Any

from ....value import c_core
from . import cc, headers
from .cache import LIMIT, Folder, open_folder
from .compiling import CannotBuildError, Running, one_line

MOST_WAITING = 256  # kernels
MOST_FAILURES = 3  # in a row, after which the compiler is not run again
MODES = ("on", "off", "wait")


class Build:
    """A kernel that is ready, is being built, or cannot be built."""

    def __init__(self, source: str = "", key: str = "", error: str | None = None) -> None:
        self.source = source
        self.key = key
        self.error = error  # why there is no kernel, in one line
        self.cached = False  # whether an earlier process compiled it
        self.seconds = 0.0  # from the request until it was ready
        self.library: Any = None
        self.asked: float = time.monotonic()
        self.done: threading.Event = threading.Event()
        if error is not None:
            self.done.set()

    @property
    def ready(self) -> bool:
        """Whether the kernel can be called. Does not wait."""
        if self.library is None and self.error is None:
            _builder.revive()
        return self.library is not None

    def address(self, name: str) -> int | None:
        """The address of a function of the kernel; None if it is not ready or has no such function."""
        if not self.ready:
            return None
        try:
            return ctypes.cast(getattr(self.library, name), ctypes.c_void_p).value
        except AttributeError:
            self.error = f"the kernel has no function {name}"
            return None

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the kernel is ready or has failed; returns whether it is ready."""
        if not self.done.is_set():
            _builder.revive()
            self.done.wait(timeout)
        return self.library is not None

    def settle(self, library: Any = None, error: str | None = None, cached: bool = False) -> None:
        self.error, self.cached, self.source = error, cached, ""
        self.seconds = time.monotonic() - self.asked
        self.library = library
        self.done.set()


def build(source: str) -> Build:
    """Build a kernel, unless this process has it or an earlier one left it in the cache."""
    try:
        made = _builder.build(source)
        if mode() == "wait":
            made.wait()
        return made
    except Exception as error:
        return Build(error=one_line(error))


def busy() -> bool:
    """Whether kernels are being built."""
    return any(not made.done.is_set() for made in [*_builder.builds.values()])


def mode() -> str:
    """CHAINRULE_KERNELS."""
    wanted = os.environ.get("CHAINRULE_KERNELS") or "on"
    if wanted not in MODES:
        raise CannotBuildError(f"CHAINRULE_KERNELS must be on, off or wait, got {wanted!r}")
    return wanted


def compiler() -> cc.Compiler:
    """The C compiler; raises CannotBuildError if there is none or kernels are switched off."""
    if mode() == "off":
        raise CannotBuildError("switched off by CHAINRULE_KERNELS=off")
    if c_core is None:
        raise CannotBuildError("needs the compiled core, which was not built")
    if not headers.include_dirs():
        raise CannotBuildError("the C headers are missing: reinstall chainrule")
    found = _find(os.environ.get("CC"), os.environ.get("PATH"))
    if isinstance(found, str):
        raise CannotBuildError(found)
    return found


@cache
def _find(CC: str | None, PATH: str | None) -> cc.Compiler | str:
    return cc.find()


def unavailable() -> str | None:
    """Why no kernel can be built, in one line; None if nothing is known to prevent it."""
    try:
        compiler()
        folder()
    except Exception as error:
        return one_line(error)
    return None


def folder() -> Folder:
    """The folder of compiled kernels; raises CannotBuildError if there is none."""
    found = _open(*map(os.environ.get, ("CHAINRULE_CACHE", "XDG_CACHE_HOME", "HOME", "LOCALAPPDATA")))
    if isinstance(found, str):
        raise CannotBuildError(found)
    return found


@cache
def _open(*_: str | None) -> Folder | str:
    return open_folder()


def key_of(source: str, compiler: cc.Compiler) -> str:
    """The hash of all that a kernel depends on: text, headers, compiler, options, machine."""
    flags = compiler.flags(cc.instruction_set())
    parts = (source, headers.digest(), *compiler.identity(), *flags, *cc.PLATFORM)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


class Builder:
    """The builds of this process, and the thread that works on them."""

    def __init__(self) -> None:
        self.builds: dict[str, Build] = {}
        self.start_afresh()

    def start_afresh(self) -> None:
        """Also in a forked child: it has no thread, and threads that do not exist may hold locks."""
        waiting = [made for made in self.builds.values() if made.library is None and made.error is None]
        for made in waiting:
            made.done = threading.Event()
        self.waiting: deque[Build] = deque(waiting)
        self.lock: Any = threading.Lock()
        self.more: threading.Condition = threading.Condition(self.lock)
        self.thread: threading.Thread | None = None
        self.running: Running = Running()
        self.failures = 0

    def build(self, source: str) -> Build:
        key, place = key_of(source, compiler()), folder()
        with self.lock:
            made = self.builds.get(key)
            if made is not None and made.error is None:
                return made
            made = Build(source, key)
            if not take(made, place):
                self.queue(made)
            self.builds[key] = made
        self.revive()
        return made

    def queue(self, made: Build) -> None:
        if self.running.closed:
            raise CannotBuildError("the interpreter is shutting down")
        if self.failures >= MOST_FAILURES:
            raise CannotBuildError(f"the compiler failed {self.failures} times in a row")
        if len(self.waiting) >= MOST_WAITING:
            raise CannotBuildError(f"{MOST_WAITING} kernels are waiting already")
        self.waiting.append(made)
        self.more.notify()

    def revive(self) -> None:
        """Start the thread if there is work for it and it does not exist."""
        if self.thread is not None or not self.waiting:
            return
        with self.lock:
            if self.thread is not None or self.running.closed:
                return
            thread = threading.Thread(target=self.work, name="chainrule-kernels", daemon=True)
            try:
                thread.start()
                self.thread = thread
            except RuntimeError as error:  # no more threads
                while self.waiting:
                    self.waiting.popleft().settle(error=one_line(error))

    def work(self) -> None:
        while True:
            with self.lock:
                while not self.waiting and not self.running.closed:
                    self.more.wait()
                if self.running.closed:
                    return
                made = self.waiting.popleft()
            try:
                self.make(made)
                self.failures = 0
            except BaseException as error:
                self.failures += 1
                made.settle(error=one_line(error))

    def make(self, made: Build) -> None:
        """Compile a kernel, load it, and keep it for later processes."""
        place = folder()
        if take(made, place):  # another process was faster
            return
        work = place.working_folder()
        try:
            file = self.running.compile(made.source, compiler(), place, work)
            library = load(file)
            with contextlib.suppress(OSError):  # a full disk: only later processes have to compile again
                place.store(made.key, file)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        made.settle(library)

    def close(self) -> None:
        """At the end of the interpreter: kill the compiler, and let the thread remove its files."""
        self.running.close()
        with self.lock:
            self.more.notify_all()
        if self.thread is not None:
            self.thread.join(timeout=5.0)


def load(file: Path) -> Any:
    try:
        return ctypes.CDLL(str(file))
    except OSError as error:
        raise CannotBuildError(f"the kernel cannot be loaded: {error}") from None


def take(made: Build, place: Folder) -> bool:
    """Whether the cache has the kernel, and it can be loaded."""
    file = place.find(made.key)
    if file is None:
        return False
    try:
        made.settle(load(file), cached=True)
    except CannotBuildError:  # made on a machine with another C library, in a shared home directory
        place.remove(file)
        return False
    return True


def description() -> tuple[str, str]:
    """The compiler and the cache, for people."""
    try:
        found, place = compiler(), folder()
    except CannotBuildError as error:
        return f"not compiled: {one_line(error)}", "none"
    libraries = place.libraries()
    size = sum(size for _, size, _ in libraries) / 2**20
    kept = f"{len(libraries)} kernels in {place.path}, {size:.1f} of {LIMIT / 2**20:.0f} MB"
    why = f"; temporary, because {place.reason}" if place.reason else ""
    return f"{found.version()}, for {cc.instruction_set()}", kept + why


_builder = Builder()
atexit.register(lambda: _builder.close())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _builder.start_afresh())
