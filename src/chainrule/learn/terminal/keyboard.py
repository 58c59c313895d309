"""A terminal's keyboard: single keys, for which nobody presses Enter, and whole lines.

Where the input is no terminal, keys and lines are read from it all the same.
"""

from __future__ import annotations

import os
import select
import sys
from types import TracebackType
from typing import Any

END = "\x04"  # ctrl-D, the end of input


class Keyboard:
    """To be used in a `with`, which leaves the terminal as it was."""

    def __init__(self) -> None:
        self.descriptor: int = sys.stdin.fileno()
        self.is_terminal: bool = sys.stdin.isatty()
        self.before: Any = None  # the terminal's settings, while it gives single keys

    def __enter__(self) -> Keyboard:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.give_lines()

    def key(self, seconds: float) -> str:
        """The next key; "" if none was pressed in this time."""
        self._give_keys()
        if not select.select([self.descriptor], [], [], seconds)[0]:
            return ""
        data = os.read(self.descriptor, 1)
        return data.decode("utf-8", "ignore").strip() if data else END

    def line(self, prompt: str) -> str | None:
        """The next line, which can be corrected before Enter; None at the end of input."""
        self.give_lines()
        print(prompt, end="", flush=True)
        typed = bytearray()
        # One byte after another: what is read ahead would be missed by `key`.
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
        """As the terminal was: what another program expects."""
        if self.before is not None:
            import termios

            termios.tcsetattr(self.descriptor, termios.TCSADRAIN, self.before)
            self.before = None
