"""Text that is longer than a terminal is high: the reader's pager shows it, if there is one."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress

USUAL = "less"
# A short text needs no key, colours are kept, the text stays on the screen, and the keys are named.
LESS = r"FRXPs?e(END) :space\: on, .b\: back, q\: done"


def show(text: str) -> None:
    """In a pager where somebody looks at a terminal, else printed as it is."""
    words = pager()
    if not words or not (sys.stdin.isatty() and sys.stdout.isatty()):
        print(text, flush=True)
        return
    sys.stdout.flush()
    environment = {"LESS": LESS, "LESSCHARSET": "utf-8", **os.environ}
    with tempfile.TemporaryFile() as file:  # all of it is there, however late the pager reads on
        file.write(f"{text}\n".encode())
        file.seek(0)
        process = subprocess.Popen(words, stdin=file, env=environment)
    while process.returncode is None:
        with suppress(KeyboardInterrupt):  # meant for the pager, which deals with it
            process.wait()


def pager() -> list[str]:
    """The words that start it: those of PAGER, else less; none if there is none."""
    words = shlex.split(os.environ.get("PAGER", USUAL))
    if os.environ.get("TERM") == "dumb" or not words or shutil.which(words[0]) is None:
        return []
    return words
