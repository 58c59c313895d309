"""One training run: a thread that trains, handles commands and sends frames.

The thread sends through an `Outbox` and receives commands through `send`. Does not know Starlette.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections import deque
from typing import Any

from .. import limits
from ..limits import RefusedError
from ..schemas import AnyCommand, ChangeRate, Command, Pause, Resume, Rewind, Step, Stop
from ..server import wire
from . import code, data_sets
from .config import Config
from .frames import Frames
from .training import Training

FRAME = 1 / 45  # seconds between frames
SHARE = 0.25  # minimum fraction of that time for training, however slow a frame is
FASTER = 4  # the number of steps grows by at most this factor from frame to frame
SMOOTH = 0.8  # weight of the old speed in the moving average

TOO_LONG = f"a run may have at most {limits.STEPS:,} steps: rewind it, or start another"

log: logging.Logger = logging.getLogger(__name__)


class Outbox:
    """The queue for a socket: texts in order, but only the newest frame.

    A slow reader gets fewer frames, not older ones.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.lock: Any = threading.Lock()
        self.waiting: deque[str | bytes] = deque()
        self.changed = asyncio.Event()

    def put(self, item: str | bytes) -> None:
        """Add an item, from any thread."""
        with self.lock:
            if isinstance(item, bytes):
                self.waiting = deque(x for x in self.waiting if isinstance(x, str))
            if len(self.waiting) < limits.WAITING:
                self.waiting.append(item)
        with contextlib.suppress(RuntimeError):  # the server has ended
            self.loop.call_soon_threadsafe(self.changed.set)

    def has_frame(self) -> bool:
        with self.lock:
            return any(isinstance(x, bytes) for x in self.waiting)

    def tell(self, **message: Any) -> None:
        self.put(wire.write(message))

    async def take(self) -> str | bytes:
        """Wait for the next item to send."""
        while True:
            with self.lock:
                if self.waiting:
                    return self.waiting.popleft()
                self.changed.clear()
            await self.changed.wait()


class Run(threading.Thread):
    """Trains in its own thread until it is stopped."""

    def __init__(self, settings: Config, outbox: Outbox) -> None:
        super().__init__(name="chainrule-run", daemon=True)
        self.settings = settings
        self.outbox = outbox
        self.commands: deque[Command] = deque()
        self.arrived = threading.Condition()
        self.closed: bool = False  # the thread should end
        self.ended: bool = False
        self.running: bool = True
        self.count: int = 1  # steps per frame
        self.speed: float = 0.0  # steps per second
        self.sent: int = 0  # the epoch up to which losses were sent
        self.last: int = 0  # the epoch of the last frame

    # --- public interface ------------------------------------------------------------------------

    def send(self, command: AnyCommand) -> None:
        """Send the thread a command; of several pending rewinds only the last counts.

        Commands to a thread that has ended are dropped.
        """
        if self.ended:
            return
        with self.arrived:
            if isinstance(command, Rewind) and self.commands and isinstance(self.commands[-1], Rewind):
                self.commands.pop()
            if len(self.commands) >= limits.COMMANDS:
                raise RefusedError(f"{limits.COMMANDS:,} commands are waiting, which is the maximum")
            if not self.ended:
                self.commands.append(command)
            self.arrived.notify()

    def close(self) -> None:
        """Ask the thread to end, without a message."""
        with self.arrived:
            self.closed = True
            self.arrived.notify()

    # --- the thread ------------------------------------------------------------------------------

    def run(self) -> None:
        try:
            self.training: Training = Training(self.settings, data_sets.load(self.settings))
            self.frames: Frames = Frames(self.training)
            self.outbox.tell(**self.frames.ready(code.program(self.settings)))
            self.show()
            while not self.closed:
                self.turn()
        except RefusedError as error:
            self.outbox.tell(type="error", message=str(error))
        except Exception:
            log.exception("a run failed")
            self.outbox.tell(type="error", message="the run failed; see the studio's terminal")
        finally:
            with self.arrived:
                self.ended = True
                self.commands.clear()

    def turn(self) -> None:
        """Handle one command, or train up to the next frame."""
        command = self.next_command()
        if command is None:
            if self.running and not self.closed:
                self.train()
            return
        try:
            getattr(self, str(type(command).__struct_config__.tag))(command)  # the method of this name
        except RefusedError as error:
            self.outbox.tell(type="error", message=str(error))

    def next_command(self) -> Command | None:
        with self.arrived:
            while not (self.commands or self.closed or self.running):
                self.arrived.wait()
            return self.commands.popleft() if self.commands and not self.closed else None

    def is_called(self) -> bool:
        return self.closed or bool(self.commands)

    def is_called_away(self) -> bool:
        """Whether to abandon the current rewind: for a newer one, or to stop. Other commands wait."""
        with self.arrived:  # `send` may be replacing the last command
            return self.closed or (bool(self.commands) and isinstance(self.commands[0], Rewind | Stop))

    def train(self) -> None:
        start = time.perf_counter()
        steps = min(self.count, limits.STEPS - self.training.steps)
        done = self.training.advance(steps, self.is_called)
        took = time.perf_counter() - start
        speed = done / took
        self.speed = SMOOTH * self.speed + (1 - SMOOTH) * speed if self.speed else speed
        self.show_or_stop()
        spent = time.perf_counter() - start - took  # time for the frame
        aim = max(FRAME - spent, SHARE * FRAME)
        self.count = max(1, min(FASTER * self.count, int(speed * aim)))
        with self.arrived:
            left = start + FRAME - time.perf_counter()
            if left > 0 and self.running and not self.is_called():
                self.arrived.wait(left)

    def show_or_stop(self) -> None:
        """Send a frame; if training cannot continue, report why. The run can still be rewound."""
        failure, over = self.training.failure, self.training.steps >= limits.STEPS
        self.running &= not (failure or over)
        self.show()
        if failure:
            self.outbox.tell(type="stopped", reason="nan", message=failure)
        elif over:
            self.outbox.tell(type="stopped", reason="limit", message=TOO_LONG)

    def show(self) -> None:
        if not self.outbox.has_frame():  # else this frame replaces one, and must repeat its losses
            self.sent = self.last
        self.last = self.training.epoch
        self.sent = min(self.sent, self.last)
        speed = self.speed if self.running else 0.0
        self.outbox.put(self.frames.frame(self.sent, self.running, speed))

    # --- commands --------------------------------------------------------------------------------

    def pause(self, command: Pause) -> None:
        self.running = False
        self.show()

    def resume(self, command: Resume) -> None:
        self.running = True
        self.check_limit()

    def step(self, command: Step) -> None:
        self.running = False
        self.check_limit()
        self.training.advance(1)
        self.show_or_stop()

    def check_limit(self) -> None:
        self.training.failure = ""  # retry
        if self.training.steps >= limits.STEPS:
            self.running = False
            raise RefusedError(TOO_LONG)

    def rewind(self, command: Rewind) -> None:
        self.running = False
        if self.training.seek(command.epoch, self.is_called_away):
            self.show()

    def rate(self, command: ChangeRate) -> None:
        self.training.change_rate(command.rate)
        if not self.running:
            self.show()

    def stop(self, command: Stop) -> None:
        self.closed = True
        message = f"stopped after {self.training.epoch:,} epochs"
        self.outbox.tell(type="stopped", reason="stop", message=message)
