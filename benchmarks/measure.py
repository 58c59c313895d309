"""How all benchmarks measure and print: medians over rounds, quartiles, targets, one table format.

Independent of what is measured. `--quick` on the command line makes everything small, to test that a
script works; `--check` also skips the timing and compares results in one process. With either option, no
target is evaluated.
"""

from __future__ import annotations

import gc
import importlib.metadata
import importlib.util
import json
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

os.environ.update(JAX_ENABLE_X64="1", JAX_PLATFORMS="cpu")  # to match ours: double precision on the CPU

CHECK = "--check" in sys.argv
QUICK = CHECK or "--quick" in sys.argv
ROUNDS = 1 if QUICK else 11
REST = 0.0 if QUICK else 0.05  # seconds between rounds, for idle worker threads to stop spinning
CLOSE = 1e-9
SIMD = ("avx", "avx2", "fma", "avx512f", "neon", "asimd", "sve")  # the CPU flags to report
RECORDS = "--records="  # followed by the file that report.py reads

Work = Callable[[], Any]


class WrongValueError(Exception):
    """Two implementations of the same work gave different results."""


def sized(full: int, quick: int) -> int:
    """The full size, or the small one with `--quick`."""
    return quick if QUICK else full


def progress(text: str) -> None:
    """Report progress on stderr; stdout is the report."""
    print(f"  {text}", file=sys.stderr, flush=True)


# --- measuring -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Times:
    """One number for each round: seconds, or ratios of seconds."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def quartiles(self) -> tuple[float, float]:
        low, _, high = statistics.quantiles(self.seconds, n=4, method="inclusive")
        return low, high

    def of(self, units: float) -> Times:
        """The times multiplied by `units`, to scale them to more or less work."""
        return Times(tuple(seconds * units for seconds in self.seconds))

    def to(self, other: Times) -> Times:
        """The ratio within each round, in which both sides ran under the same conditions."""
        return Times(tuple(a / b for a, b in zip(self.seconds, other.seconds, strict=True)))

    def only(self, kept: Sequence[bool]) -> Times:
        """The rounds for which `kept` is true."""
        return Times(tuple(s for s, keep in zip(self.seconds, kept, strict=True) if keep))

    def plus(self, *others: Times) -> Times:
        return Times(tuple(map(sum, zip(self.seconds, *(o.seconds for o in others), strict=True))))


def timed(work: Work) -> float:
    start = time.perf_counter()
    result = work()
    took = time.perf_counter() - start
    del result  # freeing it is not timed
    return took


def in_rounds(contestants: dict[str, Callable[[], float]], rounds: int = ROUNDS) -> dict[str, Times]:
    """Run functions that return their own time in seconds.

    One untimed round comes first, then `rounds` timed ones. The garbage collector runs before each call,
    so that no call is timed while it collects another's garbage.
    """
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for index in range(-1, rounds):
        for name, contestant in contestants.items():
            gc.collect()
            time.sleep(REST)
            took = contestant()
            if index >= 0:
                seconds[name].append(took)
    return {name: Times(tuple(each)) for name, each in seconds.items()}


def check_close(what: str, ours: Any, theirs: Any, tolerance: float = CLOSE) -> None:
    try:
        np.testing.assert_allclose(theirs, ours, rtol=tolerance, atol=tolerance)
    except AssertionError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise WrongValueError(f"{what}: {'; '.join(lines[:4])}") from None


# --- tables --------------------------------------------------------------------------------------


def in_time_units(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.2f} {unit}"
    return f"{seconds * 1e9:.1f} ns"


def ratio_text(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


@dataclass(frozen=True)
class Row:
    """One line of a table. The target is met if the median ratio is on the right side of it.

    `peer` is the library that the row represents in the page's summary. It is set only on the row of
    that library's best implementation.
    """

    cells: Sequence[str]
    ratio: float | Times | None = None
    at_most: float | None = None
    at_least: float | None = None
    peer: str = ""
    wrong: bool = False  # its result differs from ours

    @property
    def middle(self) -> float | None:
        return self.ratio.median if isinstance(self.ratio, Times) else self.ratio

    @property
    def target(self) -> str:
        if self.at_least is not None:
            return f">= {self.at_least:,g}"
        return "" if self.at_most is None else f"<= {self.at_most:,g}"

    @property
    def verdict(self) -> str:
        if not self.target:
            return ""
        if QUICK or self.middle is None:
            return "not evaluated"
        low_enough = self.at_most is None or self.middle <= self.at_most
        high_enough = self.at_least is None or self.middle >= self.at_least
        return "met" if low_enough and high_enough else "missed"

    @property
    def quartiles(self) -> str:
        if not isinstance(self.ratio, Times) or len(self.ratio.seconds) < 2:
            return ""
        low, high = self.ratio.quartiles
        return f"{ratio_text(low)} - {ratio_text(high)}"

    def texts(self) -> tuple[str, ...]:
        ratio = "" if self.middle is None else ratio_text(self.middle)
        return *self.cells, ratio, self.quartiles, self.target, self.verdict


@dataclass
class Table:
    """Rows under a header. Its text is Markdown that is also readable in a terminal.

    `advice` starts the sentence that the page prints if another library is faster here.
    """

    head: Sequence[str]
    rows: list[Row] = field(default_factory=list)
    advice: str = ""

    def __str__(self) -> str:
        head = (*self.head, "ratio", "quartiles", "target", "")
        return markdown([head, *(row.texts() for row in self.rows)])

    def records(self) -> list[dict[str, Any]]:
        """The rows for the page's summary: those with a target, and each peer's best implementation."""
        return [
            {
                "title": self.head[0],
                "name": row.cells[0],
                "peer": row.peer,
                "ratio": row.middle,
                "quartiles": row.quartiles,
                "target": row.target,
                "verdict": row.verdict,
                "advice": self.advice,
            }
            for row in self.rows
            if row.target or row.peer
        ]


def markdown(lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table. The first line is its header; the first column is left-aligned, the others
    right.
    """
    widths = [max(3, *map(len, column)) for column in zip(*lines, strict=True)]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    texts = []
    for first, *rest in (lines[0], rule, *lines[1:]):
        cells = [
            first.ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)),
        ]
        texts.append(f"| {' | '.join(cells)} |")
    return "\n".join(texts)


