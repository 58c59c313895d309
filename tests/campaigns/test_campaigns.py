"""The short forms of the campaigns, for CI. Each has a long form: `python -m tests.campaigns.NAME`."""

import contextlib
import random
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from chainrule.value import c_core

from ..conftest import python, require, require_program
from . import allocations, files, interrupts, saves, signals, states, threads
from .entries import ENTRIES, Entry

EVERY = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
WRITERS = pytest.mark.parametrize(
    "entry", [e for e in ENTRIES if e.writes], ids=lambda entry: entry.name
)
LINUX = pytest.mark.skipif("sys.platform != 'linux'", reason="needs Linux")
# A file opened just before an interrupt is closed by its destructor, which warns.
UNCLOSED = pytest.mark.filterwarnings("ignore:Exception ignored in. <_io.FileIO")


def campaign(name: str, *words: str) -> str:
    """Run a campaign as a command; returns what it printed."""
    done = python("-m", f"tests.campaigns.{name}", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def needed(entry: Entry) -> Entry:
    """The entry point, or a skip if it cannot run here."""
    if entry.needs not in ("", "c"):
        require(entry.needs)
    if not entry.runs_here:
        pytest.skip("needs the C core")
    return entry


@UNCLOSED
@EVERY
def test_an_interrupt_leaves_the_old_or_the_new_state(entry: Entry) -> None:
    made, instructions = interrupts.attack(needed(entry), at_most=120)
    assert made > min(instructions, 120) // 8 // entry.cost


@pytest.mark.parametrize("name", ["adam.step", "Optimizer.load_state_dict"])
def test_no_interrupt_separates_parameters_from_the_state_of_their_optimizer(name: str) -> None:
    """A setter in Python can be interrupted between them."""
    (entry,) = [each for each in ENTRIES if each.name == name]
    assert interrupts.attack(entry)[0] > 300


@pytest.mark.parametrize("name", ["fit, eager", "fit, native"])
def test_an_interrupt_in_contextlib_does_not_leave_training_mode_on(name: str) -> None:
    """A suspended generator in a reference cycle left it on until garbage was collected."""
    (entry,) = [each for each in ENTRIES if each.name == name]
    prepare = needed(entry).prepare()
    action, _ = prepare()
    action()
    action, _ = prepare()
    found = interrupts.visits(action)
    for place, last in found.items():
        if place[0].co_filename == contextlib.__file__:
            for visit in {1, last}:
                action, check = prepare()
                check(interrupts.interrupt(action, place, visit))


@LINUX
@UNCLOSED
@EVERY
def test_a_signal_leaves_the_old_or_the_new_state(entry: Entry) -> None:
    signals.attack(needed(entry), max(1, 20 // entry.cost), random.Random(entry.name))


@LINUX
@pytest.mark.parametrize("half", [0, 1])  # two tests, for two workers
def test_a_failed_allocation_leaves_the_old_or_the_new_state(half: int) -> None:
    require_program("cc")
    names = [e.name for e in ENTRIES if e.needs != "jax" and e.runs_here][half::2]
    said = allocations.main("--short", *names)
    assert said.count("allocations failed") == len(names)


@LINUX
def test_every_failed_allocation_of_the_search_for_a_line_is_a_memory_error() -> None:
    """When memory runs out, CPython 3.11 returns None for `frame.f_back` but leaves the exception
    set.
    """
    require_program("cc")
    assert "detect_anomaly: " in allocations.main("detect_anomaly")


@pytest.mark.parametrize("kind", files.KINDS)
def test_a_damaged_file_is_rejected_or_read_exactly(kind: str) -> None:
    files.main([kind], fields=600, flips=600, seed=0, processes=1)


@LINUX
def test_a_killed_or_refused_save_leaves_the_old_file_or_the_new_one() -> None:
    """In a process of its own: it forks, which JAX does not allow."""
    require_program("unshare")
    if subprocess.run(saves.own_mounts("true")).returncode:
        pytest.skip("only root may mount file systems here")
    said = campaign("saves", "--kills", "60")
    assert said.count("kills hit it") == said.count("the disk was full") == len(saves.writers())


@LINUX
def test_a_forked_child_works_whatever_the_other_threads_were_doing() -> None:
    said = campaign("forks", "--count", "1")
    assert said.startswith("7 locks, each held at a fork")
    assert said.count("forks while it ran") > 20


@pytest.mark.parametrize("kind", threads.KINDS, ids=lambda kind: kind.__name__)
def test_threads_at_the_same_time(kind: Callable[[random.Random], Any]) -> None:
    kind(random.Random(0))


@pytest.mark.skipif(c_core is None, reason="needs the C core")
def test_random_steps_on_both_cores() -> None:
    assert states.main(runs=100, steps=60, seed=0) == 6000
