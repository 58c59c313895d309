"""How large, how deep, how long, how many: every bound of the studio in one place.

A page of ours stays far inside them; they are there for one that is not, and for slips.
"""

from __future__ import annotations

BODY = 1_000_000  # bytes of a request, and of a message of a run
THROWN_AWAY = 20_000_000  # bytes of a request that are read to say that it is too large
SECONDS = 10.0  # that a request may take
WORKERS = 4  # requests that compute at once

EXPRESSION = 2_000  # characters
NAMES = 100  # in an expression
NODES = 2_000  # of a picture

SAMPLES = 2_000  # points of a data set, rows of a table
COORDINATE = 1e6  # the largest coordinate of a point
CLASSES = 10
LAYERS = 6  # hidden ones
NEURONS = 64  # of a layer
SEED = 2**32 - 1

RUNS = 4  # at once
SOCKETS = 8
MESSAGES = 100  # a second; a faster client waits
BURST = 200  # messages that need not wait
STEPS = 10_000_000  # of a run
RATES = 1_000  # changes of the learning rate of a run
LOSSES = 50_000  # epochs whose losses a frame brings
WAITING = 64  # texts that a client has not read yet
COMMANDS = 1_000  # that a run has not obeyed yet
STRANGERS = 100  # connections without cookie and key; for one more, the first of them is closed
ARRIVALS = 50  # connections that are taken in at once: fewer, so that none is closed before it was read
HEADERS = 10.0  # seconds for the head of a request
FORM = 1_000  # bytes of the form that brings the code

CODE = 200_000  # bytes of a learner's file, and of the blocks of a lesson
PROGRAMS = 2  # of the learner's that run at once
PROGRAM_SECONDS = 20.0
LOOK = 0.2  # seconds between looks whether anybody still waits for a program
PROGRAM_MEGABYTES = 2048
PROGRAM_NAME = 64  # characters of the name that a page gives to a program
NAME = 100  # characters of the name of an exercise or a quiz
LESSONS = 1_000
BLOCKS = 100  # of code in a lesson

MESSAGE = 500  # characters of an error

SNAPSHOTS = 256
SNAPSHOT_BYTES = 64_000_000  # of all snapshots of a run


class RefusedError(ValueError):
    """What was asked for is not done; the text is for the user, in one line."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(" ".join(message.split())[:MESSAGE])
        self.status = status
