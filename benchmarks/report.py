"""Runs all benchmarks once and writes docs/benchmarks.md: what `make bench` does.

The page reports the run as measured, including missed bars, and the exit code is 0. It is 1 if a peer
gave a different result from ours, which the page shows, and 2 if a script could not continue. In that
case, and with `--quick`, nothing is written.
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
SCRIPTS = ("eager", "training", "pricing", "gpt", "one_sample", "compile_time", "threads", "layout")

Record = dict[str, Any]

HEAD = f"""# Benchmarks

Written by `make bench` from a single run on

{{machine}}

Your machine will give other times, and somewhat different ratios.

## How it is measured

- **Spellings.** A library can do the same work in several ways. We show those that its experts would
  try, and judge each library by its best: the one with the lowest ratio, marked `(best)`.
- **Results first.** Every spelling must match our value and our gradients before anything is timed.
- **Processes.** Each spelling runs in a separate process. One that is not installed or fails is shown
  as not measured, with the reason.
- **Turns.** The spellings in a table take turns: one round that does not count, then {measure.TURNS}
  that do ({threads.TURNS} where threads are compared, {layout.REPEATS} for the layouts and
  {compile_time.PROCESSES} for compile times). In its turn, a spelling does its work once; work
  shorter than {race.A_TURN * 1000:.0f} ms is repeated until that time is filled. No turn is repeated,
  left out or selected.
- **Times** are medians over the turns. **Compile times** are shown separately: from scratch to the first
  result, minus a warm call; the median of {race.STARTS} starts, or a single start if it takes more than
  {race.LONG:.0f} s. Libraries are imported beforehand.
- **Ratios** are taken within each turn, the peer's time divided by ours, so that both ran under the
  same conditions. The table shows their median and quartiles. Above 1 the peer takes longer; below 1
  it is faster. If a table uses another ratio, the text above it says so.
- **Bars** were set before the measurement. A bar on a library applies to its best spelling; one that
  is missed stays in the table as missed.
- **Precision** is double, unless a table says float32. Python's garbage collector runs before each
  turn, untimed, and normally during it, unless a spelling says that it is off.
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


def bars(records: list[Record]) -> str:
    """All bars, and how many were met."""
    barred = [record for record in records if record["bar"]]
    missed = sum(record["verdict"] == "missed" for record in barred)
    met = sum(record["verdict"] == "met" for record in barred)
    lines = [
        (
            record["title"],
            record["name"],
            "" if record["ratio"] is None else ratio_text(record["ratio"]),
            record["quartiles"],
            record["bar"],
            record["verdict"],
        )
        for record in barred
    ]
    head = ("work", "measured against", "ratio", "quartiles", "bar", "")
    count = f"Of {len(barred)} bars, this run met {met} and missed {missed}."
    return f"## Bars\n\n{count}\n\n{markdown([head, *lines])}\n"


def faster(records: list[Record]) -> list[Record]:
    """The records in which a peer's best spelling is faster than ours."""
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
    head = ("work", "best spelling", "times as fast as ours", "ratio", "quartiles")
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
        "[scaling.md](scaling.md) says how.\n"
    )
    return "\n".join(lines)


def page(machine: str, records: list[Record], sections: list[str]) -> str:
    summary = [bars(records), others(records), advice(records)]
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
    print(f"\n{bars(found)}\n{others(found)}\n{advice(found)}")
    if not measure.QUICK and worst < 2:
        PAGE.write_text(text)
        print(f"\nwritten: {PAGE}")
    return worst


if __name__ == "__main__":
    sys.exit(main())
