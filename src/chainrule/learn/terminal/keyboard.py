"""Reads single keys, without Enter, and whole lines from a terminal.

If the input is not a terminal, keys and lines are read from it too.
"""

from __future__ import annotations

import os
import select
import sys
from typing import Any

END = "\x04"  # ctrl-D, the end of input


class Keyboard:
    """A context manager that restores the terminal's settings."""

    def __init__(self) -> None:
        self.descriptor: int = sys.stdin.fileno()
        self.is_terminal: bool = sys.stdin.isatty()
        self.before: Any = None  # the terminal's settings, while it gives single keys

    def __enter__(self) -> Keyboard:
        return self

    def __exit__(self, *error: object) -> None:
        self.give_lines()

    def key(self, seconds: float) -> str:
        """The next key; "" if none was pressed in this time."""
        self._give_keys()
        if not select.select([self.descriptor], [], [], seconds)[0]:
            return ""
        data = os.read(self.descriptor, 1)
        return data.decode("utf-8", "ignore").strip() if data else END

    def line(self, prompt: str) -> str | None:
        """The next line, editable until Enter; None at the end of input."""
        self.give_lines()
        print(prompt, end="", flush=True)
        typed = bytearray()
        # Unbuffered: `key` would miss bytes that were read ahead.
        while data := os.read(self.descriptor, 1):
            if data == b"\n":
                return typed.decode("utf-8", "replace")
            typed += data
        print()
        return typed.decode("utf-8", "replace") if typed else None

    def _give_keys(self) -> None:
        if self.before is None and self.is_terminal:
            import termios
            import tty

            self.before = termios.tcgetattr(self.descriptor)
            tty.setcbreak(self.descriptor, termios.TCSADRAIN)

    def give_lines(self) -> None:
        """Restore the terminal's settings for another program."""
        if self.before is not None:
            import termios

            termios.tcsetattr(self.descriptor, termios.TCSADRAIN, self.before)
            self.before = None
