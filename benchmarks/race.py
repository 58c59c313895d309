"""Races: several implementations of the same work, each in a separate process, measured in rounds.

Separate processes keep thread pools, collectors and settings apart. An implementation that crashes or
is not installed loses only its own row. Nothing here depends on the work itself.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.util
import multiprocessing
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any
from unittest import mock

import measure
import numpy as np
from measure import (
    CHECK,
    CLOSE,
    QUICK,
    Row,
    Table,
    Times,
    Work,
    WrongValueError,
    check_close,
    in_time_units,
    progress,
    timed,
)

from chainrule.compiler.backends.kernels import building

STARTS = 1 if QUICK else 3  # compiling takes a long time and varies less
LONG = 3.0  # a contestant that takes longer than this to compile does so only once
A_ROUND = 0.0 if QUICK else 0.05  # seconds for which short work is repeated in each round
WARM_UP = 0.0 if QUICK else 1.0  # seconds for which ours is called before the rounds
PATIENCE = 600.0  # seconds to wait for an answer from a process
TWO_DEVICES = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}  # two JAX devices, one core each
OURS = "chainrule"

if CHECK:
    os.environ.update(TWO_DEVICES)  # one process runs all contestants


@dataclass(frozen=True)
class Contestant:
    """One implementation of some work.

    `start(n)` prepares n units of the work from scratch, including compilation, and returns a
    function that does them and returns numbers that all contestants must agree on. It must be a
    module-level function or a `partial` of one, because it is sent to another process.
    """

    library: str
    implementation: str
    start: Callable[[int], Work]
    units: int
    compiles: bool = True
    modules: Sequence[str] = ()
    programs: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    slow: bool = False  # takes many seconds to compile: skipped by --check

    @property
    def name(self) -> str:
        return f"{self.library}: {self.implementation}" if self.implementation else self.library

    def missing(self) -> str:
        """What this machine would need to run it, as text; empty if nothing is missing."""
        absent = [name for name in self.modules if importlib.util.find_spec(name) is None]
        absent += [name for name in self.programs if shutil.which(name) is None]
        return f"{' and '.join(absent)} not installed" if absent else ""


# --- the process of a contestant -----------------------------------------------------------------


def first_result(contestant: Contestant, units: int) -> tuple[float, Work, Any]:
    """The seconds from scratch to the first result, the function for further results, and the result."""
    begin = time.perf_counter()
    work = contestant.start(units)
    result = work()
    return time.perf_counter() - begin, work, result


def compiled(contestant: Contestant, checked_took: float) -> tuple[list[float], Work]:
    """The times to several first results, in seconds, and the work, ready to be timed."""
    took, work, _ = first_result(contestant, contestant.units)
    if max(took, checked_took) > LONG:  # a second compilation may use a cache
        return [max(took, checked_took)], work
    return [took, *(first_result(contestant, contestant.units)[0] for _ in range(STARTS - 1))], work


def warm_up(work: Work) -> None:
    """Call ours for a second, and until its kernels are compiled, which happens in the background."""
    begin = time.perf_counter()
    while (took := time.perf_counter() - begin) < WARM_UP or (building.busy() and took < PATIENCE):
        work()


def seconds_in_a_round(work: Work) -> float:
    """The time of one call; for short work, the mean of as many calls as fill a round."""
    gc.collect()
    took = timed(work)
    if took >= A_ROUND:
        return took
    calls, total = 0, 0.0
    while total < A_ROUND:
        total += timed(work)
        calls += 1
    return total / calls


def serve(connection: Connection, contestant: Contestant, checked: int) -> None:
    """Send the result to be checked, then the compile time, then the time of each round."""
    os.dup2(sys.stderr.fileno(), 1)  # a library's output must not end up in the report
    with a_folder():
        try:
            load(contestant.modules)
            took, _, result = first_result(contestant, checked)
            connection.send(np.asarray(result, dtype=float))
            if not connection.recv():
                return
            seconds, work = compiled(contestant, took)
            if contestant.library == OURS:
                warm_up(work)
            connection.send(seconds)
            gc.collect()
            gc.freeze()  # so that no collection has to traverse the libraries
            while connection.recv():
                connection.send(seconds_in_a_round(work))
        except Exception as error:
            connection.send(error_line(error))


def load(modules: Sequence[str]) -> None:
    """Import a contestant's libraries, so that the import is not counted as compilation."""
    for name in modules:
        importlib.import_module(name)
    if "jax" in modules:
        importlib.import_module("jax").devices()  # which starts its threads


