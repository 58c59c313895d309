"""Writes files atomically: under a temporary name, then moved into place, so none is ever half written.

A save that is killed leaves its temporary file behind; the next save to the same path removes it.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from pathlib import Path

TRIES = 100  # attempts at a save while other saves keep removing its temporary file


def place(path: str | Path) -> Path:
    """The path a file will be written to, with links resolved; raises OSError if it cannot be a file."""
    path = Path(path)
    real = path.resolve()
    if not real.parent.is_dir():
        raise FileNotFoundError(f"the directory of {path} does not exist")
    if real.exists() and not real.is_file():
        kind = "a directory" if real.is_dir() else "not an ordinary file"
        raise OSError(f"{path} is {kind}")
    return real


def write_atomically(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a file atomically, with permissions `mode`, which are set before any content is written.

    By default, a new file gets the permissions that open() gives; a replaced file keeps its own.
    """
    remove_leftovers(path)
    for _ in range(TRIES):
        if _written(path, content, mode):
            return
    raise OSError(f"cannot write {path}: its temporary file was removed {TRIES} times")


def _written(path: Path, content: bytes, mode: int | None) -> bool:
    """Return False if another save removed the temporary file as a leftover, before or after locking."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        with temporary.open("xb") as file:
            _lock(file.fileno(), wait=True)
            if not os.fstat(file.fileno()).st_nlink:
                return False
            if mode is not None or path.exists():
                temporary.chmod(stat.S_IMODE(path.stat().st_mode) if mode is None else mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        try:
            temporary.replace(path)
        except FileNotFoundError:
            return False
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return True


def remove_leftovers(path: Path) -> None:
    """Remove temporary files that killed saves to this path left behind.

    A save locks its file, and the lock ends with its process. So a file that can be locked has no
    writer.
    """
    pattern = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{16}}\.part")
    found: list[str] = []
    with contextlib.suppress(OSError):  # the folder may be writable but not listable
        found = os.listdir(str(path.parent))  # given a Path, it can hide a MemoryError
    for name in filter(pattern.fullmatch, found):
        part = path.with_name(name)
        with contextlib.suppress(OSError):  # already gone, or not ours to remove
            opened = os.open(str(part), os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
            try:
                if _lock(opened, wait=False):
                    part.unlink()
            finally:
                os.close(opened)


def _lock(opened: int, wait: bool) -> bool:
    """Whether this process locked the file; False where locking is not supported."""
    try:
        import fcntl

        fcntl.flock(opened, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except (ImportError, OSError):
        return False
    return True
