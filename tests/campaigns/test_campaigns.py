"""The short forms of the campaigns, for CI. Each has a long form: `python -m tests.campaigns.NAME`."""

import random

import pytest

from ..conftest import require
from . import files, interrupts, signals
from .entries import ENTRIES, Entry

EVERY = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
# A file opened just before an interrupt is closed when it is destroyed, with this warning.
UNCLOSED = pytest.mark.filterwarnings("ignore:Exception ignored in. <_io.FileIO")


def needed(entry: Entry) -> Entry:
    """The entry point, or a skip if it cannot run here."""
    if entry.needs == "jax":
        require("jax")
    if not entry.runs_here:
        pytest.skip("needs the C core")
    return entry


@UNCLOSED
@EVERY
def test_an_interrupt_leaves_the_old_or_the_new_state(entry: Entry) -> None:
    made, instructions = interrupts.attack(needed(entry), at_most=120)
    assert made > min(instructions, 120) // 8 // entry.cost


@UNCLOSED
@pytest.mark.skipif("sys.platform != 'linux'", reason="needs POSIX timers")
@EVERY
def test_a_signal_leaves_the_old_or_the_new_state(entry: Entry) -> None:
    signals.attack(needed(entry), max(1, 20 // entry.cost), random.Random(entry.name))


@pytest.mark.parametrize("kind", files.KINDS)
def test_a_damaged_file_is_rejected_or_read_exactly(kind: str) -> None:
    files.main([kind], fields=600, flips=600, seed=0, processes=1)
