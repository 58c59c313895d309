"""Shows text that is longer than the terminal in the user's pager, if there is one."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

USUAL = "less"
# Options: quit if the text fits, keep colours and the text on the screen, list the keys in the prompt.
LESS = r"FRXPs?e(END) :space\: next page, .b\: back, q\: quit"


def show(text: str) -> None:
    """Show in a pager on a terminal, otherwise print."""
    words = pager()
    if not words or not (sys.stdin.isatty() and sys.stdout.isatty()):
        print(text, flush=True)
        return
    sys.stdout.flush()
    environment = {"LESS": LESS, "LESSCHARSET": "utf-8", **os.environ}
    # The pager handles Ctrl-C. SIG_IGN would not do, because the pager would inherit it.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        with tempfile.TemporaryFile() as file:  # a file, so that the pager can read at its own pace
            file.write(f"{text}\n".encode())
            file.seek(0)
            subprocess.run(words, stdin=file, env=environment, check=False)
    finally:
        signal.signal(signal.SIGINT, before)


def pager() -> list[str]:
    """The pager's command: PAGER, else less; empty if there is none."""
    words = shlex.split(os.environ.get("PAGER", USUAL))
    if os.environ.get("TERM") == "dumb" or not words or shutil.which(words[0]) is None:
        return []
    return words