# --- a script ------------------------------------------------------------------------------------


def machine() -> str:
    """One line describing the machine."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    pairs = [line.split(":", 1) for line in lines if ":" in line]
    known = {name.strip(): text.strip() for name, text in pairs}
    model = known.get("model name") or platform.processor() or platform.machine()
    present = set((known.get("flags") or known.get("Features") or "").split())
    flags = " ".join(flag for flag in SIMD if flag in present)
    cores = f"{os.cpu_count()} cores"
    return f"{model} ({flags}), {cores}, {platform.system()}, Python {platform.python_version()}"


def versions(peers: Sequence[str]) -> str:
    ours = f"chainrule {chainrule.__version__} ({chainrule.core} core, {thread_count()} threads)"
    found = [
        f"{peer} {importlib.metadata.version(peer)}"
        if importlib.util.find_spec(peer)
        else f"{peer} is not installed"
        for peer in peers
    ]
    return ", ".join([ours, *found])


def main(results: Callable[[], Iterable[Table | str]], peers: Sequence[str] = ()) -> int:
    """Print a script's tables as they are measured.

    Returns 0 even if targets are missed, since the table shows it; 1 if a peer's result differs
    from ours; 2 if the script could not continue.
    """
    print(f"{versions(peers)}")
    if QUICK:
        print("\nQuick run: small sizes, to check that the script works. Targets are not evaluated.")
    code = 0
    try:
        for result in results():
            print(f"\n{result}", flush=True)
            if isinstance(result, Table):
                write_records(result)
                code |= any(row.wrong for row in result.rows)
    except Exception:
        traceback.print_exc()
        return 2
    return code


def write_records(table: Table) -> None:
    for argument in sys.argv:
        if argument.startswith(RECORDS):
            with Path(argument.removeprefix(RECORDS)).open("a") as file:
                file.writelines(json.dumps(record) + "\n" for record in table.records())
