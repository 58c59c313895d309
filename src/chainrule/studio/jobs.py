"""Programs of the learner that are running: how many there are, and how each is stopped.

Knows nothing of what they do; the processes are those of learn/sandbox/runner.py.
"""

from __future__ import annotations

import threading

from . import limits
from .limits import RefusedError


class Jobs:
    """Each has a name of the page's choosing, by which the page can stop it."""

    def __init__(self) -> None:
        self.running: dict[str, threading.Event] = {}

    def begin(self, name: str) -> threading.Event:
        """A place for one more; the event says that it shall end."""
        if name in self.running:
            raise RefusedError("this program is running already: stop it first", 409)
        if len(self.running) >= limits.PROGRAMS:
            text = f"{limits.PROGRAMS} programs are running, which is the most: stop one first"
            raise RefusedError(text, 429)
        self.running[name] = threading.Event()
        return self.running[name]

    def end(self, name: str) -> None:
        self.running.pop(name, None)

    def stop(self, name: str) -> bool:
        """Whether there was one to be stopped."""
        event = self.running.get(name)
        if event is not None:
            event.set()
        return event is not None

    def close(self) -> None:
        for name in list(self.running):
            self.stop(name)
