"""Limits the number of the learner's running programs, and stops them.

Does not know what they do; learn/sandbox/runner.py starts the processes.
"""

from __future__ import annotations

import threading

from . import limits
from .limits import RefusedError


class Jobs:
    """The running programs, by the names that the page gave them."""

    def __init__(self) -> None:
        self.running: dict[str, threading.Event] = {}

    def begin(self, name: str) -> threading.Event:
        """Register a program. It must end when the event is set."""
        if name in self.running:
            raise RefusedError("this program is already running: stop it first", 409)
        if len(self.running) >= limits.PROGRAMS:
            text = f"{limits.PROGRAMS} programs are running, which is the maximum: stop one"
            raise RefusedError(text, 429)
        self.running[name] = threading.Event()
        return self.running[name]

    def end(self, name: str) -> None:
        self.running.pop(name, None)

    def stop(self, name: str) -> bool:
        """Stop a program; False if none of that name is running."""
        event = self.running.get(name)
        if event is not None:
            event.set()
        return event is not None

    def close(self) -> None:
        for name in list(self.running):
            self.stop(name)