@contextlib.contextmanager
def a_folder() -> Iterator[None]:
    """Work in a temporary directory: CasADi writes sources and libraries to the current one, and we
    keep compiled kernels.
    """
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        kept = os.environ.get("CHAINRULE_CACHE", folder)
        with mock.patch.dict(os.environ, CHAINRULE_CACHE=kept):
            yield


def error_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0][:120] if lines else ''}".rstrip(": ")


class NotMeasuredError(Exception):
    """Why a contestant was not measured."""


class Worker:
    """The parent's side of a contestant's process."""

    def __init__(self, contestant: Contestant, checked: int) -> None:
        self.contestant = contestant
        reason = contestant.missing()
        if reason:
            raise NotMeasuredError(reason)
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        arguments = (theirs, contestant, checked)
        self.process = context.Process(target=serve, args=arguments, daemon=True)
        with mock.patch.dict(os.environ, contestant.environment):
            self.process.start()
        theirs.close()

    def answer(self) -> Any:
        try:
            if not self.connection.poll(PATIENCE):
                self.stop()
                raise NotMeasuredError(f"no answer for {PATIENCE:.0f} s")
            found = self.connection.recv()
        except EOFError:
            self.process.join()
            raise NotMeasuredError(f"its process exited with code {self.process.exitcode}") from None
        if isinstance(found, str):
            raise NotMeasuredError(found)
        return found

    def ask(self) -> Any:
        self.connection.send(True)
        return self.answer()

    def stop(self) -> None:
        with contextlib.suppress(OSError):
            self.connection.send(False)
        self.process.join(5.0)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.connection.close()


# --- the race ------------------------------------------------------------------------------------


