"""Every request, and every command to a run, as types that are validated when parsed.

Unknown fields and numbers out of range are rejected. Conditions on several fields, or on the course, are
checked where the fields are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta

from ..nn.activations import NAMES as ACTIVATIONS
from ..nn.losses import NAMES as LOSS_NAMES
from ..nn.losses import short_name
from ..optim.optimizers import BY_NAME as OPTIMIZERS
from . import limits
from .trainer.code import EPOCHS
from .trainer.config import DATA_SETS, LOSSES, SHORT, Config

FORMATS = ("html", "svg", "python")
# The allowed values by field name; error messages list them.
CHOICES: dict[str, tuple[str, ...]] = {
    "data": DATA_SETS,
    "activation": tuple(ACTIVATIONS),
    "loss": (*LOSSES, *SHORT, *(f"{name}_loss" for name in LOSSES if f"{name}_loss" in LOSS_NAMES)),
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
    """Base class that rejects unknown fields."""


# --- runs ----------------------------------------------------------------------------------------


class Settings(Request, frozen=True):
    """The settings of a run; the defaults are those of `Config`."""

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
        return Config(**{**given, "loss": short_name(SHORT.get(self.loss, self.loss))})


class Code(Request, frozen=True):
    """A run as a Python program, with its number of epochs and rate changes."""

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
    """A command to a run."""


class Start(Command, frozen=True, tag="start"):
    """The config is validated after the previous run has ended, so an invalid one ends that run too."""

    config: msgspec.Raw


class Pause(Command, frozen=True, tag="pause"):
    """Pause."""


class Resume(Command, frozen=True, tag="resume"):
    """Resume."""


class Step(Command, frozen=True, tag="step"):
    """Take one step, then pause."""


class Rewind(Command, frozen=True, tag="rewind"):
    """Go to the end of an epoch already reached."""

    epoch: Epoch


class ChangeRate(Command, frozen=True, tag="rate"):
    """Change the learning rate, starting with the next epoch."""

    rate: Rate


class Stop(Command, frozen=True, tag="stop"):
    """End the run."""


AnyCommand = Start | Pause | Resume | Step | Rewind | ChangeRate | Stop


# --- expressions ---------------------------------------------------------------------------------


class Expression(Request, frozen=True):
    """An expression and values for its variables, 1 by default."""

    expression: Annotated[str, Meta(max_length=limits.EXPRESSION)]
    values: dict[str, float] = {}


class Export(Expression, frozen=True, kw_only=True):
    """An expression to export as a file."""

    format: Format


# --- the course ----------------------------------------------------------------------------------


class Save(Request, frozen=True):
    """The learner's text, and the version the page has read; see `Course.save`."""

    text: str
    version: str
    after: str | None = None


class Program(Request, frozen=True):
    """A program, identified by the name that the page gave it."""

    program: Annotated[str, Meta(min_length=1, max_length=limits.PROGRAM_NAME)]


class Blocks(Program, frozen=True):
    """The code of a lesson up to the block to run."""

    lesson: Number
    blocks: Annotated[tuple[str, ...], Meta(min_length=1, max_length=limits.BLOCKS)]


class Work(Program, frozen=True):
    """The learner's file, to save and then run or check."""

    exercise: Name
    text: str
    version: str


class Hint(Request, frozen=True):
    """A request for one more hint."""

    exercise: Name


class Solution(Request, frozen=True):
    """A request for the solution; `sure` is required if the exercise has not been passed."""

    exercise: Name
    sure: bool = False


class Quiz(Request, frozen=True):
    """An answer to a quiz."""

    key: Name
    right: bool


class Question(Request, frozen=True):
    """A request for a generated quiz."""

    lesson: Number
