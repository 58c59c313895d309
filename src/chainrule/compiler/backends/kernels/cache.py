"""The folder of compiled kernels: shared libraries by key, which several processes may use at once.

A library's name is KEY-HASH.so: the key says what it was compiled from, the hash what it must contain.
It is written elsewhere and moved into place, so a name never refers to half a library, and a damaged one
is noticed. These files are run, so the folder is refused if anybody else could write to it.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

LIMIT = 256 * 2**20  # bytes
MOST_ENTRIES = 2000  # all names are read to find one
TOUCHED_AFTER = 3600.0  # seconds between changes of an entry's time of use
ABANDONED_AFTER = 600.0  # seconds after which a working folder belongs to a process that was killed
LIBRARY = re.compile(r"[0-9a-f]{64}-[0-9a-f]{64}\.so")
WORK = "build-"  # begins the names of working folders
ZIG = "zig"  # where the compiler of the `ziglang` wheel keeps what it needs


@dataclass
class Folder:
    """A folder that only this user can write to."""

    path: Path
    reason: str = ""  # why it is not the usual one; empty if it is

    def find(self, key: str) -> Path | None:
        """The library with this key, if it is there and undamaged. A damaged one is removed."""
        with contextlib.suppress(OSError):
            for name in os.listdir(self.path):
                if name.startswith(key) and LIBRARY.fullmatch(name) and self._is_good(self.path / name):
                    return self.path / name
        return None

    def _is_good(self, file: Path) -> bool:
        opened = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        with open(opened, "rb") as library:
            found = hashlib.file_digest(library, "sha256").hexdigest()
            used = os.fstat(library.fileno()).st_mtime
        if found != file.stem.partition("-")[2]:
            self.remove(file)
            return False
        if abs(time.time() - used) > TOUCHED_AFTER:
            with contextlib.suppress(OSError):  # read-only, or removed by another process
                os.utime(file)
        return True

    def remove(self, file: Path) -> None:
        """Remove an entry; another process may have done so."""
        with contextlib.suppress(OSError):
            file.unlink()

    def working_folder(self) -> Path:
        """A new folder to compile in, on the same file system."""
        return Path(tempfile.mkdtemp(prefix=WORK, dir=self.path))

    def store(self, key: str, library: Path) -> Path:
        """Move a compiled library into place, and make room for it."""
        with library.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        library.chmod(0o700)
        place = self.path / f"{key}-{content}.so"
        library.replace(place)
        self.shrink(keep=place)
        return place

    def libraries(self) -> list[tuple[float, int, Path]]:
        """When each library was last used, its size, and its path; the oldest first."""
        found = []
        with contextlib.suppress(OSError), os.scandir(self.path) as entries:
            for entry in entries:
                if LIBRARY.fullmatch(entry.name):
                    with contextlib.suppress(OSError):  # removed by another process
                        status = entry.stat(follow_symlinks=False)
                        found.append((status.st_mtime, status.st_size, Path(entry.path)))
        return sorted(found)

    def shrink(self, keep: Path | None = None) -> None:
        """Remove the least recently used libraries while there are too many, and abandoned work."""
        libraries = self.libraries()
        size = sum(size for _, size, _ in libraries)
        for count, (_, bytes_of_it, file) in enumerate(libraries):
            if size <= LIMIT and len(libraries) - count <= MOST_ENTRIES:
                break
            if file != keep:
                self.remove(file)
                size -= bytes_of_it
        self._remove_work(ABANDONED_AFTER)

    def _remove_work(self, older_than: float) -> None:
        with contextlib.suppress(OSError):
            for folder in self.path.glob(f"{WORK}*"):
                if time.time() - folder.lstat().st_mtime > older_than:
                    shutil.rmtree(folder, ignore_errors=True)

    def clear(self) -> int:
        """Remove everything; returns how many libraries there were."""
        libraries = self.libraries()
        for _, _, file in libraries:
            self.remove(file)
        self._remove_work(-1.0)
        shutil.rmtree(self.path / ZIG, ignore_errors=True)
        return len(libraries)


def usual_place() -> Path:
    """CHAINRULE_CACHE/kernels, or the user's cache folder for this system."""
    if chosen := os.environ.get("CHAINRULE_CACHE"):
        return Path(chosen).absolute() / "kernels"
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        given = os.environ.get("XDG_CACHE_HOME", "")
        base = Path(given) if given.startswith("/") else Path.home() / ".cache"
    return base.absolute() / "chainrule" / "kernels"


def open_folder() -> Folder | str:
    """The usual folder; else a temporary one, removed at exit; else why there is neither."""
    try:
        place = usual_place()
        reason = _make(place) or fault(place)
    except (OSError, RuntimeError) as error:  # RuntimeError: no home directory
        reason = str(error)
    if not reason:
        return Folder(place)
    try:
        temporary = Path(tempfile.mkdtemp(prefix="chainrule-kernels-"))
    except OSError as error:
        return f"no folder for kernels: {reason}; {error}"
    atexit.register(_remove_own, temporary, os.getpid())
    return Folder(temporary, reason)


def _remove_own(folder: Path, process: int) -> None:
    if os.getpid() == process:  # not in a forked child
        shutil.rmtree(folder, ignore_errors=True)


def _make(place: Path) -> str:
    """Create the folder; returns why that is not possible, or nothing."""
    try:
        missing = [path for path in (place, *place.parents) if not os.path.lexists(path)]
        for path in reversed(missing):
            path.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        return f"cannot create {place}: {error.strerror or error}"
    if not place.is_dir():
        return f"{place} is not a folder"
    return "" if os.access(place, os.W_OK | os.X_OK) else f"{place} is not writable"


def fault(place: Path) -> str:
    """Why native code from this folder must not be run, in one line; empty if it may be."""
    if not hasattr(os, "geteuid"):
        return ""  # Windows: the folder inherits the permissions of the user's profile
    trusted = (0, os.geteuid())
    for path in (place, *place.parents):
        if path.is_symlink() and path.lstat().st_uid not in trusted:
            return f"{path} is a symbolic link of another user"
    real = place.resolve()
    status = real.stat()
    if status.st_uid != os.geteuid():
        return f"{place} belongs to another user"
    if status.st_mode & 0o022:
        return f"other users can write to {place}: chmod go-w it"
    closed = False  # whether nobody else can enter one of the folders so far
    for parent in reversed(real.parents):
        status = parent.stat()
        if status.st_uid not in trusted:
            return f"{parent}, which contains {place}, belongs to another user"
        if status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX and not closed:
            return f"other users can write to {parent}, which contains {place}: chmod go-w it"
        closed = closed or not status.st_mode & 0o011
    return ""
