"""All limits of the studio in one place.

Our own page stays within them; they guard against hostile clients and mistakes.
"""

from __future__ import annotations

BODY = 1_000_000  # bytes in a request or a WebSocket message
THROWN_AWAY = 20_000_000  # bytes of an oversized request that are read before answering 413
SECONDS = 10.0  # time limit of a request
WORKERS = 4  # requests computed at the same time

EXPRESSION = 2_000  # characters
NAMES = 100  # variables in an expression
NODES = 2_000  # in a picture

SAMPLES = 2_000  # points of a data set, rows of a table
COORDINATE = 1e6  # the largest coordinate of a point
CLASSES = 10
LAYERS = 6  # hidden layers
NEURONS = 64  # per layer
SEED = 2**32 - 1

RUNS = 4  # concurrent
SOCKETS = 8
MESSAGES = 100  # per second; faster clients are delayed
BURST = 200  # messages accepted without delay
STEPS = 10_000_000  # per run
RATES = 1_000  # learning-rate changes per run
LOSSES = 50_000  # epochs whose losses fit in a frame
WAITING = 64  # texts queued for a client
COMMANDS = 1_000  # queued for a run
STRANGERS = 100  # unauthenticated connections; beyond that the oldest is closed
ARRIVALS = 50  # connections accepted in one go; below STRANGERS, so each is read before it is closed
HEADERS = 10.0  # seconds to send the head of a request
FORM = 1_000  # bytes of the sign-in form

CODE = 200_000  # bytes of a learner's file, and of the blocks of a lesson
PROGRAMS = 2  # concurrent learner programs
PROGRAM_SECONDS = 20.0
LOOK = 0.2  # seconds between checks that the client is still waiting for its program
PROGRAM_MEGABYTES = 2048
PROGRAM_NAME = 64  # characters of the name that a page gives to a program
NAME = 100  # characters of the name of an exercise or a quiz
LESSONS = 1_000
BLOCKS = 100  # code blocks in a lesson

MESSAGE = 500  # characters of an error message

SNAPSHOTS = 256
SNAPSHOT_BYTES = 64_000_000  # all snapshots of a run together


class RefusedError(ValueError):
    """The request is rejected. The message is one line for the user."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(" ".join(message.split())[:MESSAGE])
        self.status = status
