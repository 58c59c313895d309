"""Finds a C compiler, and the options with which kernels give the same bits as the C core.

$CC is used if it is set. Otherwise cc, gcc or clang, and then the compiler in the `ziglang` wheel, which
`pip install 'chainrule[jit]'` installs.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from ....value import c_core
from . import headers

NAMES = ("cc", "gcc", "clang")
PLATFORM = (platform.system(), platform.machine(), *platform.libc_ver())

# -O2 takes up to a tenth longer to compile than -O1, and some kernels are faster; with -O3 none are.
# The others are those of setup.py.
OPTIONS = (
    *("-std=c11", "-O2", "-g0", "-w", "-fPIC", "-shared", "-fvisibility=hidden"),
    *("-ffp-contract=off", "-fno-math-errno"),
)
# As in src/_core/kernels/elementwise_*.c. Never -march=native: only these may differ between machines.
INSTRUCTIONS = {
    "avx512": ("avx512f", "avx512dq", "avx2", "fma"),
    "avx2": ("avx2", "fma"),
    "base": (),
}


@dataclass(frozen=True)
class Compiler:
    """A C compiler that understands the options of GCC."""

    command: tuple[str, ...]
    is_zig: bool = False

    def identity(self) -> tuple[str, ...]:
        """What changes if the compiler is replaced: its path, time of change and size. Runs nothing."""
        file = Path(self.command[0]).resolve()
        if self.is_zig:
            file = Path(_zig() or file)
        found = file.stat()
        return (*self.command, str(file), str(found.st_mtime_ns), str(found.st_size))

    def version(self) -> str:
        """The first line that it prints about itself."""
        try:
            run = subprocess.run(
                [*self.command, "--version"],
                capture_output=True,
                timeout=10,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return "which does not run"
        lines = run.stdout.decode(errors="replace").strip().splitlines()
        return lines[0][:80] if run.returncode == 0 and lines else "which does not say its version"

    def flags(self, simd: str) -> list[str]:
        """All options but the names of files."""
        chosen = INSTRUCTIONS[simd]
        if self.is_zig:  # by default it compiles for this machine, and stops at undefined behaviour
            machine = [f"-mcpu={'+'.join(('x86_64', *chosen))}"] if chosen else ["-mcpu=baseline"]
            machine.append("-fno-sanitize=undefined")
        else:
            machine = [f"-m{name}" for name in chosen]
        # A compiler may compute a call with constant arguments itself, and round it differently.
        calls = [f"-fno-builtin-{name}" for name in headers.library_calls()]
        select = [] if simd == "base" else [f"-DSIMD_{simd.upper()}"]
        return [*OPTIONS, *calls, *machine, *select, *(f"-I{path}" for path in headers.include_dirs())]


def find() -> Compiler | str:
    """The compiler, or one line that says why there is none."""
    wanted = os.environ.get("CC", "")
    try:
        words = shlex.split(wanted)
    except ValueError:
        return f"CC is not a command: {wanted!r}"
    if words:
        path = shutil.which(words[0])
        return (
            Compiler((os.path.abspath(path), *words[1:]))
            if path
            else f"CC names {words[0]!r}, which was not found"
        )
    for name in NAMES:
        if path := shutil.which(name):
            return Compiler((os.path.abspath(path),))
    if _zig() and sys.executable:
        return Compiler((sys.executable, "-m", "ziglang", "cc"), is_zig=True)
    return "no C compiler was found: install gcc or clang, or pip install 'chainrule[jit]'"


def _zig() -> str | None:
    """The file of the module `ziglang`, if it is installed."""
    found = importlib.util.find_spec("ziglang")
    return found.origin if found else None


def instruction_set() -> str:
    """The instruction set that the core uses, chosen by CHAINRULE_SIMD or by this machine."""
    return str(c_core._simd_best())
