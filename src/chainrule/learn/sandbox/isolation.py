"""Isolation of a learner's process by the operating system, not by Python.

`WALLS` lists this system's mechanisms, each with what it denies. Linux has two: Landlock for files and a
filter for system calls. Another system adds classes with the same three members. Without any, only the
limits on time and memory apply, and the guard in `child.py`, which stops mistakes but not machine code;
`protection` describes what applies here.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import sys
from typing import Protocol

from . import seccomp


class Wall(Protocol):
    """An isolation mechanism of the operating system, and what it denies."""

    keeps_from: tuple[str, ...]

    def available(self) -> bool: ...

    def enclose(self, folder: str) -> None:
        """Activate the mechanism for this process, irrevocably; OSError if that fails."""


CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on every architecture
VERSION, PATH_BENEATH = 1, 1
WRITE_FILE, READ_FILE, READ_FOLDER, REFER, TRUNCATE = 1 << 1, 1 << 2, 1 << 3, 1 << 13, 1 << 14
ENTRIES = 0b1_1111_1111_0000  # removing and making files, folders, links, pipes, devices
ALL_CONNECTIONS = ALL_SCOPES = 0b11  # TCP; signals and sockets that leave the process
# Paths that Python reads outside its own folders.
SYSTEM = (
    *("/usr", "/lib", "/lib64", "/bin", "/nix/store", "/proc/self", "/sys"),
    *("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys", "/proc/filesystems"),
    *("/etc/ld.so.cache", "/etc/localtime", "/etc/passwd", "/etc/nsswitch.conf", "/etc/mime.types"),
    *("/dev/zero", "/dev/random", "/dev/urandom"),
)


class Landlock:
    """Files: write access in one folder only, read access there and in Python's and system folders."""

    keeps_from: tuple[str, ...] = ("files outside their own folder",)

    def available(self) -> bool:
        return sys.platform == "linux" and self._version() >= 1

    def enclose(self, folder: str) -> None:
        version = self._version()
        writing = WRITE_FILE | (TRUNCATE if version >= 3 else 0)
        reading = READ_FILE | READ_FOLDER
        everything = reading | writing | ENTRIES | (REFER if version >= 2 else 0)
        handled = struct.pack("=QQQ", everything, ALL_CONNECTIONS, ALL_SCOPES)
        rules = _call(CREATE_RULESET, handled, 8 if version < 4 else 16 if version < 6 else 24, 0)
        try:
            self._allow(rules, folder, everything)
            self._allow(rules, os.devnull, READ_FILE | writing)
            for place in {*SYSTEM, *sys.path, sys.prefix, sys.base_prefix}:
                with contextlib.suppress(FileNotFoundError, NotADirectoryError, PermissionError):
                    self._allow(rules, place, reading if os.path.isdir(place) else READ_FILE)
            seccomp.prctl(seccomp.NO_NEW_PRIVILEGES, 1, None, "new privileges cannot be given up")
            _call(RESTRICT_SELF, rules, 0)
        finally:
            os.close(rules)

    def _version(self) -> int:
        try:
            return _call(CREATE_RULESET, None, 0, VERSION)
        except OSError:
            return 0

    def _allow(self, rules: int, place: str, rights: int) -> None:
        opened = os.open(place, os.O_PATH | os.O_CLOEXEC)
        try:
            _call(ADD_RULE, rules, PATH_BENEATH, struct.pack("=Qi", rights, opened), 0)
        finally:
            os.close(opened)


class Calls:
    """The filter of `seccomp.py`."""

    keeps_from: tuple[str, ...] = ("the network", "other processes")

    def available(self) -> bool:
        return seccomp.available()

    def enclose(self, folder: str) -> None:
        seccomp.enclose()


WALLS: tuple[Wall, ...] = (Landlock(), Calls()) if sys.platform == "linux" else ()


def enclose(folder: str) -> None:
    """Activate every supported mechanism; OSError if one fails."""
    for each in WALLS:
        if each.available():
            each.enclose(folder)


def active_walls() -> list[str]:
    """What is denied to learners' programs on this system."""
    return [what for each in WALLS if each.available() for what in each.keeps_from]


def missing_walls() -> list[str]:
    """What is not denied to learners' programs on this system."""
    denied = active_walls()
    return [what for each in (Landlock, Calls) for what in each.keeps_from if what not in denied]


def protection() -> str:
    """One line: what is denied to learners' programs on this system, and what is not."""
    denied, missing = active_walls(), missing_walls()
    parts = [f"isolated by the kernel from {_joined(denied, 'and')}"] if denied else []
    if missing:
        parts.append(
            f"not isolated from {_joined(missing, 'or')} on this system: run only code that you trust"
        )
    return "; ".join(parts)


def _joined(words: list[str], conjunction: str) -> str:
    return f" {conjunction} ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _call(number: int, *arguments: int | bytes | None) -> int:
    library = ctypes.CDLL(None, use_errno=True)
    wide = [ctypes.c_long(a) if isinstance(a, int) else ctypes.c_char_p(a) for a in arguments]
    result = int(library.syscall(ctypes.c_long(number), *wide))
    if result < 0:
        raise OSError(ctypes.get_errno(), f"system call {number} failed")
    return result
