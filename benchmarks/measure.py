"""How every benchmark measures and prints: contestants in turns, medians, bars, one kind of table.

Knows nothing of what is measured. `--quick` on the command line makes everything small, to see
that a script works: then no bar is judged.
"""

from __future__ import annotations

import gc
import importlib.metadata
import importlib.util
import os
import platform
import statistics
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import chainrule
from chainrule.compiler.backends.native import thread_count

os.environ.update(JAX_ENABLE_X64="1", JAX_PLATFORMS="cpu")  # as we: double numbers, no accelerator

QUICK = "--quick" in sys.argv
REPEATS = 1 if QUICK else 9
STARTS = 1 if QUICK else 3  # compiling takes long, and varies less;
LONG = 5.0  # what takes more seconds than this to compile does it only once
REST = 0.0 if QUICK else 0.05  # seconds in which idle threads of one contestant stop spinning
CLOSE = 1e-9
SIMD = ("avx", "avx2", "fma", "avx512f", "neon", "asimd", "sve")  # the flags worth knowing

Work = Callable[[], Any]


def sized(full: int, quick: int) -> int:
    """A size for the real measurement, or the one for `--quick`."""
    return quick if QUICK else full


# --- measuring -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Times:
    """Seconds of the same work, done several times."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    def of(self, units: float) -> Times:
        """The same for more of the work, or for a part of it."""
        return Times(tuple(seconds * units for seconds in self.seconds))

    @property
    def spread(self) -> str:
        return f"{in_time_units(min(self.seconds))} - {in_time_units(max(self.seconds))}"


def timed(work: Work) -> float:
    start = time.perf_counter()
    result = work()
    took = time.perf_counter() - start
    del result  # what is freed here is not timed
    return took


def in_turns(
    contestants: dict[str, Callable[[], float]],
    repeats: int,
    warm_ups: int = 1,
    steady: Callable[[], bool] = lambda: True,
) -> dict[str, Times]:
    """Each returns the seconds that it took; in turns, so that a slow moment hits all of them.

    Each starts without garbage, so that nobody pays for collecting what another one left. A turn is
    taken again unless the machine was `steady` before it and after it.
    """

    def turn(contestant: Callable[[], float]) -> float:
        while True:
            gc.collect()
            time.sleep(REST)
            if steady():
                took = contestant()
                if steady():
                    return took

    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for repeat in range(-warm_ups, repeats):
        for name, contestant in contestants.items():
            took = turn(contestant)
            if repeat >= 0:
                seconds[name].append(took)
    return {name: Times(tuple(each)) for name, each in seconds.items()}


def medians(contestants: dict[str, Callable[[], float]], repeats: int = REPEATS) -> dict[str, float]:
    return {name: times.median for name, times in in_turns(contestants, repeats).items()}


def assert_close(what: str, ours: Any, theirs: Any, tolerance: float = CLOSE) -> None:
    np.testing.assert_allclose(theirs, ours, rtol=tolerance, atol=tolerance, err_msg=what)


# --- tables --------------------------------------------------------------------------------------


def in_time_units(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.2f} {unit}"
    return f"{seconds * 1e9:.1f} ns"


@dataclass(frozen=True)
class Row:
    """One line of a table; the bar is met when the ratio is on the right side of it."""

    cells: Sequence[str]
    ratio: float | None = None
    at_most: float | None = None
    at_least: float | None = None

    @property
    def met(self) -> bool:
        if self.ratio is None or QUICK:
            return True
        above = self.at_most is None or self.ratio <= self.at_most
        return above and (self.at_least is None or self.ratio >= self.at_least)

    def texts(self) -> tuple[str, ...]:
        bar = f"<= {self.at_most:,g}" if self.at_most is not None else ""
        bar = f">= {self.at_least:,g}" if self.at_least is not None else bar
        verdict = ("not judged" if QUICK else "met" if self.met else "MISSED") if bar else ""
        ratio = (
            ""
            if self.ratio is None
            else f"{self.ratio:,.0f}"
            if self.ratio >= 100
            else f"{self.ratio:.3g}"
        )
        return *self.cells, ratio, bar, verdict


@dataclass
class Table:
    """Rows under a head; as text it is Markdown that reads well in a terminal too."""

    head: Sequence[str]
    rows: list[Row] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [(*self.head, "ratio", "bar", ""), *(row.texts() for row in self.rows)]
        widths = [max(3, *map(len, column)) for column in zip(*lines, strict=True)]
        rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
        lines.insert(1, tuple(rule))
        texts = []
        for first, *rest in lines:
            cells = [
                first.ljust(widths[0]),
                *(c.rjust(w) for c, w in zip(rest, widths[1:], strict=True)),
            ]
            texts.append(f"| {' | '.join(cells)} |")
        return "\n".join(texts)


# --- a race --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Contestant:
    """One way to do some work.

    `start(n)` prepares it from nothing for n units of the work, compiling what there is to
    compile, and returns what does them; that returns numbers on which all contestants agree.
    """

    name: str
    start: Callable[[int], Work]
    units: int
    slower: float | None = None  # the bar: how many times as long as ours it has to take
    compiles: bool = True


class Race:
    """Contestants, ours first, compared and then measured in turns.

    A row shows the median and the spread for `shown` units, and apart from that what compiling
    took. The ratio is the peer's median to ours.
    """

    def __init__(
        self,
        title: str,
        contestants: Sequence[Contestant],
        *,
        checked: int,
        shown: int = 1,
        tolerance: float = CLOSE,
        steady: Callable[[], bool] = lambda: True,
    ) -> None:
        self.title, self.contestants, self.shown = title, contestants, shown
        ours, *peers = contestants
        expected = ours.start(checked)()
        for peer in peers:
            assert_close(f"{title}: {peer.name}", expected, peer.start(checked)(), tolerance)
        started = {each.name: _started(each) for each in contestants}
        self.first = {name: Times((took,)) for name, (took, _) in started.items()}
        again = {each.name: _start_again(each) for each in contestants if started[each.name][0] < LONG}
        self.first |= in_turns(again, STARTS, 0)
        works = {name: _work_again(work) for name, (_, work) in started.items()}
        gc.freeze()  # the collector of one contestant need not walk through the libraries of another
        self.warm = in_turns(works, REPEATS, steady=steady)
        gc.unfreeze()

    def compiling(self, name: str) -> float:
        """The first call from nothing, less a warm one; below 0 if both differ more by themselves."""
        return self.first[name].median - self.warm[name].median

    def table(self) -> Table:
        ours = self.warm_unit(self.contestants[0])
        table = Table([self.title, "compile", "median", "fastest - slowest"])
        for each in self.contestants:
            times = self.warm_unit(each)
            took = self.compiling(each.name)
            compiling = (
                ("lost in noise" if took <= 0.0 else in_time_units(took)) if each.compiles else ""
            )
            cells = [each.name, compiling, in_time_units(times.median), times.spread]
            ratio = None if each is self.contestants[0] else times.median / ours.median
            table.rows.append(Row(cells, ratio, at_least=each.slower))
        return table

    def warm_unit(self, contestant: Contestant) -> Times:
        return self.warm[contestant.name].of(self.shown / contestant.units)

    def first_call_row(self, name: str, slower: float) -> Row:
        """A row for what a peer takes from nothing to its first result."""
        ours, peer = self.first[self.contestants[0].name], self.first[name]
        cells = [f"{name}: first call, ours {in_time_units(ours.median)}", ""]
        return Row(
            [*cells, in_time_units(peer.median), peer.spread], peer.median / ours.median, None, slower
        )


def _started(contestant: Contestant) -> tuple[float, Work]:
    """What it took from nothing to the first result, and what gives the next one."""
    works: list[Work] = []

    def first() -> Any:
        works.append(contestant.start(contestant.units))
        return works[0]()

    return timed(first), works[0]


def _start_again(contestant: Contestant) -> Callable[[], float]:
    return lambda: _started(contestant)[0]


def _work_again(work: Work) -> Callable[[], float]:
    return lambda: timed(work)


# --- a script ------------------------------------------------------------------------------------


def machine() -> str:
    """The machine, in a line."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    pairs = [line.split(":", 1) for line in lines if ":" in line]
    known = {name.strip(): text.strip() for name, text in pairs}
    model = known.get("model name") or platform.processor() or platform.machine()
    present = set((known.get("flags") or known.get("Features") or "").split())
    flags = " ".join(flag for flag in SIMD if flag in present)
    cores = f"{os.cpu_count()} cores"
    return f"{model} ({flags}), {cores}, {platform.system()}, Python {platform.python_version()}"


def main(results: Callable[[], Iterable[Table | str]], peers: Sequence[str] = ()) -> int:
    """Print a script's tables as they come: 0, 1 if a bar is missed, 2 if it could not be measured."""
    missing = [peer for peer in peers if importlib.util.find_spec(peer) is None]
    if missing:
        print(f"{' and '.join(missing)} missing: pip install chainrule[bench]", file=sys.stderr)
        return 2
    versions = [f"{peer} {importlib.metadata.version(peer)}" for peer in peers]
    ours = f"chainrule {chainrule.__version__} ({chainrule.core} core, {thread_count()} threads)"
    print(f"{machine()}\n\n{', '.join([ours, *versions])}")
    if QUICK:
        print("\nQuick: small sizes, to see that it works. No bar is judged.")
    met = True
    try:
        for result in results():
            print(f"\n{result}", flush=True)
            met = met and (isinstance(result, str) or all(row.met for row in result.rows))
    except Exception:  # a peer that disagrees must not look like a bar missed
        traceback.print_exc()
        return 2
    return 0 if met else 1