class Race:
    """Contestants, ours first, compared and then measured in rounds.

    A row shows the median for `shown` units and, separately, the compile time. The ratio of a round is
    the peer's time divided by ours. `targets` applies to each library's best implementation, the
    one with the lowest median ratio.
    """

    def __init__(
        self,
        title: str,
        contestants: Sequence[Contestant],
        *,
        checked: int,
        shown: int = 1,
        targets: Mapping[str, float] | None = None,
        tolerance: float = CLOSE,
        advice: str = "",
    ) -> None:
        self.title, self.contestants, self.shown = title, contestants, shown
        self.targets, self.tolerance, self.advice = dict(targets or {}), tolerance, advice
        self.reasons: dict[str, str] = {}  # why contestants were not measured
        self.wrong: set[str] = set()
        self.first: dict[str, Times] = {}
        self.warm: dict[str, Times] = {}
        progress(title)
        if CHECK:
            self.check(checked)
        else:
            self.run(checked)

    # --- comparing only --------------------------------------------------------------------------

    def check(self, checked: int) -> None:
        expected = None
        for each in self.contestants:
            reason = "takes too long to compile for --check" if each.slow else each.missing()
            try:
                if not reason:
                    with a_folder():
                        result = each.start(checked)()
                    expected = result if expected is None else expected
                    self.compare(each, expected, result)
                    reason = "agrees"
            except Exception as error:
                self.wrong.add(each.name)
                reason = error_line(error)
            finally:
                gc.enable()
            self.reasons[each.name] = reason
            progress(f"{each.name}: {reason}")

    def compare(self, contestant: Contestant, expected: Any, result: Any) -> None:
        try:
            check_close(contestant.name, expected, result, self.tolerance)
        except WrongValueError:
            self.wrong.add(contestant.name)
            raise

    # --- measuring -------------------------------------------------------------------------------

    def run(self, checked: int) -> None:
        workers: dict[str, Worker] = {}
        try:
            self.prepare(workers, checked)
            self.take_turns(workers)
        finally:
            for worker in workers.values():
                worker.stop()

    def prepare(self, workers: dict[str, Worker], checked: int) -> None:
        """Start the contestants one at a time, so that none is disturbed by another's compilation."""
        expected = None
        for each in self.contestants:
            try:
                workers[each.name] = worker = Worker(each, checked)
                result = worker.answer()
                expected = result if expected is None else expected
                self.compare(each, expected, result)
                self.first[each.name] = Times(tuple(worker.ask()))
                progress(f"{each.name}: first result in {in_time_units(self.first[each.name].median)}")
            except (NotMeasuredError, WrongValueError) as reason:
                self.drop(workers, each, reason)

    def take_turns(self, workers: dict[str, Worker]) -> None:
        seconds: dict[str, list[float]] = {name: [] for name in workers}
        for index in range(-1, measure.ROUNDS):
            for each in self.contestants:
                if each.name not in workers:
                    continue
                time.sleep(measure.REST)
                try:
                    took = workers[each.name].ask()
                except NotMeasuredError as reason:
                    self.drop(workers, each, reason)
                    continue
                if index >= 0:
                    seconds[each.name].append(took)
        self.warm = {name: Times(tuple(seconds[name])) for name in workers}

    def drop(self, workers: dict[str, Worker], contestant: Contestant, reason: Exception) -> None:
        if contestant is self.contestants[0]:
            raise reason  # without ours there is no ratio
        if contestant.name in workers:
            workers.pop(contestant.name).stop()
        self.reasons[contestant.name] = str(reason)
        progress(f"{contestant.name}: not measured: {reason}")

    # --- results ---------------------------------------------------------------------------------

    def compiling(self, name: str) -> float:
        """The first result from scratch minus a warm one; negative if noise exceeds the difference."""
        return self.first[name].median - self.warm[name].median

    def unit(self, contestant: Contestant) -> Times:
        return self.warm[contestant.name].of(self.shown / contestant.units)

    def ratio(self, contestant: Contestant) -> Times:
        return self.unit(contestant).to(self.unit(self.contestants[0]))

    def best(self) -> dict[str, str]:
        """The name of each library's fastest implementation."""
        found: dict[str, str] = {}
        measured = [each for each in self.contestants[1:] if each.name in self.warm]
        for each in sorted(measured, key=lambda each: self.ratio(each).median):
            if each.library != OURS:
                found.setdefault(each.library, each.name)
        return found

    def table(self) -> Table:
        best = self.best()
        rows = [self.row(each, best.get(each.library) == each.name) for each in self.contestants]
        for library, target in self.targets.items():
            if library not in best:
                rows.append(
                    Row([f"{library}: no implementation was measured", "", ""], None, at_least=target)
                )
        return Table([self.title, "compile", "median"], rows, self.advice)

    def row(self, contestant: Contestant, best: bool) -> Row:
        if contestant.name not in self.warm:
            reason = self.reasons[contestant.name]
            text = reason if CHECK else f"not measured: {reason}"
            return Row([f"{contestant.name}: {text}", "", ""], wrong=contestant.name in self.wrong)
        took = self.compiling(contestant.name)
        compiling = "lost in the noise" if took <= 0.0 else in_time_units(took)
        several = sum(each.library == contestant.library for each in self.contestants) > 1
        cells = [
            f"{contestant.name}{' (best)' if best and several else ''}",
            compiling if contestant.compiles else "",
            in_time_units(self.unit(contestant).median),
        ]
        if contestant is self.contestants[0]:
            return Row(cells)
        target = self.targets.get(contestant.library) if best else None
        return Row(cells, self.ratio(contestant), None, target, contestant.library if best else "")

    def first_result_row(self, library: str, at_least: float) -> Row:
        """A row for the library's implementation with the fastest first result."""
        names = [each.name for each in self.contestants if each.library == library]
        measured = [name for name in names if name in self.warm]
        if not measured:
            return Row([f"{library}, first result: not measured", "", ""], None, None, at_least)
        name = min(measured, key=lambda name: self.first[name].median)
        ours, peer = self.first[self.contestants[0].name], self.first[name]
        cells = [f"{name}, from scratch to the first result; ours {in_time_units(ours.median)}", ""]
        ratio = statistics.median(peer.seconds) / ours.median
        return Row([*cells, in_time_units(peer.median)], ratio, None, at_least)
