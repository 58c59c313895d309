"""Runs all benchmarks once and writes docs/benchmarks.md; run by `make bench`.

The page reports the run as measured. The exit code is 0 even if targets were missed, 1 if a peer's
result differs from ours, which the page shows, and 2 if a script could not continue. In that case, and
with `--quick`, nothing is written.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
import time
from itertools import groupby
from pathlib import Path
from typing import Any

import compile_time
import layout
import measure
import race
import threads
from measure import RECORDS, markdown, ratio_text

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
SCRIPTS = (
    *("eager", "training", "pricing", "calculus", "gpt", "deep"),
    *("compile_time", "threads", "layout"),
)

Record = dict[str, Any]

HEAD = f"""# Benchmarks

Written by `make bench` from a single run on

{{machine}}

On your machine, the times will differ, and the ratios will differ somewhat.

## How it is measured

- **Implementations.** A library can do the same work in several ways. We show those that its experts
  would try, and judge each library by its best: the one with the lowest ratio, marked `(best)`.
- **Results first.** Every implementation must match our value and our gradients before it is timed.
- **Processes.** Each implementation runs in a separate process. One that fails or is not installed is
  shown as not measured, with the reason.
- **Rounds.** In a round, each implementation in a table does its work once, one after the other; work
  shorter than {race.A_ROUND * 1000:.0f} ms is repeated until that time is filled. Ours is
  first called for a second and until its kernels are compiled, as libraries compile theirs. After one
  warm-up round, {measure.ROUNDS} rounds are measured ({threads.ROUNDS} where threads are compared,
  {layout.REPEATS} for the layouts, {compile_time.PROCESSES} for compile times).
  No round is repeated, left out or selected.
- **Times** are medians over the rounds. **Compile times** are shown separately: from scratch to the
  first result, minus a warm call; the median of {race.STARTS} starts, or a single start if it takes more
  than {race.LONG:.0f} s. Libraries are imported beforehand.
- **Ratios** are taken within each round, the peer's time divided by ours, so that both ran under the
  same conditions. The table shows their median and quartiles. Above 1 the peer takes longer; below 1
  it is faster. If a table uses a different ratio, the text above it says so.
- **Targets** were set before the measurement. A target for a library applies to its best
  implementation. A missed target stays in the table as missed.
- **Precision** is double, unless a table says float32. Python's garbage collector is run before
  each round, untimed. It stays enabled during the round, unless an implementation says that it
  is off.
"""


def run(script: str, records: Path) -> tuple[int, str]:
    """Run a script, echoing its output; it appends its results to the records."""
    command = [sys.executable, str(HERE / f"{script}.py"), f"{RECORDS}{records}", *sys.argv[1:]]
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    return process.returncode, "".join(lines)


def section(script: str, text: str) -> str:
    """The first sentence of a script's docstring becomes the section title, the rest its text."""
    docstring = ast.get_docstring(ast.parse((HERE / f"{script}.py").read_text())) or ""
    title, _, rest = docstring.partition("?")
    return f"## {title}?\n\n{rest.strip()}\n\n{text.strip()}\n"


# --- the summary ---------------------------------------------------------------------------------


def targets(records: list[Record]) -> str:
    """All targets, and how many were met."""
    with_target = [record for record in records if record["target"]]
    missed = sum(record["verdict"] == "missed" for record in with_target)
    met = sum(record["verdict"] == "met" for record in with_target)
    lines = [
        (
            record["title"],
            record["name"],
            "" if record["ratio"] is None else ratio_text(record["ratio"]),
            record["quartiles"],
            record["target"],
            record["verdict"],
        )
        for record in with_target
    ]
    head = ("task", "measured against", "ratio", "quartiles", "target", "")
    count = f"Of {len(with_target)} targets, this run met {met} and missed {missed}."
    return f"## Targets\n\n{count}\n\n{markdown([head, *lines])}\n"


def faster(records: list[Record]) -> list[Record]:
    """The records in which a peer's best implementation is faster than ours."""
    return [r for r in records if r["peer"] and r["ratio"] is not None and r["ratio"] < 1.0]


def times_as_fast(record: Record) -> str:
    return ratio_text(1.0 / record["ratio"])


def others(records: list[Record]) -> str:
    lines = [
        (
            record["title"],
            record["name"].removesuffix(" (best)"),
            times_as_fast(record),
            ratio_text(record["ratio"]),
            record["quartiles"],
        )
        for record in faster(records)
    ]
    if not lines:
        return "## Where others are faster\n\nNowhere in this run.\n"
    head = ("task", "best implementation", "times as fast as ours", "ratio", "quartiles")
    return f"## Where others are faster\n\n{markdown([head, *lines])}\n"


def advice(records: list[Record]) -> str:
    """One line for each kind of work in which another library is faster."""
    lines = ["## When to use something else\n"]
    for text, found in groupby(faster(records), key=lambda record: record["advice"]):
        ranked = sorted(found, key=lambda record: record["ratio"])
        who = [f"{record['peer']} ({times_as_fast(record)} times as fast)" for record in ranked]
        lines.append(f"- {text}: {', '.join(who)}.")
    lines.append(
        "- On a GPU or on several machines: JAX. `to_jax` moves a compiled function there; "
        "[scaling.md](scaling.md) explains how.\n"
    )
    return "\n".join(lines)


def page(machine: str, records: list[Record], sections: list[str]) -> str:
    summary = [targets(records), others(records), advice(records)]
    return "\n".join([HEAD.format(machine=machine), *summary, *sections])


def main() -> int:
    sections, worst = [], 0
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        records = Path(folder) / "records"
        records.touch()
        for script in SCRIPTS:
            minutes = (time.perf_counter() - begin) / 60
            print(f"\n=== {script}, after {minutes:.1f} minutes ===\n", flush=True)
            code, text = run(script, records)
            worst = max(worst, abs(code))
            sections.append(section(script, text))
        found = [json.loads(line) for line in records.read_text().splitlines()]
    text = page(measure.machine(), found, sections)
    print(f"\n{targets(found)}\n{others(found)}\n{advice(found)}")
    if not measure.QUICK and worst < 2:
        PAGE.write_text(text)
        print(f"\nwritten: {PAGE}")
    return worst


if __name__ == "__main__":
    sys.exit(main())
