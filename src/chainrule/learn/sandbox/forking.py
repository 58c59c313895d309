"""The parent of all judges: a process that imports what every run needs, then forks.

So chainrule and NumPy are imported once, not once for each run. `starting.py`
starts this process and asks it for judges. It runs no learner's or teacher's code, and a judge is a copy
of it right after its imports, so runs cannot affect each other.
"""

from __future__ import annotations

import contextlib
import gc
import os
import selectors
import signal
import socket
import sys

from .. import programs  # noqa: F401 - most checkers use it
from . import child, judge

FILES = 5  # per run: the control connection, stdin, stdout, result, trace
END, KILL = b"e", b"k"  # end its children and itself, or kill its process group


class Judges:
    """The running judges, each with its control connection."""

    def __init__(self, asking: socket.socket) -> None:
        self.asking = asking
        self.selector: selectors.BaseSelector = selectors.DefaultSelector()
        self.running: dict[int, socket.socket] = {}
        self.listening: bool = True
        # SIGCHLD wakes the selector.
        self.ended, wake = socket.socketpair()
        self.ended.setblocking(False)
        wake.setblocking(False)
        signal.set_wakeup_fd(wake.detach(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.selector.register(asking, selectors.EVENT_READ, self.fork)
        self.selector.register(self.ended, selectors.EVENT_READ, self.reap)

    def serve(self) -> None:
        """Serve until the caller has closed its end and every judge has ended."""
        while self.listening or self.running:
            for key, _ in self.selector.select():
                key.data() if callable(key.data) else self.obey(key.data)

    def fork(self) -> None:
        with contextlib.suppress(ConnectionError):
            _, files, _, _ = socket.recv_fds(self.asking, 1, FILES)
            if files:
                self.begin(files)
                return
        self.listening = False
        self.selector.unregister(self.asking)

    def begin(self, files: list[int]) -> None:
        if (process := os.fork()) == 0:
            try:
                become_judge(*files[1:])
            finally:
                os._exit(1)
        for file in files[1:]:
            os.close(file)
        self.running[process] = socket.socket(fileno=files[0])
        self.selector.register(files[0], selectors.EVENT_READ, process)

    def obey(self, process: int) -> None:
        """End a judge on request, or if the reader of its result is gone."""
        connection = self.running.get(process)
        if connection is None:
            return
        word = b""
        with contextlib.suppress(ConnectionError):
            word = connection.recv(1)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if word == END:
                os.kill(process, signal.SIGTERM)
            else:
                os.killpg(process, signal.SIGKILL)
        if not word:
            self.selector.unregister(connection)

    def reap(self) -> None:
        """Report how each judge ended; its process id is reused only after that."""
        with contextlib.suppress(BlockingIOError):
            self.ended.recv(4096)
        for process, connection in list(self.running.items()):
            number, status = os.waitpid(process, os.WNOHANG)
            if number:
                with contextlib.suppress(KeyError):
                    self.selector.unregister(connection)
                with contextlib.suppress(OSError):
                    connection.send(f"{os.waitstatus_to_exitcode(status)}\n".encode())
                connection.close()
                del self.running[process]


def become_judge(stdin: int, stdout: int, result: int, trace: int) -> None:
    """Runs in the fork; sets it up like a process started for this run only."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()  # so that its children can be ended too
    for number, file in enumerate((stdin, stdout, stdout)):
        os.dup2(file, number)
    child.close_all_but(0, 1, 2, result, trace)
    judge.main(result, trace)


def main() -> None:
    asking = socket.socket(fileno=int(sys.argv[-1]))
    judge.hide()
    gc.collect()
    gc.freeze()  # otherwise garbage collection would copy shared pages in every judge
    Judges(asking).serve()
    os._exit(0)


if __name__ == "__main__":
    main()
