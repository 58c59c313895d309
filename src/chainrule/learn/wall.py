"""Landlock: the kernel's own refusal to write outside a folder, where Linux has it.

The guard in `child.py` says what it refuses and why, but sees only what Python announces. This also
holds for what a library in C opens. Where the kernel does not have it, nothing happens.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on every architecture
VERSION, PATH_BENEATH, NO_NEW_PRIVILEGES = 1, 1, 38
WRITE_FILE, REFER, TRUNCATE = 1 << 1, 1 << 13, 1 << 14
ENTRIES = 0b1_1111_1111_0000  # removing and making files, folders, links, pipes, devices


def enclose(folder: str) -> bool:
    """Let this process, from now on, write in the folder only; False where the kernel cannot."""
    if sys.platform != "linux":
        return False
    library = ctypes.CDLL(None, use_errno=True)

    def call(*arguments: int | bytes | None) -> int:
        wide = [ctypes.c_long(a) if isinstance(a, int) else ctypes.c_char_p(a) for a in arguments]
        return int(library.syscall(*wide))

    version = call(CREATE_RULESET, None, 0, VERSION)
    if version < 1:
        return False
    writing = WRITE_FILE | (TRUNCATE if version >= 3 else 0)
    everything = writing | ENTRIES | (REFER if version >= 2 else 0)
    rules = call(CREATE_RULESET, struct.pack("=Q", everything), 8, 0)
    if rules < 0:
        return False
    try:
        for place, allowed in ((folder, everything), (os.devnull, writing)):
            opened = os.open(place, os.O_PATH | os.O_CLOEXEC)
            try:
                if call(ADD_RULE, rules, PATH_BENEATH, struct.pack("=Qi", allowed, opened), 0):
                    return False
            finally:
                os.close(opened)
        if library.prctl(NO_NEW_PRIVILEGES, *map(ctypes.c_ulong, (1, 0, 0, 0))):
            return False
        return call(RESTRICT_SELF, rules, 0) == 0
    except OSError:
        return False
    finally:
        os.close(rules)
