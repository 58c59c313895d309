"""What may come in: every request and every message of a run, as types that are checked when it is read.

A field that is not here is refused, and so is a number out of its range. What depends on more than one
field, or on the course, is checked where it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta

from ..nn.activations import NAMES as ACTIVATIONS
from ..optim.optimizers import BY_NAME as OPTIMIZERS
from . import limits
from .trainer.code import EPOCHS
from .trainer.config import DATA_SETS, LOSSES, SHORT, Config

FORMATS = ("html", "svg", "python")
# By the names of their fields, for messages too.
CHOICES: dict[str, tuple[str, ...]] = {
    "data": DATA_SETS,
    "activation": tuple(ACTIVATIONS),
    "loss": (*LOSSES, *SHORT),
    "optimizer": tuple(OPTIMIZERS),
    "format": FORMATS,
    "type": ("start", "pause", "resume", "step", "rewind", "rate", "stop"),
}
if TYPE_CHECKING:
    DataSet = str
    Activation = str
    Loss = str
    Optimizer = str
    Format = str
else:
    DataSet = Literal[CHOICES["data"]]
    Activation = Literal[CHOICES["activation"]]
    Loss = Literal[CHOICES["loss"]]
    Optimizer = Literal[CHOICES["optimizer"]]
    Format = Literal[CHOICES["format"]]

Coordinate = Annotated[float, Meta(ge=-limits.COORDINATE, le=limits.COORDINATE)]
Class = Annotated[int, Meta(ge=0, le=limits.CLASSES - 1)]
Size = Annotated[int, Meta(ge=1, le=limits.NEURONS)]
Rate = Annotated[float, Meta(gt=0)]
Epoch = Annotated[int, Meta(ge=0, le=limits.STEPS)]
Name = Annotated[str, Meta(min_length=1, max_length=limits.NAME)]
Number = Annotated[int, Meta(ge=1, le=limits.LESSONS)]


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What all of them have in common: fields that are not known are refused."""


# --- runs ----------------------------------------------------------------------------------------


class Settings(Request, frozen=True):
    """The settings of a run; what is not given is as in `Config`."""

    data: DataSet = Config.data
    csv: str = Config.csv
    points: Annotated[
        tuple[tuple[Coordinate, Coordinate, Class], ...], Meta(max_length=limits.SAMPLES)
    ] = Config.points
    samples: Annotated[int, Meta(ge=2, le=limits.SAMPLES)] = Config.samples
    noise: Annotated[float, Meta(ge=0, le=10)] = Config.noise
    layers: Annotated[tuple[Size, ...], Meta(max_length=limits.LAYERS)] = Config.layers
    activation: Activation = Config.activation
    loss: Loss = Config.loss
    optimizer: Optimizer = Config.optimizer
    rate: Rate = Config.rate
    batch: Annotated[int, Meta(ge=0, le=limits.SAMPLES)] = Config.batch
    seed: Annotated[int, Meta(ge=0, le=limits.SEED)] = Config.seed

    def config(self) -> Config:
        given: dict[str, Any] = msgspec.structs.asdict(self)
        return Config(**{**given, "loss": SHORT.get(self.loss, self.loss)})


class Code(Request, frozen=True):
    """A run as a program: of so many epochs, and with these changes of the rate."""

    config: Settings
    epochs: Epoch = EPOCHS
    rates: Annotated[tuple[tuple[Epoch, Rate], ...], Meta(max_length=limits.RATES + 1)] = ()


class Sample(Request, frozen=True):
    """The loss of one sample, for a model with these parameters."""

    config: Settings
    parameters: tuple[float, ...]
    sample: tuple[float, float]
    target: Class
    every: bool = False


class Command(Request, frozen=True, tag_field="type"):
    """A message of a run."""


class Start(Command, frozen=True, tag="start"):
    """The config is read when the run before it has ended, be it right or wrong."""

    config: msgspec.Raw


class Pause(Command, frozen=True, tag="pause"):
    """Wait."""


class Resume(Command, frozen=True, tag="resume"):
    """Go on."""


class Step(Command, frozen=True, tag="step"):
    """One step, then wait."""


class Rewind(Command, frozen=True, tag="rewind"):
    """Go to the end of an epoch that was reached before."""

    epoch: Epoch


class ChangeRate(Command, frozen=True, tag="rate"):
    """Another learning rate from the next epoch on."""

    rate: Rate


class Stop(Command, frozen=True, tag="stop"):
    """End the run."""


AnyCommand = Start | Pause | Resume | Step | Rewind | ChangeRate | Stop


# --- expressions ---------------------------------------------------------------------------------


class Expression(Request, frozen=True):
    """An expression and numbers for its names; 1 where none is given."""

    expression: Annotated[str, Meta(max_length=limits.EXPRESSION)]
    values: dict[str, float] = {}


class Export(Expression, frozen=True, kw_only=True):
    """The same as a file."""

    format: Format


# --- the course ----------------------------------------------------------------------------------


class Save(Request, frozen=True):
    """The learner's text, and which state of the file the page has seen; see `Course.save`."""

    text: str
    version: str
    after: str | None = None


class Program(Request, frozen=True):
    """A program by the name that the page gave it."""

    program: Annotated[str, Meta(min_length=1, max_length=limits.PROGRAM_NAME)]


class Blocks(Program, frozen=True):
    """The code of a lesson up to the block to be run."""

    lesson: Number
    blocks: Annotated[tuple[str, ...], Meta(min_length=1, max_length=limits.BLOCKS)]


class Work(Program, frozen=True):
    """The learner's file, to be saved and then run or checked."""

    exercise: Name
    text: str
    version: str


class Hint(Request, frozen=True):
    """One more hint."""

    exercise: Name


class Solution(Request, frozen=True):
    """After passing, or for those who were asked and are sure."""

    exercise: Name
    sure: bool = False


class Quiz(Request, frozen=True):
    """An answer to a quiz."""

    key: Name
    right: bool


class Question(Request, frozen=True):
    """A generated quiz."""

    lesson: Number
